/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table is walked by columns, and some of its rows are left out: most steps are a row, some are two or three, and few
 * lead to the next column. REPAIRED: by rows. */
#include "case.h"

APART double *make_table(size_t n)
{
    double *table = malloc(n * n * sizeof *table);

    for (size_t i = 0; i < n * n; i++)
        table[i] = (double)(i % 1000);
    return table;
}

APART void add_columns(const double *table, const unsigned char *wanted, double *sums, size_t n)
{
#ifdef REPAIRED
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
#else
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
#endif
            if (wanted[i])
                sums[j] += table[i * n + j]; /* problem */
}

int main(int argc, char **argv)
{
    size_t n = 260 * scale_of(argc, argv) + 9;
    double *table = make_table(n), *sums = calloc(n, sizeof *sums), all = 0;
    unsigned char *wanted = malloc(n);

    for (size_t i = 0; i < n; i++)
        wanted[i] = any() % 8 != 0;
    for (int round = 0; round < 10; round++)
        add_columns(table, wanted, sums, n);
    for (size_t j = 0; j < n; j++)
        all += sums[j] * (double)(j % 10);
    printf("%.0f\n", all);
    return 0;
}
