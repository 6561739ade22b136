/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A step of a fluid code: four variables of a 500 x 500 grid are transposed, so that the next step can run along
 * the other direction. See README.md. */
#include <stdio.h>

enum { N = 500, VARIABLES = 4, STEPS = 10 };

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
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int v = 0; v < VARIABLES; v++)
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
