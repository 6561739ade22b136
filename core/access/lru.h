/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lru.h: the usual replacement policy, which way of a full set gives up its line: LRU, the way used longest ago.
 *
 * This, plru.h and rrip.h are all that caches know of policies. They keep a set in one of three forms:
 *
 *   stamps   level 1: the engine's code writes the time of each use into the way; the victim is found from that
 *   ages     below, up to TN_LRU_AGES ways: a state of 16 bytes per set, told of each use
 *   order    below, any number of ways: the entries of a set, told of each use, are kept in an order
 *
 * The other policies have the first form, and the entries of the last, in place. What is compiled for one kind of cache
 * (tn_l1.usual_ways, tn_taker_for) is for LRU alone.
 *
 *   age[w] is the number of ways used more recently than w: a permutation of 0 .. assoc - 1; 127 behind the last way.
 *   A state of zeroes is that of a set never used. Ways that were never used count as the oldest, way 0 first
 */
#ifndef TENURE_CORE_LRU_H
#define TENURE_CORE_LRU_H

#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ------------------------------------------------------------------------------------------ stamps */

TN_ALWAYS_INLINE uint64_t tn_lru_older(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The stamp of way `i` above its number, so that nothing but the smallest value has to be kept; the clock may go up to
 * 2^50 accesses. */
TN_ALWAYS_INLINE uint64_t tn_lru_stamp_at(const struct tn_way *set, uint32_t i)
{
    return set[i].stamp << 4 | i;
}

/* The victim among `assoc` ways. Of four, two are compared at a time: no comparison waits for more than the one
 * before. */
TN_ALWAYS_INLINE uint32_t tn_lru_victim_by_stamp(const struct tn_way *set, uint32_t assoc)
{
    uint64_t oldest = ~0ull;
    uint32_t i = 0;
    if (assoc > 16) {
        for (uint32_t way = 1; way < assoc; way++) {
            if (set[way].stamp < set[i].stamp)
                i = way;
        }
        return i;
    }
    for (; i + 4 <= assoc; i += 4)
        oldest = tn_lru_older(oldest, tn_lru_older(tn_lru_older(tn_lru_stamp_at(set, i), tn_lru_stamp_at(set, i + 1)),
                                                   tn_lru_older(tn_lru_stamp_at(set, i + 2),
                                                                tn_lru_stamp_at(set, i + 3))));
    for (; i < assoc; i++)
        oldest = tn_lru_older(oldest, tn_lru_stamp_at(set, i));
    return oldest & 15;
}

/* ------------------------------------------------------------------------------------------ ages */

enum { TN_LRU_AGES = 16 };

/* The first use of a set. */
static inline void tn_lru_begin(uint8_t age[TN_LRU_AGES], uint32_t assoc)
{
    for (uint32_t w = 0; w < TN_LRU_AGES; w++)
        age[w] = (uint8_t)(w < assoc ? assoc - 1 - w : 127);
}

static inline bool tn_lru_has_begun(const uint8_t age[TN_LRU_AGES])
{
    return age[0] != age[TN_LRU_AGES - 1];
}

#ifdef __SSE2__
/* One bit, that of the victim. */
static inline uint32_t tn_lru_victim_by_age(const uint8_t age[TN_LRU_AGES], uint32_t assoc)
{
    __m128i ages = _mm_load_si128((const __m128i *)age);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(ages, _mm_set1_epi8((char)(assoc - 1))));
}

/* Way `w` is used: those that were younger age by one. */
static inline void tn_lru_use(uint8_t age[TN_LRU_AGES], uint32_t w)
{
    if (!age[w])
        return;
    __m128i ages = _mm_load_si128((const __m128i *)age);
    __m128i used = _mm_set1_epi8((char)age[w]);
    __m128i older = _mm_sub_epi8(ages, _mm_cmplt_epi8(ages, used));
    _mm_store_si128((__m128i *)age, _mm_andnot_si128(_mm_cmpeq_epi8(ages, used), older));
}
#else /* words of ages, in general registers: in a program whose vector registers are not ours */

/* The top bit of each lane that is 0, of lanes of which `ones` has 1 each; perhaps of lanes above such a one too, so
 * the lowest is right. */
static inline uint64_t tn_zero_lanes(uint64_t lanes, uint64_t ones)
{
    return (lanes - ones) & ~lanes & ones << (ones >> 8 & 1 ? 7 : 31);
}

/* The lowest bit is the victim's. */
static inline uint32_t tn_lru_victim_by_age(const uint8_t age[TN_LRU_AGES], uint32_t assoc)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t low, high;
    __builtin_memcpy(&low, age, sizeof low);
    __builtin_memcpy(&high, age + 8, sizeof high);
    low = tn_zero_lanes(low ^ ones * (assoc - 1), ones);
    high = tn_zero_lanes(high ^ ones * (assoc - 1), ones);
    if (low)
        return 1u << (__builtin_ctzll(low) / 8);
    return high ? 256u << (__builtin_ctzll(high) / 8) : 0;
}

/* Those of eight ages below `age` are one more. All are below 128. */
static inline uint64_t tn_lru_aged(uint64_t ages, uint8_t age)
{
    const uint64_t ones = 0x0101010101010101, tops = ones << 7;
    return ages + ((((ages | tops) - ones * age) & tops) >> 7 ^ ones);
}

/* Way `w` is used: those that were younger age by one. */
static inline void tn_lru_use(uint8_t age[TN_LRU_AGES], uint32_t w)
{
    uint64_t ages[2], one = 0xffull << 8 * (w % 8);
    uint8_t used = age[w];
    if (!used)
        return;
    __builtin_memcpy(ages, age, sizeof ages);
    ages[0] = tn_lru_aged(ages[0], used) & ~(w < 8 ? one : 0);
    ages[1] = tn_lru_aged(ages[1], used) & ~(w < 8 ? 0 : one);
    __builtin_memcpy(age, ages, sizeof ages);
}
#endif

/* ------------------------------------------------------------------------------------------ order */

/* The victim among `assoc` entries, of which none is empty. */
static inline uint32_t tn_lru_victim_by_order(uint32_t assoc)
{
    return assoc - 1;
}

/* Entry `i` is used, as `used`, which may be another line in its slot: it becomes the first. */
static inline void tn_lru_use_order(uint64_t *entries, uint32_t i, uint64_t used)
{
    for (; i > 0; i--)
        entries[i] = entries[i - 1];
    entries[0] = used;
}

#endif
