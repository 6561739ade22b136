/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * toggle.c: functions to name in --toggle-collect, --dump-before, --zero-before and --fn-skip.
 *
 *   main calls, 10 times: outside (works on 3 lines), wanted (5 lines of its own, then calls helper: 2 lines),
 *   again outside (3 lines). Collecting only in `wanted`: work 10 * 7 lines; all: 10 * 13.
 * A line loaded in `wanted` pays when it leaves, whenever that is; one loaded outside never does.
 */
#include "work.h"

static volatile uint64_t total;

OUT void outside(void);
OUT void helper(void);
OUT void wanted(void);

void outside(void)
{
    total += work(take_lines(3), 3);
}

void helper(void)
{
    total += work(take_lines(2), 2);
}

void wanted(void)
{
    total += work(take_lines(5), 5);
    helper();
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        outside();
        wanted();
        outside();
    }
    printf("lines: %lu\n", (unsigned long)total);
    return 0;
}
