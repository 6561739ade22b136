/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h: what is known of a thread besides its hot part (struct tn_thread).
 *
 * A record stays when its thread has ended, since what the thread has cost is written later. The thread itself writes
 * it while it runs; who dumps, or ends the core, does so while no thread runs.
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
    bool defined;                       /* the raw profile has it */
    struct tn_array centre_ids;         /* uint32_t by instruction: its cost centre, 0: none; sparse */
    struct tn_array executed;           /* uint64_t by counter, of a thread that has ended; sparse */
    struct tn_shares shares;            /* with config.data */
    struct tn_region stack;             /* the mapping that its stack is part of; object 0: not known */
    struct tn_branch *branch;           /* with config.branch_sim */
    uint64_t ticked;                    /* clock at the last spill */
    uint64_t told_clock, told_data;     /* when tn_instructions was asked last */
};

/* Of the thread with this id, from 1 on. */
static inline struct tn_thread_record *tn_thread_record_of(const tn_core *core, uint32_t id)
{
    return tn_array_at(&core->threads, id);
}

#endif
