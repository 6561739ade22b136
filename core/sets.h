/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h: which line is in which slot of a lower level, with true LRU.
 *
 * A slot is a way of a set; a line keeps its slot as long as it stays. Two forms, chosen by the geometry:
 *
 * A look-up is short and done at every level-1 miss, hence in line. Where there are no vectors the compact form is
 * compared in a loop.
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
#ifdef __SSE2__
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
/* One bit per way whose tag is `tag`. */
static inline uint32_t tn_compact_matches(const struct tn_sets *sets, const struct tn_compact *set,
                                          uint32_t tag)
{
    __m128i want = _mm_set1_epi32((int)tag);
    const __m128i *tags = (const __m128i *)set->tags;
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(tags[0], want), _mm_cmpeq_epi32(tags[1], want));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(tags[2], want), _mm_cmpeq_epi32(tags[3], want));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & sets->ways_mask;
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
#else
static inline uint32_t tn_compact_matches(const struct tn_sets *sets, const struct tn_compact *set,
                                          uint32_t tag)
{
    uint32_t bits = 0;
    for (uint32_t w = 0; w < sets->assoc; w++)
        bits |= (uint32_t)(set->tags[w] == tag) << w;
    return bits;
}

static inline uint32_t tn_compact_of_age(const struct tn_compact *set, uint32_t age)
{
    uint32_t bits = 0;
    for (uint32_t w = 0; w < TN_COMPACT_WAYS; w++)
        bits |= (uint32_t)(set->age[w] == age) << w;
    return bits;
}

static inline void tn_compact_rejuvenate(struct tn_compact *set, uint32_t w)
{
    uint8_t age = set->age[w];
    for (uint32_t k = 0; k < TN_COMPACT_WAYS; k++)
        set->age[k] = (uint8_t)(set->age[k] + (set->age[k] < age));
    set->age[w] = 0;
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
