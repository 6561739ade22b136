/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.c: a recording into a profile: all its tables in the order in which they need each other, and the small ones.
 */
#include "profile/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/estimate.h"
#include "profile/objects/source.h"

/* ------------------------------------------------------------------------------------------ small tables */

static int store_write_meta(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    TP_PUT(insert, TP_TEXT(store->rec->meta.at[i].key), TP_TEXT(store->rec->meta.at[i].value));
    return tp_insert_row(store, insert);
}

static int write_stat(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    TP_PUT(insert, TP_TEXT(store->rec->stats.at[i].name), TP_COUNT(store->rec->stats.at[i].value));
    return tp_insert_row(store, insert);
}

static int write_time_part(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    TP_PUT(insert, TP_TEXT(tp_time_part[i]), TP_INTEGER((int64_t)store->rec->estimate->part[i]));
    return tp_insert_row(store, insert);
}

/* A recording is one run; a merge has those of all that it sums. */
static int write_run(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const char *pid = tp_recording_fact(store->rec, "pid"), *rank = tp_recording_fact(store->rec, "rank");

    (void)i;
    TP_PUT(insert, TP_TEXT(tp_recording_fact(store->rec, "cmd")), TP_TEXT(tp_recording_fact(store->rec, "host")),
           TP_IF(pid, TP_INTEGER(strtoll(pid, NULL, 10))), TP_IF(rank, TP_INTEGER(strtoll(rank, NULL, 10))),
           TP_INTEGER(1));
    return tp_insert_row(store, insert);
}

static int write_part(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_part *part = &store->rec->parts.at[i];

    TP_PUT(insert, TP_COUNT(part->number), TP_TEXT(part->why));
    tp_put_row(insert, &store->rec->events, part->self, store->can);
    return tp_insert_row(store, insert);
}

static int write_label(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_label *label = &store->rec->labels.at[i];

    TP_PUT(insert, TP_COUNT(label->at), TP_COUNT(label->time), TP_TEXT(label->text));
    return tp_insert_row(store, insert);
}

static int write_thread(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_thread *thread = &store->rec->threads.at[i];

    TP_PUT(insert, TP_COUNT(thread->id), TP_COUNT(thread->os_id), TP_IF(thread->parent, TP_COUNT(thread->parent)));
    tp_put_row(insert, &store->rec->events, thread->self, store->can);
    return tp_insert_row(store, insert);
}

static int store_write_object(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_object *object = &store->rec->objects.at[i];
    char *id = object->build_id_size ? tp_arena_alloc(&store->rec->arena, 2 * object->build_id_size + 1) : NULL;

    for (size_t k = 0; id && k < object->build_id_size; k++)
        snprintf(id + 2 * k, 3, "%02x", object->build_id[k]);
    TP_PUT(insert, TP_INTEGER(i + 1), TP_TEXT(object->path), TP_INTEGER(object->start), TP_INTEGER(object->size),
           TP_INTEGER(object->bias), TP_TEXT(id), TP_TEXT(object->debug_file), TP_TEXT(object->note));
    return tp_insert_row(store, insert);
}

static int store_write_file(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    TP_PUT(insert, TP_INTEGER(i + 1), TP_TEXT(store->rec->files.at[i]));
    return tp_insert_row(store, insert);
}

/* One text at a time is in memory. */
static int write_source(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    struct tp_arena arena = {0};
    const char *text = tp_source_imported(&arena, store->options, store->rec->files.at[i]);
    int failed = 0;

    if (text) {
        TP_PUT(insert, TP_INTEGER(i + 1), TP_TEXT(text));
        failed = tp_insert_row(store, insert);
    }
    tp_arena_free(&arena);
    return failed;
}

static int write_total(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    (void)i;
    tp_put_row(insert, &store->rec->events, store->total, store->can);
    return tp_insert_row(store, insert);
}

static int write_total_groups(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    (void)i;
    return tp_insert_groups(store, insert, 0, store->total, NULL, store->can, 0);
}

/* ------------------------------------------------------------------------------------------ all tables */

static int write_large_tables(struct tp_store *store, void *unused)
{
    (void)unused;
    return tp_store_paths(store) || tp_store_code(store) || tp_store_arcs(store) ||
                   tp_store_data(store) || tp_store_sharing(store) || tp_store_statements(store) ||
                   tp_store_loops(store) || tp_store_misses(store) || tp_store_timeline(store) ||
                   tp_insert_all(store, "t_totals", 1, write_total, NULL) ||
                   tp_insert_all(store, "t_total_groups", 1, write_total_groups, NULL)
               ? -1
               : 0;
}

static int store_write_rest(struct tp_store *store, void *unused)
{
    const struct tp_recording *rec = store->rec;

    (void)unused;
    return tp_insert_all(store, "meta", rec->meta.count, store_write_meta, NULL) ||
                   tp_insert_all(store, "stats", rec->stats.count, write_stat, NULL) ||
                   tp_insert_all(store, "time_parts", rec->estimate ? TP_TIME_PARTS : 0, write_time_part, NULL) ||
                   tp_insert_all(store, "runs", 1, write_run, NULL) ||
                   tp_insert_all(store, "parts", rec->parts.count, write_part, NULL) ||
                   tp_insert_all(store, "labels", rec->labels.count, write_label, NULL) ||
                   tp_insert_all(store, "threads", rec->threads.count, write_thread, NULL) ||
                   tp_insert_all(store, "objects", rec->objects.count, store_write_object, NULL) ||
                   tp_insert_all(store, "files", rec->files.count, store_write_file, NULL) ||
                   tp_insert_all(store, "sources", store->options->embed_source ? rec->files.count : 0, write_source,
                                 NULL)
               ? -1
               : 0;
}

int tp_store_write(const char *path, struct tp_recording *rec, const struct tp_import_options *options,
                   struct tp_import_result *result, struct tp_error *err)
{
    struct tp_store store = {.path = path, .rec = rec, .options = options, .err = err};

    store.instruction_id = calloc(rec->instrs.count + 1, sizeof *store.instruction_id);
    store.first_in_row = calloc(rec->instrs.count + 1, sizeof *store.first_in_row);
    store.next_in_row = calloc(rec->instrs.count + 1, sizeof *store.next_in_row);
    store.frame_id = calloc(rec->frames.count + 1, sizeof *store.frame_id);
    store.total = calloc(TP_MAX_EVENTS, sizeof *store.total);
    bool has_memory = store.instruction_id && store.first_in_row && store.next_in_row && store.frame_id &&
                      store.total && !tp_sites_make(&store.sites, rec);
    int failed = !has_memory
                     ? TP_NO_MEMORY(err)
                     : tp_statements(rec, options, err) || tp_loops(rec, &store.sites, options, err) ||
                           tp_estimate_make(rec, err) ||
                           tp_name_data(rec, err) || (!options->keep_all && tp_fold_data(rec, err)) ||
                           tp_tell_data_apart(rec, err) ||
                           tp_store_possible(&store) ||
                           tp_store_make(&store, write_large_tables, store_write_rest, NULL);
    result->instructions = store.instructions ? store.sites.first[rec->contexts.count] : 0;
    result->functions = rec->contexts.count;
    result->paths = store.paths;
    tp_from_tree_free(&store.from_tree);
    tp_sites_free(&store.sites);
    free(store.instruction_id);
    free(store.first_in_row);
    free(store.next_in_row);
    free(store.frame_id);
    free(store.total);
    return failed ? -1 : 0;
}
