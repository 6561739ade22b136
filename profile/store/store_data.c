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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"
#include "profile/objects/names.h"
#include "profile/store/store.h"

/* ------------------------------------------------------------------------------------------ rows by data object */

int tp_data_rows_begin(struct tp_data_rows *rows, const struct tp_recording *rec)
{
    *rows = (struct tp_data_rows){.rec = rec, .row = calloc(rec->data.count + 1, sizeof *rows->row)};
    return rows->row ? 0 : -1;
}

int tp_data_rows_add(struct tp_data_rows *rows, const struct tp_instr *instr)
{
    const struct tp_events *events = &rows->rec->events;

    for (const struct tp_blob *blob = instr->costs; blob; blob = blob->next) {
        if (!blob->data)
            continue;
        struct tp_data_row *row = &rows->row[blob->data - 1];
        if (!row->cost) {
            uint64_t *cost = tp_arena_alloc(&rows->arena, events->count * sizeof *cost);
            uint32_t *met = cost ? TP_VECTOR_ADD(&rows->met) : NULL;
            if (!met)
                return -1;
            *met = blob->data;
            row->cost = cost;
        }
        tp_blob_add(events, blob, row->cost, NULL);
        row->can |= instr->can;
    }
    return 0;
}

static int data_by_number(const void *a, const void *b)
{
    return TP_COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

void tp_data_rows_sort(struct tp_data_rows *rows)
{
    if (rows->met.count > 1)
        qsort(rows->met.at, rows->met.count, sizeof *rows->met.at, data_by_number);
}

void tp_data_rows_clear(struct tp_data_rows *rows)
{
    for (size_t i = 0; i < rows->met.count; i++)
        rows->row[rows->met.at[i] - 1] = (struct tp_data_row){0};
    rows->met.count = 0;
    tp_arena_clear(&rows->arena);
}

void tp_data_rows_free(struct tp_data_rows *rows)
{
    free(rows->row);
    TP_VECTOR_FREE(&rows->met);
    tp_arena_free(&rows->arena);
}

/* ------------------------------------------------------------------------------------------ whose code it is */

static bool data_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_system_header(const struct tp_recording *rec, uint32_t file)
{
    const char *path = file ? rec->files.at[file - 1] : "";

    return data_begins(path, "/usr/include/") || strstr(path, "/include/c++/") != NULL;
}

static uint32_t data_object_of(const struct tp_recording *rec, uint32_t function)
{
    return function ? rec->functions.at[function - 1].object : 0;
}

static bool is_system_library(const struct tp_recording *rec, uint32_t function)
{
    uint32_t object = data_object_of(rec, function);
    const char *path = object ? rec->objects.at[object - 1].path : "";

    return data_begins(path, "/lib") || data_begins(path, "/usr/lib") || !data_begins(path, "/");
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

/* printf into the recording's memory; NULL: there is none. */
static __attribute__((format(printf, 2, 3))) const char *make(struct tp_recording *rec, const char *format, ...)
{
    va_list arguments, again;
    int length;
    char *text;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = length < 0 ? NULL : tp_arena_alloc(&rec->arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
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
        return make(rec, "%s in %s", out->called, out->function);
    return make(rec, "%s in %s (%s:%u)", out->called, out->function,
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
        return make(rec, "static data (%s)", file);
    if (!data->size)
        return make(rec, "%s, between symbols (%s)", data->symbol, file);
    out->symbol = tp_demangle(&rec->arena, data->symbol);
    return out->symbol ? make(rec, "%s (%s)", out->symbol, file) : NULL;
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
        out->name = make(rec, "stack of thread %u",
                         data->thread ? (unsigned)rec->threads.at[data->thread - 1].id : 0);
        break;
    case TN_DATA_FILE:
        out->name = make(rec, "file %s", data->path ? data->path : "???");
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
    size_t width;
    uint64_t *objects;             /* rows, by data object */
    uint8_t *can;                  /* of those who missed in it */
    uint64_t *self, *incl;         /* rows, by origin; behind `objects` */
    uint8_t *can_self, *can_below; /* by origin; behind `can` */
    struct tp_data_rows here; /* of the instruction at hand */
};

static int write_shares(struct tp_store *store, struct tp_insert *insert, size_t index)
{
    struct shares *s = insert->user;
    const struct tp_recording *rec = store->rec;
    const struct tp_instr *instr = &rec->instrs.at[index];
    int failed = tp_data_rows_add(&s->here, instr) ? TP_NO_MEMORY(store->err) : 0;

    tp_data_rows_sort(&s->here);
    for (size_t i = 0; !failed && i < s->here.met.count; i++) {
        uint32_t data = s->here.met.at[i];
        const uint64_t *row = s->here.row[data - 1].cost;
        tp_add_row(&rec->events, s->objects + (data - 1) * s->width, row);
        s->can[data - 1] |= instr->can;
        TP_PUT(insert, TP_ID(store->instruction_id[index]), TP_ID(data));
        tp_put_row(insert, &rec->events, row, instr->can);
        failed = tp_insert_row(store, insert);
    }
    tp_data_rows_clear(&s->here);
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
    tp_put_row(insert, &rec->events, s->objects + index * s->width, s->can[index]);
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ allocation paths */

/* Rows of costs by origin, from those of data objects. */
static void add_up(const struct shares *s)
{
    const struct tp_recording *rec = s->store->rec;

    for (size_t i = 0; i < rec->data.count; i++) {
        uint32_t origin = rec->data.at[i].origin;
        if (!origin)
            continue;
        tp_add_row(&rec->events, s->self + (origin - 1) * s->width, s->objects + i * s->width);
        s->can_self[origin - 1] |= s->can[i];
    }
    for (size_t i = rec->origins.count; i-- > 0;) {
        uint32_t caller = rec->origins.at[i].caller;
        tp_add_row(&rec->events, s->incl + i * s->width, s->self + i * s->width);
        s->can_below[i] |= s->can_self[i];
        if (!caller)
            continue;
        tp_add_row(&rec->events, s->incl + (caller - 1) * s->width, s->incl + i * s->width);
        s->can_below[caller - 1] |= s->can_below[i];
    }
}

static int write_path(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct shares *s = insert->user;
    const struct tp_recording *rec = store->rec;
    const struct tp_origin *origin = &rec->origins.at[i];
    const struct tp_instr *site = origin->site ? &rec->instrs.at[origin->site - 1] : NULL;

    TP_PUT(insert, TP_ID(i + 1), TP_ID(origin->caller), TP_TEXT(rec->functions.at[origin->function - 1].name),
           TP_ID(site ? site->file : 0), TP_ID(site ? site->line : 0),
           TP_ID(site ? store->instruction_id[origin->site - 1] : 0));
    tp_put_row(insert, &rec->events, s->self + i * s->width, s->can_self[i]);
    tp_put_row(insert, &rec->events, s->incl + i * s->width, s->can_below[i]);
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_data(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    size_t objects = rec->data.count, origins = rec->origins.count, width = rec->events.count;
    struct shares s = {.store = store, .width = width};

    s.objects = calloc((objects + 2 * origins) * width + 1, sizeof *s.objects);
    s.can = calloc(objects + 2 * origins + 1, sizeof *s.can);
    int failed = tp_data_rows_begin(&s.here, rec) || !s.objects || !s.can ? TP_NO_MEMORY(store->err) : 0;
    if (!failed) {
        s.self = s.objects + objects * width;
        s.incl = s.self + origins * width;
        s.can_self = s.can + objects;
        s.can_below = s.can_self + origins;
        failed = tp_insert_all(store, "t_instruction_data", rec->instrs.count, write_shares, &s);
        add_up(&s);
        failed = failed || tp_insert_all(store, "t_data", objects, data_write_object, &s) ||
                 tp_insert_all(store, "t_data_paths", origins, write_path, &s) || tp_store_offsets(store, s.can);
    }
    free(s.objects);
    free(s.can);
    tp_data_rows_free(&s.here);
    return failed ? -1 : 0;
}
