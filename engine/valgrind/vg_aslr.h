/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_aslr.h: random addresses, where they are asked for.
 */
#ifndef TENURE_VG_ASLR_H
#define TENURE_VG_ASLR_H

#include "vg_tool.h"

/* How much further down the program's stack begins: 0 without --aslr=yes. */
SizeT vg_aslr_stack(void);

#endif
