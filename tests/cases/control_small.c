/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: all that is worked on fits into the first level, whatever the order. */
#include "case.h"

enum { N = 24 };

APART void work(double (*a)[N])
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 1; i < N; i++)
            a[i][j] = (a[i][j] + a[i - 1][j]) * 0.5;
}

int main(int argc, char **argv)
{
    static double a[N][N];
    size_t rounds = 5000 * scale_of(argc, argv);

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            a[i][j] = (double)(i * j);
    for (size_t round = 0; round < rounds; round++)
        work(a);
    printf("%.6g\n", a[N - 1][N - 1]);
    return 0;
}
