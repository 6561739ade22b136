/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_count.h: the simulation in generated code: the emission of a plan (nt_plan.h).
 *
 * In front of each instruction stands what it costs: at a stretch's first the additions to the thread's totals and
 * to its counter, then the hit tests of core/cache_hot.h for its fetch runs and data accesses. What they do when they
 * fail stands behind the block.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_COUNT_H
#define TENURE_ENGINE_NATIVE_NT_COUNT_H

#include "nt_block.h"
#include "nt_calls.h"

/* Plan the block, if there is a planner. */
void nt_count_plan(struct nt_making *making);
/* In front of instruction `i`: nothing of it has happened. Leaves registers aside. */
void nt_count_before(struct nt_making *making, unsigned i);
/* Directly in front of its bytes, with the registers that it reads in their places; and behind them. */
void nt_count_at(struct nt_making *making, unsigned i);
void nt_count_behind(struct nt_making *making, unsigned i);
/* Emits a jump that is taken if `condition` holds, to code behind the block that comes back here. The caller fills in
 * what that code does. */
enum { NT_ABOVE_OR_EQUAL = 3, NT_NOT_EQUAL = 5, NT_ABOVE = 7 };
struct nt_detour *nt_detour(struct nt_making *making, uint8_t condition);
/* Behind the block: where failed tests lead. */
void nt_count_detours(struct nt_making *making);

/* Call C in the middle of a block: all registers are kept, the stack pointer is the program's. */
void nt_call_c(struct nt_making *making, enum nt_call which);
/* The same for what does not keep flags. */
void nt_call_keeping_flags(struct nt_making *making, enum nt_call which);
/* An argument of it. Changes no flags, needs no register. */
void nt_argument(struct nt_making *making, unsigned index, uint64_t value);

#endif
