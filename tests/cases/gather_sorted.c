/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values are gathered by indices that come in no order. REPAIRED: the indices are sorted once, before. */
#include "case.h"

APART double *make_values(size_t n)
{
    double *values = malloc(n * sizeof *values);

    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i % 1000);
    return values;
}

APART uint32_t *make_indices(size_t n, size_t count)
{
    uint32_t *indices = malloc(count * sizeof *indices);

    for (size_t i = 0; i < count; i++)
        indices[i] = any() % (uint32_t)n;
    return indices;
}

#ifdef REPAIRED
APART uint32_t *sorted(const uint32_t *indices, size_t n, size_t count)
{
    uint32_t *places = calloc(n + 1, sizeof *places), *result = malloc(count * sizeof *result);

    for (size_t i = 0; i < count; i++)
        places[indices[i] + 1]++;
    for (size_t i = 1; i <= n; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < count; i++)
        result[places[indices[i]]++] = indices[i];
    free(places);
    return result;
}
#endif

APART double gather(const double *values, const uint32_t *indices, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[indices[i]]; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 40000 * scale_of(argc, argv), count = 2 * n;
    double *values = make_values(n), sum = 0;
    uint32_t *indices = make_indices(n, count);

#ifdef REPAIRED
    indices = sorted(indices, n, count);
#endif
    for (int round = 0; round < 20; round++)
        sum += gather(values, indices, count);
    printf("%.0f\n", sum);
    return 0;
}
