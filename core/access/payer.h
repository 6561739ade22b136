/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * payer.h: who pays for a miss of level 1 that is about to be queued: the late costs of its instruction, or of what the
 * instruction and the data object at the address have together.
 *
 * Each access and each fetch remembers the payer of its last miss, which is nearly always that of the next one.
 */
#ifndef TENURE_CORE_PAYER_H
#define TENURE_CORE_PAYER_H

#include "cache.h"
#include "core/attribute/context.h"
#include "core/attribute/objects.h"
#include "core/attribute/stack.h"
#include "core/attribute/thread.h"
#include "core/core.h"

/* `object`: of the address that missed; 0: data objects are not charged, or it is no data. */
static inline struct tn_late *late_of(struct tn_thread *thread, enum tn_stream stream, uint32_t instr, uint32_t object)
{
    tn_core *core = thread->core;
    if (!object)
        return &tn_centre_in(core, thread->id, instr, thread->running.node)->late[stream];
    if (core->contexts && thread->running.node)
        instr = tn_context_instr(core->contexts, instr, thread->running.node->context);
    return tn_share_of(&tn_thread_record_of(core, thread->id)->shares, instr, object);
}

/* Whose `usual` is to be, if it is nobody's yet: else the thread's own for this instruction. */
static inline struct tn_payer *payer_to_know(struct tn_thread *thread, enum tn_stream stream, uint32_t instr,
                                      struct tn_payer *usual, uint64_t key)
{
    if (!thread->core->config.parallel)
        return usual;
    /* Looked at before it is asked for: asking takes the host's line from all others, at each miss. */
    uint64_t nobody = __atomic_load_n(&usual->key, __ATOMIC_RELAXED);
    if (!nobody && __atomic_compare_exchange_n(&usual->key, &nobody, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return usual;
    return tn_array_force(&thread->activity->payers[stream], instr);
}

/* The usual payer was known for something else, or somebody else pays: a skipped function's costs go to the
 * instruction that called it. */
static __attribute__((noinline, unused)) struct tn_late *other_payer(struct tn_thread *thread, enum tn_stream stream,
                                                             uint32_t instr, struct tn_payer *usual, uint64_t key,
                                                             uint32_t object)
{
    if (thread->running.skip_site)
        return late_of(thread, stream, thread->running.skip_site, object);
    struct tn_payer *payer = payer_to_know(thread, stream, instr, usual, key);
    if (payer->key != key || payer->object != object || payer == usual)
        payer->late = late_of(thread, stream, instr, object);
    __atomic_store_n(&payer->key, key, __ATOMIC_RELAXED);
    payer->object = object;
    return payer->late;
}

/* The late costs that a miss at `address` is charged to now; NULL: none. *held is zero before, and describes the
 * address afterwards if data objects are kept. */
TN_ALWAYS_INLINE struct tn_late *payer_now(struct tn_thread *thread, enum tn_stream stream, uint32_t instr,
                                           struct tn_payer *usual, uint64_t address, struct tn_held *held)
{
    uint64_t key = thread->id;
    struct tn_data *data = stream == TN_DATA ? thread->core->data : NULL;
    if (!thread->collecting)
        return NULL;
    if (data)
        *held = tn_data_at(thread->core, data, address, thread->d1->shape.line);
    uint32_t object = held->object;
    if (thread->core->contexts && thread->running.node)
        key |= (uint64_t)thread->running.node->context << 32;
    /* Whose it is, other threads may ask while it becomes that thread's; all else in it only that thread looks at. */
    if (__atomic_load_n(&usual->key, __ATOMIC_RELAXED) == key && usual->object == object &&
        !thread->running.skip_site)
        return usual->late;
    return other_payer(thread, stream, instr, usual, key, object);
}

#endif
