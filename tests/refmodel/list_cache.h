/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_cache.h: a cache of the reference model, only as far as order and addresses go.
 *
 * A set is an array of pointers, in the order of its policy (lru_model.h). What they point to is the model's: lines at
 * level 1, records below.
 */
#ifndef TENURE_REFMODEL_LIST_CACHE_H
#define TENURE_REFMODEL_LIST_CACHE_H

#include "kinds_model.h"
#include "lru_model.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* A cache of level 1 holds lines, the last level records; both only as far as order and address go. */
struct cache {
    struct model_cache_config config;
    uint64_t sets;
    void **way;      /* sets x assoc */
    uint32_t *count; /* ways filled per set */
    struct past past;
};

static inline void cache_init(struct cache *cache, const struct model_cache_config *config)
{
    cache->config = *config;
    if (!config->size)
        return;
    cache->sets = config->size / ((uint64_t)config->assoc * config->line);
    cache->way = calloc(cache->sets * config->assoc, sizeof *cache->way);
    cache->count = calloc(cache->sets, sizeof *cache->count);
}

static inline uint64_t cache_set(const struct cache *cache, uint64_t line)
{
    return line / cache->config.line % cache->sets;
}

/* The entry at `place` is used. */
static inline void cache_use(struct cache *cache, uint64_t set, uint32_t place)
{
    lru_use(cache->way + set * cache->config.assoc, place);
}

/* An entry comes into a set that has room, and is used. */
static inline void cache_add(struct cache *cache, uint64_t set, void *entry)
{
    cache->way[set * cache->config.assoc + cache->count[set]] = entry;
    cache_use(cache, set, cache->count[set]++);
}

static inline void *cache_take(struct cache *cache, uint64_t set, uint32_t position)
{
    void **way = cache->way + set * cache->config.assoc;
    void *entry = way[position];

    cache->count[set]--;
    memmove(way + position, way + position + 1, (cache->count[set] - position) * sizeof *way);
    return entry;
}

/* The victim of a full set, taken out; NULL if the set has room. */
static inline void *cache_make_room(struct cache *cache, uint64_t set)
{
    if (cache->count[set] < cache->config.assoc)
        return NULL;
    return cache_take(cache, set, lru_victim(cache->config.assoc));
}

#endif
