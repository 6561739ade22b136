/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.c: finding and making cost centres; see thread.h. Asked for where a payer is not remembered, which is rare.
 */
#include "thread.h"

#include "context.h"

struct tn_centre *tn_centre_of(tn_core *core, uint32_t thread, uint32_t instr)
{
    struct tn_thread_record *record = tn_thread_record_of(core, thread);
    struct tn_centre *centre = tn_centre_known(core, record, instr);
    if (centre)
        return centre;
    uint32_t *id = tn_array_force(&record->centre_ids, instr);
    tn_lock_take(&core->late);
    *id = tn_slots_get(&core->centres);
    tn_lock_give(&core->late);
    return tn_slots_at(&core->centres, *id);
}

struct tn_centre *tn_centre_in(tn_core *core, uint32_t thread, uint32_t instr, const struct tn_node *node)
{
    if (core->contexts && node)
        instr = tn_context_instr(core->contexts, instr, node->context);
    return tn_centre_of(core, thread, instr);
}

uint64_t *tn_centre_extra(tn_core *core, struct tn_centre *centre)
{
    if (!centre->extra) {
        tn_lock_take(&core->late);
        centre->extra = tn_pool_get(&core->pools.extra);
        tn_lock_give(&core->late);
    }
    return centre->extra;
}
