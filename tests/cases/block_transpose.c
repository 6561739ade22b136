/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A matrix is transposed row by row, so that what is written is walked by columns. REPAIRED: in blocks, whose lines
 * stay until they have been written whole. */
#include "case.h"

enum { BLOCK = 8 };

APART double *make_matrix(size_t n)
{
    double *matrix = aligned_alloc(64, n * n * sizeof *matrix);

    for (size_t i = 0; i < n * n; i++)
        matrix[i] = (double)(i % 1000);
    return matrix;
}

APART double *make_turned(size_t n)
{
    double *turned = aligned_alloc(64, n * n * sizeof *turned);

    for (size_t i = 0; i < n * n; i++)
        turned[i] = 0;
    return turned;
}

APART void transpose(const double *from, double *to, size_t n)
{
#ifdef REPAIRED
    for (size_t ii = 0; ii < n; ii += BLOCK)
        for (size_t jj = 0; jj < n; jj += BLOCK)
            for (size_t i = ii; i < ii + BLOCK; i++)
                for (size_t j = jj; j < jj + BLOCK; j++)
#else
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
#endif
                    to[j * n + i] += from[i * n + j]; /* problem */
}

int main(int argc, char **argv)
{
    size_t n = 264 * scale_of(argc, argv);
    double *matrix = make_matrix(n), *turned = make_turned(n), sum = 0;

    for (int round = 0; round < 10; round++)
        transpose(matrix, turned, n);
    for (size_t i = 0; i < n * n; i++)
        sum += turned[i] * (double)(i % 3);
    printf("%.0f\n", sum);
    return 0;
}
