/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields.c: arrays of structures on the heap and elsewhere, of which one member is read; says where each is.
 *
 * Every array is walked once from its beginning to its end, in a function of its own, so that each line with a byte
 * that is read comes in exactly once, whatever the caches.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct inner {
    float x, y;
};
struct item {
    char tag;
    struct inner at;
    union {
        int number;
        double real;
    } u;
    unsigned few : 3, more : 9;
    short list[5];
    struct item *next;
};
struct open { /* no array of these can be told from its size */
    int count;
    int values[];
};

_Alignas(64) struct item table[500]; /* whole lines: no neighbour has met one of them */
_Alignas(64) double plain[1000];
long sum;

static void *get(size_t bytes)
{
    void *block = malloc(bytes);

    if (block == NULL)
        abort();
    return block;
}

static void said(const char *name, const void *block)
{
    printf("%s %lu\n", name, (unsigned long)((uintptr_t)block % 64));
}

__attribute__((noinline)) static void walk_items(const struct item *items, long count)
{
    for (long i = 0; i < count; i++)
        sum += items[i].u.number;
}

__attribute__((noinline)) static void walk_plain(void)
{
    for (long i = 0; i < 1000; i += 4)
        sum += (long)plain[i];
}

__attribute__((noinline)) static void walk_open(const struct open *open)
{
    for (long i = 0; i < 400; i++)
        sum += open->values[2 * i];
}

int main(void)
{
    struct item *own = get(700 * sizeof *own);
    struct item *zeroed = calloc(600, sizeof *zeroed);
    struct open *open = malloc(sizeof *open + 800 * sizeof *open->values);

    if (zeroed == NULL || open == NULL)
        return 1;
    said("own", own);
    said("zeroed", zeroed);
    said("table", table);
    said("plain", plain);
    said("open", open);
    fflush(stdout);
    walk_items(own, 700);
    walk_items(zeroed, 600);
    walk_items(table, 500);
    walk_plain();
    walk_open(open);
    return 0;
}
