/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_pool.h: memory for hundreds of thousands of small things, without a header for each.
 */
#ifndef TENURE_VG_POOL_H
#define TENURE_VG_POOL_H

#include "vg_tool.h"

enum { VG_POOL_MAX = 16384 }; /* bytes of one thing */

/* Not cleared, aligned to 8 bytes, never NULL. Who gives it back must know its size. */
void *vg_pool_get(SizeT bytes);
void vg_pool_put(void *memory, SizeT bytes);

#endif
