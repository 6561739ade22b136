/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_page_size.c: how large the program's pages are, which its TLBs need to know (tn_config.page_bits).
 *
 * Few programs have pages of more than 4 KB. So nobody is asked before the program has asked for some, unless the
 * system gives them to all (transparent huge pages, "always"). From then on the kernel says, with PAGEMAP_SCAN, whether
 * a page is one of 2 MB, or larger, which counts as one of 2 MB. That needs Linux 6.7; before, all have 4 KB.
 *
 * The core asks when a page is in no TLB, which for some programs is at each access. What the kernel says may change:
 * memory that was not touched yet has no page, and small pages become large ones while the program runs. So it is asked
 * at the first, second, fourth, ... and 256th time that the core asks for the same 2 MB, and at each 256th from there.
 *
 * The kernel's file is open from the start on, at a number that the program does not meet.
 */
#include "nt_profile.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <sys/statfs.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"

enum { SMALL = 12, LARGE = 21, KNOWN = 4096, TIMES_BITS = 32, SELDOM = 256 };
#define FILES_OF_LARGE_PAGES 0x958458f6L /* hugetlbfs */

/* linux/fs.h of Linux 6.7. */
struct scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
struct scanned {
    uint64_t start, end, categories;
};
#define SCAN_PAGES 0xc0606610UL /* PAGEMAP_SCAN */
#define IS_HUGE (1UL << 6)      /* PAGE_IS_HUGE */

static int pagemap = -1; /* /proc/self/pagemap; -1: it cannot be asked, or TLBs are not simulated */
static bool may_be_large;

/* By 2 MB, of which several share one: the number of the 2 MB << TIMES_BITS, how often the core has asked, modulo 2^31,
 * << 1, and in the lowest bit whether its pages are large. Threads that write at the same time do not matter. */
static uint64_t known[KNOWN];

static bool kernel_says_large(uint64_t address)
{
    struct scanned found;
    uint64_t page = address >> SMALL << SMALL;
    struct scan scan = {.size = sizeof scan,
                        .start = page,
                        .end = page + (1UL << SMALL),
                        .vec = (uint64_t)&found,
                        .vec_len = 1,
                        .category_mask = IS_HUGE,
                        .return_mask = IS_HUGE};

    return nt_sys3(__NR_ioctl, pagemap, (long)SCAN_PAGES, (long)&scan) == 1;
}

static uint32_t page_bits(void *user, uint64_t address)
{
    (void)user;
    if (pagemap < 0 || !__atomic_load_n(&may_be_large, __ATOMIC_RELAXED))
        return SMALL;
    uint64_t number = address >> LARGE, *place = &known[number % KNOWN];
    uint64_t was = __atomic_load_n(place, __ATOMIC_RELAXED);
    uint32_t times = was >> TIMES_BITS == (number & UINT32_MAX) ? (uint32_t)was >> 1 : 0;
    bool large = times > 0 && was & 1;
    times++;
    if (times % SELDOM == 0 || (times < SELDOM && (times & (times - 1)) == 0))
        large = kernel_says_large(address);
    __atomic_store_n(place, number << TIMES_BITS | (uint32_t)(times << 1) | large, __ATOMIC_RELAXED);
    return large ? LARGE : SMALL;
}

static void open_pagemap(void)
{
    long fd = nt_host_open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC, 0);

    if (nt_failed(fd))
        return;
    pagemap = nt_file_guard((int)fd);
    nt_sys3(__NR_close, fd, 0, 0);
}

void nt_page_size_start(struct tn_config *config)
{
    char text[64];

    if (!tn_has_tlbs(config))
        return;
    config->page_bits = page_bits;
    may_be_large = nt_host_read_text("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text) &&
                   options_matches("*[always]*", text);
    open_pagemap();
}

void nt_page_size_forked(bool shares_files)
{
    int parents = pagemap;

    pagemap = -1;
    if (parents < 0 || shares_files) /* of what is shared, nothing can be closed or opened for the child alone */
        return;
    nt_file_release(parents);
    open_pagemap();
}

void nt_page_size_may_be_large(void)
{
    __atomic_store_n(&may_be_large, true, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < KNOWN; i++)
        __atomic_store_n(&known[i], 0, __ATOMIC_RELAXED);
}

void nt_page_size_mapped(uint64_t flags, uint64_t fd)
{
    struct statfs file = {0};

    if (pagemap < 0 || may_be_large)
        return;
    if (flags & MAP_ANONYMOUS ? flags & MAP_HUGETLB
                              : !nt_failed(nt_sys3(__NR_fstatfs, (int)fd, (long)&file, 0)) &&
                                    file.f_type == FILES_OF_LARGE_PAGES)
        nt_page_size_may_be_large();
}
