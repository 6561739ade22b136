/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filetable.h: the source files of a recording, each path once.
 *
 * Debug information names a file in every unit that includes it, and not always with the same characters. Paths
 * are tidied before they are compared.
 */
#ifndef TENURE_PROFILE_FILETABLE_H
#define TENURE_PROFILE_FILETABLE_H

#include "profile/raw/recording.h"

/* Index + 1, in the recording's files, of `path`; `slots` is of these files. 0: out of memory. */
uint32_t tp_file_add(struct tp_slots *slots, struct tp_recording *rec, const char *path);

#endif
