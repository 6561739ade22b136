/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h: what the sections of `tenure report` share.
 */
#ifndef TENURE_CLI_REPORT_H
#define TENURE_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/column.h"
#include "cli/table.h"
#include "profile/profile.h"

enum {
    REPORT_MAX_SHOWN = 32,
    /* Where a terminal is narrow: column i of those shown is in group 2 i; the place outlives the fourth. */
    REPORT_PLACE_GROUP = 7,
    REPORT_CALLS_GROUP = 90,
};

struct report {
    tp_profile *profile;
    const char *file;             /* the user's name for it */
    const char *sort_name, *show; /* options */
    const char *function, *callers, *callees;
    bool tree, threads, json;
    uint64_t limit;
    double threshold; /* percent; negative: the section's own */

    struct column_spec sort, shown[REPORT_MAX_SHOWN];
    size_t shown_count;
    size_t sections; /* written so far, for JSON's commas */
};

/* Headings of the columns shown; their expressions, ',' before each, for a view's own columns. */
void report_headings(const struct report *report, struct table *table);
void report_expressions(const struct report *report, char *out, size_t size);
/* Cells for the expressions, which begin at column `at` of the row. */
void report_cells(const struct report *report, struct table *table, struct query *q, int at);

/* Prints or writes the table as section `key` with a heading line; frees it. */
void report_section(struct report *report, struct table *table, const char *key, const char *heading);

/* Where something is: "file.c:12", or the object's name, in text; file, line and object in JSON. The row has
 * them in this order from column `at` on; without an object if not `has_object`. */
void report_place_columns(struct table *table, const char *title);
void report_place(struct table *table, struct query *q, int at, bool has_object);

/* The sections. False if the profile could not be read, or names nothing it has; the line has been printed.
 * */
bool report_functions(struct report *report);
bool report_calls(struct report *report);
bool report_tree(struct report *report);
bool report_threads(struct report *report);

#endif
