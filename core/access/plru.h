/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plru.h: the replacement policy tree-PLRU, in two forms; see lru.h.
 *
 * The ways of a set, a power of two, are the leaves of a binary tree. Each inner node points to that half of its ways
 * which was not used last, and the victim is where the pointers lead to from the root.
 *
 *   stamps   level 1: which half was used last, the stamps tell; no other state is needed
 *   entries  below: inner node n (1: the root; 2n and 2n + 1 are below n) points as bit 0 of entry n does (1: upwards)
 */
#ifndef TENURE_CORE_PLRU_H
#define TENURE_CORE_PLRU_H

#include "core/tenure_core.h"

#include <stdint.h>

/* The first way that was never filled, else the victim. A way has its stamp `step` words behind that of the one before
 * it. */
static inline uint32_t tn_plru_victim_by_stamp(const uint64_t *stamp, uint32_t step, uint32_t assoc)
{
    uint32_t victim = 0;
    for (uint32_t i = 0; i < assoc; i++) {
        if (!stamp[i * step])
            return i;
    }
    for (uint32_t half = assoc / 2; half; half /= 2) {
        uint64_t low = 0, high = 0; /* when they were used last */
        for (uint32_t i = victim; i < victim + half; i++) {
            uint64_t lower = stamp[i * step], upper = stamp[(i + half) * step];
            low = lower > low ? lower : low;
            high = upper > high ? upper : high;
        }
        victim += high < low ? half : 0;
    }
    return victim;
}

/* The victim among `assoc` entries, of which none is empty. */
static inline uint32_t tn_plru_victim(const uint64_t *entries, uint32_t assoc)
{
    uint32_t node = 1;
    while (node < assoc)
        node = 2 * node + (entries[node] & 1);
    return node - assoc;
}

/* Entry `i` is used. */
static inline void tn_plru_use(uint64_t *entries, uint32_t assoc, uint32_t i)
{
    for (uint32_t node = assoc + i; node > 1; node /= 2)
        entries[node / 2] = (entries[node / 2] & ~1ull) | (~node & 1);
}

#endif
