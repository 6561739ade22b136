/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h: the state of a simulation, which the rooms of core/ share.
 *
 * Who owns what: a running thread writes its hot part (struct tn_thread), its record (attribute/thread.h) and its
 * trees; the consumer of misses (access/queue.h) writes what is marked as its own. Definitions, late costs and what
 * memory holds are behind locks (base/lock.h), which are there only where threads run at the same time.
 *
 * An epoch is the time between two tn_zero: stays and records of an older epoch pay nobody.
 */
#ifndef TENURE_CORE_CORE_H
#define TENURE_CORE_CORE_H

#include "core/attribute/backdate.h"
#include "core/attribute/code.h"
#include "core/attribute/cost.h"
#include "core/attribute/timeline.h"
#include "core/access/sample.h"
#include "core/base/arena.h"
#include "core/base/lock.h"
#include "tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_meta_entry {
    const char *key, *value;
};

struct tn_core {
    struct tn_config config;
    struct tn_layout layout;
    struct tn_lock consuming, late, definitions, memory;
    uint32_t epoch;
    bool collecting, dump_wanted; /* dump_wanted: by a thread that has ended */
    struct tn_array metas;        /* struct tn_meta_entry */
    struct tn_written {           /* definitions that the raw profile has already (raw_write.c) */
        uint32_t part, objects, functions, instrs, metas, origins;
        bool header;
    } written;

    /* Threads. */
    struct tn_array threads;   /* struct tn_thread_record by id */
    uint32_t rest;             /* the first of those that are added up; 0: there is none */
    uint32_t free_record;      /* of those, one whose thread has ended, linked through next_free; 0: none */
    struct tn_thread *running; /* serial engines: whose clock is right; with shared_l1, whose caches */
    struct tn_thread *spare;   /* hot memory of ended threads, linked through user */
    struct tn_thread *orphan;  /* ended as the last one, with the shared caches */
    uint64_t ended_clock;      /* the latest of threads that have ended */
    uint64_t instructions;     /* that threads have told of (tn_instructions) */
    struct tn_tally tally;     /* of threads that have ended */

    /* Who pays. */
    struct tn_code code;
    struct tn_cost_pools pools;
    struct tn_slots centres; /* struct tn_centre, of all threads */
    struct tn_sums sums;
    struct tn_forest forest; /* of all threads; parallel engines have one for each thread: the first in a list */
    struct tn_timeline timeline;  /* with config.timeline */
    struct tn_contexts *contexts; /* NULL: a function is its only context */
    struct tn_data *data;         /* NULL: data objects are not charged */
    struct tn_pool stack_pool, level_pool, handler_pool, special_pool, resolver_pool, allocating_pool;
    void (*wait)(struct tn_thread *thread); /* tn_ring_wait, for the stacks, which know nothing of rings */
    void (*zero)(tn_core *core);            /* tn_zero for the stacks, while no other thread runs */
    void (*set_apart)(tn_core *core, uint64_t start, uint64_t end); /* tn_l1_set_apart, for attribute/remap.c */

    /* Caches. */
    struct tn_l1 *shared_i1, *shared_d1;
    struct tn_lower *shared_l2;
    struct tn_lower *ll;            /* NULL: caches are not simulated */
    struct tn_also_last *also;      /* NULL: there are no further machines */
    struct tn_coherence *coherence; /* NULL: D1s are not kept coherent */
    uint64_t moved; /* address of the instruction whose access moved to another way table last; 0: told */
    uint32_t moves; /* accesses that have */
    uint64_t merged;       /* parallel engines: the time of what is published (queue.h); behind the lock `consuming` */
    struct tn_ring *rings; /* of all hot memory, linked through next */
    uint64_t tickets, tickets_taken; /* of batches: given out, and the next to be published */
    struct tn_sample sample;
    tn_taker *take; /* of the consumer; compiled apart for what is usual */

    /* The consumer's. */
    _Alignas(64) uint64_t waste[TN_LATE_MOST]; /* what is charged to nobody */
    struct tn_pool displaced_pool;
    struct tn_patterns *patterns; /* NULL: neither strides nor kinds of misses are kept */
    struct tn_pairs *pairs;       /* NULL: who loads again what others have thrown out is not kept */
    struct tn_pairs *reuses;      /* with pairs: who used lines first that others had loaded; without evictors */
    uint64_t records_live, records_max, nodes_summed, samples;
};

/* Threads may be made while others ask. */
static inline const struct tn_forest *tn_forest_next(const struct tn_forest *forest)
{
    return __atomic_load_n(&forest->next, __ATOMIC_ACQUIRE);
}

/* Nodes of all trees. */
static inline uint64_t tn_nodes(const tn_core *core)
{
    uint64_t nodes = 0;
    for (const struct tn_forest *forest = &core->forest; forest; forest = tn_forest_next(forest))
        nodes += __atomic_load_n(&forest->now, __ATOMIC_RELAXED);
    return nodes;
}

/* The counters of a thread that runs. */
static inline uint64_t *tn_counters_of(const tn_core *core, struct tn_thread *thread)
{
    return (uint64_t *)((char *)thread + core->layout.counters);
}

/* to += from */
static inline void tn_tally_add(struct tn_tally *to, const struct tn_tally *from)
{
    to->calls += from->calls;
    to->returns += from->returns;
    to->unwinds += from->unwinds;
    to->jumps += from->jumps;
    to->slow_data += from->slow_data;
    to->slow_fetch += from->slow_fetch;
}

#endif
