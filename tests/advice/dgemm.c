/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A product of matrices by a library that is tuned (OpenBLAS, where it is installed): there is nothing to say about
 * it, although the matrices do not fit into the cache. */
#include <stdio.h>

enum { N = 300, ROW_MAJOR = 101, AS_IT_IS = 111 };

void cblas_dgemm(int order, int turn_a, int turn_b, int m, int n, int k, double alpha, const double *a, int a_row,
                 const double *b, int b_row, double beta, double *c, int c_row);

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j * 0.5;
            b[i][j] = i - j * 0.25;
        }
    for (int round = 0; round < 4; round++)
        cblas_dgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, N, N, N, 1.0, a[0], N, b[0], N, 0.5, c[0], N);
    printf("%g\n", c[1][2]);
    return 0;
}
