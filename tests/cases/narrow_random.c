/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of 64 bits, larger than the last level by a half, are looked up in no order. REPAIRED: they have 32 bits, so
 * all of them fit. */
#include "case.h"

#ifdef REPAIRED
typedef uint32_t count;
#else
typedef uint64_t count;
#endif

APART count *make_counts(size_t n)
{
    count *counts = malloc(n * sizeof *counts);

    for (size_t i = 0; i < n; i++)
        counts[i] = 0;
    return counts;
}

APART void add(count *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[any() % n]++; /* problem */
}

int main(int argc, char **argv)
{
    size_t n = 49000 * scale_of(argc, argv);
    count *counts = make_counts(n);
    uint64_t sum = 0;

    for (int round = 0; round < 20; round++)
        add(counts, n);
    for (size_t i = 0; i < n; i++)
        sum += counts[i] * i;
    printf("%llu\n", (unsigned long long)sum);
    free(counts);
    return 0;
}
