/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h: the sum of any number of profiles.
 *
 *   tp_merge *merge = tp_merge_new(keep, &err);
 *   each profile: tp_open, tp_merge_add, tp_close
 *   tp_merge_write(merge, path, &err); tp_merge_free(merge);
 *
 * Only one profile is open at a time, and only the sum is in memory. docs/profile-format.md says what becomes of what.
 * Merging is associative and commutative, but for ids.
 */
#ifndef TENURE_PROFILE_MERGE_H
#define TENURE_PROFILE_MERGE_H

#include "profile/profile.h"

/* What the costs of functions are kept apart by (table units), besides being summed. */
enum tp_keep { TP_KEEP_NONE, TP_KEEP_RANK, TP_KEEP_PROCESS, TP_KEEP_THREAD };

typedef struct tp_merge tp_merge;

tp_merge *tp_merge_new(enum tp_keep keep, struct tp_error *err);
/* The profile must have the events, the caches and the model of those before it. After a failure the merge can only be
 * freed. */
int tp_merge_add(tp_merge *merge, tp_profile *profile, struct tp_error *err);
/* Gives a key of the sum's meta data this value, whatever the profiles have. */
int tp_merge_meta(tp_merge *merge, const char *key, const char *value, struct tp_error *err);
/* At least one profile has been added. All or nothing: written beside `path`, then renamed. */
int tp_merge_write(tp_merge *merge, const char *path, struct tp_error *err);
void tp_merge_free(tp_merge *merge); /* NULL is fine */

#endif
