/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, signals, forks, exec and ends of all kinds, by argument: see test_life.py. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int work(int n);

__asm__(".text; .type work, @function;"
        "work: mov $0, %eax; 1: add $2, %eax; dec %edi; jnz 1b; ret; .size work, . - work");

static void *thread_body(void *argument)
{
    int i;

    for (i = 0; i < 100; i++)
        work(1000);
    return argument;
}

static void threads(void)
{
    pthread_t thread[3];
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, thread_body, NULL);
    for (i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

static void one_by_one(void)
{
    pthread_t thread;
    int i;

    for (i = 0; i < 20; i++) {
        pthread_create(&thread, NULL, thread_body, NULL);
        pthread_join(thread, NULL);
    }
}

static pthread_barrier_t begun;

static void *waiting(void *argument)
{
    work(20);
    pthread_barrier_wait(&begun);
    pause();
    return argument;
}

static jmp_buf back;

static void handler(int signal)
{
    (void)signal;
    work(5);
}

static void leaping(int signal)
{
    (void)signal;
    work(5);
    siglongjmp(back, 1);
}

static __attribute__((noinline)) void interrupted(void)
{
    raise(SIGUSR1);
    work(7);
}

static __attribute__((noinline)) void signals(void)
{
    volatile int i;

    signal(SIGUSR1, handler);
    for (i = 0; i < 10; i++)
        interrupted();
    signal(SIGUSR1, leaping);
    for (i = 0; i < 10; i++) {
        if (sigsetjmp(back, 1) == 0)
            interrupted();
    }
    work(9);
}

static void child(void)
{
    pid_t pid;

    work(100);
    pid = fork();
    if (pid == 0) {
        work(10);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static char stacks[2][65536] __attribute__((aligned(16)));
static volatile int begun_in_child;

static int working(void *argument)
{
    (void)argument;
    return work(10);
}

/* Goes on behind its parent's end. */
static int outliving(void *argument)
{
    work(7);
    begun_in_child = 1;
    while (getppid() == *(pid_t *)argument)
        sched_yield();
    return work(1000);
}

/* Processes that share memory and are no threads: one that ends before this one, and one that does not. */
static void sharing(void)
{
    static pid_t self;

    self = getpid();
    work(20);
    waitpid(clone(working, stacks[0] + sizeof stacks[0], CLONE_VM | SIGCHLD, NULL), NULL, 0);
    clone(outliving, stacks[1] + sizeof stacks[1], CLONE_VM | SIGCHLD, &self);
    while (!begun_in_child)
        sched_yield();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (!strcmp(what, "threads"))
        threads();
    if (!strcmp(what, "one-by-one"))
        one_by_one();
    if (!strcmp(what, "signals"))
        signals();
    if (!strcmp(what, "fork"))
        child();
    if (!strcmp(what, "sharing"))
        sharing();
    if (!strcmp(what, "exec")) {
        work(20);
        execl(argv[0], argv[0], "none", NULL);
    }
    if (!strcmp(what, "exec-in-vain")) {
        work(20);
        execl("/nonexistent", "x", NULL);
        execl("/", "x", NULL);
        work(10);
    }
    if (!strcmp(what, "exec-threads")) {
        pthread_t thread;

        pthread_barrier_init(&begun, NULL, 2);
        pthread_create(&thread, NULL, waiting, NULL);
        pthread_barrier_wait(&begun);
        execl(argv[0], argv[0], "none", NULL);
    }
    if (!strcmp(what, "none"))
        work(30);
    if (!strcmp(what, "crash")) {
        work(40);
        *(volatile int *)8 = 0;
    }
    if (!strcmp(what, "abort")) {
        work(40);
        abort();
    }
    if (!strcmp(what, "kill")) {
        work(40);
        kill(getpid(), SIGTERM);
        pause();
    }
    if (!strcmp(what, "_exit")) {
        work(40);
        _exit(3);
    }
    return 0;
}
