/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transpose.c: the transposition of four 500 x 500 matrices of doubles that seed 003 found in a hydrodynamics code.
 *
 * The inner loop runs along a row of the result and down a column of the source. Between two visits to a line of
 * the source lie 4 N - 1 = 1999 other lines, spread evenly over the sets, so that in any level-1 cache of up to
 * about 100 KB every load misses, although each line holds eight of the values wanted.
 *
 * D1 = 32768,8,64, N = 500, in `transpose`:
 *   source loads    4 N N = 1,000,000, each a D1mr; each tenure: 1 touch, 8 bytes, SpLoss 56, AcCost 1000
 *   result stores   4 N N; D1mw = 4 N N / 8 = 125,000; each tenure: 8 touches, 64 bytes, SpLoss 0, AcCost 125
 *   Dr = 4 N N + 1 (ret), Dw = 4 N N
 */
#include "guest.h"

enum { N = 500, V = 4 };
static double source[V][N][N] __attribute__((aligned(64)));
static double result[V][N][N] __attribute__((aligned(64)));

OUT void transpose(const double *from, double *to);
void transpose(const double *from, double *to)
{
    for (size_t s = 0; s < N; s++)
        for (size_t j = 0; j < N; j++) {
            STORE(to + 0 * N * N + s * N + j, LOAD(from + 0 * N * N + j * N + s));
            STORE(to + 1 * N * N + s * N + j, LOAD(from + 1 * N * N + j * N + s));
            STORE(to + 2 * N * N + s * N + j, LOAD(from + 2 * N * N + j * N + s));
            STORE(to + 3 * N * N + s * N + j, LOAD(from + 3 * N * N + j * N + s));
        }
}

OUT void fill(double *to);
void fill(double *to)
{
    for (size_t i = 0; i < V * N * N; i++)
        to[i] = (double)i;
}

void guest_main(void)
{
    fill(&source[0][0][0]);
    transpose(&source[0][0][0], &result[0][0][0]);
    guest_say("result[2][3][5]", (uint64_t)result[2][3][5]); /* source[2][5][3] = 2 N N + 5 N + 3 */
    guest_exit(0);
}
