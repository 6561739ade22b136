/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chase.c: a pointer chase. Nodes of 96 bytes in one random cycle; each step reads the pointer and two words of
 * what a node carries, so that most bytes of most lines are never touched and nearly every step misses. What is
 * read is mixed a little, as a look-up hashes or compares keys: otherwise the bare CPU's own misses, which are the
 * same under every tool, would be most of what is measured.
 *
 *   chase NODES STEPS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    uint64_t payload[11];
};

static uint64_t random_state = 1;

static size_t below(size_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((random_state >> 33) % limit);
}

/* Sattolo's shuffle: one cycle through all nodes. */
static void link_nodes(struct node *nodes, size_t count)
{
    size_t *order = malloc(count * sizeof *order);
    if (!order)
        abort();
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = below(i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < count; i++) {
        nodes[order[i]].next = &nodes[order[i + 1 < count ? i + 1 : 0]];
        nodes[order[i]].payload[5] = order[i];
        nodes[order[i]].payload[6] = i;
    }
    free(order);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t chase(const struct node *at, unsigned long steps)
{
    uint64_t sum = 0;
    for (; steps > 0; steps--) {
        sum += mix(at->payload[5]) ^ mix(at->payload[6] + steps);
        at = at->next;
    }
    return sum;
}

int main(int argc, char **argv)
{
    size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (count < 2 || steps == 0) {
        fprintf(stderr, "usage: chase NODES STEPS\n");
        return 2;
    }
    struct node *nodes = calloc(count, sizeof *nodes);
    if (!nodes)
        return 1;
    link_nodes(nodes, count);
    printf("%llu\n", (unsigned long long)chase(nodes, steps));
    free(nodes);
    return 0;
}
