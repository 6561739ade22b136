/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past.c: non-temporal stores, which load nothing where their line is not in D1 (docs/model.md, 3).
 *
 * Every function walks fresh memory. N = 1000 lines of 64 bytes, or pairs of them, three lines apart so that all sets
 * get some; a D1 of 8 to 32 KB:
 *
 *   function    accesses to each line or pair          misses          of each line loaded: touches, bytes, lost
 *   past        8 stores past the caches               0               -
 *   masked      one of 16 bytes, under a mask          0               -
 *   behind      a load, and one past in the same line  N D1mr          2, 16, 48
 *   before      one past, then a load, then a store    N D1mr          2, 16, 48
 *   across      a load of the lower line, one past     N D1mr          2, 12, 52
 *               that straddles both
 *   below       a load of the upper line, one past     N D1mr          2, 12, 56: half of the load's bytes
 *               that straddles both
 *
 * `ret` misses the line of the stack in D1, which what was loaded has thrown out; but not behind the first two.
 */
#include "guest.h"

enum { N = 1000, LINE = 64, PAIR = 192 };
static char memory[6][N][PAIR] __attribute__((aligned(4096)));

static inline __attribute__((always_inline)) void PAST(void *p, uint64_t value)
{
    __asm__ volatile("movnti %1, %0" : "=m"(*(uint64_t *)p) : "r"(value));
}

OUT void past(char *p);
void past(char *p)
{
    for (size_t i = 0; i < N; i++, p += LINE) {
        PAST(p, i);
        PAST(p + 8, i);
        PAST(p + 16, i);
        PAST(p + 24, i);
        PAST(p + 32, i);
        PAST(p + 40, i);
        PAST(p + 48, i);
        PAST(p + 56, i);
    }
}

OUT void masked(char *p);
void masked(char *p)
{
    for (size_t i = 0; i < N; i++)
        __asm__ volatile("pcmpeqb %%xmm0, %%xmm0\n\tmaskmovdqu %%xmm0, %%xmm0"
                         : "=m"(*(char(*)[16])(p + i * LINE))
                         : "D"(p + i * LINE)
                         : "xmm0");
}

OUT uint64_t behind(char *p);
uint64_t behind(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++, p += LINE) {
        sum += LOAD(p);
        PAST(p + 8, i);
    }
    return sum;
}

OUT uint64_t before(char *p);
uint64_t before(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++, p += LINE) {
        PAST(p + 8, i);
        sum += LOAD(p);
        STORE(p + 16, i);
    }
    return sum;
}

OUT uint64_t across(char *p);
uint64_t across(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++, p += PAIR) {
        sum += LOAD(p);
        PAST(p + 60, i);
    }
    return sum;
}

OUT uint64_t below(char *p);
uint64_t below(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++, p += PAIR) {
        sum += LOAD(p + 64);
        PAST(p + 60, i);
    }
    return sum;
}

void guest_main(void)
{
    uint64_t sum;
    past(memory[0][0]);
    masked(memory[1][0]);
    sum = behind(memory[2][0]) + before(memory[3][0]) + across(memory[4][0]) + below(memory[5][0]);
    guest_say("lines", 6 * N + sum);
    guest_exit(0);
}
