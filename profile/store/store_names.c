/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_names.c: what data objects are called.
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
#include <string.h>

#include "profile/base/error.h"
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

static const char *allocated_name(struct tp_recording *rec, const struct tp_data_name *out)
{
    if (!out->function)
        return out->allocator;
    if (!out->line)
        return tp_arena_print(&rec->arena, "%s in %s", out->called, out->function);
    return tp_arena_print(&rec->arena, "%s in %s (%s:%u)", out->called, out->function,
                          base_name(out->file ? rec->files.at[out->file - 1] : "?"), (unsigned)out->line);
}

static void find_call(const struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
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
