/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_insert.c: rows into the profile's tables, and what is said when that fails.
 *
 * A table t_* is filled page by page (bulk.h), any other by a prepared INSERT. Callers do not see which: they open a
 * table, put a value for each column, end the row, and close the table.
 */
#include "profile/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"

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

/* ------------------------------------------------------------------------------------------ rows by key */

const struct tp_cost_row *tp_cost_row_find(const struct tp_cost_rows *rows, uint64_t key)
{
    uint32_t index = tp_idmap_find(&rows->map, key);

    return index == TP_NOT_FOUND ? NULL : &rows->list.at[index];
}

struct tp_cost_row *tp_cost_row(struct tp_cost_rows *rows, uint64_t key)
{
    struct tp_cost_row *row = (struct tp_cost_row *)tp_cost_row_find(rows, key);

    if (row)
        return row;
    uint64_t *cost = tp_arena_alloc(&rows->arena, rows->width * sizeof *cost);
    if (!cost || !TP_VECTOR_PUSH(&rows->list, (struct tp_cost_row){.key = key, .cost = cost}) ||
        tp_idmap_add(&rows->map, key, (uint32_t)rows->list.count - 1))
        return NULL;
    return &rows->list.at[rows->list.count - 1];
}

int tp_cost_rows_add_data(struct tp_cost_rows *rows, const struct tp_events *events, const struct tp_instr *instr)
{
    for (const struct tp_blob *blob = instr->costs; blob; blob = blob->next) {
        struct tp_cost_row *row = blob->data ? tp_cost_row(rows, blob->data) : NULL;
        if (row) {
            tp_blob_add(events, blob, row->cost, NULL);
            row->can |= instr->can;
        } else if (blob->data) {
            return -1;
        }
    }
    return 0;
}

static int cost_rows_by_key(const void *a, const void *b)
{
    return TP_COMPARE(((const struct tp_cost_row *)a)->key, ((const struct tp_cost_row *)b)->key);
}

void tp_cost_rows_sort(struct tp_cost_rows *rows)
{
    if (rows->list.count > 1)
        qsort(rows->list.at, rows->list.count, sizeof *rows->list.at, cost_rows_by_key);
}

void tp_cost_rows_clear(struct tp_cost_rows *rows)
{
    rows->list.count = 0;
    tp_idmap_clear(&rows->map);
    tp_arena_clear(&rows->arena);
}

void tp_cost_rows_free(struct tp_cost_rows *rows)
{
    TP_VECTOR_FREE(&rows->list);
    tp_idmap_free(&rows->map);
    tp_arena_free(&rows->arena);
}

/* ------------------------------------------------------------------------------------------ inserts */

struct tp_table_place *tp_table_place(struct tp_store *store, const char *table)
{
    for (int i = 0; i < store->places; i++) {
        if (strcmp(store->place[i].name, table) == 0)
            return &store->place[i];
    }
    return NULL;
}

static int open_bulk(struct tp_store *store, struct tp_insert *insert, const char *table)
{
    const struct tp_table_place *place = tp_table_place(store, table);

    insert->has_id = place->has_id;
    insert->bulk = malloc(sizeof *insert->bulk);
    if (insert->bulk)
        tp_bulk_table(insert->bulk, place->root); /* closing it looks at it, whatever else fails */
    if (tp_record_open(&insert->record, insert->columns, insert->stored) || !insert->bulk)
        return TP_NO_MEMORY(store->err);
    for (size_t i = 0; i < TP_INDICES; i++) {
        insert->index[i].root = place->index[i].root;
        insert->index_column[i] = insert->stored[place->index[i].column].put;
    }
    return 0;
}

static int open_statement(struct tp_store *store, struct tp_insert *insert, const char *table)
{
    sqlite3_str *sql = sqlite3_str_new(store->db);

    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(?", table);
    for (size_t i = 1; i < insert->columns; i++)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_prepare_v2(store->db, text, -1, &insert->statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code == SQLITE_OK ? 0 : tp_store_failed(store, table);
}

int tp_insert_open(struct tp_store *store, struct tp_insert *insert, const char *table)
{
    size_t count;
    const struct tp_table *schema = tp_schema_tables(&count);

    while (strcmp(schema->name, table) != 0)
        schema++;
    *insert = (struct tp_insert){.stored = malloc(TP_STORED * sizeof *insert->stored)};
    if (!insert->stored)
        return TP_NO_MEMORY(store->err);
    insert->columns = tp_schema_stored(schema, &store->rec->events, insert->stored);
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
    free(insert->stored);
    free(insert->bulk);
    *insert = (struct tp_insert){0};
    return failed ? -1 : 0;
}

/* A value for the next column of a row in bulk, which is a key if the column has an index. */
static void note_key(struct tp_insert *insert, int64_t value)
{
    if (insert->next < TP_INDEXED)
        insert->first[insert->next] = value;
    insert->next++;
}

void tp_put_null(struct tp_insert *insert)
{
    if (!insert->bulk) {
        sqlite3_bind_null(insert->statement, ++insert->next);
        return;
    }
    note_key(insert, TP_NULL_KEY);
    tp_record_null(&insert->record);
}

/* In bulk the first integer of a row that has an id is that, and no part of the record. */
void tp_put_integer(struct tp_insert *insert, int64_t value)
{
    if (!insert->bulk) {
        sqlite3_bind_int64(insert->statement, ++insert->next, value);
        return;
    }
    if (insert->has_id && insert->next == 0) {
        insert->id = value;
        tp_record_null(&insert->record);
    } else {
        tp_record_integer(&insert->record, value);
    }
    note_key(insert, value);
}

void tp_put_real(struct tp_insert *insert, double value)
{
    insert->next++;
    if (insert->bulk)
        tp_record_real(&insert->record, value);
    else
        sqlite3_bind_double(insert->statement, insert->next, value);
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
    insert->next++;
    if (insert->bulk)
        tp_record_text(&insert->record, text);
    else
        sqlite3_bind_text(insert->statement, insert->next, text, -1, SQLITE_STATIC);
}

void tp_put_values(struct tp_insert *insert, const struct tp_value *value, size_t count)
{
    for (const struct tp_value *end = value + count; value < end; value++) {
        if (value->type == TP_VALUE_INTEGER)
            tp_put_integer(insert, value->integer);
        else if (value->type == TP_VALUE_TEXT)
            tp_put_text(insert, value->text);
        else
            tp_put_null(insert);
    }
}

void tp_put_row(struct tp_insert *insert, const struct tp_events *events, const uint64_t *row, uint8_t can)
{
    for (size_t i = 0; i < tp_events_shown(events); i++) {
        const struct tp_column *column = &events->column[i];
        if (row[i] == 0 && column->needs && !(column->needs & can))
            tp_put_null(insert);
        else if (column->real)
            tp_put_real(insert, (double)(int64_t)row[i] / TN_RAW_ACCOST_UNIT);
        else
            tp_put_integer(insert, (int64_t)row[i]);
    }
}

void tp_put_self_and_incl(struct tp_insert *insert, const struct tp_events *events, const struct tp_cost_row *row)
{
    tp_put_row(insert, events, row->cost, row->can);
    tp_put_row(insert, events, row->cost + events->count, row->can_below);
}

void tp_kept_least(const struct tp_store *store, uint64_t parts, uint64_t *least)
{
    const struct tp_recording *rec = store->rec;

    memset(least, 0, rec->events.count * sizeof *least);
    for (size_t i = 0; i < rec->parts.count; i++)
        tp_add_row(&rec->events, least, rec->parts.at[i].self);
    for (size_t i = 0; i < rec->events.count; i++)
        least[i] /= parts;
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

int tp_insert_row(struct tp_store *store, struct tp_insert *insert)
{
    insert->next = 0;
    if (insert->bulk) {
        int64_t id = insert->id ? insert->id : insert->bulk->last + 1;
        int error = tp_bulk_row(&store->bulk, insert->bulk, id, &insert->record);
        for (size_t i = 0; !error && i < TP_INDICES && insert->index[i].root; i++) {
            if (!TP_VECTOR_PUSH(&insert->index[i].keys, (struct tp_key){insert->first[insert->index_column[i]], id}))
                error = tp_bulk_failed(&store->bulk, ENOMEM);
        }
        insert->id = 0;
        return error ? bulk_failed(store, error) : 0;
    }
    int code = sqlite3_step(insert->statement);
    sqlite3_reset(insert->statement);
    return code == SQLITE_DONE ? 0 : tp_store_failed(store, "insert");
}

/* The events of a group, of a row that has all groups. False: they are all 0. */
static bool group_of_row(const struct tp_events *events, const uint64_t *row, size_t group, uint64_t *out)
{
    bool any = false;

    for (size_t i = 0; i < tp_events_shown(events); i++) {
        out[i] = row && events->groups_of[i] ? row[events->groups_of[i] + group] : 0;
        any |= out[i] != 0;
    }
    return any;
}

int tp_insert_groups(struct tp_store *store, struct tp_insert *insert, int64_t id, const uint64_t *self,
                     const uint64_t *incl, uint8_t can, uint8_t can_below)
{
    const struct tp_events *events = &store->rec->events;

    for (size_t group = 0; events->groups > 1 && group < events->groups; group++) {
        uint64_t own[TP_MAX_EVENTS], all[TP_MAX_EVENTS];
        bool any = group_of_row(events, self, group, own);
        any |= group_of_row(events, incl, group, all);
        if (!any)
            continue;
        if (id)
            tp_put_integer(insert, id);
        tp_put_integer(insert, (int64_t)group + 1);
        if (self)
            tp_put_row(insert, events, own, can);
        if (incl)
            tp_put_row(insert, events, all, can_below);
        if (tp_insert_row(store, insert))
            return -1;
    }
    return 0;
}

int tp_insert_all(struct tp_store *store, const char *table, size_t count, tp_write *write, void *user)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, table);

    insert.user = user;
    for (size_t i = 0; !failed && i < count; i++)
        failed = write(store, &insert, i);
    return tp_insert_close(store, &insert, failed);
}

int tp_store_in_bulk(struct tp_store *store, tp_store_part *large, void *user)
{
    int error = tp_bulk_open(&store->bulk, store->temporary);
    int failed = error ? bulk_failed(store, error) : large(store, user);

    error = tp_bulk_close(&store->bulk);
    return failed ? -1 : error ? bulk_failed(store, error) : 0;
}
