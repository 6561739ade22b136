/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_pool.h: memory for hundreds of thousands of small things, without a header for each, and with names that fit
 * into a short constant of generated code.
 */
#ifndef TENURE_VG_POOL_H
#define TENURE_VG_POOL_H

#include "vg_tool.h"

enum {
    VG_POOL_MAX = 16384,   /* bytes of one thing */
    VG_POOL_IDS = 1 << 30, /* ids are from 1 to this; 0 is none */
};

/* Not cleared, aligned to 8 bytes. Who gives it back must know its size. */
UInt vg_pool_get(SizeT bytes);
void *vg_pool_at(UInt id);
void vg_pool_put(UInt id, SizeT bytes);

#endif
