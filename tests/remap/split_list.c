/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list whose keys and links are walked; what each node carries lies apart in the twin. */
#include "twin.h"

enum { N = 6000, ROUNDS = 20 };

struct hot {
    uint64_t key;
    struct hot *next;
};
struct cold {
    uint64_t payload[10];
};
static struct hot *nodes[N];
#ifdef TWIN
static struct hot *hot;
static struct cold *cold;
#define COLD(of) cold[(of)-hot]
#else
struct node {
    struct hot hot;
    struct cold cold;
};
#define COLD(of) ((struct node *)(of))->cold
#endif

APART static void make(uint32_t i)
{
#ifdef TWIN
    if (i == 0) {
        hot = aligned_alloc(4096, N * sizeof *hot / 4096 * 4096 + 4096);
        cold = aligned_alloc(4096, N * sizeof *cold / 4096 * 4096 + 4096);
    }
    nodes[i] = &hot[i];
#else
    nodes[i] = malloc(sizeof(struct node));
#endif
    nodes[i]->key = any();
    for (unsigned k = 0; k < 10; k++)
        COLD(nodes[i]).payload[k] = i + k;
}

int main(void)
{
    static uint32_t order[N];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        make(i);
    shuffled(order, N);
    for (uint32_t i = 0; i < N; i++)
        nodes[order[i]]->next = nodes[order[(i + 1) % N]];
    struct hot *at = nodes[0];
    for (uint32_t k = 0; k < ROUNDS * N; k++, at = at->next) {
        sum += at->key;
        if (at->key % 64 == 0)
            sum += COLD(at).payload[k % 10];
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
