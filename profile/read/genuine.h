/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * genuine.h: whether the tables and views of a file are those of a profile.
 *
 * A file from anywhere could have others of the same names: a view that never ends, a table that runs code of SQLite
 * when it is read. Tables and views of a profile are what this Tenure writes, to the letter.
 */
#ifndef TENURE_PROFILE_GENUINE_H
#define TENURE_PROFILE_GENUINE_H

#include "profile/profile.h"

/* 0, or -1 with the first one that is missing or is not what it should be. Events must have been read. */
int tp_genuine(tp_profile *profile, struct tp_error *err);

#endif
