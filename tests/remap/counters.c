/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of threads side by side in a line, which is what a pad removes. */
#include "twin.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 20000 };

static __attribute__((aligned(64))) volatile long counter[THREADS];

static void *count(void *argument)
{
    for (long i = 0; i < ROUNDS; i++) {
        counter[(long)argument] += i;
        if (i % 50 == 0)
            sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    long sum = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, count, (void *)i);
    for (long i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += counter[i];
    }
    printf("%ld\n", sum);
    return 0;
}
