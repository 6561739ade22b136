/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table with a chain of heap blocks for each place. REPAIRED: open addressing, keys and values in the table. */
#include "case.h"

typedef struct entry {
    uint32_t key, value;
#ifndef REPAIRED
    struct entry *next;
#endif
} entry;

#ifdef REPAIRED
typedef entry place; /* key 0: free */
#else
typedef entry *place;
#endif

APART void put(place *table, size_t mask, uint32_t key, uint32_t value)
{
    size_t at = key * 2654435761u & mask;

#ifdef REPAIRED
    while (table[at].key)
        at = (at + 1) & mask;
    table[at] = (entry){key, value};
#else
    entry *e = malloc(sizeof *e);
    *e = (entry){key, value, table[at]};
    table[at] = e;
#endif
}

APART uint32_t get(const place *table, size_t mask, uint32_t key)
{
    size_t at = key * 2654435761u & mask;

#ifdef REPAIRED
    while (table[at].key && table[at].key != key)
        at = (at + 1) & mask;
    return table[at].value;
#else
    const entry *e = table[at]; /* problem */
    while (e && e->key != key) /* problem */
        e = e->next; /* problem */
    return e ? e->value : 0;
#endif
}

int main(int argc, char **argv)
{
    size_t places = 32768 * scale_of(argc, argv), n = places / 2;
    place *table = calloc(places, sizeof *table);
    uint64_t sum = 0;

    for (size_t i = 1; i <= n; i++)
        put(table, places - 1, (uint32_t)(i * 7), (uint32_t)i);
    for (size_t i = 0; i < 20 * n; i++)
        sum += get(table, places - 1, (uint32_t)((any() % n + 1) * 7));
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
