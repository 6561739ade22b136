/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c: adding, clearing and charging counters; see cost.h.
 */
#include "cost.h"

#include "raw_format.h"
#include "tenure_core.h"

#include <string.h>

void tn_cost_pools_init(struct tn_cost_pools *pools, uint32_t levels)
{
    pools->late_slots = levels * TN_LATE_PER_LEVEL;
    tn_pool_init(&pools->late, pools->late_slots * sizeof(uint64_t));
    tn_pool_init(&pools->extra, TN_IMMEDIATE_EVENTS * sizeof(uint64_t));
}

void tn_cost_pools_free(struct tn_cost_pools *pools)
{
    tn_pool_free(&pools->late);
    tn_pool_free(&pools->extra);
}

void tn_costs_add(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from)
{
    for (int i = 0; i < TN_IMMEDIATE_EVENTS; i++)
        to->immediate[i] += from->immediate[i];
    for (int stream = 0; stream < TN_STREAMS; stream++) {
        if (!from->late[stream])
            continue;
        uint64_t *late = tn_late(pools, &to->late[stream]);
        for (uint32_t i = 0; i < pools->late_slots; i++)
            late[i] += from->late[stream][i];
    }
}

void tn_late_clear(const struct tn_cost_pools *pools, uint64_t *late)
{
    if (late)
        memset(late, 0, pools->late_slots * sizeof *late);
}

void tn_costs_clear(struct tn_cost_pools *pools, struct tn_costs *costs)
{
    memset(costs->immediate, 0, sizeof costs->immediate);
    for (int stream = 0; stream < TN_STREAMS; stream++)
        tn_late_clear(pools, costs->late[stream]);
}

void tn_late_drop(struct tn_cost_pools *pools, uint64_t **late)
{
    for (int stream = 0; stream < TN_STREAMS; stream++) {
        if (late[stream])
            tn_pool_put(&pools->late, late[stream]);
        late[stream] = NULL;
    }
}

void tn_costs_drop(struct tn_cost_pools *pools, struct tn_costs *costs)
{
    memset(costs->immediate, 0, sizeof costs->immediate);
    tn_late_drop(pools, costs->late);
}

bool tn_late_is_zero(const struct tn_cost_pools *pools, const uint64_t *late)
{
    uint64_t any = 0;
    for (uint32_t i = 0; late && i < pools->late_slots; i++)
        any |= late[i];
    return any == 0;
}

bool tn_costs_are_zero(const struct tn_cost_pools *pools, const struct tn_costs *costs)
{
    uint64_t any = 0;
    for (int i = 0; i < TN_IMMEDIATE_EVENTS; i++)
        any |= costs->immediate[i];
    return any == 0 && tn_late_is_zero(pools, costs->late[TN_FETCH]) &&
           tn_late_is_zero(pools, costs->late[TN_DATA]);
}

uint64_t tn_accost(uint64_t touches)
{
    const uint64_t whole = 1000ull * TN_RAW_ACCOST_UNIT;
    switch (touches) { /* most tenures are short: no division for them */
    case 0: return 0;
    case 1: return whole;
    case 2: return whole / 2;
    case 3: return whole / 3;
    case 4: return whole / 4;
    case 5: return whole / 5;
    case 6: return whole / 6;
    case 7: return whole / 7;
    case 8: return whole / 8;
    }
    return touches >> 32 ? whole / touches : (uint32_t)whole / (uint32_t)touches;
}
