/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locate.h: where the source files that a profile names are on this machine, and which names mean one file.
 *
 * A path is first rewritten (--file-map): of the rules whose old path it is, or lies below, the first counts. Then it
 * is looked for as it is (relative: below the folder the program was recorded in, then in the working directory), and
 * at last in the folders of the user's, under ever fewer of its last parts: DIR/src/lib/a.c, DIR/lib/a.c, DIR/a.c.
 */
#ifndef TENURE_PROFILE_LOCATE_H
#define TENURE_PROFILE_LOCATE_H

#include "profile/base/mem.h"

struct tp_search {
    const struct tp_file_map {
        const char *from, *to;
    } *map;
    size_t maps;
    const char *const *include; /* folders */
    size_t includes;
    const char *directory; /* that relative paths are below; NULL: not known */
};

struct tp_place {
    const char *path;      /* absolute, of a regular file; NULL: not found */
    const char *directory; /* one of search->include, if it was found there; else NULL */
    const char *name;      /* one for all paths of a file: where it is or, if not found, its path without . and .. */
};

/* -1: out of memory. */
int tp_locate(struct tp_arena *arena, const struct tp_search *search, const char *path, struct tp_place *place);

#endif
