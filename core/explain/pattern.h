/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h: what is kept of the misses of one payer besides their number (docs/model.md, sections 14 and 15).
 *
 * A payer is who pays for a miss: a struct tn_late of an instruction in a thread and, for data, a data object. Its
 * pattern is found by the number of its counters of level 1, which it never gives back. Nodes of the tree have such
 * numbers too, and no pattern: so the numbers lead to patterns, which lie one behind the other.
 *
 *   strides  between successive misses of data at level 1: the most frequent ones, by Misra and Gries:
 *            what is counted of a stride <= how often it was <= what is counted + lost
 *   covered  misses that prefetchers would have been ahead of: by the most frequent stride, if it is at most
 *            TN_FOLLOWED; or a line or two beside the last miss in the same page, of the pages that were missed in last
 *   far      others by the most frequent stride, which leads to another page
 *   sets     conflict misses by the low bits of their set, made when the first happens
 *
 * The consumer's (queue.h), as late costs are.
 */
#ifndef TENURE_CORE_PATTERN_H
#define TENURE_CORE_PATTERN_H

#include "core/attribute/cost.h"
#include "core/base/arena.h"
#include "core/base/machine.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_STRIDES = 4, TN_SET_COUNTS = 64, TN_FOLLOWED = 2048, TN_STREAMS_SEEN_BITS = 6 };

struct tn_stride {
    int64_t bytes;
    uint64_t count; /* 0: nothing is kept here */
};

struct tn_pattern {
    uint64_t last;           /* address of the last miss + 1; 0: none yet */
    uint64_t strides;        /* how many there were */
    uint64_t covered, far;   /* of these */
    struct tn_stride kept[TN_STRIDES];
    uint64_t lost;           /* how often each count was lowered */
    uint32_t sets[TN_LEVELS]; /* of struct tn_patterns.sets; 0: no conflict */
};

struct tn_patterns {
    struct tn_array numbers; /* uint32_t: of patterns, by tn_late.near; 0: none; sparse */
    struct tn_slots list;    /* struct tn_pattern */
    struct tn_slots sets;    /* TN_SET_COUNTS of uint64_t */
};

/* No payer has a pattern yet; the caller frees them. */
struct tn_patterns *tn_patterns_new(void);
/* NULL is allowed. */
void tn_patterns_free(struct tn_patterns *patterns);
size_t tn_patterns_bytes(const struct tn_patterns *patterns);

/* A stride that is not one of those kept, or a miss without a stride. */
void tn_stride_other(struct tn_pattern *pattern, int64_t bytes);

/* The address of the last miss in each of the pages in which a level-1 cache missed last. */
struct tn_seen {
    uint64_t last[1 << TN_STREAMS_SEEN_BITS];
};

/* Whether a miss is beside the last one in its page; of lines of which one in `sample` is simulated. */
static inline bool tn_goes_on(struct tn_seen *seen, uint64_t address, uint32_t sample)
{
    uint64_t page = (address >> TN_PAGE_BITS) * 0x9e3779b97f4a7c15ull; /* so that pages in step are in any places */
    uint64_t *last = &seen->last[page >> (64 - TN_STREAMS_SEEN_BITS)];
    int64_t lines = (int64_t)(address >> 6) - (int64_t)(*last >> 6), most = 2 * (int64_t)sample;
    bool on = *last >> TN_PAGE_BITS == address >> TN_PAGE_BITS && lines && lines <= most && lines >= -most;
    *last = address;
    return on;
}

/* Count the stride to a miss of data at `address`. */
static inline void tn_pattern_miss(struct tn_pattern *pattern, struct tn_seen *seen, uint64_t address, uint32_t sample)
{
    bool on = tn_goes_on(seen, address, sample);
    int64_t bytes = (int64_t)(address + 1 - pattern->last);
    bool first = !pattern->last;
    pattern->last = address + 1;
    if (first)
        return;
    pattern->strides++;
    bool usual = pattern->kept[0].bytes == bytes && pattern->kept[0].count;
    if (on || (usual && bytes <= TN_FOLLOWED && bytes >= -TN_FOLLOWED))
        pattern->covered++;
    else if (usual && (bytes >= 1 << TN_PAGE_BITS || bytes <= -(1 << TN_PAGE_BITS)))
        pattern->far++;
    if (usual)
        pattern->kept[0].count++;
    else
        tn_stride_other(pattern, bytes);
}

/* Make the pattern of a payer that has none yet. */
struct tn_pattern *tn_pattern_make(struct tn_patterns *patterns, const struct tn_late *late);

static inline struct tn_pattern *tn_pattern_at(const struct tn_patterns *patterns, uint32_t number)
{
    return TN_ARRAY_AT(struct tn_pattern, &patterns->list.array, number);
}

/* The payer's pattern; NULL: it has none. */
static inline struct tn_pattern *tn_pattern_known(const struct tn_patterns *patterns, const struct tn_late *late)
{
    const uint32_t *numbers = (const uint32_t *)patterns->numbers.chunks[late->near >> TN_ARRAY_CHUNK_BITS];
    uint32_t number = numbers ? numbers[late->near & ((1u << TN_ARRAY_CHUNK_BITS) - 1)] : 0;
    return number ? tn_pattern_at(patterns, number) : NULL;
}

static inline struct tn_pattern *tn_pattern_of(struct tn_patterns *patterns, const struct tn_late *late)
{
    struct tn_pattern *pattern = tn_pattern_known(patterns, late);
    return pattern ? pattern : tn_pattern_make(patterns, late);
}

/* Count a conflict miss of this payer in a set. */
void tn_pattern_conflict(struct tn_patterns *patterns, const struct tn_late *late, enum tn_level level, uint64_t set);

/* The number of conflicts by set; NULL: none. */
const uint64_t *tn_pattern_sets(const struct tn_patterns *patterns, const struct tn_pattern *pattern,
                                enum tn_level level);
/* Set all counts to zero. The next stride still begins at the last miss. */
void tn_pattern_clear(const struct tn_patterns *patterns, const struct tn_late *late);

#endif
