/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_control.h: the page on which another terminal asks for something (engine/common/control_format.h).
 *
 * One page for this process, shared with whoever opens its file. A child of fork gets one of its own.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CONTROL_H
#define TENURE_ENGINE_NATIVE_NT_CONTROL_H

#include "engine/common/control.h"

extern struct control_page *nt_control_page; /* NULL: there is none */

/* Makes it in the folder `control_dir` (NULL: none is wanted); without one if it cannot be made there. Both arguments
 * are kept. */
void nt_control_start(const char *control_dir, const char *const *command);
/* In the child of a fork: a page of its own, if the parent had one. */
void nt_control_forked(void);
/* The process ends, or becomes another. */
void nt_control_end(void);

#endif
