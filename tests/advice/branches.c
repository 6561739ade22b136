/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A branch on values that come in no order. FIXED: they ascend. */
#include <stdio.h>

enum { VALUES = 1 << 13, ROUNDS = 40 };

static unsigned values[VALUES], hits;

static void make_values(void)
{
    unsigned state = 1;

    for (int i = 0; i < VALUES; i++) {
        state = state * 1664525u + 1013904223u;
#ifdef FIXED
        values[i] = (unsigned)i * (0xffffffffu / VALUES);
#else
        values[i] = state;
#endif
    }
}

__attribute__((noinline)) static void count(unsigned least)
{
    for (int i = 0; i < VALUES; i++)
        if (values[i] >= least) { /* here */
            __asm__ volatile("" ::: "memory");
            hits++;
        }
}

int main(void)
{
    make_values();
    for (int round = 0; round < ROUNDS; round++)
        count(0x80000000u);
    printf("%u\n", hits);
    return 0;
}
