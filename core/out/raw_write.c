/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_write.c: a part of the raw profile, as raw_format.h describes it.
 *
 * A part is written in one pass: definitions that the file does not have yet, then what each thread's
 * instructions cost, then the tree (whose nodes give their costs to arcs and functions as they are written),
 * then arcs and functions.
 */
#include "core/access/coherence.h"
#include "core/attribute/context.h"
#include "core/attribute/objects.h"
#include "core/attribute/thread.h"
#include "core/core.h"
#include "core/explain/distance.h"
#include "core/explain/pattern.h"
#include "core/host.h"
#include "raw_put.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ costs */

/* Written slots: those of cost.h, with SpLoss put in after AcCost. */
enum {
    WRITTEN_PER_LEVEL = TN_LATE_PER_LEVEL + 1, /* behind: write-backs, prefetches, kinds of misses, if simulated */
    WRITTEN_SPLOSS = TN_LATE_AcCost + 1,
    WRITTEN_MOST_PER_LEVEL = WRITTEN_PER_LEVEL + TN_WRITE_BACKS + TN_PREFETCHES + TN_KINDS,
    WRITTEN_SLOTS = TN_LEVELS * WRITTEN_MOST_PER_LEVEL + TN_TLBS + TN_COHERENCES +
                    (TN_LEVELS - 1) * TN_DISTANCE_EVENTS + TN_ALSO_MOST * TN_ALSO_EVENTS, /* at most */
};
_Static_assert((int)WRITTEN_SLOTS <= (int)TN_RAW_MAX_SLOTS,
               "an event is one too many: a record of the raw profile has TN_RAW_MAX_SLOTS at most (raw_format.h)");

/* Behind the levels: those of TLBs, and for data accesses those of coherence. */
static uint32_t written_behind(const tn_core *core, enum tn_stream stream)
{
    uint32_t tlbs = core->pools.tlb ? TN_TLBS : 0;
    return core->pools.coherence && stream == TN_DATA ? tlbs + TN_COHERENCES : tlbs;
}

/* Levels below the first. */
static uint32_t written_far(const tn_core *core)
{
    return core->pools.far_counters / core->pools.far_level;
}

/* Behind these: stack distances of the levels below the first. */
static uint32_t written_distances(const tn_core *core)
{
    return core->pools.distances ? written_far(core) * TN_DISTANCE_EVENTS : 0;
}

static uint32_t written_per_level(const tn_core *core)
{
    return core->pools.per_level + 1;
}

static uint32_t line_of(const tn_core *core, enum tn_level level, enum tn_stream stream)
{
    switch (level) {
    case TN_LEVEL_1: return stream == TN_FETCH ? core->config.i1.line : core->config.d1.line;
    case TN_LEVEL_2: return core->config.l2.line;
    default: return core->config.ll.line;
    }
}

static uint32_t written_by_level(const tn_core *core)
{
    return (written_far(core) + 1) * written_per_level(core);
}

static uint32_t written_slots(const tn_core *core, enum tn_stream stream)
{
    return written_by_level(core) + written_behind(core, stream) + written_distances(core) +
           core->config.also_count * TN_ALSO_EVENTS;
}

static uint64_t written_slot(const tn_core *core, const struct tn_late *late, enum tn_stream stream, uint32_t slot,
                             uint32_t group)
{
    uint32_t distances = written_by_level(core) + written_behind(core, stream);
    uint32_t also = distances + written_distances(core);
    if (slot >= also) {
        const uint64_t *near = tn_late_at(&core->pools, late, TN_LEVEL_1, group);
        return near ? near[core->pools.also + slot - also] : 0;
    }
    if (slot >= distances) {
        slot -= distances;
        const uint64_t *far = tn_late_at(&core->pools, late, TN_LEVEL_LL + slot / TN_DISTANCE_EVENTS, group);
        uint64_t sum = 0;
        for (uint32_t i = slot % TN_DISTANCE_EVENTS; far && i < TN_DISTANCE_EVENTS; i++)
            sum += far[core->pools.distances + i]; /* a charge counts at its last event */
        return sum;
    }
    if (slot >= written_by_level(core)) {
        const uint64_t *near = tn_late_at(&core->pools, late, TN_LEVEL_1, group);
        return near ? near[core->pools.per_level + slot - written_by_level(core)] : 0;
    }
    const uint64_t *level = tn_late_at(&core->pools, late, slot / written_per_level(core), group);
    uint32_t what = slot % written_per_level(core);
    if (!level)
        return 0;
    if (what == WRITTEN_SPLOSS)
        return level[TN_LATE_Ev] * line_of(core, slot / written_per_level(core), stream) - level[TN_LATE_Use];
    return level[what < WRITTEN_SPLOSS ? what : what - 1];
}

/* The same by groups. */
static void put_late_sampled(struct tn_writer *w, const struct tn_late *late, enum tn_stream stream)
{
    uint64_t values[WRITTEN_SLOTS][TN_SAMPLE_GROUPS], all[WRITTEN_SLOTS] = {0};
    uint32_t slots = written_slots(w->core, stream);
    for (uint32_t group = 0; group < TN_SAMPLE_GROUPS; group++) {
        for (uint32_t i = 0; i < slots; i++)
            all[i] |= values[i][group] = written_slot(w->core, late, stream, i, group);
    }
    for (uint32_t first = 0; first < slots; first += TN_RAW_BITS) {
        uint32_t count = slots - first < TN_RAW_BITS ? slots - first : TN_RAW_BITS;
        tn_put_n(w, tn_nonzero(&all[first], count));
        for (uint32_t i = first; i < first + count; i++) {
            if (all[i])
                tn_put_sparse(w, values[i], TN_SAMPLE_GROUPS);
        }
    }
}

static void put_late(struct tn_writer *w, const struct tn_late *late, enum tn_stream stream)
{
    uint64_t values[WRITTEN_SLOTS];
    uint32_t slots = written_slots(w->core, stream);
    if (!late->near && !late->far) {
        for (uint32_t first = 0; first < slots; first += TN_RAW_BITS)
            tn_put_n(w, 0);
        return;
    }
    if (w->core->sample.groups > 1) {
        put_late_sampled(w, late, stream);
        return;
    }
    for (uint32_t i = 0; i < slots; i++)
        values[i] = written_slot(w->core, late, stream, i, 0);
    tn_put_sparse(w, values, slots);
}

static void put_costs(struct tn_writer *w, const struct tn_costs *costs)
{
    tn_put_numbers(w, costs->immediate, TN_IMMEDIATE_EVENTS);
    put_late(w, &costs->late[TN_FETCH], TN_FETCH);
    put_late(w, &costs->late[TN_DATA], TN_DATA);
}

/* ------------------------------------------------------------------------------------------ definitions */

/* Names of late slots: "I1mr", "-", "AcCostI1", ... "ILmr", "-", "AcCostL", ... and the same with I2; with
 * write-backs "-", "-" and "WbL", "WrtL" behind, with prefetching "-", "-" and "PfL", "PfUL", with patterns "ColdI1",
 * ... The last level's use has one name in both streams: readers add slots of equal names. Then "DTmr" and the rest of
 * TLBs, "D1cr" and the rest of coherence, "Dist1L" and the rest of distances, and the same with I2 or D2, and those of
 * put_also_names. */
#define TN_USE(name, ...) #name,
static const char *const use_names[] = {
#include "core/events.inc"
};
#define TN_WRITE_BACK(name, ...) #name,
static const char *const write_back_names[] = {
#include "core/events.inc"
};
#define TN_PREFETCH(name, ...) #name,
static const char *const prefetch_names[] = {
#include "core/events.inc"
};
#define TN_TLB(name, stream, what, ...) [TN_##stream][TN_TLB_##what] = #name,
static const char *const tlb_names[TN_STREAMS][TN_TLBS] = {
#include "core/events.inc"
};
#define TN_COHERENCE(name, ...) #name,
static const char *const coherence_names[] = {
#include "core/events.inc"
};
#define TN_DISTANCE(name, ...) #name,
static const char *const distance_names[] = {
#include "core/events.inc"
};
#define TN_MISS_KIND(name, ...) #name,
static const char *const kind_names[] = {
#include "core/events.inc"
};
#define TN_IMMEDIATE(name, ...) #name,
static const char *const immediate_names[] = {
#include "core/events.inc"
};

static void put_joined(struct tn_writer *w, const char *a, const char *b, const char *c)
{
    char text[32];
    size_t n = 0;
    const char *parts[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        for (const char *p = parts[i]; *p; p++)
            text[n++] = *p;
    }
    text[n] = 0;
    tn_put_s(w, text);
}

/* Of the first two slots. Nothing is written through I1. */
#define TN_MISS(name, stream, level, access, ...) [TN_##stream][TN_LEVEL_##level][TN_LATE_##access##_MISS] = #name,
static const char *const miss_names[TN_STREAMS][TN_LEVELS][TN_LATE_WRITE_MISS + 1] = {
#include "core/events.inc"
};

static const char *const level_names[TN_LEVELS] = {"1", "L", "2"};

/* Of a counter behind those that each level has. Nothing is written through I1 or prefetched into it. */
static void put_optional_name(struct tn_writer *w, const char *stream, enum tn_level level, uint32_t counter)
{
    const struct tn_cost_pools *pools = &w->core->pools;
    bool prefetched = pools->prefetched && counter >= pools->prefetched;
    bool into_level_1 = *stream == 'D' && (!prefetched || tn_prefetches_d1(&w->core->config));
    if (pools->kinds && counter >= pools->kinds) {
        put_joined(w, kind_names[counter - pools->kinds], level == TN_LEVEL_LL ? "" : stream, level_names[level]);
        return;
    }
    if (level == TN_LEVEL_1 && !into_level_1)
        tn_put_s(w, "-");
    else
        put_joined(w, prefetched ? prefetch_names[counter - pools->prefetched]
                              : write_back_names[counter - TN_LATE_PER_LEVEL],
                   level == TN_LEVEL_LL ? "" : stream, level_names[level]);
}

/* Misses of further machines: "D2mr_also1". */
static void put_also_names(struct tn_writer *w, enum tn_stream stream)
{
    static const enum tn_level levels[] = {TN_LEVEL_1, TN_LEVEL_2, TN_LEVEL_LL};
    const struct tn_config *config = &w->core->config;
    for (uint32_t i = 0; i < config->also_count * TN_ALSO_EVENTS; i++) {
        const struct tn_also *also = &config->also[i / TN_ALSO_EVENTS];
        uint32_t event = i % TN_ALSO_EVENTS, per_level = TN_LATE_WRITE_MISS + 1;
        enum tn_level level = levels[event / per_level];
        const char *name = miss_names[stream][level][event % per_level];
        const char number[] = {(char)('1' + i / TN_ALSO_EVENTS), 0};
        bool is_other = stream == TN_FETCH ? tn_also_other(&also->i1, &config->i1)
                                           : tn_also_other(&also->d1, &config->d1);
        bool has = level == TN_LEVEL_1 ? is_other : level == TN_LEVEL_LL || also->l2.size > 0;
        if (name && has)
            put_joined(w, name, "_also", number);
        else
            tn_put_s(w, "-");
    }
}

static void put_late_names(struct tn_writer *w, const char *stream)
{
    enum tn_stream which = *stream == 'I' ? TN_FETCH : TN_DATA;
    uint32_t slots = written_by_level(w->core), per_level = written_per_level(w->core);
    uint32_t more = written_behind(w->core, which), tlbs = w->core->pools.tlb ? TN_TLBS : 0;
    tn_put_n(w, written_slots(w->core, which));
    for (uint32_t i = 0; i < slots; i++) {
        enum tn_level level = i / per_level;
        uint32_t what = i % per_level;
        if (what >= WRITTEN_PER_LEVEL) {
            put_optional_name(w, stream, level, what - 1);
        } else if (what <= TN_LATE_WRITE_MISS) {
            const char *name = miss_names[which][level][what];
            tn_put_s(w, name ? name : "-");
        } else {
            put_joined(w, use_names[what - TN_LATE_AcCost], level == TN_LEVEL_LL ? "" : stream, level_names[level]);
        }
    }
    for (uint32_t i = 0; i < more; i++) {
        const char *name = i < tlbs ? tlb_names[which][i] : coherence_names[i - tlbs];
        tn_put_s(w, name ? name : "-");
    }
    for (uint32_t i = 0; i < written_distances(w->core); i++) {
        enum tn_level level = TN_LEVEL_LL + i / TN_DISTANCE_EVENTS;
        if (tn_keeps_distances(&w->core->config, level == TN_LEVEL_2))
            put_joined(w, distance_names[i % TN_DISTANCE_EVENTS], level == TN_LEVEL_LL ? "" : stream,
                       level_names[level]);
        else
            tn_put_s(w, "-");
    }
    put_also_names(w, which);
}

static void write_header(struct tn_writer *w)
{
    uint8_t header[16] = TN_RAW_MAGIC;
    tn_put_u32(header + 8, TN_RAW_VERSION);
    tn_put_u32(header + 12, 0);
    tn_send(w, header, sizeof header);
    tn_record(w, TN_RAW_EVENTS);
    tn_put_n(w, TN_IMMEDIATE_EVENTS);
    for (int i = 0; i < TN_IMMEDIATE_EVENTS; i++)
        tn_put_s(w, immediate_names[i]);
    put_late_names(w, "I");
    put_late_names(w, "D");
    tn_put_list(w, w->core->config.sample, w->core->sample.groups);
}

/* What the file does not have yet. */
static void write_definitions(struct tn_writer *w)
{
    tn_core *core = w->core;
    struct tn_written *written = &core->written;
    while (written->metas < core->metas.count) {
        const struct tn_meta_entry *meta = tn_array_at(&core->metas, written->metas++);
        tn_record(w, TN_RAW_META);
        tn_put_s(w, meta->key);
        tn_put_s(w, meta->value);
    }
    while (written->objects + 1 < core->code.objects.count) {
        uint32_t id = ++written->objects;
        const struct tn_object_entry *entry = tn_array_at(&core->code.objects, id);
        tn_record(w, TN_RAW_OBJECT);
        tn_put_n(w, id);
        tn_put_s(w, entry->info.path);
        tn_put_list(w, entry->info.start, entry->info.size);
        tn_put_z(w, entry->info.bias);
        tn_put_bytes(w, entry->info.build_id, entry->info.build_id_size);
    }
    while (written->functions + 1 < core->code.functions.count) {
        uint32_t id = ++written->functions;
        const struct tn_function *function = tn_code_get_function(&core->code, id);
        if (function->base == id) {
            tn_record(w, TN_RAW_FUNCTION);
            tn_put_list(w, id, function->object, function->start, function->size, function->flags);
            tn_put_s(w, function->name);
        }
        tn_record(w, TN_RAW_CONTEXT);
        tn_put_list(w, id, function->base, function->level, function->callers);
        for (uint32_t k = 0; k < function->callers; k++)
            tn_put_n(w, tn_context_caller(core->contexts, id, k));
    }
    while (written->instrs + 1 < core->code.instrs.count) {
        uint32_t id = ++written->instrs;
        const struct tn_instr_info *instr = tn_code_get_instr(&core->code, id);
        tn_record(w, TN_RAW_INSTR);
        tn_put_list(w, id, instr->address, instr->length, instr->function, instr->flags, instr->reads,
                    instr->writes);
    }
    for (uint32_t id = 1; id < core->threads.count; id++) {
        struct tn_thread_record *thread = tn_thread_record_of(core, id);
        if (thread->defined || thread->row != id)
            continue;
        thread->defined = true;
        tn_record(w, TN_RAW_THREAD);
        tn_put_list(w, id, id == core->rest ? 0 : thread->os_id, id == core->rest ? 0 : thread->parent);
    }
    for (uint32_t id = 1; id < core->sums.arcs.count; id++) {
        struct tn_arc *arc = tn_array_at(&core->sums.arcs, id);
        if (arc->defined)
            continue;
        arc->defined = true;
        tn_record(w, TN_RAW_ARC);
        tn_put_list(w, id, arc->site, arc->caller, arc->callee);
    }
}

/* ------------------------------------------------------------------------------------------ data objects */

/* Slots as put_late writes them. */
static void put_at(struct tn_writer *w, uint32_t id, uint32_t place, const struct tn_at *at)
{
    uint64_t values[TN_RAW_MAX_SLOTS] = {0};
    for (int far = 0; far < 2; far++) {
        uint64_t *slots = &values[far * written_per_level(w->core)];
        slots[TN_LATE_READ_MISS] = at->count[far][TN_SLICE_READ_MISSES];
        slots[TN_LATE_WRITE_MISS] = at->count[far][TN_SLICE_WRITE_MISSES];
        slots[TN_LATE_Use + 1] = at->count[far][TN_SLICE_TOUCHED];
        slots[WRITTEN_SPLOSS] = at->count[far][TN_AT_LOADED] - at->count[far][TN_SLICE_TOUCHED];
    }
    if (!tn_nonzero(values, TN_RAW_BITS))
        return;
    tn_record(w, TN_RAW_DATA_AT);
    tn_put_list(w, id, place);
    for (uint32_t first = 0; first < written_slots(w->core, TN_DATA); first += TN_RAW_BITS) {
        tn_put_n(w, tn_nonzero(&values[first], TN_RAW_BITS));
        for (uint32_t i = first; i < first + TN_RAW_BITS; i++) {
            if (values[i] && w->core->sample.groups > 1)
                tn_put_sparse(w, &values[i], 1);
            else if (values[i])
                tn_put_n(w, values[i]);
        }
    }
}

static void write_places(struct tn_writer *w)
{
    const struct tn_data *data = w->core->data;
    size_t bytes = (TN_AT_FIRST + TN_LARGEST_ELEMENT) * sizeof(struct tn_at);
    struct tn_places places = {tn_host_alloc(bytes), 0};
    for (uint32_t id = 1; id < data->objects.count; id++) {
        const struct tn_data_object *object = tn_data_object_of(data, id);
        if (!object->slices)
            continue;
        tn_places_sum(&w->core->data->slices, object, &places);
        for (uint32_t place = 0; place < places.end; place++)
            put_at(w, id, place, &places.at[place]);
        memset(places.at, 0, places.end * sizeof *places.at);
        places.end = 0;
    }
    tn_host_free(places.at, bytes);
}

static void write_data(struct tn_writer *w)
{
    const struct tn_data *data = w->core->data;
    for (uint32_t *i = &w->core->written.origins; *i + 1 < data->origins.count;) {
        uint32_t id = ++*i;
        const struct tn_origin *origin = tn_origin_of(data, id);
        tn_record(w, TN_RAW_ORIGIN);
        tn_put_list(w, id, origin->caller, origin->site, origin->function);
    }
    for (uint32_t id = 1; id < data->objects.count; id++) {
        struct tn_data_object *object = tn_data_object_of(data, id);
        /* What a heap object is made of may be known when its first block begins. */
        if (object->defined || (object->kind == TN_DATA_HEAP && !object->number))
            continue;
        object->defined = true;
        tn_record(w, TN_RAW_DATA);
        tn_put_list(w, id, object->kind, object->origin, object->thread, object->address, object->size);
        tn_put_s(w, object->name);
        tn_put_s(w, object->file);
        tn_put_list(w, object->element, object->lead, object->type, object->typed_by);
    }
    for (uint32_t id = 1; id < data->objects.count; id++) {
        const struct tn_data_object *object = tn_data_object_of(data, id);
        if (!object->began && !object->ended && !object->pages)
            continue;
        tn_record(w, TN_RAW_DATA_BLOCKS);
        tn_put_list(w, id, object->began, object->ended, object->bytes, object->largest, object->pages);
    }
    write_places(w);
}

/* ------------------------------------------------------------------------------------------ coherence */

static void write_sharings(struct tn_writer *w)
{
    for (uint32_t id = 1; id < w->core->coherence->sharings.count; id++) {
        const struct tn_sharing *sharing = tn_array_at(&w->core->coherence->sharings, id);
        if (!sharing->misses && !sharing->falsely && !sharing->truly)
            continue;
        tn_record(w, TN_RAW_SHARING);
        tn_put_list(w, sharing->writer, sharing->victim, sharing->object, sharing->misses, sharing->falsely,
                    sharing->truly, sharing->written, sharing->touched);
    }
}

/* ------------------------------------------------------------------------------------------ self costs */

/* How often each instruction was executed, from the counters of segments; guarded accesses go to extra. */
static void gather_executed(tn_core *core, uint32_t thread_id, uint64_t *executed)
{
    const struct tn_thread_record *thread = tn_thread_record_of(core, thread_id);
    const uint64_t *running = thread->thread ? tn_counters_of(core, thread->thread) : NULL;
    for (uint32_t c = 1; c < core->code.counters.count; c++) {
        const uint64_t *ended = tn_array_get(&thread->executed, c);
        uint64_t times = (running ? running[c] : 0) + (ended ? *ended : 0);
        if (!times)
            continue;
        const struct tn_counter *counter = tn_code_get_counter(&core->code, c);
        for (uint32_t i = 0; counter->kind == TN_COUNTER_SEGMENT && i < counter->n; i++)
            executed[tn_code_run(&core->code, counter->first + i)] += times;
        if (counter->kind == TN_COUNTER_SEGMENT ||
            !tn_pays_itself(core, tn_code_get_instr(&core->code, counter->first)))
            continue;
        struct tn_centre *centre = tn_centre_of(core, thread_id, counter->first);
        tn_centre_extra(core, centre)[counter->kind == TN_COUNTER_READ ? TN_Dr : TN_Dw] += times;
    }
}

static void put_immediate_of(struct tn_writer *w, uint32_t thread, uint32_t id, const uint64_t *immediate)
{
    tn_record(w, TN_RAW_SELF);
    tn_put_list(w, thread, id);
    tn_put_numbers(w, immediate, TN_IMMEDIATE_EVENTS);
}

/* Ir in `extra` is what skipped functions have executed. It is kept apart: the rest says how often this instruction
 * was executed. */
static void put_self(struct tn_writer *w, uint32_t thread, uint32_t id, uint64_t executed, const uint64_t *extra)
{
    const struct tn_instr_info *instr = tn_code_get_instr(&w->core->code, id);
    uint64_t v[TN_IMMEDIATE_EVENTS], skipped[TN_IMMEDIATE_EVENTS] = {0};
    memcpy(v, extra, sizeof v);
    skipped[TN_Ir] = v[TN_Ir];
    v[TN_Ir] = 0;
    if (tn_pays_itself(w->core, instr))
        tn_executed_add(w->core, instr, executed, v);
    put_immediate_of(w, thread, id, v);
    if (skipped[TN_Ir])
        put_immediate_of(w, thread, id, skipped);
}

/* A key says who pays: thread, instruction, kind of access, data object. */
enum { KEY = 4 };

static void write_strides(struct tn_writer *w, const uint64_t key[KEY], const struct tn_pattern *pattern)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < TN_STRIDES; i++)
        kept += pattern->kept[i].count != 0;
    tn_record(w, TN_RAW_STRIDES);
    tn_put_numbers(w, key, KEY);
    tn_put_list(w, pattern->strides, pattern->covered, pattern->far, pattern->lost, kept);
    for (uint32_t i = 0; i < TN_STRIDES; i++) {
        if (!pattern->kept[i].count)
            continue;
        tn_put_z(w, pattern->kept[i].bytes);
        tn_put_n(w, pattern->kept[i].count);
    }
}

/* Strides between its misses, and sets of those by conflict. */
static void write_pattern(struct tn_writer *w, const uint64_t key[KEY], const struct tn_late *late)
{
    const struct tn_patterns *patterns = w->core->patterns;
    const struct tn_pattern *pattern = patterns ? tn_pattern_known(patterns, late) : NULL;
    if (!pattern)
        return;
    if (pattern->strides)
        write_strides(w, key, pattern);
    for (enum tn_level level = 0; level < TN_LEVELS; level++) {
        const uint64_t *counts = tn_pattern_sets(patterns, pattern, level);
        if (!counts || !tn_nonzero(counts, TN_SET_COUNTS))
            continue;
        tn_record(w, TN_RAW_SETS);
        tn_put_numbers(w, key, KEY);
        tn_put_n(w, level);
        tn_put_sparse(w, counts, TN_SET_COUNTS);
    }
}

/* What is charged late to an instruction in a thread and, if not 0, a data object. */
static void write_late(struct tn_writer *w, const uint64_t key[KEY], const struct tn_late *late)
{
    if (tn_late_is_zero(&w->core->pools, late))
        return;
    tn_record(w, TN_RAW_LATE);
    tn_put_numbers(w, key, KEY);
    put_late(w, late, (enum tn_stream)key[2]);
    write_pattern(w, key, late);
}

/* What an instruction in a thread pays besides how often it was executed. */
static void add_extra(const tn_core *core, uint32_t thread, uint32_t instr, uint64_t extra[TN_IMMEDIATE_EVENTS])
{
    const struct tn_centre *centre = tn_centre_known(core, tn_thread_record_of(core, thread), instr);
    for (int i = 0; centre && centre->extra && i < TN_IMMEDIATE_EVENTS; i++)
        extra[i] += centre->extra[i];
}

/* What instructions pay in the threads of a row; `executed` has a 0 for each of them, before and after. */
static void write_row_costs(struct tn_writer *w, uint32_t row, uint64_t *executed)
{
    tn_core *core = w->core;
    uint32_t end = row == core->rest ? core->threads.count : row + 1;
    for (uint32_t thread = row; thread < end; thread++)
        gather_executed(core, thread, executed);
    for (uint32_t id = 1; id < core->code.instrs.count; id++) {
        uint64_t extra[TN_IMMEDIATE_EVENTS] = {0};
        for (uint32_t thread = row; thread < end; thread++)
            add_extra(core, thread, id, extra);
        if (executed[id] || tn_nonzero(extra, TN_IMMEDIATE_EVENTS))
            put_self(w, row, id, executed[id], extra);
        executed[id] = 0;
        for (uint32_t thread = row; thread < end; thread++) {
            const struct tn_centre *centre = tn_centre_known(core, tn_thread_record_of(core, thread), id);
            for (uint32_t stream = 0; centre && stream < TN_STREAMS; stream++)
                write_late(w, (const uint64_t[]){row, id, stream, 0}, &centre->late[stream]);
        }
    }
    for (uint32_t thread = row; core->data && thread < end; thread++) {
        const struct tn_shares *shares = &tn_thread_record_of(core, thread)->shares;
        for (uint32_t i = 1; i < shares->list.count; i++) {
            const struct tn_share *share = tn_share_at(shares, i);
            write_late(w, (const uint64_t[]){row, share->instr, TN_DATA, share->object}, &share->late);
        }
    }
}

/* ------------------------------------------------------------------------------------------ inclusive costs */

static void write_node(void *user, struct tn_node *node)
{
    struct tn_writer *w = user;
    struct tn_costs all = {0}, self = tn_node_self(w->forest, node);
    tn_costs_add(&w->core->pools, &all, &self);
    if (node->more)
        tn_costs_add(&w->core->pools, &all, &node->more->below);
    uint64_t calls = tn_node_calls(node);
    if (!node->defined || calls || !tn_costs_are_zero(&w->core->pools, &all)) {
        uint64_t flags = (node->pruned_below ? TN_RAW_NODE_PRUNED_BELOW : 0) |
                         (node->handler ? TN_RAW_NODE_HANDLER : 0) | (node->alias ? TN_RAW_NODE_ALIAS : 0);
        tn_record(w, TN_RAW_NODE);
        tn_put_list(w, node->id, node->parent ? node->parent->id : 0, node->arc, node->context, node->thread, flags,
                    calls);
        put_costs(w, &all);
        node->defined = true;
    }
    tn_costs_drop(&w->core->pools, &all);
}

/* What nodes pay in data objects; or, `pruned`, what those that were pruned did, by the contexts that they charged. */
static void write_cells(struct tn_writer *w, bool pruned)
{
    const struct tn_cells *cells = &w->core->data->cells;
    for (uint32_t id = 1; id < cells->list.array.count; id++) {
        const struct tn_cell *cell = tn_cell_at(cells, id);
        if (!cell->owner || !(cell->owner & TN_CELL_CONTEXT) == pruned || tn_late_is_zero(&w->core->pools, &cell->late))
            continue;
        tn_record(w, pruned ? TN_RAW_FUNC_DATA : TN_RAW_NODE_DATA);
        tn_put_list(w, pruned ? cell->owner >> TN_CELL_CONTEXT_SHIFT : tn_cell_node(cell)->id, cell->object);
        put_late(w, &cell->late, TN_DATA);
    }
}

static void write_inclusive_costs(struct tn_writer *w)
{
    const struct tn_sums *sums = &w->core->sums;
    const struct tn_cost_pools *pools = &w->core->pools;
    for (uint32_t id = 1; id < sums->arcs.count; id++) {
        const struct tn_arc *arc = tn_array_at(&sums->arcs, id);
        if (!arc->calls && tn_costs_are_zero(pools, &arc->inclusive))
            continue;
        tn_record(w, TN_RAW_ARC_COST);
        tn_put_list(w, id, arc->calls);
        put_costs(w, &arc->inclusive);
    }
    for (uint32_t id = 1; id < sums->totals.count; id++) {
        const struct tn_function_total *total = tn_array_get(&sums->totals, id);
        if (!total || (!total->calls && tn_costs_are_zero(pools, &total->self) &&
                       tn_costs_are_zero(pools, &total->inclusive)))
            continue;
        tn_record(w, TN_RAW_FUNC_COST);
        tn_put_list(w, id, total->calls);
        put_costs(w, &total->self);
        put_costs(w, &total->inclusive);
    }
}

/* ------------------------------------------------------------------------------------------ when */

static void write_timeline(struct tn_writer *w)
{
    const struct tn_timeline *timeline = &w->core->timeline;
    for (uint32_t i = 0; i < timeline->intervals.count; i++) {
        const struct tn_interval *interval = tn_array_at(&timeline->intervals, i);
        tn_record(w, TN_RAW_INTERVAL);
        tn_put_list(w, interval->begin, interval->instructions, interval->time, interval->took, interval->count);
        put_costs(w, &interval->all);
        for (uint32_t k = 0; k < interval->count; k++) {
            tn_put_n(w, interval->worst[k].function);
            put_costs(w, &interval->worst[k].costs);
        }
    }
    for (uint32_t i = 0; i < timeline->labels.count; i++) {
        const struct tn_label *label = tn_array_at(&timeline->labels, i);
        tn_record(w, TN_RAW_LABEL);
        tn_put_list(w, label->at, label->time);
        tn_put_s(w, label->text);
    }
}

static void write_statistics(struct tn_writer *w)
{
    struct tn_statistics s;
    tn_statistics(w->core, &s);
    const struct {
        const char *name;
        uint64_t value;
    } stats[] = {
        {"functions", s.functions}, {"contexts", s.contexts},
        {"instructions", s.instrs}, {"arcs", s.arcs}, {"nodes", s.nodes_now},
        {"nodes average", s.nodes_average}, {"nodes maximum", s.nodes_max},
        {"nodes made", s.nodes_made}, {"nodes pruned", s.nodes_pruned}, {"segments", s.segments},
        {"calls", s.calls}, {"returns", s.returns}, {"unwinds", s.unwinds}, {"jumps", s.jumps},
        {"slow data accesses", s.slow_data}, {"slow fetches", s.slow_fetch}, {"accesses moved", s.moves},
        {"data objects", s.data_objects}, {"shares", s.shares}, {"cells", s.cells},
        {"pairs maximum", s.pairs}, {"misses of no pair", s.pairs_left_out},
        {"reuse pairs maximum", s.reuses}, {"reuses of no pair", s.reuses_left_out},
        {"queued", s.queued}, {"records", s.records_now}, {"records maximum", s.records_max}, {"bytes", s.bytes}};
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        tn_record(w, TN_RAW_STAT);
        tn_put_s(w, stats[i].name);
        tn_put_n(w, stats[i].value);
    }
}

int tn_raw_write_part(tn_core *core, void *stream, const char *why)
{
    struct tn_writer *w = tn_writer_new(core, stream);
    if (!core->written.header)
        write_header(w);
    core->written.header = true;
    write_definitions(w);
    if (core->data)
        write_data(w);
    if (core->coherence)
        write_sharings(w);
    size_t bytes = core->code.instrs.count * sizeof(uint64_t);
    uint64_t *executed = tn_host_alloc(bytes);
    for (uint32_t id = 1; id < core->threads.count && (!core->rest || id <= core->rest); id++)
        write_row_costs(w, id, executed);
    tn_host_free(executed, bytes);
    if (core->pairs)
        tn_raw_write_pairs(w);
    for (struct tn_forest *forest = &core->forest; forest; forest = forest->next) {
        w->forest = forest;
        tn_forest_fold(forest, core->config.inclusive ? write_node : NULL, w);
    }
    if (core->config.inclusive)
        write_inclusive_costs(w);
    if (core->data) {
        write_cells(w, false);
        write_cells(w, true);
    }
    if (core->config.timeline)
        write_timeline(w);
    write_statistics(w);
    tn_end_chunk(w);
    uint32_t chunks = w->chunks;
    tn_record(w, TN_RAW_END);
    tn_put_n(w, ++core->written.part);
    tn_put_s(w, why);
    tn_put_n(w, chunks);
    tn_end_chunk(w);
    return tn_writer_free(w);
}
