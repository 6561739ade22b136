/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling_guest.c: misses in many lines (a matrix by columns, a table at random), in few lines (sums), and calls.
 */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 512, COLUMNS = 512, ENTRIES = 1 << 16, ROUNDS = 200000 };

static double sum_of_columns(const double *matrix)
{
    double sum = 0;

    for (int column = 0; column < COLUMNS; column++) {
        for (int row = 0; row < ROWS; row++)
            sum += matrix[row * COLUMNS + column];
    }
    return sum;
}

static unsigned walk_at_random(unsigned *table)
{
    unsigned at = 1, sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        at = at * 1103515245u + 12345u;
        sum += table[at >> 16] += at;
    }
    return sum;
}

static unsigned add_few(const unsigned *few, int count)
{
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += few[i];
    return sum;
}

int main(void)
{
    double *matrix = malloc(sizeof *matrix * ROWS * COLUMNS);
    unsigned *table = calloc(ENTRIES, sizeof *table), few[40], sum = 0;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = i % 7;
    for (unsigned i = 0; i < 40; i++)
        few[i] = i;
    for (int i = 0; i < 2000; i++)
        sum += add_few(few, 1 + i % 40);
    printf("%g %u %u\n", sum_of_columns(matrix), walk_at_random(table), sum);
    free(matrix);
    free(table);
    return 0;
}
