/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c: adding, clearing and charging counters; see cost.h.
 */
#include "cost.h"

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

/* As a rule eight counters are a line of the host, and those of most lines are zero: then `to` is not asked for. */
static void block_add(uint64_t *restrict to, const uint64_t *restrict from, uint32_t counters)
{
    for (; counters >= 8; counters -= 8, to += 8, from += 8) {
        if (!(from[0] | from[1] | from[2] | from[3] | from[4] | from[5] | from[6] | from[7]))
            continue;
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++)
            to[i] += from[i];
    }
    for (uint32_t i = 0; i < counters; i++)
        to[i] += from[i];
}

static bool block_is_zero(const uint64_t *block, uint32_t counters)
{
    uint64_t any = 0;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < counters; i++)
        any |= block[i];
    return any == 0;
}

static void block_subtract(uint64_t *restrict to, const uint64_t *restrict from, uint32_t counters)
{
    for (uint32_t i = 0; i < counters; i++)
        to[i] -= from[i];
}

/* `change`: block_add or block_subtract. */
TN_ALWAYS_INLINE void late_change(struct tn_cost_pools *pools, struct tn_late *to, const struct tn_late *from,
                                  void (*change)(uint64_t *to, const uint64_t *from, uint32_t counters))
{
    for (uint32_t left = tn_late_groups(pools, from->near); left; left &= left - 1) {
        uint32_t group = (uint32_t)__builtin_ctz(left);
        change(tn_near(pools, to, group), tn_late_at(pools, from, TN_LEVEL_1, group), pools->near_group);
    }
    for (uint32_t left = tn_late_groups(pools, from->far); left; left &= left - 1) {
        uint32_t group = (uint32_t)__builtin_ctz(left);
        change(tn_far(pools, to, group), tn_late_at(pools, from, TN_LEVEL_LL, group), pools->far_group);
    }
}

void tn_late_add(struct tn_cost_pools *pools, struct tn_late *to, const struct tn_late *from)
{
    late_change(pools, to, from, block_add);
}

/* Stays and records point to what they will charge: blocks keep their groups. */
void tn_late_clear(const struct tn_cost_pools *pools, const struct tn_late *late)
{
    if (late->near)
        memset(tn_slots_at(&pools->near, late->near & TN_LATE_INDEX), 0, pools->near_counters * sizeof(uint64_t));
    if (late->far)
        memset(tn_slots_at(&pools->far, late->far & TN_LATE_INDEX), 0, pools->far_counters * sizeof(uint64_t));
}

void tn_late_drop(struct tn_cost_pools *pools, struct tn_late *late)
{
    if (late->near)
        tn_slots_put(&pools->near, late->near & TN_LATE_INDEX);
    if (late->far)
        tn_slots_put(&pools->far, late->far & TN_LATE_INDEX);
    *late = (struct tn_late){0, 0};
}

bool tn_late_is_zero(const struct tn_cost_pools *pools, const struct tn_late *late)
{
    for (uint32_t left = tn_late_groups(pools, late->near); left; left &= left - 1) {
        if (!block_is_zero(tn_late_at(pools, late, TN_LEVEL_1, (uint32_t)__builtin_ctz(left)), pools->near_group))
            return false;
    }
    for (uint32_t left = tn_late_groups(pools, late->far); left; left &= left - 1) {
        if (!block_is_zero(tn_late_at(pools, late, TN_LEVEL_LL, (uint32_t)__builtin_ctz(left)), pools->far_group))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ costs */

void tn_costs_add(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from)
{
    block_add(to->immediate, from->immediate, TN_IMMEDIATE_EVENTS);
    for (int stream = 0; stream < TN_STREAMS; stream++)
        tn_late_add(pools, &to->late[stream], &from->late[stream]);
}

void tn_costs_subtract(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from)
{
    block_subtract(to->immediate, from->immediate, TN_IMMEDIATE_EVENTS);
    for (int stream = 0; stream < TN_STREAMS; stream++)
        late_change(pools, &to->late[stream], &from->late[stream], block_subtract);
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
