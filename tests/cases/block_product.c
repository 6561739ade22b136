/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A product of matrices walks all of the second one for each row of the first. REPAIRED: it works in blocks of the
 * second one that fit into the cache. */
#include "case.h"

enum { BLOCK = 20 };

APART double *make_first(size_t n)
{
    double *first = malloc(n * n * sizeof *first);

    for (size_t i = 0; i < n * n; i++)
        first[i] = (double)(i % 5);
    return first;
}

APART double *make_second(size_t n)
{
    double *second = malloc(n * n * sizeof *second);

    for (size_t i = 0; i < n * n; i++)
        second[i] = (double)(i % 7);
    return second;
}

APART void multiply(const double *a, const double *b, double *c, size_t n)
{
#ifdef REPAIRED
    for (size_t jj = 0; jj < n; jj += BLOCK)
        for (size_t kk = 0; kk < n; kk += BLOCK)
            for (size_t i = 0; i < n; i++)
                for (size_t k = kk; k < kk + BLOCK; k++)
                    for (size_t j = jj; j < jj + BLOCK; j++)
                        c[i * n + j] += a[i * n + k] * b[k * n + j];
#else
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j]; /* problem */
#endif
}

int main(int argc, char **argv)
{
    size_t n = 10 * BLOCK * scale_of(argc, argv);
    double *a = make_first(n), *b = make_second(n), *c = calloc(n * n, sizeof *c), sum = 0;

    multiply(a, b, c, n);
    for (size_t i = 0; i < n * n; i++)
        sum += c[i] * (double)(i % 3);
    printf("%.0f\n", sum);
    return 0;
}
