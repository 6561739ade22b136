/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A vector of vectors is walked by columns: each step is into another heap block. REPAIRED: by rows. */
#include "case.h"
#include <vector>

typedef std::vector<std::vector<double>> table_of;

APART table_of make_table(size_t n)
{
    table_of table(n, std::vector<double>(n));

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            table[i][j] = (double)((i + j) % 1000);
    return table;
}

APART void add_columns(const table_of &table, std::vector<double> &sums)
{
    size_t n = table.size();

#ifdef REPAIRED
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
#else
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
#endif
            sums[j] += table[i][j]; /* problem */
}

int main(int argc, char **argv)
{
    table_of table = make_table(260 * scale_of(argc, argv));
    std::vector<double> sums(table.size());
    double all = 0;

    for (int round = 0; round < 10; round++)
        add_columns(table, sums);
    for (size_t j = 0; j < sums.size(); j++)
        all += sums[j] * (double)(j % 10);
    printf("%.0f\n", all);
    return 0;
}
