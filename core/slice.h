/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h: where in a data object it misses, and what is used of what comes in (docs/attribution.md, section 11).
 *
 * A hit costs nothing: a miss has its address, and the end of a tenure the granules touched. Lines that lie alike on
 * the elements of an object are one *slice* of it; what a slice counts is counted for each granule of the line, and
 * becomes counts by offset when a part is written.
 *
 *   phase      offset of the line's first byte in an element; PHASE_BIAS more where elements are not known
 *   from, to   the bytes of the line that are in the block; the others belong to no element
 *
 * Counts are bytes that are added eight at a time, and go on in wider ones before they are full. All of it is the
 * consumer's (lower.h); it is kept for level 1, and for the last level if that has lines of the same size.
 */
#ifndef TENURE_CORE_SLICE_H
#define TENURE_CORE_SLICE_H

#include "arena.h"
#include "table.h"
#include "tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_data;
struct tn_data_object;

enum {
    TN_GRANULES = 64,
    TN_SLICE_KNOWN = 64, /* slices that are found at once, a power of two */
    TN_SLICE_FULL = 255, /* tenures until counts go on in wider ones */
};
enum { TN_SLICE_READ_MISSES, TN_SLICE_WRITE_MISSES, TN_SLICE_TOUCHED, TN_SLICE_COUNTS };

/* Of one level. */
struct tn_slice_level {
    uint8_t count[TN_SLICE_COUNTS][TN_GRANULES];
    uint32_t ended; /* tenures, since `touched` was last added to the wide counts */
    uint32_t wide;  /* TN_SLICE_COUNTS * TN_GRANULES wide counts; 0: all zero */
    uint64_t tenures;
};

struct tn_slice {
    struct tn_slice_level near;
    uint32_t far; /* struct tn_slice_level of the last level; 0: all zero */
    uint32_t object, phase;
    uint16_t from, to;
    uint32_t next; /* of the same object; 0: none */
};

struct tn_slices {
    struct tn_array list; /* struct tn_slice, from 1 */
    struct tn_table table;
    struct tn_slots far, wide;
    uint32_t line, granule_bits; /* of D1 */
    bool has_far;
    struct tn_slice_known {
        uint64_t place; /* object and phase */
        uint32_t ends;  /* from and to */
        uint32_t slice;
    } known[TN_SLICE_KNOWN];
};

void tn_slices_init(struct tn_slices *slices, const struct tn_config *config);
void tn_slices_free(struct tn_slices *slices);
size_t tn_slices_bytes(const struct tn_slices *slices);

static inline struct tn_slice *tn_slice_at(const struct tn_slices *slices, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_slice, &slices->list, id);
}

/* The slice of a line of an object, in which `address` missed: `unit` is that of the address in its block, and `reach`
 * as in struct tn_entry. 0: offsets in such an object mean nothing. */
uint32_t tn_slice_of(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, uint64_t address,
                     uint32_t unit, uint32_t reach);
/* That of lines which nobody has asked for at an address. */
uint32_t tn_slice_unasked(struct tn_slices *slices, struct tn_data *data, uint32_t id);

struct tn_slice_level *tn_slice_far(struct tn_slices *slices, struct tn_slice *slice);

/* Counts that are full go on in wide ones. */
void tn_slice_carry(struct tn_slices *slices, struct tn_slice_level *level);
void tn_slice_carry_miss(struct tn_slices *slices, struct tn_slice_level *level, uint32_t what, uint32_t granule);

/* A miss at `address`; what: TN_SLICE_READ_MISSES or _WRITE_. */
static inline void tn_slice_miss(struct tn_slices *slices, struct tn_slice_level *level, uint64_t address,
                                 uint32_t what)
{
    uint32_t granule = (uint32_t)(address & (slices->line - 1)) >> slices->granule_bits;
    if (++level->count[what][granule] == 0)
        tn_slice_carry_miss(slices, level, what, granule);
}

/* Bit i of eight, as byte i. */
static inline uint64_t tn_spread_bits(uint64_t bits)
{
    uint64_t each = (bits & 0xff) * 0x0101010101010101ull & 0x8040201008040201ull;
    return (each + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull;
}

/* A tenure in which the granules `mask` were touched has ended. */
static inline void tn_slice_end(struct tn_slices *slices, struct tn_slice_level *level, uint64_t mask)
{
    for (uint32_t i = 0; mask; i += 8, mask >>= 8) {
        uint64_t eight;
        __builtin_memcpy(&eight, &level->count[TN_SLICE_TOUCHED][i], sizeof eight);
        eight += tn_spread_bits(mask);
        __builtin_memcpy(&level->count[TN_SLICE_TOUCHED][i], &eight, sizeof eight);
    }
    if (++level->ended == TN_SLICE_FULL)
        tn_slice_carry(slices, level);
}

/* Counts at an offset. */
enum { TN_AT_LOADED = TN_SLICE_COUNTS, TN_AT_COUNTS };
struct tn_at {
    uint64_t count[2][TN_AT_COUNTS]; /* level 1, last level; TN_AT_LOADED: bytes of lines loaded */
};
/* The counts of an object at each place (raw_format.h, DATA_AT); from `end` on all are zero. */
struct tn_places {
    struct tn_at *at; /* TN_AT_FIRST + the larger of TN_OFFSETS and TN_LARGEST_ELEMENT of them */
    uint32_t end;
};
/* Adds up the counts of an object. */
void tn_places_sum(struct tn_slices *slices, const struct tn_data_object *object, struct tn_places *places);

/* All counts are zero. */
void tn_slices_clear(struct tn_slices *slices);

#endif
