/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chase.c: a pointer chase round a ring of N nodes of NODE bytes, of which 16 are used, P times.
 *
 * The order is a permutation; each set sees its lines round and round in one order, more of them than it has
 * ways, so LRU never hits. D1 = 32768,8,64, N = 4096, NODE = 192, P = 10, in `chase`:
 *   Dr = 2 N P + 1 (next, value, ret)
 *   D1mr = N P for the load of `next`, none for `value` (same line)
 *   each tenure: 2 touches, 16 bytes, SpLoss 48, AcCost 500
 * The nodes begin on line boundaries: 3 lines each, two of which are never touched here.
 */
#include "guest.h"

enum { N = 4096, P = 10, STEP = 1597 };
struct node {
    struct node *next;
    uint64_t value;
    uint64_t unused[22];
};
static struct node nodes[N] __attribute__((aligned(64)));

OUT uint64_t chase(const struct node *first, uint64_t visits);
uint64_t chase(const struct node *first, uint64_t visits)
{
    uint64_t sum = 0;
    const struct node *at = first;
    for (; visits; visits--) {
        const struct node *next = (const struct node *)LOAD(&at->next);
        sum += LOAD(&at->value);
        at = next;
    }
    return sum;
}

OUT void build(void);
void build(void)
{
    for (uint64_t i = 0; i < N; i++) { /* STEP is odd, N a power of two: one ring */
        STORE(&nodes[i * STEP % N].next, (uint64_t)&nodes[(i + 1) * STEP % N]);
        STORE(&nodes[i * STEP % N].value, i);
    }
}

void guest_main(void)
{
    build();
    guest_say("sum", chase(nodes, (uint64_t)N * P)); /* P * N (N - 1) / 2 */
    guest_exit(0);
}
