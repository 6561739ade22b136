/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_advice.c: see html_advice.h. Names of files and data structures are left out: the page knows them by number. Of
 * a function there is the name as well, since advice may speak of one that was inlined.
 */
#include "profile/html/html_advice.h"

#include <sqlite3.h>

#include "profile/advice/advice.h"

static const char empty[] =
    "PRAGMA temp_store = MEMORY;"
    "DROP TABLE IF EXISTS temp.page_advice;"
    "DROP TABLE IF EXISTS temp.page_advice_places;"
    "DROP TABLE IF EXISTS temp.page_advice_evidence;"
    "CREATE TEMP TABLE page_advice(id INTEGER PRIMARY KEY, kind TEXT, title TEXT, fix TEXT, function_id INTEGER,"
    " file_id INTEGER, line INTEGER, data_id INTEGER, cest REAL, share REAL, bytes INTEGER, memory_bytes INTEGER,"
    " confidence REAL, certain TEXT);"
    "CREATE TEMP TABLE page_advice_places(advice_id INTEGER, role TEXT, function_id INTEGER, function TEXT,"
    " file_id INTEGER, line INTEGER, last_line INTEGER, share REAL);"
    "CREATE TEMP TABLE page_advice_evidence(advice_id INTEGER, key TEXT, value REAL, unit TEXT, words TEXT,"
    " text TEXT);";

static const char fill[] =
    "INSERT INTO temp.page_advice SELECT id, kind, title, fix, function_id, file_id, line, data_id, cest, share, bytes,"
    " memory_bytes, confidence, certain FROM temp.advice;"
    "INSERT INTO temp.page_advice_places SELECT advice_id, role, function_id, function, file_id, line,"
    " last_line, share FROM temp.advice_places ORDER BY rowid;"
    "INSERT INTO temp.page_advice_evidence SELECT advice_id, key, value, unit, words, text FROM"
    " temp.advice_evidence ORDER BY rowid;";

static int run(tp_profile *profile, const char *sql, struct tp_error *err)
{
    return sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) != SQLITE_OK
               ? tp_sql_failed(profile, "cannot gather advice", err)
               : 0;
}

int tp_html_gather_advice(tp_profile *profile, struct tp_error *err)
{
    bool speechless = tp_meta(profile, "diff.baseline") || tp_meta(profile, "import.format");

    if (run(profile, empty, err))
        return -1;
    return speechless ? 0 : tp_advise(profile, NULL, err) || run(profile, fill, err) ? -1 : 0;
}
