/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.c: the profile's file.
 *
 * It is written once, from beginning to end, under a temporary name in the same folder: SQLite makes the empty
 * tables, the large ones are filled page by page (bulk.c), SQLite fills the rest and makes views and indices. No
 * journal, no syncs, nobody to lock out. If anything fails the temporary file goes away and what was there
 * under the final name stays. Then one rename.
 */
#include "profile/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/base/sound.h"
#include "profile/code/loops.h"
#include "profile/code/statements.h"
#include "profile/objects/source.h"

/* ------------------------------------------------------------------------------------------ errors */

int tp_store_failed(struct tp_store *store, const char *what)
{
    int code = store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM;

    if (code == SQLITE_FULL)
        return TP_FAIL(store->err, "%s: cannot write the profile: the disk is full", store->path);
    if (code == SQLITE_NOMEM)
        return TP_FAIL(store->err, "%s: out of memory", store->path);
    if ((code & 0xff) == SQLITE_IOERR) {
        int system = sqlite3_system_errno(store->db);
        return TP_FAIL(store->err, "%s: cannot write the profile: %s", store->path,
                       system ? strerror(system) : "input/output error");
    }
    return TP_FAIL(store->err, "%s: cannot write the profile: %s: %s", store->path, what,
                   store->db ? sqlite3_errmsg(store->db) : "out of memory");
}

int tp_store_sql(struct tp_store *store, const char *sql, const char *what)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : tp_store_failed(store, what);
}

int tp_progress_of(struct tp_store *store, const char *stage, uint64_t done, uint64_t total)
{
    if (store->options->progress && !store->options->progress(store->options->user, stage, done, total))
        return TP_GIVEN_UP(store->err);
    return 0;
}

/* ------------------------------------------------------------------------------------------ inserts */

static struct tp_table_place *place_of(struct tp_store *store, const char *table)
{
    for (int i = 0; i < store->places; i++) {
        if (strcmp(store->place[i].name, table) == 0)
            return &store->place[i];
    }
    return NULL;
}

static int open_bulk(struct tp_store *store, struct tp_insert *insert, const char *table)
{
    const struct tp_table_place *place = place_of(store, table);

    insert->columns = place->columns;
    insert->has_id = place->has_id;
    insert->bulk = malloc(sizeof *insert->bulk);
    if (tp_record_open(&insert->record, (size_t)insert->columns) || !insert->bulk)
        return TP_NO_MEMORY(store->err);
    tp_bulk_table(insert->bulk, place->root);
    for (size_t i = 0; i < TP_INDICES; i++) {
        insert->index[i].root = place->index[i].root;
        insert->index_column[i] = place->index[i].column;
    }
    return 0;
}

static int open_statement(struct tp_store *store, struct tp_insert *insert, const char *table)
{
    char *query = sqlite3_mprintf("SELECT count(*) FROM pragma_table_info(%Q)", table);
    sqlite3_stmt *count = NULL;

    if (query && sqlite3_prepare_v2(store->db, query, -1, &count, NULL) == SQLITE_OK)
        insert->columns = sqlite3_step(count) == SQLITE_ROW ? sqlite3_column_int(count, 0) : 0;
    sqlite3_finalize(count);
    sqlite3_free(query);
    sqlite3_str *sql = sqlite3_str_new(store->db);
    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(?", table);
    for (int i = 1; i < insert->columns; i++)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_prepare_v2(store->db, text, -1, &insert->statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    insert->bound = calloc((size_t)insert->columns + 1, sizeof *insert->bound);
    return code == SQLITE_OK && insert->bound ? 0 : tp_store_failed(store, table);
}

int tp_insert_open(struct tp_store *store, struct tp_insert *insert, const char *table)
{
    *insert = (struct tp_insert){0};
    return strncmp(table, "t_", 2) == 0 ? open_bulk(store, insert, table) : open_statement(store, insert, table);
}

static int bulk_failed(struct tp_store *store, int error)
{
    if (error == ENOSPC)
        return TP_FAIL(store->err, "%s: cannot write the profile: the disk is full", store->path);
    return TP_FAIL(store->err, "%s: cannot write the profile: %s", store->path, strerror(error));
}

int tp_insert_close(struct tp_store *store, struct tp_insert *insert, int failed)
{
    if (insert->bulk) {
        int error = tp_bulk_finish(&store->bulk, insert->bulk);
        for (size_t i = 0; i < TP_INDICES && insert->index[i].root; i++)
            error = tp_bulk_index(&store->bulk, &insert->index[i]);
        if (!failed && error)
            failed = bulk_failed(store, error);
    }
    sqlite3_finalize(insert->statement);
    tp_record_free(&insert->record);
    free(insert->bulk);
    free(insert->bound);
    *insert = (struct tp_insert){0};
    return failed ? -1 : 0;
}

/* The next column's value as it was bound for the row before, if there is a statement. */
static struct tp_bound *next_bound(struct tp_insert *insert)
{
    return &insert->bound[insert->next++];
}

static void note_key(struct tp_insert *insert, int64_t value)
{
    if (insert->next < TP_INDEXED)
        insert->first[insert->next] = value;
    insert->next++;
}

void tp_put_null(struct tp_insert *insert)
{
    if (insert->bulk) {
        note_key(insert, TP_NULL_KEY);
        tp_record_null(&insert->record);
        return;
    }
    struct tp_bound *bound = next_bound(insert);
    if (bound->type != TP_BOUND_NULL)
        sqlite3_bind_null(insert->statement, insert->next);
    bound->type = TP_BOUND_NULL;
}

/* The first integer of a row that has an id is that, and no part of the record. */
static void put_in_bulk(struct tp_insert *insert, int64_t value)
{
    if (insert->has_id && insert->next == 0) {
        insert->id = value;
        tp_record_null(&insert->record);
    } else {
        tp_record_integer(&insert->record, value);
    }
    note_key(insert, value);
}

void tp_put_integer(struct tp_insert *insert, int64_t value)
{
    if (insert->bulk) {
        put_in_bulk(insert, value);
        return;
    }
    struct tp_bound *bound = next_bound(insert);
    if (bound->type != TP_BOUND_INTEGER || bound->integer != value)
        sqlite3_bind_int64(insert->statement, insert->next, value);
    bound->type = TP_BOUND_INTEGER;
    bound->integer = value;
}

void tp_put_real(struct tp_insert *insert, double value)
{
    if (insert->bulk) {
        insert->next++;
        tp_record_real(&insert->record, value);
        return;
    }
    next_bound(insert)->type = TP_BOUND_REAL;
    sqlite3_bind_double(insert->statement, insert->next, value);
}

void tp_put_count(struct tp_insert *insert, uint64_t value)
{
    tp_put_integer(insert, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void tp_put_id(struct tp_insert *insert, uint32_t id)
{
    if (id)
        tp_put_integer(insert, id);
    else
        tp_put_null(insert);
}

void tp_put_text(struct tp_insert *insert, const char *text)
{
    if (!text) {
        tp_put_null(insert);
        return;
    }
    if (insert->bulk) {
        insert->next++;
        tp_record_text(&insert->record, text);
        return;
    }
    struct tp_bound *bound = next_bound(insert);
    if (bound->type != TP_BOUND_TEXT || bound->text != text)
        sqlite3_bind_text(insert->statement, insert->next, text, -1, SQLITE_STATIC);
    bound->type = TP_BOUND_TEXT;
    bound->text = text;
}

void tp_put_row(struct tp_insert *insert, const struct tp_events *events, const uint64_t *row, uint8_t can)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct tp_column *column = &events->column[i];
        if (row[i] == 0 && column->needs && !(column->needs & can))
            tp_put_null(insert);
        else if (column->real)
            tp_put_real(insert, (double)(int64_t)row[i] / TN_RAW_ACCOST_UNIT);
        else
            tp_put_integer(insert, (int64_t)row[i]);
    }
}

uint8_t tp_does(const struct tp_events *events, const uint64_t *row, uint8_t can)
{
    for (size_t i = 0; i < events->count; i++) {
        uint8_t needs = events->column[i].needs;
        if (row[i] && (needs == TP_CAN_READ || needs == TP_CAN_WRITE))
            can |= needs;
    }
    return can;
}

static int bulk_row(struct tp_store *store, struct tp_insert *insert)
{
    int64_t id = insert->id ? insert->id : insert->bulk->last + 1;
    int error = tp_bulk_row(&store->bulk, insert->bulk, id, &insert->record);

    for (size_t i = 0; !error && i < TP_INDICES && insert->index[i].root; i++) {
        struct tp_key *key = TP_VECTOR_ADD(&insert->index[i].keys);
        if (key)
            *key = (struct tp_key){insert->first[insert->index_column[i]], id};
        error = key ? 0 : tp_bulk_failed(&store->bulk, ENOMEM);
    }
    insert->id = 0;
    return error ? bulk_failed(store, error) : 0;
}

int tp_insert_row(struct tp_store *store, struct tp_insert *insert)
{
    insert->next = 0;
    if (insert->bulk)
        return bulk_row(store, insert);
    int code = sqlite3_step(insert->statement);
    sqlite3_reset(insert->statement);
    return code == SQLITE_DONE ? 0 : tp_store_failed(store, "insert");
}

/* ------------------------------------------------------------------------------------------ small tables */

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

/* ------------------------------------------------------------------------------------------ the file */

/* A new, empty file under the temporary name. SQLite's own message would name neither file nor reason. */
static int make_file(struct tp_store *store)
{
    struct stat status;
    if (stat(store->path, &status) == 0 && !S_ISREG(status.st_mode))
        return TP_FAIL(store->err, "%s: cannot write the profile: it is no ordinary file", store->path);
    if (!realpath(store->path, store->target))
        snprintf(store->target, sizeof store->target, "%s", store->path);
    store->temporary = sqlite3_mprintf("%s.%d.tmp", store->target, (int)getpid());
    if (!store->temporary)
        return TP_NO_MEMORY(store->err);
    FILE *file = fopen(store->temporary, "wxe");
    if (!file) {
        int failed = TP_FAIL(store->err, "%s: cannot write the profile: %s", store->path, strerror(errno));
        sqlite3_free(store->temporary); /* somebody else's, if it is there */
        store->temporary = NULL;
        return failed;
    }
    fclose(file);
    return 0;
}

static int open_database(struct tp_store *store)
{
    static const char settings[] = "PRAGMA journal_mode = OFF;"
                                   "PRAGMA synchronous = OFF;"
                                   "PRAGMA locking_mode = EXCLUSIVE;"
                                   "PRAGMA cache_size = -65536;"
                                   "PRAGMA temp_store = MEMORY;"
                                   "BEGIN";

    if (sqlite3_open_v2(store->temporary, &store->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return tp_store_failed(store, "open");
    return tp_store_sql(store, settings, "settings");
}

static int close_database(struct tp_store *store)
{
    if (tp_store_sql(store, "COMMIT", "commit"))
        return -1;
    if (sqlite3_close(store->db) != SQLITE_OK)
        return tp_store_failed(store, "close");
    store->db = NULL;
    return 0;
}

static int each_row(struct tp_store *store, const char *sql, void (*take)(struct tp_store *store, sqlite3_stmt *row))
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        take(store, statement);
    if (code == SQLITE_OK)
        code = sqlite3_finalize(statement);
    return code == SQLITE_OK ? 0 : tp_store_failed(store, "tables");
}

static void take_table(struct tp_store *store, sqlite3_stmt *row)
{
    if (store->places == sizeof store->place / sizeof *store->place)
        return;
    struct tp_table_place *place = &store->place[store->places++];
    snprintf(place->name, sizeof place->name, "%s", tp_text(row, 0));
    place->root = (uint32_t)sqlite3_column_int64(row, 1);
    place->columns = sqlite3_column_int(row, 2);
    place->has_id = sqlite3_column_int(row, 3) != 0;
}

static void take_index(struct tp_store *store, sqlite3_stmt *row)
{
    struct tp_table_place *place = place_of(store, tp_text(row, 0));

    for (size_t i = 0; place && i < TP_INDICES; i++) {
        if (place->index[i].root)
            continue;
        place->index[i].root = (uint32_t)sqlite3_column_int64(row, 1);
        place->index[i].column = sqlite3_column_int(row, 2);
        return;
    }
}

/* Where SQLite put the empty tables that are to be filled in bulk, and their indices. */
static int find_places(struct tp_store *store)
{
    return each_row(store,
                    "SELECT name, rootpage, (SELECT count(*) FROM pragma_table_info(m.name)), "
                    "(SELECT sum(pk) FROM pragma_table_info(m.name)) FROM sqlite_schema m "
                    "WHERE type = 'table' AND name LIKE 't\\_%' ESCAPE '\\'", take_table) ||
           each_row(store,
                    "SELECT tbl_name, rootpage, (SELECT cid FROM pragma_index_info(m.name)) FROM sqlite_schema m "
                    "WHERE type = 'index' AND sql IS NOT NULL", take_index);
}

/* The empty tables. */
static int write_schema(struct tp_store *store)
{
    char settings[160];

    if (sqlite3_open_v2(store->temporary, &store->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return tp_store_failed(store, "open");
    snprintf(settings, sizeof settings,
             "PRAGMA page_size = %d; PRAGMA auto_vacuum = NONE; PRAGMA user_version = %d; PRAGMA application_id = %d; "
             "PRAGMA journal_mode = OFF; BEGIN", TP_PAGE, TP_SCHEMA_VERSION, TP_APPLICATION_ID);
    return tp_store_sql(store, settings, "settings") || tp_store_tables(store) || find_places(store) ||
           close_database(store);
}

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

static int in_bulk(struct tp_store *store, tp_store_part *large, void *user)
{
    int error = tp_bulk_open(&store->bulk, store->temporary);
    int failed = error ? bulk_failed(store, error) : large(store, user);

    error = tp_bulk_close(&store->bulk);
    return failed ? -1 : error ? bulk_failed(store, error) : 0;
}

static int write_file(struct tp_store *store, tp_store_part *large, tp_store_part *rest, void *user)
{
    struct stat before;

    if (make_file(store) || write_schema(store) || in_bulk(store, large, user) || open_database(store) ||
        tp_store_events(store) || rest(store, user) || tp_store_views(store) || close_database(store) ||
        tp_sound(store->err))
        return -1;
    if (stat(store->target, &before) == 0)
        chmod(store->temporary, before.st_mode & 0777); /* who could not read the old one cannot read the new one */
    if (rename(store->temporary, store->target))
        return TP_FAIL(store->err, "%s: cannot write the profile: %s", store->path, strerror(errno));
    return 0;
}

int tp_store_make(struct tp_store *store, tp_store_part *large, tp_store_part *rest, void *user)
{
    int failed = write_file(store, large, rest, user);

    if (failed) {
        sqlite3_close_v2(store->db);
        if (store->temporary)
            unlink(store->temporary);
    }
    sqlite3_free(store->temporary);
    return failed;
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
