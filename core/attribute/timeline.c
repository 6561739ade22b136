/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.c: ending an interval, and making one of two; see timeline.h.
 */
#include "timeline.h"

#include "core/host.h"
#include "thread.h"

#include <string.h>

/* Of the time that passes, what intervals take is one part in so many, at most. */
enum { TIME_PARTS = 50 };

void tn_timeline_init(struct tn_timeline *timeline)
{
    tn_array_init(&timeline->intervals, sizeof(struct tn_interval));
    tn_array_init(&timeline->labels, sizeof(struct tn_label));
    tn_array_init(&timeline->paid, sizeof(struct tn_payment));
    tn_array_init(&timeline->paying, sizeof(struct tn_payment));
    tn_array_init(&timeline->times, sizeof(uint64_t));
    timeline->started = tn_host_time();
}

void tn_timeline_free(struct tn_timeline *timeline)
{
    tn_array_free(&timeline->intervals);
    tn_array_free(&timeline->labels);
    tn_array_free(&timeline->paid);
    tn_array_free(&timeline->paying);
    tn_array_free(&timeline->times);
}

static uint64_t now(const struct tn_timeline *timeline)
{
    return tn_host_time() - timeline->started;
}

static struct tn_interval *interval_at(const struct tn_timeline *timeline, uint32_t index)
{
    return tn_array_at(&timeline->intervals, index);
}

static struct tn_payment *payment_of(struct tn_array *payments, uint32_t function)
{
    if (function >= payments->count)
        payments->count = function + 1;
    return tn_array_force(payments, function);
}

/* What the context that `instr` is of has paid until now. */
static struct tn_costs *paying(struct tn_core *core, const struct tn_instr_info *instr)
{
    return &payment_of(&core->timeline.paying, instr->function)->costs;
}

/* ------------------------------------------------------------------------------------------ what was paid */

/* How often segments and guarded accesses have run, in all threads: what instructions pay for. */
static void add_executed(struct tn_core *core)
{
    struct tn_array *times = &core->timeline.times;
    uint32_t counters = core->code.counters.count;
    for (uint32_t id = 1; id < core->threads.count; id++) {
        const struct tn_thread_record *record = tn_thread_record_of(core, id);
        const uint64_t *running = record->thread ? tn_counters_of(core, record->thread) : NULL;
        for (uint32_t c = 1; c < (running ? counters : record->executed.count); c++) {
            const uint64_t *ended = tn_array_get(&record->executed, c);
            *(uint64_t *)tn_array_force(times, c) += (running ? running[c] : 0) + (ended ? *ended : 0);
        }
    }
    for (uint32_t c = 1; c < counters; c++) {
        const struct tn_counter *counter = tn_code_get_counter(&core->code, c);
        bool is_segment = counter->kind == TN_COUNTER_SEGMENT;
        uint64_t *ran = tn_array_force(times, c);
        for (uint32_t i = 0; *ran && i < (is_segment ? counter->n : 1); i++) {
            uint32_t id = is_segment ? tn_code_run(&core->code, counter->first + i) : counter->first;
            const struct tn_instr_info *instr = tn_code_get_instr(&core->code, id);
            if (tn_pays_itself(core, instr) && is_segment)
                tn_executed_add(core, instr, *ran, paying(core, instr)->immediate);
            else if (tn_pays_itself(core, instr))
                paying(core, instr)->immediate[counter->kind == TN_COUNTER_READ ? TN_Dr : TN_Dw] += *ran;
        }
        *ran = 0;
    }
}

static void add_late(struct tn_core *core, uint32_t instr, enum tn_stream stream, const struct tn_late *late)
{
    if (late->near || late->far)
        tn_late_add(&core->pools, &paying(core, tn_code_get_instr(&core->code, instr))->late[stream], late);
}

/* What a thread's instructions pay besides. */
static void add_charged(struct tn_core *core, const struct tn_thread_record *record)
{
    uint32_t instrs = core->code.instrs.count, shares = core->data ? record->shares.list.count : 0;
    for (uint32_t id = 1; id < instrs; id++) {
        const struct tn_centre *centre = tn_centre_known(core, record, id);
        for (int stream = 0; centre && stream < TN_STREAMS; stream++)
            add_late(core, id, stream, &centre->late[stream]);
        for (int i = 0; centre && centre->extra && i < TN_IMMEDIATE_EVENTS; i++)
            paying(core, tn_code_get_instr(&core->code, id))->immediate[i] += centre->extra[i];
    }
    for (uint32_t i = 1; i < shares; i++) {
        const struct tn_share *share = tn_share_at(&record->shares, i);
        add_late(core, share->instr, TN_DATA, &share->late);
    }
}

/* ------------------------------------------------------------------------------------------ the most expensive */

/* By how much a function is expensive: all that hangs on it is which ones are kept. */
static uint64_t price(const struct tn_cost_pools *pools, const struct tn_costs *costs)
{
    uint64_t price = costs->immediate[TN_Ir];
    for (int stream = 0; stream < TN_STREAMS; stream++) {
        for (uint32_t group = 0; group < pools->groups; group++) {
            const uint64_t *near = tn_late_at(pools, &costs->late[stream], TN_LEVEL_1, group);
            const uint64_t *far = tn_late_at(pools, &costs->late[stream], TN_LEVEL_LL, group);
            price += near ? 10 * (near[TN_LATE_READ_MISS] + near[TN_LATE_WRITE_MISS]) : 0;
            price += far ? 100 * (far[TN_LATE_READ_MISS] + far[TN_LATE_WRITE_MISS]) : 0;
        }
    }
    return price;
}

/* Keeps the payment among the most expensive ones, or drops it, or the one that leaves for it. */
static void keep_worst(struct tn_cost_pools *pools, struct tn_interval *interval, struct tn_payment *payment)
{
    uint64_t its = price(pools, &payment->costs);
    uint32_t at = interval->count;
    while (at > 0 && price(pools, &interval->worst[at - 1].costs) < its)
        at--;
    if (its == 0 || at == TN_WORST) {
        tn_costs_drop(pools, &payment->costs);
        return;
    }
    if (interval->count == TN_WORST)
        tn_costs_drop(pools, &interval->worst[--interval->count].costs);
    memmove(&interval->worst[at + 1], &interval->worst[at], (interval->count++ - at) * sizeof *payment);
    interval->worst[at] = *payment;
}

/* `second` follows `first`, which becomes both. */
static void join(struct tn_cost_pools *pools, struct tn_interval *first, struct tn_interval *second)
{
    struct tn_interval both = *first;
    both.instructions += second->instructions;
    both.took += second->took;
    both.count = 0;
    tn_costs_add(pools, &both.all, &second->all);
    tn_costs_drop(pools, &second->all);
    for (uint32_t i = 0; i < first->count; i++) {
        for (uint32_t k = 0; k < second->count; k++) {
            if (second->worst[k].function != first->worst[i].function)
                continue;
            tn_costs_add(pools, &first->worst[i].costs, &second->worst[k].costs);
            tn_costs_drop(pools, &second->worst[k].costs);
        }
    }
    for (uint32_t i = 0; i < first->count; i++)
        keep_worst(pools, &both, &first->worst[i]);
    for (uint32_t i = 0; i < second->count; i++)
        keep_worst(pools, &both, &second->worst[i]);
    *first = both;
}

/* Half as many intervals; later ones are as long as these. */
static void join_all(struct tn_cost_pools *pools, struct tn_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->intervals.count; i += 2) {
        join(pools, interval_at(timeline, i), interval_at(timeline, i + 1));
        if (i)
            *interval_at(timeline, i / 2) = *interval_at(timeline, i);
    }
    timeline->intervals.count /= 2;
    timeline->shortest = (timeline->begin - interval_at(timeline, 0)->begin) / timeline->intervals.count;
}

/* ------------------------------------------------------------------------------------------ an interval */

void tn_timeline_end(struct tn_core *core)
{
    struct tn_timeline *timeline = &core->timeline;
    uint64_t time = now(timeline);
    add_executed(core);
    for (uint32_t id = 1; id < core->threads.count; id++)
        add_charged(core, tn_thread_record_of(core, id));
    if (timeline->intervals.count == TN_INTERVALS)
        join_all(&core->pools, timeline);
    struct tn_interval *interval = tn_array_add(&timeline->intervals);
    memset(interval, 0, sizeof *interval);
    interval->begin = timeline->begin;
    interval->time = timeline->time;
    timeline->begin = core->instructions;
    timeline->time = time;
    interval->instructions = timeline->begin - interval->begin;
    interval->took = timeline->time - interval->time;
    for (uint32_t id = 0; id < timeline->paying.count; id++) {
        struct tn_payment *payment = tn_array_get(&timeline->paying, id);
        if (!payment || tn_costs_are_zero(&core->pools, &payment->costs))
            continue;
        struct tn_payment *paid = payment_of(&timeline->paid, id);
        tn_costs_subtract(&core->pools, &payment->costs, &paid->costs);
        tn_costs_add(&core->pools, &paid->costs, &payment->costs);
        tn_costs_add(&core->pools, &interval->all, &payment->costs);
        payment->function = id;
        keep_worst(&core->pools, interval, payment);
        *payment = (struct tn_payment){0};
    }
    bool is_first = timeline->intervals.count == 1;
    if ((!interval->instructions || is_first) && tn_costs_are_zero(&core->pools, &interval->all))
        timeline->intervals.count--; /* nothing has happened, or not begun */
    __atomic_store_n(&timeline->due, timeline->begin + timeline->shortest, __ATOMIC_RELAXED);
    uint64_t took = now(timeline) - time;
    /* The first one gets the memory for all of them, which says nothing of the others. */
    __atomic_store_n(&timeline->earliest, is_first ? 0 : time + TIME_PARTS * took, __ATOMIC_RELAXED);
}

void tn_timeline_begin(struct tn_core *core)
{
    struct tn_timeline *timeline = &core->timeline;
    if (!core->config.timeline)
        return;
    timeline->begin = core->instructions;
    timeline->time = now(timeline);
    timeline->shortest = core->config.interval;
    timeline->earliest = 0;
    __atomic_store_n(&timeline->due, timeline->begin + timeline->shortest, __ATOMIC_RELAXED);
}

void tn_timeline_clear(struct tn_core *core)
{
    struct tn_timeline *timeline = &core->timeline;
    struct tn_cost_pools *pools = &core->pools;
    for (uint32_t i = 0; i < timeline->intervals.count; i++) {
        struct tn_interval *interval = interval_at(timeline, i);
        tn_costs_drop(pools, &interval->all);
        while (interval->count > 0)
            tn_costs_drop(pools, &interval->worst[--interval->count].costs);
    }
    timeline->intervals.count = timeline->labels.count = 0;
    for (uint32_t id = 0; id < timeline->paid.count; id++) {
        struct tn_payment *paid = tn_array_get(&timeline->paid, id);
        if (paid)
            tn_costs_drop(pools, &paid->costs);
    }
}

/* ------------------------------------------------------------------------------------------ for engines */

bool tn_interval_due(tn_core *core, uint64_t instructions)
{
    struct tn_timeline *timeline = &core->timeline;
    if (!core->config.timeline || instructions < __atomic_load_n(&timeline->due, __ATOMIC_RELAXED))
        return false;
    if (now(timeline) >= __atomic_load_n(&timeline->earliest, __ATOMIC_RELAXED))
        return true;
    /* The time is asked for now and then only. Another thread that does so, too, does no harm. */
    __atomic_store_n(&timeline->due, instructions + timeline->shortest / 4, __ATOMIC_RELAXED);
    return false;
}

void tn_label(tn_core *core, const char *text)
{
    struct tn_timeline *timeline = &core->timeline;
    if (!core->config.timeline || timeline->labels.count == TN_LABELS)
        return;
    struct tn_label *label = tn_array_add(&timeline->labels);
    *label = (struct tn_label){core->instructions, now(timeline), tn_bytes_text(&core->code.names, text)};
}
