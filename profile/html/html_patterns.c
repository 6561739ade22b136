/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_patterns.c: see html_patterns.h. Instructions of a line are one; `of_line` is what a line has in all, so that a
 * line that is left out goes with all its rows.
 */
#include "profile/html/html_patterns.h"

#include "profile/base/error.h"
#include "profile/html/html_data.h"

#define PLACE "t.data_id, i.file_id, i.line, i.function_id"
#define OF_LINE "OVER (PARTITION BY " PLACE ") AS of_line"
#define INSTRUCTIONS " LEFT JOIN main.t_instructions i ON i.id = t.instruction_id "
/* Of rows `t` with a count and what it was before and after, NULL but in a difference with both sides. */
#define SUMS(count)                                                            \
    "sum(t." count ") AS " count ", sum(t.before) AS \"" count "@before\", " \
    "sum(t.after) AS \"" count "@after\""
#define WEIGHT(count) "sum(sum(max(abs(t." count "), ifnull(t.before, 0), ifnull(t.after, 0)))) "
#define THERE(count) " HAVING sum(t." count ") <> 0 OR sum(t.before) <> 0 OR sum(t.after) <> 0;"

/* The rows of a table `s` with those of its sides. */
#define OF_SIDES(table) \
    " JOIN before." table " b ON b.rowid = s.rowid JOIN after." table " a ON a.rowid = s.rowid"

struct words {
    const char *strides, *sums, *conflicts; /* columns before and after */
    const char *of_strides, *of_sums, *of_conflicts;
};
static const struct words alone = {
    "NULL AS before, NULL AS after", "NULL, NULL", "NULL AS before, NULL AS after", "", "", "",
};
static const struct words both = {
    "b.count AS before, a.count AS after",
    "b.strides - ifnull(k.before, 0), a.strides - ifnull(k.after, 0)",
    "b.misses AS before, a.misses AS after",
    OF_SIDES("t_strides"),
    OF_SIDES("t_stride_sums"),
    OF_SIDES("t_conflicts"),
};

static const char gather_sql[] =
    "PRAGMA temp_store = MEMORY;"
    "DROP TABLE IF EXISTS temp.page_all_strides;"
    "CREATE TEMP TABLE page_all_strides AS SELECT s.instruction_id, s.data_id, s.stride, s.count, %s"
    " FROM main.t_strides s%s;"
    "INSERT INTO temp.page_all_strides SELECT s.instruction_id, s.data_id, NULL, s.strides - ifnull(k.count, 0), %s"
    " FROM main.t_stride_sums s%s LEFT JOIN (SELECT instruction_id, data_id, sum(count) AS count,"
    " sum(before) AS before, sum(after) AS after FROM temp.page_all_strides GROUP BY 1, 2) k"
    " ON k.instruction_id = s.instruction_id AND k.data_id IS s.data_id;"
    "DROP TABLE IF EXISTS temp.page_strides;"
    "CREATE TEMP TABLE page_strides AS"
    " SELECT " PLACE ", t.stride, " SUMS("count") ", " WEIGHT("count") OF_LINE " FROM temp.page_all_strides t"
    INSTRUCTIONS "GROUP BY " PLACE ", t.stride" THERE("count")
    "DROP TABLE temp.page_all_strides;"
    "DROP TABLE IF EXISTS temp.page_conflicts;"
    "CREATE TEMP TABLE page_conflicts AS"
    " SELECT " PLACE ", t.cache, t.set_bits, " SUMS("misses") ", " WEIGHT("misses") OF_LINE
    " FROM (SELECT s.*, %s FROM main.t_conflicts s%s) t" INSTRUCTIONS
    "GROUP BY " PLACE ", t.cache, t.set_bits" THERE("misses");

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

static int gather(tp_profile *profile, const struct words *w, struct tp_error *err)
{
    char *sql = sqlite3_mprintf(gather_sql, w->strides, w->of_strides, w->sums, w->of_sums, w->conflicts,
                                w->of_conflicts);
    int failed = run(profile, sql, err);

    sqlite3_free(sql);
    return failed;
}

int tp_html_gather_patterns(tp_profile *profile, bool sides, struct tp_error *err)
{
    return gather(profile, sides ? &both : &alone, err) || leave_out_small(profile, "page_strides", "count", err) ||
                   leave_out_small(profile, "page_conflicts", "misses", err)
               ? -1
               : 0;
}
