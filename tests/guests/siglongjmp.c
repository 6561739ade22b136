/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * siglongjmp.c: leaves a signal handler by longjmp, 50 times: out of raise() and out of a fault.
 *
 *   handler     works on 3 lines, jumps to `again`
 *   again       works on 1 line before and 2 after; inclusive 3 a round, nothing of the handler's
 *   faulting    the same, but the signal is SIGSEGV from a load of address 0 in `fault`
 * Inclusive D1mr(loads of work): again 150, faulting 150, handler 300.
 */
#include "work.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile uint64_t total;
static int *volatile nowhere;

static void handler(int number)
{
    (void)number;
    total += work(take_lines(3), 3);
    siglongjmp(back, 1);
}

OUT static int fault(void)
{
    return *nowhere + 1;
}

OUT static void again(void)
{
    total += work(take_lines(1), 1);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    total += work(take_lines(2), 2);
}

OUT static void faulting(void)
{
    total += work(take_lines(1), 1);
    if (sigsetjmp(back, 1) == 0)
        total += (uint64_t)fault();
    total += work(take_lines(2), 2);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 50; i++) {
        again();
        faulting();
    }
    printf("lines: %lu\n", (unsigned long)total); /* 50 * 12 */
    return 0;
}
