/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_region.c: see nt_region.h. */
#include "nt_region.h"

#include <linux/mman.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "nt_limit.h"

extern char _end[]; /* of our image, from the linker */

static uint64_t next; /* where the next piece begins; advanced atomically */

/* A process may have so many mappings and no more (vm.max_map_count), and a program may have taken them all. So the
 * region begins with pages of which every second one is a mapping of its own: SPARE times two mappings to give up. */
enum { SPARE = 64 };
static uint64_t spare;
static int spare_left = SPARE; /* atomically */

void nt_region_take(void)
{
    next = NT_UP((uint64_t)_end, NT_PAGE);
    long got = nt_sys6(__NR_mmap, (long)next, (long)(NT_REGION_END - next), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != (long)next)
        nt_die(125, "cannot reserve 2 GB of address space at %lx (error %ld)\n", next, -got);
    spare = next + NT_PAGE;
    for (uint64_t i = 0; i < SPARE; i++)
        nt_sys3(__NR_mprotect, (long)(spare + 2 * i * NT_PAGE), NT_PAGE, PROT_READ);
    next = spare + 2UL * SPARE * NT_PAGE;
}

bool nt_region_give_up_mappings(void)
{
    int left = __atomic_load_n(&spare_left, __ATOMIC_RELAXED);

    while (left > 0 && !__atomic_compare_exchange_n(&spare_left, &left, left - 1, false, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
    }
    if (left > 0)
        nt_sys3(__NR_mprotect, (long)(spare + 2 * (uint64_t)(left - 1) * NT_PAGE), NT_PAGE, PROT_NONE);
    return left > 0;
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

    if (failed && nt_limit_lift_memory()) {
        failed = nt_sys3(__NR_mprotect, (long)at, (long)NT_UP(bytes, NT_PAGE), protection);
        nt_limit_lower_memory();
    }
    while (failed && nt_region_give_up_mappings())
        failed = nt_sys3(__NR_mprotect, (long)at, (long)NT_UP(bytes, NT_PAGE), protection);
    if (failed)
        nt_die(125, failed == -EACCES ? "memory that may be written and executed is forbidden (PR_SET_MDWE)\n"
                                      : "out of memory\n");
    return (void *)at;
}
