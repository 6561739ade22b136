/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c: linear probing, doubling when three quarters full; see table.h. What is removed leaves no mark: those behind
 * it that would be found no more move up.
 */
#include "table.h"

#include "core/host.h"

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

static void table_place(struct tn_table *table, uint32_t hash, uint32_t id)
{
    uint32_t mask = table->size - 1, i = hash & mask;
    while (table->slots[i].id)
        i = (i + 1) & mask;
    table->slots[i] = (struct tn_table_slot){hash, id};
}

static void table_grow(struct tn_table *table)
{
    struct tn_table old = *table;
    table->size *= 2;
    table->slots = tn_host_alloc(bytes_of(table->size));
    for (uint32_t i = 0; i < old.size; i++) {
        if (old.slots[i].id)
            table_place(table, old.slots[i].hash, old.slots[i].id);
    }
    tn_table_free(&old);
}

void tn_table_add(struct tn_table *table, uint32_t hash, uint32_t id)
{
    if ((uint64_t)(table->used + 1) * 4 > (uint64_t)table->size * 3)
        table_grow(table);
    table_place(table, hash, id);
    table->used++;
}

void tn_table_remove(struct tn_table *table, uint32_t hash, uint32_t id)
{
    uint32_t mask = table->size - 1, hole = hash & mask;
    while (table->slots[hole].id != id)
        hole = (hole + 1) & mask;
    for (uint32_t i = (hole + 1) & mask; table->slots[i].id; i = (i + 1) & mask) {
        uint32_t from_home = (i - table->slots[i].hash) & mask;
        if (from_home < ((i - hole) & mask))
            continue;
        table->slots[hole] = table->slots[i];
        hole = i;
    }
    table->slots[hole] = (struct tn_table_slot){0, 0};
    table->used--;
}
