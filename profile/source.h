/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h: the text of source files.
 */
#ifndef TENURE_PROFILE_SOURCE_H
#define TENURE_PROFILE_SOURCE_H

#include "profile/mem.h"
#include "profile/profile.h"

/* The text of `path`, below the sysroot, as clean UTF-8 in `arena`; NULL if there is none, or none that could be a
 * source file (larger than 16 MiB, not a regular file, not readable). */
const char *tp_source_text(struct tp_arena *arena, const struct tp_import_options *options, const char *path);

#endif
