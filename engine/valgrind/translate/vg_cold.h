/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_cold.h: blocks that have not run often yet: little IR, one helper call for each stretch.
 */
#ifndef TENURE_VG_COLD_H
#define TENURE_VG_COLD_H

#include "vg_emit.h"

/* Is the block at `address` to be translated cold? If not, it has been hot. Begins recording if so. */
Bool vg_cold_begin(struct vg_builder *b, Addr address);

/* The block is to be translated again: something has been learned that makes hot code better. */
void vg_cold_again(UInt entry);

/* What vg_emit does in line, recorded instead. */
void vg_cold_stretch(struct vg_builder *b);
void vg_cold_fetch(struct vg_builder *b, const struct tn_fetch_info *run, UInt id);
void vg_cold_access(struct vg_builder *b, const struct vg_access *of, UInt id, UInt back, Bool more);

/* Branches of the stretch: conditional | indirect << 32. */
void vg_cold_branches(ULong branches);

/* Accesses that one stretch may have. */
UInt vg_cold_slots(const struct vg_builder *b);

/* A counter that the stretch adds to beside its segment's. */
void vg_cold_counter(struct vg_builder *b, UInt counter);

/* Emits the call for the stretch, if there is one that has not been emitted. */
void vg_cold_flush(struct vg_builder *b);

/* The instruction at `address` has faulted in cold stretch `id` of this thread: what it did up to there happens now. */
void vg_cold_fault(ThreadId tid, UInt id, Addr address);

/* Between two blocks, when no translation runs: what has become hot is to be translated again. */
void vg_cold_promote(void);

/* Valgrind's hook: the translation of `address` is gone. */
void vg_cold_discarded(Addr address, VexGuestExtents extents);

#endif
