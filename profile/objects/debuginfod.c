/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.c: see debuginfod.h. The library's three functions have had one form since elfutils 0.178; its header is
 * not needed for them, and it need not be there when Tenure is built.
 */
#include "profile/objects/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef void *begin_function(void);
typedef int find_function(void *client, const unsigned char *id, int size, char **path);
typedef void end_function(void *client);

static void *function(const struct tp_debuginfod *d, const char *name)
{
    return d->library ? dlsym(d->library, name) : NULL;
}

static void load(struct tp_debuginfod *d)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    begin_function *begin;

    d->tried = true;
    if (!urls || !*urls)
        return;
    d->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    begin = (begin_function *)function(d, "debuginfod_begin");
    d->client = begin ? begin() : NULL;
}

bool tp_debuginfod_try(struct tp_debuginfod *d, const uint8_t *id, size_t size, tp_try_path *try, void *user)
{
    char *path = NULL;

    if (!d->tried)
        load(d);
    find_function *find = d->client && !d->gave_up ? (find_function *)function(d, "debuginfod_find_debuginfo") : NULL;
    int fd = find && size >= 2 && size <= 64 ? find(d->client, id, (int)size, &path) : -ENOENT;
    d->gave_up |= fd < 0 && fd != -ENOENT;
    bool taken = fd >= 0 && path && try(user, path);
    if (fd >= 0)
        close(fd);
    free(path);
    return taken;
}

void tp_debuginfod_end(struct tp_debuginfod *d)
{
    end_function *end = (end_function *)function(d, "debuginfod_end");

    if (end && d->client)
        end(d->client);
    /* The library stays: it has threads of its own to clean up after, and is asked for once in a process. */
    *d = (struct tp_debuginfod){0};
}
