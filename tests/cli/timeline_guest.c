/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline_guest.c: three phases, each in a function of its own, with a request between each two of them.
 *
 *     timeline_guest [TIMES [THREADS]]     so many times as long [1], with so many threads that count meanwhile [0]
 */
#include <pthread.h>
#include <stdlib.h>

#include "tenure.h"

enum { WORDS = 1 << 20, LINE = 16, MOST = 8 };

static unsigned memory[WORDS];

__attribute__((noinline)) static unsigned count_up(unsigned n)
{
    volatile unsigned sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += i;
    return sum;
}

__attribute__((noinline)) static unsigned walk(unsigned n)
{
    unsigned sum = 0;

    while (n--) {
        for (unsigned i = 0; i < WORDS; i += LINE)
            sum += memory[i]++;
    }
    return sum;
}

__attribute__((noinline)) static unsigned leap(unsigned n)
{
    unsigned sum = 0, at = 1;

    while (n--) {
        at = at * 1664525 + 1013904223;
        sum += memory[at >> 12]++;
    }
    return sum;
}

static void *count_too(void *times)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < 30000 * *(const unsigned *)times; i++)
        sum += count_up(1000);
    return (void *)(size_t)sum;
}

int main(int argc, char **argv)
{
    unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1, threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0, sum;
    pthread_t thread[MOST];

    for (unsigned i = 0; i < threads && i < MOST; i++)
        pthread_create(&thread[i], NULL, count_too, &times);
    sum = count_up(1000000 * times);
    TENURE_DUMP("counted\033[1m");
    sum += walk(30 * times);
    TENURE_COLLECT(0);
    sum += count_up(1000);
    TENURE_COLLECT(1);
    sum += leap(400000 * times);
    for (unsigned i = 0; i < threads && i < MOST; i++)
        pthread_join(thread[i], NULL);
    return sum == 42;
}
