/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.c: defaults, and what the core can simulate.
 *
 * Whatever tn_config_check lets through, the rest of the core handles: no other file looks at a geometry
 * with doubt. The limits come from the hot layout: 16-bit way offsets, 64-bit masks, one stamp per line of
 * an access.
 */
#include "core/access/cache.h"
#include "core/access/sample.h"
#include "core/attribute/context.h"
#include "core/explain/distance.h"
#include "tenure_core.h"

#include <string.h>

void tn_config_default(struct tn_config *config)
{
    memset(config, 0, sizeof *config);
    config->i1 = (struct tn_geometry){32 << 10, 8, 64};
    config->d1 = (struct tn_geometry){32 << 10, 8, 64};
    config->ll = (struct tn_geometry){8 << 20, 16, 64};
    config->cache_sim = true;
    config->use = true;
    config->inclusive = true;
    config->flush_at_exit = true;
    config->collect_at_start = true;
    config->paths = 400000;
    config->threads = 1000;
    config->prune_slack = 1024;
    config->most_unmapped = 128;
    config->most_pairs = 1 << 22;
    config->traces = 1 << 18;
    config->sample = 1;
    config->alias_limit = 1 << 14;
    config->interval = 1 << 18;
}

const char *tn_geometry_check(const struct tn_geometry *g)
{
    if (g->line < TN_MIN_LINE || g->line > TN_MAX_LINE || g->line & (g->line - 1))
        return "the line must be 16, 32, 64, 128, 256, 512 or 1024 bytes";
    if (g->assoc == 0 || g->size == 0)
        return "size and associativity must be at least 1";
    if (g->size % ((uint64_t)g->line * g->assoc))
        return "the size must be a multiple of associativity times line";
    if (g->size >> 40 || g->assoc >> 20)
        return "a cache is smaller than 1 TB, with fewer than 1048576 ways per set";
    if (g->policy == TN_PLRU && g->assoc & (g->assoc - 1))
        return "plru needs an associativity that is a power of two";
    return NULL;
}

static bool is_tlb(const struct tn_tlb_geometry *g)
{
    return g->assoc && g->entries && g->entries % g->assoc == 0 && g->entries <= INT16_MAX;
}

const char *tn_tlb_check(const struct tn_tlb_geometry *levels)
{
    if (is_tlb(&levels[0]) && (!levels[1].entries || is_tlb(&levels[1])))
        return NULL;
    return "a TLB has 1 to 32767 entries, a multiple of its associativity";
}

static bool too_many_lines(const struct tn_geometry *g)
{
    return g->size / g->line > TN_L1_MAX_LINES;
}

static const char *check_also(const struct tn_config *config, const struct tn_also *also)
{
    const struct tn_geometry *levels[] = {&also->i1, &also->d1, &also->ll, &also->l2};
    const struct tn_geometry *below = also->l2.size ? &also->l2 : &also->ll;
    for (int i = 0; i < (also->l2.size ? 4 : 3); i++) {
        const char *wrong = tn_geometry_check(levels[i]);
        if (wrong)
            return wrong;
    }
    if (too_many_lines(&also->i1) || too_many_lines(&also->d1))
        return "a level-1 cache has at most 16383 lines";
    for (int i = 0; i < 2; i++) {
        const struct tn_geometry *l1 = levels[i], *recorded = i ? &config->d1 : &config->i1;
        if (l1->line < recorded->line)
            return "a further machine (--also) has lines in I1 and D1 that are not shorter than the recorded ones; "
                   "record the one with the shorter lines (--machine)";
    }
    if (below->line < also->i1.line || below->line < also->d1.line || also->ll.line < below->line)
        return "a line cannot be smaller than a line of the level above";
    return NULL;
}

const char *tn_config_check(const struct tn_config *config)
{
    if (config->separate_callers > TN_MAX_SEPARATE || config->separate_recs > TN_MAX_SEPARATE)
        return "at most 100 callers and 100 levels of recursion can be kept apart";
    if (!config->inclusive && (config->separate_callers > 0 || config->separate_recs > 1))
        return "callers and recursion can be kept apart only where calls are followed (--inclusive=yes)";
    if (config->data && (!config->inclusive || !config->cache_sim))
        return "data objects are known only where calls are followed and caches simulated (--inclusive=yes, "
               "--cache-sim=yes)";
    if (config->parallel && (config->shared_l1 || tn_contexts_wanted(config)))
        return "threads that share level-1 caches, and those whose contexts are kept apart, run one at a time";
    if (!config->cache_sim && !config->branch_sim)
        return "with neither cache nor branch simulation there is nothing to collect";
    if (!config->cache_sim && (config->write_back || tn_prefetches(config) || config->coherence || config->patterns ||
                               config->strides || config->curves))
        return "write-backs, prefetching, coherence, patterns, curves and strides are those of simulated caches: not "
               "without cache simulation";
    if (config->curves && !tn_keeps_distances(config, false) && !(config->l2.size && tn_keeps_distances(config, true)))
        return "what caches would miss with other numbers of ways is known only with LRU, and of L2 without coherence "
               "(--curves=yes)";
    if (tn_prefetches_d1(config) && config->coherence)
        return "prefetchers at D1 (--prefetch=d1-...) need --coherence=no: what they load is not kept coherent";
    if (config->pairs && !config->patterns)
        return "who loads a line again is known where misses are told apart (--patterns=yes)";
    if (config->coherence && config->shared_l1)
        return "threads that share level-1 caches have nothing to keep coherent (--shared-l1=no)";
    if (config->coherence && config->parallel)
        return "threads whose caches are kept coherent run one at a time";
    if (config->remap_count > 0 && (!config->data || config->parallel))
        return "data that is simulated elsewhere (--remap) needs data structures (--data=yes), "
               "and threads that take turns";
    if (config->coherence && !config->use)
        return "what is shared falsely is known from the use of cache lines (--cacheuse=yes)";
    if (!config->cache_sim && config->sample != 1)
        return "what is sampled are sets of simulated caches: not without cache simulation";
    const char *wrong = NULL;
    if (tn_has_tlbs(config)) {
        if (!config->cache_sim || config->sample != 1 || config->coherence)
            return "TLBs are simulated only with caches, of which all sets are, and which are not kept coherent";
        if ((wrong = tn_tlb_check(config->itlb)) || (wrong = tn_tlb_check(config->dtlb)))
            return wrong;
    }
    if (!config->cache_sim)
        return NULL;
    const struct tn_geometry *levels[] = {&config->i1, &config->d1, &config->ll, &config->l2};
    for (int i = 0; i < (config->l2.size ? 4 : 3); i++) {
        wrong = tn_geometry_check(levels[i]);
        if (wrong)
            return wrong;
    }
    if (too_many_lines(&config->i1) || too_many_lines(&config->d1))
        return "a level-1 cache has at most 16383 lines";
    const struct tn_geometry *below = config->l2.size ? &config->l2 : &config->ll;
    if (below->line < config->i1.line || below->line < config->d1.line || config->ll.line < below->line)
        return "a line cannot be smaller than a line of the level above";
    if (config->also_count > 0 && (config->sample != 1 || config->coherence || tn_prefetches(config) ||
                                   config->shared_l1 || config->remap_count > 0 || config->patterns))
        return "further machines (--also) are simulated only where all sets are (--sample=1), without --coherence, "
               "--prefetch, --shared-l1, --remap, --patterns and --interdependence";
    for (uint32_t i = 0; i < config->also_count; i++) {
        if ((wrong = check_also(config, &config->also[i])))
            return wrong;
    }
    return config->sample != 1 ? tn_sample_check(config) : NULL;
}
