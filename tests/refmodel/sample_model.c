/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_model.c: which lines are simulated where not all are (docs/model.md, 17).
 */
#include "model.h"

const uint64_t model_group_weight[MODEL_GROUPS] = {1, 7919, 62710561, 496604932559};

static uint64_t random_of(uint64_t seed, uint64_t run)
{
    uint64_t x = seed + (run + 1) * 0x9e3779b97f4a7c15ull;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* How many times 2 is in a number, as a power of two. */
static uint64_t twos_in(uint64_t number)
{
    return number & -number;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many of the classes are drawn. */
static uint64_t drawn_of(const struct model_config *c, uint64_t classes)
{
    uint64_t wanted = c->level1_whole ? classes : classes / c->sample;

    return wanted > MODEL_GROUPS ? wanted : MODEL_GROUPS;
}

uint64_t model_sample_end(const struct model_config *c)
{
    const struct model_cache_config *caches[] = {&c->i1, &c->d1, &c->ll, &c->l2};
    uint64_t classes = 64, end;

    if (c->sample <= 1)
        return 4096;
    for (int i = 0; i < 4; i++)
        if (caches[i]->size)
            classes = smaller(classes, twos_in(caches[i]->size / caches[i]->assoc) / c->ll.line);
    uint64_t drawn = drawn_of(c, classes);
    end = c->ll.line * classes * c->sample / (classes / drawn);
    return end > 4096 ? end : 4096;
}

bool model_is_simulated(const struct model_config *c, uint64_t address, struct model_payer *payer)
{
    const struct model_cache_config *caches[] = {&c->i1, &c->d1, &c->ll, &c->l2};
    uint64_t block = c->ll.line, classes = 64, n = c->sample;

    payer->group = 0;
    payer->uncounted = false;
    if (n <= 1)
        return true;
    for (int i = 0; i < 4; i++)
        if (caches[i]->size)
            classes = smaller(classes, twos_in(caches[i]->size / caches[i]->assoc) / block);
    uint64_t neighbours = classes / drawn_of(c, classes);
    uint64_t parts = n / neighbours, class = address / block % classes, run = class / neighbours;
    uint64_t random = random_of(c->sample_seed, run);
    payer->group = (uint32_t)(run % MODEL_GROUPS);
    payer->uncounted = address / block / classes % parts != (random >> 32) % parts;
    return class % neighbours == random % neighbours;
}
