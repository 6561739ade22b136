/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_control.h: what another terminal asks for (engine/common/control_format.h), done at the beginning of a turn.
 *
 * Valgrind forgets translations only behind a system call, or at a request of the program. So what needs new ones
 * (instrumentation on or off, collection when it is switched for the first time) waits for one.
 */
#ifndef TENURE_VG_CONTROL_H
#define TENURE_VG_CONTROL_H

#include "engine/common/control.h"
#include "vg_tool.h"

extern struct control_page *vg_control_page; /* NULL: there is none */

/* Makes this process's, if --control-dir says where; without one if it cannot be made there. */
void vg_control_start(void);
/* This is the child of a fork. */
void vg_control_forked(void);
/* The process ends, or becomes another. */
void vg_control_end(void);

/* Does what is asked, unless it has to wait. */
void vg_control_perform(Bool behind_call);

#endif
