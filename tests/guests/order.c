/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.c: one sum over a matrix of R x C doubles in row order, one in column order.
 *
 * D1 = 32768,8,64, R = C = 512 (2 MiB; a row is 4 KiB, so a column's lines all fall into one set of 64), per sum:
 *   sum_rows      Dr = R C + 1, D1mr = R C / 8; each tenure: 8 touches, SpLoss 0
 *   sum_columns   Dr = R C + 1, D1mr = R C;     each tenure: 1 touch, 8 bytes, SpLoss 56
 * (D1mr of the loads; the `ret` may add one.) The matrix is zero pages at first: `touch` writes it.
 */
#include "guest.h"

enum { R = 512, C = 512 };
static uint64_t matrix[R][C] __attribute__((aligned(4096)));

OUT uint64_t sum_rows(const uint64_t *m);
uint64_t sum_rows(const uint64_t *m)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < R; i++)
        for (size_t j = 0; j < C; j++)
            sum += LOAD(m + i * C + j);
    return sum;
}

OUT uint64_t sum_columns(const uint64_t *m);
uint64_t sum_columns(const uint64_t *m)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < C; j++)
        for (size_t i = 0; i < R; i++)
            sum += LOAD(m + i * C + j);
    return sum;
}

OUT void touch(uint64_t *m);
void touch(uint64_t *m)
{
    for (size_t i = 0; i < R * C; i++)
        STORE(m + i, i);
}

void guest_main(void)
{
    touch(&matrix[0][0]);
    guest_say("rows", sum_rows(&matrix[0][0]));
    guest_say("columns", sum_columns(&matrix[0][0]));
    guest_exit(0);
}
