/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lower_new.c: the memory of a level below level 1; see lower.h.
 *
 * What a configuration does not ask for is not there: write-backs, slices of data objects, kinds of misses, the
 * level behind. It is apart from lower.c because an engine may compile that file a second time, for its consumer alone.
 */
#include "core/host.h"
#include "lower.h"
#include "sample.h"

struct tn_lower *tn_lower_new(enum tn_level level, struct tn_lower *next, const struct tn_config *config, bool slices)
{
    const struct tn_geometry *geometry = level == TN_LEVEL_2 ? &config->l2 : &config->ll;
    struct tn_lower *lower = tn_host_alloc(sizeof *lower);
    tn_shape_init(&lower->shape, geometry);
    tn_sets_init(&lower->sets, geometry, config->physical ? tn_sample_end(config) : 64);
    lower->level = level;
    lower->next = next;
    lower->homes = tn_host_alloc(geometry->size / geometry->line * sizeof *lower->homes);
    if (config->write_back)
        lower->written = tn_host_alloc(geometry->size / geometry->line * sizeof *lower->written);
    if (slices)
        lower->slices = tn_host_alloc(geometry->size / geometry->line * sizeof *lower->slices);
    lower->kinds = config->patterns ? tn_kinds_new(geometry, config->pairs ? config->traces : 0) : NULL;
    if (tn_keeps_distances(config, level == TN_LEVEL_2))
        lower->distances = tn_distances_new(geometry, tn_sets_compact(geometry));
    if (next)
        lower->parents = tn_host_alloc(geometry->size / geometry->line * sizeof *lower->parents);
    lower->filled = tn_host_alloc(tn_lower_groups(lower));
    lower->missed_access = ~0ull;
    return lower;
}

void tn_lower_free(struct tn_lower *lower)
{
    if (!lower)
        return;
    tn_host_free(lower->filled, tn_lower_groups(lower));
    tn_kinds_free(lower->kinds);
    tn_distances_free(lower->distances);
    if (lower->written)
        tn_host_free(lower->written, lower->sets.sets * lower->sets.assoc * sizeof *lower->written);
    if (lower->slices)
        tn_host_free(lower->slices, lower->sets.sets * lower->sets.assoc * sizeof *lower->slices);
    if (lower->parents)
        tn_host_free(lower->parents, lower->sets.sets * lower->sets.assoc * sizeof *lower->parents);
    tn_host_free(lower->homes, lower->sets.sets * lower->sets.assoc * sizeof *lower->homes);
    tn_sets_free(&lower->sets);
    tn_host_free(lower, sizeof *lower);
}
