/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chain whose links lie in memory in no order. REPAIRED: they lie in the order of the chain. */
#include "case.h"

typedef struct link {
    struct link *next;
    uint64_t value;
} link_of;

APART link_of *make_chain(size_t n)
{
    link_of *chain = malloc(n * sizeof *chain);
    uint32_t *order = malloc(n * sizeof *order);

    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
#ifndef REPAIRED
    shuffle(order + 1, n - 1);
#endif
    for (size_t i = 0; i < n; i++) {
        chain[order[i]].next = i + 1 < n ? &chain[order[i + 1]] : NULL;
        chain[order[i]].value = i;
    }
    free(order);
    return chain;
}

APART uint64_t follow(const link_of *at)
{
    uint64_t sum = 0;

    for (uint64_t factor = 1; at; at = at->next) /* problem */
        sum += at->value * factor++; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 40000 * scale_of(argc, argv);
    link_of *chain = make_chain(n);
    uint64_t sum = 0;

    for (int round = 0; round < 20; round++)
        sum += follow(chain);
    printf("%llu\n", (unsigned long long)sum);
    free(chain);
    return 0;
}
