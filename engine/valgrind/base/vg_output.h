/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vg_output.h: the raw profile's file; and the page of `tenure control`, which says where that is. */
#ifndef TENURE_VG_OUTPUT_H
#define TENURE_VG_OUTPUT_H

#include "vg_tool.h"

/* Creates the file (never one that exists), so that a bad name or directory ends the run before the program starts. */
void vg_output_begin(void);
/* The file; "" if there is none yet. */
const HChar *vg_output_name(void);

/* Appends a part. A failure is told once; the part is lost and the run goes on. */
void vg_output_part(const HChar *why);

/* The last part: nothing may be written after it. */
void vg_output_finish(const HChar *why);

/* This process is a forked child: its parts go to a file of its own. */
void vg_output_forked(void);

/* ---------------------------------------------------------------------- the page of `tenure control` (vg_control.c) */

/* Makes this process's, if --control-dir says where; without one if it cannot be made there. */
void vg_control_start(void);
/* This is the child of a fork. */
void vg_control_forked(void);
/* The process ends, or becomes another. */
void vg_control_end(void);

#endif
