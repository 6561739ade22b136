/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_calls.h: IR that tells the core about calls, returns, jumps between functions, branches, and calls of
 * functions that allocate memory.
 */
#ifndef TENURE_VG_CALLS_H
#define TENURE_VG_CALLS_H

#include "vg_emit.h"

/* Fell from the instruction `from` (an id) into `function`. */
void vg_emit_fall(struct vg_builder *b, UInt from, UInt function);

/* Before the side exit that is statement `stmt`, made by the plan's instruction `insn`. */
void vg_emit_exit(struct vg_builder *b, UInt insn, UInt stmt, const IRStmt *exit);

/* At the beginning of a block, if that is where a function that allocates or frees does begin. */
void vg_emit_allocates(struct vg_builder *b);

/* At the end of the block. */
void vg_emit_end(struct vg_builder *b);

#endif
