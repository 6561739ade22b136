/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sound.h: whether all that was asked of SQLite could be done.
 *
 * SQLite reports to one function what it cannot read and what it has no memory for, whoever asked and whether or not
 * they look at what it returns. The first such failure is kept until the process ends. Who makes something of a profile
 * asks tp_sound when it is made, and throws it away if it is not.
 */
#ifndef TENURE_PROFILE_SOUND_H
#define TENURE_PROFILE_SOUND_H

#include "profile/profile.h"

/* Before anything else that uses SQLite: listen. */
void tp_sound_begin(void);

/* An allocation failed that SQLite knows nothing of. */
void tp_sound_no_memory(void);

/* That failure is told; the next one is the first. No profile is open. */
void tp_sound_forget(void);

/* 0, or -1 with the first failure: the file, what of it cannot be read, and what to do. */
int tp_sound(struct tp_error *err);

/* Always -1: the file is damaged; what of it, and what to do. */
int tp_damaged(const char *path, const char *what, struct tp_error *err);

/* An open profile: it is looked at if something could not be read. */
void tp_sound_watch(tp_profile *profile);
void tp_sound_leave(tp_profile *profile);

#endif
