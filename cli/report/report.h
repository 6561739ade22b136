/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h: what the sections of `tenure report` share.
 *
 * A section is one table. Its columns are those that the user asked for or, unasked, the usual ones, of which a
 * narrow terminal shows the first; the name comes last, and behind it, dim, where the thing is. In JSON nothing is
 * left out.
 */
#ifndef TENURE_CLI_REPORT_H
#define TENURE_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/base/column.h"
#include "cli/base/table.h"
#include "profile/profile.h"

enum {
    REPORT_MAX_SHOWN = 32,
    REPORT_CALLS_GROUP = 85, /* of table.h; for the others see report_heading */
};

struct report {
    tp_profile *profile;
    const char *file;             /* the user's name for it */
    const char *sort_name, *show, *weights; /* options */
    const char *function, *callers, *callees;
    const char *advice_limits;
    const char *fields; /* of data structures of this name */
    const char *under;  /* a function */
    const char *in;     /* a function or file */
    bool tree, threads, balance, data, sharing, statements, loops, strides, conflicts, pairs, advice, json;
    struct column_defines defines;
    bool difference; /* the profile is one (tenure diff -o): costs may be negative, and size is what counts */
    uint64_t limit;
    double threshold; /* percent; negative: the section's own */

    struct column_spec sort, shown[REPORT_MAX_SHOWN];
    size_t shown_count;
    size_t sections; /* written so far, for JSON's commas */
};

/* Headings of a column that is the i-th of those shown, with its place in the order of leaving out. */
void report_heading(struct table *table, const struct column_spec *spec, size_t i);
/* Headings of the columns shown; their expressions, ',' before each, for a view's own columns. */
void report_headings(const struct report *report, struct table *table);
void report_expressions(const struct report *report, char *out, size_t size);
/* Cells for the expressions, which begin at column `at` of the row. */
void report_cells(const struct report *report, struct table *table, struct query *q, int at);

/* A copy of the report with columns for what has self costs only: what --show asks for without inclusive events, else
 * the event sorted by and the usual ones (ends with NULL). */
void report_self_columns(const struct report *report, struct report *own, const char *const *usual);

/* A function of SQL, in front of (...), for what rows are sorted by: the size of a difference. */
const char *report_size(const struct report *report);

/* What a row must have of the event sorted by, not to be left out; its size, for a difference. */
double report_least(const struct report *report);
/* Every event under its own name, so that any column can be made of them: for each a comma, its name between `before`
 * and `after`, which have its quotes, and AS. The caller frees it. */
char *report_events(const struct report *report, const char *before, const char *after);
/* Asks for the rows of a view that the report wants, largest first: `columns` (SQL), then the expressions. Rows of one
 * size are in the order of `ties`. The view has a function and a file. */
void report_query(const struct report *report, struct query *q, const char *columns, const char *view,
                  const char *ties);

/* Prints or writes the table as section `key` with a heading line; frees it. */
void report_section(struct report *report, struct table *table, const char *key, const char *heading);

/* Where something is. In JSON file, line and object, columns of their own; in text it follows the name, as in
 * "file.c:12 (libc.so.6)": without the object if that is the program's own, or in the name already. The row has file,
 * line and, if `has_object`, the object's path from column `at` on; then comes its last cell, the name. */
void report_place_columns(struct table *table, const char *title, const char *key);
void report_place(const struct report *report, struct table *table, struct query *q, int at, bool has_object,
                  const char *name);

/* The last cell of a row, a name, and behind it "file.c:12-14": the row has file, first and last line from column `at`
 * on. */
void report_range(const struct report *report, struct table *table, struct query *q, int at, const char *name);

/* One cell; null where the row has none. */
void report_text(struct table *table, struct query *q, int at);
void report_count(struct table *table, struct query *q, int at);
/* In text where something is, "file.c:12", as far as that is known: there is no room for two names. The row has the
 * function's name, file and line from column `at` on; these are three cells. */
void report_brief(const struct report *report, struct table *table, struct query *q, int at);

/* The sections. False if the profile could not be read, or names nothing it has; the line has been printed. */
bool report_functions(struct report *report);
bool report_calls(struct report *report);
bool report_calls_known(struct report *report); /* whether the functions asked for are there */
bool report_tree(struct report *report);
bool report_threads(struct report *report);
bool report_balance(struct report *report);
bool report_data(struct report *report);
bool report_pairs(struct report *report);
bool report_pairs_known(const struct report *report); /* whether they were recorded */
bool report_dependence(struct report *report);        /* the same of statements; nothing if they were not */
bool report_under(struct report *report);
bool report_under_known(const struct report *report); /* whether it has any, to be sorted so */
bool report_sharing(struct report *report);
bool report_sharing_known(const struct report *report); /* whether it was recorded */
bool report_fields(struct report *report);
bool report_fields_known(const struct report *report); /* whether there are any of that name */
bool report_advice(struct report *report);
bool report_advice_known(struct report *report); /* finds it, too */
bool report_has_data(const struct report *report);   /* any data structures; if not, says why */
bool report_data_known(const struct report *report); /* whether there are data structures, to be sorted so */
bool report_statements(struct report *report);
bool report_statements_known(const struct report *report);
bool report_loops(struct report *report);
bool report_loops_known(const struct report *report);
bool report_strides(struct report *report);
bool report_conflicts(struct report *report);
bool report_patterns_known(const struct report *report); /* whether they were recorded, to be sorted so */

#endif
