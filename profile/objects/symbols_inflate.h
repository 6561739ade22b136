/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_inflate.h: compressed debug sections made plain before libdw sees them.
 *
 * A distribution's debug files are compressed. libdw inflates them itself, with zlib, and that was half of the time of
 * importing a short run; libdeflate takes less than half as long. What cannot be inflated here stays as it is, for
 * libdw to judge.
 */
#ifndef TENURE_PROFILE_SYMBOLS_INFLATE_H
#define TENURE_PROFILE_SYMBOLS_INFLATE_H

#include <libelf.h>

#include "profile/base/mem.h"

typedef TP_VECTOR(void *) tp_inflated;

/* Of an ELF file that has just been opened (nothing has asked for its sections yet): each debug section that zlib
 * compressed gets its plain bytes. They are noted in `inflated` and must outlive the file: tp_inflated_free behind
 * elf_end. Sizes are not believed: a section that says it is larger than deflate can make it is left alone. */
void tp_inflate_debug(Elf *elf, tp_inflated *inflated);
void tp_inflated_free(tp_inflated *inflated);

#endif
