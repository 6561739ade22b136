/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h: how the library says what went wrong.
 *
 * TP_FAIL fills in a struct tp_error and is -1, so that a function fails in one statement:
 *
 *     return TP_FAIL(err, "%s: not a raw profile", path);
 *
 * Text that comes from files may hold anything; tp_error_set escapes what is not printable in the whole message.
 */
#ifndef TENURE_PROFILE_ERROR_H
#define TENURE_PROFILE_ERROR_H

#include "profile/profile.h"

#define TP_FAIL(err, ...) tp_error_set((err), __FILE__, __LINE__, __VA_ARGS__)
#define TP_NO_MEMORY(err) TP_FAIL((err), "out of memory")

/* Always -1. */
__attribute__((format(printf, 4, 5))) int tp_error_set(struct tp_error *err, const char *source, int line,
                                                       const char *format, ...);

/* What an import fails with when it is told to give up. */
#define TP_GIVEN_UP(err) TP_FAIL(err, "the import was interrupted")

#endif
