/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.c: 64 threads, number t works on 10 t lines; half of them are joined late, one calls pthread_exit.
 *
 *   body      64 calls, one per thread
 *   work      64 calls; thread t: 10 t data reads of fresh lines; all threads 10 * 64 * 63 / 2 = 20160
 * Thread 7 leaves by pthread_exit from `leave`, one call deep.
 */
#include "work.h"

#include <pthread.h>

enum { THREADS = 64 };
static uint64_t result[THREADS];

OUT static void leave(size_t t)
{
    result[t] = work(take_lines(10 * t), 10 * t);
    pthread_exit(NULL);
}

static void *body(void *argument)
{
    size_t t = (size_t)argument;
    if (t == 7)
        leave(t);
    result[t] = work(take_lines(10 * t), 10 * t);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    uint64_t sum = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_create(&thread[t], NULL, body, (void *)t);
        if (t % 2)
            pthread_join(thread[t], NULL);
    }
    for (size_t t = 0; t < THREADS; t += 2)
        pthread_join(thread[t], NULL);
    for (size_t t = 0; t < THREADS; t++)
        sum += result[t];
    printf("lines: %lu\n", (unsigned long)sum);
    return 0;
}
