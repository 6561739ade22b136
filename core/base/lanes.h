/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanes.h: many tags, or ages of lines, at a time.
 *
 * They are compared as vectors where the compiler says that there are any, else one by one. What is compared is
 * aligned to 16 bytes.
 */
#ifndef TENURE_CORE_LANES_H
#define TENURE_CORE_LANES_H

#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

enum { TN_LANES = 64 }; /* bytes that are compared at once */

#ifdef __SSE2__
#ifdef __AVX2__
/* One bit for each of the first eight tags that is `tag`. */
static inline uint32_t tn_tags_equal_of_8(const uint32_t *tags, uint32_t tag)
{
    __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)tags), _mm256_set1_epi32((int)tag));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}
#endif

/* One bit per tag that is `tag`. */
#ifdef __AVX512F__
static inline uint32_t tn_tags_equal(const uint32_t *tags, uint32_t tag)
{
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(tags), _mm512_set1_epi32((int)tag));
}
#elif defined __AVX2__
static inline uint32_t tn_tags_equal(const uint32_t *tags, uint32_t tag)
{
    return tn_tags_equal_of_8(tags, tag) | tn_tags_equal_of_8(tags + 8, tag) << 8;
}
#else
static inline uint32_t tn_tags_equal(const uint32_t *tags, uint32_t tag)
{
    const __m128i *four = (const __m128i *)tags, want = _mm_set1_epi32((int)tag);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(four[0], want), _mm_cmpeq_epi32(four[1], want));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(four[2], want), _mm_cmpeq_epi32(four[3], want));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
#endif

/* One bit for each of the bytes that is `value`. */
static inline uint64_t tn_bytes_equal(const uint8_t bytes[TN_LANES], uint8_t value)
{
    uint64_t equal = 0;
    for (uint32_t i = 0; i < TN_LANES; i += 16) {
        __m128i some = _mm_cmpeq_epi8(_mm_load_si128((const __m128i *)&bytes[i]), _mm_set1_epi8((char)value));
        equal |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << i;
    }
    return equal;
}

/* One bit for each of the bytes, all below 128, that is at least 64. */
static inline uint64_t tn_bytes_from_64(const uint8_t bytes[TN_LANES])
{
    uint64_t from = 0;
    for (uint32_t i = 0; i < TN_LANES; i += 16) {
        __m128i some = _mm_slli_epi16(_mm_load_si128((const __m128i *)&bytes[i]), 1);
        from |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << i;
    }
    return from;
}

/* Those of the bytes, all below 128, that are below `limit` become one more. */
static inline void tn_bytes_age(uint8_t bytes[TN_LANES], uint8_t limit)
{
    for (uint32_t i = 0; i < TN_LANES; i += 16) {
        __m128i some = _mm_load_si128((const __m128i *)&bytes[i]);
        __m128i below = _mm_cmplt_epi8(some, _mm_set1_epi8((char)limit));
        _mm_store_si128((__m128i *)&bytes[i], _mm_sub_epi8(some, below));
    }
}

/* One bit for each of 64 tags that is `tag`; the first `count` of them are looked at, at least. */
static inline uint64_t tn_tags_find(const uint32_t *tags, uint32_t count, uint32_t tag)
{
    uint64_t equal = 0;
    for (uint32_t i = 0; i < count; i += 16)
        equal |= (uint64_t)tn_tags_equal(&tags[i], tag) << i;
    return equal;
}
#else
static inline uint64_t tn_bytes_equal(const uint8_t bytes[TN_LANES], uint8_t value)
{
    uint64_t equal = 0;
    for (uint32_t i = 0; i < TN_LANES; i++)
        equal |= (uint64_t)(bytes[i] == value) << i;
    return equal;
}

static inline uint64_t tn_bytes_from_64(const uint8_t bytes[TN_LANES])
{
    uint64_t from = 0;
    for (uint32_t i = 0; i < TN_LANES; i++)
        from |= (uint64_t)(bytes[i] >= 64) << i;
    return from;
}

static inline void tn_bytes_age(uint8_t bytes[TN_LANES], uint8_t limit)
{
    for (uint32_t i = 0; i < TN_LANES; i++)
        bytes[i] += bytes[i] < limit;
}

static inline uint64_t tn_tags_find(const uint32_t *tags, uint32_t count, uint32_t tag)
{
    uint64_t equal = 0;
    for (uint32_t i = 0; i < count; i++)
        equal |= (uint64_t)(tags[i] == tag) << i;
    return equal;
}
#endif

#endif
