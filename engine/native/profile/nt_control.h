/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_control.h: what another terminal asks for (engine/common/control_format.h), done at safe points.
 *
 * One page for this process, shared with whoever opens its file. A child of fork gets one of its own.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CONTROL_H
#define TENURE_ENGINE_NATIVE_NT_CONTROL_H

#include "engine/common/control.h"
#include "engine/native/threads/nt_thread.h"

extern struct control_page *nt_control_page; /* NULL: there is none */

/* Makes it, if --control-dir says where; without one if it cannot be made there. */
void nt_control_start(const char *const *command);
/* This is the child of a fork. */
void nt_control_forked(void);
/* The process ends, or becomes another. */
void nt_control_end(void);

/* The thread is outside. Does what is asked. */
void nt_control_perform(struct nt_thread *thread);

#endif
