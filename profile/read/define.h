/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * define.h: a profile's formulas (formula.h), for as long as it is open.
 *
 * A formula is a column of every view, by the SQL expression that tp_formula_sql gives. The file does not change.
 * Every profile has those ratios of core/events.inc for which it has the events. Dirty lines are all of one size, which
 * is what is known of them in the tenures that ended: (Use + SpLoss) / Ev.
 */
#ifndef TENURE_PROFILE_DEFINE_H
#define TENURE_PROFILE_DEFINE_H

#include "profile/read/formula.h"

/* "name=expression" over the profile's events and the formulas it has. */
int tp_define(tp_profile *profile, const char *definition, struct tp_error *err);
/* Whether a definition is well formed, whatever events a profile has. */
int tp_define_check(const char *definition, struct tp_error *err);

/* The ratios; tp_open calls it. */
int tp_define_ratios(tp_profile *profile, struct tp_error *err);

/* The first of the profile's formulas; NULL: it has none. */
const struct tp_formula *tp_formulas(const tp_profile *profile);

/* By name, upper or lower case; NULL: there is none. */
const struct tp_formula *tp_formula_find(const tp_profile *profile, const char *name);

/* The event that `name` means, self or inclusive (_incl behind); term->event is NULL if it means none. */
struct tp_term tp_term_find(const tp_profile *profile, const char *name);

/* The formula as an expression over a view's columns. `inclusive`: of the inclusive costs of all its events. False: it
 * does not fit into `size` bytes. */
bool tp_formula_sql(const tp_profile *profile, const struct tp_formula *formula, bool inclusive, char *out,
                    size_t size);

#endif
