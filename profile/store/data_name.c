/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_name.c: see data_name.h.
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
#include "profile/store/data_name.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/code/symbols.h"

/* ------------------------------------------------------------------------------------------ whose code it is */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_system_header(const struct tp_recording *rec, uint32_t file)
{
    const char *path = file ? rec->files.at[file - 1] : "";

    return begins(path, "/usr/include/") || strstr(path, "/include/c++/") != NULL;
}

static uint32_t object_of(const struct tp_recording *rec, uint32_t function)
{
    return function ? rec->functions.at[function - 1].object : 0;
}

static bool is_system_library(const struct tp_recording *rec, uint32_t function)
{
    uint32_t object = object_of(rec, function);
    const char *path = object ? rec->objects.at[object - 1].path : "";

    return begins(path, "/lib") || begins(path, "/usr/lib") || !begins(path, "/");
}

static const char *function_name(const struct tp_recording *rec, uint32_t function)
{
    return function ? rec->functions.at[function - 1].name : "???";
}

void tp_call_place(const struct tp_recording *rec, uint32_t site, struct tp_call_place *out)
{
    const struct tp_instr *instr = site ? &rec->instrs.at[site - 1] : NULL;
    uint32_t frame = instr ? instr->frame : 0;

    *out = (struct tp_call_place){.function = "???"};
    if (!instr)
        return;
    out->file = instr->file;
    out->line = instr->line;
    for (; frame && is_system_header(rec, out->file); frame = rec->frames.at[frame - 1].parent) {
        out->file = rec->frames.at[frame - 1].call_file;
        out->line = rec->frames.at[frame - 1].call_line;
    }
    out->function = frame ? rec->frames.at[frame - 1].name
                          : function_name(rec, rec->contexts.at[instr->context - 1].function);
}

/* ------------------------------------------------------------------------------------------ the user's call */

static const struct tp_origin *caller_of(const struct tp_recording *rec, const struct tp_origin *origin)
{
    return &rec->origins.at[origin->caller - 1];
}

static bool is_users(const struct tp_recording *rec, const struct tp_origin *origin)
{
    struct tp_call_place place;

    tp_call_place(rec, origin->site, &place);
    return place.line && !is_system_header(rec, place.file) &&
           !is_system_library(rec, caller_of(rec, origin)->function);
}

/* The step of the path at whose site the user's code calls; NULL: the path has no caller. */
static const struct tp_origin *users_call(const struct tp_recording *rec, const struct tp_origin *end)
{
    const struct tp_origin *origin;

    for (origin = end; origin->caller; origin = caller_of(rec, origin)) {
        if (is_users(rec, origin))
            return origin;
    }
    for (origin = end; origin->caller; origin = caller_of(rec, origin)) {
        if (object_of(rec, caller_of(rec, origin)->function) != object_of(rec, end->function))
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

static const char *allocated_name(struct tp_recording *rec, const struct tp_data_name *out)
{
    if (!out->function)
        return out->allocator;
    if (!out->line)
        return make(rec, "%s in %s", out->called, out->function);
    return make(rec, "%s in %s (%s:%u)", out->called, out->function,
                base_name(out->file ? rec->files.at[out->file - 1] : "?"), (unsigned)out->line);
}

static void find_call(const struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
{
    const struct tp_origin *end = &rec->origins.at[data->origin - 1], *call = users_call(rec, end);
    struct tp_call_place place;

    out->allocator = function_name(rec, end->function);
    if (!call)
        return;
    tp_call_place(rec, call->site, &place);
    out->called = function_name(rec, call->function);
    out->function = place.function;
    out->file = place.file;
    out->line = place.line;
    if (!call->site)
        out->function = function_name(rec, caller_of(rec, call)->function);
}

static const char *static_name(struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
{
    const char *file = base_name(data->path);

    if (!data->symbol)
        return make(rec, "static data (%s)", file);
    if (!data->size)
        return make(rec, "%s, between symbols (%s)", data->symbol, file);
    out->symbol = tp_demangle(&rec->arena, data->symbol);
    return out->symbol ? make(rec, "%s (%s)", out->symbol, file) : NULL;
}

int tp_data_name(struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out)
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
