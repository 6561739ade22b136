/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h: what is known of a thread besides its hot part (struct tn_thread), and its cost centres.
 *
 * A record stays when its thread has ended, since what the thread has cost is written later. The thread itself writes
 * it while it runs; who dumps, or ends the core, does so while no thread runs. Of the threads behind the first
 * config.threads each takes over the record of one that has ended, where there is one, with all that it has cost; to
 * readers they are all one thread (`row`). So records, centres and roots are bounded by how many run at a time.
 *
 * A cost centre is what an instruction costs in a thread, besides how often it was executed. It is made when the first
 * cost out of the ordinary is charged: a miss, a misprediction, a guarded access, the costs of a skipped function.
 * Centres stay where they are, so others may remember them. Their memory is shared, behind the lock tn_core.late.
 */
#ifndef TENURE_CORE_THREAD_H
#define TENURE_CORE_THREAD_H

#include "core/base/arena.h"
#include "core/core.h"
#include "memory.h"
#include "objects.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_thread_record {
    struct tn_thread *thread; /* NULL: it has ended */
    uint64_t os_id;
    uint32_t parent;
    uint32_t row;                       /* the thread that readers see: its own id, or that of the first of the rest */
    uint32_t next_free;
    bool defined;                       /* the raw profile has it */
    struct tn_array centre_ids;         /* uint32_t by instruction: its cost centre, 0: none; sparse */
    struct tn_array executed;           /* uint64_t by counter, of a thread that has ended; sparse */
    struct tn_shares shares;            /* with config.data */
    struct tn_region stack;             /* the mapping that its stack is part of; object 0: not known */
    uint64_t ticked;                    /* clock at the last spill */
    uint64_t told_clock, told_data;     /* when tn_instructions was asked last */
};

/* The record of the thread with this id, which counts from 1. */
static inline struct tn_thread_record *tn_thread_record_of(const tn_core *core, uint32_t id)
{
    return tn_array_at(&core->threads, id);
}

/* The cost centre of `instr` in a thread; NULL if it has only ever executed, without misses or other extra costs. */
static inline struct tn_centre *tn_centre_known(const tn_core *core, const struct tn_thread_record *record,
                                                uint32_t instr)
{
    const uint32_t *id = tn_array_get(&record->centre_ids, instr);
    return id && *id ? tn_slots_at(&core->centres, *id) : NULL;
}

/* A skipped function's instructions are paid for by call sites. */
static inline bool tn_pays_itself(const tn_core *core, const struct tn_instr_info *instr)
{
    return !core->config.inclusive ||
           !(tn_code_get_function(&core->code, instr->function)->flags & TN_FN_SKIP);
}

/* immediate += what an instruction that pays itself costs when it runs so often, without its guarded accesses. */
static inline void tn_executed_add(const tn_core *core, const struct tn_instr_info *instr, uint64_t times,
                                   uint64_t *immediate)
{
    immediate[TN_Ir] += times;
    immediate[TN_Dr] += times * instr->reads;
    immediate[TN_Dw] += times * instr->writes;
    immediate[TN_Bc] += instr->flags & TN_INSTR_COND && core->config.branch_sim ? times : 0;
    immediate[TN_Bi] += instr->flags & TN_INSTR_INDIRECT && core->config.branch_sim ? times : 0;
}

/* The cost centre of `instr` in a thread, made if there is none. */
struct tn_centre *tn_centre_of(tn_core *core, uint32_t thread, uint32_t instr);

/* The cost centre of `instr` in the context of `node`, which may be NULL; made if there is none. */
struct tn_centre *tn_centre_in(tn_core *core, uint32_t thread, uint32_t instr, const struct tn_node *node);

/* The centre's counters of immediate events: TN_IMMEDIATE_EVENTS of them, made if there are none. */
uint64_t *tn_centre_extra(tn_core *core, struct tn_centre *centre);

#endif
