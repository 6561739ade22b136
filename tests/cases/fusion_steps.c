/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each step in time has three loops over the same arrays. REPAIRED: one loop. */
#include "case.h"

typedef struct {
    double *place, *speed, *force;
} body;

APART double *make_values(size_t n)
{
    double *values = malloc(n * sizeof *values);

    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i % 100);
    return values;
}

APART void steps(body b, size_t n, int rounds)
{
    for (int round = 0; round < rounds; round++) {
#ifdef REPAIRED
        for (size_t i = 0; i < n; i++) {
            b.force[i] = -b.place[i];
            b.speed[i] += 0.5 * b.force[i];
            b.place[i] += 0.25 * b.speed[i];
        }
#else
        for (size_t i = 0; i < n; i++)
            b.force[i] = -b.place[i]; /* problem */
        for (size_t i = 0; i < n; i++)
            b.speed[i] += 0.5 * b.force[i]; /* problem */
        for (size_t i = 0; i < n; i++)
            b.place[i] += 0.25 * b.speed[i]; /* problem */
#endif
    }
}

int main(int argc, char **argv)
{
    size_t n = 30000 * scale_of(argc, argv);
    body b = {make_values(n), make_values(n), make_values(n)};
    double sum = 0;

    steps(b, n, 12);
    for (size_t i = 0; i < n; i++)
        sum += b.place[i];
    printf("%.9g\n", sum);
    return 0;
}
