/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_formula.h: what formulas over events (define.h) come to on both sides of a comparison.
 */
#ifndef TENURE_PROFILE_DIFF_FORMULA_H
#define TENURE_PROFILE_DIFF_FORMULA_H

#include "profile/read/define.h"
#include "profile/sum/diff.h"

/* Computed from a side's values (means over its runs). It counts where one of its events does; it is not known where it
 * lacks a value on one side. */
struct tp_diff_value tp_diff_formula(const tp_diff *diff, enum tp_diff_table table, size_t i,
                                     const struct tp_formula *formula, bool inclusive);

#endif
