/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * charge.h: what the consumer of misses (lower.c) adds to counters.
 *
 * Everything is charged twice: to the loader's centre and to its node. If nobody pays, or there are no nodes, the
 * counters are core->waste.
 */
#ifndef TENURE_CORE_CHARGE_H
#define TENURE_CORE_CHARGE_H

#include "core/attribute/cost.h"
#include "core/attribute/objects.h"
#include "core/core.h"
#include "queue.h"
#include "tlb.h"

static inline enum tn_stream stream_of(const struct tn_entry *entry)
{
    return entry->flags & TN_ENTRY_FETCH ? TN_FETCH : TN_DATA;
}

struct payers {
    uint64_t *centre, *node;
};

/* The loader's counters of a level below level 1, made if there are none. */
static inline struct payers payers_below(tn_core *core, const struct tn_taken *taken, enum tn_level level)
{
    uint32_t at = (level - 1) * core->pools.far_level;
    struct payers payers = {core->waste, core->waste};
    if (taken->entry->late)
        payers.centre = tn_far(&core->pools, taken->entry->late, taken->group) + at;
    if (taken->node)
        payers.node = tn_far(&core->pools, taken->node, taken->group) + at;
    return payers;
}

static inline void charge_payers(const struct payers *payers, uint32_t what, uint64_t amount)
{
    payers->centre[what] += amount;
    payers->node[what] += amount;
}

TN_ALWAYS_INLINE void charge_tenure(const struct payers *payers, const struct tn_tenure *tenure)
{
    const struct tn_charge charge = tn_charge_of(tenure);
    tn_two_counters *centre = (tn_two_counters *)&payers->centre[TN_LATE_AcCost];
    tn_two_counters *node = (tn_two_counters *)&payers->node[TN_LATE_AcCost];
    for (unsigned i = 0; i < 3; i++) {
        centre[i] += charge.pair[i];
        node[i] += charge.pair[i];
    }
}

static inline void charge_miss(const struct payers *payers, uint32_t flags)
{
    charge_payers(payers, TN_LATE_READ_MISS + (flags & TN_ENTRY_WRITE), 1); /* TN_LATE_WRITE_MISS is the next */
}

static inline void charge_write_back(const struct payers *payers, uint32_t bytes)
{
    charge_payers(payers, TN_LATE_PER_LEVEL + TN_WRITE_BACK_Wb, 1);
    charge_payers(payers, TN_LATE_PER_LEVEL + TN_WRITE_BACK_Wrt, bytes);
}

/* Charge a miss of a slice at level 1, or at a level below. */
static inline void charge_slice_miss(struct tn_slices *slices, uint32_t id, const struct tn_entry *entry, bool far)
{
    struct tn_slice *slice = tn_slice_at(slices, id);
    tn_slice_miss(slices, far ? tn_slice_far(slices, slice) : &slice->near, entry->address,
                  TN_SLICE_READ_MISSES + (entry->flags & TN_ENTRY_WRITE)); /* TN_SLICE_WRITE_MISSES is the next */
}

/* Prefetch the counters that the miss, or the end of the tenure, will add to. */
TN_ALWAYS_INLINE void fetch_slice_miss(const struct tn_slices *slices, uint32_t id, const struct tn_entry *entry)
{
    const struct tn_slice *slice = tn_slice_at(slices, id);
    __builtin_prefetch(slice->near.count[TN_SLICE_READ_MISSES + (entry->flags & TN_ENTRY_WRITE)], 1);
}

TN_ALWAYS_INLINE void fetch_slice_end(const struct tn_slices *slices, uint32_t id)
{
    const struct tn_slice *slice = tn_slice_at(slices, id);
    __builtin_prefetch(slice->near.count[TN_SLICE_TOUCHED], 1);
    __builtin_prefetch(&slice->near.ended, 1);
}

static inline void charge_slice_end(struct tn_slices *slices, uint32_t id, uint64_t mask, bool far)
{
    struct tn_slice *slice = tn_slice_at(slices, id);
    tn_slice_end(slices, far ? tn_slice_far(slices, slice) : &slice->near, mask);
}

/* An access asked for a page that was not in the first TLB. `tlb`: the first of the counters of TLBs. */
static inline void charge_page(const struct payers *payers, const struct tn_entry *entry, uint32_t tlb)
{
    uint32_t write = entry->flags & TN_ENTRY_WRITE; /* those of writes are the next */
    if (entry->use & TN_TLB_MISS)
        charge_payers(payers, tlb + TN_TLB_READ_MISS + write, 1);
    if (entry->use & TN_TLB_WALK)
        charge_payers(payers, tlb + TN_TLB_READ_WALK + write, 1);
}

#endif
