/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * longjmp.c: leaves `levels` nested calls at once, 100 times.
 *
 *   climb      100 * 11 calls (n = 10 .. 0), each works on 1 line; at n = 0 it jumps back to `once`
 *   once       100 calls; after the jump it works on 2 lines: they are its own, not climb's
 * work: 100 * (11 + 2) lines; inclusive D1mr(loads of work): climb 1100, once 1300.
 */
#include "work.h"

#include <setjmp.h>

static jmp_buf back;
static volatile uint64_t total;

OUT static int climb(int n);
OUT static int climb(int n)
{
    total += work(take_lines(1), 1);
    if (n == 0 && total > 0)
        longjmp(back, 1);
    if (n == 0)
        return 0;
    int deeper = climb(n - 1);
    total++; /* never reached */
    return deeper + 1;
}

OUT static void once(void)
{
    if (setjmp(back) == 0)
        climb(10);
    total += work(take_lines(2), 2);
}

int main(void)
{
    for (int i = 0; i < 100; i++)
        once();
    printf("lines: %lu\n", (unsigned long)total);
    return 0;
}
