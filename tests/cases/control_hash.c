/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a hash table of buckets of a line each, that is well filled and fits into the last level. One line is loaded
 * for a look-up, and all its keys are compared. */
#include "case.h"

enum { WAYS = 8 };

APART void put(uint64_t (*table)[WAYS], size_t mask, uint64_t key)
{
    uint64_t *bucket = table[key * 0x9e3779b97f4a7c15u >> 32 & mask];

    for (int i = 0; i < WAYS; i++)
        if (bucket[i] == 0) {
            bucket[i] = key;
            return;
        }
}

APART size_t has(uint64_t (*table)[WAYS], size_t mask, uint64_t key)
{
    const uint64_t *bucket = table[key * 0x9e3779b97f4a7c15u >> 32 & mask];
    size_t found = 0;

    for (int i = 0; i < WAYS; i++)
        found += bucket[i] == key;
    return found;
}

int main(int argc, char **argv)
{
    size_t buckets = 2048 * scale_of(argc, argv), n = buckets * WAYS / 2, found = 0;
    uint64_t(*table)[WAYS] = aligned_alloc(64, buckets * sizeof *table);

    for (size_t i = 0; i < buckets * WAYS; i++)
        table[i / WAYS][i % WAYS] = 0;
    for (size_t i = 1; i <= n; i++)
        put(table, buckets - 1, i);
    for (size_t i = 0; i < 20 * n; i++)
        found += has(table, buckets - 1, any() % (2 * n));
    printf("%zu\n", found);
    return 0;
}
