/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineless.c: see lineless.h. Debian has the line information of a package NAME in a package NAME-dbgsym; which package
 * has a file is in the lists that dpkg keeps.
 */
#include "profile/read/lineless.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/row.h"
#include "profile/raw/events.h"
#include "profile/read/formula.h"

/* Whether a list of dpkg's has the file; without /usr too, as it is where /lib is a link. */
static bool list_has(const char *list, const char *path)
{
    const char *old = strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
    FILE *file = fopen(list, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    ssize_t length;

    while (file && !found && (length = getline(&line, &room, file)) > 0) {
        line[length - (line[length - 1] == '\n')] = '\0';
        found = strcmp(line, path) == 0 || strcmp(line, old) == 0;
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* The name of the package that has the file, "libc6"; "": none has, or this is no Debian. */
static void package_of(const char *path, char *out, size_t size)
{
    glob_t lists = {0};

    *out = '\0';
    if (glob("/var/lib/dpkg/info/*.list", GLOB_NOSORT, NULL, &lists) == 0) {
        for (size_t i = 0; i < lists.gl_pathc && *out == '\0'; i++) {
            const char *name = strrchr(lists.gl_pathv[i], '/') + 1;
            if (list_has(lists.gl_pathv[i], path))
                snprintf(out, size, "%.*s", (int)strcspn(name, ":"), name);
        }
        if (strlen(out) > 5 && strcmp(out + strlen(out) - 5, ".list") == 0)
            out[strlen(out) - 5] = '\0';
    }
    globfree(&lists);
}

int tp_lineless(tp_profile *profile, struct tp_error *err)
{
    static const char make[] = "DROP TABLE IF EXISTS temp.lineless; CREATE TEMP TABLE lineless(text TEXT);";
    bool silent = !tp_event_find(profile, "Ir") || tp_meta(profile, "diff.baseline");
    const char *cost = tp_event_usual(profile);
    char package[256], named[200];
    int more = 0;

    if (silent)
        return tp_execute(profile, sqlite3_mprintf("%s", make), "cannot gather objects", err);
    tp_named(profile, cost, named, sizeof named);
    sqlite3_stmt *row = tp_query(
        profile,
        sqlite3_mprintf("SELECT object, 100.0 * sum(\"%w\") / (SELECT \"%w\" FROM totals) AS percent, (SELECT note "
                        "FROM objects WHERE path = object AND note IS NOT NULL AND note <> 'no debug information') AS "
                        "why FROM functions WHERE file IS NULL AND object LIKE '/%%' AND object NOT IN "
                        "(SELECT object FROM functions WHERE file IS NOT NULL AND object IS NOT NULL) "
                        "AND why IS NOT 'no program or library' "
                        "GROUP BY object HAVING sum(\"%w\") > 0 AND percent >= 5 ORDER BY sum(\"%w\") DESC LIMIT 20",
                        cost, cost, cost, cost),
        err);
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, make);
    while (row && (more = tp_row(profile, row, err)) == 1) {
        const char *path = tp_text(row, 0);
        package_of(path, package, sizeof package);
        char *remedy = sqlite3_column_type(row, 2) != SQLITE_NULL ? sqlite3_mprintf("%s", tp_text(row, 2))
                       : *package ? sqlite3_mprintf("install %s-%s, or set DEBUGINFOD_URLS, and record again", package,
                                                    strcmp(package, "libc6") == 0 ? "dbg" : "dbgsym")
                                  : sqlite3_mprintf("compile it with -g, strip nothing, and record again");
        sqlite3_str_appendf(sql,
                            "INSERT INTO temp.lineless VALUES(printf('No line information for %%s, which has"
                            " %%.0f %%%% of the %%s: %%s', %Q, %.17g, %Q, %Q));",
                            path, sqlite3_column_double(row, 1), named, remedy);
        sqlite3_free(remedy);
    }
    sqlite3_finalize(row);
    char *text = sqlite3_str_finish(sql);
    if (!row || more < 0) {
        sqlite3_free(text);
        return -1;
    }
    return tp_execute(profile, text, "cannot gather objects", err);
}
