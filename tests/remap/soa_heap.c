/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points of four numbers, each of which is walked by itself: an array for each in the twin. */
#include "twin.h"

enum { N = 25000, ROUNDS = 3 };

#ifdef TWIN
static double *x, *y, *z, *w;
#define X(i) x[i]
#define Y(i) y[i]
#define Z(i) z[i]
#define W(i) w[i]
#else
static struct point {
    double x, y, z, w;
} *points;
#define X(i) points[i].x
#define Y(i) points[i].y
#define Z(i) points[i].z
#define W(i) points[i].w
#endif

APART static void make(void)
{
#ifdef TWIN
    x = malloc(N * sizeof *x);
    y = malloc(N * sizeof *y);
    z = malloc(N * sizeof *z);
    w = malloc(N * sizeof *w);
#else
    points = malloc(N * sizeof *points);
#endif
    for (int i = 0; i < N; i++) {
        X(i) = i;
        Y(i) = i / 2;
        Z(i) = i / 3;
        W(i) = 1;
    }
}

int main(void)
{
    double sum = 0;
    make();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            X(i) += sum / N;
        for (int i = 0; i < N; i++)
            sum += X(i);
        for (int i = 0; i < N; i++)
            sum -= Y(i) * W(i);
    }
    for (int i = 0; i < N; i++)
        sum += Z(i);
    printf("%.3f\n", sum);
    return 0;
}
