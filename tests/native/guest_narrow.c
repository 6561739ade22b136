/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_narrow.c: the kernel looks at 32 bits of a system call's number, and of arguments that are an int: what stands
 * in the other half of the register is nothing to it. And of an action's flags it keeps those that it knows.
 *
 * Prints what each call did, the same as on the bare CPU; ends by a call with such a number and such a status.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ABOVE 0x7700000000UL
enum { STATUS = 69, BYTES = 4096 };

struct action { /* the kernel's */
    uint64_t handler, flags, restorer, mask;
};

static long call(unsigned long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    register unsigned long r10 __asm__("r10") = d, r8 __asm__("r8") = ~0UL, r9 __asm__("r9") = 0;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void said(const char *what, long result)
{
    printf("%s: %ld\n", what, result);
    fflush(stdout);
}

static void make(uint8_t *to, int value)
{
    uint8_t bytes[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $value, %eax; ret */

    memcpy(bytes + 1, &value, sizeof value);
    memcpy(to, bytes, sizeof bytes);
}

static void numbers(void)
{
    uint8_t *code = (uint8_t *)call(ABOVE | SYS_mmap, 0, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                                    MAP_PRIVATE | MAP_ANONYMOUS);

    said("getpid", call(ABOVE | SYS_getpid, 0, 0, 0, 0) == getpid());
    said("no call", call(0xffffffff, 0, 0, 0, 0));
    make(code, 1);
    said("code", ((int (*)(void))code)());
    make(code, 2);
    said("other code", ((int (*)(void))code)());
    said("munmap", call(ABOVE | SYS_munmap, (unsigned long)code, BYTES, 0, 0));
}

static void memory(void)
{
    uint8_t *code = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(code, 0x90, BYTES - 6);
    make(code + BYTES - 6, 3);
    make(code + BYTES, 4);
    said("code", ((int (*)(void))code)());
    said("madvise", call(SYS_madvise, (unsigned long)code, BYTES, ABOVE | MADV_DONTNEED, 0));
    said("its page", code[0]);
    make(code, 5);
    said("code", ((int (*)(void))code)());
    said("mlockall", call(SYS_mlockall, ABOVE | MCL_FUTURE, 0, 0, 0));
    said("munlockall", call(SYS_munlockall, 0, 0, 0, 0));
}

static void signals(void)
{
    struct action action = {.handler = 1, .flags = ~0UL, .mask = ~0UL}, got = {0};
    uint64_t mask = 1UL << (SIGUSR2 - 1), old = 0;

    said("rt_sigaction", call(SYS_rt_sigaction, ABOVE | SIGUSR1, (unsigned long)&action, 0, 8));
    said("rt_sigaction", call(SYS_rt_sigaction, SIGUSR1, 0, (unsigned long)&got, 8));
    printf("%lu %lx %lx\n", got.handler, got.flags, got.mask);
    said("rt_sigprocmask", call(SYS_rt_sigprocmask, ABOVE | SIG_BLOCK, (unsigned long)&mask, 0, 8));
    said("rt_sigprocmask", call(SYS_rt_sigprocmask, ABOVE | SIG_UNBLOCK, (unsigned long)&mask, (unsigned long)&old, 8));
    printf("%lx\n", old);
}

static void process(void)
{
    uint64_t base = 1, wanted = (uint64_t)&base;
    struct rlimit limit;

    said("arch_prctl", call(SYS_arch_prctl, ABOVE | ARCH_SET_GS, wanted, 0, 0));
    said("arch_prctl", call(SYS_arch_prctl, ABOVE | ARCH_GET_GS, (unsigned long)&base, 0, 0));
    said("GS", base == wanted);
    said("arch_prctl", call(SYS_arch_prctl, ABOVE | ARCH_SET_GS, 0, 0, 0));
    said("prctl", call(SYS_prctl, ABOVE | PR_GET_DUMPABLE, 0, 0, 0));
    said("getrlimit", call(SYS_getrlimit, ABOVE | RLIMIT_STACK, (unsigned long)&limit, 0, 0));
}

static void files(void)
{
    struct stat here, there;
    char link[64];
    int copy = dup(1);

    said("fcntl", call(SYS_fcntl, ABOVE | (unsigned)copy, F_GETFD, 0, 0));
    said("close", call(SYS_close, ABOVE | (unsigned)copy, 0, 0, 0));
    int file = (int)call(SYS_openat, ABOVE | (uint32_t)AT_FDCWD, (unsigned long)"/proc/self/exe", ABOVE | O_RDONLY, 0);
    said("openat", fstat(file, &here) == 0 && stat("/proc/self/exe", &there) == 0 && here.st_ino == there.st_ino);
    said("readlink", call(SYS_readlink, (unsigned long)"/proc/self/exe", (unsigned long)link, ABOVE | 3, 0));
    said("readlink", call(SYS_readlink, (unsigned long)"/proc/self/exe", (unsigned long)link, 0xffffffff, 0));
}

/* How it ended. */
static int end_of(long child)
{
    int status = -1;

    call(SYS_wait4, ABOVE | (uint32_t)child, (unsigned long)&status, ABOVE, 0);
    return status;
}

static void children(void)
{
    static const int kills[] = {SYS_kill, SYS_tkill, SYS_tgkill};
    long child = call(ABOVE | SYS_fork, 0, 0, 0, 0);

    if (child == 0)
        call(ABOVE | SYS_exit_group, ABOVE | 5, 0, 0, 0);
    said("child", end_of(child));
    for (size_t i = 0; i < sizeof kills / sizeof *kills; i++) {
        child = fork();
        if (child == 0) {
            unsigned long self = ABOVE | (unsigned)getpid(), by = ABOVE | SIGKILL;
            call((unsigned long)kills[i], self, kills[i] == SYS_tgkill ? self : by, by, 0);
            _exit(1);
        }
        said("child that kills itself", end_of(child));
    }
}

int main(void)
{
    numbers();
    memory();
    signals();
    process();
    files();
    children();
    call(ABOVE | SYS_exit_group, 0x5600000000UL | STATUS, 0, 0, 0);
    return 1;
}
