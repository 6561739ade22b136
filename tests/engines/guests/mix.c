/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bit of everything that is counted exactly as Cachegrind counts it: sorting, floating point, tables, copies
 * with and without rep, atomics, stack frames, accesses that straddle lines. Deterministic. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double table[64][64];
static char from[100000], to[100000];
static atomic_long counter;

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void copies(void)
{
    void *source = from, *target = to;
    long count = 777;

    memcpy(to, from, sizeof to);
    memset(from, 1, sizeof from);
    memmove(from + 1, from, 50000);
    __asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count)::"memory");
    count = 99;
    __asm__ volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(0l) : "memory");
}

static long straddles(void)
{
    long sum = 0;
    int i;

    for (i = 0; i < 5000; i++)
        sum += *(volatile long *)(from + 8 * i + 3);
    return sum;
}

int main(void)
{
    enum { N = 20000 };
    int *numbers = malloc(N * sizeof *numbers), i, j;

    for (i = 0; i < N; i++)
        numbers[i] = rand();
    qsort(numbers, N, sizeof *numbers, by_value);
    for (i = 0; i < 64; i++)
        for (j = 0; j < 64; j++)
            table[j][i] = sin(i * j);
    copies();
    for (i = 0; i < 1000; i++) {
        counter++;
        atomic_fetch_add(&counter, 3);
    }
    __asm__ volatile("enter $16, $0; leave" ::: "memory");
    printf("%d %f %d %ld %ld\n", numbers[5], table[3][4], fibonacci(15), (long)counter, straddles());
    return 0;
}
