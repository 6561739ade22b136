/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_emulator.c: what emulators get wrong, and processors do not (processors.py).
 *
 * A line for each thing that is not as on a processor; none if all is. No engine has a part in it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096 };

static sigjmp_buf back;
static long long fault_at;

static void faulted(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    fault_at = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    siglongjmp(back, 1);
}

/* REX counts only if it stands directly in front of the opcode: 4d f2 93 is xchg %eax, %ebx. */
static int heeds_a_misplaced_rex(void)
{
    unsigned long a = 1, b = 2;

    __asm__ volatile("mov %%r11, %%rcx; .byte 0x4d, 0xf2, 0x93; mov %%rcx, %%r11" : "+a"(a), "+b"(b) : : "rcx", "r11");
    return a != 2 || b != 1;
}

static int reads_too_much_for_punpcklwd(const char *end)
{
    if (sigsetjmp(back, 1))
        return 1;
    __asm__ volatile("punpcklwd %0, %%mm1; emms" : : "m"(*(const int *)(end - 4)) : "mm1");
    return 0;
}

static int reads_too_much_for_cvtdq2pd(const char *end)
{
    if (sigsetjmp(back, 1))
        return 1;
    __asm__ volatile("cvtdq2pd %0, %%xmm1" : : "m"(*(const long *)(end - 8)) : "xmm1");
    return 0;
}

/* The fault is the return's, which has not happened then. */
static int returns_to_no_address(void)
{
    long long nowhere = 0x1234567812345678;

    if (!sigsetjmp(back, 1))
        __asm__ volatile("push %0; ret" : : "r"(nowhere));
    return fault_at == nowhere;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(page + PAGE, PAGE);
    sigaction(SIGSEGV, &action, NULL);
    if (heeds_a_misplaced_rex())
        puts("heeds a misplaced REX");
    if (reads_too_much_for_punpcklwd(page + PAGE))
        puts("reads too much for punpckl");
    if (reads_too_much_for_cvtdq2pd(page + PAGE))
        puts("reads too much for cvtdq2pd");
    if (returns_to_no_address())
        puts("returns to no address");
    return 0;
}
