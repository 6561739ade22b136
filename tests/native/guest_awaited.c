/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_awaited.c: what others do while a thread waits for a page that they have to bring (userfaultfd).
 *
 * It sleeps in the middle of a block then, and cannot come out of it. Prints how each process ended, the same as on the
 * bare CPU.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE_MAKES 0xaa00 /* USERFAULTFD_IOC_NEW */

enum { PAGE = 4096, STACK = 65536, USER_MODE_ONLY = 1 /* what every user may have */ };

static volatile char *place;
static char page[PAGE] __attribute__((aligned(PAGE)));
static char stack[STACK] __attribute__((aligned(16)));

static int make_descriptor(void)
{
    struct uffdio_api api = {.api = UFFD_API};
    int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    int fd = device < 0 ? -1 : ioctl(device, DEVICE_MAKES, O_CLOEXEC);

    if (fd < 0)
        fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | USER_MODE_ONLY);
    place = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register all = {.range = {(uint64_t)place, PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &all) == 0 ? fd : -1;
}

static void wait_for_fault(int fd)
{
    struct uffd_msg fault;

    if (read(fd, &fault, sizeof fault) != sizeof fault)
        _exit(100);
}

static void *read_page(void *unused)
{
    return place[0] ? unused : NULL;
}

static int child_reads(void *unused)
{
    (void)unused;
    return place[0];
}

static int status_of(pid_t child)
{
    int status;

    return waitpid(child, &status, __WALL) == child ? status : -1;
}

static void end(void)
{
    exit(3);
}

static void be_ended(void)
{
    kill(getpid(), SIGTERM);
    pause();
}

static void crash(void)
{
    raise(SIGSEGV);
}

static void execute(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

static void make_child(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(5);
    exit(WEXITSTATUS(status_of(child)));
}

static void (*const ways[])(void) = {end, be_ended, crash, execute, make_child};

/* One thread waits, the other goes its way. */
static void go(void (*way)(void), int fd)
{
    pthread_t thread;

    pthread_create(&thread, NULL, read_page, NULL);
    wait_for_fault(fd);
    way();
}

/* A process that shares the memory waits, and is killed; the next goes on. */
static void kill_process(int fd)
{
    struct uffdio_copy copy = {.dst = (uint64_t)place, .src = (uint64_t)page, .len = PAGE};
    pid_t child = clone(child_reads, stack + STACK, CLONE_VM | SIGCHLD, NULL);

    wait_for_fault(fd);
    kill(child, SIGKILL);
    printf("killed: %d\n", WTERMSIG(status_of(child)));
    child = clone(child_reads, stack + STACK, CLONE_VM | SIGCHLD, NULL);
    wait_for_fault(fd);
    ioctl(fd, UFFDIO_COPY, &copy);
    printf("went on: %d\n", WEXITSTATUS(status_of(child)));
}

int main(void)
{
    page[0] = 7;
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        pid_t child = fork();
        if (child == 0) {
            int fd = make_descriptor();
            if (fd >= 0)
                go(ways[i], fd);
            _exit(99);
        }
        int status = status_of(child);
        printf("way %u: exit %d, signal %d\n", i, WEXITSTATUS(status), WTERMSIG(status));
        fflush(stdout);
    }
    int fd = make_descriptor();
    if (fd >= 0)
        kill_process(fd);
    return 0;
}
