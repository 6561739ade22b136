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
#include "queue.h"
#include "tlb.h"

struct payers {
    uint64_t *centre, *node;
};

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
