/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_clones.c: processes that share the memory of the one that made them, and are no threads (CLONE_VM without
 * CLONE_THREAD): what they share besides, how they end, and that they end alone.
 *
 * Prints the same as on the bare CPU. Ends before its last child, which prints the last line.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 65536, MANY = 12, ROUNDS = 20000, AS_THREADS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND };

static char stacks[MANY][STACK] __attribute__((aligned(16)));
static volatile int value, handled, stop;
static pid_t parent;

static int wait_for(pid_t child)
{
    int status = -1;

    waitpid(child, &status, __WALL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? -WTERMSIG(status) : 1000;
}

static pid_t make(int (*function)(void *), int flags, void *argument)
{
    pid_t child = clone(function, stacks[0] + STACK, flags, argument);

    if (child < 0)
        printf("clone: %s\n", strerror(errno));
    return child;
}

/* ----------------------------------------------------------------------------------------- ends */

static int returns(void *argument)
{
    *(volatile int *)argument = 55;
    return 9;
}

static int exits(void *argument)
{
    value++;
    syscall((long)argument, 10 + value);
    return 0;
}

static int knows(void *argument)
{
    (void)argument;
    return (getpid() != parent) + 2 * (getppid() == parent) + 4 * (getpid() == (pid_t)syscall(SYS_gettid));
}

static void ends(int flags)
{
    value = 0;
    printf("returns %d", wait_for(make(returns, flags, (void *)&value)));
    printf(", value %d\n", value);
    value = 0;
    printf("exit %d", wait_for(make(exits, flags, (void *)SYS_exit)));
    printf(", group %d", wait_for(make(exits, flags, (void *)SYS_exit_group)));
    printf(", value %d, itself %d\n", value, wait_for(make(knows, flags, NULL)));
}

/* ----------------------------------------------------------------------------------------- what is shared */

static void handler(int signal)
{
    (void)signal;
    handled++;
}

static int changes(void *argument)
{
    (void)argument;
    signal(SIGUSR2, handler);
    return dup(1);
}

static void shares(int flags)
{
    struct sigaction action;
    int fd;

    signal(SIGUSR2, SIG_DFL);
    fd = wait_for(make(changes, flags, NULL));
    sigaction(SIGUSR2, NULL, &action);
    printf("descriptors shared %d, actions %d\n", close(fd) == 0, action.sa_handler == handler);
}

static struct {
    void *self, *rest[63];
} storage = {.self = &storage};
static volatile pid_t told, seen, cleared;
static void *volatile found;

static int with_storage(void *argument)
{
    void *self;

    __asm__("mov %%fs:0, %0" : "=r"(self));
    found = self;
    seen = (pid_t)syscall(SYS_getpid);
    return *(int *)argument;
}

static void numbers(void)
{
    static int status = 33;
    pid_t child, now;

    cleared = 1;
    child = clone(with_storage, stacks[0] + STACK,
                  CLONE_VM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
                  &status, &told, &storage, &cleared);
    while ((now = cleared) != 0)
        syscall(SYS_futex, &cleared, FUTEX_WAIT, now, NULL, NULL, 0);
    printf("storage %d, told %d, seen %d", found == &storage, told == child, seen == child);
    printf(", status %d\n", wait_for(child));
}

/* ----------------------------------------------------------------------------------------- signals */

static int waits(void *argument)
{
    value = 1;
    while (argument == NULL || !handled)
        argument == NULL ? (void)pause() : (void)(value += value < 100);
    return handled;
}

static int crashes(void *argument)
{
    *(volatile int *)argument = 1;
    return 0;
}

static char state_of(pid_t process)
{
    char path[64], text[512] = "";
    const char *end;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/stat", process);
    fd = open(path, O_RDONLY);
    if (read(fd, text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(fd);
    end = strrchr(text, ')');
    return end != NULL ? end[2] : '?';
}

/* It sleeps, or has been busy for some rounds: who kills it finds it in its own code, not in what the engine does. */
static pid_t make_waiting(int flags, void *argument)
{
    pid_t child;

    value = 0;
    child = make(waits, flags, argument);
    while (value < (argument == NULL ? 1 : 100) || (argument == NULL && state_of(child) != 'S'))
        usleep(1000);
    usleep(1000);
    return child;
}

static void signals(int flags)
{
    static const int deadly[] = {SIGTERM, SIGKILL, SIGUSR1, SIGINT};
    pid_t child;

    printf("dies of");
    for (unsigned i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        for (int busy = 0; busy < 2; busy++) {
            handled = 0;
            child = make_waiting(flags, busy ? (void *)&value : NULL);
            kill(child, deadly[i]);
            printf(" %d", wait_for(child));
        }
    }
    printf(", of itself %d", wait_for(make(crashes, flags, NULL)));
    signal(SIGUSR2, handler);
    handled = 0;
    child = make_waiting(flags, (void *)&value);
    kill(child, SIGUSR2);
    printf(", handles %d", wait_for(child));
    printf(" %d\n", handled);
    signal(SIGUSR2, SIG_DFL);
}

static char lines[1 << 20];

/* Misses caches all the time: it is killed where the engine works for it, and holds what others need. */
static int misses(void *argument)
{
    for (unsigned i = 0;; i += 4099 * 64)
        *(volatile int *)argument += ++lines[i % sizeof lines] != 0;
    return 0;
}

static int kills_itself(void *argument)
{
    switch ((long)argument) {
    case 0: kill(getpid(), SIGKILL); break;
    case 1: syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGKILL); break;
    case 2: syscall(SYS_tkill, syscall(SYS_gettid), SIGKILL); break;
    default: syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, getpid(), 0), SIGKILL, NULL, 0);
    }
    return 1;
}

static void killed_anywhere(int flags)
{
    int killed = 0;

    for (int i = 0; i < 8; i++) {
        value = 0;
        pid_t child = make(misses, flags, (void *)&value);
        while (value == 0)
            sched_yield();
        usleep(1000 * (i % 5));
        if (i % 2 == 0)
            kill(child, SIGKILL);
        else
            syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, child, 0), SIGKILL, NULL, 0);
        killed += wait_for(child) == -SIGKILL;
        for (unsigned line = 0; line < sizeof lines; line += 64)
            lines[line]++;
    }
    for (long call = 0; call < 4; call++)
        killed += wait_for(make(kills_itself, flags, (void *)call)) == -SIGKILL;
    printf("killed %d\n", killed);
}

/* A child that dies of a default which it shares leaves it as it was: its parent can handle it, and dies of it. */
static void after_a_death(int flags)
{
    pid_t child = fork();

    if (child == 0) {
        handled = 0;
        wait_for(make(crashes, flags, NULL));
        signal(SIGSEGV, handler);
        raise(SIGSEGV);
        child = make_waiting(flags, NULL);
        kill(child, SIGTERM);
        wait_for(child);
        raise(handled ? SIGTERM : SIGKILL);
    }
    printf("after a death %d\n", wait_for(child));
}

/* ----------------------------------------------------------------------------------------- processes */

static int forks(void *argument)
{
    pid_t child = fork();

    if (child == 0) {
        value = 77; /* in a copy */
        _exit(*(int *)argument + 1);
    }
    return wait_for(child) + 1;
}

static int nests(void *argument)
{
    return wait_for(clone(returns, stacks[1] + STACK, CLONE_VM | SIGCHLD, argument)) + 1;
}

static int becomes(void *argument)
{
    char *const *argv = argument;

    value++;
    execv("/nonexistent", argv);
    value++;
    execv("/proc/self/exe", argv);
    return 1;
}

static void *in_thread(void *argument)
{
    value += 100;
    return argument;
}

static int with_thread(void *argument)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, in_thread, argument);
    pthread_join(thread, &result);
    return *(int *)result;
}

static int adds(void *argument)
{
    for (int i = 0; i < ROUNDS; i++)
        __atomic_fetch_add((int *)argument, 1, __ATOMIC_RELAXED);
    return 1;
}

static void *adds_too(void *argument)
{
    adds(argument);
    return NULL;
}

static void many(int flags)
{
    pid_t child[MANY];
    pthread_t thread;
    int sum = 0;

    value = 0;
    pthread_create(&thread, NULL, adds_too, (void *)&value);
    for (int i = 0; i < MANY; i++)
        child[i] = clone(adds, stacks[i] + STACK, flags, (void *)&value);
    for (int i = 0; i < MANY; i++)
        sum += wait_for(child[i]);
    pthread_join(thread, NULL);
    printf("many %d %d\n", sum, value);
}

static void processes(char *again[])
{
    static int number = 20;

    value = 0;
    printf("forks %d", wait_for(make(forks, CLONE_VM | SIGCHLD, &number)));
    printf(", value %d", value);
    printf(", nests %d", wait_for(make(nests, CLONE_VM | SIGCHLD, (void *)&value)));
    printf(", value %d\n", value);
    value = 0;
    printf("becomes %d", wait_for(make(becomes, CLONE_VM | SIGCHLD, again)));
    printf(" %d", wait_for(make(becomes, CLONE_VM | CLONE_VFORK | SIGCHLD, again)));
    printf(" %d", wait_for(make(becomes, AS_THREADS | SIGCHLD, again)));
    printf(", value %d\n", value);
    printf("has a thread %d", wait_for(make(with_thread, CLONE_VM | SIGCHLD, &number)));
    printf(", value %d\n", value);
}

/* ----------------------------------------------------------------------------------------- the end */

static int goes_on(void *argument)
{
    static const char line[] = "goes on\n";
    int sum = 0;

    while (getppid() == parent)
        sched_yield();
    adds(&sum);
    sum -= wait_for(make(forks, CLONE_VM | SIGCHLD, &sum));
    *(volatile int *)argument = (int)write(1, line, sizeof line - 1);
    return sum;
}

int main(int argc, char **argv)
{
    static char me[] = "me", word[] = "again", *again[] = {me, word, NULL};
    static const int kinds[] = {CLONE_VM | SIGCHLD, AS_THREADS | SIGCHLD, AS_THREADS | SIGUSR1, CLONE_VM};

    (void)argv;
    if (argc > 1)
        return 3;
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGUSR1, SIG_IGN);
    parent = getpid();
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ends(kinds[i]);
        shares(kinds[i]);
        many(kinds[i]);
    }
    numbers();
    signal(SIGUSR1, SIG_DFL);
    signals(CLONE_VM | SIGCHLD);
    signals(AS_THREADS | SIGCHLD);
    killed_anywhere(CLONE_VM | SIGCHLD);
    killed_anywhere(AS_THREADS | SIGCHLD);
    after_a_death(AS_THREADS | SIGCHLD);
    processes(again);
    value = 0;
    clone(goes_on, stacks[MANY - 1] + STACK, CLONE_VM | SIGCHLD, (void *)&value);
    _exit(4);
}
