/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h: what was paid when: totals, and the functions that paid most, in each interval of the run.
 *
 * An interval ends where the engine asks for it (tn_interval), once the program has executed so many instructions
 * more. Then all self costs are added up by function; what has come since the last time is the interval's. That takes a
 * time in proportion to the code, so the next one is long enough for it to be two percent of the time. When there are
 * TN_INTERVALS of them, each two neighbours become one, and later ones are as long as these.
 *
 * Sums over all intervals since the last part are the part's own totals, to the last unit. Costs are those that were
 * charged meanwhile: use is known when a line leaves its cache, which may be long after the instruction that loaded it.
 */
#ifndef TENURE_CORE_TIMELINE_H
#define TENURE_CORE_TIMELINE_H

#include "core/base/arena.h"
#include "core/raw_format.h"
#include "cost.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_payment {
    uint32_t function; /* or the context, where these are kept apart */
    struct tn_costs costs;
};

struct tn_interval {
    uint64_t begin, instructions; /* that all threads had executed before; meanwhile */
    uint64_t time, took;          /* nanoseconds since the first; of it */
    struct tn_costs all;
    uint32_t count;
    struct tn_payment worst[TN_WORST]; /* the most expensive first */
};

struct tn_label {
    uint64_t at, time; /* instructions, nanoseconds, as above */
    const char *text;
};

struct tn_timeline {
    struct tn_array intervals; /* struct tn_interval */
    struct tn_array labels;    /* struct tn_label */
    struct tn_array paid;      /* struct tn_payment by function: what was known when the last interval ended; sparse */
    struct tn_array paying;    /* the same while one ends; all zero before and after */
    struct tn_array times;     /* uint64_t by counter; likewise */
    uint64_t shortest;         /* instructions of an interval, at least */
    uint64_t due, earliest;    /* the next one ends with so many instructions, at this time or later */
    uint64_t begin, time;      /* where it has begun */
    uint64_t started;          /* the host's time at the beginning of the recording */
};

struct tn_core;

void tn_timeline_init(struct tn_timeline *timeline);
void tn_timeline_free(struct tn_timeline *timeline);
/* The interval ends. No thread runs; what waits in rings is charged in a later one. */
void tn_timeline_end(struct tn_core *core);
/* The timeline begins here, or once more: the next interval is as short as the first. */
void tn_timeline_begin(struct tn_core *core);
/* All costs are zero from now on, and what was kept is written or of no interest. */
void tn_timeline_clear(struct tn_core *core);

#endif
