/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h: where something is, in words that are short enough for a line.
 *
 * Paths in profiles are long and absolute. The folder the program was recorded in is left off; of an object file
 * the name is enough. Both outputs are bytes from the profile: escape them before they are printed.
 */
#ifndef TENURE_CLI_PLACE_H
#define TENURE_CLI_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* "src/file.c:12"; without a file (""), the object's name, unless `function` begins with it. */
void place_long(tp_profile *profile, char *out, size_t size, const char *function, const char *file,
                int64_t line, const char *object);

/* "file.c:12 (libc.so.6)"; the program's own object is not named. */
void place_short(tp_profile *profile, char *out, size_t size, const char *function, const char *file,
                 int64_t line, const char *object);

/* "src/file.c". */
void place_file(tp_profile *profile, char *out, size_t size, const char *file);

#endif
