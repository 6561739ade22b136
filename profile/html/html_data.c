/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_data.c: see html_data.h.
 *
 * A step of an allocation path has a name and the place that called it, no function. The function is the one in which
 * the call to the next step is made; of a path's last step, which calls nothing, the first one of that name.
 */
#include "profile/html/html_data.h"

#include "profile/base/error.h"
#include "profile/formats/export.h"

void tp_html_add_sums(tp_profile *profile, sqlite3_str *sql, const char *schema, const char *behind)
{
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql, ", sum(%s.\"%w\") AS \"%w%s\"", schema, event->name, event->name, behind);
    }
}

static char *lines_sql(tp_profile *profile, bool sides)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendall(sql, "PRAGMA temp_store = MEMORY;"
                               "DROP TABLE IF EXISTS temp.page_data_lines;"
                               "CREATE TEMP TABLE page_data_lines AS"
                               " SELECT s.data_id, i.function_id, i.file_id, i.line");
    tp_html_add_sums(profile, sql, "s", "");
    if (sides) {
        tp_html_add_sums(profile, sql, "b", "@before");
        tp_html_add_sums(profile, sql, "a", "@after");
    }
    sqlite3_str_appendf(sql, " FROM main.t_instruction_data s%s"
                             " LEFT JOIN main.t_instructions i ON i.id = s.instruction_id"
                             " GROUP BY s.data_id, i.file_id, i.line, i.function_id;",
                        sides ? " JOIN before.t_instruction_data b ON b.rowid = s.rowid"
                                " JOIN after.t_instruction_data a ON a.rowid = s.rowid"
                              : "");
    return sqlite3_str_finish(sql);
}

/* Rows that are not worth their bytes, where there are many. */
static char *small_sql(tp_profile *profile, const char *table)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendf(sql, "DELETE FROM temp.%w WHERE (SELECT count(*) FROM temp.%w) > %d", table, table,
                        TP_HTML_DATA_LINES);
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql,
                                " AND abs(ifnull(\"%w\", 0)) * %d.0 <= (SELECT abs(ifnull(\"%w\", 0)) FROM t_totals)",
                                event->name, TP_HTML_DATA_SHARE, event->name);
    }
    return sqlite3_str_finish(sql);
}

int tp_html_leave_out_small(tp_profile *profile, const char *table, struct tp_error *err)
{
    char *sql = small_sql(profile, table);
    int failed = !sql ? TP_NO_MEMORY(err)
                      : sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) != SQLITE_OK
                            ? tp_sql_failed(profile, "cannot gather costs", err)
                            : 0;

    sqlite3_free(sql);
    return failed;
}

static const char paths_sql[] =
    "DROP TABLE IF EXISTS temp.page_data_paths;"
    "CREATE TEMP TABLE page_data_paths AS WITH calling AS ("
    "SELECT p.id, min(n.id) AS function_id FROM t_data_paths c JOIN t_data_paths p ON p.id = c.parent"
    " JOIN t_instructions i ON i.id = c.site_id JOIN t_functions n ON n.id = i.function_id AND n.base = p.function"
    " GROUP BY p.id), found AS ("
    "SELECT p.id, p.parent, p.function, p.file_id, p.line, i.inlined_id,"
    " coalesce(c.function_id, (SELECT min(id) FROM t_functions WHERE function = p.function)) AS function_id"
    " FROM t_data_paths p LEFT JOIN calling c ON c.id = p.id LEFT JOIN t_instructions i ON i.id = p.site_id) "
    "SELECT p.id, p.parent, p.function_id, nullif(p.function, n.function) AS function, p.file_id, p.line, p.inlined_id"
    " FROM found p LEFT JOIN t_functions n ON n.id = p.function_id;";

/* Objects whose fields are shown: all, or where there are many those that cost enough. */
static char *inside_sql(tp_profile *profile)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendf(sql,
                        "DROP TABLE IF EXISTS temp.page_inside;"
                        "CREATE TEMP TABLE page_inside(data_id INTEGER PRIMARY KEY);"
                        "INSERT INTO temp.page_inside SELECT id FROM main.t_data WHERE"
                        " (SELECT count(*) FROM main.t_data_fields) <= %d",
                        TP_HTML_FIELDS);
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql, " OR abs(\"%w\") * %d.0 > (SELECT abs(\"%w\") FROM main.t_totals)", event->name,
                                TP_HTML_INSIDE_SHARE, event->name);
    }
    return sqlite3_str_finish(sql);
}

static int run(tp_profile *profile, const char *sql, struct tp_error *err)
{
    if (!sql)
        return TP_NO_MEMORY(err);
    if (sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot gather data structures", err);
    return 0;
}

int tp_html_gather_data(tp_profile *profile, bool sides, struct tp_error *err)
{
    char *lines = lines_sql(profile, sides), *inside = inside_sql(profile);
    int failed = run(profile, lines, err) || run(profile, inside, err) ||
                 tp_html_leave_out_small(profile, "page_data_lines", err) || run(profile, paths_sql, err);

    sqlite3_free(lines);
    sqlite3_free(inside);
    return failed ? -1 : 0;
}
