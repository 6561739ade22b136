/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer larger than the last level is written from end to end, again and again, and read by nobody in between: each
 * line is loaded from memory only to be overwritten. FIXED: the buffer is as large as the cache holds. */
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
enum { LENGTH = 1 << 11, ROUNDS = 4 << 9 };
#else
enum { LENGTH = 1 << 20, ROUNDS = 4 };
#endif

__attribute__((noinline)) static void fill(double *buffer, double value)
{
    for (int i = 0; i < LENGTH; i++)
        buffer[i] = value * i; /* here */
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
