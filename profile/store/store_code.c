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
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

enum { REPORT_EVERY = 512 }; /* functions between two reports of progress */

/* Rows of the function at hand, by key. A row: self, then inclusive. */
struct rows {
    struct tp_idmap map;
    struct row {
        uint64_t key;
        uint64_t *cost;
        uint32_t line; /* of a line with calls: in tp_from_tree, + 1 */
        bool calls;
        uint8_t can, can_below;
    } * at;
    size_t count, room;
    struct tp_arena arena;
};

struct code {
    struct tp_store *store;
    const struct tp_events *events;
    size_t width;               /* columns */
    uint32_t *arcs, *first_arc; /* arcs by context of their site, as tp_sites */
    struct tp_insert functions, lines, instructions, self, threads, inlined;
    struct rows line, frame, thread;
    uint64_t row[TP_MAX_EVENTS], incl[TP_MAX_EVENTS], scratch[TP_MAX_EVENTS];
    struct tp_arena arena; /* of arcs and first_arc */
    uint32_t next_frame; /* id of the first frame of the function at hand */
};

/* ------------------------------------------------------------------------------------------ rows */

static struct row *row_of(struct code *code, struct rows *rows, uint64_t key)
{
    uint32_t index = tp_idmap_find(&rows->map, key);

    if (index != TP_NOT_FOUND)
        return &rows->at[index];
    if (tp_vector_grow((void **)&rows->at, &rows->room, rows->count, sizeof *rows->at))
        return NULL;
    struct row *row = &rows->at[rows->count];
    row->key = key;
    row->cost = tp_arena_alloc(&rows->arena, 2 * code->width * sizeof *row->cost);
    if (!row->cost || tp_idmap_add(&rows->map, key, (uint32_t)rows->count))
        return NULL;
    rows->count++;
    return row;
}

static void rows_clear(struct rows *rows)
{
    rows->count = 0;
    tp_idmap_clear(&rows->map);
    tp_arena_clear(&rows->arena);
}

static void rows_free(struct rows *rows)
{
    rows_clear(rows);
    tp_arena_free(&rows->arena);
    tp_idmap_free(&rows->map);
    free(rows->at);
}

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
static struct row *frame_row(struct code *code, uint32_t frame)
{
    const struct tp_frame *frames = code->store->rec->frames.at;

    for (;;) {
        uint32_t missing = frame;
        if (tp_idmap_find(&code->frame.map, frame) != TP_NOT_FOUND)
            return row_of(code, &code->frame, frame);
        while (frames[missing - 1].parent &&
               tp_idmap_find(&code->frame.map, frames[missing - 1].parent) == TP_NOT_FOUND)
            missing = frames[missing - 1].parent;
        if (!row_of(code, &code->frame, missing))
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
    struct rows *rows = &code->frame;

    for (size_t i = rows->count; i-- > 0;) { /* parents come before their children */
        struct row *row = &rows->at[i];
        const struct tp_frame *frame = &frames[row->key - 1];
        tp_add_row(code->events, row->cost + code->width, row->cost);
        row->can_below |= row->can;
        if (!frame->parent)
            continue;
        struct row *parent = row_of(code, rows, frame->parent);
        tp_add_row(code->events, parent->cost + code->width, row->cost + code->width);
        parent->can_below |= row->can_below;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->at[i];
        const struct tp_frame *frame = &frames[row->key - 1];
        struct tp_insert *insert = &code->inlined;
        code->store->frame_id[row->key - 1] = code->next_frame + (uint32_t)i;
        TP_PUT(insert, TP_INTEGER(code->next_frame + i), TP_ID(frame_id(code, frame->parent)), TP_ID(context),
               TP_TEXT(frame->name), TP_ID(frame->file), TP_ID(frame->line), TP_ID(frame->call_file),
               TP_ID(frame->call_line));
        tp_put_row(insert, code->events, row->cost, row->can);
        tp_put_row(insert, code->events, row->cost + code->width, row->can_below);
        if (tp_insert_row(code->store, insert))
            return -1;
    }
    code->next_frame += (uint32_t)rows->count;
    rows_clear(rows);
    return 0;
}

/* ------------------------------------------------------------------------------------------ instructions */

/* One instruction's costs by thread, for the table and for the function's rows by thread. */
static int write_self(struct code *code, const struct tp_instr *instr, uint32_t id)
{
    const struct tp_blob *last = NULL;

    for (const struct tp_blob *blob = instr->costs; blob; last = blob, blob = blob->next) {
        bool seen = last && last->thread == blob->thread; /* most are: an instruction has a piece per data object */
        for (const struct tp_blob *before = instr->costs; before != blob && !seen; before = before->next)
            seen = before->thread == blob->thread;
        if (seen)
            continue;
        memset(code->scratch, 0, code->width * sizeof *code->scratch);
        for (const struct tp_blob *same = blob; same; same = same->next) {
            if (same->thread == blob->thread)
                tp_blob_add(code->events, same, code->scratch, NULL);
        }
        struct row *thread = row_of(code, &code->thread, blob->thread);
        if (!thread)
            return TP_NO_MEMORY(code->store->err);
        tp_add_row(code->events, thread->cost, code->scratch);
        thread->can |= instr->can;
        if (!id)
            continue;
        TP_PUT(&code->self, TP_INTEGER(id), TP_COUNT(code->store->rec->threads.at[blob->thread - 1].id));
        tp_put_row(&code->self, code->events, code->scratch, instr->can);
        if (tp_insert_row(code->store, &code->self))
            return -1;
    }
    return 0;
}

static int write_instruction_row(struct code *code, const struct tp_instr *instr, uint32_t id)
{
    const struct tp_recording *rec = code->store->rec;
    struct tp_insert *insert = &code->instructions;
    uint32_t function = rec->contexts.at[instr->context - 1].function;
    bool typed = instr->type != TP_TYPE_UNKNOWN &&
                 tp_does(code->events, code->row, instr->can) & (TP_CAN_READ | TP_CAN_WRITE);

    TP_PUT(insert, TP_ID(id), TP_ID(instr->context), TP_ID(function ? rec->functions.at[function - 1].object : 0),
           TP_INTEGER(instr->address), TP_INTEGER(instr->length), TP_ID(instr->file), TP_ID(instr->line),
           TP_ID(frame_id(code, instr->frame)), TP_ID(instr->statement), TP_ID(instr->loop),
           TP_IF(typed, TP_INTEGER(instr->type == TP_TYPE_FLOATING)));
    tp_put_row(insert, code->events, code->row, instr->can);
    return tp_insert_row(code->store, insert);
}

/* Where an import knows lines only there is no row (tp_recording.no_addresses). */
static int write_instruction(struct code *code, uint32_t index)
{
    struct tp_store *store = code->store;
    const struct tp_instr *instr = &store->rec->instrs.at[index];
    struct row *line = row_of(code, &code->line, tp_line_key(instr->file, instr->line));
    struct row *frame = instr->frame ? frame_row(code, instr->frame) : NULL;
    uint32_t id = store->rec->no_addresses ? 0 : (uint32_t)++store->instructions;

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
    store->instruction_id[index] = id;
    return (id ? write_instruction_row(code, instr, id) : 0) ||
           (store->rec->threads.count > 1 ? write_self(code, instr, id) : 0);
}

/* ------------------------------------------------------------------------------------------ lines */

/* The inclusive costs of arcs whose call site is on a line of this function. */
static int add_arcs(struct code *code, uint32_t context)
{
    const struct tp_recording *rec = code->store->rec;

    for (uint32_t i = code->first_arc[context - 1]; i < code->first_arc[context]; i++) {
        const struct tp_arc *arc = &rec->arcs.at[code->arcs[i]];
        const struct tp_instr *site = &rec->instrs.at[arc->site - 1];
        struct row *line = row_of(code, &code->line, tp_line_key(site->file, site->line));
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
        for (size_t i = 0; i < code->line.count; i++)
            sum = tp_sum(sum, code->line.at[i].cost[code->width + k]);
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
static bool untangle(struct code *code, struct row *row)
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

    for (size_t i = 0; i < code->line.count; i++) /* self and called summed up */
        tp_add_row(code->events, code->line.at[i].cost + code->width, code->line.at[i].cost);
    doubtful = !tree->known && code_overlaps(code);
    for (size_t i = 0; i < code->line.count; i++) {
        struct row *row = &code->line.at[i];
        uint64_t *incl = row->cost + code->width;
        bool estimate = tree->known && tree->recurses[context] ? untangle(code, row) : doubtful && row->calls;
        for (size_t k = 0; k < code->width; k++)
            incl[k] = incl[k] < code->incl[k] ? incl[k] : code->incl[k];
        struct tp_insert *insert = &code->lines;
        TP_PUT(insert, TP_NULL /* id */, TP_ID(context), TP_ID((row->key - 1) >> 32), TP_ID((uint32_t)(row->key - 1)),
               TP_INTEGER(estimate));
        tp_put_row(insert, code->events, row->cost, row->can);
        tp_put_row(insert, code->events, incl, row->can | row->can_below);
        if (tp_insert_row(code->store, insert))
            return -1;
    }
    rows_clear(&code->line);
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
        uint32_t incl = tp_idmap_find(&tree->by_thread, (uint64_t)t << 32 | context);
        uint32_t self = tp_idmap_find(&code->thread.map, t);
        if (incl == TP_NOT_FOUND && self == TP_NOT_FOUND)
            continue;
        memset(code->scratch, 0, code->width * sizeof *code->scratch);
        TP_PUT(&code->threads, TP_COUNT(store->rec->threads.at[t - 1].id), TP_ID(context));
        tp_put_row(&code->threads, code->events,
                   self == TP_NOT_FOUND ? code->scratch : code->thread.at[self].cost, x->can);
        if (incl != TP_NOT_FOUND)
            tp_put_row(&code->threads, code->events, tree->thread_rows.at[incl], x->can_below);
        for (size_t i = 0; incl == TP_NOT_FOUND && i < code->width; i++)
            tp_put_null(&code->threads);
        if (tp_insert_row(store, &code->threads))
            return -1;
    }
    rows_clear(&code->thread);
    return 0;
}

/* Self and inclusive costs of a context into code->row and code->incl. The core's own totals where there are any
 * (recorded with --inclusive=no there are none): `sum` is that of the instructions. */
static void code_function_costs(struct code *code, const struct tp_context *context, const uint64_t *sum)
{
    size_t bytes = code->width * sizeof *sum;

    memset(code->row, 0, bytes);
    memset(code->incl, 0, bytes);
    tp_blobs_add(code->events, context->costs, code->row, code->incl);
    if (context->costs)
        return;
    memcpy(code->row, sum, bytes);
    memcpy(code->incl, sum, bytes);
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
    return tp_insert_row(code->store, insert);
}

static int write_function(struct code *code, uint32_t context)
{
    struct tp_store *store = code->store;
    const struct tp_context *x = &store->rec->contexts.at[context - 1];
    const struct tp_sites *sites = &store->sites;
    uint64_t first = store->instructions + 1;
    uint64_t sum[TP_MAX_EVENTS] = {0};

    for (uint32_t i = sites->first[context - 1]; i < sites->first[context]; i++) {
        if (write_instruction(code, sites->at[i].instr))
            return -1;
        tp_add_row(code->events, sum, code->row);
    }
    tp_add_row(code->events, store->total, sum);
    code_function_costs(code, x, sum);
    bool executed = sites->first[context] > sites->first[context - 1];
    if (!executed && !x->costs && !x->held)
        return 0; /* translated, never run */
    return write_function_row(code, context, first, store->instructions >= first ? store->instructions : 0) ||
           add_arcs(code, context) || code_write_lines(code, context) || write_frames(code, context) ||
           write_threads(code, context, x);
}

/* ------------------------------------------------------------------------------------------ all */

static int code_open(struct code *code)
{
    struct tp_store *store = code->store;

    return order_arcs(code) || tp_insert_open(store, &code->functions, "t_functions") ||
           tp_insert_open(store, &code->lines, "t_lines") ||
           tp_insert_open(store, &code->instructions, "t_instructions") ||
           tp_insert_open(store, &code->self, "t_self") ||
           tp_insert_open(store, &code->threads, "t_thread_functions") ||
           tp_insert_open(store, &code->inlined, "t_inlined");
}

static int code_close(struct code *code, int failed)
{
    struct tp_insert *const inserts[] = {&code->functions, &code->lines,   &code->instructions,
                                         &code->self,      &code->threads, &code->inlined};

    for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++)
        failed = tp_insert_close(code->store, inserts[i], failed);
    rows_free(&code->line);
    rows_free(&code->frame);
    rows_free(&code->thread);
    tp_arena_free(&code->arena);
    return failed;
}

int tp_store_code(struct tp_store *store)
{
    struct code code = {
        .store = store, .events = &store->rec->events, .width = store->rec->events.count, .next_frame = 1};
    size_t count = store->rec->contexts.count;
    int failed = code_open(&code);

    for (size_t i = 1; !failed && i <= count; i++) {
        failed = (i % REPORT_EVERY == 0 && tp_progress_of(store, "writing", i, count)) ||
                 write_function(&code, (uint32_t)i);
    }
    return code_close(&code, failed);
}
