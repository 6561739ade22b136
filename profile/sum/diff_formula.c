/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_formula.c: see diff_formula.h. A ratio of sums is not the sum of ratios: its terms are compared, and it is made
 * of what each side has.
 */
#include "profile/sum/diff_formula.h"

/* A side's value; its terms' are `term`. A row that it does not have has none. */
static bool side_value(const struct tp_formula *formula, const struct tp_diff_value *term, enum tp_diff_side side,
                       double *out)
{
    struct tp_figure figure[TP_FORMULA_TERMS];

    for (size_t t = 0; t < formula->terms; t++)
        figure[t] = (struct tp_figure){term[t].side[side], term[t].known};
    struct tp_figure value = tp_formula_value(formula, figure);
    *out = value.known ? value.value : 0;
    return value.known;
}

struct tp_diff_value tp_diff_formula(const tp_diff *diff, enum tp_diff_table table, size_t i,
                                     const struct tp_formula *formula, bool inclusive)
{
    struct tp_diff_value term[TP_FORMULA_TERMS], value = {.known = true};
    bool ignored, counts = false;

    for (size_t t = 0; t < formula->terms; t++) {
        int event = tp_diff_find(diff, formula->term[t].event->name, &ignored);
        term[t] = (struct tp_diff_value){.known = false};
        if (event >= 0)
            term[t] = tp_diff_value(diff, table, i, (size_t)event, inclusive || formula->term[t].inclusive);
        counts |= term[t].counts;
    }
    for (int side = 0; side < TP_SIDES; side++)
        value.known &= side_value(formula, term, (enum tp_diff_side)side, &value.side[side]);
    value.difference = value.known ? value.side[TP_NEW] - value.side[TP_BASELINE] : 0;
    value.counts = counts && (value.difference > 0 || value.difference < 0);
    return value;
}
