/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_pages.c: goes twice through 64 MB, one access to each 4 KB, in order and then in another one (page_size.py).
 *
 *   small    in small pages
 *   asked    in huge pages, asked for before the first access
 *   later    in small pages, which become huge between the two
 *   mapped   in a mapping of huge pages
 *
 * Status 77: there are none, or the kernel does not know how.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
enum { NOTHING_DONE = 77 };
static const size_t BYTES = 64 << 20, HUGE_PAGE = 2 << 20, STEP = 4096;

static char *memory_for(const char *how)
{
    int huge = strcmp(how, "mapped") == 0 ? MAP_HUGETLB : 0;
    char *all = mmap(NULL, BYTES + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | huge, -1, 0);

    if (all == MAP_FAILED)
        return NULL;
    all += (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (madvise(all, BYTES, strcmp(how, "asked") == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && !huge)
        return NULL;
    return all;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "small";
    volatile char *memory = memory_for(how);
    size_t steps = BYTES / STEP;

    if (!memory)
        return NOTHING_DONE;
    if (strcmp(how, "later") == 0) /* elsewhere, so that it is asked from now on */
        madvise((char *)memory + BYTES, STEP, MADV_HUGEPAGE);
    for (size_t i = 0; i < steps; i++)
        memory[i * STEP] = 1;
    if (strcmp(how, "later") == 0 &&
        (madvise((char *)memory, BYTES, MADV_HUGEPAGE) || madvise((char *)memory, BYTES, MADV_COLLAPSE)))
        return NOTHING_DONE;
    for (size_t i = 0; i < steps; i++)
        (void)memory[i * 7919 % steps * STEP];
    return 0;
}
