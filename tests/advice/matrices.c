/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A product of matrices, one of them turned, so that both are read in order: but the whole of the second is walked for
 * each row of the first, and is larger than the cache. FIXED: in blocks. CALLS: with a call of a library in the loop
 * around the innermost one, which is no reason to say anything else. */
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
enum { N = 240, BLOCK = 6 };
#else
enum { N = 240, BLOCK = N };
#endif

static double a[N][N], turned[N][N], c[N][N];

__attribute__((noinline)) static void multiply(void)
{
    for (int bi = 0; bi < N; bi += BLOCK)
        for (int bj = 0; bj < N; bj += BLOCK)
            for (int i = bi; i < bi + BLOCK; i++)
                for (int j = bj; j < bj + BLOCK; j++) {
                    double sum = 0;
                    for (int k = 0; k < N; k++)
                        sum += a[i][k] * turned[j][k]; /* here */
#ifdef CALLS
                    sum += rand() % 2;
#endif
                    c[i][j] = sum;
                }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j * 0.5;
            turned[i][j] = i - j * 0.25;
        }
    multiply();
    printf("%g %g\n", c[1][2], c[N - 1][N / 2]);
    return 0;
}
