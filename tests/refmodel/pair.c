/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.c: see pair.h. */
#include "pair.h"

#include "core/cache_hot.h"
#include "core/core.h"
#include "host_hosted.h"
#include "tlb_model.h"
#include "pair_own.h"

#include <stdlib.h>
#include <string.h>

static void fail(struct pair *pair, const char *what)
{
    if (pair->good)
        fprintf(pair->out, "  %s\n", what);
    pair->good = false;
}

bool pair_good(const struct pair *pair)
{
    return pair->good;
}

uint64_t pair_accesses(const struct pair *pair)
{
    return pair->accesses;
}

const struct pair_config *pair_config(const struct pair *pair)
{
    return &pair->config;
}

const struct sheet *pair_sheet(const struct pair *pair)
{
    return &pair->got;
}

uint32_t pair_function_id(const struct pair *pair, uint32_t number)
{
    return pair->id[number];
}

static uint32_t function_at(void *user, uint64_t address)
{
    struct pair *pair = user;

    for (uint32_t i = 0; i < pair->functions; i++)
        if (address - pair->function[i].start < pair->function[i].size)
            return pair->id[i];
    return 0;
}

/* --------------------------------------------------------------------------------------- the order of threads */

/* Those that are due and known. */
static void tell_model(struct pair *pair, uint32_t thread)
{
    struct line_up *line_up = &pair->line_up[thread];

    for (; line_up->done < line_up->due && line_up->done < line_up->added; line_up->done++) {
        const struct waiting *w = &line_up->list[line_up->done];
        model_access(pair->model, thread, w->kind, w->address, w->size, &w->payer);
    }
}

/* In the middle of a segment the core is ahead: then the rest is told behind it. */
static void published(void *user, uint32_t thread, uint64_t clock)
{
    struct pair *pair = user;
    struct line_up *line_up = &pair->line_up[thread - 1];

    line_up->due = (clock - line_up->clock_at_start) >> TN_STEP_BITS;
    tell_model(pair, thread - 1);
}

static void access_now(struct pair *pair, uint32_t thread, enum model_kind kind, uint64_t address, uint32_t size,
                       const struct model_payer *payer)
{
    struct line_up *line_up = &pair->line_up[thread];

    if (!pair->config.parallel) {
        model_access(pair->model, thread, kind, address, size, payer);
        return;
    }
    if (line_up->added == line_up->room) {
        line_up->room = 2 * line_up->room + 1000;
        line_up->list = realloc(line_up->list, line_up->room * sizeof *line_up->list);
    }
    line_up->list[line_up->added++] = (struct waiting){kind, address, size, *payer};
    tell_model(pair, thread);
}

/* ----------------------------------------------------------------------------------------- consuming late */

static uint32_t draw_lag(struct pair *pair)
{
    pair->lag = pair->lag * 1664525u + 1013904223u;
    return pair->lag >> 16;
}

/* A consumer that, with a lag, has other things to do as well. */
static void consume(void *user, bool now)
{
    struct pair *pair = user;

    if (!pair->config.lag)
        tn_consume(pair->core, 64);
    else if (now || draw_lag(pair) % 4 == 0)
        tn_consume(pair->core, 1 + draw_lag(pair) % 8);
}

/* And one that comes by at any time. */
static void come_by(struct pair *pair)
{
    if (pair->config.parallel && pair->config.lag && draw_lag(pair) % 256 == 0)
        tn_consume(pair->core, draw_lag(pair) % 4);
}

/* --------------------------------------------------------------------------------------------------- life */

static struct tn_geometry geometry(const struct model_cache_config *cache)
{
    static const enum tn_policy policy[MODEL_POLICIES] = {
        [MODEL_LRU] = TN_LRU, [MODEL_PLRU] = TN_PLRU, [MODEL_RRIP] = TN_RRIP};

    return (struct tn_geometry){cache->size, cache->assoc, cache->line, policy[cache->policy]};
}

static uint32_t page_bits(void *user, uint64_t address)
{
    (void)user;
    return tlb_page_bits(address);
}

static void start_core(struct pair *pair)
{
    const struct pair_config *c = &pair->config;
    struct tn_config config;
    const char *fault;

    tn_config_default(&config);
    config.i1 = geometry(&c->i1);
    config.d1 = geometry(&c->d1);
    config.l2 = geometry(&c->l2);
    config.ll = geometry(&c->ll);
    for (int i = 0; i < 2; i++) {
        config.itlb[i] = (struct tn_tlb_geometry){c->itlb[i].entries, c->itlb[i].assoc};
        config.dtlb[i] = (struct tn_tlb_geometry){c->dtlb[i].entries, c->dtlb[i].assoc};
    }
    config.also_count = c->also_count;
    for (uint32_t i = 0; i < c->also_count; i++)
        config.also[i] = (struct tn_also){geometry(&c->also[i].i1), geometry(&c->also[i].d1), geometry(&c->also[i].l2),
                                          geometry(&c->also[i].ll)};
    config.page_bits = page_bits;
    config.cache_sim = c->cache_sim;
    config.branch_sim = c->branch_sim;
    config.use = c->use;
    config.write_back = c->write_back;
    for (int i = 0; i < 2; i++) {
        config.prefetch[i * TN_PREFETCH_D1 + TN_STREAM] = c->prefetch[i * MODEL_PREFETCH_D1 + MODEL_STREAM];
        config.prefetch[i * TN_PREFETCH_D1 + TN_NEXT_LINE] = c->prefetch[i * MODEL_PREFETCH_D1 + MODEL_NEXT_LINE];
        config.prefetch[i * TN_PREFETCH_D1 + TN_ADJACENT] = c->prefetch[i * MODEL_PREFETCH_D1 + MODEL_ADJACENT];
        config.prefetch[i * TN_PREFETCH_D1 + TN_STRIDE] = c->prefetch[i * MODEL_PREFETCH_D1 + MODEL_STRIDE];
    }
    config.coherence = c->coherence;
    config.physical = c->physical;
    config.strides = c->strides;
    config.patterns = c->patterns;
    config.curves = c->curves;
    config.sample = c->sample ? c->sample : 1;
    config.sample_seed = c->sample_seed;
    config.pairs = c->most_pairs > 0;
    config.most_pairs = c->most_pairs;
    config.traces = c->traces;
    config.inclusive = c->inclusive;
    config.timeline = true;
    config.shared_l1 = c->shared_l1;
    config.parallel = c->parallel;
    config.published = c->parallel ? published : NULL;
    config.consume = c->parallel ? consume : NULL;
    pair->lag = c->lag;
    config.flush_at_exit = c->flush_at_exit;
    config.collect_at_start = c->collect_at_start;
    config.prune_slack = 0;
    config.alias_limit = 2;
    config.paths = c->paths;
    config.most_doublings = 2;
    config.most_unmapped = c->most_unmapped;
    config.separate_callers = c->separate_callers;
    config.separate_recs = c->separate_recs;
    config.data = c->data;
    config.memory_at = pair_memory_at;
    config.result = pair_returned;
    config.element_at = pair_element_at;
    config.function_at = function_at;
    config.user = pair;
    fault = tn_config_check(&config);
    if (fault) {
        fprintf(stderr, "I1 %llu,%u,%u D1 %llu,%u,%u LL %llu,%u,%u: %s\n", (unsigned long long)c->i1.size,
                c->i1.assoc, c->i1.line, (unsigned long long)c->d1.size, c->d1.assoc, c->d1.line,
                (unsigned long long)c->ll.size, c->ll.assoc, c->ll.line, fault);
        abort();
    }
    pair_remaps_config(pair, &config);
    pair->core = tn_core_new(&config);
    pair->core->sums.next_node = RAW_SIMPLE_NODES;
    pair->layout = tn_layout(pair->core);
}

struct pair *pair_new(const struct pair_config *config, FILE *out)
{
    struct pair *pair = calloc(1, sizeof *pair);
    struct model_config mc = {.i1 = config->i1,
                              .d1 = config->d1,
                              .l2 = config->l2,
                              .ll = config->ll,
                              .shared_l1 = config->shared_l1,
                              .flush_at_exit = config->flush_at_exit,
                              .use = config->use,
                              .write_back = config->write_back,
                              .coherence = config->coherence,
                              .physical = config->physical,
                              .reused = config->most_pairs ? m1_reused : NULL,
                              .charge_at = config->data ? m1_charge_at : NULL,
                              .strides = config->strides,
                              .sample = config->sample,
                              .sample_seed = config->sample_seed,
                              .level1_whole = config->remap != 0,
                              .patterns = config->patterns,
                              .curves = config->curves,
                              .also_count = config->also_count,
                              .parallel = config->parallel,
                              .traces = config->traces};
    struct tn_object_info object = {.path = "/random", .start = 0x400000, .size = 0x100000};

    memcpy(mc.prefetch, config->prefetch, sizeof mc.prefetch);
    memcpy(mc.itlb, config->itlb, sizeof mc.itlb);
    memcpy(mc.dtlb, config->dtlb, sizeof mc.dtlb);
    memcpy(mc.also, config->also, sizeof mc.also);
    pair->config = *config;
    pair->out = out;
    pair->good = true;
    pair->bytes_before = host_bytes();
    pair->memory = config->data ? mm_new(pair_tell) : NULL;
    pair_remaps_new(pair);
    pair->m1 = m1_new(config->separate_callers, config->most_pairs, pair->memory);
    pair->model = model_new(&mc, m1_charge, m1_share, m1_missed, pair->m1);
    start_core(pair);
    pair->object = tn_object(pair->core, &object);
    return pair;
}

void pair_free(struct pair *pair)
{
    struct pair_translation *t;

    tn_core_free(pair->core);
    if (host_bytes() != pair->bytes_before)
        fprintf(pair->out, "  the core kept memory\n");
    while ((t = pair->translations)) {
        pair->translations = t->next;
        free(t);
    }
    model_free(pair->model);
    for (uint32_t i = 0; i < MODEL_MAX_THREADS; i++)
        pair_drop_all(pair, i);
    for (struct objects_list *list; (list = pair->objects);) {
        pair->objects = list->next;
        free(list->places);
        free(list);
    }
    free(pair->returns);
    pair_remaps_free(pair);
    m1_free(pair->m1);
    if (pair->memory)
        mm_free(pair->memory);
    if (pair->raw)
        raw_simple_close(pair->raw);
    sheet_clear(&pair->expected), free(pair->expected.row), free(pair->expected.slot);
    sheet_clear(&pair->got), free(pair->got.row), free(pair->got.slot);
    for (int i = 0; i < MODEL_MAX_THREADS; i++)
        free(pair->line_up[i].list);
    free(pair->stream.data);
    free(pair);
}

static uint32_t core_flags(uint32_t flags)
{
    return (flags & M1_SKIP ? TN_FN_SKIP : 0) | (flags & M1_POP_ON_JUMP ? TN_FN_POP_ON_JUMP : 0) |
           (flags & M1_TOGGLE ? TN_FN_TOGGLE : 0) | (flags & M1_DUMP_BEFORE ? TN_FN_DUMP_BEFORE : 0) |
           (flags & M1_DUMP_AFTER ? TN_FN_DUMP_AFTER : 0) | (flags & M1_ZERO_BEFORE ? TN_FN_ZERO_BEFORE : 0);
}

void pair_function(struct pair *pair, const struct pair_function *function)
{
    char name[16];
    struct tn_function_info info = {pair->object, function->start, function->size, name,
                                    core_flags(function->flags), (uint16_t)function->separate_callers,
                                    (uint16_t)function->separate_recs,
                                    {function->allocates[0], function->allocates[1], function->allocates[2],
                                     function->allocates[3]}};

    sprintf(name, "f%u", function->number);
    pair->function[function->number] = *function;
    pair->functions = function->number + 1 > pair->functions ? function->number + 1 : pair->functions;
    pair->id[function->number] = tn_function(pair->core, &info);
    m1_function(pair->m1, pair->id[function->number],
                function->flags & (pair->config.inclusive ? ~0u : ~(uint32_t)(M1_SKIP | M1_POP_ON_JUMP)),
                function->separate_callers, function->separate_recs);
}

/* -------------------------------------------------------------------------------------------- translation */

static uint64_t granules(const struct tn_l1_layout *l1, uint64_t line, uint64_t from, uint64_t to)
{
    uint64_t mask = 0;

    for (uint64_t byte = from; byte < to; byte++)
        mask |= 1ull << ((byte - line) >> l1->granule_bits);
    return mask;
}

/* Add the fetch of bytes from..to of one line, by access number `index` of the segment of n accesses. */
static void add_fetch(struct pair *pair, struct pair_translation *t, struct segment *segment,
                      uint32_t instr_number, uint32_t instr, uint64_t from, uint64_t to, uint32_t back,
                      bool second)
{
    uint64_t line = from & ~(uint64_t)(pair->config.i1.line - 1);
    struct fetch_run *run = t->runs > segment->first_run ? &t->run[t->runs - 1] : NULL;

    if (!run || run->info.line != line) {
        run = &t->run[t->runs++];
        memset(run, 0, sizeof *run);
        run->starts = instr_number;
        run->info.instr = instr;
        run->info.line = line;
        run->info.back_first = back;
        run->info.second = run->info.last_second = second;
    } else {
        run->info.last_second = false;
    }
    run->info.back_last = back;
    run->info.touches++;
    run->info.bytes += (uint32_t)(to - from);
    run->info.mask |= pair->config.cache_sim ? granules(&pair->layout->i1, line, from, to) : 0;
}

static void translate_instr(struct pair *pair, uint32_t function, struct pair_block *block,
                            struct segment *segment, uint32_t number)
{
    struct pair_instr *in = &block->instr[number];
    struct tn_instr_info info = {in->address, pair->id[function], in->length, 0, 0, 0};

    info.flags = (uint8_t)((in->cond ? TN_INSTR_COND : 0) | (in->indirect ? TN_INSTR_INDIRECT : 0) |
                           (in->call ? TN_INSTR_CALL : 0) | (in->ret ? TN_INSTR_RETURN : 0));
    for (uint32_t a = in->first; a < in->first + in->accesses; a++) {
        bool write = block->access[a].kind & TN_WRITE;

        if (block->access[a].guarded)
            continue;
        info.writes = (uint16_t)(info.writes + write);
        info.reads = (uint16_t)(info.reads + !write);
    }
    in->id = tn_instr(pair->core, &info);
    pair_returns(pair, in->id, in->address + in->length);
    segment->reads += info.reads;
    segment->writes += info.writes;
    segment->conds += in->cond;
    segment->indirects += in->indirect;
    segment->accesses += 1u + info.reads + info.writes;
}

static void translate_segment(struct pair *pair, uint32_t function, struct pair_block *block,
                              struct pair_translation *t, uint32_t first, uint32_t end)
{
    struct segment *segment = &t->segment[t->segments++];
    uint32_t ids[PAIR_MAX_INSTRS], index = 0;

    memset(segment, 0, sizeof *segment);
    segment->first = first;
    segment->end = end;
    segment->first_run = t->runs;
    for (uint32_t i = first; i < end; i++) {
        translate_instr(pair, function, block, segment, i);
        ids[i - first] = block->instr[i].id;
    }
    for (uint32_t i = first; i < end; i++) {
        const struct pair_instr *in = &block->instr[i];
        uint64_t line_end = (in->address | (pair->config.i1.line - 1)) + 1, after = in->address + in->length;
        uint32_t back = (segment->accesses - index++) * TN_STEP;

        add_fetch(pair, t, segment, i, in->id, in->address, after < line_end ? after : line_end, back, false);
        if (after > line_end)
            add_fetch(pair, t, segment, i, in->id, line_end, after, back, true);
        for (uint32_t a = in->first; a < in->first + in->accesses; a++) {
            struct pair_access *access = &block->access[a];

            back = (segment->accesses - index) * TN_STEP + (access->guarded ? TN_STEP : 0);
            index += !access->guarded;
            t->access[a] = (struct tn_access_info){in->id, back, access->size, access->kind};
            access->id = tn_access(pair->core, &t->access[a]);
            access->counter = access->guarded ? tn_guarded(pair->core, in->id, access->kind & TN_WRITE) : 0;
        }
    }
    segment->end_run = t->runs;
    for (uint32_t r = segment->first_run; r < t->runs; r++)
        t->run[r].id = tn_fetch(pair->core, &t->run[r].info);
    segment->counter = tn_segment(pair->core, ids, end - first);
    if (tn_segment(pair->core, ids, end - first) != segment->counter)
        fail(pair, "an equal segment got another counter");
}

static void translate(struct pair *pair, uint32_t function, struct pair_block *block)
{
    struct pair_translation *t = calloc(1, sizeof *t);

    t->next = pair->translations;
    t->function = function;
    pair->translations = t;
    block->translation = t;
    if (block->split)
        translate_segment(pair, function, block, t, 0, block->split);
    translate_segment(pair, function, block, t, block->split, block->instrs);
}

/* ---------------------------------------------------------------------------------------------- execution */

/* The models' view of one instruction: its fetch, its accesses, its branch. */
static void model_instr(struct pair *pair, uint32_t thread, const struct pair_block *block, uint32_t number,
                        const struct pair_run *run, bool taken)
{
    static const enum model_kind kind[] = {[TN_READ] = MODEL_READ,
                                           [TN_WRITE] = MODEL_WRITE,
                                           [TN_MODIFY] = MODEL_MODIFY,
                                           [TN_WRITE_PAST] = MODEL_WRITE_PAST};
    const struct pair_instr *in = &block->instr[number];
    struct model_payer payer = m1_payer(pair->m1, thread, in->id);

    pair->walking = block->translation->function;
    payer.address = in->address;
    m1_count(pair->m1, thread, in->id, M_IR, 1);
    pair->accesses++;
    if (pair->config.cache_sim)
        access_now(pair, thread, MODEL_FETCH, in->address, in->length, &payer);
    for (uint32_t a = in->first; a < in->first + in->accesses; a++) {
        const struct pair_access *access = &block->access[a];

        if (!run->happens[a])
            continue;
        pair->accesses++;
        m1_count(pair->m1, thread, in->id, access->kind & TN_WRITE ? M_DW : M_DR, 1);
        if (pair->memory && !pair->remaps)
            pair_objects_at(pair, run->address[a], access->size, &payer);
        if (pair->remaps)
            pair_remap_access(pair, thread, kind[access->kind], run->address[a], access->size, &payer);
        else if (pair->config.cache_sim)
            access_now(pair, thread, kind[access->kind], run->address[a], access->size, &payer);
        payer.objects = NULL;
        payer.places = NULL;
    }
    if (pair->config.branch_sim && in->cond) {
        bool wrong = model_predict_cond(&pair->predictor[thread], in->address, taken);

        m1_count(pair->m1, thread, in->id, M_BC, 1);
        m1_count(pair->m1, thread, in->id, M_BCM, wrong);
    }
    if (pair->config.branch_sim && in->indirect) {
        bool wrong = model_predict_indirect(&pair->predictor[thread], in->address, run->target);

        m1_count(pair->m1, thread, in->id, M_BI, 1);
        m1_count(pair->m1, thread, in->id, M_BIM, wrong);
    }
}

static void count(struct pair *pair, tn_thread *thread, uint32_t number)
{
    uint64_t *counters = (uint64_t *)((char *)thread + pair->layout->counters);

    if (pair->config.separate_callers > 0 || pair->config.separate_recs > 1)
        tn_count(thread, number);
    else
        counters[number] += thread->collecting;
}

static void core_accesses(struct pair *pair, tn_thread *thread, const struct pair_block *block,
                          const struct pair_instr *in, const struct pair_run *run)
{
    const struct pair_translation *t = block->translation;
    uint64_t moved;

    tn_access_moved(pair->core, &moved);
    for (uint32_t a = in->first; a < in->first + in->accesses; a++) {
        const struct pair_access *access = &block->access[a];

        if (!run->happens[a])
            continue;
        if (access->guarded) {
            thread->clock += TN_STEP;
            thread->data += access->kind & TN_WRITE ? 1ull << 32 : 1;
            count(pair, thread, access->counter);
            if (pair->config.cache_sim)
                tn_whole_data(thread, run->address[a], access->id);
        } else if (pair->config.cache_sim) {
            uint32_t table, id = tn_access_now(pair->core, access->id, &table);

            tn_hot_data_in(thread, pair->layout, table, run->address[a], id, access->size, t->access[a].back,
                           access->kind != TN_READ, pair->config.use);
            if (pair->layout->d1.written && access->kind != TN_READ)
                tn_hot_written_in(thread, pair->layout, table, run->address[a], access->size);
        }
    }
}

/* The core's view of one segment, as an engine's translation would execute it. */
static void core_segment(struct pair *pair, tn_thread *thread, const struct pair_block *block,
                         const struct segment *segment, const struct pair_run *run, bool taken)
{
    const struct pair_translation *t = block->translation;
    uint32_t next_run = segment->first_run;

    thread->clock += (uint64_t)segment->accesses * TN_STEP;
    thread->data += segment->reads | (uint64_t)segment->writes << 32;
    if (pair->config.branch_sim)
        thread->branches += segment->conds | (uint64_t)segment->indirects << 32;
    count(pair, thread, segment->counter);
    for (uint32_t i = segment->first; i < segment->end; i++) {
        const struct pair_instr *in = &block->instr[i];

        for (; next_run < segment->end_run && t->run[next_run].starts == i; next_run++)
            if (pair->config.cache_sim)
                tn_hot_fetch(thread, pair->layout, t->run[next_run].id, &t->run[next_run].info,
                             pair->config.use);
        core_accesses(pair, thread, block, in, run);
        if (pair->config.branch_sim && in->cond)
            tn_branch_cond(thread, in->id, taken);
        if (pair->config.branch_sim && in->indirect)
            tn_branch_indirect(thread, in->id, run->target);
    }
}

void pair_execute(struct pair *pair, uint32_t thread, uint32_t function, struct pair_block *block,
                  const struct pair_run *run)
{
    come_by(pair);
    if (!block->translation || pair->executed % 64 == 63)
        translate(pair, function, block); /* again, now and then, as engines do */
    for (uint32_t s = 0; s < block->translation->segments; s++) {
        const struct segment *segment = &block->translation->segment[s];
        bool side = block->split && s == 0, taken = run->taken[side ? 0 : 1];

        core_segment(pair, pair->thread[thread], block, segment, run, taken);
        for (uint32_t i = segment->first; i < segment->end; i++)
            model_instr(pair, thread, block, i, run, taken);
        if (side && taken)
            break;
    }
    if (!pair->config.parallel &&
        (pair->thread[thread]->clock - pair->clock_at_start) >> TN_STEP_BITS != pair->accesses)
        fail(pair, "the clock is not the number of accesses");
    if (pair->line_up[thread].due > pair->line_up[thread].added)
        fail(pair, "the core has published what did not happen");
    if (pair->executed++ % 50 == 49)
        tn_tick(pair->thread[thread]);
    if (pair->executed % 150 == 100)
        tn_interval(pair->core);
}

/* ------------------------------------------------------------------------------------------- control flow */

static void check_collection(struct pair *pair)
{
    bool core_wants = tn_dump_wanted(pair->core, NULL), model_wants = m1_dump_wanted(pair->m1);

    for (int t = 0; t < MODEL_MAX_THREADS; t++)
        core_wants |= pair->thread[t] && tn_dump_wanted(pair->core, pair->thread[t]);
    for (int t = 0; t < MODEL_MAX_THREADS; t++)
        if (pair->thread[t] && pair->thread[t]->collecting != m1_collecting(pair->m1, (uint32_t)t))
            fail(pair, "a thread collects in one and not in the other");
    if (core_wants != model_wants)
        fail(pair, core_wants ? "the core wants a dump, the model does not"
                              : "the model wants a dump, the core does not");
    else if (core_wants)
        pair_dump(pair);
}

void pair_thread(struct pair *pair, uint32_t thread, uint32_t parent)
{
    bool first = thread == parent;

    pair->thread[thread] = tn_thread_new(pair->core, first ? NULL : pair->thread[parent], thread);
    m1_thread(pair->m1, thread, first ? pair->config.collect_at_start : m1_collecting(pair->m1, parent));
    pair->line_up[thread].clock_at_start = pair->thread[thread]->clock;
    if (first)
        pair->clock_at_start = pair->thread[0]->clock;
}

void pair_begin(struct pair *pair, uint32_t thread, uint32_t function, uint64_t sp, bool in_mid_run)
{
    pair->roots++;
    pair->resumed |= in_mid_run;
    if (in_mid_run)
        tn_thread_resume(pair->thread[thread], pair->id[function], sp);
    else
        tn_thread_begin(pair->thread[thread], pair->id[function], sp);
    m1_begin(pair->m1, thread, pair->id[function]);
    pair_entered(pair, thread, function);
    if (pair->memory)
        mm_stack_begins(pair->memory, thread, sp);
    check_collection(pair);
}

void pair_end(struct pair *pair, uint32_t thread)
{
    tn_thread_end(pair->thread[thread]);
    pair->thread[thread] = NULL;
    pair_drop_all(pair, thread);
    if (pair->memory)
        mm_stack_ends(pair->memory, thread);
    m1_end(pair->m1, thread);
    model_thread_end(pair->model, thread);
    check_collection(pair);
}

void pair_switch(struct pair *pair, uint32_t to)
{
    if (pair->executed % 4 == 0)
        tn_publish(pair->thread[pair->executed / 4 % 2 || !pair->thread[0] ? to : 0]);
    tn_thread_switch(pair->core, pair->thread[to]);
}

void pair_off(struct pair *pair)
{
    tn_instrument_off(pair->core);
    for (uint32_t i = 0; i < MODEL_MAX_THREADS; i++)
        pair_drop_all(pair, i);
    m1_off(pair->m1);
    model_empty(pair->model);
    check_collection(pair);
}

void pair_call(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp,
               uint64_t return_address, uint32_t unseen)
{
    tn_call(pair->thread[thread], site, pair->id[function], sp, return_address);
    m1_unwind(pair->m1, thread, unseen);
    pair_drop_frames(pair, thread, m1_frames(pair->m1, thread));
    m1_call(pair->m1, thread, site, pair->id[function]);
    pair_entered(pair, thread, function);
    check_collection(pair);
}

void pair_return(struct pair *pair, uint32_t thread, uint32_t site, uint64_t sp, uint64_t target,
                 uint32_t frames)
{
    tn_return(pair->thread[thread], site, sp, target);
    if (pair->memory && frames == 1)
        pair_returning(pair, thread);
    pair_drop_frames(pair, thread, m1_frames(pair->m1, thread) - frames);
    m1_unwind(pair->m1, thread, frames);
    check_collection(pair);
}

void pair_raise(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp)
{
    tn_return(pair->thread[thread], site, sp, pair->function[function].start + 1);
    pair_drop_frames(pair, thread, 0);
    m1_raise(pair->m1, thread, pair->id[function]);
    check_collection(pair);
}

void pair_jump(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp)
{
    tn_jump(pair->thread[thread], site, pair->id[function], sp);
    m1_jump(pair->m1, thread, site, pair->id[function]);
    pair_entered(pair, thread, function);
    check_collection(pair);
}

void pair_longjmp(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp,
                  uint32_t handlers, uint32_t frames)
{
    tn_jump(pair->thread[thread], site, pair->id[function], sp);
    while (handlers--)
        m1_signal_leave(pair->m1, thread);
    pair_drop_levels(pair, thread, m1_levels(pair->m1, thread));
    m1_unwind(pair->m1, thread, frames);
    pair_drop_frames(pair, thread, m1_frames(pair->m1, thread));
    check_collection(pair);
}

void pair_stack(struct pair *pair, uint32_t thread, uint32_t number, uint32_t site, uint32_t function,
                uint64_t sp)
{
    tn_jump(pair->thread[thread], site, pair->id[function], sp);
    if (m1_stack(pair->m1, thread, number, site, pair->id[function]))
        pair_entered(pair, thread, function);
    check_collection(pair);
}

void pair_signal_enter(struct pair *pair, uint32_t thread, uint32_t function, uint64_t sp)
{
    pair->roots += !pair->handled[thread][function];
    pair->handled[thread][function] = true;
    tn_signal_enter(pair->thread[thread], pair->id[function], sp);
    m1_signal_enter(pair->m1, thread, pair->id[function]);
    pair_entered(pair, thread, function);
    check_collection(pair);
}

void pair_signal_leave(struct pair *pair, uint32_t thread)
{
    tn_signal_leave(pair->thread[thread]);
    m1_signal_leave(pair->m1, thread);
    pair_drop_levels(pair, thread, m1_levels(pair->m1, thread));
    check_collection(pair);
}

/* -------------------------------------------------------------------------------------- collection, parts */

void pair_toggle(struct pair *pair)
{
    bool on = !tn_collecting(pair->core);

    tn_collect(pair->core, on);
    m1_collect(pair->m1, on);
    check_collection(pair);
}

void pair_zero(struct pair *pair)
{
    tn_zero(pair->core);
    m1_zero(pair->m1);
}

/* Rows that the configuration does not promise. */
static const char *rows_to_skip(const struct pair *pair)
{
    if (!pair->config.inclusive)
        return "path \0incl \0alias \0cell \0arc \0func \0";
    if (pair->config.paths < 1000000)
        return "path \0incl \0alias \0cell \0";
    return "";
}

static void compare_part(struct pair *pair)
{
    if (!pair->raw)
        pair->raw = raw_simple_open(pair->stream.data, pair->stream.size);
    raw_simple_more(pair->raw, pair->stream.data, pair->stream.size);
    m1_part(pair->m1, &pair->expected);
    if (!raw_simple_part(pair->raw, &pair->got)) {
        fail(pair, raw_simple_fault(pair->raw) ? raw_simple_fault(pair->raw) : "no part was written");
        return;
    }
    pair_remap_pages(pair, &pair->expected, &pair->got);
    if (sheet_compare(&pair->expected, &pair->got, rows_to_skip(pair), pair->out, 6))
        fail(pair, "the sheets differ");
}

void pair_dump(struct pair *pair)
{
    if (tn_dump(pair->core, &pair->stream, "request"))
        fail(pair, "tn_dump failed");
    compare_part(pair);
}

void pair_finish(struct pair *pair)
{
    if (tn_finish(pair->core, &pair->stream, "exit"))
        fail(pair, "tn_finish failed");
    model_finish(pair->model);
    compare_part(pair);
}

void pair_check_empty(struct pair *pair)
{
    struct tn_statistics statistics;

    tn_statistics(pair->core, &statistics);
    if (!pair->config.paths && pair->config.flush_at_exit && !pair->resumed &&
        statistics.nodes_now > pair->roots)
        fail(pair, "nodes are left in the tree");
    if (pair->config.flush_at_exit && statistics.records_now)
        fail(pair, "records are left");
}
