/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h: which line is in which slot of a lower level, with true LRU.
 *
 * A slot is a way of a set; a line keeps its slot as long as it stays. Two forms, chosen by the geometry:
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

struct tn_geometry;

enum { TN_COMPACT_WAYS = 16 };

/* A set in the compact form; stride bytes apart. tags[assoc ..] are never equal to a tag. */
struct tn_compact {
    uint8_t age[TN_COMPACT_WAYS];
    uint32_t tags[]; /* tag + 1; 0: empty */
};

struct tn_sets {
    uint64_t sets, set_mask; /* set_mask: sets - 1 if a power of two, else 0 */
    uint64_t number_mask;
    uint32_t assoc, line_bits, set_bits, slot_bits;
    uint32_t stride; /* bytes per set; 0: general form */
    char *compact;
    uint64_t *general;
};

void tn_sets_init(struct tn_sets *sets, const struct tn_geometry *geometry);
void tn_sets_free(struct tn_sets *sets);
/* Every slot of `count` sets from `first` on is empty again. */
void tn_sets_clear(struct tn_sets *sets, uint64_t first, uint64_t count);

/* Where a line is, or would go. */
struct tn_place {
    uint64_t set, tag;
    uint32_t slot;
    bool hit;
};

/* Set and tag of an address; the slot is not known yet. (Field by field: a struct put together on the stack is
 * copied in wider pieces than it was written in, which stalls.) */
static inline void tn_sets_split(const struct tn_sets *sets, uint64_t address, struct tn_place *place)
{
    uint64_t number = address >> sets->line_bits & sets->number_mask;
    bool power_of_two = sets->set_mask || sets->sets == 1;
    place->set = power_of_two ? number & sets->set_mask : number % sets->sets;
    place->tag = power_of_two ? number >> sets->set_bits : number / sets->sets;
    place->hit = false;
}

static inline void tn_sets_prefetch(const struct tn_sets *sets, const struct tn_place *place)
{
    const char *at = sets->stride ? sets->compact + place->set * sets->stride
                                  : (const char *)&sets->general[place->set * sets->assoc];
    __builtin_prefetch(at, 1);
    __builtin_prefetch(at + 63, 1);
}

/* Fill in slot and hit as they are now: the line's slot if it is there, else that of the least recently used. */
void tn_sets_find(const struct tn_sets *sets, struct tn_place *place);

/* The line becomes the most recently used of its set, in the slot that tn_sets_find says. `place` may come from
 * an earlier find: that saves another search if the line has not moved. */
void tn_sets_use(struct tn_sets *sets, struct tn_place *place);

#endif
