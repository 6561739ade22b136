/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h: which line is in which slot of a lower level. Who leaves a full set, the policy says (lru.h, plru.h, rrip.h).
 *
 * A slot is a way of a set; a line keeps its slot as long as it stays. Two forms, chosen by the geometry:
 *
 * A look-up is short and done at every level-1 miss, hence in line. Where there are no vectors the compact form is
 * compared in words of general registers.
 *
 *   compact  LRU, up to 16 ways, tags of 32 bits: a set's tags and the policy's state are 32 to 80 bytes, compared and
 *            updated as vectors. With lines of 64 bytes that is so from 1024 sets on
 *   general  any number of ways, 64-bit entries: (line number + 1) << low_bits | low; the former is 0: empty.
 *            With LRU in the order of use, and low is the slot; else in the order of slots, and low is the policy's
 *
 * Where sets are those of physical addresses, the bits of the set above those of a page are changed by what the tag
 * says: pages that are a power of two apart are in sets as if they lay anywhere, and a line is still known by set and
 * tag.
 *
 * An address has TN_ADDRESS_BITS, so a line number has at most TN_ADDRESS_BITS - line_bits significant ones.
 */
#ifndef TENURE_CORE_SETS_H
#define TENURE_CORE_SETS_H

#include "core/base/lanes.h"
#include "core/explain/distance.h"
#include "core/tenure_core.h"
#include "lru.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TN_COMPACT_WAYS = TN_LRU_AGES };
#define TN_SCATTER 0x9e3779b97f4a7c15ull /* odd, of good random bits */

/* A set in the compact form; stride bytes apart. What is read behind its last tag does not count. */
struct tn_compact {
    uint8_t age[TN_LRU_AGES]; /* the policy's state */
    uint32_t tags[]; /* tag + 1 modulo 2^32; 0: empty, or the largest tag (tn_sets.top) */
};

struct tn_sets {
    uint64_t sets, set_mask; /* set_mask: sets - 1 if a power of two, else 0 */
    uint64_t number_mask;
    uint64_t scattered;  /* bits of the set that depend on the tag, too; 0: none */
    uint64_t reciprocal; /* floor(2^64 / sets) + 1 where that divides exactly (sets.c); 0: not so */
    uint32_t assoc, line_bits, set_bits, low_bits;
    enum tn_policy policy;
    uint32_t stride;    /* bytes per set; 0: general form */
    uint32_t ways_mask; /* compact: one bit per way */
    char *compact;
    uint16_t *top; /* compact, by set: ways that have had the tag 2^32 - 1, kept as 0; NULL: no tag is so large */
    uint64_t *general;
};

/* Whether sets of this geometry have the compact form. */
bool tn_sets_compact(const struct tn_geometry *geometry);
/* `scattered_from`: of an address, the lowest bit that is not the same in memory as the program has it; 64: all are. */
void tn_sets_init(struct tn_sets *sets, const struct tn_geometry *geometry, uint32_t scattered_from);
void tn_sets_free(struct tn_sets *sets);
/* Every slot of `count` sets from `first` on is empty again. */
void tn_sets_clear(struct tn_sets *sets, uint64_t first, uint64_t count);

/* Where a line is, or goes. */
struct tn_place {
    uint64_t set, tag;
    uint32_t slot;
    bool hit; /* it was there */
    uint8_t distance; /* where stack distances are kept: the event of the line's (explain/distance.h) */
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
        place->set = (number ^ (place->tag * TN_SCATTER >> 32 & sets->scattered)) & sets->set_mask;
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

TN_ALWAYS_INLINE void tn_compact_prefetch(const struct tn_sets *sets, const struct tn_place *place)
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
#ifdef __AVX2__
    if (sets->assoc <= 8)
        return tn_tags_equal_of_8(set->tags, tag) & sets->ways_mask;
#endif
    return tn_tags_equal(set->tags, tag) & sets->ways_mask;
}
#else /* words of tags, in general registers (lru.h) */

/* The lowest bit: the way whose tag is `tag`. */
static inline uint32_t tn_compact_matches(const struct tn_sets *sets, const struct tn_compact *set,
                                          uint32_t tag)
{
    const uint64_t ones = 0x0000000100000001;
    uint64_t found = 0; /* the even ways' bits in the lower half, 32 higher that of the odd way behind each */
    for (uint32_t i = 0; i < TN_COMPACT_WAYS / 2; i++) {
        uint64_t two;
        __builtin_memcpy(&two, &set->tags[2 * i], sizeof two);
        found |= tn_zero_lanes(two ^ ones * tag, ones) >> (31 - 2 * i);
    }
    return ((uint32_t)found | (uint32_t)(found >> 31)) & sets->ways_mask;
}
#endif

/* The ways of a set that have the largest tag, which only addresses at the end of all have. */
uint32_t tn_compact_top(const struct tn_sets *sets, uint64_t set);

/* The lowest bit: the way that has the tag, of which one more is `next`. */
static inline uint32_t tn_compact_find(const struct tn_sets *sets, uint64_t set, uint32_t next)
{
    return next ? tn_compact_matches(sets, tn_compact_at(sets, set), next) : tn_compact_top(sets, set);
}

/* As tn_sets_use. ask: NULL, or what the use found. The victim is found in any case: to guess wrongly whether the line
 * is there would take longer. */
static inline void tn_compact_use(struct tn_sets *sets, struct tn_place *place, struct tn_ask *ask)
{
    struct tn_compact *set = tn_compact_at(sets, place->set);
    uint32_t tag = (uint32_t)place->tag + 1;
    uint32_t found = tn_compact_find(sets, place->set, tag);
    if (!tn_lru_has_begun(set->age))
        tn_lru_begin(set->age, sets->assoc);
    uint32_t oldest = tn_lru_victim_by_age(set->age, sets->assoc) & sets->ways_mask;
    place->hit = found != 0;
    found |= oldest & -(uint32_t)!found;
    place->slot = (uint32_t)__builtin_ctz(found);
    if (ask) {
        uint32_t leaves = set->tags[place->slot];
        bool top = !leaves && sets->top && sets->top[place->set] >> place->slot & 1;
        *ask = (struct tn_ask){place->tag + 1, top ? 1ull << 32 : leaves, set->age[place->slot], place->hit};
    }
    set->tags[place->slot] = tag;
    if (!tag)
        sets->top[place->set] |= (uint16_t)(1u << place->slot);
    tn_lru_use(set->age, place->slot);
}

/* ------------------------------------------------------------------------------------------ either */

/* The same of the general form. */
void tn_general_use(struct tn_sets *sets, struct tn_place *place, struct tn_ask *ask);

TN_ALWAYS_INLINE void tn_sets_prefetch(const struct tn_sets *sets, const struct tn_place *place)
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
static inline void tn_sets_use(struct tn_sets *sets, struct tn_place *place, struct tn_ask *ask)
{
    if (sets->stride)
        tn_compact_use(sets, place, ask);
    else
        tn_general_use(sets, place, ask);
}

#endif
