/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.c: the life of a core and of its threads.
 *
 * Here is what joins the rooms: making and freeing all parts of a simulation, threads that begin, switch and end,
 * collection that goes on and off, parts that are written, costs that are set to zero. Definitions go through to
 * attribute/code.c, behind their lock.
 */
#include "core.h"

#include "core/access/also.h"
#include "core/access/cache.h"
#include "core/access/coherence.h"
#include "core/access/lower.h"
#include "core/access/queue.h"
#include "core/attribute/branch.h"
#include "core/attribute/context.h"
#include "core/attribute/objects.h"
#include "core/attribute/stack.h"
#include "core/attribute/thread.h"
#include "core/base/machine.h"
#include "core/explain/kinds.h"
#include "core/explain/pairs.h"
#include "core/explain/pattern.h"
#include "core/out/raw_put.h"
#include "host.h"

#include <string.h>

enum { COUNTER_LIMIT = 8 << 20, COUNTER_LIMIT_SEPARATE = 64 << 20, PAGE = 1 << TN_PAGE_BITS };

static uint64_t page_up(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void lay_out(tn_core *core)
{
    struct tn_layout *layout = &core->layout;
    uint64_t offset = (sizeof(struct tn_thread) + 63) & ~63ull;
    tn_sample_init(&core->sample, layout, &core->config);
    if (core->config.branch_sim) {
        layout->branch = (uint32_t)offset;
        offset += (sizeof(struct tn_branch) + 63) & ~63ull;
    }
    if (core->config.cache_sim) {
        tn_l1_place(&layout->d1, &core->config.d1, TN_TABLES, core->config.write_back, core->config.coherence, &offset);
        tn_l1_place(&layout->i1, &core->config.i1, 1, false, false, &offset);
    }
    layout->counters = (uint32_t)page_up(offset);
    layout->counter_limit = tn_contexts_wanted(&core->config) ? COUNTER_LIMIT_SEPARATE : COUNTER_LIMIT;
    if (core->config.counter_limit)
        layout->counter_limit = core->config.counter_limit;
    layout->thread_bytes = page_up(layout->counters + (uint64_t)layout->counter_limit * sizeof(uint64_t));
}

/* The caches of one thread, or of all with shared_l1. */
static void caches_new(tn_core *core, struct tn_l1 **i1, struct tn_l1 **d1, struct tn_lower **l2)
{
    *l2 = core->config.l2.size ? tn_lower_new(TN_LEVEL_2, core->ll, &core->config, false) : NULL;
    *i1 = tn_l1_new(&core->config.i1, TN_FETCH, *l2 ? *l2 : core->ll);
    *d1 = tn_l1_new(&core->config.d1, TN_DATA, *l2 ? *l2 : core->ll);
    if (core->config.patterns) {
        (*i1)->kinds = tn_kinds_new(&core->config.i1, 0); /* pairs are those of data, and of what is below */
        (*d1)->kinds = tn_kinds_new(&core->config.d1, core->config.pairs ? core->config.traces : 0);
        (*d1)->fresh = core->config.pairs ? TN_FRESH : 0;
    }
    tn_l1_tell(*d1, &core->config, NULL);
    tn_l1_tell(*i1, &core->config, (*d1)->tlb);
    (*d1)->also = tn_also_new(&core->config, core->also);
    if (tn_prefetches_below(&core->config))
        (*i1)->prefetcher = (*d1)->prefetcher = tn_host_alloc(sizeof(struct tn_prefetcher));
    if (tn_prefetches_d1(&core->config))
        (*d1)->own_prefetcher = tn_host_alloc(sizeof(struct tn_prefetcher)), (*d1)->usual_ways = 0;
    if (core->config.remap_count > 0)
        (*d1)->usual_ways = 0;
}

static void caches_free(struct tn_l1 *i1, struct tn_l1 *d1, struct tn_lower *l2)
{
    if (i1 && i1->prefetcher)
        tn_host_free(i1->prefetcher, sizeof *i1->prefetcher);
    tn_l1_free(i1);
    tn_l1_free(d1);
    tn_lower_free(l2);
}

static void lower_levels_new(tn_core *core)
{
    tn_pool_init(&core->displaced_pool, sizeof(struct tn_displaced));
    core->ll = tn_lower_new(TN_LEVEL_LL, NULL, &core->config, core->data && core->data->slices.has_far);
    core->also = tn_also_last_new(&core->config);
    core->take = (core->config.taker_for ? core->config.taker_for : tn_taker_for)(&core->config);
    if (core->config.shared_l1)
        caches_new(core, &core->shared_i1, &core->shared_d1, &core->shared_l2);
}

static void zero_alone(tn_core *core);

/* In the D1s of all threads. */
static void set_apart(tn_core *core, uint64_t start, uint64_t end)
{
    for (uint32_t id = 1; id < core->threads.count; id++) {
        struct tn_thread *thread = tn_thread_record_of(core, id)->thread;
        if (thread && thread->d1)
            tn_l1_set_apart(thread, start, end);
    }
}

tn_core *tn_core_new(const struct tn_config *config)
{
    tn_core *core = tn_host_alloc(sizeof *core);
    core->config = *config;
    core->collecting = config->collect_at_start;
    lay_out(core);
    tn_code_init(&core->code);
    tn_slots_init(&core->centres, sizeof(struct tn_centre));
    tn_cost_pools_init(&core->pools, config);
    if (config->strides || config->patterns)
        core->patterns = tn_patterns_new();
    if (config->pairs) {
        core->pairs = tn_pairs_new(config->most_pairs);
        core->reuses = tn_pairs_new(config->most_pairs);
    }
    core->consuming.there = core->late.there = core->definitions.there = core->memory.there = config->parallel;
    core->merged = TN_STEP;
    core->wait = tn_ring_wait;
    core->zero = zero_alone;
    core->set_apart = set_apart;
    if (config->data)
        core->data = tn_data_new(config, &core->pools);
    if (config->timeline)
        tn_timeline_init(&core->timeline);
    tn_timeline_begin(core);
    tn_sums_init(&core->sums, &core->definitions);
    tn_forest_init(&core->forest, &core->sums, &core->pools, core->data ? &core->data->cells : NULL, config);
    tn_forest_limit(&core->forest, config->paths, config->prune_slack);
    if (tn_contexts_wanted(config))
        core->contexts = core->forest.contexts = tn_contexts_new(&core->code, config, core->layout.counter_limit);
    tn_pool_init(&core->stack_pool, sizeof(struct tn_stack));
    tn_pool_init(&core->level_pool, sizeof(struct tn_handler_level));
    tn_pool_init(&core->resolver_pool, sizeof(struct tn_resolver));
    tn_pool_init(&core->special_pool, sizeof(struct tn_special));
    tn_pool_init(&core->handler_pool, sizeof(struct tn_handler_root));
    tn_pool_init(&core->allocating_pool, sizeof(struct tn_allocating));
    core->coherence = config->coherence ? tn_coherence_new() : NULL;
    tn_array_init(&core->threads, sizeof(struct tn_thread_record));
    tn_array_add(&core->threads);
    tn_array_init(&core->metas, sizeof(struct tn_meta_entry));
    if (config->cache_sim)
        lower_levels_new(core);
    return core;
}

const struct tn_layout *tn_layout(const tn_core *core)
{
    return &core->layout;
}

void tn_meta(tn_core *core, const char *key, const char *value)
{
    struct tn_meta_entry *meta = tn_array_add(&core->metas);
    meta->key = tn_bytes_text(&core->code.names, key);
    meta->value = tn_bytes_text(&core->code.names, value);
}

/* ------------------------------------------------------------------------------------------ code */

uint32_t tn_object(tn_core *core, const struct tn_object_info *info)
{
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_object(&core->code, info);
    tn_lock_give(&core->definitions);
    return id;
}

uint32_t tn_function(tn_core *core, const struct tn_function_info *info)
{
    struct tn_function_info known = *info;
    if (!core->data)
        known.allocation = (struct tn_allocation){0};
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_function(&core->code, &known);
    tn_lock_give(&core->definitions);
    return id;
}

void tn_function_rename(tn_core *core, uint32_t function, const char *name)
{
    tn_lock_take(&core->definitions);
    tn_code_get_function(&core->code, function)->name = tn_bytes_text(&core->code.names, name);
    tn_lock_give(&core->definitions);
}

bool tn_function_skipped(const tn_core *core, uint32_t function)
{
    return tn_code_get_function(&core->code, function)->flags == TN_FN_SKIP;
}

uint32_t tn_function_flags(const tn_core *core, uint32_t function)
{
    return tn_code_get_function(&core->code, function)->flags;
}

uint32_t tn_instr(tn_core *core, const struct tn_instr_info *info)
{
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_instr(&core->code, info);
    tn_lock_give(&core->definitions);
    return id;
}

uint32_t tn_segment(tn_core *core, const uint32_t *instrs, uint32_t n)
{
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_segment(&core->code, instrs, n, core->layout.counter_limit);
    tn_lock_give(&core->definitions);
    return id;
}

uint32_t tn_guarded(tn_core *core, uint32_t instr, bool write)
{
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_guarded(&core->code, instr, write, core->layout.counter_limit);
    tn_lock_give(&core->definitions);
    return id;
}

uint32_t tn_counters(const tn_core *core)
{
    return core->code.counters.count;
}

void tn_count(tn_thread *thread, uint32_t counter)
{
    tn_core *core = thread->core;
    const struct tn_node *node = thread->running.node;
    if (node)
        counter = tn_context_counter(core->contexts, counter, node->context);
    tn_counters_of(core, thread)[counter] += thread->collecting;
}

uint32_t tn_access(tn_core *core, const struct tn_access_info *info)
{
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_access(&core->code, info, core->layout.d1.table);
    tn_lock_give(&core->definitions);
    return id;
}

uint32_t tn_access_now(tn_core *core, uint32_t id, uint32_t *table)
{
    tn_lock_take(&core->definitions);
    while (tn_code_get_access(&core->code, id)->now)
        id = tn_code_get_access(&core->code, id)->now;
    *table = tn_code_get_access(&core->code, id)->table;
    tn_lock_give(&core->definitions);
    return id;
}

bool tn_access_moved(tn_core *core, uint64_t *address)
{
    *address = __atomic_exchange_n(&core->moved, 0, __ATOMIC_RELAXED);
    return *address != 0;
}

uint32_t tn_fetch(tn_core *core, const struct tn_fetch_info *info)
{
    tn_lock_take(&core->definitions);
    uint32_t id = tn_code_fetch(&core->code, info);
    tn_lock_give(&core->definitions);
    return id;
}

/* ------------------------------------------------------------------------------------------ threads */

static void recycle_hot_memory(tn_core *core, struct tn_thread *thread)
{
    thread->user = (uintptr_t)core->spare;
    core->spare = thread;
}

/* Bytes of a thread's hot memory, with those in front that are the engine's. */
static size_t hot_bytes(const tn_core *core)
{
    return core->config.front + core->layout.thread_bytes;
}

static void free_hot(tn_core *core, struct tn_thread *thread)
{
    tn_ring_free(core, thread->ring);
    tn_host_free((char *)thread - core->config.front, hot_bytes(core));
}

/* Of the first thread it lies in large pages; others seldom touch enough of it. */
static struct tn_thread *hot_memory(tn_core *core, uint32_t id)
{
    struct tn_thread *thread = core->spare;
    struct tn_ring *ring;
    if (thread) {
        core->spare = (struct tn_thread *)(uintptr_t)thread->user;
        ring = thread->ring;
    } else {
        char *memory = (id == 1 ? tn_host_alloc : tn_host_alloc_sparse)(hot_bytes(core));
        thread = (struct tn_thread *)(memory + core->config.front);
        ring = core->config.cache_sim ? tn_ring_new(core) : NULL;
    }
    memset(thread, 0, sizeof *thread);
    thread->ring = ring;
    return thread;
}

static void adopt_caches(tn_core *core, struct tn_thread *heir);

/* The nodes that may be kept are shared out evenly among as many forests as there are. */
static void share_paths(tn_core *core)
{
    uint64_t forests = 0;
    for (struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        forests++;
    for (struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        tn_forest_limit(forest, core->config.paths / forests, core->config.prune_slack);
}

static struct tn_forest *forest_new(tn_core *core)
{
    struct tn_forest *forest = tn_host_alloc(sizeof *forest);
    tn_forest_init(forest, &core->sums, &core->pools, core->forest.cells, &core->config);
    forest->next = core->forest.next;
    __atomic_store_n(&core->forest.next, forest, __ATOMIC_RELEASE);
    share_paths(core);
    return forest;
}

/* Where a thread's trees grow. */
static struct tn_forest *forest_for(tn_core *core, struct tn_thread *thread)
{
    if (!core->config.parallel)
        return &core->forest;
    struct tn_forest *forest = &core->forest;
    while (forest && forest->owner)
        forest = forest->next;
    if (!forest)
        forest = forest_new(core);
    forest->owner = thread;
    return forest;
}

static void activity_new(tn_core *core, struct tn_thread *thread)
{
    struct tn_activity *activity = thread->activity = tn_host_alloc(sizeof *activity);
    thread->running.last_clock = thread->clock;
    activity->forest = forest_for(core, thread);
    for (int stream = 0; core->config.parallel && stream < TN_STREAMS; stream++)
        tn_array_init(&activity->payers[stream], sizeof(struct tn_payer));
}

/* What a thread has besides its hot memory: stacks, which are clear, and caches of its own. */
static void free_parts(struct tn_thread *thread)
{
    struct tn_activity *activity = thread->activity;
    for (int stream = 0; thread->core->config.parallel && stream < TN_STREAMS; stream++)
        tn_array_free(&activity->payers[stream]);
    activity->forest->owner = NULL;
    tn_host_free(activity, sizeof *activity);
    thread->activity = NULL;
    if (thread->core->coherence)
        tn_coherent_leave(thread);
    if (!thread->core->config.shared_l1)
        caches_free(thread->i1, thread->d1, thread->l2);
}

/* The record of a new thread, which may have been that of others. Returns its id. */
static uint32_t record_new(tn_core *core)
{
    uint32_t id = core->free_record;
    struct tn_thread_record *record;
    if (id) {
        record = tn_thread_record_of(core, id);
        core->free_record = record->next_free;
        memset(&record->stack, 0, sizeof record->stack);
        record->told_data = 0;
        return id;
    }
    id = core->threads.count;
    record = tn_array_add(&core->threads);
    if (id > core->config.threads && !core->rest)
        core->rest = id;
    record->row = id > core->config.threads ? core->rest : id;
    tn_array_init(&record->centre_ids, sizeof(uint32_t));
    tn_array_init(&record->executed, sizeof(uint64_t));
    if (core->data)
        tn_shares_init(&record->shares);
    return id;
}

tn_thread *tn_thread_new(tn_core *core, tn_thread *parent, uint64_t os_id)
{
    uint32_t id = record_new(core);
    struct tn_thread_record *record = tn_thread_record_of(core, id);
    struct tn_thread *thread = hot_memory(core, id);
    thread->core = core;
    thread->id = id;
    thread->collecting = parent ? parent->collecting : core->collecting;
    /* A stamp of 0 is that of a way never filled: the clock begins later. */
    thread->clock = core->running ? core->running->clock : core->ended_clock + TN_STEP;
    if (!core->running && !core->config.parallel)
        core->running = thread;
    activity_new(core, thread);
    if (core->config.branch_sim)
        tn_branch_begin(thread);
    record->ticked = record->told_clock = thread->clock;
    record->thread = thread;
    record->os_id = os_id;
    record->parent = parent ? tn_thread_record_of(core, parent->id)->row : 0;
    if (core->config.cache_sim) {
        thread->i1 = core->shared_i1;
        thread->d1 = core->shared_d1;
        thread->l2 = core->shared_l2;
        if (!core->config.shared_l1)
            caches_new(core, &thread->i1, &thread->d1, &thread->l2);
        thread->ring->thread = id;
        thread->ring->upto = thread->clock;
        thread->ring->l1[TN_FETCH] = thread->i1;
        thread->ring->l1[TN_DATA] = thread->d1;
        tn_l1_clear(thread, &core->layout.i1, thread->i1);
        tn_l1_clear(thread, &core->layout.d1, thread->d1);
        if (core->coherence)
            tn_coherent_join(thread);
        adopt_caches(core, thread);
    }
    return thread;
}

void tn_thread_named(tn_thread *thread, uint64_t os_id)
{
    tn_thread_record_of(thread->core, thread->id)->os_id = os_id;
}

/* The clock at which tenures end that nobody's access ends. */
static uint64_t time_consumed(const tn_core *core)
{
    if (core->config.parallel)
        return core->merged;
    return core->running ? core->running->clock : core->ended_clock;
}

/* Consume what the thread has queued; what all have queued, unless others may be running now. */
static void drain_for(struct tn_thread *thread)
{
    if (thread->core->config.parallel)
        tn_ring_drain(thread);
    else
        tn_drain(thread->core);
}

void tn_publish(tn_thread *thread)
{
    if (thread->core->config.cache_sim && thread->core->config.parallel)
        tn_ring_offer(thread);
}

/* End the tenures of a thread's own caches (I1 first), charge them. */
static void flush_caches(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    bool holds_caches = !core->config.shared_l1 || thread == core->running || thread == core->orphan;
    if (!core->config.cache_sim || !holds_caches)
        return;
    uint64_t end = core->config.parallel ? thread->clock : time_consumed(core);
    drain_for(thread);
    tn_l1_end(thread, &core->layout.i1, thread->i1, end);
    tn_l1_end(thread, &core->layout.d1, thread->d1, end);
    drain_for(thread);
    if (thread->l2) {
        tn_lock_take(&core->consuming);
        tn_lower_flush(core, thread->l2, time_consumed(core));
        tn_lock_give(&core->consuming);
    }
    tn_also_free(thread->d1->also);
    thread->d1->also = tn_also_new(&core->config, core->also);
    if (thread->i1->prefetcher)
        memset(thread->i1->prefetcher, 0, sizeof *thread->i1->prefetcher);
}

/* With one level-1 cache for all, its hot part goes with the thread that runs. */
static void carry_caches(tn_core *core, const struct tn_thread *from, struct tn_thread *to)
{
    uint32_t begin = core->layout.d1.table, end = core->layout.counters;
    if (core->config.shared_l1 && core->config.cache_sim)
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
}

/* Another thread must have the clock and the shared caches before `thread` goes. */
static void hand_over(tn_core *core, struct tn_thread *thread)
{
    if (core->running != thread)
        return;
    core->running = NULL;
    core->ended_clock = thread->clock;
    for (uint32_t id = 1; id < core->threads.count && !core->running; id++) {
        struct tn_thread *other = tn_thread_record_of(core, id)->thread;
        if (!other || other == thread)
            continue;
        core->running = thread;
        tn_thread_switch(core, other);
    }
    if (!core->running && core->config.shared_l1)
        core->orphan = thread;
}

/* The shared caches of a thread that ended as the last one go to `heir`. */
static void adopt_caches(tn_core *core, struct tn_thread *heir)
{
    struct tn_thread *orphan = core->orphan;
    if (!orphan)
        return;
    carry_caches(core, orphan, heir);
    core->orphan = NULL;
    recycle_hot_memory(core, orphan);
}

/* What a thread counted until it ended; its counters serve the next thread. */
static void keep_counters(tn_core *core, struct tn_thread *thread, struct tn_thread_record *record)
{
    uint64_t *counters = tn_counters_of(core, thread);
    for (uint32_t i = 1; i < core->code.counters.count; i++) {
        if (!counters[i])
            continue;
        *(uint64_t *)tn_array_force(&record->executed, i) += counters[i];
        counters[i] = 0;
    }
    record->executed.count = core->code.counters.count;
}

void tn_thread_end(tn_thread *thread)
{
    tn_core *core = thread->core;
    struct tn_thread_record *record = tn_thread_record_of(core, thread->id);
    tn_settle(thread);
    if (!core->config.shared_l1)
        flush_caches(thread);
    hand_over(core, thread);
    if (core->config.cache_sim)
        drain_for(thread);
    tn_stack_clear(thread);
    if (core->data)
        tn_data_stack_ends(thread);
    tn_instructions(thread);
    keep_counters(core, thread, record);
    core->dump_wanted |= thread->dump_wanted;
    tn_tally_add(&core->tally, &thread->tally);
    free_parts(thread);
    record->thread = NULL;
    if (thread->id > core->config.threads) {
        record->next_free = core->free_record;
        core->free_record = thread->id;
    }
    if (thread != core->orphan)
        recycle_hot_memory(core, thread);
}

void tn_thread_switch(tn_core *core, tn_thread *to)
{
    struct tn_thread *from = core->running;
    if (core->config.parallel)
        return;
    core->running = to;
    if (from == to || !from)
        return;
    if (core->config.cache_sim)
        tn_ring_drain(from);
    tn_settle(from);
    tn_instructions(from);
    to->clock = tn_thread_record_of(core, to->id)->told_clock = from->clock;
    to->running.last_clock = to->clock;
    tn_thread_record_of(core, to->id)->ticked = tn_thread_record_of(core, from->id)->ticked;
    carry_caches(core, from, to);
}

/* The clock counts instructions and data accesses; a fault may have taken it back. */
uint64_t tn_instructions(tn_thread *thread)
{
    struct tn_thread_record *record = tn_thread_record_of(thread->core, thread->id);
    uint64_t data = thread->data - record->told_data;
    int64_t ran = (int64_t)(thread->clock - record->told_clock) >> TN_STEP_BITS;
    record->told_clock = thread->clock;
    record->told_data = thread->data;
    ran -= (int64_t)(uint32_t)data + (int64_t)(data >> 32);
    return __atomic_add_fetch(&thread->core->instructions, (uint64_t)ran, __ATOMIC_RELAXED);
}

void tn_tick(tn_thread *thread)
{
    struct tn_thread_record *record = tn_thread_record_of(thread->core, thread->id);
    if (thread->clock - record->ticked < (uint64_t)TN_STEP << 24)
        return;
    record->ticked = thread->clock;
    tn_settle(thread);
    if (!thread->core->config.cache_sim)
        return;
    tn_l1_spill(thread, &thread->core->layout.i1, thread->i1);
    tn_l1_spill(thread, &thread->core->layout.d1, thread->d1);
}

/* ------------------------------------------------------------------------------------------ collection */

static void each_thread(tn_core *core, void (*act)(struct tn_thread *thread))
{
    for (uint32_t id = 1; id < core->threads.count; id++) {
        if (tn_thread_record_of(core, id)->thread)
            act(tn_thread_record_of(core, id)->thread);
    }
}

static void collect_as_core(struct tn_thread *thread)
{
    tn_settle(thread);
    thread->collecting = thread->core->collecting;
}

void tn_collect(tn_core *core, bool on)
{
    if (on != core->collecting)
        tn_label(core, on ? "collection on" : "collection off");
    core->collecting = on;
    each_thread(core, collect_as_core);
}

bool tn_collecting(const tn_core *core)
{
    return core->collecting;
}

static void drain_and_prune(tn_core *core)
{
    if (core->config.cache_sim)
        tn_drain(core);
    for (struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        tn_prune(core, forest);
}

static void clear_late(const tn_core *core, const struct tn_late *late)
{
    tn_late_clear(&core->pools, late);
    if (core->patterns)
        tn_pattern_clear(core->patterns, late);
}

static void clear_centres(tn_core *core, const struct tn_thread_record *record)
{
    for (uint32_t i = 1; i < core->code.instrs.count; i++) {
        struct tn_centre *centre = tn_centre_known(core, record, i);
        if (!centre)
            continue;
        for (int stream = 0; stream < TN_STREAMS; stream++)
            clear_late(core, &centre->late[stream]);
        if (centre->extra)
            memset(centre->extra, 0, TN_IMMEDIATE_EVENTS * sizeof *centre->extra);
    }
    for (uint32_t i = 1; core->data && i < record->shares.list.count; i++)
        clear_late(core, &tn_share_at(&record->shares, i)->late);
}

/* How often segments have run. A page of counters that none has needed yet is only read: it stays without memory. */
static void clear_counters(tn_core *core, const struct tn_thread_record *record)
{
    uint64_t *running = record->thread ? tn_counters_of(core, record->thread) : NULL;
    for (uint32_t i = 1; i < core->code.counters.count; i++) {
        uint64_t *ended = tn_array_get(&record->executed, i);
        if (running && running[i])
            running[i] = 0;
        if (ended)
            *ended = 0;
    }
}

/* All costs but those of the trees' nodes. */
static void clear_costs(tn_core *core)
{
    for (uint32_t id = 1; id < core->threads.count; id++) {
        clear_centres(core, tn_thread_record_of(core, id));
        clear_counters(core, tn_thread_record_of(core, id));
    }
    tn_sums_clear(&core->sums, &core->pools);
    if (core->config.timeline)
        tn_timeline_clear(core);
    if (core->data) {
        tn_data_clear(core->data);
        tn_cells_clear(&core->data->cells);
    }
    if (core->coherence)
        tn_coherence_clear(core->coherence);
    if (core->pairs) {
        tn_pairs_clear(core->pairs);
        tn_pairs_clear(core->reuses);
    }
}

static void tell_instructions(struct tn_thread *thread)
{
    tn_instructions(thread);
}

void tn_catch_up(tn_core *core)
{
    if (core->config.cache_sim)
        tn_drain(core);
}

void tn_zero(tn_core *core)
{
    each_thread(core, tn_settle);
    drain_and_prune(core);
    each_thread(core, tell_instructions);
    core->epoch = (core->epoch + 1) & ((1u << TN_EPOCH_BITS) - 1);
    for (struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        tn_forest_clear(forest);
    clear_costs(core);
    tn_timeline_begin(core);
}

/* A function is entered that asks for it: other threads may be running. */
static void zero_alone(tn_core *core)
{
    if (core->config.alone)
        core->config.alone(core->config.user, true);
    tn_zero(core);
    tn_label(core, "costs set to zero");
    if (core->config.alone)
        core->config.alone(core->config.user, false);
}

void tn_interval(tn_core *core)
{
    if (!core->config.timeline)
        return;
    each_thread(core, tell_instructions);
    tn_lock_take(&core->consuming);
    tn_timeline_end(core);
    tn_lock_give(&core->consuming);
}

static void stop_thread(struct tn_thread *thread)
{
    tn_settle(thread);
    flush_caches(thread);
    tn_stack_clear(thread);
}

static void end_tenures(tn_core *core)
{
    if (core->config.cache_sim) {
        tn_drain(core);
        tn_lower_flush(core, core->ll, time_consumed(core));
        tn_also_last_clear(core->also, &core->config);
    }
}

/* The thread's caches are empty; what they remember of lines that they had is forgotten. */
static void forget_lines(struct tn_thread *thread)
{
    const struct tn_config *config = &thread->core->config;
    if (!config->cache_sim)
        return;
    tn_kinds_reset(thread->i1->kinds, &config->i1);
    tn_kinds_reset(thread->d1->kinds, &config->d1);
    if (thread->l2)
        tn_kinds_reset(thread->l2->kinds, &config->l2);
}

void tn_instrument_off(tn_core *core)
{
    if (core->config.cache_sim)
        tn_drain(core);
    each_thread(core, stop_thread);
    end_tenures(core);
    each_thread(core, forget_lines);
    if (core->ll)
        tn_kinds_reset(core->ll->kinds, &core->config.ll);
}

/* ------------------------------------------------------------------------------------------ parts */

void tn_restart_output(tn_core *core)
{
    memset(&core->written, 0, sizeof core->written);
    for (uint32_t id = 1; id < core->threads.count; id++)
        tn_thread_record_of(core, id)->defined = false;
    for (struct tn_forest *forest = &core->forest; forest; forest = forest->next)
        tn_forest_undefine(forest);
    tn_sums_undefine(&core->sums);
    if (core->data)
        tn_data_undefine(core->data);
}

bool tn_dump_wanted(tn_core *core, tn_thread *thread)
{
    bool wanted = thread && thread->dump_wanted;
    if (wanted)
        thread->dump_wanted = false;
    if (core->dump_wanted)
        wanted |= __atomic_exchange_n(&core->dump_wanted, false, __ATOMIC_RELAXED);
    return wanted;
}

static int write_part(tn_core *core, void *stream, const char *why)
{
    each_thread(core, tn_settle);
    drain_and_prune(core);
    tn_interval(core);
    int error = tn_raw_write_part(core, stream, why);
    clear_costs(core);
    return error;
}

int tn_dump(tn_core *core, void *stream, const char *why)
{
    tn_label(core, why);
    return write_part(core, stream, why);
}

int tn_finish(tn_core *core, void *stream, const char *why)
{
    each_thread(core, tn_settle);
    tn_interval(core);
    if (core->config.flush_at_exit) {
        if (core->config.cache_sim)
            tn_drain(core);
        each_thread(core, flush_caches);
        if (core->orphan)
            flush_caches(core->orphan);
        end_tenures(core);
    }
    return write_part(core, stream, why);
}

/* ------------------------------------------------------------------------------------------ the end */

static void end_thread(struct tn_thread *thread)
{
    tn_stack_clear(thread);
    free_parts(thread);
    free_hot(thread->core, thread);
}

void tn_core_free(tn_core *core)
{
    each_thread(core, end_thread);
    if (core->orphan)
        recycle_hot_memory(core, core->orphan);
    for (struct tn_thread *thread = core->spare, *next; thread; thread = next) {
        next = (struct tn_thread *)(uintptr_t)thread->user;
        free_hot(core, thread);
    }
    for (uint32_t id = 1; id < core->threads.count; id++) {
        struct tn_thread_record *record = tn_thread_record_of(core, id);
        tn_array_free(&record->centre_ids);
        tn_array_free(&record->executed);
        if (core->data)
            tn_shares_free(&record->shares);
    }
    tn_lower_free(core->ll);
    tn_also_last_free(core->also);
    tn_pool_free(&core->displaced_pool);
    caches_free(core->shared_i1, core->shared_d1, core->shared_l2);
    tn_code_free(&core->code);
    tn_contexts_free(core->contexts);
    tn_cost_pools_free(&core->pools);
    tn_patterns_free(core->patterns);
    tn_pairs_free(core->pairs);
    tn_pairs_free(core->reuses);
    for (struct tn_forest *forest = &core->forest, *next; forest; forest = next) {
        next = forest->next;
        tn_forest_free(forest);
        if (forest != &core->forest)
            tn_host_free(forest, sizeof *forest);
    }
    if (core->config.timeline)
        tn_timeline_free(&core->timeline);
    tn_sums_free(&core->sums);
    tn_pool_free(&core->stack_pool);
    tn_pool_free(&core->level_pool);
    tn_pool_free(&core->special_pool);
    tn_pool_free(&core->resolver_pool);
    tn_pool_free(&core->handler_pool);
    tn_pool_free(&core->allocating_pool);
    tn_data_free(core->data);
    tn_coherence_free(core->coherence);
    tn_array_free(&core->threads);
    tn_slots_free(&core->centres);
    tn_array_free(&core->metas);
    tn_host_free(core, sizeof *core);
}
