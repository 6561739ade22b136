/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks in one order that are visited in another: in the twin they lie as they are visited. */
#include "twin.h"

#include <unistd.h>

enum { N = 6000, ROUNDS = 60 };

struct node {
    struct node *next;
    uint64_t key, count;
};
static struct node *nodes[N];
static uint32_t order[N];

APART static struct node *make(uint32_t i)
{
#ifdef TWIN
    static struct node *pool;
    if (!pool)
        pool = aligned_alloc(4096, (N * sizeof *pool + 4095) / 4096 * 4096);
    struct node *node = pool++;
    ask_malloc(sizeof *node);
#else
    struct node *node = malloc(sizeof *node);
#endif
    node->key = i;
    node->count = 0;
    return node;
}

#ifdef TWIN
/* The nodes as they are visited: the system copies them, so that no access of the program does. */
APART static struct node *make_walked(struct node *walked)
{
    FILE *file = tmpfile();
    for (uint32_t i = 0; i < N; i++) {
        if (write(fileno(file), nodes[order[i]], sizeof *walked) != sizeof *walked)
            abort();
    }
    if (pread(fileno(file), walked, N * sizeof *walked, 0) != N * sizeof *walked)
        abort();
    fclose(file);
    return walked;
}
#endif

int main(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        nodes[i] = make(i);
    shuffled(order, N);
#ifdef TWIN
    static __attribute__((aligned(4096))) struct node walked[N];
#define NEXT(i) &walked[i]
#else
#define NEXT(i) nodes[order[i]]
#endif
    for (uint32_t i = 0; i < N; i++)
        nodes[order[i]]->next = i + 1 < N ? NEXT(i + 1) : NULL;
    struct node *first = nodes[order[0]];
#ifdef TWIN
    first = make_walked(walked);
#endif
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (struct node *at = first; at; at = at->next)
            sum += at->key + at->count++;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
