/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_aliases.c: code that is written where it is not executed: through another mapping of the same memory, as a
 * file, by another process, or past all protection. What is executed is always what was written last.
 *
 * The same on the bare CPU: between a write and the code there is a call at least.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS = 300, RW = PROT_READ | PROT_WRITE, RX = PROT_READ | PROT_EXEC };

typedef int code(int);
static long sum;

/* mov $value, %eax; 1: adc $1, %eax; sub $1, %edi; ja 1b; ret: the first flag is the caller's. */
static const uint8_t looping[] = {0xb8, 0, 0, 0, 0, 0x83, 0xd0, 1, 0x83, 0xef, 1, 0x77, 0xf8, 0xc3};

static void make(void *to, int value)
{
    uint8_t bytes[sizeof looping];

    memcpy(bytes, looping, sizeof bytes);
    memcpy(bytes + 1, &value, sizeof value);
    memcpy(to, bytes, sizeof bytes);
}

static int run(const void *at, int times, int carry)
{
    int result;

    __asm__ volatile("bt $0, %3; call *%2"
                     : "=a"(result), "+D"(times)
                     : "r"(at), "r"(carry)
                     : "cc", "memory", "rcx", "rdx", "r8", "r9", "r10", "r11");
    return result;
}

/* Both are the same memory. */
static void rounds(const char *what, void *to, const void *at)
{
    sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        make(to, i);
        sum += run(at, 1 + i % 50, i & 1);
        if (i % 3 == 0) {
            ((uint8_t *)to)[7] = 2; /* adc $2: in the middle */
            sum += run(at, 1 + i % 50, 0);
        }
    }
    *(uint8_t *)to = 0xc3; /* the shortest */
    __asm__ volatile("call *%0" : : "r"(at) : "memory");
    printf("%s %ld\n", what, sum);
}

static void *map(int fd, int protection, int flags)
{
    return mmap(NULL, PAGE, protection, flags, fd, 0);
}

static int file(void)
{
    int fd = memfd_create("code", 0);

    return fd >= 0 && ftruncate(fd, PAGE) == 0 ? fd : -1;
}

static void mappings(void)
{
    int fd = file();
    void *to = map(fd, RW, MAP_SHARED), *at = map(fd, RX, MAP_SHARED), *late, *moved;

    rounds("two mappings", to, at);
    munmap(to, PAGE);
    to = map(fd, RW, MAP_SHARED);
    rounds("the other one first", to, at);
    late = map(fd, PROT_READ, MAP_SHARED);
    mprotect(late, PAGE, RX);
    rounds("executable later", to, late);
    late = map(fd, PROT_NONE, MAP_SHARED);
    mprotect(late, PAGE, RW);
    rounds("writable later", late, at);
    rounds("executable and writable", map(fd, RW | PROT_EXEC, MAP_SHARED), at);
    rounds("one for both", late, map(fd, RW | PROT_EXEC, MAP_SHARED));
    moved = mremap(to, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map(-1, RW, MAP_PRIVATE | MAP_ANONYMOUS));
    rounds("writable moved", moved, at);
    at = mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map(-1, RW, MAP_PRIVATE | MAP_ANONYMOUS));
    rounds("executable moved", moved, at);
    rounds("doubled", moved, mremap(at, 0, PAGE, MREMAP_MAYMOVE));
    close(fd);
}

static void segments(void)
{
    int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0700);
    uint8_t *to = shmat(id, NULL, 0), *at = shmat(id, NULL, SHM_EXEC | SHM_RDONLY), *both = shmat(id, NULL, 0);

    shmctl(id, IPC_RMID, NULL);
    rounds("segment", to, at);
    rounds("its second page", to + PAGE, at + PAGE);
    mprotect(both, 2 * PAGE, RX);
    rounds("executable later", to + PAGE, both + PAGE);
    shmdt(to);
    shmdt(at);
    shmdt(both);
}

static void as_file(void)
{
    int fd = file(), memory = open("/proc/self/mem", O_RDWR);
    void *shared = map(fd, RX, MAP_SHARED), *private = map(fd, RX, MAP_PRIVATE);
    void *own = map(-1, RX, MAP_PRIVATE | MAP_ANONYMOUS), *both = map(-1, RW | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS);
    uint8_t bytes[sizeof looping];
    struct iovec from = {bytes, sizeof bytes}, to = {both, sizeof bytes};

    sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        make(bytes, i);
        if (pwrite(fd, bytes, sizeof bytes, 0) > 0)
            sum += run(shared, 3, 0) + run(private, 4, 0);
        make(bytes, 3 * i);
        lseek(fd, 0, SEEK_SET);
        if (write(fd, bytes, sizeof bytes) > 0)
            sum += run(shared, 5, 1) + run(private, 6, 1);
        if (pwritev(memory, &from, 1, (off_t)(uintptr_t)own) > 0)
            sum += run(own, 7, 0);
        if (pwrite(memory, bytes, sizeof bytes, (off_t)(uintptr_t)both) > 0)
            sum += run(both, 8, 0);
        make(bytes, 5 * i);
        if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) > 0)
            sum += run(both, 9, 0);
    }
    printf("as a file %ld\n", sum);
    close(memory);
    close(fd);
}

/* ----------------------------------------------------------------------------------------- others */

static void by_processes(void)
{
    uint8_t *page = map(-1, RW | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS);
    int status;

    sum = 0;
    for (int i = 0; i < 20; i++) {
        make(page, i);
        sum += run(page, 1, 0);
        if (fork() == 0) {
            sum = run(page, 2, 0);
            make(page, 100 + i);
            _exit((int)sum + run(page, 1, 0) - 100 - i);
        }
        wait(&status);
        sum += WEXITSTATUS(status) + run(page, 3, 1);
    }
    printf("by processes %ld\n", sum);
}

static volatile int begun;

static void *looping_there(void *at)
{
    begun = 1;
    return (void *)(intptr_t)run(at, 0, 0);
}

/* A jump to itself, which another thread makes mov $7, %eax; ret. */
static void by_threads(void)
{
    static const union {
        uint8_t bytes[8];
        uint64_t whole;
    } wait_here = {{0xeb, 0xfe}}, go_on = {{0xb8, 7, 0, 0, 0, 0xc3}};
    int fd = file();
    volatile uint64_t *to = map(fd, RW, MAP_SHARED);
    void *at = map(fd, RX, MAP_SHARED), *result;
    pthread_t thread;

    sum = 0;
    for (int i = 0; i < 20; i++) {
        *to = wait_here.whole;
        begun = 0;
        pthread_create(&thread, NULL, looping_there, at);
        while (!begun)
            sched_yield();
        for (int n = 0; n < i * 100; n++)
            __asm__ volatile("pause");
        *to = go_on.whole;
        pthread_join(thread, &result);
        sum += (intptr_t)result;
    }
    printf("by threads %ld\n", sum);
    close(fd);
}

/* ----------------------------------------------------------------------------------------- gone */

static sigjmp_buf back;

static void faulting(int signal, siginfo_t *info, void *context)
{
    (void)context;
    printf(" signal %d at %d", signal, (int)((uintptr_t)info->si_addr % PAGE));
    siglongjmp(back, 1);
}

static void try(const void *at)
{
    if (sigsetjmp(back, 1) == 0)
        printf(" %d", run(at, 2, 0));
}

/* What it was made of is no longer there. */
static void gone(void)
{
    struct sigaction action = {.sa_sigaction = faulting, .sa_flags = SA_SIGINFO};
    int fd = file(), id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0700);
    void *to = map(fd, RW, MAP_SHARED), *at = map(fd, RX, MAP_SHARED);
    uint8_t *segment = shmat(id, NULL, SHM_EXEC);

    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    shmctl(id, IPC_RMID, NULL);
    make(to, 1);
    make(segment + PAGE, 1);
    printf("gone");
    try(at);
    try(segment + PAGE);
    shmdt(segment);
    try(segment + PAGE);
    if (ftruncate(fd, 0) == 0)
        try(at);
    if (ftruncate(fd, PAGE) == 0)
        make(to, 2);
    try(at);
    mprotect(at, PAGE, PROT_READ);
    try(at);
    printf("\n");
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    mappings();
    segments();
    as_file();
    by_processes();
    by_threads();
    gone();
    return 0;
}
