/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_control.h: the page on which another terminal asks for something (engine/common/control_format.h), as
 * vg.control_page. Each process has one of its own. What is asked there is done by vg_requests.c.
 */
#ifndef TENURE_VG_CONTROL_H
#define TENURE_VG_CONTROL_H

#include "engine/valgrind/base/vg_tool.h"

/* Makes this process's, if --control-dir says where; without one if it cannot be made there. */
void vg_control_start(void);
/* This is the child of a fork. */
void vg_control_forked(void);
/* The process ends, or becomes another. */
void vg_control_end(void);

#endif
