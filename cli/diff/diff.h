/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h: what the parts of `tenure diff` share: options, and the comparison.
 *
 * cmd_diff.c reads options and opens both sides, diff_tables.c prints, diff_limits.c judges. What is compared, and
 * how, is profile/sum/diff.h's.
 */
#ifndef TENURE_CLI_DIFF_H
#define TENURE_CLI_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/base/column.h"
#include "cli/base/inputs.h"
#include "profile/base/json.h"
#include "profile/base/limit.h"
#include "profile/sum/diff.h"

enum { DIFF_MAX_SHOWN = 16 };

struct diff_column {
    int event; /* of the comparison; of a formula, -1 */
    const struct tp_formula *formula;
    bool inclusive;
    char name[64]; /* "D1mr_incl" */
};

struct diff_limit {
    const char *text; /* as given */
    struct tp_limit limit;
    struct diff_column column;
    size_t broken; /* by how many functions */
};

struct diff {
    struct column_defines defines;
    const char *out, *html, *sort, *show, *weights; /* options */
    char *filename, *funcname;               /* expressions, ';' between; NULL: none */
    bool lines, arcs, data, json, markdown, source_anywhere;
    uint64_t limit;
    struct inputs inputs[TP_SIDES];
    struct diff_limit *limits;
    size_t limit_count;
    struct tp_json to; /* with --json */
    bool unopened;     /* one of the profiles; why was said */

    const struct tp_diff_runs *runs; /* of the baseline, and new ones */
    tp_diff *diff;
    tp_profile *names; /* that places are named by: the first of the new ones */
    struct diff_column column[DIFF_MAX_SHOWN];
    size_t columns; /* the first one is sorted by */
};

/* diff_tables.c: everything on standard output. False with a line on stderr. */
bool diff_choose_columns(struct diff *diff);
/* A column's value in a row; of arcs the inclusive one, of data structures the other. */
struct tp_diff_value diff_value(const struct diff *diff, enum tp_diff_table table, size_t i,
                                const struct diff_column *column);
bool diff_column_of(struct diff *diff, const char *name, struct diff_column *out);
void diff_print(struct diff *diff);

/* diff_limits.c: check that the limits' events and functions are there; then, which limits are broken: a line each on
 * standard error. */
bool diff_limits_known(struct diff *diff);
bool diff_limits_kept(struct diff *diff);
/* Calls `visit` for every row that a limit is about, with whether it is broken. */
typedef void diff_visit(void *user, const struct diff_limit *limit, const char *where,
                        const struct tp_diff_value *value, bool broken);
void diff_limits_each(struct diff *diff, diff_visit *visit, void *user);

#endif
