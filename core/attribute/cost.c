/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c: adding, clearing and charging counters; see cost.h.
 */
#include "cost.h"

#include "core/raw_format.h"
#include "core/tenure_core.h"

#include <string.h>

void tn_cost_pools_init(struct tn_cost_pools *pools, const struct tn_config *config)
{
    uint32_t levels_below = config->l2.size ? 2 : 1;
    pools->per_level = TN_LATE_PER_LEVEL + (config->write_back ? TN_WRITE_BACKS : 0);
    if (tn_prefetches(config)) {
        pools->prefetched = pools->per_level;
        pools->per_level += TN_PREFETCHES;
    }
    if (config->patterns) {
        pools->kinds = pools->per_level;
        pools->per_level += TN_KINDS;
    }
    pools->near_group = pools->far_level = pools->per_level;
    if (config->curves) {
        pools->distances = pools->per_level;
        pools->far_level += TN_DISTANCE_EVENTS;
    }
    if (tn_has_tlbs(config)) {
        pools->tlb = pools->near_group;
        pools->near_group += TN_TLBS;
    }
    if (config->coherence) {
        pools->coherence = pools->near_group;
        pools->near_group += TN_COHERENCES;
    }
    if (config->also_count > 0) {
        pools->also = pools->near_group;
        pools->near_group += config->also_count * TN_ALSO_EVENTS;
        pools->near_group = (pools->near_group + 7) & ~7u; /* whole lines of the host, as without */
    }
    pools->groups = config->sample > 1 ? TN_SAMPLE_GROUPS : 1;
    pools->far_group = levels_below * pools->far_level;
    pools->near_counters = pools->groups * pools->near_group;
    pools->far_counters = pools->groups * pools->far_group;
    tn_slots_init(&pools->near, pools->near_counters * sizeof(uint64_t));
    tn_slots_init(&pools->far, pools->far_counters * sizeof(uint64_t));
    tn_pool_init(&pools->extra, TN_IMMEDIATE_EVENTS * sizeof(uint64_t));
}

void tn_cost_pools_free(struct tn_cost_pools *pools)
{
    tn_slots_free(&pools->near);
    tn_slots_free(&pools->far);
    tn_pool_free(&pools->extra);
}

size_t tn_cost_pools_bytes(const struct tn_cost_pools *pools)
{
    return tn_array_bytes(&pools->near.array) + tn_array_bytes(&pools->far.array) + pools->extra.bytes;
}

/* ------------------------------------------------------------------------------------------ blocks */

static void block_add(uint64_t *restrict to, const uint64_t *restrict from, uint32_t counters)
{
    for (uint32_t i = 0; i < counters; i++)
        to[i] += from[i];
}

static bool block_is_zero(const uint64_t *block, uint32_t counters)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < counters; i++)
        any |= block[i];
    return any == 0;
}

/* Where sets are sampled, most groups of most blocks have nothing. */
static void groups_add(uint64_t *to, const uint64_t *from, uint32_t groups, uint32_t counters)
{
    for (uint32_t group = 0; group < groups; group++, to += counters, from += counters) {
        if (groups == 1 || !block_is_zero(from, counters))
            block_add(to, from, counters);
    }
}

void tn_late_add(struct tn_cost_pools *pools, struct tn_late *to, const struct tn_late *from)
{
    if (from->near)
        groups_add(tn_near(pools, to), tn_slots_at(&pools->near, from->near), pools->groups, pools->near_group);
    if (from->far)
        groups_add(tn_far(pools, to), tn_slots_at(&pools->far, from->far), pools->groups, pools->far_group);
}

void tn_late_clear(const struct tn_cost_pools *pools, const struct tn_late *late)
{
    if (late->near)
        memset(tn_slots_at(&pools->near, late->near), 0, pools->near_counters * sizeof(uint64_t));
    if (late->far)
        memset(tn_slots_at(&pools->far, late->far), 0, pools->far_counters * sizeof(uint64_t));
}

void tn_late_drop(struct tn_cost_pools *pools, struct tn_late *late)
{
    if (late->near)
        tn_slots_put(&pools->near, late->near);
    if (late->far)
        tn_slots_put(&pools->far, late->far);
    *late = (struct tn_late){0, 0};
}

bool tn_late_is_zero(const struct tn_cost_pools *pools, const struct tn_late *late)
{
    return (!late->near || block_is_zero(tn_slots_at(&pools->near, late->near), pools->near_counters)) &&
           (!late->far || block_is_zero(tn_slots_at(&pools->far, late->far), pools->far_counters));
}

/* ------------------------------------------------------------------------------------------ costs */

void tn_costs_add(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from)
{
    block_add(to->immediate, from->immediate, TN_IMMEDIATE_EVENTS);
    for (int stream = 0; stream < TN_STREAMS; stream++)
        tn_late_add(pools, &to->late[stream], &from->late[stream]);
}

static void block_subtract(uint64_t *restrict to, const uint64_t *restrict from, uint32_t counters)
{
    for (uint32_t i = 0; i < counters; i++)
        to[i] -= from[i];
}

void tn_costs_subtract(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from)
{
    block_subtract(to->immediate, from->immediate, TN_IMMEDIATE_EVENTS);
    for (int stream = 0; stream < TN_STREAMS; stream++) {
        const struct tn_late *late = &from->late[stream];
        if (late->near)
            block_subtract(tn_near(pools, &to->late[stream]), tn_slots_at(&pools->near, late->near),
                           pools->near_counters);
        if (late->far)
            block_subtract(tn_far(pools, &to->late[stream]), tn_slots_at(&pools->far, late->far), pools->far_counters);
    }
}

void tn_costs_clear(struct tn_cost_pools *pools, struct tn_costs *costs)
{
    memset(costs->immediate, 0, sizeof costs->immediate);
    for (int stream = 0; stream < TN_STREAMS; stream++)
        tn_late_clear(pools, &costs->late[stream]);
}

void tn_costs_drop(struct tn_cost_pools *pools, struct tn_costs *costs)
{
    memset(costs->immediate, 0, sizeof costs->immediate);
    for (int stream = 0; stream < TN_STREAMS; stream++)
        tn_late_drop(pools, &costs->late[stream]);
}

bool tn_costs_are_zero(const struct tn_cost_pools *pools, const struct tn_costs *costs)
{
    return block_is_zero(costs->immediate, TN_IMMEDIATE_EVENTS) && tn_late_is_zero(pools, &costs->late[TN_FETCH]) &&
           tn_late_is_zero(pools, &costs->late[TN_DATA]);
}

#define WHOLE (1000u * TN_RAW_ACCOST_UNIT)
#define FOUR(t) WHOLE / (t), WHOLE / ((t) + 1), WHOLE / ((t) + 2), WHOLE / ((t) + 3)
/* Most tenures are short: no division for them. */
const uint32_t tn_accost_short[TN_ACCOST_SHORT] = {0, FOUR(1), FOUR(5), FOUR(9), FOUR(13), FOUR(17), FOUR(21), FOUR(25),
                                                   FOUR(29)};

uint64_t tn_accost_long(uint64_t touches)
{
    return touches >> 32 ? WHOLE / touches : WHOLE / (uint32_t)touches;
}
