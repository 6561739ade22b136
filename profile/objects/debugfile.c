/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile.c: the conventions of where separate debug files lie, as GDB's manual describes them.
 *
 * A debug folder of the user's is looked at first, as it is and below the sysroot; then /usr/lib/debug of the
 * sysroot, or of this machine if there is none.
 */
#include "profile/objects/debugfile.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_folder[] = "/usr/lib/debug";

const char *tp_sysroot_path(struct tp_arena *arena, const struct tp_import_options *options, const char *path)
{
    size_t root = options->sysroot ? strlen(options->sysroot) : 0;

    while (root && options->sysroot[root - 1] == '/')
        root--;
    return tp_arena_print(arena, "%.*s%s", (int)root, options->sysroot ? options->sysroot : "", path);
}

struct search {
    const struct tp_import_options *options;
    const char *rest; /* of the path, after a debug folder */
    tp_try_path *try;
    void *user;
};

static bool try_in(const struct search *search, const char *root, const char *folder, size_t size)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%.*s/%s", root, (int)size, folder, search->rest);

    return n > 0 && (size_t)n < sizeof path && search->try(search->user, path);
}

static bool debugfile_try_folders(const struct search *search)
{
    const char *sysroot = search->options->sysroot;

    for (const char *p = search->options->debug_path; p && *p;) {
        size_t size = strcspn(p, ":");
        if (size && size < PATH_MAX &&
            (try_in(search, "", p, size) || (sysroot && try_in(search, sysroot, p, size))))
            return true;
        p += size + (p[size] == ':');
    }
    return try_in(search, sysroot ? sysroot : "", default_folder, sizeof default_folder - 1);
}

bool tp_try_build_id(const struct tp_import_options *options, const uint8_t *id, size_t size,
                     tp_try_path *try, void *user)
{
    char rest[200];
    size_t n = 0;

    if (size < 2 || size > 64)
        return false;
    n += (size_t)snprintf(rest, sizeof rest, ".build-id/%02x/", id[0]);
    for (size_t i = 1; i < size; i++)
        n += (size_t)snprintf(rest + n, sizeof rest - n, "%02x", id[i]);
    snprintf(rest + n, sizeof rest - n, ".debug");
    return debugfile_try_folders(&(struct search){options, rest, try, user});
}

bool tp_try_debuglink(const struct tp_import_options *options, const char *object, const char *name,
                      tp_try_path *try, void *user)
{
    char rest[PATH_MAX];
    const char *slash = strrchr(object, '/');
    const char *root = options->sysroot ? options->sysroot : "";

    if (!slash || !*name || strchr(name, '/'))
        return false;
    for (int i = 0; i < 2; i++) {
        int n = snprintf(rest, sizeof rest, "%s%.*s/%s%s", root, (int)(slash - object), object, i ? ".debug/" : "",
                         name);
        if (n > 0 && (size_t)n < sizeof rest && try(user, rest))
            return true;
    }
    int n = snprintf(rest, sizeof rest, "%.*s/%s", (int)(slash - object), object, name);
    if (n < 0 || (size_t)n >= sizeof rest)
        return false;
    return debugfile_try_folders(&(struct search){options, rest + (rest[0] == '/'), try, user});
}

/* ------------------------------------------------------------------------------------------ servers */

/* The library's three functions have had one form since elfutils 0.178; its header is not needed for them, and it need
 * not be there when Tenure is built. */
typedef void *begin_function(void);
typedef int find_function(void *client, const unsigned char *id, int size, char **path);
typedef void end_function(void *client);

static void *debuginfod_function(const struct tp_debuginfod *d, const char *name)
{
    return d->library ? dlsym(d->library, name) : NULL;
}

bool tp_debuginfod_try(struct tp_debuginfod *d, const uint8_t *id, size_t size, tp_try_path *try, void *user)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    char *path = NULL;

    if (!d->tried && urls && *urls) {
        d->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
        begin_function *begin = (begin_function *)debuginfod_function(d, "debuginfod_begin");
        d->client = begin ? begin() : NULL;
    }
    d->tried = true;
    bool asks = d->client && !d->gave_up && size >= 2 && size <= 64;
    find_function *find = asks ? (find_function *)debuginfod_function(d, "debuginfod_find_debuginfo") : NULL;
    int fd = find ? find(d->client, id, (int)size, &path) : -ENOENT;
    d->gave_up |= fd < 0 && fd != -ENOENT;
    bool taken = fd >= 0 && path && try(user, path);
    if (fd >= 0)
        close(fd);
    free(path);
    return taken;
}

void tp_debuginfod_end(struct tp_debuginfod *d)
{
    end_function *end = (end_function *)debuginfod_function(d, "debuginfod_end");

    if (end && d->client)
        end(d->client);
    /* The library stays: it has threads of its own to clean up after, and is asked for once in a process. */
    *d = (struct tp_debuginfod){0};
}
