/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unfollowed.h: programs that the program has executed and that nobody profiles.
 *
 * Without --trace-children a forked child that executes a program is left alone from there on. Whoever reads the
 * profile of a shell or of a build is to know that: how many there were, and what the first was called. They are kept
 * in a page that forked children share with the program, so the numbers are what has been when the program ends.
 */
#ifndef TENURE_ENGINE_COMMON_UNFOLLOWED_H
#define TENURE_ENGINE_COMMON_UNFOLLOWED_H

#include "core/tenure_core.h"

struct unfollowed {
    uint32_t count;
    char first[60]; /* without its folders; "": not known */
};

/* An exec of `path` is about to succeed. */
void unfollowed_begins(struct unfollowed *all, const char *path);

/* It did not. */
void unfollowed_failed(struct unfollowed *all);

/* Into the meta data of the program's own profile: `unfollowed` and `unfollowed.first`. */
void unfollowed_meta(const struct unfollowed *all, tn_core *core);

#endif
