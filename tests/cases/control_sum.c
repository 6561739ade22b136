/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a sum of a large array, in order. All that is loaded is needed. */
#include "case.h"

APART double add(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 100000 * scale_of(argc, argv);
    double *values = malloc(n * sizeof *values), sum = 0;

    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i % 1000);
    for (int round = 0; round < 10; round++)
        sum += add(values, n);
    printf("%.0f\n", sum);
    free(values);
    return 0;
}
