/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.c: see source.h. No file is waited for, and what was asked about is what is read: the file that is open.
 */
#include "profile/objects/source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/objects/debugfile.h"
#include "profile/raw/continuation.h"
#include "profile/raw/recording.h"

enum { LARGEST = 16 << 20 };

/* ------------------------------------------------------------------------------------------ which files */

/* Languages that programs with debug information are written in; what people keep secrets in is not among them. */
static bool is_named_like_source(const char *path)
{
    static const char *const others[] = {"s",  "S",  "asm", "adb",  "ads", "cl", "cr",  "hs",    "jl",   "kt",
                                         "ml", "mli", "nim", "odin", "pas", "pp", "pyx", "swift", "vala", "zig"};
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');

    for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++) {
        if (strcmp(dot + 1, others[i]) == 0)
            return true;
    }
    return tp_language_of(path) != TP_LANGUAGE_OTHER;
}

static bool is_below_any(const struct tp_source_access *access, const char *real)
{
    char folder[PATH_MAX];

    for (size_t i = 0; i < access->folders; i++) {
        if (!access->folder[i] || !realpath(access->folder[i], folder))
            continue;
        size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
        if (strncmp(real, folder, length) == 0 && real[length] == '/')
            return true;
    }
    return false;
}

/* NULL, or why not. `real` is where the file with this status is. */
static const char *refusal(const struct tp_source_access *access, const char *real, const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "it is no regular file";
    if (st->st_size > LARGEST)
        return "it has more than 16 MiB";
    if (access->anywhere || (st->st_mode & S_IROTH) || is_below_any(access, real))
        return NULL;
    if (geteuid() == 0)
        return "not everybody may read it";
    if (st->st_uid != geteuid())
        return "not everybody may read it, and it is not yours";
    return is_named_like_source(real) ? NULL : "not everybody may read it, and it is not named like a source file";
}

/* A descriptor, or -1; then *why says why, or is NULL. */
static int open_file(const struct tp_source_access *access, const char *path, size_t *size, const char **why)
{
    char real[PATH_MAX];
    struct stat st;
    int fd = realpath(path, real) ? open(real, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW) : -1;

    *why = NULL;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && !(*why = refusal(access, real, &st))) {
        *size = (size_t)st.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

const char *tp_source_refused(const struct tp_source_access *access, const char *path)
{
    const char *why;
    size_t size;
    int fd = open_file(access, path, &size, &why);

    if (fd >= 0)
        close(fd);
    return why;
}

/* ------------------------------------------------------------------------------------------ text */

const char *tp_source_text(struct tp_arena *arena, const struct tp_source_access *access, const char *path)
{
    const char *why;
    size_t size, got = 0;
    ssize_t n = 1;
    int fd = open_file(access, path, &size, &why);

    if (fd < 0)
        return NULL;
    char *bytes = malloc(size + 1);
    for (; bytes && got < size && n > 0; got += n > 0 ? (size_t)n : 0)
        n = read(fd, bytes + got, size - got);
    const char *text = bytes && got == size ? tp_clean_text(arena, bytes, size) : NULL;
    free(bytes);
    close(fd);
    return text;
}

const char *tp_source_imported(struct tp_arena *arena, const struct tp_import_options *options, const char *path)
{
    const struct tp_source_access access = {&options->sysroot, 1, options->source_anywhere};
    const char *place = tp_sysroot_path(arena, options, path);

    return place && path[0] == '/' ? tp_source_text(arena, &access, place) : NULL;
}
