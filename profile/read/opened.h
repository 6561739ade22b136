/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opened.h: what an open profile is, for the files of this library that add to it.
 *
 * Commands see none of it: they have tp_db and the functions of profile.h. Strings and formulas are in the arena, and
 * live as long as the profile.
 */
#ifndef TENURE_PROFILE_OPENED_H
#define TENURE_PROFILE_OPENED_H

#include <sqlite3.h>

#include "profile/base/mem.h"
#include "profile/raw/recording.h"
#include "profile/read/formula.h"

struct tp_profile {
    sqlite3 *db;
    struct tp_arena arena;
    const char *path;
    bool changed; /* seal.h */
    bool weighed; /* CEst has other weights than the file says (tp_weigh) */
    struct tp_profile *next_open; /* sound.c */
    TP_VECTOR(struct tp_event) events;
    TP_VECTOR(struct tp_pair) meta;
    struct tp_formula *formulas, *last_formula; /* in the order they were made */
};

/* Whether the tables and views of the file are, to the letter, those that this Tenure writes: 0, or -1 with the first
 * one that is missing or is not what it should be. A file from anywhere could have others of the same names: a view
 * that never ends, a table that runs code of SQLite when it is read. Events must have been read. */
int tp_genuine(tp_profile *profile, struct tp_error *err);

#endif
