/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A limit that threads read over and over lies beside a counter that one of them writes. REPAIRED: a line for each. */
#include "case.h"
#include <pthread.h>

enum { THREADS = 4, VALUES = 1 << 12 };

static struct {
    volatile uint32_t limit;
#ifdef REPAIRED
    char padding[60];
#endif
    volatile uint64_t done;
} state __attribute__((aligned(64)));
static uint32_t values[VALUES];
static size_t rounds;

static void *work(void *result)
{
    uint64_t below = 0;

    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < VALUES; i++) {
            if (values[i] < state.limit) /* problem */
                below++;
        }
    *(uint64_t *)result = below;
    return NULL;
}

static void *tell(void *result)
{
    for (size_t i = 0; i < rounds * VALUES; i++)
        state.done++; /* problem */
    *(uint64_t *)result = state.done;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    uint64_t results[THREADS], sum = 0;

    rounds = 10 * scale_of(argc, argv);
    state.limit = 1000000000;
    for (size_t i = 0; i < VALUES; i++)
        values[i] = any();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i == 0 ? tell : work, &results[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += results[i];
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
