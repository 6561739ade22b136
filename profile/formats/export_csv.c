/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_csv.c: a table or view as comma-separated values (RFC 4180).
 *
 * A header row, lines end in CR LF, NULL is an empty field. A choice of events leaves the other events' columns
 * out and all other columns in.
 */
#include <string.h>
#include <strings.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"

static void write_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* The event that a column belongs to, self or inclusive; NULL for a column that is none. */
static const struct tp_event *event_of(const tp_profile *profile, const char *column)
{
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        size_t n = strlen(event->name);
        if (strncasecmp(column, event->name, n) == 0 && (!column[n] || strcmp(column + n, "_incl") == 0))
            return event;
    }
    return NULL;
}

static bool wanted(const tp_profile *profile, const struct tp_choice *choice, const char *column)
{
    const struct tp_event *event = event_of(profile, column);
    bool found = !event;

    for (size_t i = 0; i < choice->count && !found; i++)
        found = choice->event[i] == event;
    return found;
}

/* SELECT of the wanted columns, and the header row with their names. */
static char *query_and_header(tp_profile *profile, FILE *out, const char *table,
                              const struct tp_choice *choice, struct tp_error *err)
{
    sqlite3_stmt *columns =
        tp_query(profile, sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table), err);
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));
    size_t n = 0;
    int more = -1;

    while (columns && (more = tp_row(profile, columns, err)) == 1) {
        const char *name = tp_text(columns, 0);
        if (!wanted(profile, choice, name))
            continue;
        sqlite3_str_appendf(sql, "%s\"%w\"", n ? ", " : "SELECT ", name);
        fputs(n++ ? "," : "", out);
        write_field(out, name);
    }
    sqlite3_finalize(columns);
    fputs(n ? "\r\n" : "", out);
    sqlite3_str_appendf(sql, " FROM \"%w\"", table);
    char *text = sqlite3_str_finish(sql);
    if (more == 0 && n)
        return text;
    if (more == 0)
        TP_FAIL(err,
                "%s: no table or view '%s'; try functions, lines, instructions, arcs, paths, inlined, "
                "statements, loops, data_objects, data_fields, totals",
                tp_path(profile), table);
    sqlite3_free(text);
    return NULL;
}

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
        break;
    default:
        write_field(out, tp_text(statement, column));
        break;
    }
}

int tp_export_csv(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                  struct tp_error *err)
{
    const char *table = options->table ? options->table : "functions";
    struct tp_choice choice;
    int more = -1;

    if (tp_choose(profile, options->events ? options->events : "all", &choice, err))
        return -1;
    char *sql = query_and_header(profile, out, table, &choice, err);
    sqlite3_stmt *rows = sql ? tp_query(profile, sql, err) : NULL;
    while (rows && (more = tp_row(profile, rows, err)) == 1) {
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            fputs(i ? "," : "", out);
            write_value(out, rows, i);
        }
        fputs("\r\n", out);
    }
    sqlite3_finalize(rows);
    return more ? -1 : tp_written(out, err);
}
