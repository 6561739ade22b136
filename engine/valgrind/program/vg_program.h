/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_program.h: what the program that runs is to find as without Valgrind. Each file of this folder is about one thing:
 * vg_client, its initial stack; vg_aslr, addresses that are random where that is asked for; vg_hide, Valgrind's own
 * descriptors; vg_limits, how many it may have; vg_alias, code in memory that is mapped twice; vg_busy, the program's
 * file, to which nobody may write.
 */
#ifndef TENURE_VG_PROGRAM_H
#define TENURE_VG_PROGRAM_H

#include "engine/valgrind/base/vg_tool.h"

/* Cleans the environment of the program, and gives it a stack pointer that depends on nothing. `tid` is the main
 * thread, about to run its first instruction. */
void vg_client_start(ThreadId tid);

/* How many bytes further down the program's stack begins: 0 without --aslr=yes. */
SizeT vg_aslr_stack(void);

/* Before the program's first instruction: Valgrind opens a log file at a number of the program's, and leaves it so. */
void vg_hide_log(void);
void vg_limits_begin(void);

/* After each of the program's system calls. */
void vg_hide(ThreadId tid, UInt number, const UWord *arguments, SysRes result);
void vg_limits(ThreadId tid, UInt number, const UWord *arguments, SysRes result);
void vg_alias_call(UInt number, const UWord *arguments, SysRes result);

/* The program becomes another one, which inherits its limits. */
void vg_limits_hand_on(void);

#endif
