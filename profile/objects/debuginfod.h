/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.h: separate debug files from the servers that the user has named.
 *
 * As elsewhere with elfutils: only if DEBUGINFOD_URLS says where to ask, and if libdebuginfod is installed; it is
 * loaded then, and does the rest (cache, time limit, the other DEBUGINFOD_ variables). A server that has no such file
 * is asked for the next one; after any other failure, such as no network, nothing more is asked.
 */
#ifndef TENURE_PROFILE_DEBUGINFOD_H
#define TENURE_PROFILE_DEBUGINFOD_H

#include "profile/objects/debugfile.h"

/* {0} to begin with. */
struct tp_debuginfod {
    void *library, *client;
    bool tried; /* to load it */
    bool gave_up;
};

/* Hands the file of a build-id to `try`, if there is one. Returns whether it was taken. */
bool tp_debuginfod_try(struct tp_debuginfod *d, const uint8_t *id, size_t size, tp_try_path *try, void *user);
void tp_debuginfod_end(struct tp_debuginfod *d);

#endif
