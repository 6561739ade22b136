/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c: linear probing, doubling when half full, since neighbours come together; see table.h. Nothing is ever
 * removed.
 */
#include "table.h"

#include "host.h"

enum { FIRST_SIZE = 1024 };

static size_t bytes_of(uint32_t size)
{
    return (size_t)size * sizeof(struct tn_table_slot);
}

void tn_table_init(struct tn_table *table)
{
    table->size = FIRST_SIZE;
    table->used = 0;
    table->slots = tn_host_alloc(bytes_of(table->size));
}

void tn_table_free(struct tn_table *table)
{
    if (table->slots)
        tn_host_free(table->slots, bytes_of(table->size));
    table->slots = NULL;
}

size_t tn_table_bytes(const struct tn_table *table)
{
    return bytes_of(table->size);
}

uint32_t tn_table_find(const struct tn_table *table, uint32_t hash, tn_table_equal *equal, const void *owner,
                       const void *key)
{
    uint32_t mask = table->size - 1;
    for (uint32_t i = hash & mask; table->slots[i].id; i = (i + 1) & mask) {
        if (table->slots[i].hash == hash && equal(owner, table->slots[i].id, key))
            return table->slots[i].id;
    }
    return 0;
}

static void place(struct tn_table *table, uint32_t hash, uint32_t id)
{
    uint32_t mask = table->size - 1, i = hash & mask;
    while (table->slots[i].id)
        i = (i + 1) & mask;
    table->slots[i] = (struct tn_table_slot){hash, id};
}

static void grow(struct tn_table *table)
{
    struct tn_table old = *table;
    table->size *= 2;
    table->slots = tn_host_alloc(bytes_of(table->size));
    for (uint32_t i = 0; i < old.size; i++) {
        if (old.slots[i].id)
            place(table, old.slots[i].hash, old.slots[i].id);
    }
    tn_table_free(&old);
}

void tn_table_add(struct tn_table *table, uint32_t hash, uint32_t id)
{
    if ((uint64_t)(table->used + 1) * 2 > table->size)
        grow(table);
    place(table, hash, id);
    table->used++;
}
