/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regions.c: parts of one large block get names: rows, which are walked, and a column, which loses its name again. */
#include "tenure.h"

#include <stdlib.h>

enum { ROWS = 4, ROW = 64 * 256 };

long sum;

__attribute__((noinline)) static void walk(const char *row)
{
    for (int i = 0; i < ROW; i += 64)
        sum += row[i];
}

int main(void)
{
    char *pool = aligned_alloc(4096, ROWS * ROW + ROW);

    if (pool == NULL)
        return 1;
    for (int i = 0; i < ROWS; i++)
        TENURE_NAME_REGION(pool + i * ROW, ROW, "rows");
    TENURE_NAME_REGION(pool + ROWS * ROW, ROW, "column");
    for (int i = 0; i < ROWS; i++)
        walk(pool + i * ROW);
    walk(pool + ROWS * ROW);
    TENURE_FORGET_REGION(pool + ROWS * ROW);
    walk(pool + ROWS * ROW);
    free(pool);
    return 0;
}
