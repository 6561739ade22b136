/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search in a sorted array: each of its steps but the last few is into another line. REPAIRED: the keys lie in
 * blocks of a line each, as in a B-tree with 16 keys in a node. */
#include "case.h"

enum { WAYS = 16 };

APART uint32_t *make_keys(size_t n)
{
    uint32_t *keys = aligned_alloc(64, n * sizeof *keys);

    for (size_t i = 0; i < n; i++)
        keys[i] = (uint32_t)(i * 5 + 3);
    return keys;
}

#ifdef REPAIRED
static size_t spread(const uint32_t *keys, uint32_t *tree, size_t blocks, size_t block, size_t from)
{
    if (block >= blocks)
        return from;
    for (size_t i = 0; i < WAYS; i++) {
        from = spread(keys, tree, blocks, block * (WAYS + 1) + i + 1, from);
        tree[block * WAYS + i] = keys[from++];
    }
    return spread(keys, tree, blocks, block * (WAYS + 1) + WAYS + 1, from);
}
#endif

/* The least key that is not less. */
APART uint32_t find(const uint32_t *keys, size_t n, uint32_t wanted)
{
    uint32_t found = 0xffffffffu;

#ifdef REPAIRED
    for (size_t block = 0; block < n / WAYS;) {
        const uint32_t *node = keys + block * WAYS;
        size_t less = 0;
        for (size_t step = WAYS / 2; step; step /= 2)
            less += node[less + step - 1] < wanted ? step : 0;
        less += node[less] < wanted;
        if (less < WAYS)
            found = node[less];
        block = block * (WAYS + 1) + less + 1;
    }
#else
    for (size_t low = 0, high = n; low < high;) {
        size_t middle = (low + high) / 2;
        if (keys[middle] < wanted) /* problem */
            low = middle + 1;
        else {
            found = keys[middle];
            high = middle;
        }
    }
#endif
    return found;
}

int main(int argc, char **argv)
{
    size_t n = 98304 * scale_of(argc, argv);
    uint32_t *keys = make_keys(n);
    uint64_t sum = 0;

#ifdef REPAIRED
    uint32_t *tree = aligned_alloc(64, n * sizeof *tree);
    spread(keys, tree, n / WAYS, 0, 0);
    keys = tree;
#endif
    for (size_t i = 0; i < n; i++)
        sum += find(keys, n, any() % (uint32_t)(n * 5));
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
