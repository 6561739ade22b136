/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_threads.h: threads, signals, forks: who runs.
 */
#ifndef TENURE_VG_THREADS_H
#define TENURE_VG_THREADS_H

#include "vg_tool.h"

/* Registers everything with Valgrind. */
void vg_threads_track(void);

/* Calls `see` for each thread. */
void vg_threads_see(void (*see)(void *user, tn_thread *thread), void *user);

/* Instrumentation begins (again): every thread's stack is to be learnt when it runs next. */
void vg_threads_begin_again(void);

#endif
