/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also.c: the caches of further machines; see also.h.
 */
#include "also.h"

#include "core/core.h"
#include "core/host.h"
#include "sample.h"

#include <string.h>

static void init_sets(struct tn_sets *sets, const struct tn_geometry *geometry, const struct tn_config *config)
{
    tn_sets_init(sets, geometry, config->physical ? tn_sample_end(config) : 64);
}

struct tn_also_last *tn_also_last_new(const struct tn_config *config)
{
    if (!config->also_count)
        return NULL;
    struct tn_also_last *last = tn_host_alloc(sizeof *last);
    last->count = config->also_count;
    for (uint32_t i = 0; i < last->count; i++)
        init_sets(&last->sets[i], &config->also[i].ll, config);
    return last;
}

void tn_also_last_free(struct tn_also_last *last)
{
    if (!last)
        return;
    for (uint32_t i = 0; i < last->count; i++)
        tn_sets_free(&last->sets[i]);
    tn_host_free(last, sizeof *last);
}

void tn_also_last_clear(struct tn_also_last *last, const struct tn_config *config)
{
    for (uint32_t i = 0; last && i < last->count; i++) {
        tn_sets_free(&last->sets[i]);
        last->sets[i] = (struct tn_sets){0};
        init_sets(&last->sets[i], &config->also[i].ll, config);
    }
}

static size_t bytes_for(uint32_t count)
{
    return sizeof(struct tn_also_caches) + count * sizeof(struct tn_machine);
}

struct tn_also_caches *tn_also_new(const struct tn_config *config, struct tn_also_last *last)
{
    if (!last)
        return NULL;
    struct tn_also_caches *caches = tn_host_alloc(bytes_for(last->count));
    caches->count = last->count;
    for (uint32_t i = 0; i < caches->count; i++) {
        const struct tn_also *also = &config->also[i];
        struct tn_machine *machine = &caches->machine[i];
        machine->other[TN_FETCH] = tn_also_other(&also->i1, &config->i1);
        machine->other[TN_DATA] = tn_also_other(&also->d1, &config->d1);
        machine->has_l2 = also->l2.size > 0;
        if (machine->has_l2)
            init_sets(&machine->l2, &also->l2, config);
        machine->ll = &last->sets[i];
        memset(machine->missed, 0xff, sizeof machine->missed);
    }
    return caches;
}

void tn_also_free(struct tn_also_caches *caches)
{
    if (!caches)
        return;
    for (struct tn_machine *machine = caches->machine; machine < caches->machine + caches->count; machine++) {
        if (machine->has_l2)
            tn_sets_free(&machine->l2);
    }
    tn_host_free(caches, bytes_for(caches->count));
}
