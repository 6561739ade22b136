/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h: where in a data object the misses are, and which of its bytes are used (docs/attribution.md, section 11).
 *
 * A hit costs nothing here: a miss has its address, and the end of a tenure has the granules that were touched. Lines
 * that lie in the same way on the elements of an object form one *slice* of it. A slice counts for each granule of the
 * line; when a part is written, this becomes counts for each offset in the element.
 *
 *   phase      offset of the line's first byte in an element; PHASE_BIAS more where elements are not known
 *   from, to   the bytes of the line that are in the block; the others belong to no element
 *
 * Counts are bytes, of which eight or more are added at once; before one is full, all are added to wider counts. Slices
 * belong to the consumer (lower.h). They are kept for level 1, and for the last level if its lines have the same size.
 */
#ifndef TENURE_CORE_SLICE_H
#define TENURE_CORE_SLICE_H

#include "core/base/arena.h"
#include "core/base/machine.h"
#include "core/base/table.h"
#include "core/tenure_core.h"
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

struct tn_data;
struct tn_data_object;
struct tn_remapping;

enum {
    TN_GRANULES = 64,
    TN_SLICE_KNOWN_BITS = 9, /* the cache of slices that were found last has 2^9 places */
    TN_SLICE_ELSEWHERE = 1 << 15,
    TN_SLICE_FULL = 255, /* tenures after which counts are added to wider ones */
};
enum { TN_SLICE_READ_MISSES, TN_SLICE_WRITE_MISSES, TN_SLICE_TOUCHED, TN_SLICE_COUNTS };

/* The counts of a slice for one level. */
struct tn_slice_level {
    uint8_t count[TN_SLICE_COUNTS][TN_GRANULES];
    uint32_t ended; /* tenures, since `touched` was last added to the wide counts */
    uint32_t wide;  /* TN_SLICE_COUNTS * TN_GRANULES wide counts; 0: all zero */
    uint64_t tenures;
};

/* Four host lines. The end of a tenure writes to the third and the last. */
struct tn_slice {
    _Alignas(64) struct tn_slice_level near;
    uint32_t far; /* struct tn_slice_level of the last level; 0: all zero */
    uint32_t object, phase;
    uint16_t from, to; /* from: with TN_SLICE_ELSEWHERE, `phase` is remap.c's */
    uint32_t next; /* of the same object; 0: none */
};

struct tn_slices {
    struct tn_array list; /* struct tn_slice, from 1 */
    struct tn_table table;
    struct tn_slots far, wide;
    uint32_t line, granule_bits; /* of D1 */
    bool has_far;
    const struct tn_remapping *remapping; /* tn_data.remapping */
    struct tn_slice_known {
        uint64_t place; /* object and phase */
        uint32_t ends;  /* from and to */
        uint32_t slice;
    } known[1 << TN_SLICE_KNOWN_BITS];
};

void tn_slices_init(struct tn_slices *slices, const struct tn_config *config);
void tn_slices_free(struct tn_slices *slices);
size_t tn_slices_bytes(const struct tn_slices *slices);

static inline struct tn_slice *tn_slice_at(const struct tn_slices *slices, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_slice, &slices->list, id);
}

/* The slice of an object's lines that lie inside a block, from `first` on, and have the same phase there. Their offset
 * is counted from the beginning of the block's first unit. All zero: not known. */
struct tn_inside {
    uint32_t slice;
    uint16_t first;
    uint8_t mask, phase; /* of the offset */
};

/* The slice of the line of `address`, which missed, if it is the one that is remembered; else 0. */
static inline uint32_t tn_slice_inside(const struct tn_inside *inside, uint32_t line, uint64_t address, uint32_t unit,
                                       uint32_t reach)
{
    uint32_t at = (uint32_t)address & (line - 1) & -(1u << TN_UNIT_BITS);
    int64_t start = ((int64_t)unit << TN_UNIT_BITS) - at;
    bool same = start >= inside->first && at + ((reach + 1) << TN_UNIT_BITS) > line &&
                ((uint32_t)start & inside->mask) == inside->phase;
    return same ? inside->slice : 0;
}

/* The slice of the line of `address`, which missed, in an object. `unit` and `reach` are those of struct tn_held.
 * 0: offsets in such an object have no meaning. *inside remembers it if many lines may have it. */
uint32_t tn_slice_of(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, uint64_t address,
                     uint32_t unit, uint32_t reach, struct tn_inside *inside);
/* The slice of lines of a block that is simulated elsewhere (remap.h): `phase` is the remapping's. */
uint32_t tn_slice_elsewhere(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, uint32_t phase,
                            uint32_t from, uint32_t to);
/* The slice of lines that were loaded without an access to them. */
uint32_t tn_slice_unasked(struct tn_slices *slices, struct tn_data *data, uint32_t id);

struct tn_slice_level *tn_slice_far(struct tn_slices *slices, struct tn_slice *slice);

/* Add counts that are full to the wide ones, and set them to zero. */
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

/* Bit i of `mask` is added to byte i. */
static inline void tn_add_bits(uint8_t *bytes, uint64_t mask)
{
#ifdef __AVX512BW__
    __m512i all = _mm512_loadu_si512(bytes);
    _mm512_storeu_si512(bytes, _mm512_mask_add_epi8(all, mask, all, _mm512_set1_epi8(1)));
#elif defined __AVX2__
    const __m256i which = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201);
    for (int half = 0; half < 2; half++) {
        __m256i mine = _mm256_shuffle_epi8(_mm256_set1_epi32((int)(mask >> 32 * half)), which);
        __m256i *at = (__m256i *)(bytes + 32 * half);
        mine = _mm256_cmpeq_epi8(_mm256_and_si256(mine, bits), bits); /* -1 for each that is set */
        _mm256_storeu_si256(at, _mm256_sub_epi8(_mm256_loadu_si256(at), mine));
    }
#else
    for (; mask; bytes += 8, mask >>= 8) {
        uint64_t eight;
        if (!(mask & 0xff))
            continue;
        __builtin_memcpy(&eight, bytes, sizeof eight);
        eight += tn_spread_bits(mask);
        __builtin_memcpy(bytes, &eight, sizeof eight);
    }
#endif
}

/* A tenure in which the granules `mask` were touched has ended. */
static inline void tn_slice_end(struct tn_slices *slices, struct tn_slice_level *level, uint64_t mask)
{
    tn_add_bits(level->count[TN_SLICE_TOUCHED], mask);
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

/* Set all counts to zero. */
void tn_slices_clear(struct tn_slices *slices);

#endif
