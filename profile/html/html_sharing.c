/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sharing.c: see html_sharing.h. Rows are the same as those of `tenure report --sharing`: lines of functions of
 * one name are one.
 */
#include "profile/html/html_sharing.h"

#include <sqlite3.h>

#include "profile/base/error.h"
#include "profile/formats/export.h"

#define SUMS \
    "sum(s.false_sharing) AS false_sharing, sum(s.true_sharing) AS true_sharing, sum(s.misses) AS misses"
#define FIRST "ORDER BY sum(s.false_sharing) DESC, sum(s.misses) DESC"

static const char gather_sql[] =
    "PRAGMA temp_store = MEMORY;"
    "DROP TABLE IF EXISTS temp.page_shared_data;"
    "CREATE TEMP TABLE page_shared_data AS SELECT s.data_id, " SUMS ", row_number() OVER (" FIRST ", s.data_id)"
    " AS place FROM main.t_sharing s GROUP BY s.data_id;"
    "DROP TABLE IF EXISTS temp.page_sharing;"
    "CREATE TEMP TABLE page_sharing AS SELECT min(w.function_id) AS writer_function_id, w.file_id AS writer_file_id,"
    " w.line AS writer_line, w.address AS writer_address, min(v.function_id) AS function_id, v.file_id, v.line,"
    " v.address, s.data_id, " SUMS ", s.written, s.touched, max(s.misses) AS most,"
    " row_number() OVER (" FIRST ", m.function, w.line, n.function, v.line, s.data_id) AS place"
    " FROM main.t_sharing s LEFT JOIN main.t_instructions w ON w.id = s.writer_id"
    " LEFT JOIN main.t_functions m ON m.id = w.function_id LEFT JOIN main.t_instructions v ON v.id = s.victim_id"
    " LEFT JOIN main.t_functions n ON n.id = v.function_id"
    " GROUP BY m.function, w.file_id, w.line, n.function, v.file_id, v.line, s.data_id;"
    "DROP TABLE IF EXISTS temp.page_sharing_sums;"
    "CREATE TEMP TABLE page_sharing_sums AS SELECT (SELECT count(*) FROM temp.page_sharing) AS pairs, " SUMS
    " FROM main.t_sharing s;";

int tp_html_gather_sharing(tp_profile *profile, struct tp_error *err)
{
    char *light = sqlite3_mprintf("DELETE FROM temp.page_sharing WHERE place > %d;", TP_HTML_SHARING);
    int failed = !light ? TP_NO_MEMORY(err)
                 : sqlite3_exec(tp_db(profile), gather_sql, NULL, NULL, NULL) != SQLITE_OK ||
                         sqlite3_exec(tp_db(profile), light, NULL, NULL, NULL) != SQLITE_OK
                     ? tp_sql_failed(profile, "cannot gather what threads share", err)
                     : 0;

    sqlite3_free(light);
    return failed;
}
