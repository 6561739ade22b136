/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile.h: where files of a recording are on this machine: objects, separate debug files, sources.
 */
#ifndef TENURE_PROFILE_DEBUGFILE_H
#define TENURE_PROFILE_DEBUGFILE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/base/mem.h"
#include "profile/profile.h"

/* `path` below the sysroot, if there is one. NULL: out of memory. */
const char *tp_sysroot_path(struct tp_arena *arena, const struct tp_import_options *options,
                            const char *path);

/* Called with each place where a debug file may be, best first, until it returns true. */
typedef bool tp_try_path(void *user, const char *path);

/* DEBUG/.build-id/xx/yyyy.debug for each debug folder, below the sysroot and without it. Returns whether one
 * was taken. */
bool tp_try_build_id(const struct tp_import_options *options, const uint8_t *id, size_t size,
                     tp_try_path *try, void *user);

/* .gnu_debuglink `name` of the object at `object` (its path in the recording): beside it, in .debug beside it, and
 * under each debug folder. */
bool tp_try_debuglink(const struct tp_import_options *options, const char *object, const char *name,
                      tp_try_path *try, void *user);

/* Separate debug files from the servers that the user has named. As elsewhere with elfutils: only if DEBUGINFOD_URLS
 * says where to ask, and if libdebuginfod is installed; it is loaded then, and does the rest (cache, time limit, the
 * other DEBUGINFOD_ variables). A server that has no such file is asked for the next one; after any other failure, such
 * as no network, nothing more is asked. {0} to begin with. */
struct tp_debuginfod {
    void *library, *client;
    bool tried; /* to load it */
    bool gave_up;
};

/* Hands the file of a build-id to `try`, if there is one. Returns whether it was taken. */
bool tp_debuginfod_try(struct tp_debuginfod *d, const uint8_t *id, size_t size, tp_try_path *try, void *user);
void tp_debuginfod_end(struct tp_debuginfod *d);

#endif
