/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: the triad of STREAM alone, of arrays that no cache holds. What is written is read in the next round. */
#include "case.h"

APART void triad(double *a, const double *b, const double *c, double factor, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + factor * c[i];
}

int main(int argc, char **argv)
{
    size_t n = 50000 * scale_of(argc, argv);
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);

    for (size_t i = 0; i < n; i++) {
        b[i] = (double)(i % 10);
        c[i] = (double)(i % 3);
    }
    for (int round = 0; round < 15; round++) {
        double *old = b;
        triad(a, b, c, 0.5, n);
        b = a;
        a = old;
    }
    printf("%.1f\n", b[n / 2]);
    return 0;
}
