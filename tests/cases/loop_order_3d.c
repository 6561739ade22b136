/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A field of three dimensions is scaled with the slowest index innermost. REPAIRED: the fastest index is innermost. */
#include "case.h"

APART double *make_field(size_t n)
{
    double *field = malloc(n * n * n * sizeof *field);

    for (size_t i = 0; i < n * n * n; i++)
        field[i] = (double)(i % 100);
    return field;
}

APART void scale_field(double *field, size_t n)
{
#ifdef REPAIRED
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++)
            for (size_t z = 0; z < n; z++)
#else
    for (size_t z = 0; z < n; z++)
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++)
#endif
                field[(x * n + y) * n + z] *= 2; /* problem */
}

int main(int argc, char **argv)
{
    size_t n = 42 * scale_of(argc, argv);
    double *field = make_field(n), sum = 0;

    for (int round = 0; round < 10; round++)
        scale_field(field, n);
    for (size_t i = 0; i < n * n * n; i++)
        sum += field[i];
    printf("%.0f\n", sum);
    free(field);
    return 0;
}
