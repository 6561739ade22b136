/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recursion.c: direct, mutual and tree-like recursion that loads lines at every level, without libc.
 *
 * What a function and an arc pay counts once, however many activations are nested:
 *   visit(50)     51 calls; each loads one fresh line: inclusive D1mr(loads) = 51, on the arc visit -> visit as well 50
 *   ping / pong   ping(40): 21 calls of ping, 20 of pong, a line each: inclusive of ping 41, of pong 40
 *   tree(10)      2^11 - 1 calls, a line each
 * Lines are never touched before or after; misses of loads only.
 */
#include "guest.h"

enum { LINES = 4096 };
static char lines[LINES][64] __attribute__((aligned(64)));
static size_t used;

static inline __attribute__((always_inline)) uint64_t fresh(void)
{
    return LOAD(lines[used++]);
}

OUT uint64_t visit(int n);
OUT uint64_t ping(int n);
OUT uint64_t pong(int n);
OUT uint64_t tree(int n);

uint64_t visit(int n)
{
    uint64_t value = fresh();
    return n == 0 ? value : visit(n - 1) + value + 1;
}

uint64_t ping(int n)
{
    uint64_t value = fresh();
    return n == 0 ? value : pong(n - 1) + value + 1;
}

uint64_t pong(int n)
{
    uint64_t value = fresh();
    return n == 0 ? value : ping(n - 1) + value + 1;
}

uint64_t tree(int n)
{
    uint64_t value = fresh();
    return n == 0 ? value + 1 : tree(n - 1) + tree(n - 1) + value;
}

void guest_main(void)
{
    guest_say("visit", visit(50));
    guest_say("ping", ping(40));
    guest_say("tree", tree(10));
    guest_exit(0);
}
