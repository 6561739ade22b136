/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_lanes.c: where an instruction under a mask accesses memory.
 *
 * Gathers and scatters, moves under a mask, compress and expand, and single elements that a mask may leave out: one
 * access for each lane whose bit of the mask is 1, none for the others (engine/CONTRACT.md, 4). Generated code stores
 * the mask, and the vector of indices, into the area in front of the instruction.
 */
#include "nt_single.h"

bool nt_lanes_are(const struct nt_access *access)
{
    switch (access->kind) {
    case NT_LANES:
    case NT_MASKED:
    case NT_MASKED_SIGN:
    case NT_PACKED:
        return true;
    default:
        return access->kind == NT_ONE && access->conditional && access->mask != NT_NO_REG;
    }
}

uint64_t nt_lanes_address(const struct nt_access *where, const struct nt_area *area, uint64_t off)
{
    bool indexed = where->index != NT_NO_REG && where->kind != NT_LANES;
    uint64_t address = (uint64_t)where->displacement + off;

    address += where->base == NT_NO_REG ? 0 : area->gpr[where->base];
    address += indexed ? area->gpr[where->index] * where->scale : 0;
    if (where->address_bits == 32)
        address = (uint32_t)address;
    return where->segment == NT_SEGMENT_FS   ? address + area->fs_base
           : where->segment == NT_SEGMENT_GS ? address + area->gs_base
                                             : address;
}

/* The highest bit of each of `lanes` elements of `bytes`. */
static uint64_t signs(const uint8_t *vector, unsigned lanes, unsigned bytes)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < lanes; i++)
        set |= (uint64_t)(vector[(i + 1) * bytes - 1] >> 7) << i;
    return set;
}

static uint64_t index_of(const struct nt_access *where, const struct nt_area *area, unsigned lane)
{
    int64_t wide;
    int32_t narrow;

    if (where->index_bytes == 8) {
        __builtin_memcpy(&wide, area->indices + 8ul * lane, sizeof wide);
        return (uint64_t)wide;
    }
    __builtin_memcpy(&narrow, area->indices + 4ul * lane, sizeof narrow);
    return (uint64_t)(int64_t)narrow;
}

unsigned nt_lanes_find(const struct nt_access *where, const struct nt_area *area, uint64_t address[NT_LANES_MOST])
{
    uint64_t set = where->mask == NT_NO_REG ? ~0ull : area->opmask;
    unsigned count = 0;

    if (where->kind == NT_MASKED_SIGN || (where->kind == NT_LANES && where->by_sign))
        set = signs(area->signs, where->lanes, where->size);
    set &= ~0ull >> (64 - where->lanes);
    if (where->kind == NT_ONE) {
        address[0] = nt_lanes_address(where, area, 0);
        return set != 0;
    }
    for (unsigned lane = 0; lane < where->lanes; lane++) {
        unsigned place = where->kind == NT_PACKED ? count : lane;
        uint64_t off = (uint64_t)place * where->size;

        if (!(set >> lane & 1))
            continue;
        if (where->kind == NT_LANES)
            off = index_of(where, area, lane) * where->scale;
        address[count++] = nt_lanes_address(where, area, off);
    }
    return count;
}
