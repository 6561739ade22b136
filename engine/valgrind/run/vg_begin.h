/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_begin.h: waiting for where the recording begins (engine/common/start.h).
 *
 * Valgrind makes a block when it is to run. So a function that is waited for is entered where the block of its first
 * instruction is made: that block becomes one that does nothing but end the thread's turn, and behind the turn all
 * translations are discarded. Where a number of instructions is waited for, blocks add to the clock and end the turn
 * once that is due.
 */
#ifndef TENURE_VG_BEGIN_H
#define TENURE_VG_BEGIN_H

#include "pub_tool_tooliface.h"
#include "engine/valgrind/base/vg_tool.h"

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
