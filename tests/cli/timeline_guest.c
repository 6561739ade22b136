/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline_guest.c: three phases, each in a function of its own, with a request between each two of them.
 *
 *     timeline_guest [TIMES]     so many times as long [1]
 */
#include <stdlib.h>

#include "tenure.h"

enum { WORDS = 1 << 20, LINE = 16 };

static unsigned memory[WORDS];

__attribute__((noinline)) static unsigned count_up(unsigned n)
{
    volatile unsigned sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += i;
    return sum;
}

__attribute__((noinline)) static unsigned walk(unsigned n)
{
    unsigned sum = 0;

    while (n--) {
        for (unsigned i = 0; i < WORDS; i += LINE)
            sum += memory[i]++;
    }
    return sum;
}

__attribute__((noinline)) static unsigned leap(unsigned n)
{
    unsigned sum = 0, at = 1;

    while (n--) {
        at = at * 1664525 + 1013904223;
        sum += memory[at >> 12]++;
    }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1, sum = count_up(1000000 * times);

    TENURE_DUMP("counted\033[1m");
    sum += walk(30 * times);
    TENURE_COLLECT(0);
    sum += count_up(1000);
    TENURE_COLLECT(1);
    sum += leap(400000 * times);
    return sum == 42;
}
