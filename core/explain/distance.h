/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distance.h: stack distances below level 1 (docs/model.md, section 21), of which follows what caches of the same sets
 * and fewer or more ways would miss.
 *
 * The *stack* of a set is its lines in the order of their last use. A line's *distance* is the number of lines above
 * it, so it is there with that many ways and one more, and no fewer. With LRU the cache itself has the upper part of
 * each stack. What has left it is kept here, down to a distance of TN_MOST_WAYS.
 */
#ifndef TENURE_CORE_DISTANCE_H
#define TENURE_CORE_DISTANCE_H

#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_MOST_WAYS = 64 };

struct tn_distances {
    uint64_t *gone; /* `kept` for each set: lines that have left, the last one first, as struct tn_ask has them */
    uint64_t sets;
    uint32_t assoc, kept;
    uint8_t event[TN_MOST_WAYS + 1]; /* by distance: TN_DISTANCE_* + 1; 0: none */
    /* The access that asked last, through which cache, the largest event of its lines so far, and to whom that was
     * charged. */
    uint64_t access;
    const void *through;
    uint32_t largest;
    uint64_t *centre, *node;
};

/* What the use of a line found. Lines of one set are the same if they have the same number; 0: none. */
struct tn_ask {
    uint64_t line, leaves; /* leaves: what made room for it, if it was not there */
    uint32_t distance;     /* if it was there */
    bool there;
};

/* Whether distances are kept of a level below the first: L2 or the last one. Lines that other threads take from an L2
 * would be gone from larger ones, too, which nobody knows. */
static inline bool tn_keeps_distances(const struct tn_config *config, bool l2)
{
    return config->curves && (l2 ? &config->l2 : &config->ll)->policy == TN_LRU && !(l2 && config->coherence);
}

/* Of empty sets. The caller frees it. */
struct tn_distances *tn_distances_new(const struct tn_geometry *geometry);
/* NULL is allowed, here and below. */
void tn_distances_free(struct tn_distances *distances);
/* `count` sets from `first` on are empty. */
void tn_distances_clear(struct tn_distances *distances, uint64_t first, uint64_t count);

/* The line is used. Returns the event of its distance, as in `event`. */
static inline uint32_t tn_distance_use(struct tn_distances *distances, uint64_t set, const struct tn_ask *ask)
{
    if (ask->there)
        return distances->event[ask->distance < TN_MOST_WAYS ? ask->distance : TN_MOST_WAYS];
    uint64_t *gone = &distances->gone[set * distances->kept], moves = ask->leaves;
    uint32_t i = 0;
    for (; i < distances->kept && moves && gone[i] != ask->line; i++) {
        uint64_t next = gone[i];
        gone[i] = moves;
        moves = next;
    }
    if (i == distances->kept || !moves)
        return distances->event[TN_MOST_WAYS];
    gone[i] = moves;
    return distances->event[distances->assoc + i];
}

#endif
