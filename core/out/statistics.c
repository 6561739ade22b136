/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics.c: what a core has counted of itself, for `--stats`.
 *
 * Bytes are those of arenas: what is reserved and never touched costs nothing and is not counted. Counts of threads
 * that have ended are in core->tally.
 */
#include "core/access/coherence.h"
#include "core/access/lower.h"
#include "core/access/queue.h"
#include "core/attribute/context.h"
#include "core/attribute/objects.h"
#include "core/attribute/thread.h"
#include "core/core.h"
#include "core/explain/pairs.h"
#include "core/explain/pattern.h"

static uint64_t shares_of(const tn_core *core)
{
    uint64_t shares = 0;
    for (uint32_t id = 1; core->data && id < core->threads.count; id++)
        shares += tn_thread_record_of(core, id)->shares.list.count - 1;
    return shares;
}

static uint64_t memory_of(const tn_core *core)
{
    uint64_t bytes = tn_code_bytes(&core->code) + tn_cost_pools_bytes(&core->pools) +
                     tn_array_bytes(&core->centres.array) + tn_sums_bytes(&core->sums);
    for (const struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        bytes += tn_forest_bytes(forest);
    for (uint32_t id = 1; id < core->threads.count; id++)
        bytes += tn_array_bytes(&tn_thread_record_of(core, id)->centre_ids) + core->layout.counters +
                 core->code.counters.count * sizeof(uint64_t);
    if (core->patterns)
        bytes += tn_patterns_bytes(core->patterns);
    if (core->pairs)
        bytes += tn_pairs_bytes(core->pairs) + tn_pairs_bytes(core->reuses);
    if (core->contexts)
        bytes += tn_contexts_bytes(core->contexts);
    if (core->data)
        bytes += tn_data_bytes(core->data) + shares_of(core) * sizeof(struct tn_share);
    if (core->coherence)
        bytes += tn_coherence_bytes(core->coherence);
    return bytes + core->records_max * (sizeof(struct tn_record) + sizeof(uint64_t));
}

static void sum_nodes(const tn_core *core, struct tn_statistics *out)
{
    for (const struct tn_forest *forest = &core->forest; forest; forest = forest->next) {
        out->nodes_now += forest->now;
        out->nodes_max += forest->max;
        out->nodes_made += forest->made;
        out->nodes_pruned += forest->pruned;
    }
    out->nodes_average = core->samples ? core->nodes_summed / core->samples : out->nodes_now;
}

static struct tn_tally tally_of(const tn_core *core)
{
    struct tn_tally tally = core->tally;
    for (uint32_t id = 1; id < core->threads.count; id++) {
        if (tn_thread_record_of(core, id)->thread)
            tn_tally_add(&tally, &tn_thread_record_of(core, id)->thread->tally);
    }
    return tally;
}

uint64_t tn_memory_misses(const tn_core *core)
{
    return core->ll ? core->ll->misses * core->config.sample : 0;
}

void tn_statistics(const tn_core *core, struct tn_statistics *out)
{
    const struct tn_code *code = &core->code;
    struct tn_tally tally = tally_of(core);
    *out = (struct tn_statistics){
        .objects = code->objects.count - 1, .contexts = code->functions.count - 1,
        .instrs = code->instrs.count - 1, .counters = code->counters.count - 1,
        .accesses = code->accesses.count - 1, .fetches = code->fetches.count - 1,
        .arcs = core->sums.arcs.count - 1,
        .calls = tally.calls, .returns = tally.returns, .unwinds = tally.unwinds, .jumps = tally.jumps,
        .slow_data = tally.slow_data, .slow_fetch = tally.slow_fetch, .moves = core->moves,
        .queued = tn_queued(core),
        .shares = shares_of(core),
        .cells = core->data ? core->data->cells.table.used : 0,
        .records_now = core->records_live, .records_max = core->records_max, .bytes = memory_of(core)};
    sum_nodes(core, out);
    out->data_objects = core->data ? core->data->objects.count - 1 : 0;
    out->functions = out->contexts - (core->contexts ? core->contexts->made : 0);
    if (core->pairs) {
        out->pairs = core->pairs->largest;
        out->pairs_left_out = core->pairs->left_out;
        out->reuses = core->reuses->largest;
        out->reuses_left_out = core->reuses->left_out;
    }
    out->segments = out->counters;
}
