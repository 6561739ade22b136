/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_begin.h: waiting for where the recording begins (engine/common/start.h).
 *
 * Nothing is emitted for a function that is waited for: its first instruction is where no code has been made before, so
 * who is about to make some asks. Where a number of instructions is waited for, code is made by a planner that counts
 * them, and nothing else; the countdown gets shorter the nearer that number is.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_BEGIN_H
#define TENURE_ENGINE_NATIVE_NT_BEGIN_H

#include "nt_profile.h"

/* Behind nt_profile_start's planner. */
void nt_begin_prepare(void);

/* What makes code now; NULL: nothing is counted. */
struct nt_planner *nt_begin_planner(void);

/* No code was made for `pc`, where the thread is, in the program: true if the recording begins (or caches are warmed)
 * there, and all code was forgotten. */
bool nt_begin_here(struct nt_thread *thread, uint64_t pc);

/* Between two blocks, nt_request_lock held: the same, after so many instructions. */
void nt_begin_due(struct nt_thread *thread, uint64_t instructions);

/* Collection was asked for before the start: it is to be so from there on. False: the start has been. */
bool nt_begin_collects(bool on);

#endif
