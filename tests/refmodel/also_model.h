/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also_model.h: docs/model.md, section 23, as it is written: a further machine has caches of its own, all of them, and
 * every line of every access goes through them, whatever the recorded caches have.
 *
 * Of a line nothing is known but that it is there: an entry of a cache is its address, with a bit that tells line 0
 * from none.
 */
#ifndef TENURE_REFMODEL_ALSO_MODEL_H
#define TENURE_REFMODEL_ALSO_MODEL_H

#include "list_cache.h"

struct also {
    struct cache i1[MODEL_MAX_THREADS], d1[MODEL_MAX_THREADS], l2[MODEL_MAX_THREADS], ll;
};

/* pages: as in struct cache, below level 1. */
static inline void also_init(struct also *also, const struct model_also_config *config, uint64_t pages)
{
    for (int i = 0; i < MODEL_MAX_THREADS; i++) {
        cache_init(&also->i1[i], &config->i1);
        cache_init(&also->d1[i], &config->d1);
        cache_init(&also->l2[i], &config->l2), also->l2[i].pages = pages;
    }
    cache_init(&also->ll, &config->ll), also->ll.pages = pages;
}

static inline void also_empty(struct cache *cache)
{
    for (uint64_t i = 0; i < cache_places(cache); i++)
        cache->way[i] = NULL;
    cache_forget(cache);
}

/* What a thread has of its own. */
static inline void also_empty_owner(struct also *also, uint32_t owner)
{
    also_empty(&also->i1[owner]);
    also_empty(&also->d1[owner]);
    also_empty(&also->l2[owner]);
}

static inline void also_free(struct also *also)
{
    for (int i = 0; i < MODEL_MAX_THREADS; i++) {
        cache_free(&also->i1[i]);
        cache_free(&also->d1[i]);
        cache_free(&also->l2[i]);
    }
    cache_free(&also->ll);
}

/* The cache is asked for the line that holds `address`. False: it was not there, and is now. */
static inline bool also_ask(struct cache *cache, uint64_t address)
{
    uint64_t line = address - address % cache->config.line, set = cache_set(cache, line);
    void *entry = (void *)(uintptr_t)(line | 1);

    for (uint32_t place = 0; place < cache->config.assoc; place++) {
        if (*cache_at(cache, set, place) == entry) {
            cache_use(cache, set, place);
            return true;
        }
    }
    (void)cache_make_room(cache, set);
    cache_add(cache, set, entry);
    return false;
}

/* Whether a level-1 cache of a machine is not the recorded one, and has events. */
static inline bool also_is_other(const struct model_cache_config *config, const struct model_cache_config *recorded)
{
    return config->size != recorded->size || config->assoc != recorded->assoc || config->line != recorded->line ||
           config->policy != recorded->policy;
}

#endif
