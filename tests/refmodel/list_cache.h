/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_cache.h: a cache of the reference model, only as far as order and addresses go.
 *
 * A set is an array of pointers, NULL where it has room, which keep their places; the policy (policy_model.h) has
 * numbers beside them. What they point to is the model's: lines at level 1, records below.
 */
#ifndef TENURE_REFMODEL_LIST_CACHE_H
#define TENURE_REFMODEL_LIST_CACHE_H

#include "kinds_model.h"
#include "model.h"
#include "policy_model.h"

#include <stdlib.h>

struct stack {
    uint64_t *line; /* the last one used behind all others */
    size_t lines, room;
};

/* A cache of level 1 holds lines, the last level records; both only as far as order and address go. */
struct cache {
    struct model_cache_config config;
    uint64_t sets;
    void **way;      /* sets x assoc */
    uint64_t *state; /* the same, the policy's */
    uint64_t uses;   /* so far */
    uint64_t pages;  /* bytes of pages that lie anywhere in memory; 0: addresses are those of memory */
    struct past past;
    struct stack stack; /* where stack distances are kept */
};

static inline void cache_init(struct cache *cache, const struct model_cache_config *config)
{
    cache->config = *config;
    if (!config->size)
        return;
    cache->sets = config->size / ((uint64_t)config->assoc * config->line);
    cache->way = calloc(cache->sets * config->assoc, sizeof *cache->way);
    cache->state = calloc(cache->sets * config->assoc, sizeof *cache->state);
}

static inline void cache_free(struct cache *cache)
{
    free(cache->way);
    free(cache->state);
    free(cache->stack.line);
}

static inline uint64_t cache_set(const struct cache *cache, uint64_t line)
{
    uint64_t number = line / cache->config.line, set = number % cache->sets, lines = cache->pages / cache->config.line;
    uint64_t color = number / cache->sets * 0x9e3779b97f4a7c15ull / 0x100000000 % cache->sets;

    if (!lines || (cache->sets & (cache->sets - 1)))
        return set;
    return set ^ (color - color % lines);
}

/* The entry at `place` of a set; NULL: none. */
static inline void **cache_at(const struct cache *cache, uint64_t set, uint32_t place)
{
    return &cache->way[set * cache->config.assoc + place];
}

/* The entry at `place` is used. */
static inline void cache_use(struct cache *cache, uint64_t set, uint32_t place)
{
    policy_use(&cache->config, cache->state + set * cache->config.assoc, place, false, ++cache->uses);
}

/* An entry comes into a set that has room. Returns it. */
static inline void *cache_add(struct cache *cache, uint64_t set, void *entry)
{
    uint32_t place = 0;

    while (*cache_at(cache, set, place))
        place++;
    *cache_at(cache, set, place) = entry;
    policy_use(&cache->config, cache->state + set * cache->config.assoc, place, true, ++cache->uses);
    return entry;
}

static inline void *cache_take(struct cache *cache, uint64_t set, uint32_t place)
{
    void *entry = *cache_at(cache, set, place);

    *cache_at(cache, set, place) = NULL;
    return entry;
}

static inline uint64_t cache_places(const struct cache *cache)
{
    return cache->sets * cache->config.assoc;
}

/* What is in the place with this number, of all of the cache, is taken out; NULL: nothing. */
static inline void *cache_take_any(struct cache *cache, uint64_t i)
{
    return cache_take(cache, i / cache->config.assoc, (uint32_t)(i % cache->config.assoc));
}

/* The cache, which is empty, is as at the beginning. */
static inline void cache_forget(struct cache *cache)
{
    for (uint64_t i = 0; i < cache_places(cache); i++)
        cache->state[i] = 0;
    past_forget(&cache->past);
    cache->stack.lines = 0;
}

/* The victim of a full set, taken out; NULL if the set has room. */
static inline void *cache_make_room(struct cache *cache, uint64_t set)
{
    for (uint32_t place = 0; place < cache->config.assoc; place++)
        if (!*cache_at(cache, set, place))
            return NULL;
    return cache_take(cache, set, policy_victim(&cache->config, cache->state + set * cache->config.assoc));
}

#endif
