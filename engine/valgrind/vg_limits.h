/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_limits.h: the limit of open descriptors, as the program sees it.
 */
#ifndef TENURE_VG_LIMITS_H
#define TENURE_VG_LIMITS_H

#include "vg_tool.h"

/* Before the program's first instruction. */
void vg_limits_begin(void);

/* After each of the program's system calls. */
void vg_limits(ThreadId tid, UInt number, const UWord *arguments, SysRes result);

/* The program becomes another one, which inherits its limits. */
void vg_limits_hand_on(void);

#endif
