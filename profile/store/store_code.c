/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_code.c: functions, their instructions, lines and inlined frames.
 *
 * One function context at a time: its instructions by address, added up into its lines and its inlined frames,
 * with the arcs that leave from a line added to the line's inclusive costs. Memory is that of the largest function.
 *
 * A line's inclusive cost is its self cost and that of its arcs. Where the function calls itself, directly or not,
 * these overlap: an event below two arcs of the line, or on the line and below it, is one event. What is called from
 * the line then comes from the call tree, which counts it once. Of the line's self cost, what arose below the line
 * is in that already. The recording has self costs by instruction and by node, not by both, so that part is known
 * only if all of the function's self cost arose below the line, or none, or all of it is the line's; otherwise it is
 * taken to be the same part as of the whole function, and the line is marked as an estimate. Without a complete
 * tree the sum is cut at the function's inclusive cost, and marked unless the lines' sums show that nothing overlaps.
 *
 * Most instructions of a large program cost next to nothing. Beyond COMPLETE instructions, a run of them that are on
 * one line, in one inlined frame and one loop is a row, as one long instruction would be: in a function with no more
 * than one part in KEPT_PARTS of any event, and in others while the run has no more than that, its instructions are
 * executed equally often, and nothing is between them.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

enum { REPORT_EVERY = 512 }; /* functions between two reports of progress */
enum { KEPT_PARTS = 10000, COMPLETE = 100000 };

struct code {
    struct tp_store *store;
    const struct tp_events *events;
    size_t width;               /* columns */
    uint32_t *arcs, *first_arc; /* arcs by context of their site, as tp_sites */
    struct tp_insert functions, function_groups, lines, line_groups, instructions, self, threads, inlined;
    struct tp_cost_rows line, frame; /* of the function at hand: self, then inclusive costs */
    struct tp_cost_rows thread;      /* likewise: self costs */
    struct tp_cost_rows of_run;      /* by thread: self costs of the run at hand */
    struct run {
        uint32_t first, last; /* instructions + 1; 0: none */
        uint8_t can, type;
        bool typed;           /* there was an instruction of a type */
        uint64_t *cost, often; /* often: what the first one has of the first event */
    } run;                           /* instructions that are one row */
    const uint64_t *least;           /* of each event: what is rare has at most; NULL: nothing is */
    bool rare;                       /* the function at hand is */
    uint64_t row[TP_MAX_EVENTS], incl[TP_MAX_EVENTS], scratch[TP_MAX_EVENTS];
    struct tp_arena arena; /* of arcs and first_arc */
    uint32_t next_frame; /* id of the first frame of the function at hand */
};

/* ------------------------------------------------------------------------------------------ order */

static uint32_t arc_context(const struct tp_recording *rec, const struct tp_arc *arc)
{
    return arc->site ? rec->instrs.at[arc->site - 1].context : 0;
}

static int order_arcs(struct code *code)
{
    const struct tp_recording *rec = code->store->rec;
    uint32_t *first = tp_arena_alloc(&code->arena, (rec->contexts.count + 2) * sizeof *first);

    code->arcs = tp_arena_alloc(&code->arena, (rec->arcs.count + 1) * sizeof *code->arcs);
    code->first_arc = first;
    if (!first || !code->arcs)
        return TP_NO_MEMORY(code->store->err);
    for (size_t i = 0; i < rec->arcs.count; i++)
        first[arc_context(rec, &rec->arcs.at[i]) + 1]++;
    for (size_t i = 1; i < rec->contexts.count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < rec->arcs.count; i++)
        code->arcs[first[arc_context(rec, &rec->arcs.at[i])]++] = (uint32_t)i;
    return 0;
}

/* ------------------------------------------------------------------------------------------ inlined frames */

/* The row of a frame, after those of the frames around it. The chain is as deep as the debug information says:
 * the loop adds the outermost missing frame each time round. */
static struct tp_cost_row *frame_row(struct code *code, uint32_t frame)
{
    const struct tp_frame *frames = code->store->rec->frames.at;

    for (;;) {
        uint32_t missing = frame;
        if (tp_idmap_find(&code->frame.map, frame) != TP_NOT_FOUND)
            return tp_cost_row(&code->frame, frame);
        while (frames[missing - 1].parent &&
               tp_idmap_find(&code->frame.map, frames[missing - 1].parent) == TP_NOT_FOUND)
            missing = frames[missing - 1].parent;
        if (!tp_cost_row(&code->frame, missing))
            return NULL;
    }
}

static uint32_t frame_id(const struct code *code, uint32_t frame)
{
    return frame ? code->next_frame + tp_idmap_find(&code->frame.map, frame) : 0;
}

static int write_frames(struct code *code, uint32_t context)
{
    const struct tp_frame *frames = code->store->rec->frames.at;
    struct tp_cost_rows *rows = &code->frame;

    for (size_t i = rows->list.count; i-- > 0;) { /* parents come before their children */
        struct tp_cost_row *row = &rows->list.at[i];
        const struct tp_frame *frame = &frames[row->key - 1];
        tp_add_row(code->events, row->cost + code->width, row->cost);
        row->can_below |= row->can;
        if (!frame->parent)
            continue;
        struct tp_cost_row *parent = tp_cost_row(rows, frame->parent);
        tp_add_row(code->events, parent->cost + code->width, row->cost + code->width);
        parent->can_below |= row->can_below;
    }
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct tp_cost_row *row = &rows->list.at[i];
        const struct tp_frame *frame = &frames[row->key - 1];
        struct tp_insert *insert = &code->inlined;
        code->store->frame_id[row->key - 1] = code->next_frame + (uint32_t)i;
        TP_PUT(insert, TP_INTEGER(code->next_frame + i), TP_ID(frame_id(code, frame->parent)), TP_ID(context),
               TP_TEXT(frame->name), TP_ID(frame->file), TP_ID(frame->line), TP_ID(frame->call_file),
               TP_ID(frame->call_line));
        tp_put_self_and_incl(insert, code->events, row);
        if (tp_insert_row(code->store, insert))
            return -1;
    }
    code->next_frame += (uint32_t)rows->list.count;
    tp_cost_rows_clear(rows);
    return 0;
}

/* ------------------------------------------------------------------------------------------ instructions */

/* The run's costs by thread, for the table and for the function's rows by thread. */
static int write_self(struct code *code, uint32_t id)
{
    struct tp_cost_rows *own = &code->of_run;

    for (size_t i = 0; i < own->list.count; i++) {
        const struct tp_cost_row *row = &own->list.at[i];
        struct tp_cost_row *thread = tp_cost_row(&code->thread, row->key);
        if (!thread)
            return TP_NO_MEMORY(code->store->err);
        tp_add_row(code->events, thread->cost, row->cost);
        thread->can |= code->run.can;
        if (!id)
            continue;
        TP_PUT(&code->self, TP_INTEGER(id), TP_COUNT(code->store->rec->threads.at[row->key - 1].id));
        tp_put_row(&code->self, code->events, row->cost, code->run.can);
        if (tp_insert_row(code->store, &code->self))
            return -1;
    }
    tp_cost_rows_clear(own);
    return 0;
}

/* The row of the run at hand, after which there is none. Where an import knows lines only there is no row
 * (tp_recording.no_addresses). */
static int write_run(struct code *code)
{
    struct tp_store *store = code->store;
    const struct tp_recording *rec = store->rec;
    const struct run *run = &code->run;
    if (!run->first)
        return 0;
    const struct tp_instr *first = &rec->instrs.at[run->first - 1], *last = &rec->instrs.at[run->last - 1];
    uint32_t id = rec->no_addresses ? 0 : (uint32_t)++store->instructions;
    uint32_t function = rec->contexts.at[first->context - 1].function;

    for (uint32_t i = run->first; i; i = store->next_in_row[i - 1])
        store->instruction_id[i - 1] = id;
    if (id) {
        struct tp_insert *insert = &code->instructions;
        TP_PUT(insert, TP_ID(id), TP_ID(first->context), TP_ID(function ? rec->functions.at[function - 1].object : 0),
               TP_INTEGER(first->address), TP_INTEGER(last->address - first->address + last->length),
               TP_ID(first->file), TP_ID(first->line), TP_ID(frame_id(code, first->frame)), TP_ID(first->statement),
               TP_ID(first->loop), TP_IF(run->type != TP_TYPE_UNKNOWN, TP_INTEGER(run->type == TP_TYPE_FLOATING)));
        tp_put_row(insert, code->events, run->cost, run->can);
        if (tp_insert_row(store, insert))
            return -1;
    }
    if (write_self(code, id))
        return -1;
    code->run = (struct run){.cost = code->run.cost};
    return 0;
}

/* Whether the run at hand is rare with an instruction, whose costs are in code->row. */
static bool stays_rare(const struct code *code)
{
    bool rare = code->least != NULL;

    for (size_t k = 0; rare && k < code->width; k++)
        rare = tp_sum(code->run.cost[k], code->row[k]) <= code->least[k];
    return rare;
}

/* Whether an instruction that follows the run at hand is part of it. */
static bool is_of_run(const struct code *code, const struct tp_instr *instr)
{
    const struct tp_instr *at = code->store->rec->instrs.at;
    const struct tp_instr *first = &at[code->run.first - 1], *last = &at[code->run.last - 1];
    uint64_t apart = instr->address - last->address;

    return instr->file == first->file && instr->line == first->line && instr->frame == first->frame &&
           instr->statement == first->statement && instr->loop == first->loop && apart >= last->length &&
           (code->rare || (apart == last->length && code->row[0] == code->run.often && stays_rare(code)));
}

/* The instruction, whose costs are in code->row, to the run at hand, or to one that it begins. */
static int add_to_run(struct code *code, uint32_t index)
{
    struct tp_store *store = code->store;
    const struct tp_instr *instr = &store->rec->instrs.at[index];
    struct run *run = &code->run;

    if (run->first && !is_of_run(code, instr) && write_run(code))
        return -1;
    if (run->first) {
        store->next_in_row[run->last - 1] = index + 1;
        store->first_in_row[index] = run->first;
    }
    if (run->first)
        tp_add_row(code->events, run->cost, code->row);
    else
        memcpy(run->cost, code->row, code->width * sizeof *run->cost);
    run->often = run->first ? run->often : code->row[0];
    run->first = run->first ? run->first : index + 1;
    run->last = index + 1;
    run->can |= instr->can;
    if (instr->type != TP_TYPE_UNKNOWN &&
        tp_does(code->events, code->row, instr->can) & (TP_CAN_READ | TP_CAN_WRITE)) {
        run->type = !run->typed || run->type == instr->type ? instr->type : TP_TYPE_UNKNOWN;
        run->typed = true;
    }
    if (store->rec->threads.count < 2)
        return 0;
    for (const struct tp_blob *blob = instr->costs; blob; blob = blob->next) { /* one for each data object */
        struct tp_cost_row *row = tp_cost_row(&code->of_run, blob->thread);
        if (!row)
            return TP_NO_MEMORY(store->err);
        tp_blob_add(code->events, blob, row->cost, NULL);
    }
    return 0;
}

static int take_instruction(struct code *code, uint32_t index)
{
    struct tp_store *store = code->store;
    const struct tp_instr *instr = &store->rec->instrs.at[index];
    struct tp_cost_row *line = tp_cost_row(&code->line, tp_line_key(instr->file, instr->line));
    struct tp_cost_row *frame = instr->frame ? frame_row(code, instr->frame) : NULL;

    if (!line || (instr->frame && !frame))
        return TP_NO_MEMORY(store->err);
    memset(code->row, 0, code->width * sizeof *code->row);
    tp_blobs_add(code->events, instr->costs, code->row, NULL);
    tp_add_row(code->events, line->cost, code->row);
    line->can |= instr->can;
    if (frame) {
        tp_add_row(code->events, frame->cost, code->row);
        frame->can |= instr->can;
    }
    return add_to_run(code, index);
}

/* ------------------------------------------------------------------------------------------ lines */

/* The inclusive costs of arcs whose call site is on a line of this function. */
static int add_arcs(struct code *code, uint32_t context)
{
    const struct tp_recording *rec = code->store->rec;

    for (uint32_t i = code->first_arc[context - 1]; i < code->first_arc[context]; i++) {
        const struct tp_arc *arc = &rec->arcs.at[code->arcs[i]];
        const struct tp_instr *site = &rec->instrs.at[arc->site - 1];
        struct tp_cost_row *line = tp_cost_row(&code->line, tp_line_key(site->file, site->line));
        if (!line)
            return TP_NO_MEMORY(code->store->err);
        line->calls = true;
        line->line = code->store->from_tree.tree.lines.of_arc[code->arcs[i]];
        tp_blobs_add(code->events, arc->costs, line->cost + code->width, NULL);
        line->can_below |= rec->contexts.at[arc->callee - 1].can_below;
    }
    return 0;
}

/* Without a complete tree: whether the lines together cost more than the function does. */
static bool code_overlaps(const struct code *code)
{
    for (size_t k = 0; k < code->width; k++) {
        uint64_t sum = 0;
        if (code->events->timed && k == code->events->time)
            continue; /* which is an estimate in any case */
        for (size_t i = 0; i < code->line.list.count; i++)
            sum = tp_sum(sum, code->line.list.at[i].cost[code->width + k]);
        if (sum > code->incl[k])
            return true;
    }
    return false;
}

/* The part of a line's self cost that did not arise below the line, where `nested` of the function's self cost `all`
 * did. */
static uint64_t outside(uint64_t self, uint64_t nested, uint64_t all, bool *estimate)
{
    if (self == 0 || nested == 0)
        return self;
    if (nested >= all || self >= all)
        return all - (nested < all ? nested : all);
    *estimate = true;
    return (uint64_t)((double)self * (double)(all - nested) / (double)all);
}

/* Inclusive costs of the lines of a function that calls itself. code->row: the function's self costs. */
static bool untangle(struct code *code, struct tp_cost_row *row)
{
    const uint64_t *known = row->line ? code->store->from_tree.line[row->line - 1] : NULL;
    bool estimate = false;

    for (size_t k = 0; k < code->width && row->calls; k++)
        row->cost[code->width + k] =
            (known ? known[k] : 0) +
            outside(row->cost[k], known ? known[code->width + k] : 0, code->row[k], &estimate);
    return estimate;
}

static int code_write_lines(struct code *code, uint32_t context)
{
    const struct tp_from_tree *tree = &code->store->from_tree;
    bool doubtful;

    for (size_t i = 0; i < code->line.list.count; i++) /* self and called summed up */
        tp_add_row(code->events, code->line.list.at[i].cost + code->width, code->line.list.at[i].cost);
    doubtful = !tree->known && code_overlaps(code);
    for (size_t i = 0; i < code->line.list.count; i++) {
        struct tp_cost_row *row = &code->line.list.at[i];
        uint64_t *incl = row->cost + code->width;
        bool estimate = tree->known && tree->recurses[context] ? untangle(code, row) : doubtful && row->calls;
        for (size_t k = 0; k < code->width; k++)
            incl[k] = incl[k] < code->incl[k] ? incl[k] : code->incl[k];
        struct tp_insert *insert = &code->lines;
        TP_PUT(insert, TP_NULL /* id */, TP_ID(context), TP_ID((row->key - 1) >> 32), TP_ID((uint32_t)(row->key - 1)),
               TP_INTEGER(estimate));
        tp_put_row(insert, code->events, row->cost, row->can);
        tp_put_row(insert, code->events, incl, row->can | row->can_below);
        if (tp_insert_row(code->store, insert) ||
            tp_insert_groups(code->store, &code->line_groups, insert->bulk->last, row->cost, incl, row->can,
                             row->can | row->can_below))
            return -1;
    }
    tp_cost_rows_clear(&code->line);
    return 0;
}

/* ------------------------------------------------------------------------------------------ names of contexts */

static const char *code_name_of(const struct tp_recording *rec, uint32_t function, bool symbols)
{
    const struct tp_function *f = function ? &rec->functions.at[function - 1] : NULL;

    if (!f)
        return symbols ? NULL : "???";
    return symbols ? f->symbol : f->name;
}

/* What is behind a function's name: `'2` for the second level of recursion, then `'caller'its caller`. NULL: nothing,
 * or no memory. */
static const char *context_text(struct tp_recording *rec, const struct tp_context *context, bool symbols)
{
    char level[16] = "";
    size_t size = 1;

    if (context->level > 1)
        size += (size_t)snprintf(level, sizeof level, "'%u", (unsigned)context->level);
    for (uint32_t i = 0; i < context->callers; i++) {
        const char *name = code_name_of(rec, context->caller[i], symbols);
        size += 1 + strlen(name ? name : "???");
    }
    char *text = size > 1 ? tp_arena_alloc(&rec->arena, size) : NULL;
    if (!text)
        return NULL;
    char *end = stpcpy(text, level);
    for (uint32_t i = 0; i < context->callers; i++) {
        const char *name = code_name_of(rec, context->caller[i], symbols);
        *end++ = '\'';
        end = stpcpy(end, name ? name : "???");
    }
    return text;
}

/* As Callgrind writes it: f'2'caller'its caller. */
static const char *context_name(struct tp_recording *rec, const struct tp_context *context, bool symbols)
{
    const char *name = code_name_of(rec, context->function, symbols), *behind = context_text(rec, context, symbols);
    char *text = name && behind ? tp_arena_alloc(&rec->arena, strlen(name) + strlen(behind) + 1) : NULL;

    if (!text)
        return name;
    strcpy(stpcpy(text, name), behind);
    return text;
}

/* ------------------------------------------------------------------------------------------ functions */

static int write_threads(struct code *code, uint32_t context, const struct tp_context *x)
{
    struct tp_store *store = code->store;
    const struct tp_from_tree *tree = &store->from_tree;

    for (uint32_t t = 1; store->rec->threads.count > 1 && t <= store->rec->threads.count; t++) {
        const struct tp_cost_row *incl = tp_cost_row_find(&tree->by_thread, (uint64_t)t << 32 | context);
        const struct tp_cost_row *self = tp_cost_row_find(&code->thread, t);
        if (!incl && !self)
            continue;
        memset(code->scratch, 0, code->width * sizeof *code->scratch);
        TP_PUT(&code->threads, TP_COUNT(store->rec->threads.at[t - 1].id), TP_ID(context));
        tp_put_row(&code->threads, code->events, self ? self->cost : code->scratch, x->can);
        if (incl)
            tp_put_row(&code->threads, code->events, incl->cost, x->can_below);
        for (size_t i = 0; !incl && i < tp_events_shown(code->events); i++)
            tp_put_null(&code->threads);
        if (tp_insert_row(store, &code->threads))
            return -1;
    }
    tp_cost_rows_clear(&code->thread);
    return 0;
}

static int write_function_row(struct code *code, uint32_t index, uint64_t first, uint64_t last)
{
    struct tp_recording *rec = code->store->rec;
    const struct tp_context *context = &rec->contexts.at[index - 1];
    static const struct tp_function unknown = {.name = "???"};
    const struct tp_function *function =
        context->function ? &rec->functions.at[context->function - 1] : &unknown;
    struct tp_insert *insert = &code->functions;

    TP_PUT(insert, TP_ID(index), TP_TEXT(context_name(rec, context, false)), TP_TEXT(function->name),
           TP_ID(context->function), TP_TEXT(context_name(rec, context, true)),
           TP_TEXT(context_text(rec, context, false)), TP_ID(function->object), TP_ID(function->file),
           TP_ID(function->line), TP_INTEGER(function->start), TP_COUNT(function->size), TP_INTEGER(context->calls),
           TP_ID(last ? first : 0), TP_ID(last));
    tp_put_row(insert, code->events, code->row, context->can);
    tp_put_row(insert, code->events, code->incl, context->can_below);
    return tp_insert_row(code->store, insert) ||
           tp_insert_groups(code->store, &code->function_groups, index, code->row, code->incl, context->can,
                            context->can_below);
}

/* Without totals of the core's own no function is. */
static bool is_rare(struct code *code, const struct tp_context *x)
{
    bool rare = code->least && x->costs;

    memset(code->row, 0, code->width * sizeof *code->row);
    if (rare)
        tp_blobs_add(code->events, x->costs, code->row, code->incl);
    for (size_t k = 0; rare && k < code->width; k++)
        rare = code->row[k] <= code->least[k];
    return rare;
}

static int write_function(struct code *code, uint32_t context)
{
    struct tp_store *store = code->store;
    const struct tp_context *x = &store->rec->contexts.at[context - 1];
    const struct tp_sites *sites = &store->sites;
    uint64_t first = store->instructions + 1;
    uint64_t sum[TP_MAX_EVENTS];

    tp_clear_row(&store->rec->events, sum);
    code->rare = is_rare(code, x);
    for (uint32_t i = sites->first[context - 1]; i < sites->first[context]; i++) {
        if (take_instruction(code, sites->at[i].instr))
            return -1;
        tp_add_row(code->events, sum, code->row);
    }
    if (write_run(code))
        return -1;
    tp_add_row(code->events, store->total, sum);
    memset(code->row, 0, sizeof code->row);
    memset(code->incl, 0, sizeof code->incl);
    tp_blobs_add(code->events, x->costs, code->row, code->incl);
    if (!x->costs) { /* there are no totals of the core's own, as with --inclusive=no */
        memcpy(code->row, sum, sizeof sum);
        memcpy(code->incl, sum, sizeof sum);
    }
    bool executed = sites->first[context] > sites->first[context - 1];
    if (!executed && !x->costs && !x->held)
        return 0; /* translated, never run */
    return write_function_row(code, context, first, store->instructions >= first ? store->instructions : 0) ||
           add_arcs(code, context) || code_write_lines(code, context) || write_frames(code, context) ||
           write_threads(code, context, x);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_code(struct tp_store *store)
{
    size_t count = store->rec->contexts.count, width = store->rec->events.count;
    struct code code = {.store = store, .events = &store->rec->events, .width = width, .next_frame = 1,
                        .line.width = 2 * width, .frame.width = 2 * width, .thread.width = width,
                        .of_run.width = width};
    const struct {
        struct tp_insert *insert;
        const char *table;
    } tables[] = {{&code.functions, "t_functions"}, {&code.function_groups, "t_function_groups"},
                  {&code.lines, "t_lines"}, {&code.line_groups, "t_line_groups"},
                  {&code.instructions, "t_instructions"}, {&code.self, "t_self"},
                  {&code.threads, "t_thread_functions"}, {&code.inlined, "t_inlined"}};
    enum { TABLES = sizeof tables / sizeof *tables };
    uint64_t total[TP_MAX_EVENTS], cost[TP_MAX_EVENTS];
    int failed = order_arcs(&code);

    code.run.cost = cost;
    tp_kept_least(store, KEPT_PARTS, total);
    if (!store->options->keep_all && store->rec->instrs.count > COMPLETE)
        code.least = total;
    for (size_t i = 0; !failed && i < TABLES; i++)
        failed = tp_insert_open(store, tables[i].insert, tables[i].table);
    for (size_t i = 1; !failed && i <= count; i++) {
        failed = (i % REPORT_EVERY == 0 && tp_progress_of(store, "writing", i, count)) ||
                 write_function(&code, (uint32_t)i);
    }
    for (size_t i = 0; i < TABLES; i++)
        failed = tp_insert_close(store, tables[i].insert, failed);
    tp_cost_rows_free(&code.line);
    tp_cost_rows_free(&code.frame);
    tp_cost_rows_free(&code.thread);
    tp_cost_rows_free(&code.of_run);
    tp_arena_free(&code.arena);
    return failed;
}
