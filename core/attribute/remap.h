/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap.h: data that is simulated elsewhere (docs/model.md, 22).
 *
 * An object that has a remap has a *relocation*: how its elements are divided, and where the parts of each of its
 * blocks are. Nobody of the hot path knows of this. No line that has a byte of such a block is ever in a way under the
 * address that the program uses: so each access to it is slow (access/cache.c), and asks here which spans it becomes.
 * Lines that have other bytes, too, are marked for that (TN_APART).
 *
 * Threads take turns where there are remaps, so nothing here is behind a lock.
 */
#ifndef TENURE_CORE_REMAP_H
#define TENURE_CORE_REMAP_H

#include "core/base/arena.h"
#include "core/base/table.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_data_object;
struct tn_held;
struct tn_relocation;

enum {
    TN_SPANS = 64,    /* of an access */
    TN_PIECES = TN_MAX_ACCESS, /* of its spans, each of which has a byte at least */
    TN_ZONE_BITS = 38,
    TN_ZONES = 512,
    TN_REACH_OF_SLICE = 255, /* struct tn_held: `unit` is the slice of the line */
};
#define TN_ELSEWHERE (1ull << 47) /* from here on to twice as far: where no program has memory */

/* Consecutive bytes of an access, as they are simulated: a span, which is touched as one; or a piece of it that is in
 * one part of one block. */
struct tn_span {
    uint64_t address;
    uint32_t size;
    bool moved; /* they are elsewhere; else, and of spans, nothing below is known */
    uint32_t part;
    const struct tn_relocation *relocation; /* of which object */
    uint64_t place, bytes, first; /* where this part of the block lies; and the first element in it */
};

struct tn_zone {
    uint64_t at, end; /* positions: behind what is taken of its piece, and behind the piece */
    uint64_t counted; /* pages of the piece below this one are counted */
};

struct tn_remapping {
    struct tn_array relocations; /* struct tn_relocation, from 1 */
    uint32_t zone_count;
    uint64_t next; /* position behind everything */
    struct tn_zone zone[TN_ZONES];
    struct tn_table ended_table;   /* by zone and size: */
    struct tn_array ended_sizes;   /* struct tn_ended_size, from 1 */
    struct tn_slots ended;         /* places of what has ended */
    struct tn_span span[TN_SPANS], piece[TN_PIECES]; /* of the access that goes on */
    uint32_t spans, pieces;
};

struct tn_remapping *tn_remapping_new(void);
/* NULL is allowed. */
void tn_remapping_free(struct tn_remapping *remapping);
size_t tn_remapping_bytes(const struct tn_remapping *remapping);

static inline bool tn_is_elsewhere(const struct tn_remapping *remapping, uint64_t address)
{
    return (address - TN_ELSEWHERE) >> TN_ZONE_BITS < remapping->zone_count;
}

/* An object has been made: whether it has a remap, the engine is asked. */
void tn_remap_object(tn_core *core, uint32_t object);
/* A block of such an object begins, or the one ends whose first unit has this entry (memory.h). */
void tn_remap_begins(tn_core *core, struct tn_data_object *object, uint64_t address, uint64_t bytes);
void tn_remap_ends(tn_core *core, struct tn_data_object *object, uint64_t entry, uint64_t address);

/* Whether any byte of [start, end), whole lines, is simulated elsewhere. */
bool tn_remap_concerns(tn_core *core, uint64_t start, uint64_t end);
/* The spans of an access of an instruction are remapping->span; returns how many. `writes`: it reads nothing. */
uint32_t tn_remap_spans(tn_core *core, uint64_t address, uint32_t size, bool writes, uint32_t instr);
/* What holds an address of one of these spans that is elsewhere. */
struct tn_held tn_remap_held(tn_core *core, uint64_t address);

/* Where in an element (raw_format.h, DATA_AT) byte `byte` of a line is whose slice has this phase. */
uint32_t tn_remap_place(const struct tn_remapping *remapping, const struct tn_data_object *object,
                        uint32_t phase, uint32_t byte);

#endif
