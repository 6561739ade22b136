/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_statements.c: see html_statements.h. A loop costs at least what the loops in it cost, inclusively, so that the
 * loops around one that is shown are shown.
 */
#include "profile/html/html_statements.h"

#include "profile/base/error.h"
#include "profile/html/html_data.h"

static char *accesses_sql(tp_profile *profile, bool sides)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS temp.page_accesses;"
                               "CREATE TEMP TABLE page_accesses AS SELECT s.file_id, s.first_line, s.line,"
                               " t.access = 'store' AS store,"
                               " CASE t.type WHEN 'floating' THEN 1 WHEN 'integer' THEN 0 END AS floating");
    tp_html_add_sums(profile, sql, "t", "");
    if (sides) {
        tp_html_add_sums(profile, sql, "b", "@before");
        tp_html_add_sums(profile, sql, "a", "@after");
    }
    sqlite3_str_appendf(sql,
                        " FROM main.t_statement_accesses t%s JOIN main.t_statements s ON s.id = t.statement_id"
                        " WHERE s.file_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5;",
                        sides ? " JOIN before.t_statement_accesses b ON b.rowid = t.rowid"
                                " JOIN after.t_statement_accesses a ON a.rowid = t.rowid"
                              : "");
    return sqlite3_str_finish(sql);
}

static char *loops_sql(tp_profile *profile)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendf(sql, "PRAGMA temp_store = MEMORY;"
                             "DROP TABLE IF EXISTS temp.page_statements;"
                             "CREATE TEMP TABLE page_statements AS SELECT DISTINCT file_id, first_line, line"
                             " FROM main.t_statements WHERE file_id IS NOT NULL;"
                             "DROP TABLE IF EXISTS temp.page_loops;"
                             "CREATE TEMP TABLE page_loops(id INTEGER PRIMARY KEY);"
                             "INSERT INTO temp.page_loops SELECT id FROM main.t_loops"
                             " WHERE (SELECT count(*) FROM main.t_loops) <= %d", TP_HTML_LOOPS);
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql, " OR abs(\"%w_incl\") * %d.0 > (SELECT abs(\"%w\") FROM t_totals)", event->name,
                                TP_HTML_LOOP_SHARE, event->name);
    }
    return sqlite3_str_finish(sql);
}

static int run(tp_profile *profile, char *sql, struct tp_error *err)
{
    int code = sql ? sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    return code != SQLITE_OK ? tp_sql_failed(profile, "cannot gather statements", err) : 0;
}

int tp_html_gather_statements(tp_profile *profile, bool sides, struct tp_error *err)
{
    return run(profile, loops_sql(profile), err) || run(profile, accesses_sql(profile, sides), err) ||
                   tp_html_leave_out_small(profile, "page_accesses", err)
               ? -1
               : 0;
}
