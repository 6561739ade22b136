/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_patterns.c: see html_patterns.h. Instructions of a line are one; `of_line` is what a line has in all, so that a
 * line that is left out goes with all its rows.
 */
#include "profile/html_patterns.h"

#include "profile/error.h"
#include "profile/html_data.h"

#define PLACE "t.data_id, i.file_id, i.line, i.function_id"
#define OF_LINE "OVER (PARTITION BY " PLACE ") AS of_line"
#define INSTRUCTIONS " LEFT JOIN main.t_instructions i ON i.id = t.instruction_id "

static const char gather_sql[] =
    "PRAGMA temp_store = MEMORY;"
    "DROP TABLE IF EXISTS temp.page_strides;"
    "CREATE TEMP TABLE page_strides AS"
    " SELECT " PLACE ", t.stride, sum(t.count) AS count, sum(sum(abs(t.count))) " OF_LINE
    " FROM (SELECT instruction_id, data_id, stride, count FROM main.t_strides UNION ALL"
    " SELECT s.instruction_id, s.data_id, NULL, s.strides - ifnull(k.count, 0) FROM main.t_stride_sums s"
    " LEFT JOIN (SELECT instruction_id, data_id, sum(count) AS count FROM main.t_strides GROUP BY 1, 2) k"
    " ON k.instruction_id = s.instruction_id AND k.data_id IS s.data_id) t" INSTRUCTIONS
    "GROUP BY " PLACE ", t.stride HAVING sum(t.count) <> 0;"
    "DROP TABLE IF EXISTS temp.page_conflicts;"
    "CREATE TEMP TABLE page_conflicts AS"
    " SELECT " PLACE ", t.cache, t.set_bits, sum(t.misses) AS misses, sum(sum(abs(t.misses))) " OF_LINE
    " FROM main.t_conflicts t" INSTRUCTIONS "GROUP BY " PLACE ", t.cache, t.set_bits HAVING sum(t.misses) <> 0;";

static int run(tp_profile *profile, const char *sql, struct tp_error *err)
{
    if (!sql)
        return TP_NO_MEMORY(err);
    if (sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot gather strides and conflicts", err);
    return 0;
}

static int leave_out_small(tp_profile *profile, const char *table, const char *count, struct tp_error *err)
{
    char *sql = sqlite3_mprintf("DELETE FROM temp.%s WHERE (SELECT count(*) FROM temp.%s) > %d AND"
                                " of_line * %d.0 <= (SELECT sum(abs(%s)) FROM temp.%s);",
                                table, table, TP_HTML_DATA_LINES, TP_HTML_DATA_SHARE, count, table);
    int failed = run(profile, sql, err);

    sqlite3_free(sql);
    return failed;
}

int tp_html_gather_patterns(tp_profile *profile, struct tp_error *err)
{
    return run(profile, gather_sql, err) || leave_out_small(profile, "page_strides", "count", err) ||
                   leave_out_small(profile, "page_conflicts", "misses", err)
               ? -1
               : 0;
}
