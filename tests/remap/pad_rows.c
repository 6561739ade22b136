/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A matrix with rows of 4096 bytes, walked by columns: all of a column is in one set of D1. */
#include "twin.h"

enum { ROWS = 256, COLUMNS = 512 };
#ifdef TWIN
enum { MORE = 8 };
#else
enum { MORE = 0 };
#endif
__attribute__((aligned(4096))) static double matrix[ROWS][COLUMNS + MORE];

int main(void)
{
    double sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            matrix[row][column] = row - column;
    for (int round = 0; round < 3; round++)
        for (int column = 0; column < COLUMNS; column++)
            for (int row = 0; row < ROWS; row++)
                sum += matrix[row][column] * round;
    printf("%.1f\n", sum);
    return 0;
}
