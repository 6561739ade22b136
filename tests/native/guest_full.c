/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_full.c: a program that takes all that it may have, which the engine needs some of.
 *
 *   descriptors   none is left when it sets a limit of memory
 *   memory        threads take all that a limit lets them have, at once
 *   mappings      none is left, and much is still to be done
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, PIECE = 1 << 20, MOST = 1 << 17 };

static void limit_memory(rlim_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = bytes;
    printf("limit %d\n", setrlimit(RLIMIT_AS, &limit));
}

static void descriptors(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 64;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    limit_memory((rlim_t)4 << 30);
}

static pthread_barrier_t together;

static void *take_all(void *unused)
{
    pthread_barrier_wait(&together);
    for (int i = 0; i < MOST && mmap(NULL, PIECE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; i++) {
    }
    return unused;
}

static void memory(void)
{
    pthread_t thread[THREADS];

    limit_memory((rlim_t)2 << 30);
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, take_all, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void mappings(void)
{
    static int numbers[100000];
    int fd = open("/proc/self/exe", O_RDONLY);
    int count = 0;

    while (count < MOST && mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED)
        count++;
    printf("took %d\n", count > 1000);
    for (int i = 0; i < 100000; i++)
        numbers[i] = i * 7919 % 100003;
    qsort(numbers, 100000, sizeof *numbers, compare);
    printf("sorted %d %d %f\n", numbers[0], numbers[99999], strtod("1.5e3", NULL));
}

static void in_child(void (*part)(void))
{
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        part();
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("ended %x\n", status);
}

int main(void)
{
    in_child(descriptors);
    in_child(memory);
    in_child(mappings);
    mappings();
    return 0;
}
