/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h: which line is in which slot of a lower level, with true LRU.
 *
 * A slot is a way of a set; a line keeps its slot as long as it stays. Two forms, chosen by the geometry:
 *
 * A look-up is short and done at every level-1 miss, hence in line. Where there are no vectors the compact form is
 * compared in words of general registers.
 *
 *   compact  up to 16 ways, tags of 32 bits: a set's tags and their order are 64 to 80 bytes, compared and
 *            updated as vectors. age[w] is the number of ways used more recently than w: a permutation
 *            of 0 .. assoc - 1, where ways never used are the oldest
 *   general  any number of ways, 64-bit entries, most recently used first:
 *            entry = (line number + 1) << slot_bits | slot, 0: empty
 *
 * Addresses are canonical with 48 bits, so a line number has at most 48 - line_bits significant ones.
 */
#ifndef TENURE_CORE_SETS_H
#define TENURE_CORE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

struct tn_geometry;

enum { TN_COMPACT_WAYS = 16 };

/* A set in the compact form; stride bytes apart. What is read behind its last tag does not count. */
struct tn_compact {
    uint8_t age[TN_COMPACT_WAYS];
    uint32_t tags[]; /* tag + 1; 0: empty */
};

struct tn_sets {
    uint64_t sets, set_mask; /* set_mask: sets - 1 if a power of two, else 0 */
    uint64_t number_mask;
    uint64_t reciprocal; /* floor(2^64 / sets) + 1 where that divides exactly (sets.c); 0: not so */
    uint32_t assoc, line_bits, set_bits, slot_bits;
    uint32_t stride;    /* bytes per set; 0: general form */
    uint32_t ways_mask; /* compact: one bit per way */
    char *compact;
    uint64_t *general;
};

/* Whether sets of this geometry have the compact form. */
bool tn_sets_compact(const struct tn_geometry *geometry);
void tn_sets_init(struct tn_sets *sets, const struct tn_geometry *geometry);
void tn_sets_free(struct tn_sets *sets);
/* Every slot of `count` sets from `first` on is empty again. */
void tn_sets_clear(struct tn_sets *sets, uint64_t first, uint64_t count);

/* Where a line is, or goes. */
struct tn_place {
    uint64_t set, tag;
    uint32_t slot;
    bool hit; /* it was there */
};

/* number / sets, without a division where the reciprocal is known. */
static inline uint64_t tn_sets_divide(const struct tn_sets *sets, uint64_t number)
{
    if (sets->reciprocal)
        return (uint64_t)((unsigned __int128)number * sets->reciprocal >> 64);
    return number / sets->sets;
}

/* Set and tag of an address; the slot is not known yet. (Field by field: a struct put together on the stack is
 * copied in wider pieces than it was written in, which stalls.) */
static inline void tn_sets_split(const struct tn_sets *sets, uint64_t address, struct tn_place *place)
{
    uint64_t number = address >> sets->line_bits & sets->number_mask;
    if (sets->set_mask || sets->sets == 1) {
        place->tag = number >> sets->set_bits;
        place->set = number & sets->set_mask;
    } else {
        place->tag = tn_sets_divide(sets, number);
        place->set = number - place->tag * sets->sets;
    }
    place->hit = false;
}

/* ------------------------------------------------------------------------------------------ compact sets */

static inline struct tn_compact *tn_compact_at(const struct tn_sets *sets, uint64_t set)
{
    return (struct tn_compact *)(sets->compact + set * sets->stride);
}

static inline void tn_compact_prefetch(const struct tn_sets *sets, const struct tn_place *place)
{
    const struct tn_compact *set = tn_compact_at(sets, place->set);
    __builtin_prefetch(set, 1);
    __builtin_prefetch(&set->tags[11], 1);
}

#ifdef __SSE2__
/* One bit per tag that is `tag`. */
#ifdef __AVX512F__
static inline uint32_t tn_compact_equal(const uint32_t *tags, uint32_t tag)
{
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(tags), _mm512_set1_epi32((int)tag));
}
#elif defined __AVX2__
static inline uint32_t tn_compact_equal(const uint32_t *tags, uint32_t tag)
{
    const __m256i *eight = (const __m256i *)tags, want = _mm256_set1_epi32((int)tag);
    __m256i low = _mm256_cmpeq_epi32(_mm256_loadu_si256(eight), want);
    __m256i high = _mm256_cmpeq_epi32(_mm256_loadu_si256(eight + 1), want);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8;
}
#else
static inline uint32_t tn_compact_equal(const uint32_t *tags, uint32_t tag)
{
    const __m128i *four = (const __m128i *)tags, want = _mm_set1_epi32((int)tag);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(four[0], want), _mm_cmpeq_epi32(four[1], want));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(four[2], want), _mm_cmpeq_epi32(four[3], want));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
#endif

/* One bit per way whose tag is `tag`. */
static inline uint32_t tn_compact_matches(const struct tn_sets *sets, const struct tn_compact *set,
                                          uint32_t tag)
{
    return tn_compact_equal(set->tags, tag) & sets->ways_mask;
}

/* One bit per way whose age is `age`. */
static inline uint32_t tn_compact_of_age(const struct tn_compact *set, uint32_t age)
{
    __m128i ages = _mm_load_si128((const __m128i *)set->age);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(ages, _mm_set1_epi8((char)age)));
}

/* Way `w` becomes the youngest: those that were younger age by one. */
static inline void tn_compact_rejuvenate(struct tn_compact *set, uint32_t w)
{
    __m128i ages = _mm_load_si128((const __m128i *)set->age);
    __m128i age = _mm_set1_epi8((char)set->age[w]);
    __m128i older = _mm_sub_epi8(ages, _mm_cmplt_epi8(ages, age));
    _mm_store_si128((__m128i *)set->age, _mm_andnot_si128(_mm_cmpeq_epi8(ages, age), older));
}
#else /* words of tags and ages, in general registers: in a program whose vector registers are not ours */

/* The top bit of each lane that is 0, of lanes of which `ones` has 1 each; perhaps of lanes above such a one too, so
 * the lowest is right. */
static inline uint64_t tn_compact_zeroes(uint64_t lanes, uint64_t ones)
{
    return (lanes - ones) & ~lanes & ones << (ones >> 8 & 1 ? 7 : 31);
}

/* The lowest bit: the way whose tag is `tag`. */
static inline uint32_t tn_compact_matches(const struct tn_sets *sets, const struct tn_compact *set,
                                          uint32_t tag)
{
    const uint64_t ones = 0x0000000100000001;
    uint64_t found = 0; /* the even ways' bits in the lower half, 32 higher that of the odd way behind each */
    for (uint32_t i = 0; i < TN_COMPACT_WAYS / 2; i++) {
        uint64_t two;
        __builtin_memcpy(&two, &set->tags[2 * i], sizeof two);
        found |= tn_compact_zeroes(two ^ ones * tag, ones) >> (31 - 2 * i);
    }
    return ((uint32_t)found | (uint32_t)(found >> 31)) & sets->ways_mask;
}

/* The lowest bit: the way whose age is `age`. */
static inline uint32_t tn_compact_of_age(const struct tn_compact *set, uint32_t age)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t low, high;
    __builtin_memcpy(&low, set->age, sizeof low);
    __builtin_memcpy(&high, set->age + 8, sizeof high);
    low = tn_compact_zeroes(low ^ ones * age, ones);
    high = tn_compact_zeroes(high ^ ones * age, ones);
    if (low)
        return 1u << (__builtin_ctzll(low) / 8);
    return high ? 256u << (__builtin_ctzll(high) / 8) : 0;
}

/* Those of eight ages below `age` are one more. All are below 128. */
static inline uint64_t tn_compact_aged(uint64_t ages, uint8_t age)
{
    const uint64_t ones = 0x0101010101010101, tops = ones << 7;
    return ages + ((((ages | tops) - ones * age) & tops) >> 7 ^ ones);
}

static inline void tn_compact_rejuvenate(struct tn_compact *set, uint32_t w)
{
    uint64_t ages[2], one = 0xffull << 8 * (w % 8);
    uint8_t age = set->age[w];
    __builtin_memcpy(ages, set->age, sizeof ages);
    ages[0] = tn_compact_aged(ages[0], age) & ~(w < 8 ? one : 0);
    ages[1] = tn_compact_aged(ages[1], age) & ~(w < 8 ? 0 : one);
    __builtin_memcpy(set->age, ages, sizeof ages);
}
#endif

/* Memory begins as zeroes; a set's ages begin as a permutation in which way 0 is filled first. */
static inline void tn_compact_first_use(const struct tn_sets *sets, struct tn_compact *set)
{
    for (uint32_t w = 0; w < TN_COMPACT_WAYS; w++)
        set->age[w] = (uint8_t)(w < sets->assoc ? sets->assoc - 1 - w : 127);
}

static inline void tn_compact_use(struct tn_sets *sets, struct tn_place *place)
{
    struct tn_compact *set = tn_compact_at(sets, place->set);
    uint32_t tag = (uint32_t)place->tag + 1;
    uint32_t found = tn_compact_matches(sets, set, tag);
    place->hit = found != 0;
    if (!found) {
        if (set->age[0] == set->age[TN_COMPACT_WAYS - 1] && set->tags[0] == 0)
            tn_compact_first_use(sets, set);
        found = tn_compact_of_age(set, sets->assoc - 1) & sets->ways_mask;
    }
    place->slot = (uint32_t)__builtin_ctz(found);
    set->tags[place->slot] = tag;
    if (set->age[place->slot])
        tn_compact_rejuvenate(set, place->slot);
}

/* ------------------------------------------------------------------------------------------ either */

void tn_general_use(struct tn_sets *sets, struct tn_place *place);

static inline void tn_sets_prefetch(const struct tn_sets *sets, const struct tn_place *place)
{
    if (sets->stride)
        tn_compact_prefetch(sets, place);
    else
        __builtin_prefetch(&sets->general[place->set * sets->assoc], 1);
}

/* Whether the line is there: fills in slot and hit, and changes nothing. */
void tn_sets_find(const struct tn_sets *sets, struct tn_place *place);

/* The line becomes the most recently used of its set, in the slot where it was, else in that of the least recently
 * used. Fills in slot and hit. */
static inline void tn_sets_use(struct tn_sets *sets, struct tn_place *place)
{
    if (sets->stride)
        tn_compact_use(sets, place);
    else
        tn_general_use(sets, place);
}

#endif
