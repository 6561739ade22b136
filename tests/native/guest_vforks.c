/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_vforks.c: children for which their parent waits, as for those of vfork, but which have a copy of its memory
 * (CLONE_VFORK without CLONE_VM). Its other threads go on meanwhile; it waits until the child ends, however it does, or
 * becomes another program, and no longer: not for threads that the child leaves behind. Prints the same on the bare
 * CPU.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    volatile long rounds; /* of the other thread */
    volatile int over, returned, at_end;
} *shared;

static void *goes_on(void *argument)
{
    while (!shared->over) {
        shared->rounds++;
        usleep(100);
    }
    return argument;
}

static int are_open(void)
{
    int open = 0;

    for (int fd = 0; fd < 100; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    return open;
}

static long clone_by(int how, int flags)
{
    struct clone_args args = {.flags = (unsigned)flags, .exit_signal = SIGCHLD};

    fflush(stdout);
    return how ? syscall(SYS_clone3, &args, sizeof args) : syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

/* Whether the other thread gets on, within ten seconds. */
static int gets_on(void)
{
    long before = shared->rounds;

    for (int i = 0; i < 1000 && shared->rounds < before + 3; i++)
        usleep(10000);
    return shared->rounds >= before + 3;
}

static int status_of(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void ends(int how, int flags)
{
    for (int end = 0; end < 3; end++) {
        shared->at_end = 0;
        pid_t child = (pid_t)clone_by(how, CLONE_VFORK | flags);
        if (child == 0) {
            int good = gets_on();

            shared->at_end = 1;
            if (end == 1)
                abort();
            if (end == 2)
                kill(getpid(), SIGKILL);
            _exit(10 + good);
        }
        int waited = shared->at_end;
        printf("end %d: waited %d, status %d\n", end, waited, status_of(child));
    }
}

/* The other program ends when its parent has been seen to go on. A failed exec changes nothing. */
static void becomes(int how)
{
    static char shell[] = "sh", command[] = "-c", script[] = "read line; exit 7";
    static char *const argv[] = {shell, command, script, NULL}, *const none[] = {NULL};
    int ends[2];

    if (pipe(ends) != 0)
        exit(1);
    shared->at_end = 0;
    pid_t child = (pid_t)clone_by(how, CLONE_VFORK);
    if (child == 0) {
        execve("/nonexistent", argv, none);
        shared->at_end = gets_on();
        dup2(ends[0], 0);
        close(ends[0]);
        close(ends[1]);
        execve("/bin/sh", argv, none);
        _exit(1);
    }
    int waited = shared->at_end;
    printf("becomes: waited %d", waited);
    close(ends[0]);
    close(ends[1]);
    printf(", status %d\n", status_of(child));
}

/* A child of the child's outlives it. */
static void grandchild(int how)
{
    shared->returned = 0;
    pid_t child = (pid_t)clone_by(how, CLONE_VFORK);
    if (child == 0) {
        if (fork() == 0) {
            while (!shared->returned)
                usleep(1000);
            shared->at_end = 2;
            _exit(0);
        }
        _exit(3);
    }
    shared->returned = 1;
    printf("grandchild: status %d", status_of(child));
    for (int i = 0; i < 1000 && shared->at_end != 2; i++)
        usleep(10000);
    printf(", went on %d\n", shared->at_end == 2);
}

static void *outlives(void *argument)
{
    for (int i = 0; i < 1000 && !shared->returned; i++)
        usleep(10000);
    _exit(5 + shared->returned);
    return argument;
}

/* The child's first thread ends, and leaves another one. */
static void first_ends(int how)
{
    pthread_t thread;

    shared->returned = 0;
    pid_t child = (pid_t)clone_by(how, CLONE_VFORK);
    if (child == 0) {
        pthread_create(&thread, NULL, outlives, NULL);
        syscall(SYS_exit, 0);
    }
    shared->returned = 1;
    printf("first thread ends: status %d\n", status_of(child));
}

/* A child that makes such a child itself. */
static void nested(int how)
{
    pid_t child = (pid_t)clone_by(how, CLONE_VFORK);
    if (child == 0) {
        pid_t inner = (pid_t)clone_by(how, CLONE_VFORK);
        if (inner == 0)
            _exit(5 + gets_on());
        _exit(status_of(inner) + 1);
    }
    printf("nested: status %d\n", status_of(child));
}

static void *makes_too(void *argument)
{
    for (int i = 0; i < 20; i++) {
        pid_t child = (pid_t)clone_by(i % 2, CLONE_VFORK);

        if (child == 0)
            _exit(i);
        *(int *)argument += status_of(child) == i;
    }
    return NULL;
}

/* As a debugger begins a program: the child stops at its exec, and must not before, since its parent waits for it. The
 * name of the program has nothing behind it. */
static void traced(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *name = pages + 4096 - sizeof "/bin/true";
    int status = 0;

    munmap(pages + 4096, 4096);
    strcpy(name, "/bin/true");
    pid_t child = vfork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
            execl(name, name, (char *)NULL);
        _exit(9);
    }
    if (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        printf("stopped %d\n", WSTOPSIG(status));
        ptrace(PTRACE_CONT, child, 0, 0);
        waitpid(child, &status, 0);
    }
    printf("ended %x\n", (unsigned)status);
}

int main(void)
{
    pthread_t thread, makers[3];
    int made[3] = {0}, before = are_open();

    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, goes_on, NULL);
    for (int how = 0; how < 2; how++) {
        ends(how, 0);
        ends(how, CLONE_FILES);
        becomes(how);
        grandchild(how);
        first_ends(how);
        nested(how);
    }
    for (int i = 0; i < 3; i++)
        pthread_create(&makers[i], NULL, makes_too, &made[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(makers[i], NULL);
    printf("made %d %d %d\n", made[0], made[1], made[2]);
    shared->over = 1;
    pthread_join(thread, NULL);
    printf("descriptors more: %d\n", are_open() - before);
    traced();
    return 0;
}
