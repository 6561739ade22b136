/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of a process, clone3 and exec: prints what must be the same with an engine as without. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handle(int signal)
{
    (void)signal;
}

/* The masks of signals, how many threads there are, and whether there is a heap. */
static void show(const char *file)
{
    FILE *stream = fopen(file, "r");
    char line[512];

    while (fgets(line, sizeof line, stream) != NULL) {
        if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0 || strncmp(line, "SigCgt", 6) == 0 ||
            strncmp(line, "Threads", 7) == 0)
            fputs(line, stdout);
        if (strstr(line, "[heap]") != NULL)
            puts("a heap");
    }
    fclose(stream);
}

/* A child with memory and stack of its own parent's making, that says by its status whether its handler is gone. */
static long clone_sharing(struct clone_args *asked)
{
    long result;

    __asm__ volatile("syscall; test %%rax, %%rax; jnz 1f;"
                     "sub $64, %%rsp; mov $13, %%eax; mov $10, %%edi; xor %%esi, %%esi; mov %%rsp, %%rdx;"
                     "mov $8, %%r10d; syscall; mov (%%rsp), %%rdi; test %%rdi, %%rdi; setz %%dil; movzx %%dil, %%edi;"
                     "add $20, %%edi; mov $231, %%eax; syscall; 1:"
                     : "=a"(result)
                     : "a"(SYS_clone3), "D"(asked), "S"(sizeof *asked)
                     : "rcx", "r10", "r11", "rdx", "memory");
    return result;
}

static void clones(void)
{
    static char stack[1 << 16];
    int pidfd = -1, tid = 0, status = 0;
    struct clone_args asked = {.flags = CLONE_PIDFD | CLONE_PARENT_SETTID, .exit_signal = SIGCHLD};

    asked.pidfd = (unsigned long)&pidfd;
    asked.parent_tid = (unsigned long)&tid;
    for (int clears = 0; clears < 2; clears++) {
        asked.flags |= clears ? CLONE_CLEAR_SIGHAND : 0;
        fflush(stdout);
        long child = syscall(SYS_clone3, &asked, sizeof asked);
        if (child == 0) {
            struct sigaction now;
            sigaction(SIGUSR1, NULL, &now);
            show("/proc/self/status");
            exit(10 + (now.sa_handler == SIG_DFL));
        }
        waitpid((pid_t)child, &status, 0);
        printf("%d %d %d\n", WEXITSTATUS(status), pidfd > 2, tid == child);
        close(pidfd);
    }
    for (int clears = 0; clears < 2; clears++) {
        asked.flags = CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID | (clears ? CLONE_CLEAR_SIGHAND : 0);
        asked.stack = (unsigned long)stack;
        asked.stack_size = sizeof stack;
        long child = clone_sharing(&asked);
        waitpid((pid_t)child, &status, 0);
        printf("%d %d\n", WEXITSTATUS(status), tid == child);
    }
    raise(SIGUSR1); /* its handler is here as before */

    long wrong[6] = {syscall(SYS_clone3, &asked, 8), errno};
    asked.stack_size = 0;
    wrong[2] = syscall(SYS_clone3, &asked, sizeof asked), wrong[3] = errno;
    asked.stack = 0;
    asked.flags = CLONE_SIGHAND | CLONE_VM | CLONE_CLEAR_SIGHAND;
    wrong[4] = syscall(SYS_clone3, &asked, sizeof asked), wrong[5] = errno;
    for (int i = 0; i < 6; i++)
        printf("%ld ", wrong[i]);
    puts("");
}

/* How often a child that is traced stops when it executes a program. */
static void traced(const char *program)
{
    int status, stops = 0;
    pid_t child = fork();

    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(program, program, "no such test", NULL);
        _exit(1);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        stops++;
        ptrace(PTRACE_CONT, child, NULL, NULL);
    }
    printf("%d stops, status %d\n", stops, WEXITSTATUS(status));
}

/* Becomes another program, and says what is blocked there, while signals come all the time that are handled here. */
static void execute(char *program)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec often = {{0, 50000}, {0, 50000}};
    timer_t timer;

    signal(SIGALRM, handle);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    pause();
    execl(program, program, "masks", NULL);
}

/* Execs that fail, of a program that blocks the signal of bad addresses and has set itself limits. */
static void execute_in_vain(char **argv)
{
    struct rlimit limit = {1 << 20, 1 << 20};
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGSEGV);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    setrlimit(RLIMIT_FSIZE, &limit);
    printf("%ld", syscall(SYS_execve, argv[0], 8, 0));
    printf(" %ld", syscall(SYS_execve, 8, argv, 0));
    printf(" %d\n", errno);
}

/* A child that shares memory has a limit of its own, and so has what it executes. */
static void spawn(char *program)
{
    struct rlimit limit = {100, 200}, other = {50, 60};
    int status;

    setrlimit(RLIMIT_NOFILE, &limit);
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0) {
        setrlimit(RLIMIT_NOFILE, &other);
        execl(program, program, "limit", NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
}

static void show_limit(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    printf("%d of %d\n", (int)limit.rlim_cur, (int)limit.rlim_max);
}

int main(int argc, char **argv)
{
    void *heap = malloc(100000);
    sigset_t blocked;

    (void)argc;
    if (strcmp(argv[1], "clones") == 0) {
        signal(SIGUSR1, handle);
        signal(SIGUSR2, SIG_IGN);
        clones();
    } else if (strcmp(argv[1], "shown") == 0) {
        signal(SIGUSR1, handle);
        signal(SIGSEGV, handle);
        signal(SIGUSR2, SIG_IGN);
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGSEGV);
        sigaddset(&blocked, SIGHUP);
        sigprocmask(SIG_BLOCK, &blocked, NULL);
        show("/proc/self/status");
        show("/proc/thread-self/status");
        show("/proc/self/maps");
    } else if (strcmp(argv[1], "traced") == 0) {
        traced(argv[0]);
    } else if (strcmp(argv[1], "executes") == 0) {
        execute(argv[0]);
    } else if (strcmp(argv[1], "by descriptor") == 0) {
        int file = open(argv[0], O_PATH | O_CLOEXEC);
        fexecve(file, (char *[]){argv[0], "masks", NULL}, environ);
    } else if (strcmp(argv[1], "masks") == 0) {
        show("/proc/self/status");
    } else if (strcmp(argv[1], "fails") == 0) {
        execute_in_vain(argv);
    } else if (strcmp(argv[1], "spawns") == 0) {
        spawn(argv[0]);
        show_limit();
    } else if (strcmp(argv[1], "limit") == 0) {
        show_limit();
    } else if (strcmp(argv[1], "filters") == 0) {
        printf("%d", prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
        printf(" %d", errno);
        printf(" %ld", syscall(SYS_seccomp, 2, 0, NULL));
        printf(" %d\n", errno);
    }
    free(heap);
    return 0;
}
