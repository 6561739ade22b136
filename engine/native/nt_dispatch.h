/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_dispatch.h: the engine's side of the thread's loop (nt_run calls nt_dispatch, nt_gate.h), and what others need
 * of it: invalidating code.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_DISPATCH_H
#define TENURE_ENGINE_NATIVE_NT_DISPATCH_H

#include <stdint.h>

#include "engine/native/threads/nt_thread.h"

/* In place of an exit's index: go on at area->rip. */
#define NT_RESUME (~0UL)

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

#endif
