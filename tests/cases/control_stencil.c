/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a stencil of five points, in strips so narrow that three rows of one fit into the first level. */
#include "case.h"

enum { STRIP = 128 };

APART void step(const double *from, double *to, size_t n)
{
    for (size_t jj = 1; jj < n - 1; jj += STRIP)
        for (size_t i = 1; i < n - 1; i++)
            for (size_t j = jj; j < jj + STRIP && j < n - 1; j++)
                to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                                        from[i * n + j + 1]);
}

int main(int argc, char **argv)
{
    size_t n = 258 * scale_of(argc, argv);
    double *one = malloc(n * n * sizeof *one), *other = malloc(n * n * sizeof *other);

    for (size_t i = 0; i < n * n; i++)
        one[i] = other[i] = (double)(i % 16);
    for (int round = 0; round < 6; round++) {
        step(one, other, n);
        step(other, one, n);
    }
    printf("%.6g\n", one[n * n / 2]);
    return 0;
}
