/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dgemm.c: the product of two matrices of size argv[1], by the library's kernel for this CPU and its threads. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = calloc((size_t)n * n, sizeof *c);
    double sum = 0;
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7 - 3;
        b[i] = i % 11 - 4;
    }
    for (int round = 0; round < 3; round++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a, n, b, n, 1, c, n);
    for (int i = 0; i < n * n; i++)
        sum += c[i] * (i % 13 - 6);
    printf("%.1f %.1f\n", sum, c[n + 3]);
    return 0;
}
