/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sparse matrix, of a grid whose nodes have numbers in no order, times a vector. REPAIRED: nodes that are neighbours
 * have numbers that are, too. */
#include "case.h"

typedef struct {
    uint32_t *begin, *column;
    double *value;
} matrix_of;

APART double *make_vector(size_t n)
{
    double *vector = malloc(n * sizeof *vector);

    for (size_t i = 0; i < n; i++)
        vector[i] = 1;
    return vector;
}

/* Each node of side * side has up to four neighbours; node i of the grid is row number[i]. */
APART matrix_of make_matrix(size_t side, const uint32_t *number)
{
    static const int steps[4][2] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    size_t n = side * side;
    uint32_t *node = malloc(n * sizeof *node), entries = 0;
    matrix_of m = {malloc((n + 1) * sizeof *m.begin), malloc(4 * n * sizeof *m.column),
                   malloc(4 * n * sizeof *m.value)};

    for (size_t i = 0; i < n; i++)
        node[number[i]] = (uint32_t)i;
    for (size_t row = 0; row < n; row++) {
        m.begin[row] = entries;
        for (int s = 0; s < 4; s++) {
            size_t x = node[row] % side + (size_t)steps[s][0], y = node[row] / side + (size_t)steps[s][1];
            if (x < side && y < side) {
                m.column[entries] = number[y * side + x];
                m.value[entries++] = 1 + (double)((x + y) % 3);
            }
        }
    }
    m.begin[n] = entries;
    free(node);
    return m;
}

APART void multiply(matrix_of m, size_t n, const double *x, double *y)
{
    for (size_t row = 0; row < n; row++) {
        double sum = 0;
        for (uint32_t i = m.begin[row]; i < m.begin[row + 1]; i++)
            sum += m.value[i] * x[m.column[i]]; /* problem */
        y[row] = sum;
    }
}

int main(int argc, char **argv)
{
    size_t side = 200 * scale_of(argc, argv), n = side * side;
    uint32_t *number = malloc(n * sizeof *number);
    double *x = make_vector(n), *y = calloc(n, sizeof *y), sum = 0;
    matrix_of m;

    for (size_t i = 0; i < n; i++)
        number[i] = (uint32_t)i;
#ifndef REPAIRED
    shuffle(number, n);
#endif
    m = make_matrix(side, number);
    for (int round = 0; round < 15; round++)
        multiply(m, n, x, y);
    for (size_t i = 0; i < n; i++)
        sum += y[i];
    printf("%.0f\n", sum);
    return 0;
}
