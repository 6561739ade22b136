/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_data.c: data objects, what they are called, what each instruction pays in each of them, and the paths by which
 * they were allocated.
 *
 * The recording has costs of an instruction in a data object as pieces of the instruction's own. They are added up
 * twice: by (instruction, object), one instruction at a time, and by object. An allocation path's inclusive costs are
 * those of all objects that were allocated at its end or further down; a path comes behind its caller, so adding up
 * from the last to the first is enough.
 *
 * A block is named after the user's code that asked for it, and what that called: strdup, not strdup's malloc. Going up
 * from the allocation function, the user's call is
 *
 *   1. the first one of a file that is no system library, on a line that is in no system header
 *   2. else the first one of another file than that of the allocation function
 *   3. else the nearest
 *
 * where code inlined from a system header (a container's) stands for the line that it was inlined in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"
#include "profile/objects/names.h"
#include "profile/store/store.h"

/* ------------------------------------------------------------------------------------------ whose code it is */

static bool is_system_header(const struct tp_recording *rec, uint32_t file)
{
    const char *path = file ? rec->files.at[file - 1] : "";

    return strncmp(path, "/usr/include/", 13) == 0 || strstr(path, "/include/c++/") != NULL;
}

static uint32_t data_object_of(const struct tp_recording *rec, uint32_t function)
{
    return function ? rec->functions.at[function - 1].object : 0;
}

static bool is_system_library(const struct tp_recording *rec, uint32_t function)
{
    uint32_t object = data_object_of(rec, function);
    const char *path = object ? rec->objects.at[object - 1].path : "";

    return strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0 || *path != '/';
}

static const char *function_name(const struct tp_recording *rec, uint32_t function)
{
    return function ? rec->functions.at[function - 1].name : "???";
}

/* What a source line calls: the user's, if inlined code of a system's header stands there. */
struct call_place {
    const char *function;
    uint32_t file, line; /* file + 1 */
};

static struct call_place call_place(const struct tp_recording *rec, uint32_t site)
{
    const struct tp_instr *instr = site ? &rec->instrs.at[site - 1] : NULL;
    uint32_t frame = instr ? instr->frame : 0;

    if (!instr)
        return (struct call_place){.function = "???"};
    struct call_place at = {.file = instr->file, .line = instr->line};
    for (; frame && is_system_header(rec, at.file); frame = rec->frames.at[frame - 1].parent) {
        at.file = rec->frames.at[frame - 1].call_file;
        at.line = rec->frames.at[frame - 1].call_line;
    }
    at.function = frame ? rec->frames.at[frame - 1].name
                        : function_name(rec, rec->contexts.at[instr->context - 1].function);
    return at;
}

/* ------------------------------------------------------------------------------------------ the user's call */

static const struct tp_origin *data_caller_of(const struct tp_recording *rec, const struct tp_origin *origin)
{
    return &rec->origins.at[origin->caller - 1];
}

/* The step of the path at whose site the user's code calls; NULL: the path has no caller. */
static const struct tp_origin *users_call(const struct tp_recording *rec, const struct tp_origin *end)
{
    const struct tp_origin *origin;

    for (origin = end; origin->caller; origin = data_caller_of(rec, origin)) {
        struct call_place place = call_place(rec, origin->site);
        if (place.line && !is_system_header(rec, place.file) &&
            !is_system_library(rec, data_caller_of(rec, origin)->function))
            return origin;
    }
    for (origin = end; origin->caller; origin = data_caller_of(rec, origin)) {
        if (data_object_of(rec, data_caller_of(rec, origin)->function) != data_object_of(rec, end->function))
            return origin;
    }
    return end->caller ? end : NULL;
}

/* ------------------------------------------------------------------------------------------ names */

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path ? path : "";
}

struct data_name {
    const char *name;      /* "strdup in main (main.c:41)", "table (libfoo.so)", "stack of thread 1", ... */
    const char *kind;      /* "heap", "mapping", "static", "stack", "file", "rest", "other", "region" */
    const char *allocator; /* the function that allocates; NULL: nothing does */
    const char *called;    /* the one that the user's code calls: the same, or a library's that leads there; or NULL */
    const char *function;  /* the user's, that calls it, directly or through libraries; NULL: not known */
    const char *symbol;    /* demangled; of a static object; NULL: none */
    uint32_t file, line;   /* of that call; 0: not known. File + 1 */
};

static const char *allocated_name(struct tp_recording *rec, const struct data_name *out)
{
    if (!out->function)
        return out->allocator;
    if (!out->line)
        return tp_arena_print(&rec->arena, "%s in %s", out->called, out->function);
    return tp_arena_print(&rec->arena, "%s in %s (%s:%u)", out->called, out->function,
                          base_name(out->file ? rec->files.at[out->file - 1] : "?"), (unsigned)out->line);
}

static void find_call(const struct tp_recording *rec, const struct tp_data *data, struct data_name *out)
{
    const struct tp_origin *end = &rec->origins.at[data->origin - 1], *call = users_call(rec, end);

    out->allocator = function_name(rec, end->function);
    if (!call)
        return;
    struct call_place place = call_place(rec, call->site);
    out->called = function_name(rec, call->function);
    out->function = call->site ? place.function : function_name(rec, data_caller_of(rec, call)->function);
    out->file = place.file;
    out->line = place.line;
}

static const char *static_name(struct tp_recording *rec, const struct tp_data *data, struct data_name *out)
{
    const char *file = base_name(data->path);

    if (!data->symbol)
        return tp_arena_print(&rec->arena, "static data (%s)", file);
    if (!data->size)
        return tp_arena_print(&rec->arena, "%s, between symbols (%s)", data->symbol, file);
    out->symbol = tp_demangle(&rec->arena, data->symbol);
    return out->symbol ? tp_arena_print(&rec->arena, "%s (%s)", out->symbol, file) : NULL;
}

/* Texts live as long as the recording. -1: no memory. */
static int data_find_name(struct tp_recording *rec, const struct tp_data *data, struct data_name *out)
{
    static const char *const kinds[TN_DATA_KINDS] = {"",      "heap", "mapping", "static",
                                                     "stack", "file", "rest",    "other", "region"};

    *out = (struct data_name){.kind = kinds[data->kind]};
    if (data->origin)
        find_call(rec, data, out);
    switch ((enum tn_data_kind)data->kind) {
    case TN_DATA_HEAP:
    case TN_DATA_MAPPING:
        out->name = out->allocator ? allocated_name(rec, out) : out->kind;
        break;
    case TN_DATA_STATIC:
        out->name = static_name(rec, data, out);
        break;
    case TN_DATA_STACK:
        out->name = tp_arena_print(&rec->arena, "stack of thread %u",
                                   data->thread ? (unsigned)rec->threads.at[data->thread - 1].id : 0);
        break;
    case TN_DATA_FILE:
        out->name = tp_arena_print(&rec->arena, "file %s", data->path ? data->path : "???");
        break;
    case TN_DATA_NAMED:
        out->name = data->symbol ? data->symbol : "region";
        break;
    case TN_DATA_REST:
        out->name = "heap, in no block";
        break;
    default:
        out->name = "other memory";
        break;
    }
    return out->name ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------ instructions */

struct shares {
    struct tp_store *store;
    struct tp_cost_rows objects; /* of all data objects, in their order; can: of those who missed in it */
    struct tp_cost_rows origins; /* of all origins, in their order: self, then inclusive costs */
    struct tp_cost_rows here;    /* of the instruction at hand, by data object + 1 */
};

static int write_shares(struct tp_store *store, struct tp_insert *insert, size_t index)
{
    struct shares *s = insert->user;
    const struct tp_recording *rec = store->rec;
    const struct tp_instr *instr = &rec->instrs.at[index];
    int failed = tp_cost_rows_add_data(&s->here, &rec->events, instr) ? TP_NO_MEMORY(store->err) : 0;

    tp_cost_rows_sort(&s->here);
    for (size_t i = 0; !failed && i < s->here.list.count; i++) {
        const struct tp_cost_row *row = &s->here.list.at[i];
        struct tp_cost_row *object = &s->objects.list.at[row->key - 1];
        tp_add_row(&rec->events, object->cost, row->cost);
        object->can |= instr->can;
        TP_PUT(insert, TP_ID(store->instruction_id[index]), TP_ID(row->key));
        tp_put_row(insert, &rec->events, row->cost, instr->can);
        failed = tp_insert_row(store, insert);
    }
    tp_cost_rows_clear(&s->here);
    return failed;
}

/* ------------------------------------------------------------------------------------------ objects */

static int data_write_object(struct tp_store *store, struct tp_insert *insert, size_t index)
{
    struct shares *s = insert->user;
    struct tp_recording *rec = store->rec;
    const struct tp_data *data = &rec->data.at[index];
    bool placed = data->kind == TN_DATA_STATIC && data->size;
    bool blocks = data->kind == TN_DATA_HEAP || data->kind == TN_DATA_NAMED;
    struct data_name name;

    if (data_find_name(rec, data, &name))
        return TP_NO_MEMORY(store->err);
    TP_PUT(insert, TP_ID(index + 1), TP_TEXT(name.kind), TP_TEXT(name.name), TP_TEXT(name.allocator),
           TP_TEXT(name.function), TP_ID(name.file), TP_ID(name.line), TP_TEXT(name.symbol), TP_TEXT(data->path),
           TP_IF(data->thread, TP_COUNT(rec->threads.at[data->thread - 1].id)), TP_ID(data->origin),
           TP_IF(placed, TP_INTEGER(data->address)), TP_IF(placed, TP_COUNT(data->size)),
           TP_IF(blocks, TP_COUNT(data->began)), TP_IF(blocks, TP_COUNT(data->ended)),
           TP_IF(blocks, TP_COUNT(data->bytes)), TP_IF(blocks, TP_COUNT(data->largest)),
           TP_IF(data->element, TP_COUNT(data->element)), TP_TEXT(data->layout ? data->layout->type : NULL));
    tp_put_row(insert, &rec->events, s->objects.list.at[index].cost, s->objects.list.at[index].can);
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ allocation paths */

static int write_path(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct shares *s = insert->user;
    const struct tp_recording *rec = store->rec;
    const struct tp_origin *origin = &rec->origins.at[i];
    const struct tp_instr *site = origin->site ? &rec->instrs.at[origin->site - 1] : NULL;

    TP_PUT(insert, TP_ID(i + 1), TP_ID(origin->caller), TP_TEXT(rec->functions.at[origin->function - 1].name),
           TP_ID(site ? site->file : 0), TP_ID(site ? site->line : 0),
           TP_ID(site ? store->instruction_id[origin->site - 1] : 0));
    tp_put_self_and_incl(insert, &rec->events, &s->origins.list.at[i]);
    return tp_insert_row(store, insert);
}

/* Rows of costs by origin, from those of data objects. */
static void add_up(struct shares *s)
{
    const struct tp_recording *rec = s->store->rec;
    const struct tp_events *events = &rec->events;
    struct tp_cost_row *origins = s->origins.list.at;

    for (size_t i = 0; i < rec->data.count; i++) {
        uint32_t origin = rec->data.at[i].origin;
        if (!origin)
            continue;
        tp_add_row(events, origins[origin - 1].cost, s->objects.list.at[i].cost);
        origins[origin - 1].can |= s->objects.list.at[i].can;
    }
    for (size_t i = rec->origins.count; i-- > 0;) {
        struct tp_cost_row *row = &origins[i];
        struct tp_cost_row *caller = rec->origins.at[i].caller ? &origins[rec->origins.at[i].caller - 1] : NULL;
        tp_add_row(events, row->cost + events->count, row->cost);
        row->can_below |= row->can;
        if (!caller)
            continue;
        tp_add_row(events, caller->cost + events->count, row->cost + events->count);
        caller->can_below |= row->can_below;
    }
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_data(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    size_t width = rec->events.count;
    struct shares s = {.store = store, .objects.width = width, .origins.width = 2 * width, .here.width = width};
    int failed = 0;

    for (size_t i = 1; !failed && i <= rec->data.count; i++)
        failed = tp_cost_row(&s.objects, i) ? 0 : TP_NO_MEMORY(store->err);
    for (size_t i = 1; !failed && i <= rec->origins.count; i++)
        failed = tp_cost_row(&s.origins, i) ? 0 : TP_NO_MEMORY(store->err);
    failed = failed || tp_insert_all(store, "t_instruction_data", rec->instrs.count, write_shares, &s);
    if (!failed) {
        add_up(&s);
        failed = tp_insert_all(store, "t_data", rec->data.count, data_write_object, &s) ||
                 tp_insert_all(store, "t_data_paths", rec->origins.count, write_path, &s) ||
                 tp_store_offsets(store, &s.objects);
    }
    tp_cost_rows_free(&s.objects);
    tp_cost_rows_free(&s.origins);
    tp_cost_rows_free(&s.here);
    return failed ? -1 : 0;
}
