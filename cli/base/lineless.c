/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineless.c: see lineless.h. Debian has the line information of a package NAME in a package NAME-dbgsym; which package
 * has a file is in the lists that dpkg keeps.
 */
#include "cli/base/lineless.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/column.h"
#include "cli/base/query.h"
#include "cli/base/term.h"

/* Whether a list of dpkg's has the file; without /usr too, as it is where /lib is a link. */
static bool list_has(const char *list, const char *path)
{
    const char *old = strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
    FILE *file = fopen(list, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    ssize_t length;

    while (file != NULL && !found && (length = getline(&line, &room, file)) > 0) {
        line[length - (line[length - 1] == '\n')] = '\0';
        found = strcmp(line, path) == 0 || strcmp(line, old) == 0;
    }
    free(line);
    if (file != NULL)
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

bool lineless_objects(tp_profile *profile, FILE *out, const char *indent)
{
    const char *cost = column_usual(profile);
    char words[200], safe[4200], package[256];
    struct query q;

    if (tp_event_find(profile, "Ir") == NULL)
        return true;
    column_words(profile, cost, words, sizeof words);
    query_begin(&q, profile,
                "SELECT object, sum(\"%w\") AS cost, (SELECT \"%w\" FROM totals) AS whole FROM functions "
                "WHERE file IS NULL AND object LIKE '/%%' "
                "AND object NOT IN (SELECT object FROM functions WHERE file IS NOT NULL AND object IS NOT NULL) "
                "GROUP BY object HAVING cost > 0 AND cost >= 0.05 * whole ORDER BY cost DESC",
                cost, cost);
    while (query_row(&q)) {
        const char *path = query_text(&q, 0);
        package_of(path, package, sizeof package);
        term_escape(safe, sizeof safe, path);
        fprintf(out, "%sNo line information for %s, which has %.0f %% of the %s: ", indent, safe,
                100 * query_real(&q, 1) / query_real(&q, 2), words);
        if (*package != '\0')
            fprintf(out, "install %s-%s, or set DEBUGINFOD_URLS, and record again\n", package,
                    strcmp(package, "libc6") == 0 ? "dbg" : "dbgsym");
        else
            fputs("compile it with -g, and record again\n", out);
    }
    return query_end(&q);
}
