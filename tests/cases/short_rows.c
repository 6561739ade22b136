/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of many short rows (ROW doubles each) is added up by columns: each step is more than a line, but not large.
 * REPAIRED: by rows. */
#include "case.h"

APART double *make_table(size_t rows)
{
    double *table = malloc(rows * ROW * sizeof *table);

    for (size_t i = 0; i < rows * ROW; i++)
        table[i] = (double)(i % 1000);
    return table;
}

APART void add_columns(const double *table, size_t rows, double *sums)
{
#ifdef REPAIRED
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < ROW; j++)
#else
    for (size_t j = 0; j < ROW; j++)
        for (size_t i = 0; i < rows; i++)
#endif
            sums[j] += table[i * ROW + j]; /* problem */
}

int main(int argc, char **argv)
{
    size_t rows = 64000 / ROW * scale_of(argc, argv);
    double *table = make_table(rows), sums[ROW] = {0}, all = 0;

    for (int round = 0; round < 10; round++)
        add_columns(table, rows, sums);
    for (size_t j = 0; j < ROW; j++)
        all += sums[j] * (double)(j + 1);
    printf("%.0f\n", all);
    free(table);
    return 0;
}
