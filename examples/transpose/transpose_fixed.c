/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transpose.c, in blocks of 20 x 20 values, which fit into the cache: a line that has been loaded is used whole before
 * it goes. */
#include <stdio.h>

enum { N = 500, VARIABLES = 4, STEPS = 10, BLOCK = 20 }; /* BLOCK divides N */

static double grid[VARIABLES][N][N];
static double turned[VARIABLES][N][N];

static void fill(void)
{
    for (int v = 0; v < VARIABLES; v++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                grid[v][i][j] = v + i * 0.5 + j * 0.25;
}

__attribute__((noinline)) static void transpose(void)
{
    for (int v = 0; v < VARIABLES; v++)
        for (int bi = 0; bi < N; bi += BLOCK)
            for (int bj = 0; bj < N; bj += BLOCK)
                for (int i = bi; i < bi + BLOCK; i++)
                    for (int j = bj; j < bj + BLOCK; j++)
                        turned[v][i][j] = grid[v][j][i];
}

__attribute__((noinline)) static double sweep(void)
{
    double sum = 0;
    for (int v = 0; v < VARIABLES; v++)
        for (int i = 0; i < N; i++)
            for (int j = 1; j < N; j++)
                sum += turned[v][i][j] - turned[v][i][j - 1];
    return sum;
}

int main(void)
{
    double sum = 0;
    fill();
    for (int step = 0; step < STEPS; step++) {
        transpose();
        sum += sweep();
        grid[0][step][0] += 1;
    }
    printf("%.3f\n", sum);
    return 0;
}
