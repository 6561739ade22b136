/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_parallel.c: threads that share nothing, so that what they cost does not depend on who runs when.
 *
 *   body      4 calls, one per thread
 *   turn      8 calls from each body; each runs through the thread's own 64 KiB with `sweep`, then `down`
 *   sweep     32 calls; 1024 lines of 64 bytes, read and written
 *   down      16 levels deep from each turn
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define OUT static __attribute__((noinline, noipa))

enum { THREADS = 4, TURNS = 8, WORDS = 8192, DEPTH = 16 };

struct own {
    _Alignas(65536) uint64_t word[WORDS];
    uint64_t result;
};
static struct own owns[THREADS];

OUT uint64_t sweep(struct own *own)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < WORDS; i += 8) {
        sum += own->word[i];
        own->word[i] = sum + i;
    }
    return sum;
}

OUT uint64_t down(struct own *own, unsigned depth)
{
    return depth == 0 ? own->word[0] : down(own, depth - 1) + own->word[8 * depth];
}

OUT void turn(struct own *own, unsigned number)
{
    own->result += sweep(own) + down(own, DEPTH) + number;
}

OUT void *body(void *argument)
{
    struct own *own = argument;

    for (unsigned i = 0; i < TURNS; i++)
        turn(own, i);
    return own;
}

int main(void)
{
    pthread_t thread[THREADS];
    uint64_t sum = 0;

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body, &owns[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += owns[i].result;
    }
    printf("%lx\n", (unsigned long)sum);
    return 0;
}
