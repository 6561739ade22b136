/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_pprof.c: profile.proto, for pprof and what else reads its format: a protocol buffer, compressed by gzip.
 *
 * A message is a row of fields, each a key (number of the field * 8 + kind) and a value: kind 0 is a number, kind 2 so
 * many bytes, which are a text or a message. Texts are referred to by their number in the order in which they stand in
 * the file; the first one is "". Numbers in base 128; negative ones as those of 64 bits that they are.
 *
 * A sample is a call path with its self costs: its locations, the innermost first. A location is a function where it
 * is defined, for the innermost; or the line that calls the next one, where it is known and in the function's own file.
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/formats/export_paths.h"

enum { GZIP_LEVEL = 6 };

/* Fields of the profile. */
enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, TEXT, COMMENT = 13, DEFAULT_TYPE };

struct pprof {
    struct tp_paths *paths;
    struct tp_bytes all, message, part; /* the profile; a message of it, and one in this, until they are whole */
    uint64_t texts;
    struct tp_idmap arc_at; /* an arc's id -> the number behind all functions of its location */
    uint32_t arcs;
};

static void put_number(struct tp_bytes *to, unsigned field, uint64_t value)
{
    tp_bytes_varint(to, field * 8);
    tp_bytes_varint(to, value);
}

/* Fields 1, 2, ... of a message. */
#define PUT_NUMBERS(to, ...)                                                                                          \
    put_numbers((to), (const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))
static void put_numbers(struct tp_bytes *to, const uint64_t *values, size_t count)
{
    for (unsigned i = 0; i < count; i++)
        put_number(to, i + 1, values[i]);
}

/* Moves the message into the one that it is a part of. */
static void put_message(struct tp_bytes *to, unsigned field, struct tp_bytes *message)
{
    tp_bytes_varint(to, field * 8 + 2);
    tp_bytes_varint(to, message->count);
    tp_bytes_put(to, message->at, message->count);
    message->count = 0;
}

/* Returns its number. */
static uint64_t put_text(struct pprof *o, const char *text)
{
    char clean[TP_CLEAN_ROOM];

    while (text && *text) {
        size_t n = tp_clean_next(&text, "", clean);
        tp_bytes_put(&o->part, clean, n);
    }
    put_message(&o->all, TEXT, &o->part);
    return o->texts++;
}

/* How it was recorded; a line each. */
static bool put_comments(struct pprof *o)
{
    char *text = tp_descriptions(o->paths->profile), *rest = text;

    put_number(&o->all, COMMENT, put_text(o, tp_meta(o->paths->profile, "cmd")));
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        put_number(&o->all, COMMENT, put_text(o, line + strlen("desc: ")));
    free(text);
    return text;
}

/* Number, object, address, and function with line. */
static void put_location(struct pprof *o, uint64_t id, uint32_t function, uint64_t address, int64_t line)
{
    PUT_NUMBERS(&o->message, id, o->paths->functions.at[function].object, address);
    PUT_NUMBERS(&o->part, function + 1, (uint64_t)line);
    put_message(&o->message, 4, &o->part);
    put_message(&o->all, LOCATION, &o->message);
}

/* Types of values, objects and functions. */
static void put_tables(struct pprof *o)
{
    const struct tp_paths *p = o->paths;

    for (size_t i = 0; i < p->choice.count; i++) {
        uint64_t name = put_text(o, p->choice.event[i]->name);

        PUT_NUMBERS(&o->message, name, put_text(o, *p->choice.event[i]->unit ? p->choice.event[i]->unit : "count"));
        put_message(&o->all, TYPE, &o->message);
        if (i == 0)
            put_number(&o->all, DEFAULT_TYPE, name);
    }
    /* Number, memory, where in the file (not known of what is loaded where it says), names; that there are functions,
     * files and lines. */
    for (size_t i = 0; i < p->objects.count; i++) {
        const struct tp_path_object *object = &p->objects.at[i];
        uint64_t path = put_text(o, object->path), build_id = put_text(o, object->build_id);

        PUT_NUMBERS(&o->message, i + 1, object->start, object->start + object->size,
                    object->bias ? object->start - object->bias : 0, path, build_id, 1, 1, 1);
        put_message(&o->all, MAPPING, &o->message);
    }
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct tp_path_function *function = &p->functions.at[i];
        uint64_t name = put_text(o, function->name), symbol = put_text(o, function->symbol);

        PUT_NUMBERS(&o->message, i + 1, name, symbol, put_text(o, function->file), (uint64_t)function->line);
        put_message(&o->all, FUNCTION, &o->message);
        put_location(o, i + 1, (uint32_t)i, function->address, function->line);
    }
}

static int put_arc(void *user, sqlite3_stmt *row)
{
    enum { ID, CALLER, ADDRESS, LINE };
    struct pprof *o = user;
    uint64_t id = (uint64_t)sqlite3_column_int64(row, ID);
    uint32_t caller = tp_idmap_find(&o->paths->function_at, (uint64_t)sqlite3_column_int64(row, CALLER));

    if (!id || caller == TP_NOT_FOUND)
        return 0;
    put_location(o, o->paths->functions.count + ++o->arcs, caller, (uint64_t)sqlite3_column_int64(row, ADDRESS),
                 sqlite3_column_int64(row, LINE));
    return tp_idmap_add(&o->arc_at, id, o->arcs);
}

/* Of a path: its locations in fields 1, its values in fields 2, and in field 3 a name and, in its field 3, a number. */
static void put_sample(struct pprof *o, size_t i, uint64_t label, int64_t thread)
{
    const struct tp_paths *p = o->paths;
    const int64_t *cost = &p->cost[i * p->choice.count];
    uint32_t arc = TP_NOT_FOUND;
    bool any = false;

    for (size_t k = 0; k < p->choice.count; k++)
        any |= cost[k] != 0;
    if (!any)
        return;
    for (uint32_t at = (uint32_t)i + 1; at; at = p->nodes.at[at - 1].parent) {
        const struct tp_path *node = &p->nodes.at[at - 1];
        put_number(&o->message, 1, arc == TP_NOT_FOUND ? node->function + 1 : p->functions.count + arc);
        arc = tp_idmap_find(&o->arc_at, node->arc);
    }
    for (size_t k = 0; k < p->choice.count; k++)
        put_number(&o->message, 2, (uint64_t)cost[k]);
    if (label) {
        PUT_NUMBERS(&o->part, label, 0, (uint64_t)thread);
        put_message(&o->message, 3, &o->part);
    }
    put_message(&o->all, SAMPLE, &o->message);
}

static int write_gzip(const struct tp_bytes *bytes, FILE *out, struct tp_error *err)
{
    struct libdeflate_compressor *gzip = libdeflate_alloc_compressor(GZIP_LEVEL);
    size_t room = gzip ? libdeflate_gzip_compress_bound(gzip, bytes->count) : 0;
    void *packed = room ? malloc(room) : NULL;

    if (packed)
        fwrite(packed, 1, libdeflate_gzip_compress(gzip, bytes->at, bytes->count, packed, room), out);
    free(packed);
    if (gzip)
        libdeflate_free_compressor(gzip);
    return packed ? tp_written(out, err) : TP_NO_MEMORY(err);
}

int tp_export_pprof(tp_profile *profile, FILE *out, const struct tp_export_options *options, struct tp_error *err)
{
    struct pprof o = {.paths = tp_paths_read(profile, "pprof", TP_PATHS_USUAL, options, err)};

    if (!o.paths)
        return -1;
    put_text(&o, "");
    put_tables(&o);
    bool room = put_comments(&o);
    uint64_t label = options->threads ? put_text(&o, "thread") : 0;
    const struct tp_path_thread *of = o.paths->threads.at;
    int failed = tp_each(profile,
                         sqlite3_mprintf("SELECT a.id, a.caller_id, a.address, CASE WHEN a.file_id = f.file_id THEN "
                                         "a.line END FROM t_arcs a JOIN t_functions f ON f.id = a.caller_id "
                                         "WHERE a.id IN (SELECT arc_id FROM t_paths) ORDER BY a.id"),
                         put_arc, &o, err);
    if (!failed) {
        for (size_t i = 0; i < o.paths->nodes.count; i++) {
            of += i == of->end;
            put_sample(&o, i, label, of->thread);
        }
        failed = !room || o.all.failed || o.message.failed || o.part.failed ? TP_NO_MEMORY(err)
                                                                            : write_gzip(&o.all, out, err);
    }
    tp_paths_free(o.paths);
    tp_idmap_free(&o.arc_at);
    tp_bytes_free(&o.all);
    tp_bytes_free(&o.message);
    tp_bytes_free(&o.part);
    return failed;
}
