/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of 64 bytes in two lines each, and visited in no order; in the twin each has a line. */
#include "twin.h"

enum { N = 4000, ROUNDS = 20 };

struct block {
    uint64_t value[8];
};

APART static struct block *make(uint64_t value)
{
#ifdef TWIN
    static char *arena; /* as aligned_alloc would put them */
    if (!arena)
        arena = (char *)aligned_alloc(4096, N * 128 / 4096 * 4096 + 4096);
    struct block *block = (struct block *)arena;
    arena += 128;
    ask_malloc(sizeof *block);
#else
    struct block *block = malloc(sizeof *block);
#endif
    for (int k = 0; k < 8; k++)
        block->value[k] = value;
    return block;
}

int main(void)
{
    static struct block *blocks[N];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        blocks[i] = make(i);
    for (uint32_t k = 0; k < ROUNDS * N; k++) {
        struct block *block = blocks[any() % N];
        sum += block->value[0] + block->value[7]++;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
