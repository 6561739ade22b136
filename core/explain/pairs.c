/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.c: finding and making pairs; see pairs.h.
 *
 * First come, first served: a table that is full stays as it is until the next part begins. So what is known is known
 * from its first miss on, and the rest is a number.
 */
#include "pairs.h"

#include "core/host.h"

#include <string.h>

struct tn_pairs *tn_pairs_new(uint32_t most)
{
    struct tn_pairs *pairs = tn_host_alloc(sizeof *pairs);
    tn_array_init(&pairs->list, sizeof(struct tn_pair));
    tn_array_add(&pairs->list);
    tn_table_init(&pairs->table);
    tn_slots_init(&pairs->counts, TN_GROUP_POWERS * sizeof(uint64_t));
    pairs->most = most;
    return pairs;
}

void tn_pairs_free(struct tn_pairs *pairs)
{
    if (!pairs)
        return;
    tn_array_free(&pairs->list);
    tn_table_free(&pairs->table);
    tn_slots_free(&pairs->counts);
    tn_host_free(pairs, sizeof *pairs);
}

void tn_pairs_clear(struct tn_pairs *pairs)
{
    pairs->list.count = 1;
    pairs->over = pairs->waiting = 0;
    tn_table_free(&pairs->table);
    tn_table_init(&pairs->table);
    tn_slots_free(&pairs->counts);
    tn_slots_init(&pairs->counts, TN_GROUP_POWERS * sizeof(uint64_t));
}

size_t tn_pairs_bytes(const struct tn_pairs *pairs)
{
    return tn_array_bytes(&pairs->list) + tn_table_bytes(&pairs->table) + tn_array_bytes(&pairs->counts.array);
}

/* ------------------------------------------------------------------------------------------ one pair */

static bool pair_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_pair *a = tn_pair_at(owner, id), *b = key;
    return a->payer == b->payer && a->evictor == b->evictor && a->loader == b->loader && a->level == b->level;
}

static uint32_t pair_make(struct tn_pairs *pairs, const struct tn_pair *who)
{
    uint32_t id = pairs->list.count;
    struct tn_pair *pair = tn_array_add(&pairs->list);
    memset(pair, 0, sizeof *pair);
    pair->loader = who->loader;
    pair->evictor = who->evictor;
    pair->payer = who->payer;
    pair->level = who->level;
    return id;
}

static uint32_t no_room(struct tn_pairs *pairs)
{
    if (!pairs->over)
        pairs->over = pair_make(pairs, &(struct tn_pair){.payer = 0});
    pairs->left_out++;
    return pairs->over;
}

static void count_distance(struct tn_pairs *pairs, struct tn_pair *pair, uint64_t distance)
{
    uint32_t power = distance > 1 ? 63 - (uint32_t)__builtin_clzll(distance) : 0;
    power = power < TN_DISTANCES ? power : TN_DISTANCES - 1;
    uint32_t *group = &pair->after[power / TN_GROUP_POWERS];
    if (!*group)
        *group = tn_slots_get(&pairs->counts);
    uint64_t *counts = tn_slots_at(&pairs->counts, *group);
    counts[power % TN_GROUP_POWERS]++;
    pair->timed++;
    pair->distance += distance;
}

/* ------------------------------------------------------------------------------------------ waiting */

/* In many pairs loader and payer are the same: the loader is hashed first, so that equal numbers do not cancel out. */
static uint32_t hash_of(const struct tn_pair *who)
{
    uint64_t loader = ((uint64_t)who->level << 32 | who->loader) * 0x9e3779b97f4a7c15ull;
    return tn_hash((uint64_t)who->payer << 32 | who->evictor, loader);
}

static const struct tn_table_slot *home_of(const struct tn_table *table, uint32_t hash)
{
    return &table->slots[hash & (table->size - 1)];
}

static void add_waiting(struct tn_pairs *pairs, const struct tn_waiting_miss *miss)
{
    uint32_t id = tn_table_find(&pairs->table, miss->hash, pair_equal, pairs, &miss->who);
    if (!id && pairs->table.used == pairs->most) {
        id = no_room(pairs);
    } else if (!id) {
        id = pair_make(pairs, &miss->who);
        tn_table_add(&pairs->table, miss->hash, id);
        pairs->largest = pairs->table.used > pairs->largest ? pairs->table.used : pairs->largest;
    }
    struct tn_pair *pair = tn_pair_at(pairs, id);
    pair->misses++;
    if (miss->timed)
        count_distance(pairs, pair, miss->distance);
}

void tn_pairs_settle(struct tn_pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->waiting; i++) {
        const struct tn_table_slot *home = home_of(&pairs->table, pairs->wait[i].hash);
        if (home->id)
            __builtin_prefetch(tn_pair_at(pairs, home->id), 1);
    }
    for (uint32_t i = 0; i < pairs->waiting; i++)
        add_waiting(pairs, &pairs->wait[i]);
    pairs->waiting = 0;
}

void tn_pair_miss(struct tn_pairs *pairs, const struct tn_pair *who, bool timed, uint64_t distance)
{
    struct tn_waiting_miss *miss = &pairs->wait[pairs->waiting++];
    *miss = (struct tn_waiting_miss){.who = *who, .distance = distance, .hash = hash_of(who), .timed = timed};
    __builtin_prefetch(home_of(&pairs->table, miss->hash));
    if (pairs->waiting == TN_WAITING_MISSES)
        tn_pairs_settle(pairs);
}
