/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Five kernels, each of which runs once, walk the same arrays one after the other. REPAIRED: one kernel. */
#include "case.h"

APART double *make_values(size_t n)
{
    return calloc(n, sizeof(double));
}

#ifdef REPAIRED
APART double work(double *x, double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % 1000);
        y[i] = x[i] * 2 + 1;
        x[i] += y[i];
        y[i] -= 0.5 * x[i];
        sum += x[i] * y[i];
    }
    return sum;
}
#else
APART void start(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(i % 1000);
}

APART void derive(const double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * 2 + 1; /* problem */
}

APART void move(double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] += y[i]; /* problem */
}

APART void relax(const double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] -= 0.5 * x[i]; /* problem */
}

APART double work(double *x, double *y, size_t n)
{
    double sum = 0;

    start(x, n);
    derive(x, y, n);
    move(x, y, n);
    relax(x, y, n);
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i]; /* problem */
    return sum;
}
#endif

int main(int argc, char **argv)
{
    size_t n = 200000 * scale_of(argc, argv);

    printf("%.0f\n", work(make_values(n), make_values(n), n));
    return 0;
}
