/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_allowed.c: what may be executed as only the kernel knows it: protection changed up to a hole, all that may be
 * read (READ_IMPLIES_EXEC), a stack as far down as it reaches and later grows, several mappings moved or cut at once;
 * code that advice takes away; code whose protection can never change again (mseal, PR_SET_MDWE), and which is written
 * all the same.
 *
 * Prints what the code in each place gives, the same as on the bare CPU.
 */
#include <alloca.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, DONTNEED_LOCKED = 24, GUARD_INSTALL = 102, GUARD_REMOVE = 103, MSEAL = 462, PROCESS_MADVISE = 440,
       SET_MDWE = 65, CODE = PROT_READ | PROT_WRITE | PROT_EXEC, DATA = PROT_READ | PROT_WRITE };

static sigjmp_buf back;
static siginfo_t fault;

static void faults(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    fault = *info;
    siglongjmp(back, 1);
}

static void *pages(int count, int protection)
{
    return mmap(NULL, (size_t)count * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void make(volatile void *to, int value)
{
    uint8_t bytes[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $value, %eax; ret */

    memcpy(bytes + 1, &value, sizeof value);
    for (size_t i = 0; i < sizeof bytes; i++)
        ((volatile uint8_t *)to)[i] = bytes[i];
}

/* Zeros are code that adds to where rax is. */
static void run(const char *what, void *code)
{
    static char added;
    void *result = &added;

    if (sigsetjmp(back, 1)) {
        printf("%s: signal %d, code %d, %ld bytes on\n", what, fault.si_signo, fault.si_code,
               (long)((char *)fault.si_addr - (char *)code));
    } else {
        __asm__ volatile("call *%1" : "+a"(result) : "r"(code) : "rcx", "rdx", "memory");
        printf("%s: %d\n", what, (int)(intptr_t)result);
    }
}

static void change(const char *what, void *code, int value)
{
    if (sigsetjmp(back, 1))
        printf("%s: cannot be written\n", what);
    else
        make(code, value);
    run(what, code);
}

static void said(const char *what, long result)
{
    printf("%s: %d\n", what, result < 0 ? errno : 0);
}

static void up_to_a_hole(void)
{
    char *at = pages(4, DATA);

    make(at, 1);
    make(at + PAGE, 2);
    munmap(at + 2 * PAGE, PAGE);
    said("mprotect up to a hole", mprotect(at, 4 * PAGE, PROT_READ | PROT_EXEC));
    run("first page", at);
    run("second page", at + PAGE);
    said("and back", mprotect(at, 4 * PAGE, DATA));
    run("first page", at);
    said("and all", mprotect(at, 4 * PAGE, CODE));
    change("first page", at, 3);
    change("first page", at, 4);
    said("not to be written", mprotect(at, 4 * PAGE, PROT_READ | PROT_EXEC));
    change("first page", at, 5);
}

static void readable(void)
{
    int old = personality(0xffffffff);
    char *before = pages(1, DATA), *at, *more = pages(1, PROT_NONE);

    make(before, 6);
    personality((unsigned)old | READ_IMPLIES_EXEC);
    at = pages(1, DATA);
    mprotect(more, PAGE, DATA);
    change("mapped where all may be executed", at, 7);
    change("mapped where all may be executed", at, 8);
    change("protected there", more, 9);
    run("mapped before", before);
    personality((unsigned)old);
    change("mapped behind", pages(1, DATA), 10);
}

static void __attribute__((noinline)) on_stack(const char *what, size_t down)
{
    char *code = alloca(down);

    change(what, code, 11);
    change(what, code, 12);
}

static void stack(void)
{
    uintptr_t page = (uintptr_t)__builtin_frame_address(0) & -(uintptr_t)PAGE;

    on_stack("data on the stack", 64);
    said("mprotect of the stack", mprotect((void *)page, PAGE, CODE | PROT_GROWSDOWN));
    on_stack("code on the stack", 64);
    on_stack("below", 16 * PAGE);
    on_stack("where it grows", 256 * PAGE);
}

static void moved(void)
{
    char *at = pages(8, PROT_NONE), *to = at + 4 * PAGE;

    mprotect(at, PAGE, CODE);
    mprotect(at + PAGE, PAGE, DATA);
    mprotect(at + 2 * PAGE, PAGE, CODE);
    for (int i = 0; i < 3; i++) {
        make(at + i * PAGE, 13 + i);
        run("before", at + i * PAGE);
    }
    if (mremap(at, 3 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
        to = at; /* before Linux 6.17 */
    run("first", to);
    run("second", to + PAGE);
    change("third", to + 2 * PAGE, 16);
}

/* Two mappings, of which one may be written: the second is moved with the first, or cut off. */
static void differ(void)
{
    char *at = pages(8, CODE), *to = at + 4 * PAGE;

    for (int i = 0; i < 2; i++) {
        make(at + i * PAGE, 28 + i);
        run("before", at + i * PAGE);
    }
    mprotect(at + PAGE, PAGE, PROT_READ | PROT_EXEC);
    if (mremap(at, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
        to = at; /* before Linux 6.17 */
    change("may be written", to, 30);
    change("may not", to + PAGE, 31);
    at = pages(2, CODE);
    make(at, 32);
    mprotect(at, PAGE, PROT_READ | PROT_EXEC);
    said("the second is cut off", mremap(at, 2 * PAGE, PAGE, 0) == MAP_FAILED ? -1 : 0);
    run("left", at);
    change("may not", at, 33);
}

static void advised(void)
{
    static const int advice[] = {MADV_DONTNEED, DONTNEED_LOCKED, GUARD_INSTALL, GUARD_REMOVE};
    struct {
        void *at;
        size_t bytes;
    } part = {pages(2, CODE), PAGE};
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

    make((char *)part.at + PAGE, 18);
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        change("before advice", part.at, 17);
        said("advice", madvise(part.at, PAGE, advice[i]));
        run("behind it", part.at);
        run("beside it", (char *)part.at + PAGE);
        madvise(part.at, PAGE, GUARD_REMOVE);
    }
    change("before it is emptied", part.at, 26);
    madvise(part.at, PAGE, MADV_DONTNEED);
    change("written when it is empty", part.at, 27);
    change("before advice by process", part.at, 19);
    said("advice by process", syscall(PROCESS_MADVISE, self, &part, 1UL, MADV_DONTNEED, 0));
    run("behind it", part.at);
    close(self);
}

static void sealed(void)
{
    char *at = pages(1, CODE);

    change("before it is sealed", at, 20);
    said("mseal", syscall(MSEAL, at, (size_t)PAGE, 0UL));
    change("sealed", at, 21);
    change("sealed", at, 22);
    for (int i = 0; i < 3; i++)
        run("sealed", at);
    at = pages(1, CODE);
    change("before no more may be executed", at, 23);
    said("PR_SET_MDWE", prctl(SET_MDWE, 1L, 0L, 0L, 0L));
    change("none more", at, 24);
    change("none more", at, 25);
    said("not this", pages(1, CODE) == MAP_FAILED ? -1 : 0);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = faults, .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    up_to_a_hole();
    readable();
    stack();
    moved();
    differ();
    advised();
    fflush(stdout);
    if (fork() == 0) {
        sealed();
        fflush(stdout);
        _exit(0);
    }
    int status;
    wait(&status);
    printf("%x\n", (unsigned)status);
    return 0;
}
