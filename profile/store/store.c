/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.c: a recording into a profile: all its tables in the order in which they need each other, and the small ones.
 */
#include "profile/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/loops.h"
#include "profile/code/statements.h"
#include "profile/objects/source.h"


static int write_meta(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "meta");

    for (size_t i = 0; !failed && i < store->rec->meta.count; i++) {
        tp_put_text(&insert, store->rec->meta.at[i].key);
        tp_put_text(&insert, store->rec->meta.at[i].value);
        failed = tp_insert_row(store, &insert);
    }
    if (tp_insert_close(store, &insert, failed))
        return -1;
    failed = tp_insert_open(store, &insert, "stats");
    for (size_t i = 0; !failed && i < store->rec->stats.count; i++) {
        tp_put_text(&insert, store->rec->stats.at[i].name);
        tp_put_count(&insert, store->rec->stats.at[i].value);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static const char *meta_of(const struct tp_recording *rec, const char *key)
{
    for (size_t i = 0; i < rec->meta.count; i++) {
        if (strcmp(rec->meta.at[i].key, key) == 0)
            return rec->meta.at[i].value;
    }
    return NULL;
}

static void put_number(struct tp_insert *insert, const char *text)
{
    if (text)
        tp_put_integer(insert, strtoll(text, NULL, 10));
    else
        tp_put_null(insert);
}

/* A recording is one run; a merge has those of all that it sums. */
static int write_run(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "runs");

    if (!failed) {
        tp_put_text(&insert, meta_of(store->rec, "cmd"));
        tp_put_text(&insert, meta_of(store->rec, "host"));
        put_number(&insert, meta_of(store->rec, "pid"));
        put_number(&insert, meta_of(store->rec, "rank"));
        tp_put_integer(&insert, 1);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_parts(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "parts");

    for (size_t i = 0; !failed && i < store->rec->parts.count; i++) {
        const struct tp_part *part = &store->rec->parts.at[i];
        tp_put_count(&insert, part->number);
        tp_put_text(&insert, part->why);
        tp_put_row(&insert, &store->rec->events, part->self, store->can);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_threads(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "threads");

    for (size_t i = 0; !failed && i < store->rec->threads.count; i++) {
        const struct tp_thread *thread = &store->rec->threads.at[i];
        tp_put_count(&insert, thread->id);
        tp_put_count(&insert, thread->os_id);
        if (thread->parent)
            tp_put_count(&insert, thread->parent);
        else
            tp_put_null(&insert);
        tp_put_row(&insert, &store->rec->events, thread->self, store->can);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static const char *hexadecimal(struct tp_arena *arena, const uint8_t *bytes, size_t size)
{
    char *text = tp_arena_alloc(arena, 2 * size + 1);

    for (size_t i = 0; text && i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

static int write_objects(struct tp_store *store, struct tp_arena *arena)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "objects");

    for (size_t i = 0; !failed && i < store->rec->objects.count; i++) {
        const struct tp_object *object = &store->rec->objects.at[i];
        tp_put_id(&insert, (uint32_t)i + 1);
        tp_put_text(&insert, object->path);
        tp_put_integer(&insert, (int64_t)object->start);
        tp_put_integer(&insert, (int64_t)object->size);
        tp_put_integer(&insert, object->bias);
        tp_put_text(&insert, object->build_id_size
                                 ? hexadecimal(arena, object->build_id, object->build_id_size)
                                 : NULL);
        tp_put_text(&insert, object->debug_file);
        tp_put_text(&insert, object->note);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_files(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "files");

    for (size_t i = 0; !failed && i < store->rec->files.count; i++) {
        tp_put_id(&insert, (uint32_t)i + 1);
        tp_put_text(&insert, store->rec->files.at[i]);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

/* One text at a time is in memory. */
static int write_sources(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "sources");

    for (size_t i = 0; store->options->embed_source && !failed && i < store->rec->files.count; i++) {
        struct tp_arena arena = {0};
        const char *text = tp_source_imported(&arena, store->options, store->rec->files.at[i]);
        if (text) {
            tp_put_id(&insert, (uint32_t)i + 1);
            tp_put_text(&insert, text);
            failed = tp_insert_row(store, &insert);
            insert.bound[1].type = TP_BOUND_INTEGER; /* its memory goes away: never the same text again */
        }
        tp_arena_free(&arena);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_total(struct tp_store *store)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_totals");

    if (!failed) {
        tp_put_row(&insert, &store->rec->events, store->total, store->can);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

/* ------------------------------------------------------------------------------------------ all tables */

static int write_large_tables(struct tp_store *store, void *unused)
{
    (void)unused;
    return tp_store_paths(store) || tp_store_code(store) || tp_store_arcs(store) ||
                   tp_store_data(store) || tp_store_sharing(store) || tp_store_statements(store) ||
                   tp_store_loops(store) || tp_store_misses(store) || tp_store_pairs(store) || write_total(store)
               ? -1
               : 0;
}

static int write_rest(struct tp_store *store, void *unused)
{
    (void)unused;
    return write_meta(store) || write_run(store) || write_parts(store) || write_threads(store) ||
                   write_objects(store, &store->rec->arena) || write_files(store) || write_sources(store)
               ? -1
               : 0;
}

int tp_store_write(const char *path, struct tp_recording *rec, const struct tp_import_options *options,
                   struct tp_import_result *result, struct tp_error *err)
{
    struct tp_store store = {.path = path, .rec = rec, .options = options, .err = err};

    store.instruction_id = calloc(rec->instrs.count + 1, sizeof *store.instruction_id);
    store.frame_id = calloc(rec->frames.count + 1, sizeof *store.frame_id);
    store.total = calloc(TP_MAX_EVENTS, sizeof *store.total);
    int failed = !store.instruction_id || !store.frame_id || !store.total || tp_sites_make(&store.sites, rec)
                     ? TP_NO_MEMORY(err)
                     : tp_statements(rec, options, err) || tp_loops(rec, &store.sites, options, err) ||
                           tp_store_possible(&store) || tp_store_make(&store, write_large_tables, write_rest, NULL);
    result->instructions = store.instructions;
    result->functions = rec->contexts.count;
    result->paths = store.paths;
    tp_thread_rows_free(store.thread_incl);
    tp_line_rows_free(store.line_rows);
    tp_sites_free(&store.sites);
    free(store.instruction_id);
    free(store.frame_id);
    free(store.total);
    return failed ? -1 : 0;
}
