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

struct tp_file_table {
    struct tp_slots slots; /* of the recording's files */
};

/* Index + 1, in the recording's files, of `path`; 0: out of memory. */
uint32_t tp_file_add(struct tp_file_table *table, struct tp_recording *rec, const char *path);
void tp_file_table_free(struct tp_file_table *table);

#endif
