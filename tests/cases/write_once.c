/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results are written once and not read until the end, and throw a table out of the cache that is needed all the time.
 * REPAIRED: they are written past the cache. */
#include "case.h"
#include <emmintrin.h>

APART long long *make_table(size_t n)
{
    long long *table = malloc(n * sizeof *table);

    for (size_t i = 0; i < n; i++)
        table[i] = (long long)(i * i % 1000);
    return table;
}

APART long long *make_results(size_t n)
{
    return aligned_alloc(64, n * sizeof(long long));
}

APART void work(const long long *table, size_t places, long long *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        long long value = table[i % places];
#ifdef REPAIRED
        _mm_stream_si64(results + i, value * 3);
#else
        results[i] = value * 3; /* problem */
#endif
    }
}

int main(int argc, char **argv)
{
    size_t places = 24000 * scale_of(argc, argv), n = 8 * places;
    long long *table = make_table(places), *results = make_results(n), sum = 0;

    for (int round = 0; round < 6; round++)
        work(table, places, results, n);
    for (size_t i = 0; i < n; i += 7)
        sum += results[i];
    printf("%lld\n", sum);
    return 0;
}
