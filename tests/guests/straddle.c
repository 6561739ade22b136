/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * straddle.c: accesses of 8 bytes, 4 in each of two lines, with none, one or both of the lines missing.
 *
 * One access, however many lines it touches, is at most one miss per level (seed 001, 5.8.1). Every function
 * walks fresh memory, so all misses are first ones. N = 1000 pairs of lines, line 64, any D1 of 8 KB or more:
 *
 *   function        accesses                      misses of the straddling access   of the one before it
 *   both_missing    N straddling loads            N D1mr                            -
 *   upper_missing   N loads of the lower line,    N D1mr                            N D1mr
 *                   N straddling loads
 *   lower_missing   N loads of the upper line,    N D1mr                            N D1mr
 *                   N straddling loads
 *   none_missing    2 N loads (one per line),     0                                 2 N D1mr
 *                   N straddling loads
 *   both_stores     N straddling stores           N D1mw                            -
 *
 * Every value is used: a translator may drop a load whose value is not.
 * A tenure that only a straddling access touched: 1 touch, 4 bytes, SpLoss 60.
 */
#include "guest.h"

enum { N = 1000, PAIR = 128 };
static char memory[5][N][PAIR] __attribute__((aligned(4096)));

OUT uint64_t both_missing(char *p);
uint64_t both_missing(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += LOAD(p + i * PAIR + 60);
    return sum;
}

OUT uint64_t upper_missing(char *p);
uint64_t upper_missing(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += LOAD(p + i * PAIR);
        sum += LOAD(p + i * PAIR + 60);
    }
    return sum;
}

OUT uint64_t lower_missing(char *p);
uint64_t lower_missing(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += LOAD(p + i * PAIR + 64);
        sum += LOAD(p + i * PAIR + 60);
    }
    return sum;
}

OUT uint64_t none_missing(char *p);
uint64_t none_missing(char *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += LOAD(p + i * PAIR);
        sum += LOAD(p + i * PAIR + 64);
        sum += LOAD(p + i * PAIR + 60);
    }
    return sum;
}

OUT void both_stores(char *p);
void both_stores(char *p)
{
    for (size_t i = 0; i < N; i++)
        STORE(p + i * PAIR + 60, i);
}

void guest_main(void)
{
    uint64_t sum = both_missing(memory[0][0]) + upper_missing(memory[1][0]);
    sum += lower_missing(memory[2][0]) + none_missing(memory[3][0]);
    both_stores(memory[4][0]);
    guest_say("pairs", 5 * N + sum);
    guest_exit(0);
}
