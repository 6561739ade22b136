/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h: what a user may ask to see or sort by: events, ratios made of them (profile/read/formula.h), and what the
 * user has defined. With _incl behind, of the inclusive costs.
 */
#ifndef TENURE_CLI_COLUMN_H
#define TENURE_CLI_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/base/opt.h"
#include "cli/base/query.h"
#include "cli/base/table.h"
#include "profile/base/mem.h"
#include "profile/read/margin.h"

struct column_spec {
    char name[48];  /* "D1mr", "Ir_incl", "spatialD1" */
    char event[48]; /* "D1mr"; "" for a formula */
    char sql[2048];  /* an expression over the columns of a view */
    const struct tp_formula *formula; /* of a ratio, or a sum of events; NULL: it is an event */
    const char *unit; /* "bytes", "%", "times", or "": a count */
    bool inclusive, is_real, is_ratio;
    double total; /* of the event, for percentages; 0 for a ratio */
};

/* Fills in `out` for a name, in upper or lower case. False with one line on stderr that names the nearest; `which`:
 * "this profile", or what else it is called there. */
bool column_find(tp_profile *profile, const char *which, const char *name, struct column_spec *out);
/* The same without the line. */
bool column_try(tp_profile *profile, const char *name, struct column_spec *out);

/* Columns that were chosen, in their order, each once. */
struct column_list {
    struct column_spec *at;
    size_t count, room, most;
};
/* The number of the column with this name, made if it is new. COLUMN_REFUSED, with a line on stderr: there are too
 * many, or nothing is called so and `must` is set; where it is not, COLUMN_NONE. */
enum { COLUMN_REFUSED = -1, COLUMN_NONE = -2 };
int column_add(struct column_list *list, tp_profile *profile, const char *name, bool must);
/* Whether the column is new, and the last now. */
bool column_keep(struct column_list *list, const struct column_spec *spec);

/* What --define gave, in its order. */
enum { COLUMN_MAX_DEFINES = 32 };
struct column_defines {
    const char *text[COLUMN_MAX_DEFINES];
    size_t count;
};
/* The row of options (opt.h) that fills them in. */
#define COLUMN_DEFINE(offset) \
    {OPT_TAKE, "define", 0, "NAME=EXPR", "a column of your own, as in 'mpki=1000 * LLm / Ir'; may be repeated", \
     offset, column_take_define}
const char *column_take_define(void *defines, const char *name, const char *value);
/* Makes them columns; false with one line on stderr. */
bool column_define(tp_profile *profile, const struct column_defines *defines);

/* Headings for a value and, unless it is a ratio, its percentage, with the groups (table.h) of both; a group below 0:
 * there are no percentages. */
void column_headings(struct table *table, const struct column_spec *spec, int group, int percent_group);
/* What the column says, for a legend: "bytes never touched (D1)", "estimated cycles, Ir + 10 L1m + 100 LLm", of a
 * user's own the formula; "": that is not known. */
void column_meaning(tp_profile *profile, const struct column_spec *spec, char *out, size_t size);
/* Cells for column `at` of the query's row. `total` instead of the spec's if not 0. */
void column_cells(struct table *table, const struct column_spec *spec, struct query *q, int at, double total);

/* No cost is more than all there is; only differences are, which may cancel each other out. False with a line on
 * stderr: `percent` of the total of `what` would leave out everything. */
bool column_leaves_some(tp_profile *profile, double percent, const char *what);

/* "one set of the caches in 8: ...", for a line headed "Simulated", where that is so; else NULL. Lives in `out`. */
const char *column_sampled(tp_profile *profile, char *out, size_t size);
/* Where sets were sampled, how far the column may be off, in rows of this kind: *margin is to be freed. NULL: all
 * sets were simulated. False with a line on stderr. People are shown it in percent of an event's value, and in the
 * unit of a ratio; in JSON and CSV it is NAME_margin, in the column's unit. */
bool column_margin(tp_profile *profile, enum tp_sampled of, const struct column_spec *spec, struct tp_margin **margin);
/* `keyed`: with the column of JSON and CSV, before what people are shown. */
void column_margin_heading(struct table *table, const struct column_spec *spec, bool keyed, int group);
/* Behind the cell of a ratio: people are shown no value that may be off by more than it is. */
void column_unsure(struct table *table, const struct column_spec *spec, struct tp_figure off, double value);
/* What people are shown, of a margin of this value; blank where it is not known. */
void column_margin_cell(struct table *table, const struct column_spec *spec, struct tp_figure off, double value);
/* Behind column_cells; `id`: of the row in its view. */
bool column_margin_cells(struct table *table, const struct column_spec *spec, struct tp_margin *margin,
                         struct query *q, int at, int64_t id);

#endif
