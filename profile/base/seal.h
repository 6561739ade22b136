/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seal.h: checksums of a profile's file, so that no damaged byte of it is taken for what was written.
 *
 * Behind SQLite's last page there is a seal: for each TP_SEAL_PIECE bytes of what is in front of it (the last piece may
 * be shorter) its CRC-32; then how many bytes that are in all, CRC-32 of the seal up to here, and TP_SEAL_MAGIC.
 * Numbers are big-endian, as SQLite's are. SQLite's header says how many pages there are, so it looks at nothing behind
 * them.
 *
 * SQLite counts in its header how often a file was changed. A sealed file has TP_SEAL_CHANGES there, twice. In a file
 * that was changed by somebody else since, or made anew, both numbers are equal and others: nothing can be said of it.
 */
#ifndef TENURE_PROFILE_SEAL_H
#define TENURE_PROFILE_SEAL_H

#include "profile/profile.h"

#define TP_SEAL_MAGIC "TnurSums"
enum { TP_SEAL_PIECE = 1 << 20, TP_SEAL_CHANGES = 0x74656E75 };

/* Seal the file that SQLite has written and closed. 0, or -1 with errno. */
int tp_seal(const char *path);

/* Read all of a profile: 0, or -1: it is not what was sealed, or cannot be read. `changed`: it is whole, but was
 * changed since, so that no more is known. */
int tp_sealed(const char *path, bool *changed, struct tp_error *err);

#endif
