/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Particles are structures of 64 bytes, and each loop needs another field or two. REPAIRED: an array for each field. */
#include "case.h"

#ifdef REPAIRED
typedef struct {
    double *x, *y, *z, *vx, *vy, *vz, *mass, *charge;
} particles;
#define OF(p, field, i) (p).field[i]
#else
typedef struct {
    double x, y, z, vx, vy, vz, mass, charge;
} particle;
typedef struct {
    particle *all;
} particles;
#define OF(p, field, i) (p).all[i].field
#endif

APART particles make_particles(size_t n)
{
#ifdef REPAIRED
    double *pool = malloc(8 * n * sizeof *pool);
    particles p = {pool, pool + n, pool + 2 * n, pool + 3 * n, pool + 4 * n, pool + 5 * n, pool + 6 * n, pool + 7 * n};
#else
    particles p = {malloc(n * sizeof(particle))};
#endif

    for (size_t i = 0; i < n; i++) {
        OF(p, x, i) = OF(p, y, i) = OF(p, z, i) = (double)i;
        OF(p, vx, i) = OF(p, vy, i) = OF(p, vz, i) = (double)(i % 10);
        OF(p, mass, i) = OF(p, charge, i) = 1;
    }
    return p;
}

APART void move_x(particles p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        OF(p, x, i) += OF(p, vx, i); /* problem */
}

APART void move_y(particles p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        OF(p, y, i) += OF(p, vy, i); /* problem */
}

APART double weigh(particles p, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += OF(p, mass, i); /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 12000 * scale_of(argc, argv);
    particles p = make_particles(n);
    double sum = 0;

    for (int round = 0; round < 20; round++) {
        move_x(p, n);
        if (round % 2 == 0)
            move_y(p, n);
        if (round % 4 == 0)
            sum += weigh(p, n);
    }
    for (size_t i = 0; i < n; i++)
        sum += OF(p, x, i) + OF(p, y, i) + OF(p, z, i) + OF(p, charge, i);
    printf("%.0f\n", sum);
    return 0;
}
