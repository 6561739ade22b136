/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h: what the parts of `tenure report` share.
 *
 *   cmd_report.c      options, the header, which sections are printed
 *   report_table.c    one section, as profile/read/sections.h describes it
 *   report_tree.c     rows of the call tree
 *   report_timeline.c when the run cost what
 *   report_advice.c   advice, which is no table
 *   report_advice_code.c
 *                     the same for editors and code scanning
 */
#ifndef TENURE_CLI_REPORT_H
#define TENURE_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/base/column.h"
#include "cli/base/table.h"
#include "profile/base/json.h"
#include "profile/profile.h"
#include "profile/read/sections.h"

struct report {
    tp_profile *profile;
    const char *file;                       /* the user's name for it */
    const char *sort_name, *show, *weights; /* options */
    const char *advice_limits, *machine;
    const char *code_format; /* of advice, for tools that show mistakes in code; NULL: none of these */
    bool try;                /* remedies are to be tried */
    const char *in; /* a function or file */
    bool json, csv;
    enum table_form form; /* as they say */
    struct tp_json out;   /* of TABLE_JSON */
    struct {
        bool flag; /* of an option without a value */
        const char *value;
    } asked[TP_SECTION_GROUPS]; /* by number of the group */
    struct column_defines defines;
    bool difference; /* the profile is one (tenure diff -o): costs may be negative, and size is what counts */
    uint64_t limit;
    double threshold; /* percent; negative: the section's own */

    struct column_spec sort;
    struct column_list shown;
    size_t sections; /* printed so far */
    struct column_list explained; /* below tables: what each means is said once */
    bool explained_incl, explained_margins;
    bool startup, told_startup; /* start-up is shown; it has been said that it is not */
};

/* All of these are false if the profile could not be read, or what was asked for is not in it; the line has been
 * printed. */

/* Whether all that the group needs is there. */
bool report_needs(const struct report *report, const struct tp_section_group *group);
/* Whether --in leaves any rows of the group. */
bool report_has_in(const struct report *report, const struct tp_section_group *group, bool *any);
/* Prints or writes a section, unless this profile has none. */
bool report_table(struct report *report, const struct tp_section_group *group, const struct tp_section *section);
/* Headings of a section's own columns. */
void report_columns(const struct report *report, struct table *table, const struct tp_section *section);
/* Prints or writes the table under a heading line; frees it. */
void report_print(struct report *report, struct table *table, const char *key, const char *heading);
/* Says on a terminal what columns mean that no earlier legend has. */
void report_legend(struct report *report, const struct column_list *columns, bool sampled);

/* Says on a terminal, once, that start-up was left out. */
void report_left_out(struct report *report);

bool report_tree(struct report *report, const struct tp_section_group *group);
bool report_timeline(struct report *report, const struct tp_section_group *group);
bool report_advice_known(struct report *report); /* finds it, too */
bool report_advice(struct report *report, const struct tp_section_group *group);
bool report_advice_code(struct report *report); /* advice alone, as code_format says */
long long advice_most(const struct report *report); /* the largest rank that is shown */
/* "up to " where what advice saves is an estimate from above: all but that of high confidence. */
const char *advice_at_most(const char *certain);

#endif
