/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_pool.c: a bump pointer, and a list of what was given back for each size in words.
 *
 * Valgrind's own allocator puts 32 bytes around each block, as much as a cold stretch needs by itself. Nothing goes
 * back to the system: what one translation gave back, another of the same size takes.
 */
#include "vg_pool.h"

#include "vg_host.h"

enum { WORD = 8, SLAB = 256 << 10, SIZES = VG_POOL_MAX / WORD + 1 };

static void *given_back[SIZES]; /* by words; the first word of each leads to the next */
static UChar *bump, *end;

void *vg_pool_get(SizeT bytes)
{
    SizeT words = (bytes + WORD - 1) / WORD;
    void *memory;

    tl_assert(bytes > 0 && bytes <= VG_POOL_MAX);
    memory = given_back[words];
    if (memory != NULL) {
        given_back[words] = *(void **)memory;
        return memory;
    }
    if ((SizeT)(end - bump) < words * WORD) {
        bump = vg_reserve(SLAB);
        end = bump + SLAB;
    }
    memory = bump;
    bump += words * WORD;
    return memory;
}

void vg_pool_put(void *memory, SizeT bytes)
{
    SizeT words = (bytes + WORD - 1) / WORD;

    *(void **)memory = given_back[words];
    given_back[words] = memory;
}
