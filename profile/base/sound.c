/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sound.c: see sound.h.
 *
 * What SQLite says of a failure ("database disk image is malformed") names neither the file nor the table. Both are
 * looked for as long as the profile is open: each table and index of each of its files is read from end to end, and
 * the first one that cannot be read is named.
 */
#include "profile/base/sound.h"

#include <stdatomic.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/read/opened.h"

static atomic_int failure;   /* of SQLite, the first; SQLITE_OK: none */
static bool looking;         /* what fails now is no news */
static tp_profile *open;     /* the last one opened; others by next_open */
static struct tp_error seen; /* what is known of it; an empty message: nothing yet */

static bool is_failure(int code, const char *text)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_NOMEM:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
        return true;
    case SQLITE_SCHEMA: /* prepared anew */
    case SQLITE_INTERRUPT:
    case SQLITE_AUTH: /* a query that may not do what it would */
    case SQLITE_READONLY:
    case SQLITE_NOTICE:
    case SQLITE_WARNING:
        return false;
    default: /* a statement that was well formed, but met what it cannot add up, for instance */
        return strncmp(text, "statement aborts", 16) == 0;
    }
}

static void hear(void *unused, int code, const char *text)
{
    int none = SQLITE_OK;

    (void)unused;
    if (!looking && is_failure(code, text))
        atomic_compare_exchange_strong(&failure, &none, code);
}

void tp_sound_no_memory(void)
{
    hear(NULL, SQLITE_NOMEM, "");
}

void tp_sound_begin(void)
{
    sqlite3_config(SQLITE_CONFIG_LOG, hear, NULL);
}

void tp_sound_forget(void)
{
    atomic_store(&failure, SQLITE_OK);
    seen = (struct tp_error){0};
}

int tp_damaged(const char *path, const char *what, struct tp_error *err)
{
    return TP_FAIL(err, "%s: the profile is damaged: %s; record again, or import its raw profile again", path, what);
}

static bool can_step(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    bool good = sql && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;
    int code = SQLITE_ROW;

    while (good && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    }
    sqlite3_finalize(statement);
    return good && code == SQLITE_DONE;
}

/* The first table or index of one of its files that cannot be read. Writes what it is; false: all can. */
static bool damaged_part(sqlite3 *db, const char *file, char *what, size_t size)
{
    char *list = sqlite3_mprintf("SELECT name, tbl_name, (SELECT i.name FROM pragma_index_info(m.name, %Q) i)"
                                 " FROM \"%w\".sqlite_schema m WHERE rootpage > 0", file, file);
    sqlite3_stmt *part = NULL;
    bool damaged = !list || sqlite3_prepare_v2(db, list, -1, &part, NULL) != SQLITE_OK;
    int code = SQLITE_DONE;

    snprintf(what, size, "the list of its tables cannot be read");
    while (!damaged && (code = sqlite3_step(part)) == SQLITE_ROW) {
        const char *column = tp_text_or_null(part, 2); /* of an index, the first */
        const char *table = tp_text(part, 1), *name = tp_text(part, 0);
        char *sql = column ? sqlite3_mprintf("SELECT \"%w\" FROM \"%w\".\"%w\" INDEXED BY \"%w\"", column, file,
                                             table, name)
                           : sqlite3_mprintf("SELECT count(*) FROM \"%w\".\"%w\" NOT INDEXED", file, table);
        damaged = !can_step(db, sql);
        if (damaged)
            snprintf(what, size, "%s %s cannot be read", column ? "index" : "table", name);
        sqlite3_free(sql);
    }
    sqlite3_finalize(part);
    sqlite3_free(list);
    return damaged || code != SQLITE_DONE;
}

/* Whether it was this profile that failed; then `seen` says so. */
static bool look(tp_profile *profile, int code)
{
    static const char *const files[] = {"main", "before", "after"}; /* of a difference, its sides */
    char what[160];

    if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB) {
        if ((sqlite3_errcode(profile->db) & 0xff) == code)
            TP_FAIL(&seen, "%s: %s", profile->path, sqlite3_errmsg(profile->db));
        return *seen.message != '\0';
    }
    for (size_t i = 0; i < sizeof files / sizeof *files && !*seen.message; i++) {
        if (sqlite3_db_filename(profile->db, files[i]) && damaged_part(profile->db, files[i], what, sizeof what))
            tp_damaged(profile->path, what, &seen);
    }
    return *seen.message != '\0';
}

static void look_at_all(void)
{
    int code = atomic_load(&failure) & 0xff;
    tp_profile *profile = code == SQLITE_OK || code == SQLITE_NOMEM || *seen.message ? NULL : open;

    looking = true;
    while (profile && !look(profile, code))
        profile = profile->next_open;
    looking = false;
}

void tp_sound_watch(tp_profile *profile)
{
    profile->next_open = open;
    open = profile;
}

void tp_sound_leave(tp_profile *profile)
{
    tp_profile **link = &open;

    look_at_all();
    while (*link && *link != profile)
        link = &(*link)->next_open;
    if (*link)
        *link = profile->next_open;
}

int tp_sound(struct tp_error *err)
{
    int code = atomic_load(&failure);

    if (code == SQLITE_OK)
        return 0;
    look_at_all();
    if (*seen.message)
        *err = seen;
    else if ((code & 0xff) == SQLITE_NOMEM)
        TP_NO_MEMORY(err);
    else
        TP_FAIL(err, "a profile cannot be read: %s", sqlite3_errstr(code));
    return -1;
}
