/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All threads add to one sum for each value. REPAIRED: each adds up its values, and adds to the sum once. */
#include "case.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, VALUES = 1 << 12 };

static struct {
    _Atomic uint64_t sum;
} total __attribute__((aligned(64)));
static uint32_t values[VALUES];
static size_t rounds;

static void *add(void *unused)
{
#ifdef REPAIRED
    uint64_t mine = 0;

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < VALUES; i++)
            mine += ((volatile uint32_t *)values)[i];
    total.sum += mine;
#else
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < VALUES; i++)
            total.sum += values[i]; /* problem */
#endif
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    rounds = 10 * scale_of(argc, argv);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = any();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%llu\n", (unsigned long long)total.sum);
    return 0;
}
