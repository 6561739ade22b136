/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_region.c: see nt_region.h. */
#include "nt_region.h"

#include <linux/mman.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "nt_limit.h"

extern char _end[]; /* of our image, from the linker */

static uint64_t next; /* where the next piece begins; advanced atomically */

void nt_region_take(void)
{
    next = NT_UP((uint64_t)_end, NT_PAGE);
    long got = nt_sys6(__NR_mmap, (long)next, (long)(NT_REGION_END - next), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != (long)next)
        nt_die(125, "cannot reserve 2 GB of address space at %lx (error %ld)\n", next, -got);
    next += NT_PAGE;
}

static uint64_t region_take(size_t bytes)
{
    uint64_t at = __atomic_fetch_add(&next, NT_UP(bytes, NT_PAGE) + NT_PAGE, __ATOMIC_RELAXED);

    if (at + bytes > NT_REGION_END)
        nt_die(125, "the native engine's address space is full\n");
    return at;
}

uint64_t nt_region_hole(size_t bytes)
{
    uint64_t at = region_take(bytes);

    nt_sys3(__NR_munmap, (long)at, (long)NT_UP(bytes, NT_PAGE), 0);
    return at;
}

void *nt_region_pages(size_t bytes, int protection)
{
    uint64_t at = region_take(bytes);
    long failed = nt_sys3(__NR_mprotect, (long)at, (long)NT_UP(bytes, NT_PAGE), protection);

    if (failed && nt_limit_make_room(bytes))
        failed = nt_sys3(__NR_mprotect, (long)at, (long)NT_UP(bytes, NT_PAGE), protection);
    if (failed)
        nt_die(125, "out of memory\n");
    return (void *)at;
}
