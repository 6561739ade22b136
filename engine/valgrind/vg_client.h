/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_client.h: what the program may notice of being profiled, undone before its first instruction.
 */
#ifndef TENURE_VG_CLIENT_H
#define TENURE_VG_CLIENT_H

#include "vg_tool.h"

/* Cleans the environment of the program, and gives it a stack pointer that depends on nothing. `tid` is the main
 * thread, about to run its first instruction. */
void vg_client_start(ThreadId tid);

#endif
