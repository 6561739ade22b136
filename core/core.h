/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h: the whole of a core, for the core's own files.
 *
 * An epoch is the time between two tn_zero: stays and records of an older epoch pay nobody.
 */
#ifndef TENURE_CORE_CORE_H
#define TENURE_CORE_CORE_H

#include "core/access/cache.h"
#include "core/access/coherence.h"
#include "core/access/lower.h"
#include "core/access/queue.h"
#include "core/attribute/backdate.h"
#include "core/attribute/branch.h"
#include "core/attribute/code.h"
#include "core/attribute/context.h"
#include "core/attribute/cost.h"
#include "core/attribute/objects.h"
#include "core/attribute/stack.h"
#include "core/base/lock.h"
#include "core/explain/pairs.h"
#include "core/explain/pattern.h"
#include "tenure_core.h"

/* What is known of a thread besides its hot part; stays when the thread has ended. */
struct tn_thread_record {
    struct tn_thread *thread; /* NULL: ended */
    uint64_t os_id;
    uint32_t parent;
    bool defined;
    struct tn_array centre_ids; /* uint32_t by instruction: its centre, 0: none; sparse */
    struct tn_array executed; /* uint64_t by counter, of a thread that ended; sparse */
    struct tn_shares shares; /* with config.data */
    struct tn_region stack;  /* the mapping that its stack is part of; object 0: not known */
    struct tn_branch *branch;
    uint64_t ticked; /* clock at the last spill */
    uint64_t told_clock, told_data; /* when tn_instructions was asked last */
};

struct tn_meta_entry {
    const char *key, *value;
};

struct tn_core {
    struct tn_config config;
    struct tn_layout layout;
    struct tn_code code;
    struct tn_cost_pools pools;
    struct tn_lock consuming, late, definitions, memory;
    uint64_t instructions; /* that threads have told of (tn_instructions) */
    struct tn_sums sums;
    struct tn_forest forest; /* of all threads; parallel engines have one for each thread: the first in a list */
    struct tn_contexts *contexts; /* NULL: a function is its only context */
    struct tn_data *data;         /* NULL: data objects are not charged */
    struct tn_coherence *coherence; /* NULL: D1s are not kept coherent */
    struct tn_pool stack_pool, level_pool, handler_pool, special_pool, resolver_pool, allocating_pool;
    struct tn_lower ll;
    struct tn_l1 *shared_i1, *shared_d1;
    struct tn_lower *shared_l2;
    struct tn_array threads; /* struct tn_thread_record by id */
    struct tn_slots centres; /* struct tn_centre, of all threads */
    struct tn_array metas;   /* struct tn_meta_entry */
    uint64_t merged;       /* parallel engines: the time of what is published (queue.h); behind the lock `late` */
    struct tn_ring *rings; /* of all hot memory, linked through next */
    uint64_t tickets, tickets_taken; /* of batches: given out, and the next to be published */
    tn_taker *take;        /* of the consumer; compiled apart for what is usual */
    void (*wait)(struct tn_thread *thread); /* tn_ring_wait, for the stacks, which know nothing of rings */
    void (*zero)(tn_core *core);            /* tn_zero for the stacks, while no other thread runs */
    uint32_t epoch;
    uint64_t moved; /* address of the instruction whose access moved to another way table last; 0: told */
    uint32_t moves; /* accesses that have */
    bool collecting, toggles, dump_wanted; /* dump_wanted: by a thread that has ended */
    struct tn_thread *running; /* serial engines: whose clock is right; with shared_l1, whose caches */
    struct tn_thread *spare; /* hot memory of ended threads, linked through user */
    struct tn_thread *orphan; /* ended as the last one, with the shared caches */
    uint64_t ended_clock;    /* the latest of threads that have ended */
    struct tn_written {      /* definitions that the raw profile has already (raw_write.c) */
        uint32_t part, objects, functions, instrs, metas, origins;
        bool header;
    } written;
    struct tn_tally tally; /* of threads that have ended */
    /* ---- the consumer's */
    _Alignas(64) uint64_t waste[32]; /* what is charged to nobody */
    struct tn_pool displaced_pool;
    struct tn_patterns patterns; /* with config.patterns */
    struct tn_pairs pairs;       /* with config.pairs */
    struct tn_pairs reuses;      /* the same: who used lines first that others had loaded; without evictors */
    uint64_t records_live, records_max, nodes_summed, samples;
};

static inline struct tn_thread_record *tn_thread_record_of(const tn_core *core, uint32_t id)
{
    return tn_array_at(&core->threads, id);
}

/* Nodes of all trees. */
static inline uint64_t tn_nodes(const tn_core *core)
{
    uint64_t nodes = 0;
    for (const struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        nodes += forest->now;
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

/* Write a part; the rings are drained and all threads have settled. Folding moves what nodes have collected to arcs and
 * functions; the caller sets all other costs to zero. Returns 0, or the host's error number. */
int tn_raw_write_part(tn_core *core, void *stream, const char *why);

#endif
