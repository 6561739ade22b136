/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spill.h: memory whose resident part is bounded: an arena that goes on in a temporary file.
 *
 * The first `limit` bytes are ordinary memory, so that small work makes no file. What follows lies in pieces of a file
 * that has no name any more and is mapped: addresses stay good, and whoever uses them sees memory. The system may take
 * these pages back whenever it likes. So that it need not come to that, who walks over such memory says how much
 * (tp_spill_touch), and every `limit` bytes all pieces are let go: they are read again where they are needed.
 *
 * The file is where SQLite has its own: in $TMPDIR, or in /var/tmp, or in /tmp. Its blocks are reserved before they are
 * used, so that a full disk is noticed here, not by a signal. Where there is no place, all is ordinary memory.
 */
#ifndef TENURE_PROFILE_SPILL_H
#define TENURE_PROFILE_SPILL_H

#include "profile/base/mem.h"

enum { TP_SPILL_LIMIT = 32 << 20 }; /* usual */

struct tp_spill {
    size_t limit;
    struct tp_arena arena;
    size_t held; /* bytes of the arena */
    int file;    /* descriptor + 1; 0: none yet; -1: there can be none */
    size_t used; /* of the newest piece */
    TP_VECTOR(char *) piece;
    size_t touched;
};

struct tp_spill *tp_spill_new(size_t limit); /* NULL: out of memory */
void tp_spill_free(struct tp_spill *spill);  /* NULL is fine */
/* Zeroed, aligned to 8. NULL: out of memory. */
void *tp_spill_alloc(struct tp_spill *spill, size_t bytes);
void tp_spill_let_go(struct tp_spill *spill);

/* `bytes` more are about to be used, or have been. */
static inline void tp_spill_touch(struct tp_spill *spill, size_t bytes)
{
    if ((spill->touched += bytes) > spill->limit)
        tp_spill_let_go(spill);
}

#endif
