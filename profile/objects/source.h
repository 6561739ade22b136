/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h: the text of source files, and which files have any.
 *
 * A profile names its source files, and whoever made it may have named any file of its reader's. Text is read only of a
 * regular file of at most 16 MiB that, with all links followed, is one of these:
 *
 *   below a folder that the user has named
 *   readable for everybody, by its mode
 *   named like a source file and the user's own; of root's files that says nothing, since all of the system is root's
 *
 * The folders and contents that a profile says do not count: they are said by whoever named the file.
 */
#ifndef TENURE_PROFILE_SOURCE_H
#define TENURE_PROFILE_SOURCE_H

#include <stdbool.h>

#include "profile/base/mem.h"
#include "profile/profile.h"

struct tp_source_access {
    const char *const *folder; /* those that the user has named; NULL ones are none */
    size_t folders;
    bool anywhere; /* any regular file may be read */
};

/* The text of the file at `path` as clean UTF-8 in `arena`; NULL: there is none, or none is read. */
const char *tp_source_text(struct tp_arena *arena, const struct tp_source_access *access, const char *path);
/* The same in an import: below the sysroot, and only of an absolute path. */
const char *tp_source_imported(struct tp_arena *arena, const struct tp_import_options *options, const char *path);

/* Why the text of a file that is there is not read, in a few words; NULL: it is, or there is none. */
const char *tp_source_refused(const struct tp_source_access *access, const char *path);

#endif
