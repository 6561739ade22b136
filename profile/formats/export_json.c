/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_json.c: totals, functions, calls, data structures and their fields for scripts.
 *
 *     {"format": "tenure", "version": 1,
 *      "meta": {...}, "events": [{"name": ..., "long_name": ...}, ...],
 *      "totals": {...}, "threads": [{...}], "functions": [{...}], "arcs": [{...}],
 *      "data_objects": [{...}], "data_fields": [{...}]}
 *
 * Objects of functions, arcs, data structures and fields have the columns of the views, with the chosen events (fields:
 * with those that are counted by field); an event that cannot occur is null. Integers are written in full: some
 * readers keep 53 bits of them.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"
#include "profile/store/store.h"

static void write_value(FILE *out, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        tp_write_real(out, sqlite3_column_double(statement, column));
        break;
    case SQLITE_NULL:
        fputs("null", out);
        break;
    default:
        tp_write_json_text(out, tp_text(statement, column));
        break;
    }
}

static void write_object(FILE *out, sqlite3_stmt *row)
{
    putc('{', out);
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        fputs(i ? ", " : "", out);
        tp_write_json_text(out, tp_column_name(row, i));
        fputs(": ", out);
        write_value(out, row, i);
    }
    putc('}', out);
}

/* "name": [row, row, ...], or the first row alone. */
static int write_rows(tp_profile *profile, FILE *out, const char *name, bool array, char *sql,
                      struct tp_error *err)
{
    sqlite3_stmt *rows = tp_query(profile, sql, err);
    size_t n = 0;
    int more = -1;

    fprintf(out, ",\n\"%s\": %s", name, array ? "[" : "");
    while (rows && (more = tp_row(profile, rows, err)) == 1) {
        if (!array && n)
            continue;
        fputs(n++ ? ",\n  " : array ? "\n  " : "", out);
        write_object(out, rows);
    }
    fputs(array ? "]" : "", out);
    sqlite3_finalize(rows);
    return more;
}

static int write_meta(tp_profile *profile, FILE *out, struct tp_error *err)
{
    sqlite3_stmt *rows = tp_query(profile, sqlite3_mprintf("SELECT key, value FROM meta ORDER BY key"), err);
    size_t n = 0;
    int more = -1;

    fputs(",\n\"meta\": {", out);
    while (rows && (more = tp_row(profile, rows, err)) == 1) {
        fputs(n++ ? ",\n  " : "\n  ", out);
        tp_write_json_text(out, tp_text(rows, 0));
        fputs(": ", out);
        write_value(out, rows, 1);
    }
    fputs("}", out);
    sqlite3_finalize(rows);
    return more;
}

static char *query(tp_profile *profile, const char *columns, const struct tp_choice *choice, bool self,
                   bool incl, const char *rest)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));
    const char *comma = *columns ? ", " : "";

    sqlite3_str_appendf(sql, "SELECT %s", columns);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; (round ? incl : self) && i < choice->count; i++) {
            sqlite3_str_appendf(sql, "%s\"%w%s\"", comma, choice->event[i]->name, round ? "_incl" : "");
            comma = ", ";
        }
    }
    sqlite3_str_appendf(sql, " %s", rest);
    return sqlite3_str_finish(sql);
}

/* Threads keep the events that were recorded, not the derived ones. */
static void only_recorded(struct tp_choice *to, const struct tp_choice *from)
{
    to->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        if (!from->event[i]->derived)
            to->event[to->count++] = from->event[i];
    }
}

/* Fields keep what is told apart by field. */
static void only_by_field(struct tp_choice *to, const struct tp_choice *from)
{
    static const char *const by_field[] = {"D1mr", "D1mw", "DLmr", "DLmw", "UseD1", "SpLossD1", "UseL", "SpLossL"};

    to->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        for (size_t k = 0; k < sizeof by_field / sizeof *by_field; k++) {
            if (strcmp(from->event[i]->name, by_field[k]) == 0)
                to->event[to->count++] = from->event[i];
        }
    }
}

int tp_export_json(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                   struct tp_error *err)
{
    struct tp_choice choice, recorded, by_field;

    if (tp_choose(profile, options->events ? options->events : "all", &choice, err))
        return -1;
    only_recorded(&recorded, &choice);
    only_by_field(&by_field, &choice);
    fprintf(out, "{\"format\": \"tenure\", \"version\": %d", TP_SCHEMA_VERSION);
    int failed =
        write_meta(profile, out, err) ||
        write_rows(profile, out, "events", true,
                   sqlite3_mprintf("SELECT name, long_name, derived, formula FROM events ORDER BY rowid"),
                   err) ||
        write_rows(profile, out, "totals", false, query(profile, "", &choice, true, false, "FROM totals"),
                   err) ||
        write_rows(profile, out, "threads", true,
                   query(profile, "id, os_id, parent", &recorded, true, false, "FROM threads ORDER BY id"),
                   err) ||
        write_rows(profile, out, "functions", true,
                   query(profile, "id, function, base, context, object, file, line, calls", &choice, true, true,
                         "FROM functions ORDER BY id"),
                   err) ||
        write_rows(profile, out, "arcs", true,
                   query(profile, "caller_id, callee_id, caller, callee, calls, file, line", &choice, false,
                         true, "FROM arcs ORDER BY id"),
                   err) ||
        write_rows(profile, out, "data_objects", true,
                   query(profile, "id, name, kind, allocator, function, file, line, symbol, path, thread, address, "
                         "size, blocks, freed, bytes, largest, element, type", &choice, true, false,
                         "FROM data_objects ORDER BY id"),
                   err) ||
        write_rows(profile, out, "data_fields", true,
                   query(profile, "data_id, data, kind, field, type, offset, size", &by_field, true, false,
                         "FROM data_fields ORDER BY id"),
                   err) ||
        write_rows(profile, out, "statements", true,
                   query(profile, "id, file, first_line, line, function, object", &choice, true, false,
                         "FROM statements ORDER BY id"),
                   err) ||
        write_rows(profile, out, "statement_accesses", true,
                   query(profile, "statement_id, access, type", &choice, true, false,
                         "FROM statement_accesses ORDER BY statement_id, access, type"),
                   err) ||
        write_rows(profile, out, "loops", true,
                   query(profile, "id, parent, function_id, function, inlined, file, line, last_line, depth, "
                         "iterations, entries, trip_count, estimate", &choice, true, true, "FROM loops ORDER BY id"),
                   err);
    fputs("}\n", out);
    return failed ? -1 : tp_written(out, err);
}
