/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * centre.h: cost centres. A centre is what an instruction costs in a thread, besides how often it was executed.
 *
 * Centres are made when the first cost out of the ordinary is charged: a miss, a misprediction, a guarded access, the
 * costs of a skipped function. They stay where they are, so others may remember them. Each belongs to one thread, which
 * alone makes it; their memory is shared, behind the lock tn_core.late.
 */
#ifndef TENURE_CORE_CENTRE_H
#define TENURE_CORE_CENTRE_H

#include "core/core.h"
#include "thread.h"

/* The cost centre of `instr` in a thread; NULL if it never cost anything out of the ordinary. */
static inline struct tn_centre *tn_centre_known(const tn_core *core, const struct tn_thread_record *record,
                                                uint32_t instr)
{
    const uint32_t *id = tn_array_get(&record->centre_ids, instr);
    return id && *id ? tn_slots_at(&core->centres, *id) : NULL;
}

/* The same, made if there is none. */
struct tn_centre *tn_centre_of(tn_core *core, uint32_t thread, uint32_t instr);

/* The cost centre of `instr` in the context of `node`, which may be NULL; made if there is none. */
struct tn_centre *tn_centre_in(tn_core *core, uint32_t thread, uint32_t instr, const struct tn_node *node);

/* What the centre counts of immediate events: TN_IMMEDIATE_EVENTS counters, made if there are none. */
uint64_t *tn_centre_extra(tn_core *core, struct tn_centre *centre);

#endif
