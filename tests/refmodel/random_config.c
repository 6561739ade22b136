/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random_config.c: what a random program is simulated with: caches, options, limits. See random_program.h.
 */
#include "random_config.h"

#include "random_program.h"

#include "core/tenure_core.h"

#include <stdlib.h>
#include <string.h>

struct source { /* of what is drawn */
    struct rng *rng;
    uint64_t features;
};

static bool has(const struct source *s, uint64_t feature)
{
    return s->features & feature;
}

static bool chance(struct source *s, uint32_t one_in)
{
    return rng_below(s->rng, one_in) == 0;
}

/* Any number of ways; often one for which the core has code of its own. */
static uint32_t random_ways(struct source *s)
{
    if (chance(s, 8))
        return 1 + rng_below(s->rng, 24);
    return chance(s, 4) ? 8 + 4 * rng_below(s->rng, 2) : 1 + rng_below(s->rng, 8);
}

static struct model_cache_config random_cache(struct source *s, uint32_t line, uint32_t most_sets)
{
    uint32_t sets = has(s, RP_ODD_SETS) && chance(s, 2) ? 1 + rng_below(s->rng, most_sets)
                                                        : 1u << rng_below(s->rng, chance(s, 2) ? 3 : 5);
    uint32_t assoc = random_ways(s);

    return (struct model_cache_config){(uint64_t)sets * assoc * line, assoc, line};
}

static uint32_t random_line(struct source *s)
{
    if (!has(s, RP_LONG_LINES) || chance(s, 2))
        return 64;
    return 16u << rng_below(s->rng, 7);
}

static bool can_be_sampled(const struct pair_config *config)
{
    return config->cache_sim && !config->strides && !config->patterns && !config->coherence &&
           !memchr(config->prefetch, true, sizeof config->prefetch);
}

/* One set in 2 to 16 is simulated: for that caches have so many sets that a line of the last level belongs to one of 4
 * to 32 classes, and below level 1 there are 64 sets or more. */
static void random_sample(struct source *s, struct pair_config *config)
{
    struct model_cache_config *upper[] = {&config->i1, &config->d1}, *below[] = {&config->l2, &config->ll};

    config->sample = 2u << rng_below(s->rng, 4);
    config->sample_seed = rng_next(s->rng);
    for (int i = 0; i < 2; i++) {
        upper[i]->size = (uint64_t)config->ll.line * (4u << rng_below(s->rng, 4)) * upper[i]->assoc;
        while (upper[i]->size / upper[i]->line > 16383) /* more lines than level 1 may have */
            upper[i]->size /= 2;
        if (below[i]->size)
            below[i]->size = (uint64_t)config->ll.line * (64u << rng_below(s->rng, 2)) * below[i]->assoc;
    }
}

/* Caches as real ones are in what decides how they are simulated: lines of one size, few ways, and so many sets that a
 * tag has 32 bits at most. */
static void make_usual(struct source *s, struct pair_config *config)
{
    uint32_t sets = 1024u << rng_below(s->rng, 2);
    struct model_cache_config *caches[] = {&config->i1, &config->d1, &config->l2, &config->ll};

    for (int i = 0; i < 4; i++) {
        if (!caches[i]->size)
            continue;
        caches[i]->line = 64;
        caches[i]->assoc = 1 + caches[i]->assoc % (2u + 2 * (uint32_t)i);
        caches[i]->size = 64ull * sets * caches[i]->assoc;
    }
}

/* plru where the number of ways allows it. */
static void random_policy(struct source *s, struct model_cache_config *cache)
{
    cache->policy = rng_below(s->rng, MODEL_POLICIES);
    if (cache->policy == MODEL_PLRU && cache->assoc & (cache->assoc - 1))
        cache->policy = MODEL_RRIP;
}

/* Each cache has a policy of its own. */
static void random_policies(struct source *s, struct pair_config *config)
{
    struct model_cache_config *caches[] = {&config->i1, &config->d1, &config->l2, &config->ll};

    for (int i = 0; i < 4; i++)
        random_policy(s, caches[i]);
}

static void random_tlbs(struct source *s, struct pair_config *config)
{
    struct model_tlb_config *tlbs[] = {&config->itlb[0], &config->dtlb[0], &config->itlb[1], &config->dtlb[1]};

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t assoc = 1 + rng_below(s->rng, 4), sets = 1 + rng_below(s->rng, 2 + i);

        if (i < 2 || chance(s, 2))
            *tlbs[i] = (struct model_tlb_config){sets * assoc, assoc};
    }
}

enum { MOST_LINES = 16383 }; /* of a level-1 cache */

/* Often the same as the recorded one; else of any policy with other numbers of ways and sets, perhaps longer lines. */
static struct model_cache_config random_other(struct source *s, const struct model_cache_config *recorded)
{
    struct model_cache_config other = {.assoc = recorded->assoc, .line = recorded->line};
    uint64_t sets = recorded->size / recorded->line / recorded->assoc;

    if (chance(s, 3))
        return *recorded;
    other.assoc = chance(s, 2) ? 1 + rng_below(s->rng, recorded->assoc + 4) : other.assoc;
    other.assoc += chance(s, 8) ? rng_below(s->rng, 80) : 0;
    sets = chance(s, 2) ? 1 + rng_below(s->rng, (uint32_t)sets * 2) : sets;
    sets *= chance(s, 4) ? 1 + rng_below(s->rng, 4) : 1;
    other.line *= other.line < 512 && chance(s, 4) ? 2 : 1;
    other.size = sets * other.assoc * other.line;
    if (chance(s, 2))
        random_policy(s, &other);
    return sets * other.assoc <= MOST_LINES ? other : *recorded;
}

/* Below level 1 a machine is any other one, or as the recorded one. */
static struct model_also_config random_machine(struct source *s, const struct pair_config *config)
{
    struct model_also_config also = {.l2 = config->l2, .ll = config->ll};
    uint32_t line, below = also.l2.size ? also.l2.line : also.ll.line;

    also.i1 = random_other(s, &config->i1);
    also.d1 = random_other(s, &config->d1);
    line = also.i1.line > also.d1.line ? also.i1.line : also.d1.line;
    if (line <= below && chance(s, 6))
        return also;
    line *= line < 1024 && chance(s, 4) ? 2 : 1;
    also.l2 = chance(s, 2) ? random_cache(s, line, 30) : (struct model_cache_config){0};
    line *= line < 1024 && chance(s, 4) ? 2 : 1;
    also.ll = random_cache(s, line, 40);
    if (chance(s, 2)) /* usual proportions */
        also.ll.size *= 8, also.ll.assoc *= 2;
    if (also.l2.size && chance(s, 2))
        random_policy(s, &also.l2);
    if (chance(s, 2))
        random_policy(s, &also.ll);
    return also;
}

/* Further machines, in about one program of five. They are drawn from numbers of their own, and few programs have
 * nothing that they cannot be simulated with, so that others have to give it up. */
static void random_also(struct source *s, struct pair_config *config)
{
    bool fit = config->sample <= 1 && !config->coherence && !config->shared_l1 && !config->patterns && !config->remap &&
               !memchr(config->prefetch, true, sizeof config->prefetch);

    if (!config->cache_sim || !chance(s, fit ? 2 : 6))
        return;
    config->sample = 0;
    config->coherence = config->shared_l1 = config->patterns = false;
    config->remap = config->most_pairs = 0;
    memset(config->prefetch, 0, sizeof config->prefetch);
    config->also_count = 1 + rng_below(s->rng, MODEL_ALSO_MOST);
    for (uint32_t i = 0; i < config->also_count; i++)
        config->also[i] = random_machine(s, config);
}

void random_config(struct rng *rng, uint64_t features, int paths, struct pair_config *config)
{
    struct rng own;
    struct source source = {rng, features}, *s = &source, machines = {&own, features};
    uint32_t i1 = random_line(s), d1 = random_line(s), ll = i1 > d1 ? i1 : d1, policy = rng_below(s->rng, 4);

    memset(config, 0, sizeof *config);
    if (has(s, RP_LEVEL_2) && chance(s, 2))
        config->l2 = random_cache(s, ll, 30);
    if (ll < 1024 && has(s, RP_LONG_LINES) && chance(s, 4))
        ll *= 2;
    config->i1 = random_cache(s, i1, 12);
    config->d1 = random_cache(s, d1, 12);
    config->ll = random_cache(s, ll, 40);
    if (chance(s, 2)) /* usual proportions */
        config->ll.size *= 8, config->ll.assoc *= 2;
    if (chance(s, 6))
        make_usual(s, config);
    config->shared_l1 = has(s, RP_SHARED) && chance(s, 4);
    config->flush_at_exit = !chance(s, 6);
    config->branch_sim = has(s, RP_BRANCHES) && chance(s, 2);
    config->cache_sim = !config->branch_sim || !chance(s, 12) || !has(s, RP_PLAIN);
    config->use = !has(s, RP_PLAIN) || !chance(s, 12), config->physical = chance(s, 3);
    config->inclusive = !has(s, RP_PLAIN) || !chance(s, 12), config->traces = 1u << rng_below(s->rng, 10);
    config->write_back = config->cache_sim && has(s, RP_WRITE_BACK) && chance(s, 2);
    for (int i = 0; config->cache_sim && has(s, RP_PREFETCH) && i < MODEL_PREFETCHERS; i++)
        config->prefetch[i] = chance(s, 4);
    config->strides = config->cache_sim && has(s, RP_PATTERNS) && !chance(s, 3);
    config->patterns = config->cache_sim && has(s, RP_PATTERNS) && !chance(s, 3);
    if (config->patterns && has(s, RP_PAIRS) && !chance(s, 3))
        config->most_pairs = chance(s, 3) ? 1 + rng_below(s->rng, 20) : 1 << 18;
    config->collect_at_start = !has(s, RP_TOGGLES) || !chance(s, 5);
    config->paths = policy == 0 ? 0 : policy == 1 ? rng_below(s->rng, 60) : 1000000;
    config->most_unmapped = 1 + rng_below(s->rng, chance(s, 2) ? 4 : 40);
    config->data = config->inclusive && config->cache_sim && has(s, RP_DATA);
    config->lag = rng_below(s->rng, 2) ? 1 + rng_below(s->rng, 1000000) : 0;
    if (config->inclusive && has(s, RP_SEPARATE) && chance(s, 2)) {
        config->separate_callers = rng_below(s->rng, 5);
        config->separate_recs = rng_below(s->rng, 5);
    }
    config->parallel = !config->shared_l1 && config->separate_callers == 0 && config->separate_recs <= 1 &&
                       has(s, RP_PARALLEL) && chance(s, 2);
    config->coherence = config->cache_sim && config->use && !config->shared_l1 && !config->parallel &&
                        has(s, RP_COHERENCE) && !chance(s, 3);
    memset(config->prefetch + MODEL_PREFETCH_D1, 0, config->coherence ? MODEL_PREFETCH_D1 : 0);
    if (has(s, RP_SAMPLE) && can_be_sampled(config) && chance(s, 2))
        random_sample(s, config);
    if (has(s, RP_TLB) && config->cache_sim && !config->sample && !config->coherence && !chance(s, 3))
        random_tlbs(s, config);
    if (chance(s, 2))
        random_policies(s, config);
    config->curves = config->cache_sim && has(s, RP_LEVEL_2) && chance(s, 2) && config->ll.policy == MODEL_LRU;
    if (has(s, RP_REMAP) && config->data && !config->parallel && chance(s, 4)) {
        config->remap = 1 + (rng_next(s->rng) >> 1);
        if (!config->sample && can_be_sampled(config) && !config->dtlb[0].entries && !config->itlb[0].entries &&
            chance(s, 3))
            random_sample(s, config);
        config->sample = config->sample ? 2 : 0; /* the bits that choose sets below level 1 allow for that */
    }
    rng_seed(&own, rng->state);
    if (has(s, RP_ALSO))
        random_also(&machines, config);
    if (paths >= 0)
        config->paths = (uint64_t)paths;
}
