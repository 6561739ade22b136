/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each thread has a counter of its own, and the counters share a line. REPAIRED: each has a line of its own. */
#include "case.h"
#include <pthread.h>

enum { THREADS = 4, VALUES = 1 << 12 };

struct counter {
    volatile uint64_t even;
#ifdef REPAIRED
    char padding[56];
#endif
} __attribute__((aligned(sizeof(uint64_t))));

static struct counter counters[THREADS] __attribute__((aligned(64)));
static uint32_t values[VALUES];
static size_t rounds;

static void *count(void *counter)
{
    struct counter *mine = counter;

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < VALUES; i++)
            if (values[i] % 2 == 0)
                mine->even++; /* problem */
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    uint64_t sum = 0;

    rounds = 20 * scale_of(argc, argv);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = any();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, &counters[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += counters[i].even;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
