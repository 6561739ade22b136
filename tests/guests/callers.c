/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.c: one function with two callers of different cost, for --separate-callers and for call trees.
 *
 *   main -> cheap -> shared (10 lines)     cheap: 20 calls
 *   main -> dear  -> shared (1000 lines)   dear:  2 calls, and `dear` works on 1 line itself
 * work below cheap: 200 lines, below dear: 2000 + 2. Through a pointer: main -> (indirect) -> cheap half of the time.
 */
#include "work.h"

static volatile uint64_t total;

OUT void shared(size_t n);
OUT void cheap(void);
OUT void dear(void);

void shared(size_t n)
{
    total += work(take_lines(n), n);
}

void cheap(void)
{
    shared(10);
}

void dear(void)
{
    total += work(take_lines(1), 1);
    shared(1000);
}

int main(void)
{
    void (*volatile pointer)(void) = cheap;
    for (int i = 0; i < 10; i++) {
        cheap();
        pointer();
    }
    dear();
    dear();
    printf("lines: %lu\n", (unsigned long)total);
    return 0;
}
