/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram has a bin for each of 65536 values, and what is made of it needs 256. REPAIRED: 256 bins. */
#include "case.h"

#ifdef REPAIRED
enum { BINS = 256 };
#else
enum { BINS = 65536 };
#endif

APART uint64_t *make_bins(void)
{
    return calloc(BINS, sizeof(uint64_t));
}

APART void count(uint64_t *bins, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bins[(any() >> 16) / (65536 / BINS)]++; /* problem */
}

int main(int argc, char **argv)
{
    uint64_t *bins = make_bins(), sum = 0;

    count(bins, 600000 * scale_of(argc, argv));
    for (size_t i = 0; i < BINS; i++)
        sum += bins[i] * (i / (BINS / 256));
    printf("%llu\n", (unsigned long long)sum);
    free(bins);
    return 0;
}
