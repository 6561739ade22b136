/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of columns, column by column: each step is a row long. REPAIRED: the loops are exchanged. */
#include "case.h"

APART double *make_grid(size_t n)
{
    double *grid = malloc(n * n * sizeof *grid);

    for (size_t i = 0; i < n * n; i++)
        grid[i] = (double)(i % 1000);
    return grid;
}

APART void add_columns(const double *grid, size_t n, double *sums)
{
#ifdef REPAIRED
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
#else
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
#endif
            sums[j] += grid[i * n + j]; /* problem */
}

int main(int argc, char **argv)
{
    size_t n = 260 * scale_of(argc, argv);
    double *grid = make_grid(n), *sums = calloc(n, sizeof *sums), all = 0;

    for (int round = 0; round < 10; round++)
        add_columns(grid, n, sums);
    for (size_t j = 0; j < n; j++)
        all += sums[j] * (double)(j % 10);
    printf("%.0f\n", all);
    free(sums);
    free(grid);
    return 0;
}
