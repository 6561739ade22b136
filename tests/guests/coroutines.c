/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coroutines.c: two coroutines on stacks of their own (makecontext, swapcontext), switched 1000 times.
 *
 *   first    works on 1 line in `step_first` per turn, 1000 turns, three calls deep when it yields
 *   second   works on 2 lines in `step_second` per turn
 * Each keeps its own call chain: first -> nest -> step_first, second -> step_second; no arc between the two.
 */
#include "work.h"

#include <stdlib.h>
#include <ucontext.h>

enum { TURNS = 1000, STACK = 1 << 17 };
static ucontext_t main_context, context[2];
static volatile uint64_t total;

OUT static void step_first(void)
{
    total += work(take_lines(1), 1);
    swapcontext(&context[0], &context[1]);
    total += work(take_lines(1), 1); /* after the return to this stack: still first -> nest -> step_first */
}

OUT static void step_second(void)
{
    total += work(take_lines(2), 2);
}

OUT static void nest(void)
{
    step_first();
}

static void first(void)
{
    for (int i = 0; i < TURNS; i++)
        nest();
}

static void second(void)
{
    for (;;) {
        step_second();
        swapcontext(&context[1], &context[0]);
    }
}

int main(void)
{
    void (*const body[2])(void) = {first, second};
    for (int i = 0; i < 2; i++) {
        getcontext(&context[i]);
        context[i].uc_stack.ss_sp = malloc(STACK);
        context[i].uc_stack.ss_size = STACK;
        context[i].uc_link = &main_context;
        makecontext(&context[i], body[i], 0);
    }
    swapcontext(&main_context, &context[0]);
    printf("lines: %lu\n", (unsigned long)total); /* 1000 * (1 + 2 + 1) */
    return 0;
}
