/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_check.h: whether a block's code does what its instructions do (--self-check=yes).
 *
 * The translator copies instructions and adds its own between them. A mistake in it would change results silently;
 * this finds it when the block is made. The code is decoded again, from the block's entry on, and followed with what
 * is known of each register: the program's value, a constant, the address of an operand, something else; of each
 * home in the area whether it holds the program's value; of each flag whether it is the program's. Then:
 *
 * - each instruction of the program is there, in order, unchanged but for its address, and that is the operand's;
 * - what it reads, in registers and flags, is the program's then;
 * - what the mark there tells a fault's handler is true: registers that are not aside hold the program's values,
 *   those that are have them in their homes;
 * - what is added writes no memory but through GS, no home but with its register's value, and no register that is
 *   not in its home;
 * - where the block may be left, all registers and flags are the program's.
 *
 * Not followed are heads, what failed tests lead to, and how a block's last instruction finds its target; and what
 * nt_decode says of an instruction is believed: that is for tests/native/test_decode.c.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CHECK_H
#define TENURE_ENGINE_NATIVE_NT_CHECK_H

#include "nt_block.h"

/* NULL: it does. Else what is wrong, near the instruction at *pc. */
const char *nt_check_block(const struct nt_making *making, uint64_t *pc);

#endif
