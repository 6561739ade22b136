/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.c: a thin layer over SQLite's statements. An error is printed once, where it happens, and remembered,
 * so that callers test only at the end.
 */
#include "cli/base/query.h"

#include "cli/base/term.h"
#include "profile/base/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void failed(struct query *q, const char *what)
{
    struct tp_error err = {0};

    tp_sql_failed(q->profile, what, &err);
    term_error("%s", err.message);
    q->failed = true;
}

bool query_begin(struct query *q, tp_profile *profile, const char *format, ...)
{
    va_list args;

    q->profile = profile;
    q->statement = NULL;
    q->failed = false;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    if (sql == NULL || sqlite3_prepare_v2(tp_db(profile), sql, -1, &q->statement, NULL) != SQLITE_OK)
        failed(q, "reading");
    sqlite3_free(sql);
    return !q->failed;
}

void query_bind_text(struct query *q, int parameter, const char *text)
{
    sqlite3_bind_text(q->statement, parameter, text, -1, SQLITE_TRANSIENT);
}

bool query_row(struct query *q)
{
    int status = q->statement == NULL ? SQLITE_DONE : sqlite3_step(q->statement);

    if (status != SQLITE_ROW && status != SQLITE_DONE)
        failed(q, "reading");
    return status == SQLITE_ROW;
}

bool query_end(struct query *q)
{
    sqlite3_finalize(q->statement);
    q->statement = NULL;
    return !q->failed;
}

const char *query_text(struct query *q, int i)
{
    return tp_text(q->statement, i);
}

int64_t query_int(struct query *q, int i)
{
    return sqlite3_column_int64(q->statement, i);
}

double query_real(struct query *q, int i)
{
    return sqlite3_column_double(q->statement, i);
}

bool query_null(struct query *q, int i)
{
    return sqlite3_column_type(q->statement, i) == SQLITE_NULL;
}

void query_cell(struct table *table, sqlite3_stmt *row, int i)
{
    switch (sqlite3_column_type(row, i)) {
    case SQLITE_INTEGER:
        table_count(table, sqlite3_column_int64(row, i));
        break;
    case SQLITE_FLOAT:
        table_number(table, sqlite3_column_double(row, i));
        break;
    default:
        table_text(table, tp_text_or_null(row, i));
    }
}

double query_value(tp_profile *profile, const char *sql, double otherwise)
{
    struct query q;
    double value = otherwise;

    if (query_begin(&q, profile, "%s", sql) && query_row(&q) && !query_null(&q, 0))
        value = query_real(&q, 0);
    query_end(&q);
    return value;
}

bool query_was_off(tp_profile *profile, const char *option)
{
    const char *value = tp_meta(profile, option);

    return value != NULL && (strcmp(value, "no") == 0 || strcmp(value, "none") == 0);
}

void query_json(struct query *q, int i, struct tp_json *json)
{
    const char *name = tp_column_name(q->statement, i);

    if (query_null(q, i) || sqlite3_column_type(q->statement, i) == SQLITE_TEXT)
        tp_json_text(json, name, tp_text_or_null(q->statement, i));
    else if (sqlite3_column_type(q->statement, i) == SQLITE_INTEGER)
        tp_json_integer(json, name, query_int(q, i));
    else
        tp_json_figure(json, name, query_real(q, i));
}

void query_json_head(tp_profile *profile, struct tp_json *json, const char *format, const char *file)
{
    struct query q;

    json->out = stdout;
    tp_json_begin(json, NULL, '{', ", ");
    tp_json_text(json, "format", format);
    tp_json_integer(json, "version", 1);
    tp_json_text(json, "file", file);
    json->open[0].between = ",\n"; /* of what follows each on a line of its own */
    tp_json_begin(json, "meta", '{', ", ");
    query_begin(&q, profile, "SELECT key, value FROM meta ORDER BY key");
    while (query_row(&q))
        tp_json_text(json, query_text(&q, 0), query_text(&q, 1));
    query_end(&q);
    tp_json_end(json);
}

const char *query_library(void)
{
    return sqlite3_libversion();
}
