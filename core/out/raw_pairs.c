/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_pairs.c: pairs and reuses (pairs.h) as records of a part.
 *
 * They know those who pay by the number of their counters. Whose these are is gathered first, in a list of all, which
 * goes when the records are written.
 */
#include "core/attribute/objects.h"
#include "core/attribute/thread.h"
#include "core/core.h"
#include "core/explain/pairs.h"
#include "core/host.h"
#include "raw_put.h"

/* Whose counters of level 1 have which number. */
struct payer {
    uint32_t instr, object, stream;
};

static void find_payers(const tn_core *core, const struct tn_thread_record *thread, struct payer *payers)
{
    for (uint32_t id = 1; id < core->code.instrs.count; id++) {
        const struct tn_centre *centre = tn_centre_known(core, thread, id);
        for (uint32_t stream = 0; centre && stream < TN_STREAMS; stream++)
            payers[centre->late[stream].near] = (struct payer){id, 0, stream};
    }
    for (uint32_t i = 1; core->data && i < thread->shares.list.count; i++) {
        const struct tn_share *share = tn_share_at(&thread->shares, i);
        payers[share->late.near] = (struct payer){share->instr, share->object, TN_DATA};
    }
}

/* How long ago the lines were last used: the sum, and how many by power of two. */
static void put_distances(struct tn_writer *w, const struct tn_pairs *pairs, const struct tn_pair *pair)
{
    uint64_t after[TN_DISTANCES];
    for (uint32_t i = 0; i < TN_DISTANCES; i++)
        after[i] = tn_pair_after(pairs, pair, i);
    tn_put_n(w, pair->distance);
    tn_put_sparse(w, after, TN_DISTANCES);
}

static void write_pair(struct tn_writer *w, const struct tn_pair *pair, const struct payer *payers)
{
    const struct payer *payer = &payers[pair->payer], *evictor = &payers[pair->evictor];
    const uint64_t fields[] = {payers[pair->loader].instr, evictor->instr, evictor->object, payer->instr,
                               payer->stream, payer->object, pair->level, pair->misses, pair->timed};
    tn_record(w, TN_RAW_PAIR);
    tn_put_numbers(w, fields, sizeof fields / sizeof *fields);
    put_distances(w, w->core->pairs, pair);
}

static void write_reuse(struct tn_writer *w, const struct tn_pair *pair, const struct payer *payers)
{
    const struct payer *payer = &payers[pair->payer];
    const uint64_t fields[] = {payers[pair->loader].instr, payer->instr, payer->stream, payer->object, pair->level,
                               pair->misses};
    tn_record(w, TN_RAW_REUSE);
    tn_put_numbers(w, fields, sizeof fields / sizeof *fields);
    put_distances(w, w->core->reuses, pair);
}

void tn_raw_write_pairs(struct tn_writer *w)
{
    tn_core *core = w->core;
    size_t bytes = core->pools.near.slots.array.count * sizeof(struct payer);
    struct payer *payers = tn_host_alloc(bytes);
    for (uint32_t id = 1; id < core->threads.count; id++)
        find_payers(core, tn_thread_record_of(core, id), payers);
    payers[0] = (struct payer){0};
    tn_pairs_settle(core->pairs);
    tn_pairs_settle(core->reuses);
    for (uint32_t id = 1; id < core->pairs->list.count; id++)
        write_pair(w, tn_pair_at(core->pairs, id), payers);
    for (uint32_t id = 1; id < core->reuses->list.count; id++)
        write_reuse(w, tn_pair_at(core->reuses, id), payers);
    tn_pairs_clear(core->pairs);
    tn_pairs_clear(core->reuses);
    tn_host_free(payers, bytes);
}
