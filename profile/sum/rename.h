/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rename.h: sed-like expressions, s/old/new/flags.
 *
 * `old` is an extended regular expression of POSIX. In `new`, \1 to \9 are its groups, & the whole match, and a
 * backslash takes their meaning from & and itself. Any character may stand for /, with a backslash before it where it
 * is meant. Flags: g (all matches, not the first alone), i (upper or lower case). Several expressions are joined by
 * ';'.
 */
#ifndef TENURE_PROFILE_RENAME_H
#define TENURE_PROFILE_RENAME_H

#include "profile/profile.h"

struct tp_rename;

/* NULL: `err` says what is wrong with it, and where. */
struct tp_rename *tp_rename_new(const char *expression, struct tp_error *err);
/* The text after all expressions, to be freed. NULL: out of memory. */
char *tp_rename_text(const struct tp_rename *rename, const char *text);
void tp_rename_free(struct tp_rename *rename); /* NULL is fine */

#endif
