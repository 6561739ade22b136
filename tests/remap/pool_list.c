/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small blocks with others between them, walked in the order in which they were allocated. */
#include "twin.h"

enum { N = 6000, ROUNDS = 30 };

struct node {
    struct node *next;
    uint64_t key, count;
};
static void *others[N];

APART static struct node *make(uint64_t key)
{
    struct node *node;
#ifdef TWIN
    static struct node *pool;
    if (!pool)
        pool = aligned_alloc(4096, (N * sizeof *pool + 4095) / 4096 * 4096);
    node = pool++;
#else
    node = malloc(sizeof *node);
#endif
    node->key = key;
    node->count = 0;
    return node;
}

APART static void *other(void)
{
    return malloc(any() % 128);
}

int main(void)
{
    struct node *first = NULL, **last = &first;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++) {
        *last = make(i);
        last = &(*last)->next;
        others[i] = other();
    }
    *last = NULL;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (struct node *at = first; at; at = at->next)
            sum += at->key + at->count++;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
