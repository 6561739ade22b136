/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ways.h: the parts of a level-1 cache that lie in a thread's hot memory.
 *
 * They are found by their offsets in tn_l1_layout, for a miss as for the engine's code; and a line among the ways of
 * its set is found by its tag.
 */
#ifndef TENURE_CORE_WAYS_H
#define TENURE_CORE_WAYS_H

#include "core/tenure_core.h"

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline struct tn_way *tn_ways_of(struct tn_thread *thread, const struct tn_l1_layout *layout)
{
    return (struct tn_way *)((char *)thread + layout->ways);
}

static inline uint32_t tn_way_table_bytes(const struct tn_l1_layout *layout)
{
    return (layout->table_mask + 1) * sizeof(uint16_t);
}

/* What was written to way `way`; NULL if that is not kept. */
static inline uint64_t *tn_written_of(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                      uint32_t way)
{
    return layout->written ? (uint64_t *)((char *)thread + layout->written) + way : NULL;
}

/* The word that tells whether the line of a way is exclusive, where D1s are kept coherent. */
static inline uint64_t *tn_exclusive_of(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                        uint32_t way)
{
    return (uint64_t *)((char *)thread + layout->exclusive) + way;
}

/* From now on the way table leads from the line to the way. */
static inline void tn_lead_to(struct tn_thread *thread, const struct tn_l1_layout *layout, uint32_t table,
                              uint64_t number, uint32_t way)
{
    uint16_t *elements = (uint16_t *)((char *)thread + table);
    uint64_t offset = layout->ways - layout->origin + way * sizeof(struct tn_way);
    elements[number & layout->table_mask] = (uint16_t)(offset / 8);
}

/* The first of `n` tags that is equal, n being a multiple of 4, at most 32; n: none, which is what most calls find. */
TN_ALWAYS_INLINE uint32_t tn_equal_tag(const uint32_t *tags, uint32_t n, uint32_t tag)
{
#ifdef __SSE2__
    uint32_t equal = 0;
    __m128i want = _mm_set1_epi32((int)tag);
    for (uint32_t i = 0; i < n; i += 4) {
        __m128i four = _mm_cmpeq_epi32(*(const __m128i_u *)&tags[i], want);
        equal |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(four)) << i;
    }
    return equal ? (uint32_t)__builtin_ctz(equal) : n;
#else
    for (uint32_t i = 0; i < n; i++) {
        if (tags[i] == tag)
            return i;
    }
    return n;
#endif
}

/* The next use of the line in the way is to make a call. `parked`: of the cache (tn_l1). */
static inline void tn_park(struct tn_way *ways, bool *parked, uint32_t way)
{
    ways[way].line ^= parked[way] ? 0 : TN_PARKED;
    parked[way] = true;
}

#endif
