/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a product of matrices in blocks. What is used again is copied to where it lies together. */
#include "case.h"
#include <string.h>

enum { BLOCK = 24 };

APART void multiply(const double *a, const double *b, double *c, size_t n)
{
    static double part[BLOCK][BLOCK];

    for (size_t kk = 0; kk < n; kk += BLOCK)
        for (size_t jj = 0; jj < n; jj += BLOCK) {
            for (size_t k = 0; k < BLOCK; k++)
                memcpy(part[k], &b[(kk + k) * n + jj], sizeof part[k]);
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < BLOCK; k++)
                    for (size_t j = 0; j < BLOCK; j++)
                        c[i * n + jj + j] += a[i * n + kk + k] * part[k][j];
        }
}

int main(int argc, char **argv)
{
    size_t n = 8 * BLOCK * scale_of(argc, argv);
    double *a = aligned_alloc(64, n * n * sizeof *a), *b = aligned_alloc(64, n * n * sizeof *b);
    double *c = aligned_alloc(64, n * n * sizeof *c), sum = 0;

    for (size_t i = 0; i < n * n; i++) {
        a[i] = (double)(i % 5);
        b[i] = (double)(i % 7);
        c[i] = 0;
    }
    multiply(a, b, c, n);
    for (size_t i = 0; i < n * n; i++)
        sum += c[i];
    printf("%.0f\n", sum);
    return 0;
}
