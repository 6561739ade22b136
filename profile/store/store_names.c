/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_names.c: what data objects are called.
 *
 * A block is named after the user's code that asked for it, and the type of its elements where that is known, "struct
 * order[] in make_orders (orders.c:12)", else what that code called: strdup, not strdup's malloc. Going up from the
 * allocation function, the user's call is
 *
 *   1. the first one of a file that is no system library, on a line that is in no system header
 *   2. else the first one of another file than that of the allocation function
 *   3. else the nearest
 *
 * where code inlined from a system header (a container's) stands for the line that it was inlined in. Where that does
 * not tell objects apart, as of a function that all blocks come from, their names are those of the user's call before:
 * the first that does. What no call tells apart is numbered.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"
#include "profile/objects/names.h"
#include "profile/store/store.h"

enum { ROUNDS = 8 }; /* calls that are looked at to tell objects apart */

/* ------------------------------------------------------------------------------------------ whose code it is */

static bool is_system_header(const struct tp_recording *rec, uint32_t file)
{
    return file && tp_is_system_source(rec->files.at[file - 1]);
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
    uint32_t file, line, frame; /* file + 1; the inlined frame, or 0: the function itself */
};

/* Where an inlined frame was called. */
static void leave_frame(const struct tp_recording *rec, struct call_place *at)
{
    const struct tp_frame *frame = &rec->frames.at[at->frame - 1];

    at->file = frame->call_file;
    at->line = frame->call_line;
    at->frame = frame->parent;
}

/* Out of what is a system's; and the function's name. */
static void find_place(const struct tp_recording *rec, uint32_t site, struct call_place *at)
{
    while (at->frame && is_system_header(rec, at->file))
        leave_frame(rec, at);
    at->function = at->frame ? rec->frames.at[at->frame - 1].name
                             : function_name(rec, rec->contexts.at[rec->instrs.at[site - 1].context - 1].function);
}

static struct call_place call_place(const struct tp_recording *rec, uint32_t site)
{
    const struct tp_instr *instr = site ? &rec->instrs.at[site - 1] : NULL;
    struct call_place at = {.function = "???"};

    if (!instr)
        return at;
    at = (struct call_place){.file = instr->file, .line = instr->line, .frame = instr->frame};
    find_place(rec, site, &at);
    return at;
}

/* ------------------------------------------------------------------------------------------ the user's call */

static const struct tp_origin *data_caller_of(const struct tp_recording *rec, const struct tp_origin *origin)
{
    return &rec->origins.at[origin->caller - 1];
}

/* The step of the path at whose site code of the user's own calls, which is in a file that is no system library, on a
 * line that is in no system header; NULL: none does. */
static const struct tp_origin *own_call(const struct tp_recording *rec, const struct tp_origin *end)
{
    for (const struct tp_origin *origin = end; origin->caller; origin = data_caller_of(rec, origin)) {
        struct call_place place = call_place(rec, origin->site);
        if (place.line && !is_system_header(rec, place.file) &&
            !is_system_library(rec, data_caller_of(rec, origin)->function))
            return origin;
    }
    return NULL;
}

/* The step of the path at whose site the user's code calls; NULL: the path has no caller. */
static const struct tp_origin *users_call(const struct tp_recording *rec, const struct tp_origin *end)
{
    const struct tp_origin *origin = own_call(rec, end);

    if (origin)
        return origin;
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

/* Where a step of a path is called. */
static struct call_place place_of_call(const struct tp_recording *rec, const struct tp_origin *call)
{
    struct call_place place = call_place(rec, call->site);

    if (!call->site)
        place.function = function_name(rec, data_caller_of(rec, call)->function);
    return place;
}

/* What blocks are: elements of a type, if that is known; else what `called` has made. */
static const char *what_is(struct tp_recording *rec, const struct tp_data *data, const char *called, bool by_type_alone)
{
    const char *type = data->layout ? data->layout->type : NULL;

    return !type ? called
                 : tp_arena_print(&rec->arena, "%s%s%s%s", type, data->largest > data->element ? "[]" : "",
                                  by_type_alone ? "" : " of ", by_type_alone ? "" : called);
}

/* `called`: or what it has made; NULL: no memory. */
static const char *name_of_call(struct tp_recording *rec, const char *called, const struct call_place *place)
{
    if (!called)
        return NULL;
    if (!place->line)
        return tp_arena_print(&rec->arena, "%s in %s", called, place->function);
    return tp_arena_print(&rec->arena, "%s in %s (%s:%u)", called, place->function,
                          base_name(place->file ? rec->files.at[place->file - 1] : "?"), (unsigned)place->line);
}

static void find_call(struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
{
    const struct tp_origin *end = &rec->origins.at[data->origin - 1];

    out->allocator = function_name(rec, end->function);
    const struct tp_origin *call = users_call(rec, end);
    out->name = out->allocator;
    if (!call)
        return;
    struct call_place place = place_of_call(rec, call);
    out->name = name_of_call(rec, what_is(rec, data, function_name(rec, call->function), true), &place);
    out->function = place.function;
    out->file = place.file;
    out->line = place.line;
}

static const char *static_name(struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
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
static int data_find_name(struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
{
    static const char *const kinds[TN_DATA_KINDS] = {"",      "heap", "mapping", "static",
                                                     "stack", "file", "rest",    "other", "region"};

    *out = (struct tp_data_name){.kind = kinds[data->kind]};
    if (data->origin)
        find_call(rec, data, out);
    switch ((enum tn_data_kind)data->kind) {
    case TN_DATA_HEAP:
    case TN_DATA_MAPPING:
        out->name = data->origin ? out->name : out->kind;
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

/* ------------------------------------------------------------------------------------------ names that are one */

/* A block or a mapping, and the step of its path that its name says. */
struct named {
    struct tp_data_name *name;
    const char *own;              /* its name at first */
    const struct tp_origin *call; /* NULL: there is no user's call before */
    struct call_place place;
    uint32_t number;              /* of the data object */
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name->name, y->name->name);

    return order ? order : TP_COMPARE(x->number, y->number);
}

/* The user's call before, in the name: of the inlined function, or of the function. */
static int name_by_caller(struct tp_recording *rec, struct named *named)
{
    const char *called = named->place.function;

    if (!named->call)
        return 0;
    if (named->place.frame) {
        leave_frame(rec, &named->place);
        find_place(rec, named->call->site, &named->place);
    } else {
        named->call = own_call(rec, data_caller_of(rec, named->call));
        if (!named->call)
            return 0;
        named->place = place_of_call(rec, named->call);
        called = function_name(rec, named->call->function);
    }
    called = what_is(rec, &rec->data.at[named->number], called, false);
    named->name->name = name_of_call(rec, called, &named->place);
    return named->name->name ? 0 : -1;
}

/* Those that have one name are looked at again, and again. */
static int tell_apart(struct tp_recording *rec, struct named *of, size_t count)
{
    for (int round = 0; round <= ROUNDS && count > 1; round++) {
        size_t left = 0;
        qsort(of, count, sizeof *of, by_name);
        for (size_t i = 0, same; i < count; i += same) {
            for (same = 1; i + same < count && strcmp(of[i + same].name->name, of[i].name->name) == 0; same++)
                ;
            if (same == 1)
                continue;
            memmove(of + left, of + i, same * sizeof *of);
            for (size_t k = left; k < left + same; k++) {
                if (round < ROUNDS && name_by_caller(rec, &of[k]))
                    return -1;
            }
            left += same;
        }
        count = left;
    }
    for (size_t i = 0; i < count; i++)
        of[i].name->name = of[i].own;
    return 0;
}

/* Those that still have one name: one that no call was left for has kept what others were given back. */
static int number(struct tp_recording *rec, struct named *of, size_t count)
{
    qsort(of, count, sizeof *of, by_name);
    for (size_t i = 0, same; i < count; i += same) {
        const char *name = of[i].name->name;
        for (same = 1; i + same < count && strcmp(of[i + same].name->name, name) == 0; same++) {
            of[i + same].name->name = tp_arena_print(&rec->arena, "%s, %zu", name, same + 1);
            if (!of[i + same].name->name)
                return -1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_name_data(struct tp_recording *rec, struct tp_error *err)
{
    for (size_t i = 0; i < rec->data.count; i++) {
        struct tp_data *data = &rec->data.at[i];
        struct tp_data_name *name = tp_arena_alloc(&rec->arena, sizeof *name);
        if (!name || data_find_name(rec, data, name))
            return TP_NO_MEMORY(err);
        data->name = name;
    }
    return 0;
}

/* All blocks and mappings that a call has made; returns how many. */
static size_t list_blocks(struct tp_recording *rec, struct named *blocks)
{
    size_t count = 0;

    for (size_t i = 0; i < rec->data.count; i++) {
        const struct tp_data *data = &rec->data.at[i];
        if ((data->kind != TN_DATA_HEAP && data->kind != TN_DATA_MAPPING) || !data->origin)
            continue;
        struct named *named = &blocks[count++];
        *named = (struct named){data->name, data->name->name, users_call(rec, &rec->origins.at[data->origin - 1]),
                                .number = (uint32_t)i};
        if (named->call)
            named->place = place_of_call(rec, named->call);
    }
    return count;
}

int tp_tell_data_apart(struct tp_recording *rec, struct tp_error *err)
{
    struct named *blocks = calloc(rec->data.count + 1, sizeof *blocks);
    bool failed = !blocks || tell_apart(rec, blocks, list_blocks(rec, blocks)) ||
                  number(rec, blocks, list_blocks(rec, blocks));

    free(blocks);
    return failed ? TP_NO_MEMORY(err) : 0;
}
