/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.c: finding and making pairs; see pairs.h.
 *
 * First come, first served: a table that is full stays as it is until the next part begins. So what is known is known
 * from its first miss on, and the rest is a number.
 */
#include "pairs.h"

#include <string.h>

void tn_pairs_init(struct tn_pairs *pairs, uint32_t most)
{
    memset(pairs, 0, sizeof *pairs);
    tn_array_init(&pairs->list, sizeof(struct tn_pair));
    tn_array_add(&pairs->list);
    tn_table_init(&pairs->table);
    pairs->most = most;
}

void tn_pairs_free(struct tn_pairs *pairs)
{
    tn_array_free(&pairs->list);
    tn_table_free(&pairs->table);
}

void tn_pairs_clear(struct tn_pairs *pairs)
{
    pairs->list.count = 1;
    pairs->over = 0;
    tn_table_free(&pairs->table);
    tn_table_init(&pairs->table);
}

size_t tn_pairs_bytes(const struct tn_pairs *pairs)
{
    return tn_array_bytes(&pairs->list) + tn_table_bytes(&pairs->table);
}

/* ------------------------------------------------------------------------------------------ one pair */

static bool equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_pair *a = tn_pair_at(owner, id), *b = key;
    return a->payer == b->payer && a->evictor == b->evictor && a->loader == b->loader && a->level == b->level;
}

static uint32_t make(struct tn_pairs *pairs, const struct tn_pair *who)
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
        pairs->over = make(pairs, &(struct tn_pair){.payer = 0});
    pairs->left_out++;
    return pairs->over;
}

/* Many pay for what they loaded themselves: loaders are spread first, so that equal numbers do not cancel out. */
static uint32_t hash_of(const struct tn_pair *who)
{
    uint64_t loader = ((uint64_t)who->level << 32 | who->loader) * 0x9e3779b97f4a7c15ull;
    return tn_hash((uint64_t)who->payer << 32 | who->evictor, loader);
}

struct tn_pair *tn_pair_of(struct tn_pairs *pairs, const struct tn_pair *who)
{
    uint32_t hash = hash_of(who);
    uint32_t id = tn_table_find(&pairs->table, hash, equal, pairs, who);
    if (!id && pairs->table.used == pairs->most) {
        id = no_room(pairs);
    } else if (!id) {
        id = make(pairs, who);
        tn_table_add(&pairs->table, hash, id);
        pairs->largest = pairs->table.used > pairs->largest ? pairs->table.used : pairs->largest;
    }
    struct tn_pair *pair = tn_pair_at(pairs, id);
    pair->misses++;
    return pair;
}

void tn_pair_timed(struct tn_pair *pair, uint64_t distance)
{
    uint32_t power = distance > 1 ? 63 - (uint32_t)__builtin_clzll(distance) : 0;
    pair->timed++;
    pair->distance += distance;
    pair->after[power < TN_DISTANCES ? power : TN_DISTANCES - 1]++;
}
