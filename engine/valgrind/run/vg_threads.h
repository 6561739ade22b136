/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_threads.h: threads, signals, forks: who runs.
 */
#ifndef TENURE_VG_THREADS_H
#define TENURE_VG_THREADS_H

#include "engine/valgrind/base/vg_tool.h"

/* Registers with Valgrind what is done here: all but turns. */
void vg_threads_track(void);

/* A turn of the thread begins: it is vg.current from now on, which is returned. */
tn_thread *vg_threads_turn(ThreadId tid);
/* It goes on in the program: tells the core what it could not be told earlier. */
void vg_threads_go(ThreadId tid);
/* Its turn is over. */
void vg_threads_stop(ThreadId tid);

/* Calls `see` for each thread. */
void vg_threads_see(void (*see)(void *user, tn_thread *thread), void *user);

/* Instrumentation begins (again): every thread's stack is to be learnt when it runs next. */
void vg_threads_begin_again(void);

#endif
