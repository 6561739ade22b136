/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweeps.c: a stencil of two dimensions, its rows shared out among threads: sweeps THREADS STEPS.
 *
 * Two arrays of 768 KiB: larger than any cache of level 1, so that every row misses, and small enough for the last one.
 * With OpenMP, as programs of this kind are written.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 384, COLUMNS = 256 };
static double from[ROWS][COLUMNS], to[ROWS][COLUMNS];

static void sweep(double (*restrict a)[COLUMNS], double (*restrict b)[COLUMNS])
{
#pragma omp parallel for schedule(static)
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2, steps = argc > 2 ? atoi(argv[2]) : 100;
    double sum = 0;

    omp_set_num_threads(threads);
    for (int j = 0; j < COLUMNS; j++)
        from[0][j] = to[0][j] = j;
    for (int step = 0; step < steps; step++)
        sweep(step % 2 ? to : from, step % 2 ? from : to);
    for (int i = 0; i < ROWS; i++)
        sum += to[i][i % COLUMNS];
    printf("%.6f\n", sum);
    return 0;
}
