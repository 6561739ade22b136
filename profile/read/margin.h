/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * margin.h: how far what a profile says may be off, where one set in N was simulated (docs/model.md, section 17).
 *
 * The sets that were simulated are in groups, and the profile has what each group adds to a count. From how much these
 * differ follows the standard error of the count, and of whatever is computed of counts: each group is left out in
 * turn (the delete-a-group jackknife). A margin is half of the interval that has the exact value in 95 of 100
 * recordings with other sets: the standard error times Student's t for one degree of freedom less than there are
 * groups.
 *
 * That is right in the mean of many functions, but not of one: what it reads again and again may lie in one line, which
 * is in a set that was simulated, or is not. So the variance of a count is never less than
 *   - N squared: one miss that was seen stands for N;
 *   - the mean variance of the functions (or data structures) that groups have something of;
 *   - the variance of all functions together, times its share of all accesses, which is exact.
 * Of inclusive costs and of calls there is no such mean, since the outermost are so much larger than all others.
 */
#ifndef TENURE_PROFILE_MARGIN_H
#define TENURE_PROFILE_MARGIN_H

#include "core/raw_format.h"
#include "profile/read/formula.h"

/* What a section's rows are, of which the profile has groups. */
enum tp_sampled {
    TP_SAMPLED_NONE,
    TP_SAMPLED_TOTALS,
    TP_SAMPLED_FUNCTIONS,
    TP_SAMPLED_LINES,
    TP_SAMPLED_ARCS,
    TP_SAMPLED_DATA
};

/* Of so many sets one was simulated; 1: all were. */
unsigned tp_sample(tp_profile *profile);

/* Whether an event is counted wherever it happens, whatever sets are simulated. */
bool tp_event_is_exact(const struct tp_event *event);

/* The margin of a sum of which the groups have these parts; `least`: its variance is no less. */
double tp_margin_of_groups(const double group[TN_SAMPLE_GROUPS], double least, unsigned sample);

/* A column of which margins are asked: an event or, if `formula` is not NULL, a formula of the profile. `inclusive`: of
 * inclusive costs. NULL: out of memory, or the profile cannot be read. */
struct tp_margin *tp_margin_new(tp_profile *profile, enum tp_sampled of, const struct tp_formula *formula,
                                const char *event, bool inclusive, struct tp_error *err);
void tp_margin_free(struct tp_margin *margin); /* NULL is allowed */

/* The margin of the row with this id (of totals: any), in the column's unit. Not known: too few groups have a value. 0
 * means that the value is exact. -1: the profile cannot be read. */
int tp_margin_at(struct tp_margin *margin, int64_t id, struct tp_figure *out, struct tp_error *err);

/* What a margin is computed of: the terms of the column's formula (of an event: the event), in a row or summed over
 * rows; for each, what the groups have of it, and the accesses (Ir, Dr, Dw; inclusive ones where the term is). */
struct tp_sampled_sum {
    struct tp_figure all[TP_FORMULA_TERMS], group[TN_SAMPLE_GROUPS][TP_FORMULA_TERMS];
    double ran[TP_FORMULA_TERMS];
};
/* Add a row to a sum that begins as 0. -1: the profile cannot be read. */
int tp_margin_add(struct tp_margin *margin, int64_t id, struct tp_sampled_sum *sum, struct tp_error *err);
struct tp_figure tp_margin_of(const struct tp_margin *margin, const struct tp_sampled_sum *sum);
/* Whether the column is exact in all rows. */
bool tp_margin_is_none(const struct tp_margin *margin);

#endif
