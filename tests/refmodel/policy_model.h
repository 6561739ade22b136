/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_model.h: the replacement policies of docs/model.md, section 2, as they are written (core/access/lru.h, plru.h
 * and rrip.h are what they are compared with).
 *
 * A set has as many places as ways, and for each a number of its policy: LRU, when it was used last; PLRU, which half
 * the node of this number points to; RRIP, the prediction.
 */
#ifndef TENURE_REFMODEL_POLICY_MODEL_H
#define TENURE_REFMODEL_POLICY_MODEL_H

#include "model.h"

#include <stdint.h>

/* The tree: node 1 has all ways, nodes 2n and 2n + 1 the lower and the upper half of those of node n. */
static inline void plru_use(uint64_t *state, uint32_t ways, uint32_t place)
{
    uint32_t node = 1, from = 0;

    for (ways /= 2; ways; ways /= 2) {
        bool upper = place >= from + ways;

        state[node] = !upper;
        node = 2 * node + upper;
        from += upper ? ways : 0;
    }
}

static inline uint32_t plru_victim(const uint64_t *state, uint32_t ways)
{
    uint32_t node = 1, from = 0;

    for (ways /= 2; ways; ways /= 2) {
        from += state[node] ? ways : 0;
        node = 2 * node + (state[node] != 0);
    }
    return from;
}

static inline uint32_t rrip_victim(uint64_t *state, uint32_t ways)
{
    for (;;) {
        for (uint32_t i = 0; i < ways; i++)
            if (state[i] == 3)
                return i;
        for (uint32_t i = 0; i < ways; i++)
            state[i]++;
    }
}

static inline uint32_t lru_victim(const uint64_t *state, uint32_t ways)
{
    uint32_t victim = 0;

    for (uint32_t i = 1; i < ways; i++)
        if (state[i] < state[victim])
            victim = i;
    return victim;
}

/* The entry at `place` comes in (`loaded`), or is used again, at time `now`. */
static inline void policy_use(const struct model_cache_config *config, uint64_t *state, uint32_t place, bool loaded,
                              uint64_t now)
{
    if (config->policy == MODEL_LRU)
        state[place] = now;
    else if (config->policy == MODEL_PLRU)
        plru_use(state, config->assoc, place);
    else
        state[place] = loaded ? 2 : 0;
}

/* The place of the entry that leaves a full set. */
static inline uint32_t policy_victim(const struct model_cache_config *config, uint64_t *state)
{
    return config->policy == MODEL_LRU    ? lru_victim(state, config->assoc)
           : config->policy == MODEL_PLRU ? plru_victim(state, config->assoc)
                                          : rrip_victim(state, config->assoc);
}

#endif
