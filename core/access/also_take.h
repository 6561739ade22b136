/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also_take.h: further machines (also.h) are asked for lines.
 *
 * This is a part of the consumer (lower.c, which may be compiled more than once), and goes before it. Of entries that
 * are foreseen, L2 is asked and, after a miss, the set in LL is fetched; before entries are consumed, for which their
 * nodes wait, LL is asked and misses are charged. That is done for a few entries more than the consumer takes, so that
 * it has not to be done each time.
 */
#ifndef TENURE_CORE_ALSO_TAKE_H
#define TENURE_CORE_ALSO_TAKE_H

#include "also.h"
#include "cache.h"
#include "charge.h"

/* `counters`: the machine's first one. `misses`: whether there is a miss at all. */
static inline void charge_also(struct tn_machine *machine, const struct tn_taken *taken, unsigned level,
                               uint32_t counters, bool misses)
{
    const struct tn_entry *entry = taken->entry;
    uint64_t access = entry->stamp >> TN_STEP_BITS, *missed = &machine->missed[stream_of(entry)][level];
    bool counts = misses & (access != *missed);
    *missed = misses ? access : *missed;
    charge_payers(&(struct payers){taken->near, taken->of_node},
                  counters + level * (TN_LATE_WRITE_MISS + 1) + (entry->flags & TN_ENTRY_WRITE), counts);
}

/* Which levels the line misses, as far as it is known before LL is asked, and where it is there. There is no branch on
 * what L2 says, which a processor would often predict wrongly. */
static inline void look_up_also(struct tn_machine *machine, const struct tn_entry *entry, uint64_t at)
{
    struct tn_asked *asked = &machine->asked[machine->behind % TN_AHEAD];
    struct tn_place place = {0};
    if (machine->has_l2) {
        tn_sets_split(&machine->l2, entry->address, &place);
        tn_sets_use(&machine->l2, &place, NULL);
    }
    tn_sets_split(machine->ll, entry->address, &asked->place);
    uint32_t below = (machine->has_l2 ? 1u << TN_ALSO_2 : 0) | 1u << TN_ALSO_LL;
    asked->at = at;
    asked->missed = (machine->other[stream_of(entry)] ? 1u << TN_ALSO_1 : 0) | (below & (place.hit - 1u));
    asked->place.set *= !place.hit; /* L2 has it, LL is not asked: set 0 is fetched as well as any */
    tn_sets_prefetch(machine->ll, &asked->place);
    machine->behind += asked->missed != 0;
}

static inline void charge_machine(struct tn_machine *machine, const struct tn_taken *taken, uint32_t counters,
                                  struct tn_asked *asked)
{
    if (asked->missed & 1u << TN_ALSO_1)
        charge_also(machine, taken, TN_ALSO_1, counters, true);
    if (!(asked->missed & 1u << TN_ALSO_LL))
        return;
    charge_also(machine, taken, TN_ALSO_2, counters, machine->has_l2);
    tn_sets_use(machine->ll, &asked->place, NULL);
    charge_also(machine, taken, TN_ALSO_LL, counters, !asked->place.hit);
}

/* A bit for each machine whose level 1 misses the line of an entry. */
static inline uint64_t machines_of(const struct tn_ring *ring, uint64_t at)
{
    const struct tn_entry *entry = &ring->entries[at & ring->mask];
    bool told = (entry->flags & TN_ENTRY_TOLD) == TN_ENTRY_TOLD;
    if (!told && entry->flags & (TN_ENTRY_SPILL | TN_ENTRY_FLUSH | TN_ENTRY_REUSE))
        return 0;
    return ring->machines ? ring->machines[at & ring->mask] : told - 1ull;
}

/* Asks further machines for the lines of entries that are foreseen, and charges those up to `charge_to`, which are
 * looked up, and of which none was consumed. `counters`: the first one of all. */
static __attribute__((noinline)) void also_take(struct tn_ring *ring, uint64_t charge_to, uint32_t counters)
{
    struct tn_also_caches *caches = ring->l1[TN_DATA]->also;
    for (uint32_t i = 0; i < caches->count; i++, counters += TN_ALSO_EVENTS) {
        struct tn_machine *machine = &caches->machine[i];
        for (uint64_t at = ring->also_taken; at < ring->foreseen; at++) {
            if (machines_of(ring, at) >> i & 1)
                look_up_also(machine, &ring->entries[at & ring->mask], at);
        }
        for (; machine->first < machine->behind; machine->first++) {
            struct tn_asked *asked = &machine->asked[machine->first % TN_AHEAD];
            if (asked->at >= charge_to)
                break;
            charge_machine(machine, &ring->taken[asked->at % TN_AHEAD], counters, asked);
        }
    }
    ring->also_taken = ring->foreseen;
    ring->also_charged = charge_to;
}

#endif
