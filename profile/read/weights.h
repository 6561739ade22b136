/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weights.h: formulas of derived events.
 *
 * A derived event is a sum of weighted events, as table `events` says it: "Ir + 10 * L1m". Its terms may be derived
 * themselves, from what is listed before it.
 */
#ifndef TENURE_PROFILE_WEIGHTS_H
#define TENURE_PROFILE_WEIGHTS_H

#include <stddef.h>

enum { TP_WEIGHTED_TERMS = 32 };

struct tp_weighted_sum {
    size_t count;
    struct {
        char event[48];
        long weight;
        size_t column; /* for a user of the formula: where the event is */
    } term[TP_WEIGHTED_TERMS];
};

/* -1 if the text is no such sum. */
int tp_weighted_sum_read(struct tp_weighted_sum *formula, const char *text);

#endif
