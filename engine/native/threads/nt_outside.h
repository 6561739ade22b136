/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_outside.h: bringing threads out of generated code; changes of that code.
 *
 * When the memory for code is used up, all of it is forgotten, which can be done only while no thread is in it; and a
 * part of the profile is written, or a fork made, while no thread is in the core either. A thread is *outside* from
 * where it enters a system call, or waits in the dispatcher, until it looks for a block. Whoever is outside and has
 * something to tell the core, holds `world` meanwhile.
 *
 * A thread *rests* where it waits for the others in the middle of a block: that will do for all but forgetting code,
 * which gives way to it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_OUTSIDE_H
#define TENURE_ENGINE_NATIVE_NT_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "nt_thread.h"

/* Code at [start, start + bytes) is gone or changed. To be called before the program can notice. */
void nt_code_changed(uint64_t start, uint64_t bytes);
/* All code is forgotten, and made anew by what `planner` returns, or without simulation (NULL). The thread has none in
 * hand. `meanwhile`, if there is one, is called before, while all threads are outside. */
struct nt_planner;
void nt_code_made_by(struct nt_thread *self, struct nt_planner *(*planner)(void), void (*meanwhile)(void));

/* From one to the other, no other thread is in the core or on its way through the program's code, but for those that
 * wait to begin the same. `self` may be in the middle of a block; it holds no lock. */
void nt_stop_others(struct nt_thread *self);
void nt_others_go_on(struct nt_thread *self);

/* All code is forgotten, and its memory is free. The thread has none in hand. */
void nt_outside_empty_code(struct nt_thread *self);
/* From here on the thread may have code in hand. False: somebody wanted all outside meanwhile, so that nothing that it
 * had before is good any more. */
bool nt_outside_ends(struct nt_thread *thread);

/* A signal that comes with this wakes a thread that sleeps in the middle of a block, which rests then while others want
 * that. It holds no lock. */
#define NT_WAKES ((void *)&nt.stop)
void nt_outside_rest(struct nt_thread *thread);

#endif
