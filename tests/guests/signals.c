/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.c: a signal handler that is itself interrupted by another one, 50 times, also on an alternate stack.
 *
 *   main -> interrupted  works on 1 line, raises SIGUSR1, works on 1 line: 2 lines a round are its own
 *   outer_handler        works on 3 lines, raises SIGUSR2
 *   inner_handler        works on 5 lines, on the alternate stack
 * `interrupted` and `main` pay nothing for the handlers: inclusive D1mr(loads of work): interrupted 100,
 * outer_handler 150, inner_handler 250. The handlers' costs belong to trees of their own.
 */
#include "work.h"

#include <signal.h>
#include <stdlib.h>

static volatile uint64_t total;

static void inner_handler(int number)
{
    (void)number;
    total += work(take_lines(5), 5);
}

static void outer_handler(int number)
{
    (void)number;
    total += work(take_lines(3), 3);
    raise(SIGUSR2);
}

OUT static void interrupted(void)
{
    total += work(take_lines(1), 1);
    raise(SIGUSR1);
    total += work(take_lines(1), 1);
}

int main(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    struct sigaction outer = {.sa_handler = outer_handler}, inner = {.sa_handler = inner_handler};
    inner.sa_flags = SA_ONSTACK;
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &outer, NULL);
    sigaction(SIGUSR2, &inner, NULL);
    for (int i = 0; i < 50; i++)
        interrupted();
    printf("lines: %lu\n", (unsigned long)total); /* 50 * 10 */
    return 0;
}
