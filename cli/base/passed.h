/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passed.h: options of a recording that are the engine's.
 *
 * They are handed on in the order in which they were given, since some are lists. Whoever asks for an option here gets
 * the value that it ends up with: the last one.
 */
#ifndef TENURE_CLI_PASSED_H
#define TENURE_CLI_PASSED_H

#include <stdbool.h>
#include <stddef.h>

enum { PASSED_MOST = 256 };

struct passed {
    char *at[PASSED_MOST]; /* "--name=value", never freed */
    size_t count;
};

/* An option without its dashes. A name that another tool has for one of ours becomes ours. False: too many. */
bool passed_add(struct passed *passed, const char *name, const char *value);

/* NULL: it was not given. */
const char *passed_value(const struct passed *passed, const char *name);
bool passed_is(const struct passed *passed, const char *name, const char *value);

#endif
