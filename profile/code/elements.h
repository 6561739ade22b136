/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elements.h: what the data of a program is made of, found out before it runs.
 *
 * A data object's costs are told apart by their offset in an element (docs/attribution.md, section 11), so the
 * engine has to know elements while the program runs. What debug information says of globals, and of the places where
 * allocations return to, is put into a file (core/element_format.h) that the engine reads.
 */
#ifndef TENURE_PROFILE_ELEMENTS_H
#define TENURE_PROFILE_ELEMENTS_H

#include "profile/profile.h"

/* Write what is known of `program` and of the libraries it needs to `out`. Returns the number of entries; 0: there is
 * no debug information, and no file; -1: failed. */
int64_t tp_elements_write(const char *program, const char *out, struct tp_error *err);

#endif
