/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_sharing.c: two threads and a cache line, three times.
 *
 *   add_left, add_right    each its own counter, both on one line
 *   add_same               both the same counter
 *   add_first, add_second  each its own counter on its own line
 *
 * Each is called once by each of its threads, with a number of rounds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define OUT static __attribute__((noinline, noipa))

static struct {
    _Alignas(64) volatile long left;
    volatile long right;
    _Alignas(64) volatile long same;
    _Alignas(64) volatile long first;
    _Alignas(64) volatile long second;
} counters;
static long rounds = 20000;

#define ADD(name)                          \
    OUT void *add_##name(void *argument)   \
    {                                      \
        for (long i = 0; i < rounds; i++)  \
            counters.name++;               \
        return argument;                   \
    }
ADD(left)
ADD(right)
ADD(same)
ADD(first)
ADD(second)

static void both(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t thread[2];

    pthread_create(&thread[0], NULL, one, NULL);
    pthread_create(&thread[1], NULL, other, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atol(argv[1]);
    both(add_left, add_right);
    both(add_same, add_same);
    both(add_first, add_second);
    /* Of `same` some additions are lost wherever threads take turns between its read and its write. */
    printf("%ld %ld\n", counters.left + counters.right, counters.first + counters.second);
    return counters.same < rounds;
}
