/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vectors.c with the vectors of a kind allocated together, without gaps: lines that are loaded are used whole. The
 * three loops of a step still walk the same data one after the other. See README.md. */
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 60000, STEPS = 20 };

static double *disp_of[NODES], *vel_of[NODES], *force_of[NODES];

static void make_vectors(double **of)
{
    double *all = malloc(NODES * 3 * sizeof(double));
    for (int i = 0; i < NODES; i++)
        of[i] = all + 3 * i;
}

static void make_mesh(void)
{
    make_vectors(disp_of);
    make_vectors(vel_of);
    make_vectors(force_of);
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++) {
            disp_of[i][k] = (i % 100) * 0.01 + k;
            vel_of[i][k] = force_of[i][k] = 0;
        }
}

__attribute__((noinline)) static void pull(double stiffness)
{
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++)
            force_of[i][k] = -stiffness * disp_of[i][k];
}

__attribute__((noinline)) static void accelerate(double dt)
{
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++)
            vel_of[i][k] += dt * force_of[i][k];
}

__attribute__((noinline)) static void move(double dt)
{
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++)
            disp_of[i][k] += dt * vel_of[i][k];
}

int main(void)
{
    double sum = 0;
    make_mesh();
    for (int step = 0; step < STEPS; step++) {
        pull(2.0);
        accelerate(0.05);
        move(0.05);
    }
    for (int i = 0; i < NODES; i++)
        sum += disp_of[i][0] + disp_of[i][1] + disp_of[i][2];
    printf("%.6f\n", sum);
    return 0;
}
