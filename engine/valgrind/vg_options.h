/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_options.h: the tool's command line.
 */
#ifndef TENURE_VG_OPTIONS_H
#define TENURE_VG_OPTIONS_H

#include "vg_tool.h"

/* Sets vg.options and vg.config to their defaults. */
void vg_options_default(void);

/* Valgrind's hooks for options: True if `argument` is one of ours. */
Bool vg_options_take(const HChar *argument);
void vg_options_usage(void);
void vg_options_debug_usage(void);

/* After the last option: completes the configuration; ends the run if it makes no sense. */
void vg_options_check(void);

#endif
