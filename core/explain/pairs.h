/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.h: whose line was thrown out by whom, and who had to load it again (docs/model.md, section 16). In a table of
 * their own, and without evictors: who used it first behind its load.
 *
 * Those who pay (pattern.h) are known by the number of their counters of level 1, which they never give back; 0 is
 * nobody. A pair is never given up for another, so what it says is exact. Where there is no room for one more, a miss
 * is counted in one that has none of the three.
 *
 *   list.count <= most + 1: pairs from 1 on, the one of what there was no room for included
 *   timed <= misses; timed = sum of the counts by power
 *
 * Of a large program most pairs have one miss, or a few of like distance: so counts by power are kept in groups, and of
 * a pair only the groups that it needs. The host's caches hold none of this: misses wait until there are a few, so that
 * what they need comes at once, and the work for one does not wait for the memory of another.
 *
 * The consumer's (queue.h), as late costs are.
 */
#ifndef TENURE_CORE_PAIRS_H
#define TENURE_CORE_PAIRS_H

#include "core/attribute/cost.h"
#include "core/base/arena.h"
#include "core/base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TN_DISTANCES = 32, /* powers of two, from 1 on; what is longer counts with the last */
    TN_GROUP_POWERS = 8,
    TN_WAITING_MISSES = 16,
};

struct tn_pair {
    uint32_t loader, evictor, payer; /* of the line; of the line that took its place; of loading it again */
    uint32_t level;                  /* enum tn_level */
    uint64_t misses;
    uint64_t timed, distance; /* misses of lines whose last use was known; accesses since then, in all */
    uint32_t after[TN_DISTANCES / TN_GROUP_POWERS]; /* of these: by power, in tn_pairs.counts; 0: none */
};

/* A miss that waits to be counted. */
struct tn_waiting_miss {
    struct tn_pair who; /* its names alone */
    uint64_t distance;
    uint32_t hash;
    bool timed;
};

struct tn_pairs {
    struct tn_array list; /* from 1 */
    struct tn_table table;
    struct tn_slots counts; /* TN_GROUP_POWERS of uint64_t */
    struct tn_waiting_miss wait[TN_WAITING_MISSES];
    uint32_t waiting;
    uint32_t most, over;   /* over: the pair of what there was no room for; 0: there is none yet */
    uint32_t largest;      /* number of pairs of a part, at most */
    uint64_t left_out;     /* misses that there was no room for, in all parts */
};

/* No pairs yet, and room for `most`; the caller frees them. */
struct tn_pairs *tn_pairs_new(uint32_t most);
/* NULL is allowed. */
void tn_pairs_free(struct tn_pairs *pairs);
/* Forget all pairs, as at the start. */
void tn_pairs_clear(struct tn_pairs *pairs);
size_t tn_pairs_bytes(const struct tn_pairs *pairs);

static inline struct tn_pair *tn_pair_at(const struct tn_pairs *pairs, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_pair, &pairs->list, id);
}

/* How many of a pair's misses have a distance of this power of two. */
static inline uint64_t tn_pair_after(const struct tn_pairs *pairs, const struct tn_pair *pair, uint32_t power)
{
    uint32_t group = pair->after[power / TN_GROUP_POWERS];
    return group ? ((const uint64_t *)tn_slots_at(&pairs->counts, group))[power % TN_GROUP_POWERS] : 0;
}

/* One miss more of the pair with these names (all else is ignored), so many accesses after the line's last use if that
 * is `timed`. It may wait. */
void tn_pair_miss(struct tn_pairs *pairs, const struct tn_pair *who, bool timed, uint64_t distance);
/* Count all misses that wait. */
void tn_pairs_settle(struct tn_pairs *pairs);

#endif
