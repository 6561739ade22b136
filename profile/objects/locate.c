/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locate.c: see locate.h. Paths come from debug information and may be anything: only regular files count, and no
 * path is longer than the system's limit.
 */
#include "profile/objects/locate.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What of `path` is behind `folder`: "" or "/rest"; NULL: it is elsewhere. */
static const char *below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (length == 0 || strncmp(path, folder, length) != 0)
        return NULL;
    if (folder[length - 1] == '/')
        return path + length - 1;
    return path[length] == '/' || path[length] == '\0' ? path + length : NULL;
}

static bool locate_join(char *out, const char *folder, const char *rest)
{
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] != '/' && *rest != '/' ? "/" : "";
    int n = snprintf(out, PATH_MAX, "%s%s%s", folder, slash, rest);

    return n > 0 && n < PATH_MAX;
}

static bool locate_rewrite(char *out, const struct tp_search *search, const char *path)
{
    for (size_t i = 0; i < search->maps; i++) {
        const char *rest = below(path, search->map[i].from);
        if (rest)
            return locate_join(out, search->map[i].to, rest);
    }
    return locate_join(out, "", path);
}

/* "/a/./b/../c" as "/a/c". In place: what is written is never ahead of what is read. */
static void simplify(char *path)
{
    char *to = path;
    const char *from = path;

    while (*from) {
        while (*from == '/')
            from++;
        size_t length = strcspn(from, "/");
        if (length == 2 && strncmp(from, "..", 2) == 0) {
            while (to > path && *--to != '/')
                ;
        } else if (length && !(length == 1 && *from == '.')) {
            *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

/* The real path of a regular file, in `out`. `folder` may be NULL: the path is all. */
static bool exists(const char *folder, const char *rest, char *out)
{
    struct stat status;
    char path[PATH_MAX];

    return locate_join(path, folder ? folder : "", rest) && realpath(path, out) && stat(out, &status) == 0 &&
           S_ISREG(status.st_mode);
}

static bool find_included(const struct tp_search *search, const char *path, struct tp_place *place, char *out)
{
    for (size_t i = 0; i < search->includes; i++) {
        for (const char *rest = path; rest; rest = strchr(rest, '/')) {
            rest += *rest == '/';
            if (*rest && exists(search->include[i], rest, out)) {
                place->directory = search->include[i];
                return true;
            }
        }
    }
    return false;
}

int tp_locate(struct tp_arena *arena, const struct tp_search *search, const char *path, struct tp_place *place)
{
    char mapped[PATH_MAX], found[PATH_MAX], name[PATH_MAX + 1];

    memset(place, 0, sizeof *place);
    if (!locate_rewrite(mapped, search, path)) {
        place->name = tp_arena_copy(arena, path, strlen(path));
        return place->name ? 0 : -1;
    }
    bool is_relative = *mapped != '/';
    if ((is_relative && search->directory && exists(search->directory, mapped, found)) || exists(NULL, mapped, found) ||
        find_included(search, mapped, place, found)) {
        place->path = place->name = tp_arena_copy(arena, found, strlen(found));
        return place->path ? 0 : -1;
    }
    if (!is_relative || !locate_join(name, search->directory ? search->directory : "", mapped))
        memcpy(name, mapped, strlen(mapped) + 1);
    if (*name == '/')
        simplify(name);
    place->name = tp_arena_copy(arena, name, strlen(name));
    return place->name ? 0 : -1;
}
