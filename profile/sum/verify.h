/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.h: whether all of a profile hangs together. What opening it sees, checksums and definitions of tables and
 * views, is taken to be right.
 */
#ifndef TENURE_PROFILE_VERIFY_H
#define TENURE_PROFILE_VERIFY_H

#include "profile/profile.h"

/* Read every table: 0, and how many rows there are in all; or -1 and the first thing that is wrong. */
int tp_verify(tp_profile *profile, uint64_t *rows, struct tp_error *err);

/* The same of a raw profile, all of whose records are read: how many parts it has, all of them whole. */
int tp_verify_raw(const char *path, uint64_t *parts, struct tp_error *err);

#endif
