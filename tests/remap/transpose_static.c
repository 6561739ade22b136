/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A static matrix that is walked by columns; the twin's lies by columns. */
#include "twin.h"

enum { ROWS = 600, COLUMNS = 400 };
#ifdef TWIN
static float matrix[COLUMNS][ROWS];
#define AT(row, column) matrix[column][row]
#else
static float matrix[ROWS][COLUMNS];
#define AT(row, column) matrix[row][column]
#endif

int main(void)
{
    float sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            AT(row, column) = (float)(row - column);
    for (int round = 0; round < 2; round++)
        for (int column = 0; column < COLUMNS; column++)
            for (int row = 0; row < ROWS; row++)
                sum += AT(row, column);
    printf("%.1f\n", (double)sum);
    return 0;
}
