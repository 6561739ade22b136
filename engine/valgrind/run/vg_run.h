/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_run.h: what happens while the program runs: blocks are made, threads take turns, something is asked for, and at
 * some point the recording begins. Each file of this folder is about one of these. What is asked for has to wait for a
 * moment at which no translation runs.
 */
#ifndef TENURE_VG_RUN_H
#define TENURE_VG_RUN_H

#include "pub_tool_tooliface.h"
#include "engine/valgrind/base/vg_tool.h"

/* Valgrind's hook: a block is to run for which there is no translation (vg_instrument.c). */
IRSB *vg_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *guest,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word);

/* ------------------------------------------------------------------------------ requests, turns (vg_requests.c) */

/* Registers with Valgrind: turns, and requests of the program. */
void vg_requests_track(void);

/* Behind a system call, where translations may be forgotten: does what had to wait for that. */
void vg_requests_late(void);

/* ------------------------------------------------------------------------------ who runs (vg_threads.c) */

/* Registers with Valgrind what is done for threads, signals and forks: all but turns. */
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

/* ------------------------------------------------------------------------------ the start (vg_begin.c) */

/* The block at `address` as it is to be while something is waited for; NULL: as it is at other times. */
IRSB *vg_begin_block(IRSB *in, const VexGuestLayout *guest, Addr address);

/* Behind a turn: what its blocks have found out is done. */
void vg_begin_late(void);

/* Collection was asked for before the start: it is to be so from there on. False: the start has been. */
Bool vg_begin_collects(Bool on);

/* Simulation is on already, and the thread has run so many instructions. */
void vg_begin_due(uint64_t instructions);

/* Simulation is on from now on, or off. */
void vg_instrument_switch(Bool on);
/* All code is translated anew. */
void vg_discard_all(void);

#endif
