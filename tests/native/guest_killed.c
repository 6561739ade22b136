/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_killed.c: processes that share the memory of the one that made them, and are killed.
 *
 *     guest_killed inside    by another process, while the engine translates code for it: it holds what others need
 *     guest_killed anywhere  by another process, many of them, each at some moment
 *     guest_killed outside   by themselves or by this one, with nothing held; then another one keeps the engine long
 *     guest_killed not       they are not: each runs while the next one is made
 *
 * What keeps the engine is the page of the code, which comes when another process sends it (userfaultfd). Exit status
 * 77: the kernel has no such pages.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 65536, MANY = 40, FEW = 4 };
enum { LONG = 12 }; /* seconds: more than the engine waits for a child that was killed */

static char stacks[FEW][STACK] __attribute__((aligned(16)));
static void *page;
static struct {
    pid_t child;            /* the one made last */
    volatile int is_wanted; /* the page */
} *shared;                  /* with another process */
static int fd;
static volatile int progress, stop;
static char lines[8 << 20];

static pid_t make(int number, int (*function)(void *), void *argument)
{
    return clone(function, stacks[number] + STACK, CLONE_VM | CLONE_PARENT_SETTID | SIGCHLD, argument,
                 &shared->child);
}

static int status_of(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void have_page(void)
{
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register all = {.mode = UFFDIO_REGISTER_MODE_MISSING};

    page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    all.range.start = (unsigned long)page;
    all.range.len = PAGE;
    fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &all) != 0)
        exit(77);
}

/* Another process: when the page is wanted, it kills who wants it, or sends it late. */
static void watch(int kills)
{
    static unsigned char code[PAGE];
    struct uffdio_copy copy = {.dst = (unsigned long)page, .src = (unsigned long)code, .len = PAGE};
    struct uffd_msg wanted;

    if (fork() != 0)
        return;
    memset(code, 0xc3, sizeof code); /* RET */
    if (read(fd, &wanted, sizeof wanted) != sizeof wanted)
        _exit(1);
    shared->is_wanted = 1;
    if (kills) {
        kill(shared->child, SIGKILL);
    } else {
        sleep(LONG);
        ioctl(fd, UFFDIO_COPY, &copy);
    }
    _exit(0);
}

static int runs_there(void *argument)
{
    (*(void (**)(void))argument)();
    return 7;
}

/* Code that has not run yet. */
static void __attribute__((noinline)) goes_on(void)
{
    printf("goes on\n");
}

static void has_page(int kills)
{
    have_page();
    watch(kills);
    pid_t child = make(0, runs_there, &page);
    while (!shared->is_wanted)
        usleep(1000);
    goes_on();
    printf("ends: %d\n", status_of(child));
}

static int kills_itself(void *argument)
{
    switch ((long)argument) {
    case 0: kill(getpid(), SIGKILL); break;
    case 1: syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGKILL); break;
    case 2: syscall(SYS_tkill, syscall(SYS_gettid), SIGKILL); break;
    case 3: syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, getpid(), 0), SIGKILL, NULL, 0); break;
    default: pause();
    }
    return 1;
}

static void outside(void)
{
    for (long how = 0; how < 5; how++) {
        pid_t child = make(0, kills_itself, (void *)how);
        if (how == 4)
            kill(child, SIGKILL); /* it may not have begun yet */
        printf("killed: %d\n", status_of(child));
    }
}

static int misses(void *argument)
{
    for (unsigned i = 0; !stop; i += 4099 * 64) {
        lines[i % sizeof lines]++;
        ++*(volatile int *)argument;
    }
    return 7;
}

static void anywhere(void)
{
    int killed = 0, status = 0;

    for (int i = 0; i < MANY; i++) {
        progress = 0;
        pid_t child = make(0, misses, (void *)&progress), other;
        while (progress == 0 && waitpid(child, &status, WNOHANG) == 0)
            sched_yield();
        if (progress == 0)
            exit(WEXITSTATUS(status)); /* the engine has ended it */
        if ((other = fork()) == 0) {
            kill(child, SIGKILL);
            _exit(0);
        }
        killed += status_of(child) == -SIGKILL;
        status_of(other);
        for (unsigned at = 0; at < sizeof lines; at += PAGE)
            lines[at]++;
    }
    printf("killed: %d\n", killed);
}

static void not(void)
{
    pid_t child[FEW];
    int sum = 0;

    for (int i = 0; i < FEW; i++) {
        progress = 0;
        child[i] = make(i, misses, (void *)&progress);
        while (progress == 0)
            usleep(1000);
    }
    stop = 1;
    for (int i = 0; i < FEW; i++)
        sum += status_of(child[i]);
    printf("sum: %d\n", sum);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    setvbuf(stdout, NULL, _IONBF, 0);
    shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (strcmp(what, "outside") == 0)
        outside();
    if (strcmp(what, "outside") == 0 || strcmp(what, "inside") == 0)
        has_page(strcmp(what, "inside") == 0);
    if (strcmp(what, "anywhere") == 0)
        anywhere();
    if (strcmp(what, "not") == 0)
        not();
    return 0;
}
