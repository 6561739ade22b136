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
    uint64_t *gone; /* `kept` for each set, around: lines that have left, as struct tn_ask has them */
    uint8_t *first; /* by set: of these the one that left last */
    uint64_t sets;
    uint32_t assoc, kept; /* kept: a multiple of four */
    uint8_t event[TN_MOST_WAYS + 1]; /* by distance: TN_DISTANCE_* + 1; 0: none */
    /* The access that was charged last, through which cache it asked, and the largest event of its lines so far. */
    uint64_t access;
    const void *through;
    uint32_t largest;
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

/* Prefetch what the use of a line of the set will read. */
TN_ALWAYS_INLINE void tn_distances_fetch(const struct tn_distances *distances, uint64_t set)
{
    for (uint32_t i = 0; i < distances->kept; i += 8)
        __builtin_prefetch(&distances->gone[set * distances->kept + i], 1);
}

/* The line is used. Returns the event of its distance, as in `event`. */
static inline uint32_t tn_distance_use(struct tn_distances *distances, uint64_t set, const struct tn_ask *ask)
{
    typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));
    const four line = {ask->line, ask->line, ask->line, ask->line};
    uint32_t kept = distances->kept, i = 0, distance = ask->distance;
    if (!ask->there && (!ask->leaves || !kept))
        return distances->event[TN_MOST_WAYS];
    if (!ask->there) {
        uint64_t *gone = &distances->gone[set * kept];
        uint8_t *first = &distances->first[set];
        for (; i < kept; i += 4) {
            four same = (four)(*(const four *)&gone[i] == line);
            if (same[0] | same[1] | same[2] | same[3])
                break;
        }
        while (i < kept && gone[i] != ask->line)
            i++;
        distance = i < kept ? distances->assoc + i - *first + (i < *first ? kept : 0) : TN_MOST_WAYS;
        if (i == kept)
            *first = (uint8_t)((*first ? *first : kept) - 1); /* in the place of the last one */
        for (; i < kept && i != *first; i = (i ? i : kept) - 1)
            gone[i] = gone[(i ? i : kept) - 1]; /* those above it move down */
        gone[*first] = ask->leaves;
    }
    return distances->event[distance < TN_MOST_WAYS ? distance : TN_MOST_WAYS];
}

#endif
