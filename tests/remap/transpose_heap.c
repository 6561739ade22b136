/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A matrix of structures in the heap, walked by columns; the twin's lies by columns. */
#include "twin.h"

enum { ROWS = 300, COLUMNS = 250 };
struct cell {
    int64_t value;
    int32_t weight, sum;
};
#ifdef TWIN
#define AT(row, column) cells[(column)*ROWS + (row)]
#else
#define AT(row, column) cells[(row)*COLUMNS + (column)]
#endif

APART static struct cell *make(void)
{
    struct cell *cells = malloc(ROWS * COLUMNS * sizeof *cells);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            AT(row, column) = (struct cell){row * column, row, 0};
    return cells;
}

int main(void)
{
    struct cell *cells = make();
    int64_t sum = 0;
    for (int round = 0; round < 4; round++)
        for (int column = 0; column < COLUMNS; column++)
            for (int row = 0; row < ROWS; row++)
                sum += AT(row, column).value * AT(row, column).weight + AT(row, column).sum++;
    printf("%lld\n", (long long)sum);
    return 0;
}
