/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.c: looking up a set; see sets.h. Where there are no vectors the compact form is compared in a loop.
 */
#include "sets.h"

#include "host.h"
#include "tenure_core.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ------------------------------------------------------------------------------------------ set-up */

static uint32_t bits_for(uint64_t values)
{
    uint32_t bits = 0;
    while (1ull << bits < values)
        bits++;
    return bits;
}

static bool fits_compact(const struct tn_sets *sets)
{
    return sets->assoc <= TN_COMPACT_WAYS && sets->number_mask / sets->sets < UINT32_MAX - 1;
}

static size_t general_bytes(const struct tn_sets *sets)
{
    return sets->sets * sets->assoc * sizeof *sets->general;
}

void tn_sets_init(struct tn_sets *sets, const struct tn_geometry *geometry)
{
    memset(sets, 0, sizeof *sets);
    sets->line_bits = bits_for(geometry->line);
    sets->number_mask = (1ull << (48 - sets->line_bits)) - 1;
    sets->assoc = geometry->assoc;
    sets->slot_bits = bits_for(geometry->assoc);
    sets->sets = geometry->size / geometry->line / geometry->assoc;
    sets->set_mask = sets->sets & (sets->sets - 1) ? 0 : sets->sets - 1;
    sets->set_bits = bits_for(sets->sets);
    if (fits_compact(sets)) {
        uint32_t ways = (sets->assoc + 3) / 4 * 4;
        sets->stride = (uint32_t)(sizeof(struct tn_compact) + ways * sizeof(uint32_t));
        sets->compact = tn_host_alloc(sets->sets * sets->stride);
    } else {
        sets->general = tn_host_alloc(general_bytes(sets));
    }
}

void tn_sets_free(struct tn_sets *sets)
{
    if (sets->stride)
        tn_host_free(sets->compact, sets->sets * sets->stride);
    else
        tn_host_free(sets->general, general_bytes(sets));
}

void tn_sets_clear(struct tn_sets *sets, uint64_t first, uint64_t count)
{
    if (sets->stride)
        memset(sets->compact + first * sets->stride, 0, count * sets->stride);
    else
        memset(&sets->general[first * sets->assoc], 0, count * sets->assoc * sizeof *sets->general);
}

/* ------------------------------------------------------------------------------------------ compact sets */

static struct tn_compact *compact_at(const struct tn_sets *sets, uint64_t set)
{
    return (struct tn_compact *)(sets->compact + set * sets->stride);
}

#ifdef __SSE2__
/* One bit per way whose tag is `tag`. */
static uint32_t matches(const struct tn_sets *sets, const struct tn_compact *set, uint32_t tag)
{
    __m128i want = _mm_set1_epi32((int)tag);
    uint32_t bits = 0;
    for (uint32_t w = 0; w < sets->assoc; w += 4) {
        __m128i have = _mm_load_si128((const __m128i *)&set->tags[w]);
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(have, want))) << w;
    }
    return bits;
}

/* One bit per way whose age is `age`. */
static uint32_t of_age(const struct tn_compact *set, uint32_t age)
{
    __m128i ages = _mm_load_si128((const __m128i *)set->age);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(ages, _mm_set1_epi8((char)age)));
}

/* Way `w` becomes the youngest: those that were younger age by one. */
static void rejuvenate(struct tn_compact *set, uint32_t w)
{
    __m128i ages = _mm_load_si128((const __m128i *)set->age);
    __m128i younger = _mm_cmplt_epi8(ages, _mm_set1_epi8((char)set->age[w]));
    _mm_store_si128((__m128i *)set->age, _mm_sub_epi8(ages, younger));
    set->age[w] = 0;
}
#else
static uint32_t matches(const struct tn_sets *sets, const struct tn_compact *set, uint32_t tag)
{
    uint32_t bits = 0;
    for (uint32_t w = 0; w < sets->assoc; w++)
        bits |= (uint32_t)(set->tags[w] == tag) << w;
    return bits;
}

static uint32_t of_age(const struct tn_compact *set, uint32_t age)
{
    uint32_t bits = 0;
    for (uint32_t w = 0; w < TN_COMPACT_WAYS; w++)
        bits |= (uint32_t)(set->age[w] == age) << w;
    return bits;
}

static void rejuvenate(struct tn_compact *set, uint32_t w)
{
    uint8_t age = set->age[w];
    for (uint32_t k = 0; k < TN_COMPACT_WAYS; k++)
        set->age[k] = (uint8_t)(set->age[k] + (set->age[k] < age));
    set->age[w] = 0;
}
#endif

/* Memory begins as zeroes; a set's ages begin as a permutation in which way 0 is filled first. */
static void first_use(const struct tn_sets *sets, struct tn_compact *set)
{
    for (uint32_t w = 0; w < TN_COMPACT_WAYS; w++)
        set->age[w] = (uint8_t)(w < sets->assoc ? sets->assoc - 1 - w : 127);
}

static void compact_find(const struct tn_sets *sets, struct tn_place *place)
{
    const struct tn_compact *set = compact_at(sets, place->set);
    uint32_t found = matches(sets, set, (uint32_t)place->tag + 1);
    place->hit = found != 0;
    if (!found)
        found = of_age(set, sets->assoc - 1) & ((1u << sets->assoc) - 1);
    place->slot = found ? (uint32_t)__builtin_ctz(found) : 0;
}

static void compact_use(struct tn_sets *sets, struct tn_place *place)
{
    struct tn_compact *set = compact_at(sets, place->set);
    if (!place->hit || set->tags[place->slot] != (uint32_t)place->tag + 1) {
        if (set->age[0] == set->age[TN_COMPACT_WAYS - 1] && set->tags[0] == 0)
            first_use(sets, set);
        compact_find(sets, place);
        set->tags[place->slot] = (uint32_t)place->tag + 1;
    }
    if (set->age[place->slot])
        rejuvenate(set, place->slot);
}

/* ------------------------------------------------------------------------------------------ general sets */

static uint64_t general_key(const struct tn_sets *sets, const struct tn_place *place)
{
    uint64_t number = sets->set_mask || sets->sets == 1 ? place->tag << sets->set_bits | place->set
                                                        : place->tag * sets->sets + place->set;
    return number + 1;
}

/* The index of the line's entry in its set; else of the first empty one, else of the last. */
static uint32_t general_index(const struct tn_sets *sets, const struct tn_place *place)
{
    const uint64_t *entries = &sets->general[place->set * sets->assoc];
    uint64_t key = general_key(sets, place);
    uint32_t i = 0;
    while (i < sets->assoc - 1 && entries[i] && entries[i] >> sets->slot_bits != key)
        i++;
    return i;
}

/* A set fills its slots in the order of its entries. */
static uint32_t general_find(const struct tn_sets *sets, struct tn_place *place)
{
    uint32_t i = general_index(sets, place);
    uint64_t entry = sets->general[place->set * sets->assoc + i];
    place->slot = entry ? (uint32_t)(entry & ((1ull << sets->slot_bits) - 1)) : i;
    place->hit = entry >> sets->slot_bits == general_key(sets, place);
    return i;
}

static void general_use(struct tn_sets *sets, struct tn_place *place)
{
    uint64_t *entries = &sets->general[place->set * sets->assoc];
    for (uint32_t i = general_find(sets, place); i > 0; i--)
        entries[i] = entries[i - 1];
    entries[0] = general_key(sets, place) << sets->slot_bits | place->slot;
}

/* ------------------------------------------------------------------------------------------ either */

void tn_sets_find(const struct tn_sets *sets, struct tn_place *place)
{
    if (sets->stride)
        compact_find(sets, place);
    else
        general_find(sets, place);
}

void tn_sets_use(struct tn_sets *sets, struct tn_place *place)
{
    if (sets->stride)
        compact_use(sets, place);
    else
        general_use(sets, place);
}
