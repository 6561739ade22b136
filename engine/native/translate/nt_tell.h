/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_tell.h: control flow between functions and branches, told to the core by generated code.
 *
 * For instruction `i`, which leaves the block. What is known at translation is decided there: a jump inside its
 * function emits nothing, an indirect one compares its target with the function's range. Without simulation all of
 * this emits nothing. No register is aside, and flags are kept.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_TELL_H
#define TENURE_ENGINE_NATIVE_NT_TELL_H

#include "nt_block.h"

/* Whether a direct jump to `pc` is one to another function. */
bool nt_tells_jump(const struct nt_making *making, unsigned i, uint64_t pc);
/* The program is about to go on at `pc`; its stack pointer is what it is there. */
void nt_tell_jump(struct nt_making *making, unsigned i, uint64_t pc);
/* In front of a conditional jump, whose flags are set. */
void nt_tell_condition(struct nt_making *making, unsigned i);
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
