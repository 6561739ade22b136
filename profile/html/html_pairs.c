/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_pairs.c: see html_pairs.h. Statements of the same lines are one, as in temp.page_statements, whatever object
 * they are in; what has no statement is told by its function.
 */
#include "profile/html/html_pairs.h"

#include "profile/base/error.h"
#include "profile/formats/export.h"

/* Of pairs `p` with what they were before and after, which is NULL but in a difference with both sides. */
#define SIDE(side)                                                                                              \
    "sum(p.misses_" #side ") AS \"misses@" #side "\", sum(p.timed_" #side ") AS \"timed@" #side "\", " \
    "sum(p.distance_" #side ") AS \"distance@" #side "\""
#define SUMS \
    "sum(p.misses) AS misses, sum(p.timed) AS timed, sum(p.distance) AS distance, " SIDE(before) ", " SIDE(after)
#define WEIGHT "max(abs(sum(p.misses)), ifnull(sum(p.misses_before), 0), ifnull(sum(p.misses_after), 0))"
#define PLACE(keys) ", row_number() OVER (PARTITION BY p.cache ORDER BY " WEIGHT " DESC, " keys ") AS place"
#define THERE " HAVING " WEIGHT " <> 0;"

/* An instruction of the pair, as columns, as what makes a row, and as tables. */
#define COLUMNS(prefix, s, i)                                                                                     \
    #s ".file_id AS " prefix "file_id, " #s ".first_line AS " prefix "first_line, " #s ".line AS " prefix "line, " \
    "min(" #i ".function_id) AS " prefix "function_id, "
#define KEYS(s, i)                                       \
    #s ".file_id, " #s ".first_line, " #s ".line, "      \
    "CASE WHEN " #s ".id IS NULL THEN " #i ".function_id END"
#define TABLES(id, s, i)                                            \
    " LEFT JOIN main.t_instructions " #i " ON " #i ".id = p." id    \
    " LEFT JOIN main.t_statements " #s " ON " #s ".id = " #i ".statement_id AND " #s ".file_id IS NOT NULL"
#define ALL_KEYS KEYS(s, i) ", " KEYS(t, j) ", " KEYS(u, k)

static const char gather_sql[] =
    "PRAGMA temp_store = MEMORY;"
    "DROP TABLE IF EXISTS temp.page_pairs;"
    "CREATE TEMP TABLE page_pairs AS SELECT p.*, %s FROM main.t_pairs p%s;"
    "DROP TABLE IF EXISTS temp.page_data_pairs;"
    "CREATE TEMP TABLE page_data_pairs AS"
    " SELECT p.cache, p.evictor_data_id, p.data_id, " SUMS PLACE("p.data_id, p.evictor_data_id")
    " FROM temp.page_pairs p GROUP BY p.cache, p.evictor_data_id, p.data_id" THERE
    "DROP TABLE IF EXISTS temp.page_statement_pairs;"
    "CREATE TEMP TABLE page_statement_pairs AS"
    " SELECT p.cache, " COLUMNS("loader_", t, j) COLUMNS("evictor_", u, k) COLUMNS("", s, i) SUMS PLACE(ALL_KEYS)
    " FROM temp.page_pairs p" TABLES("instruction_id", s, i) TABLES("loader_id", t, j) TABLES("evictor_id", u, k)
    " GROUP BY p.cache, " ALL_KEYS THERE
    "DROP TABLE IF EXISTS temp.page_pair_sums;"
    "CREATE TEMP TABLE page_pair_sums AS SELECT p.cache, sum(p.misses) AS misses,"
    " sum(p.misses_before) AS \"misses@before\", sum(p.misses_after) AS \"misses@after\","
    " (SELECT count(*) FROM temp.page_data_pairs d WHERE d.cache IS p.cache) AS data_pairs,"
    " (SELECT count(*) FROM temp.page_statement_pairs s WHERE s.cache IS p.cache) AS statement_pairs"
    " FROM temp.page_pairs p GROUP BY p.cache;"
    "DROP TABLE temp.page_pairs;";

#define OF(side, schema)                                                                                        \
    schema ".misses AS misses_" #side ", " schema ".timed AS timed_" #side ", " schema ".distance AS distance_" #side
#define NONE(side) "NULL AS misses_" #side ", NULL AS timed_" #side ", NULL AS distance_" #side

static int run(tp_profile *profile, const char *sql, struct tp_error *err)
{
    if (!sql)
        return TP_NO_MEMORY(err);
    if (sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot gather lines loaded again", err);
    return 0;
}

/* All but the heaviest, and what there was no room for, which is nobody's. */
static int leave_out_light(tp_profile *profile, const char *table, struct tp_error *err)
{
    char *sql = sqlite3_mprintf("DELETE FROM temp.%s WHERE place > %d OR cache IS NULL;", table, TP_HTML_PAIRS);
    int failed = run(profile, sql, err);

    sqlite3_free(sql);
    return failed;
}

static int gather(tp_profile *profile, bool sides, struct tp_error *err)
{
    char *sql = sqlite3_mprintf(gather_sql, sides ? OF(before, "b") ", " OF(after, "a") : NONE(before) ", " NONE(after),
                                sides ? " JOIN before.t_pairs b ON b.rowid = p.rowid"
                                        " JOIN after.t_pairs a ON a.rowid = p.rowid"
                                      : "");
    int failed = run(profile, sql, err);

    sqlite3_free(sql);
    return failed;
}

int tp_html_gather_pairs(tp_profile *profile, bool sides, struct tp_error *err)
{
    return gather(profile, sides, err) || leave_out_light(profile, "page_data_pairs", err) ||
                   leave_out_light(profile, "page_statement_pairs", err)
               ? -1
               : 0;
}
