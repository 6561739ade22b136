/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rrip.h: the replacement policy RRIP, static, with two bits and hit priority, in two forms; see lru.h.
 *
 * Each line has a prediction, from 0 (to be used again soon) to 3 (not soon). A line that comes in has 2, one that is
 * used again 0. The victim is the first way with 3; where there is none, all predictions grow until there is.
 *
 *   stamps   level 1: engines' code writes stamps alone. A word of its own has, for each way, the stamp of the last use
 *            that is known above the prediction; with another stamp the line was used again. Only misses look
 *   entries  below: the prediction is in the low bits of an entry
 */
#ifndef TENURE_CORE_RRIP_H
#define TENURE_CORE_RRIP_H

#include "core/tenure_core.h"

#include <stdint.h>

enum { TN_RRIP_BITS = 2, TN_RRIP_MOST = 3, TN_RRIP_LOADED = 2 };

/* The victim among `assoc` words that have their predictions in the low bits; those of all have grown then. */
static inline uint32_t tn_rrip_victim(uint64_t *words, uint32_t assoc)
{
    uint32_t victim = 0;
    for (uint32_t i = 1; i < assoc; i++) {
        if ((words[i] & TN_RRIP_MOST) > (words[victim] & TN_RRIP_MOST))
            victim = i;
    }
    uint64_t more = TN_RRIP_MOST - (words[victim] & TN_RRIP_MOST);
    for (uint32_t i = 0; i < assoc; i++)
        words[i] += more;
    return victim;
}

/* The first way that was never filled, else the victim: a line comes in there, with stamp `now`. A way has its stamp
 * `step` words behind that of the one before. */
static inline uint32_t tn_rrip_load_by_stamp(const uint64_t *stamp, uint32_t step, uint64_t *words, uint32_t assoc,
                                             uint64_t now)
{
    uint32_t victim = 0;
    while (victim < assoc && stamp[victim * step])
        victim++;
    for (uint32_t i = 0; i < victim; i++) {
        if (words[i] >> TN_RRIP_BITS != stamp[i * step])
            words[i] = stamp[i * step] << TN_RRIP_BITS;
    }
    if (victim == assoc)
        victim = tn_rrip_victim(words, assoc);
    words[victim] = now << TN_RRIP_BITS | TN_RRIP_LOADED;
    return victim;
}

#endif
