/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h: what is kept of the misses of one payer besides their number (docs/model.md, sections 14 and 15).
 *
 * A payer is who pays for a miss: a struct tn_late of an instruction in a thread and, for data, a data object. Its
 * pattern is found by the number of its counters of level 1, which it never gives back.
 *
 *   strides  between successive misses of data at level 1: the most frequent ones, by Misra and Gries:
 *            what is counted of a stride <= how often it was <= what is counted + lost
 *   sets     conflict misses by the low bits of their set, made when the first happens
 *
 * The consumer's (queue.h), as late costs are.
 */
#ifndef TENURE_CORE_PATTERN_H
#define TENURE_CORE_PATTERN_H

#include "arena.h"
#include "cost.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_STRIDES = 4, TN_SET_COUNTS = 64 };

struct tn_stride {
    int64_t bytes;
    uint64_t count; /* 0: nothing is kept here */
};

struct tn_pattern {
    uint64_t last;           /* address of the last miss + 1; 0: none yet */
    uint64_t strides, lost;  /* how many there were; how often each count was lowered */
    struct tn_stride kept[TN_STRIDES];
    uint32_t sets[TN_LEVELS]; /* of struct tn_patterns.sets; 0: no conflict */
};

struct tn_patterns {
    struct tn_array patterns; /* by tn_late.near; sparse */
    struct tn_slots sets;     /* TN_SET_COUNTS of uint64_t */
};

void tn_patterns_init(struct tn_patterns *patterns);
void tn_patterns_free(struct tn_patterns *patterns);
size_t tn_patterns_bytes(const struct tn_patterns *patterns);

/* A stride that was none of those kept, or of which there was none. */
void tn_stride_other(struct tn_pattern *pattern, int64_t bytes);

/* A miss of data at `address`. */
static inline void tn_pattern_miss(struct tn_pattern *pattern, uint64_t address)
{
    int64_t bytes = (int64_t)(address + 1 - pattern->last);
    bool first = !pattern->last;
    pattern->last = address + 1;
    if (first)
        return;
    pattern->strides++;
    if (pattern->kept[0].bytes == bytes && pattern->kept[0].count)
        pattern->kept[0].count++;
    else
        tn_stride_other(pattern, bytes);
}

static inline struct tn_pattern *tn_pattern_of(struct tn_patterns *patterns, const struct tn_late *late)
{
    return tn_array_force(&patterns->patterns, late->near);
}

/* A conflict miss of this payer in a set. */
void tn_pattern_conflict(struct tn_patterns *patterns, const struct tn_late *late, enum tn_level level, uint64_t set);

/* NULL: the payer has none. */
const struct tn_pattern *tn_pattern_known(const struct tn_patterns *patterns, const struct tn_late *late);
/* How many conflicts there were by set; NULL: none. */
const uint64_t *tn_pattern_sets(const struct tn_patterns *patterns, const struct tn_pattern *pattern,
                                enum tn_level level);
/* Whether there is anything to be written. */
bool tn_pattern_is_zero(const struct tn_patterns *patterns, const struct tn_pattern *pattern);
/* All counts are zero; the next stride begins at the last miss, as before. */
void tn_pattern_clear(const struct tn_patterns *patterns, const struct tn_late *late);

#endif
