/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail_call.c: runs a command whose system calls fail.
 *
 *     fail_call COUNT N:HOW COMMAND...
 *
 * The Nth of the calls below fails so: EIO, ENOSPC or EINTR, or short: it reads or writes half; or EPERM, if it sets a
 * file's mode. N+:HOW: so do all behind it. Without HOW, none does. How many there were is written to the file COUNT,
 * and in which order files were waited for (s) and renamed (r). Calls on standard error are none of them.
 *
 * Calls of all threads are seen, from the program's entry on, and none of the processes that it starts: those run as
 * they would without. Ends as the command does.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned long long calls[] = {SYS_read,  SYS_pread64, SYS_readv,     SYS_write,     SYS_pwrite64,
                                           SYS_writev, SYS_open,    SYS_openat,    SYS_fsync,     SYS_fdatasync,
                                           SYS_ftruncate, SYS_fallocate, SYS_rename, SYS_chmod,   SYS_fchmod};
enum { CALLS = sizeof calls / sizeof *calls, SHORT = -1 };

static unsigned long count, first, last;
static char order[64];
static unsigned ordered;
static int how;

static void read_how(const char *text)
{
    char *end;

    first = strtoul(text, &end, 10);
    last = *end == '+' ? (unsigned long)-1 : first;
    end += strcspn(end, ":");
    if (*end == '\0') {
        first = (unsigned long)-1;
        return;
    }
    end++;
    how = strcmp(end, "EIO") == 0      ? EIO
          : strcmp(end, "ENOSPC") == 0 ? ENOSPC
          : strcmp(end, "EINTR") == 0  ? EINTR
          : strcmp(end, "EPERM") == 0  ? EPERM
                                       : SHORT;
}

static void entered(pid_t thread)
{
    struct user_regs_struct reg;
    unsigned long long number;

    if (ptrace(PTRACE_GETREGS, thread, NULL, &reg) != 0)
        return;
    number = reg.orig_rax;
    int known = 0, sets_mode = number == SYS_chmod || number == SYS_fchmod;
    int names_file = number == SYS_open || number == SYS_openat || number == SYS_rename || number == SYS_chmod;
    int transfers = number == SYS_read || number == SYS_pread64 || number == SYS_write || number == SYS_pwrite64;
    for (int i = 0; i < CALLS; i++)
        known |= calls[i] == number;
    if (!known)
        return;
    if ((number == SYS_fsync || number == SYS_rename) && ordered < sizeof order - 1)
        order[ordered++] = number == SYS_fsync ? 's' : 'r';
    if (!names_file && reg.rdi == STDERR_FILENO)
        return;
    count++;
    if (count < first || count > last || (how == EPERM && !sets_mode))
        return;
    if (how != SHORT) {
        reg.orig_rax = (unsigned long long)-1; /* no call, and this is what it returns */
        reg.rax = (unsigned long long)-how;
    } else if (transfers && reg.rdx > 1) {
        reg.rdx /= 2;
    }
    ptrace(PTRACE_SETREGS, thread, NULL, &reg);
}

/* Lets the new program run until its first instruction: the loader has done its work there. */
static int run_to_entry(pid_t process)
{
    struct user_regs_struct reg;
    Elf64_auxv_t pair = {0};
    char path[64];
    int status;

    snprintf(path, sizeof path, "/proc/%d/auxv", (int)process);
    FILE *file = fopen(path, "rb");
    while (file && pair.a_type != AT_ENTRY && fread(&pair, sizeof pair, 1, file) == 1)
        continue;
    if (!file || fclose(file) != 0 || pair.a_type != AT_ENTRY)
        return 0;
    long there = ptrace(PTRACE_PEEKTEXT, process, pair.a_un.a_val, NULL);
    ptrace(PTRACE_POKETEXT, process, pair.a_un.a_val, (there & ~0xffL) | 0xcc /* int3 */);
    ptrace(PTRACE_CONT, process, NULL, NULL);
    if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
        return 0;
    ptrace(PTRACE_POKETEXT, process, pair.a_un.a_val, there);
    ptrace(PTRACE_GETREGS, process, NULL, &reg);
    reg.rip = pair.a_un.a_val;
    return ptrace(PTRACE_SETREGS, process, NULL, &reg) == 0;
}

int main(int argc, char **argv)
{
    const int in_call = SIGTRAP | 0x80;
    int status;

    if (argc < 4)
        return 77;
    read_how(argv[2]);
    pid_t process = fork();
    if (process == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execvp(argv[3], argv + 3);
        _exit(77);
    }
    if (process < 0 || waitpid(process, &status, 0) != process || !WIFSTOPPED(status) || !run_to_entry(process) ||
        ptrace(PTRACE_SETOPTIONS, process, NULL,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
        return 77;
    ptrace(PTRACE_SYSCALL, process, NULL, NULL);
    for (;;) {
        struct __ptrace_syscall_info info;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0)
            return 77;
        if (!WIFSTOPPED(status) && thread == process)
            break;
        if (!WIFSTOPPED(status))
            continue;
        int signal_number = WSTOPSIG(status);
        if (signal_number == in_call && ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
            info.op == PTRACE_SYSCALL_INFO_ENTRY)
            entered(thread);
        if (signal_number == in_call || signal_number == SIGTRAP || signal_number == SIGSTOP) /* a new thread's first */
            signal_number = 0;
        ptrace(PTRACE_SYSCALL, thread, NULL, signal_number);
    }
    FILE *told = fopen(argv[1], "w");
    if (!told || fprintf(told, "%lu %s", count, order) < 0 || fclose(told) != 0)
        return 77;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
