/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_hide.h: Valgrind's own descriptors, taken out of what the program reads of /proc/self/fd.
 */
#ifndef TENURE_VG_HIDE_H
#define TENURE_VG_HIDE_H

#include "vg_tool.h"

/* After a system call of the program. */
void vg_hide(ThreadId tid, UInt number, const UWord *arguments, SysRes result);

/* Before the program's first instruction: Valgrind opens a log file at a number of the program's, and leaves it so. */
void vg_hide_log(void);

#endif
