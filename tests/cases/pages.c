/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line here and a line there, each in another page: all lines fit into the cache, but their pages do not into the
 * table of translations (TLB). REPAIRED: huge pages. */
#include "case.h"
#include <sys/mman.h>

enum { PAGE = 4096, LINE = 64, HUGE_PAGE = 1 << 21 };

/* Where the page's line begins; they are spread over the sets of caches. */
static size_t line_of(size_t page)
{
    return (page * PAGE + (page + page / 64) * LINE % PAGE) / sizeof(uint64_t);
}

APART uint64_t *make_pages(size_t pages)
{
    size_t bytes = (pages * PAGE + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint64_t *table = aligned_alloc(HUGE_PAGE, bytes);

#ifdef REPAIRED
    madvise(table, bytes, MADV_HUGEPAGE);
#endif
    for (size_t i = 0; i < pages; i++)
        for (size_t k = 0; k < LINE / sizeof *table; k++)
            table[line_of(i) + k] = i + k;
    return table;
}

APART uint64_t visit(const uint64_t *table, const uint32_t *order, size_t pages)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < pages; i++)
        for (size_t k = 0; k < LINE / sizeof *table; k++)
            sum += table[line_of(order[i]) + k]; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t pages = 96 * scale_of(argc, argv);
    uint64_t *table = make_pages(pages), sum = 0;
    uint32_t *order = malloc(pages * sizeof *order);

    for (size_t i = 0; i < pages; i++)
        order[i] = (uint32_t)i;
    shuffle(order, pages);
    for (int round = 0; round < 1000; round++)
        sum += visit(table, order, pages);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
