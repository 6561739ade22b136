/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_file.c: the profile's file.
 *
 * It is written once, from beginning to end, under a temporary name in the same folder: SQLite makes the empty
 * tables, the large ones are filled page by page (bulk.c), SQLite fills the rest and makes views and indices; then it
 * is sealed (seal.h). No journal, nobody to lock out. If anything fails the temporary file goes away and what was there
 * under the final name stays. Then one rename, of a file that the disk has (whole.h).
 */
#include "profile/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/base/seal.h"
#include "profile/base/sound.h"
#include "profile/base/whole.h"

/* A new, empty file under the temporary name. SQLite's own message would name neither file nor reason. */
static int store_file_make(struct tp_store *store)
{
    struct stat status;
    if (stat(store->path, &status) == 0 && !S_ISREG(status.st_mode))
        return TP_FAIL(store->err, "%s: cannot write the profile: it is no ordinary file", store->path);
    if (!realpath(store->path, store->target))
        snprintf(store->target, sizeof store->target, "%s", store->path);
    store->temporary = sqlite3_mprintf("%s.%d.tmp", store->target, (int)getpid());
    if (!store->temporary)
        return TP_NO_MEMORY(store->err);
    FILE *file = fopen(store->temporary, "wxe");
    if (!file) {
        int failed = TP_FAIL(store->err, "%s: cannot write the profile: %s", store->path, strerror(errno));
        sqlite3_free(store->temporary); /* somebody else's, if it is there */
        store->temporary = NULL;
        return failed;
    }
    fclose(file);
    return 0;
}

static int open_database(struct tp_store *store, const char *settings)
{
    if (sqlite3_open_v2(store->temporary, &store->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return tp_store_failed(store, "open");
    return tp_store_sql(store, settings, "settings");
}

static int close_database(struct tp_store *store)
{
    if (tp_store_sql(store, "COMMIT", "commit"))
        return -1;
    if (sqlite3_close(store->db) != SQLITE_OK)
        return tp_store_failed(store, "close");
    store->db = NULL;
    return 0;
}

static int each_row(struct tp_store *store, const char *sql, void (*take)(struct tp_store *store, sqlite3_stmt *row))
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        take(store, statement);
    if (code == SQLITE_OK)
        code = sqlite3_finalize(statement);
    return code == SQLITE_OK ? 0 : tp_store_failed(store, "tables");
}

static void take_table(struct tp_store *store, sqlite3_stmt *row)
{
    if (store->places == sizeof store->place / sizeof *store->place)
        return;
    struct tp_table_place *place = &store->place[store->places++];
    snprintf(place->name, sizeof place->name, "%s", tp_text(row, 0));
    place->root = (uint32_t)sqlite3_column_int64(row, 1);
    place->has_id = sqlite3_column_int(row, 2) != 0;
}

static void take_index(struct tp_store *store, sqlite3_stmt *row)
{
    struct tp_table_place *place = tp_table_place(store, tp_text(row, 0));

    for (size_t i = 0; place && i < TP_INDICES; i++) {
        if (place->index[i].root)
            continue;
        place->index[i].root = (uint32_t)sqlite3_column_int64(row, 1);
        place->index[i].column = sqlite3_column_int(row, 2);
        return;
    }
}

/* The empty tables, and where SQLite put those that are to be filled in bulk, and their indices. */
static int write_schema(struct tp_store *store)
{
    char settings[200];

    snprintf(settings, sizeof settings,
             "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = %d; PRAGMA auto_vacuum = NONE; "
             "PRAGMA user_version = %d; PRAGMA application_id = %d; BEGIN",
             TP_PAGE, TP_SCHEMA_VERSION, TP_APPLICATION_ID);
    return open_database(store, settings) || tp_store_tables(store) ||
           each_row(store,
                    "SELECT name, rootpage, (SELECT sum(pk) FROM pragma_table_info(m.name)) FROM sqlite_schema m "
                    "WHERE type = 'table' AND name LIKE 't\\_%' ESCAPE '\\'", take_table) ||
           each_row(store,
                    "SELECT tbl_name, rootpage, (SELECT cid FROM pragma_index_info(m.name)) FROM sqlite_schema m "
                    "WHERE type = 'index' AND sql IS NOT NULL", take_index) ||
           close_database(store);
}

static int store_file_write(struct tp_store *store, tp_store_part *large, tp_store_part *rest, void *user)
{
    static const char settings[] =
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
        "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; BEGIN";
    struct stat before;

    if (store_file_make(store) || write_schema(store) || tp_store_in_bulk(store, large, user) ||
        open_database(store, settings) || tp_store_events(store) || rest(store, user) || tp_store_views(store) ||
        close_database(store) || tp_sound(store->err))
        return -1;
    /* Who could not read the old one cannot read the new one. */
    if (tp_seal(store->temporary) ||
        (stat(store->target, &before) == 0 && chmod(store->temporary, before.st_mode & 0777)) ||
        (store->options->passing ? rename : tp_whole_rename)(store->temporary, store->target))
        return TP_FAIL(store->err, "%s: cannot write the profile: %s", store->path, strerror(errno));
    return 0;
}

int tp_store_make(struct tp_store *store, tp_store_part *large, tp_store_part *rest, void *user)
{
    int failed = store_file_write(store, large, rest, user);

    if (failed) {
        sqlite3_close_v2(store->db);
        if (store->temporary)
            unlink(store->temporary);
    }
    sqlite3_free(store->temporary);
    return failed;
}
