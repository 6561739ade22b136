/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h: the whole of a core, for the core's own files.
 *
 * An epoch is the time between two tn_zero: stays and records of an older epoch pay nobody.
 */
#ifndef TENURE_CORE_CORE_H
#define TENURE_CORE_CORE_H

#include "backdate.h"
#include "branch.h"
#include "cache.h"
#include "code.h"
#include "coherence.h"
#include "context.h"
#include "cost.h"
#include "lock.h"
#include "lower.h"
#include "objects.h"
#include "pairs.h"
#include "pattern.h"
#include "queue.h"
#include "stack.h"
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

/* The cost centre of `instr` in a thread; NULL if it never cost anything out of the ordinary. */
static inline struct tn_centre *tn_centre_known(const tn_core *core, const struct tn_thread_record *record,
                                                uint32_t instr)
{
    const uint32_t *id = tn_array_get(&record->centre_ids, instr);
    return id && *id ? tn_slots_at(&core->centres, *id) : NULL;
}

/* Make it. */
struct tn_centre *tn_centre_make(tn_core *core, uint32_t thread, uint32_t instr);

static inline struct tn_centre *tn_centre_of(tn_core *core, uint32_t thread, uint32_t instr)
{
    struct tn_centre *centre = tn_centre_known(core, tn_thread_record_of(core, thread), instr);
    return centre ? centre : tn_centre_make(core, thread, instr);
}

/* The cost centre of `instr` in the context of `node`. */
static inline struct tn_centre *tn_centre_in(tn_core *core, uint32_t thread, uint32_t instr,
                                             const struct tn_node *node)
{
    if (core->contexts && node)
        instr = tn_context_instr(core->contexts, instr, node->context);
    return tn_centre_of(core, thread, instr);
}

/* What it counts out of the ordinary. */
uint64_t *tn_extra_make(tn_core *core, struct tn_centre *centre);

static inline uint64_t *tn_extra_of(tn_core *core, struct tn_centre *centre)
{
    return centre->extra ? centre->extra : tn_extra_make(core, centre);
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

/* Set what a thread has counted, apart from its running counters, to zero. */
void tn_clear_centres(tn_core *core, struct tn_thread_record *record);

/* Write a part and set all costs to zero; the rings are drained and all threads have settled. */
int tn_raw_write_part(tn_core *core, void *stream, const char *why);

/* to += from */
void tn_tally_add(struct tn_tally *to, const struct tn_tally *from);

/* End the tenures of a thread's own caches (I1 first), charge them. */
void tn_thread_flush(struct tn_thread *thread);

#endif
