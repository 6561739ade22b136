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

/* Fill in what the code of tests finds in a thread's area. */
void nt_count_thread(const struct nt_planner *planner, struct nt_area *area);
/* Plan the block, if there is a planner. */
void nt_count_plan(struct nt_making *making);
/* In front of instruction `i`: nothing of it has happened. Leaves registers aside. */
void nt_count_before(struct nt_making *making, unsigned i);
/* Directly in front of its bytes, with the registers that it reads in their places; and behind them. */
void nt_count_at(struct nt_making *making, unsigned i);
void nt_count_behind(struct nt_making *making, unsigned i);
/* Emits a jump that is taken if `condition` holds, to code behind the block that comes back here. The caller fills in
 * what that code does. */
enum { NT_BELOW = 2, NT_ABOVE_OR_EQUAL = 3, NT_NOT_EQUAL = 5, NT_BELOW_OR_EQUAL = 6, NT_ABOVE = 7 };
struct nt_detour *nt_detour(struct nt_making *making, uint8_t condition);
/* The same for a call of `call` with `argument` if rcx is not 0. Changes no flags. */
void nt_detour_unless_rcx(struct nt_making *making, enum nt_call call, uint64_t argument);
/* Behind the block: where failed tests lead. */
void nt_count_detours(struct nt_making *making);

/* Call C in the middle of a block: all registers are kept, the stack pointer is the program's. */
void nt_call_c(struct nt_making *making, enum nt_call which);
/* The same for what does not keep flags. */
void nt_call_keeping_flags(struct nt_making *making, enum nt_call which);
/* An argument of it. Changes no flags, needs no register. */
void nt_argument(struct nt_making *making, unsigned index, uint64_t value);

/* ----------------------------------------------------------------------- control flow, told to the core (nt_tell.c) */

/* Whether a direct jump to `pc` is one to another function. */
bool nt_tells_jump(const struct nt_making *making, unsigned i, uint64_t pc);
/* The program is about to go on at `pc`; its stack pointer is what it is there. */
void nt_tell_jump(struct nt_making *making, unsigned i, uint64_t pc);
/* For C that finds out where it leads: the instruction and its function, where jumps are told. */
void nt_tell_site(struct nt_making *making, unsigned i);
/* In front of a conditional jump, whose flags are set; elsewhere this emits nothing. Leaves registers aside. */
void nt_tell_condition(struct nt_making *making, unsigned i);
/* Behind a `loop` and its like, on one of its ways. */
void nt_tell_taken(struct nt_making *making, unsigned i, bool taken);
/* In front of the block's first instruction: it may be that of a function that allocates or frees memory. */
void nt_tell_allocation(struct nt_making *making);
/* A call of a known function; the return address is pushed. */
void nt_tell_call(struct nt_making *making, unsigned i);
/* A call, or a jump, whose target is in NT_RIP. True if it has been looked up on the way: NT_GO says where to go on. */
bool nt_tell_call_found(struct nt_making *making, unsigned i);
bool nt_tell_jump_found(struct nt_making *making, unsigned i);
/* A return is to be made, which pops `bytes` bytes. Changes rdx, which is aside. */
void nt_tell_return(struct nt_making *making, unsigned i, uint64_t bytes);

#endif
