/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer larger than the last level is written from end to end, again and again, and read by nobody in between: each
 * line is loaded from memory only to be overwritten. FIXED: by non-temporal stores, which load nothing. */
#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1 << 20, ROUNDS = 4 };

__attribute__((noinline)) static void fill(double *buffer, double value)
{
#ifdef FIXED
    for (int i = 0; i < LENGTH; i += 2)
        _mm_stream_pd(buffer + i, _mm_set_pd(value * (i + 1), value * i));
#else
    for (int i = 0; i < LENGTH; i++)
        buffer[i] = value * i; /* here */
#endif
}

int main(void)
{
    double *buffer = malloc(LENGTH * sizeof *buffer), sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        fill(buffer, round * 0.5);
        sum += buffer[round];
    }
    printf("%g\n", sum);
    free(buffer);
    return 0;
}
