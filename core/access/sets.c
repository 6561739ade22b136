/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.c: the general form, and set-up; see sets.h.
 */
#include "sets.h"

#include "core/base/machine.h"
#include "core/host.h"
#include "core/tenure_core.h"
#include "plru.h"
#include "rrip.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ set-up */

static uint32_t bits_for(uint64_t values)
{
    uint32_t bits = 0;
    while (1ull << bits < values)
        bits++;
    return bits;
}

static uint64_t numbers_of(const struct tn_geometry *geometry)
{
    return (1ull << (TN_ADDRESS_BITS - bits_for(geometry->line))) - 1;
}

bool tn_sets_compact(const struct tn_geometry *geometry)
{
    uint64_t sets = geometry->size / geometry->line / geometry->assoc;
    return geometry->policy == TN_LRU && geometry->assoc <= TN_COMPACT_WAYS &&
           numbers_of(geometry) / sets <= UINT32_MAX;
}

/* All sets are compared as if they had the most ways, so reading the last one may go past its end. */
static size_t compact_bytes(const struct tn_sets *sets)
{
    return sets->sets * sets->stride + TN_COMPACT_WAYS * sizeof(uint32_t);
}

/* What is up to 64 bytes lies in one line of the host. */
static uint32_t stride_for(uint32_t ways)
{
    uint32_t bytes = (uint32_t)(sizeof(struct tn_compact) + (ways + 3) / 4 * 4 * sizeof(uint32_t));
    return bytes > 32 && bytes <= 64 ? 64 : bytes;
}

static size_t general_bytes(const struct tn_sets *sets)
{
    return sets->sets * sets->assoc * sizeof *sets->general;
}

/* With r = floor(2^64 / d) + 1, r * d = 2^64 + e and 0 < e <= d: n * r / 2^64 exceeds n / d by n * e / (d * 2^64), too
 * little to reach the next whole number as long as n * e < 2^64. */
static uint64_t reciprocal_of(const struct tn_sets *sets)
{
    return sets->sets <= UINT64_MAX / sets->number_mask ? UINT64_MAX / sets->sets + 1 : 0;
}

void tn_sets_init(struct tn_sets *sets, const struct tn_geometry *geometry, uint32_t scattered_from)
{
    memset(sets, 0, sizeof *sets);
    sets->line_bits = bits_for(geometry->line);
    sets->number_mask = numbers_of(geometry);
    sets->assoc = geometry->assoc;
    sets->policy = geometry->policy;
    sets->low_bits = sets->policy == TN_LRU ? bits_for(geometry->assoc) : TN_RRIP_BITS;
    sets->sets = geometry->size / geometry->line / geometry->assoc;
    sets->set_mask = sets->sets & (sets->sets - 1) ? 0 : sets->sets - 1;
    sets->set_bits = bits_for(sets->sets);
    sets->reciprocal = reciprocal_of(sets);
    if (scattered_from < TN_ADDRESS_BITS)
        sets->scattered = sets->set_mask >> (scattered_from - sets->line_bits) << (scattered_from - sets->line_bits);
    if (tn_sets_compact(geometry)) {
        sets->ways_mask = (1u << sets->assoc) - 1;
        sets->stride = stride_for(sets->assoc);
        sets->compact = tn_host_alloc(compact_bytes(sets));
        if (sets->number_mask / sets->sets == UINT32_MAX)
            sets->top = tn_host_alloc(sets->sets * sizeof *sets->top);
    } else {
        sets->general = tn_host_alloc(general_bytes(sets));
    }
}

void tn_sets_free(struct tn_sets *sets)
{
    if (sets->top)
        tn_host_free(sets->top, sets->sets * sizeof *sets->top);
    if (sets->stride)
        tn_host_free(sets->compact, compact_bytes(sets));
    else
        tn_host_free(sets->general, general_bytes(sets));
}

void tn_sets_clear(struct tn_sets *sets, uint64_t first, uint64_t count)
{
    if (sets->top)
        memset(&sets->top[first], 0, count * sizeof *sets->top);
    if (sets->stride)
        memset(sets->compact + first * sets->stride, 0, count * sets->stride);
    else
        memset(&sets->general[first * sets->assoc], 0, count * sets->assoc * sizeof *sets->general);
}

uint32_t tn_compact_top(const struct tn_sets *sets, uint64_t set)
{
    const struct tn_compact *compact = tn_compact_at(sets, set);
    uint32_t ways = sets->top[set];
    for (uint32_t i = 0; i < sets->assoc; i++)
        ways &= compact->tags[i] ? ~(1u << i) : ~0u;
    return ways;
}

/* ------------------------------------------------------------------------------------------ general sets */

static uint64_t general_key(const struct tn_sets *sets, const struct tn_place *place)
{
    uint64_t number = sets->set_mask || sets->sets == 1 ? place->tag << sets->set_bits | place->set
                                                        : place->tag * sets->sets + place->set;
    return number + 1;
}

/* Fill in slot and hit; the index of the line's entry, or of the first empty one, or of none: the set is full. */
static uint32_t general_find(const struct tn_sets *sets, struct tn_place *place)
{
    const uint64_t *entries = &sets->general[place->set * sets->assoc];
    uint64_t key = general_key(sets, place);
    uint32_t i = 0;
    while (i < sets->assoc && entries[i] >> sets->low_bits && entries[i] >> sets->low_bits != key)
        i++;
    place->hit = i < sets->assoc && entries[i] >> sets->low_bits == key;
    place->slot = place->hit && sets->policy == TN_LRU ? (uint32_t)(entries[i] & ((1ull << sets->low_bits) - 1)) : i;
    return i;
}

/* The index of the entry that leaves a full set, and its slot. */
static uint32_t general_victim(const struct tn_sets *sets, uint64_t *entries, uint32_t *slot)
{
    uint32_t i = sets->policy == TN_PLRU   ? tn_plru_victim(entries, sets->assoc)
                 : sets->policy == TN_RRIP ? tn_rrip_victim(entries, sets->assoc)
                                           : tn_lru_victim_by_order(sets->assoc);
    *slot = sets->policy == TN_LRU ? (uint32_t)(entries[i] & ((1ull << sets->low_bits) - 1)) : i;
    return i;
}

void tn_general_use(struct tn_sets *sets, struct tn_place *place, struct tn_ask *ask)
{
    uint64_t *entries = &sets->general[place->set * sets->assoc];
    uint64_t entry = general_key(sets, place) << sets->low_bits;
    uint32_t i = general_find(sets, place);
    if (ask)
        *ask = (struct tn_ask){general_key(sets, place),
                               i == sets->assoc ? entries[sets->assoc - 1] >> sets->low_bits : 0, i, place->hit};
    if (i == sets->assoc)
        i = general_victim(sets, entries, &place->slot);
    if (sets->policy == TN_LRU) {
        tn_lru_use_order(entries, i, entry | place->slot);
    } else if (sets->policy == TN_PLRU) {
        entries[i] = entry | (entries[i] & 1);
        tn_plru_use(entries, sets->assoc, i);
    } else {
        entries[i] = entry | (place->hit ? 0 : TN_RRIP_LOADED);
    }
}

void tn_sets_find(const struct tn_sets *sets, struct tn_place *place)
{
    if (!sets->stride) {
        general_find(sets, place);
        return;
    }
    uint32_t found = tn_compact_find(sets, place->set, (uint32_t)place->tag + 1);
    place->hit = found != 0;
    place->slot = found ? (uint32_t)__builtin_ctz(found) : 0;
}
