/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_refused.c: what ends a run: what the engine cannot do, or a signal while the program steps; refused WHAT. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static void to_other_code(int signal, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;

    (void)signal;
    (void)info;
    frame->uc_mcontext.gregs[REG_CSGSFS] = (frame->uc_mcontext.gregs[REG_CSGSFS] & ~0xffffLL) | 0x23;
}

static void step(int signal)
{
    (void)signal;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = to_other_code, .sa_flags = SA_SIGINFO};
    const char *what = argc > 1 ? argv[1] : "";

    puts("begins");
    fflush(stdout);
    if (strcmp(what, "handler") == 0) {
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
    }
    if (strcmp(what, "jump") == 0)
        __asm__ volatile("push $0x33; push $0; ljmp *(%rsp)");
    if (strcmp(what, "return") == 0)
        __asm__ volatile("push $0x23; push $0; lretq");
    if (strcmp(what, "call") == 0)
        __asm__ volatile("mov $1000000, %eax; int $0x80");
    if (strcmp(what, "steps") == 0) {
        signal(SIGTRAP, step);
        __asm__ volatile("pushfq; orq $0x100, (%rsp); popfq; 1: jmp 1b");
    }
    puts("ends");
    return 0;
}
