/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.h: what the program asks for while it runs.
 */
#ifndef TENURE_VG_REQUESTS_H
#define TENURE_VG_REQUESTS_H

#include "engine/common/requests.h"
#include "engine/valgrind/base/vg_tool.h"

/* Registers with Valgrind: turns, and requests of the program. */
void vg_requests_track(void);

/* Behind a system call, where translations may be forgotten: does what had to wait for that. */
void vg_requests_late(void);

#endif
