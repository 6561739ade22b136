/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_code.c: the text of the instructions that a page shows.
 *
 * It is made when the page is written, of the program's files as they are here. Instructions are disassembled object by
 * object, so that only one is open at a time.
 */
#include "profile/html/html_tables.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"
#include "profile/read/disassemble.h"

/* One row; `from` has id, offset, address and length. What cannot be read has no row. */
static int add_text(tp_profile *profile, const struct tp_code *code, sqlite3_stmt *from, sqlite3_stmt *to,
                    struct tp_error *err)
{
    uint64_t target; /* not shown: calls have rows of their own */
    char text[256];

    if (!tp_code_text(code, (uint64_t)sqlite3_column_int64(from, 1), (uint64_t)sqlite3_column_int64(from, 2),
                      (unsigned)sqlite3_column_int(from, 3), text, sizeof text, &target))
        return 0;
    sqlite3_bind_int64(to, 1, sqlite3_column_int64(from, 0));
    sqlite3_bind_text(to, 2, text, -1, SQLITE_TRANSIENT);
    int failed = sqlite3_step(to) != SQLITE_DONE ? tp_sql_failed(profile, "cannot gather instructions", err) : 0;
    sqlite3_reset(to);
    return failed;
}

int tp_html_gather_code(tp_profile *profile, struct tp_error *err)
{
    static const char made[] = "DROP TABLE IF EXISTS temp.page_code;"
                               "CREATE TEMP TABLE page_code(instruction_id INTEGER PRIMARY KEY, text TEXT);";
    /* The `+` keeps SQLite from making an index of all instructions by function: the range of ids is enough. */
    static const char wanted[] =
        "SELECT i.id, i.address - o.bias, i.address, i.length, o.id, o.path FROM temp.page_coded c"
        " CROSS JOIN main.t_functions f ON f.id = c.function_id"
        " CROSS JOIN main.t_instructions i ON i.id BETWEEN f.first_instruction AND f.last_instruction"
        " AND +i.function_id = f.id JOIN objects o ON o.id = i.object_id WHERE o.path IS NOT NULL ORDER BY o.id, i.id";
    struct tp_error ignored; /* the object is not here: its instructions have no text */
    struct tp_code *code = NULL;
    int64_t object = -1;

    if (tp_execute(profile, sqlite3_mprintf("%s", made), "cannot gather instructions", err))
        return -1;
    sqlite3_stmt *from = tp_query(profile, sqlite3_mprintf("%s", wanted), err);
    sqlite3_stmt *to =
        from ? tp_query(profile, sqlite3_mprintf("INSERT INTO temp.page_code VALUES(?, ?)"), err) : NULL;
    int more = to ? 0 : -1;
    while (more == 0 && (more = tp_row(profile, from, err)) == 1) {
        if (sqlite3_column_int64(from, 4) != object) {
            object = sqlite3_column_int64(from, 4);
            tp_code_close(code);
            code = tp_code_open(profile, tp_text(from, 5), &ignored);
        }
        more = code && add_text(profile, code, from, to, err) ? -1 : 0;
    }
    tp_code_close(code);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    return more;
}
