/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h: find an id by what it stands for.
 *
 * Open addressing over 32-bit ids. The table knows hashes, not keys: its user compares. So one table serves
 * instructions, segments, accesses and arcs, and a key is stored once, in the array that the id indexes.
 *
 *   used <= 3/4 size; size is a power of two; a slot with id 0 is empty
 */
#ifndef TENURE_CORE_TABLE_H
#define TENURE_CORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tn_table_slot {
    uint32_t hash, id;
};

struct tn_table {
    struct tn_table_slot *slots;
    uint32_t size, used;
};

void tn_table_init(struct tn_table *table);
void tn_table_free(struct tn_table *table);

/* Whether what `id` stands for equals `key`. */
typedef bool tn_table_equal(const void *owner, uint32_t id, const void *key);

/* The id with this hash for which `equal` holds, or 0. Inlined, so that `equal` is inlined as well. */
static inline __attribute__((always_inline)) uint32_t tn_table_find(const struct tn_table *table, uint32_t hash,
                                                                    tn_table_equal *equal, const void *owner,
                                                                    const void *key)
{
    uint32_t mask = table->size - 1;
    for (uint32_t i = hash & mask; table->slots[i].id; i = (i + 1) & mask) {
        if (table->slots[i].hash == hash && equal(owner, table->slots[i].id, key))
            return table->slots[i].id;
    }
    return 0;
}
/* Add an id that is not in the table. */
void tn_table_add(struct tn_table *table, uint32_t hash, uint32_t id);
/* Remove an id that is in the table. */
void tn_table_remove(struct tn_table *table, uint32_t hash, uint32_t id);

size_t tn_table_bytes(const struct tn_table *table);

/* A hash of two words, whose low bits are good enough to index a table. */
static inline uint32_t tn_hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(h >> 32);
}

/* The same for things that are asked for in the order of `a`, or nearly: neighbours become neighbours, eight to a line
 * of slots. `b` is what else tells them apart; it does not say where they are in a table of less than 2^26. */
static inline uint32_t tn_hash_near(uint64_t a, uint64_t b)
{
    enum { PLACE_BITS = 26, GROUP = 8 };
    uint32_t place = tn_hash(a / GROUP, 0) & ((1u << PLACE_BITS) - GROUP);
    return tn_hash(b, 0) << PLACE_BITS | place | (uint32_t)a % GROUP;
}

#endif
