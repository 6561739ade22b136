/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hint.c: see hint.h.
 */
#include "cli/record/hint.h"

#include <math.h>
#include <stdio.h>

double hint_slower(double seconds, double accesses, double misses)
{
    const double access_takes = 0.12e-9, miss_takes = 80e-9; /* seconds, of a processor of 2024 */

    return accesses > 0 ? fmax(1, seconds / (access_takes * accesses + miss_takes * misses)) : 0;
}

const char *hint_sampling(double seconds, double accesses, double misses, char *out, size_t size)
{
    const double enough = 60, sample = 8;                   /* seconds; one set in so many */
    const double access_costs = 1.6e-9, miss_costs = 70e-9; /* seconds */
    const double least = 0.15, most = 0.9;                  /* of the time: what was never less, and what is no gain */
    double saved = (1 - 1 / sample) * (access_costs * accesses + miss_costs * misses);

    if (seconds < enough || seconds - saved > most * seconds)
        return NULL;
    snprintf(out, size,
             "this took %.0f s of CPU time; with --sample=%.0f, which estimates misses, it would take about %.0f s",
             seconds, sample, fmax(seconds - saved, least * seconds));
    return out;
}
