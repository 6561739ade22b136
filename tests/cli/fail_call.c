/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail_call.c: system calls that fail, for a program that it is preloaded into.
 *
 * FAIL_CALL=N:HOW: the Nth of the calls below fails so: EIO, ENOSPC or EINTR, or short: it reads or writes half; or
 * EPERM, if it sets a file's mode.
 * N+:HOW: so do all behind it. FAIL_CALL_COUNT=FILE: how many there were is written there, and in which order files
 * were waited for (s) and renamed (r). Calls on standard error are none of them.
 *
 * The C library's own calls are seen, too, since the kernel hands them over (seccomp, SIGSYS): all but those that this
 * file makes, at one address.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const int calls[] = {SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_pwrite64, SYS_writev, SYS_open, SYS_openat,
                            SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate, SYS_rename, SYS_chmod, SYS_fchmod};
enum { CALLS = sizeof calls / sizeof *calls, SHORT = -1 };

static atomic_ulong count;
static unsigned long first, last;
static char order[64];
static unsigned ordered;
static int how;
static int told = -1; /* the file of FAIL_CALL_COUNT */

#define HERE __attribute__((visibility("hidden")))
HERE long fail_call_do(long number, long a, long b, long c, long d, long e, long f);
HERE extern const char fail_call_at[]; /* what the kernel sees as the place of its calls */
__asm__(".text\n.globl fail_call_do, fail_call_at\n.hidden fail_call_do, fail_call_at\n"
        "fail_call_do:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "fail_call_at:\n"
        "    ret\n");

static int is_transfer(long number)
{
    return number == SYS_read || number == SYS_pread64 || number == SYS_write || number == SYS_pwrite64;
}

static void caught(int signal_number, siginfo_t *info, void *context)
{
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    long number = info->si_syscall, size = reg[REG_RDX];
    int has_file = number != SYS_open && number != SYS_openat && number != SYS_rename && number != SYS_chmod;
    unsigned long now = has_file && reg[REG_RDI] == STDERR_FILENO ? 0 : atomic_fetch_add(&count, 1) + 1;
    int fails = now != 0 && now >= first && now <= last &&
                (how != EPERM || number == SYS_chmod || number == SYS_fchmod);

    (void)signal_number;
    if ((number == SYS_fsync || number == SYS_rename) && ordered < sizeof order - 1)
        order[ordered++] = number == SYS_fsync ? 's' : 'r';
    if (fails && how != SHORT) {
        reg[REG_RAX] = -how;
        return;
    }
    if (fails && is_transfer(number) && size > 1)
        size /= 2;
    reg[REG_RAX] = fail_call_do(number, reg[REG_RDI], reg[REG_RSI], size, reg[REG_R10], reg[REG_R8], reg[REG_R9]);
}

static void read_options(void)
{
    const char *text = getenv("FAIL_CALL"), *path = getenv("FAIL_CALL_COUNT");
    char *end;

    first = last = (unsigned long)-1;
    told = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (!text)
        return;
    first = strtoul(text, &end, 10);
    last = *end == '+' ? (unsigned long)-1 : first;
    end += strcspn(end, ":") + 1;
    how = strcmp(end, "EIO") == 0      ? EIO
          : strcmp(end, "ENOSPC") == 0 ? ENOSPC
          : strcmp(end, "EINTR") == 0  ? EINTR
          : strcmp(end, "EPERM") == 0  ? EPERM
                                       : SHORT;
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    struct sock_filter filter[6 + CALLS] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(unsigned long)fail_call_at, CALLS + 1, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    struct sock_fprog program = {5 + CALLS, filter};

    for (int i = 0; i < CALLS; i++)
        filter[3 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], CALLS - i, 0);
    filter[3 + CALLS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[4 + CALLS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    read_options();
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

__attribute__((destructor)) static void tell(void)
{
    char text[32 + sizeof order];
    int size = snprintf(text, sizeof text, "%lu %s", (unsigned long)count, order);

    if (told >= 0)
        fail_call_do(SYS_write, told, (long)text, size, 0, 0, 0);
}
