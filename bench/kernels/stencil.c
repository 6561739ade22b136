/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stencil.c: a 2-D five-point stencil, its result transposed after each step.
 *
 * The stencil walks rows and uses every byte of every line; the transposition walks columns of its target and
 * touches one line per element. N x N doubles twice: with N = 600, 5.8 MB, more than any level-1 cache and less
 * than most last levels.
 *
 *   stencil N STEPS
 */
#include <stdio.h>
#include <stdlib.h>

static void relax(size_t n, const double *from, double *to)
{
    for (size_t row = 1; row + 1 < n; row++)
        for (size_t column = 1; column + 1 < n; column++) {
            const double *at = from + row * n + column;
            to[row * n + column] = 0.2 * (at[0] + at[-1] + at[1] + *(at - n) + at[n]);
        }
}

static void transpose(size_t n, const double *from, double *to)
{
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++)
            to[column * n + row] = from[row * n + column];
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (n < 3 || steps == 0) {
        fprintf(stderr, "usage: stencil N STEPS\n");
        return 2;
    }
    double *a = calloc(n * n, sizeof *a), *b = calloc(n * n, sizeof *b);
    if (!a || !b)
        return 1;
    for (size_t i = 0; i < n * n; i++)
        a[i] = b[i] = (double)(i * 2654435761u % 1000);
    for (unsigned long step = 0; step < steps; step++) {
        relax(n, a, b);
        transpose(n, b, a);
    }
    printf("%.6f\n", a[n * n / 2 + n / 2]);
    free(a);
    free(b);
    return 0;
}
