/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_pool.c: slabs that are filled one after another, and a list of what was given back for each size in words.
 *
 * Valgrind's own allocator puts 32 bytes around each block, as much as a cold stretch needs by itself. Nothing goes
 * back to the system: what one translation gave back, another of the same size takes. An id is a slab's number and a
 * word in it; the first word of the first slab is no thing.
 */
#include "vg_host.h"

enum {
    WORD = 8,
    SLAB_WORDS = 1 << 15,
    SLABS = VG_POOL_IDS / SLAB_WORDS,
    SIZES = VG_POOL_MAX / WORD + 1,
};

static ULong *slabs[SLABS];
static UInt slabs_used, next = SLAB_WORDS; /* the word of the last slab that is filled next */
static UInt given_back[SIZES];             /* by words; the first word of each leads to the next */

UInt vg_pool_get(SizeT bytes)
{
    UInt words = (bytes + WORD - 1) / WORD, id;

    tl_assert(bytes > 0 && bytes <= VG_POOL_MAX);
    id = given_back[words];
    if (id != 0) {
        given_back[words] = *(UInt *)vg_pool_at(id);
        return id;
    }
    if (next + words > SLAB_WORDS) {
        if (slabs_used == SLABS)
            VG_(tool_panic)("the program has more code than the engine can remember");
        slabs[slabs_used] = vg_reserve(SLAB_WORDS * WORD);
        next = slabs_used == 0;
        slabs_used++;
    }
    id = (slabs_used - 1) * SLAB_WORDS + next;
    next += words;
    return id;
}

void *vg_pool_at(UInt id)
{
    return &slabs[id / SLAB_WORDS][id % SLAB_WORDS];
}

void vg_pool_put(UInt id, SizeT bytes)
{
    UInt words = (bytes + WORD - 1) / WORD;

    *(UInt *)vg_pool_at(id) = given_back[words];
    given_back[words] = id;
}
