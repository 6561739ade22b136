/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h: what a user may ask to see or sort by: events, self or `_incl`, and ratios made of them.
 *
 *   spatial<level>    part of the bytes loaded that was touched, in percent     100 Use / (Use + SpLoss)
 *   temporal<level>   how often a touched byte was touched again                Byt / Use - 1
 *   dirty<level>      part of the bytes written back that was changed           Wrt / (Wb * line)
 *   I1rate D1rate LLrate   misses in percent of accesses; LLrate of all accesses
 *
 * <level> is I1, D1, D2 (data in L2) or L; nothing is written through I1. With _incl behind, of the inclusive costs.
 */
#ifndef TENURE_CLI_COLUMN_H
#define TENURE_CLI_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/query.h"
#include "cli/table.h"
#include "profile/profile.h"

struct column_spec {
    char name[48];  /* "D1mr", "Ir_incl", "spatialD1" */
    char event[48]; /* "D1mr"; "" for a ratio */
    char sql[512];  /* an expression over the columns of a view */
    bool inclusive, is_real, is_ratio;
    double total; /* of the event, for percentages; 0 for a ratio */
};

/* Fills in `out` for a name, in upper or lower case. False with one line on stderr that names the nearest. */
bool column_find(tp_profile *profile, const char *name, struct column_spec *out);
/* The same without the line. */
bool column_try(tp_profile *profile, const char *name, struct column_spec *out);

/* Headings for a value and, unless it is a ratio, its percentage, with the groups (table.h) of both. */
void column_headings(struct table *table, const struct column_spec *spec, int group, int percent_group);
/* What the column says, in a few words with its unit: for a legend. */
const char *column_meaning(tp_profile *profile, const struct column_spec *spec);
/* Cells for column `at` of the query's row. `total` instead of the spec's if not 0. */
void column_cells(struct table *table, const struct column_spec *spec, struct query *q, int at, double total);

#endif
