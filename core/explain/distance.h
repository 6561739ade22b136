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

#include "core/base/lanes.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_MOST_WAYS = 64 };

_Static_assert((int)TN_MOST_WAYS == (int)TN_LANES, "the ages of a set are compared at once");

/* Lines of a set that have left it, in any order. A state of zeroes is that of a set which none has left. */
struct tn_gone {
    uint8_t age[TN_MOST_WAYS]; /* how many have left after it; TN_GONE_NONE: no line yet; more: there is no such slot */
    union {
        uint32_t narrow[0]; /* the lines as struct tn_ask has them; where 32 bits tell them apart, these */
        uint64_t wide[0];
    };
};
enum { TN_GONE_NONE = 64 };

struct tn_distances {
    char *gone; /* struct tn_gone for each set, `stride` bytes apart */
    uint64_t sets;
    uint32_t assoc, kept, stride;
    bool wide;
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

/* Of empty sets. `narrow`: of a line, 32 bits tell it apart from others of its set. The caller frees it. */
struct tn_distances *tn_distances_new(const struct tn_geometry *geometry, bool narrow);
/* NULL is allowed, here and below. */
void tn_distances_free(struct tn_distances *distances);
/* `count` sets from `first` on are empty. */
void tn_distances_clear(struct tn_distances *distances, uint64_t first, uint64_t count);

static inline struct tn_gone *tn_gone_at(const struct tn_distances *distances, uint64_t set)
{
    return (struct tn_gone *)(distances->gone + set * distances->stride);
}

/* Prefetch what the use of a line of the set will read. */
TN_ALWAYS_INLINE void tn_distances_fetch(const struct tn_distances *distances, uint64_t set)
{
    for (uint32_t i = 0; i < distances->stride; i += 64)
        __builtin_prefetch(distances->gone + set * distances->stride + i, 1);
}

/* One bit for each slot that has the line, or no line. */
static inline uint64_t tn_gone_find(const struct tn_gone *gone, const struct tn_distances *distances, uint64_t line)
{
    uint64_t equal = 0;
    if (!distances->wide)
        return tn_tags_find(gone->narrow, distances->kept, (uint32_t)line);
    for (uint32_t i = 0; i < distances->kept; i++)
        equal |= (uint64_t)(gone->wide[i] == line) << i;
    return equal;
}

/* The first line leaves a set. */
void tn_gone_begin(const struct tn_distances *distances, struct tn_gone *gone);

/* The line is used. Returns the event of its distance, as in `event`. */
static inline uint32_t tn_distance_use(struct tn_distances *distances, uint64_t set, const struct tn_ask *ask)
{
    uint32_t distance = ask->distance;
    if (!ask->there && (!ask->leaves || !distances->kept))
        return distances->event[TN_MOST_WAYS];
    if (!ask->there) {
        struct tn_gone *gone = tn_gone_at(distances, set);
        if (gone->age[0] == 0 && gone->age[1] == 0)
            tn_gone_begin(distances, gone);
        uint64_t found = tn_gone_find(gone, distances, ask->line) & ~tn_bytes_from_64(gone->age);
        uint64_t room = tn_bytes_equal(gone->age, TN_GONE_NONE);
        uint64_t oldest = tn_bytes_equal(gone->age, (uint8_t)(distances->kept - 1)); /* none where there is room */
        uint32_t slot = (uint32_t)__builtin_ctzll(found ? found : room | oldest);
        distance = found ? distances->assoc + gone->age[slot] : TN_MOST_WAYS;
        tn_bytes_age(gone->age, gone->age[slot]);
        gone->age[slot] = 0;
        if (distances->wide)
            gone->wide[slot] = ask->leaves;
        else
            gone->narrow[slot] = (uint32_t)ask->leaves;
    }
    return distances->event[distance < TN_MOST_WAYS ? distance : TN_MOST_WAYS];
}

#endif
