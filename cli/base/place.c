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

/* Whether `object` is the program that was recorded, as far as its command line tells. */
static bool is_program(tp_profile *profile, const char *object)
{
    const char *cmd = tp_meta(profile, "cmd");
    size_t length = cmd != NULL ? strcspn(cmd, " ") : 0, name = strlen(object);

    return name > 0 && length >= name && strncmp(cmd + length - name, object, name) == 0 &&
           (length == name || cmd[length - name - 1] == '/');
}

/* "path:line"; without a path the object's name, unless the function is called by it for want of a symbol:
 * "libz.so.1+0x123". */
static void with_line(char *out, size_t size, const char *function, const char *path, int64_t line, const char *object)
{
    size_t length = strlen(object);
    bool named = strncmp(function, object, length) == 0 && function[length] == '+';

    if (*path == '\0')
        snprintf(out, size, "%s", named ? "" : object);
    else if (line > 0)
        snprintf(out, size, "%s:%lld", path, (long long)line);
    else
        snprintf(out, size, "%s", path);
}

void place_file(tp_profile *profile, char *out, size_t size, const char *file)
{
    const char *directory = tp_meta(profile, "directory");
    size_t length = directory != NULL ? strlen(directory) : 0;
    /* "build/../src/file.c" as the file is really called, if it is here; a profile can be read elsewhere, too. */
    char *plain = *file == '/' && strstr(file, "/../") != NULL ? realpath(file, NULL) : NULL;

    if (plain != NULL)
        file = plain;
    if (length > 1 && strncmp(file, directory, length) == 0 && file[length] == '/')
        file += length + 1;
    snprintf(out, size, "%s", file);
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
