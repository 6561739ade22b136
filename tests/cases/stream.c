/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture larger than the last level is painted over and over, and each line is loaded only to be overwritten.
 * REPAIRED: with stores that load nothing. */
#include "case.h"
#include <emmintrin.h>

APART double *make_picture(size_t n)
{
    return aligned_alloc(64, n * sizeof(double));
}

APART void paint(double *picture, size_t n, double colour)
{
    for (size_t i = 0; i < n; i += 2)
#ifdef REPAIRED
        _mm_stream_pd(picture + i, _mm_set1_pd(colour));
    _mm_sfence();
#else
        _mm_store_pd(picture + i, _mm_set1_pd(colour)); /* problem */
#endif
}

int main(int argc, char **argv)
{
    size_t n = 100000 * scale_of(argc, argv);
    double *picture = make_picture(n), sum = 0;

    for (int round = 0; round < 10; round++) {
        paint(picture, n, round);
        sum += picture[n / 2];
    }
    printf("%.0f\n", sum);
    free(picture);
    return 0;
}
