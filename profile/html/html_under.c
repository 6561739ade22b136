/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_under.c: see html_under.h. The rows are those of t_function_data as they are: a function that is called by
 * another has what it costs in both, so that nothing may be added up.
 */
#include "profile/html/html_under.h"

#include "profile/base/error.h"
#include "profile/formats/export.h"

static void add_events(tp_profile *profile, sqlite3_str *sql, const char *schema, const char *behind)
{
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql, ", %s.\"%w_incl\" AS \"%w_incl%s\"", schema, event->name, event->name, behind);
    }
}

/* What is worth its bytes. */
static void add_share(tp_profile *profile, sqlite3_str *sql)
{
    sqlite3_str_appendf(sql, " WHERE (SELECT pairs FROM temp.page_under_sums) <= %d", TP_HTML_UNDER);
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql, " OR abs(t.\"%w_incl\") * %d.0 > (SELECT abs(\"%w\") FROM main.t_totals)",
                                event->name, TP_HTML_UNDER_SHARE, event->name);
    }
}

static char *under_sql(tp_profile *profile, bool sides)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendall(sql, "PRAGMA temp_store = MEMORY;"
                               "DROP TABLE IF EXISTS temp.page_under_sums;"
                               "CREATE TEMP TABLE page_under_sums AS"
                               " SELECT count(*) AS pairs FROM main.t_function_data;"
                               "DROP TABLE IF EXISTS temp.page_under;"
                               "CREATE TEMP TABLE page_under AS SELECT t.function_id, t.data_id");
    add_events(profile, sql, "t", "");
    if (sides) {
        add_events(profile, sql, "b", "@before");
        add_events(profile, sql, "a", "@after");
    }
    sqlite3_str_appendf(sql, " FROM main.t_function_data t%s",
                        sides ? " JOIN before.t_function_data b ON b.rowid = t.rowid"
                                " JOIN after.t_function_data a ON a.rowid = t.rowid"
                              : "");
    add_share(profile, sql);
    sqlite3_str_appendall(sql, ";");
    return sqlite3_str_finish(sql);
}

int tp_html_gather_under(tp_profile *profile, bool sides, struct tp_error *err)
{
    char *sql = under_sql(profile, sides);

    if (!sql)
        return TP_NO_MEMORY(err);
    int code = sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return code != SQLITE_OK ? tp_sql_failed(profile, "cannot gather data structures of functions", err) : 0;
}
