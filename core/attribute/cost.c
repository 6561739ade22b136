/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c: adding, clearing and charging counters; see cost.h.
 */
#include "cost.h"

#include "core/tenure_core.h"

#include <string.h>

static void blocks_init(struct tn_late_blocks *blocks, uint32_t counters)
{
    tn_slots_init(&blocks->slots, counters * sizeof(uint64_t));
    tn_array_init(&blocks->next, sizeof(uint32_t));
}

static void blocks_free(struct tn_late_blocks *blocks)
{
    tn_slots_free(&blocks->slots);
    tn_array_free(&blocks->next);
}

static size_t blocks_bytes(const struct tn_late_blocks *blocks)
{
    return tn_array_bytes(&blocks->slots.array) + tn_array_bytes(&blocks->next);
}

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
    pools->near_counters = pools->far_level = pools->per_level;
    if (config->curves) {
        pools->distances = pools->per_level;
        pools->far_level += TN_DISTANCE_EVENTS;
    }
    if (tn_has_tlbs(config)) {
        pools->tlb = pools->near_counters;
        pools->near_counters += TN_TLBS;
    }
    if (config->coherence) {
        pools->coherence = pools->near_counters;
        pools->near_counters += TN_COHERENCES;
    }
    if (config->also_count > 0) {
        pools->also = pools->near_counters;
        pools->near_counters += config->also_count * TN_ALSO_EVENTS;
        pools->near_counters = (pools->near_counters + 7) & ~7u; /* whole lines of the host, as without */
    }
    pools->groups = config->sample > 1 ? TN_SAMPLE_GROUPS : 1;
    pools->far_counters = levels_below * pools->far_level;
    blocks_init(&pools->near, pools->near_counters);
    blocks_init(&pools->far, pools->far_counters);
    tn_pool_init(&pools->extra, TN_IMMEDIATE_EVENTS * sizeof(uint64_t));
}

void tn_cost_pools_free(struct tn_cost_pools *pools)
{
    blocks_free(&pools->near);
    blocks_free(&pools->far);
    tn_pool_free(&pools->extra);
}

size_t tn_cost_pools_bytes(const struct tn_cost_pools *pools)
{
    return blocks_bytes(&pools->near) + blocks_bytes(&pools->far) + pools->extra.bytes;
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

uint64_t *tn_late_block_make(struct tn_late_blocks *blocks, uint32_t *name, uint32_t group)
{
    uint32_t index = tn_slots_get(&blocks->slots), next = *name;
    *name = index | group << TN_LATE_INDEX_BITS;
    if (next) {
        *(uint32_t *)tn_array_force(&blocks->next, index) = next;
        *name |= TN_LATE_MORE;
    }
    return tn_slots_at(&blocks->slots, index);
}

/* Of a block. */
static uint32_t counters_of(const struct tn_late_blocks *blocks)
{
    return (uint32_t)(blocks->slots.array.element / sizeof(uint64_t));
}

/* `change`: block_add or block_subtract. No block is made for one of zeros. */
TN_ALWAYS_INLINE void blocks_change(struct tn_late_blocks *blocks, uint32_t *to, uint32_t from,
                                    void (*change)(uint64_t *to, const uint64_t *from, uint32_t counters))
{
    uint32_t counters = counters_of(blocks);
    for (; from; from = tn_late_block_next(blocks, from)) {
        const uint64_t *block = tn_late_block(blocks, from);
        uint32_t group = tn_late_block_group(from);
        if (tn_late_block_of(blocks, *to, group) || !block_is_zero(block, counters))
            change(tn_late_block_for(blocks, to, group), block, counters);
    }
}

TN_ALWAYS_INLINE void late_change(struct tn_cost_pools *pools, struct tn_late *to, const struct tn_late *from,
                                  void (*change)(uint64_t *to, const uint64_t *from, uint32_t counters))
{
    blocks_change(&pools->near, &to->near, from->near, change);
    blocks_change(&pools->far, &to->far, from->far, change);
}

void tn_late_add(struct tn_cost_pools *pools, struct tn_late *to, const struct tn_late *from)
{
    late_change(pools, to, from, block_add);
}

static void blocks_clear(const struct tn_late_blocks *blocks, uint32_t name)
{
    for (; name; name = tn_late_block_next(blocks, name))
        memset(tn_late_block(blocks, name), 0, blocks->slots.array.element);
}

void tn_late_clear(const struct tn_cost_pools *pools, const struct tn_late *late)
{
    blocks_clear(&pools->near, late->near);
    blocks_clear(&pools->far, late->far);
}

static void blocks_drop(struct tn_late_blocks *blocks, uint32_t name)
{
    while (name) {
        uint32_t next = tn_late_block_next(blocks, name);
        tn_slots_put(&blocks->slots, name & TN_LATE_INDEX);
        name = next;
    }
}

void tn_late_drop(struct tn_cost_pools *pools, struct tn_late *late)
{
    blocks_drop(&pools->near, late->near);
    blocks_drop(&pools->far, late->far);
    *late = (struct tn_late){0, 0};
}

static bool blocks_are_zero(const struct tn_late_blocks *blocks, uint32_t name)
{
    while (name && block_is_zero(tn_late_block(blocks, name), counters_of(blocks)))
        name = tn_late_block_next(blocks, name);
    return !name;
}

bool tn_late_is_zero(const struct tn_cost_pools *pools, const struct tn_late *late)
{
    return blocks_are_zero(&pools->near, late->near) && blocks_are_zero(&pools->far, late->far);
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
