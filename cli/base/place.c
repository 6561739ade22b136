/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.c: see place.h. Nothing here looks into files: that a path exists is asked for its name only.
 */
#include "cli/base/place.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* A function without a symbol is called by its object: "libz.so.1+0x123". */
static bool names_object(const char *function, const char *object)
{
    size_t length = strlen(object);

    return strncmp(function, object, length) == 0 && function[length] == '+';
}

static const char *below(const char *path, const char *directory)
{
    size_t length = directory != NULL ? strlen(directory) : 0;

    return length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1
                                                                                      : path;
}

/* "build/../src/file.c" as the file is really called, if it is here; a profile can be read elsewhere, too. NULL: leave
 * it. Freed by the caller. */
static char *without_detour(const char *path)
{
    return *path == '/' && strstr(path, "/../") != NULL ? realpath(path, NULL) : NULL;
}

/* Whether `object` is the program that was recorded, as far as its command line tells. */
static bool is_program(tp_profile *profile, const char *object)
{
    const char *cmd = tp_meta(profile, "cmd");
    size_t length = cmd != NULL ? strcspn(cmd, " ") : 0, name = strlen(object);

    return name > 0 && length >= name && strncmp(cmd + length - name, object, name) == 0 &&
           (length == name || cmd[length - name - 1] == '/');
}

/* "path:line"; without a path the object's name, unless the function's begins with it. */
static void with_line(char *out, size_t size, const char *function, const char *path, int64_t line, const char *object)
{
    if (*path == '\0')
        snprintf(out, size, "%s", names_object(function, object) ? "" : object);
    else if (line > 0)
        snprintf(out, size, "%s:%lld", path, (long long)line);
    else
        snprintf(out, size, "%s", path);
}

void place_file(tp_profile *profile, char *out, size_t size, const char *file)
{
    char *plain = without_detour(file);

    snprintf(out, size, "%s", below(plain != NULL ? plain : file, tp_meta(profile, "directory")));
    free(plain);
}

void place_long(tp_profile *profile, char *out, size_t size, const char *function, const char *file,
                int64_t line, const char *object)
{
    char path[PATH_MAX];

    place_file(profile, path, sizeof path, file);
    with_line(out, size, function, path, line, last_part(object));
}

void place_short(tp_profile *profile, char *out, size_t size, const char *function, const char *file,
                 int64_t line, const char *object)
{
    object = last_part(object);
    with_line(out, size, function, last_part(file), line, object);
    size_t length = strlen(out);
    if (*file != '\0' && *object != '\0' && !is_program(profile, object))
        snprintf(out + length, size - length, " (%s)", object);
}
