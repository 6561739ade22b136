/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_emit.h: IR for what a block costs: counting a stretch, the hit tests, and what the core is told of control flow.
 */
#ifndef TENURE_VG_EMIT_H
#define TENURE_VG_EMIT_H

#include "engine/valgrind/base/vg_tool.h"
#include "vg_plan.h"

/* One of some neighbouring data accesses that share a hit test (vg_join.c). */
struct vg_member {
    UInt id;
    UShort order;    /* in the stretch */
    UShort distance; /* of its address from the group's lowest */
};

/* Such accesses together, for their helpers. It is made at translation and never freed: a stretch may be said to run
 * when its code is gone. */
struct vg_group {
    UInt segment, block;   /* block: see vg_builder.entry */
    UInt first, table;     /* what the first access is now, and the way table of all */
    UInt straddles;        /* times the group lay in two lines */
    ULong use;             /* of all, as in tn_way.use */
    ULong granules;        /* of all, from the lowest address on */
    ULong written;         /* of those that write, if that is kept */
    UInt span;             /* bytes from the lowest address on */
    UInt members;
    struct vg_member member[];
};

struct vg_builder {
    IRSB *block;
    const VexGuestLayout *guest;
    const struct vg_plan *plan;
    const struct vg_stretch *stretch; /* the current one */
    IRTemp base;                      /* the thread, tn_thread * */
    Addr fetched;                     /* the line the last fetch run was in; 1: none */
    Bool cold;                        /* translated cold: vg_cold.c */
    UInt entry;                       /* the block, for vg_cold_again; 0: it is not known there */
    struct vg_group *group;           /* of the last access; NULL: it is tested alone */
};

/* A counter, counted once, from C. */
static inline void vg_count(tn_thread *thread, UInt counter)
{
    uint64_t *counters = (uint64_t *)((UChar *)thread + vg.layout->counters);

    if (vg.separate)
        tn_count(thread, counter);
    else
        counters[counter] += vg.by_collecting ? thread->collecting : 1;
}

/* Small helpers for building IR: what is in a word of the thread, and adding to it, among others. */
IRExpr *vg_field(struct vg_builder *b, ULong distance);
void vg_add_to(struct vg_builder *b, ULong distance, IRExpr *value);
IRTemp vg_assign(struct vg_builder *b, IRExpr *value);
IRExpr *vg_u64(ULong value);
void vg_call_helper(struct vg_builder *b, const HChar *name, void *helper, IRExpr **arguments, IRExpr *guard);

/* Before anything is emitted that looks at the stretch from outside: it is counted from here on. */
void vg_emit_flush(struct vg_builder *b);

/* Reads the thread base; before anything else is emitted. */
void vg_emit_begin(struct vg_builder *b);

/* The second word of the first shadow says which stretch runs, for the case that it faults: of a hot one four times
 * the core's segment, plus 1, or four times the id of its latest group, plus 3; of a cold one twice its id in
 * vg_host.h; 0: none that has not been counted. Only stretches that can fault say so. Returns the constant, NULL if
 * nothing is said. */
IRConst *vg_emit_running(struct vg_builder *b, UInt word);

/* The clock, data and branch totals and the counter of a stretch, at its beginning. */
void vg_emit_stretch(struct vg_builder *b, const struct vg_stretch *stretch);

/* The fetch runs that begin with this instruction. */
void vg_emit_fetch(struct vg_builder *b, UInt insn);

/* The core's id for an access. */
UInt vg_declare_access(const struct vg_builder *b, const struct vg_access *access);

/* An access, before the statement that makes it. */
void vg_emit_access(struct vg_builder *b, UInt access);

/* ------------------------------------------------------------------------------ groups of accesses (vg_join.c) */

/* Marks the groups among the accesses of a block that is translated hot. */
void vg_join_find(struct vg_builder *b, const IRSB *block);

/* The group that begins with `access`; NULL if its accesses are better tested one by one. *id: its id. */
struct vg_group *vg_join_make(struct vg_builder *b, const struct vg_access *access, UInt *id);

/* The helper: the test of the group, at `low`, has failed. The additions must follow. */
void vg_join_slow(Addr low, struct vg_group *group);

/* The instruction at `address` has faulted in the stretch of group `id`. */
void vg_join_fault(ThreadId tid, UInt id, Addr address);

/* ------------------------------------------------------------------------------ blocks that run rarely (vg_cold.c) */

/* Is the block at `address` to be translated cold? If not, it has been hot. Begins recording if so. */
Bool vg_cold_begin(struct vg_builder *b, Addr address);

/* The block is to be translated again: something has been learned that makes hot code better. */
void vg_cold_again(UInt entry);

/* What vg_emit does in line, recorded instead. `branches`: conditional | indirect << 32. */
void vg_cold_stretch(struct vg_builder *b, ULong branches);
void vg_cold_fetch(struct vg_builder *b, const struct tn_fetch_info *run, UInt id);
void vg_cold_access(struct vg_builder *b, const struct vg_access *of, UInt id, UInt back, Bool more);

/* Accesses that one stretch may have. */
UInt vg_cold_slots(const struct vg_builder *b);

/* A counter that the stretch adds to beside its segment's. */
void vg_cold_counter(UInt counter);

/* Emits the call for the stretch, if there is one that has not been emitted. */
void vg_cold_flush(struct vg_builder *b);

/* The instruction at `address` has faulted in cold stretch `id` of this thread: what it did up to there happens now. */
void vg_cold_fault(ThreadId tid, UInt id, Addr address);

/* Between two blocks, when no translation runs: what has become hot is to be translated again. */
void vg_cold_promote(void);

/* Valgrind's hook: the translation of `address` is gone. */
void vg_cold_discarded(Addr address, VexGuestExtents extents);

/* ------------------------------------------------------------------------------ control flow (vg_calls.c) */

/* Tells the core: fell from the instruction `from` (an id) into `function`. */
void vg_emit_fall(struct vg_builder *b, UInt from, UInt function);

/* Before the side exit that is statement `stmt`, made by the plan's instruction `insn`: branches, and jumps into other
 * functions. */
void vg_emit_exit(struct vg_builder *b, UInt insn, UInt stmt, const IRStmt *exit);

/* At the beginning of a block, if that is where a function that allocates or frees does begin. */
void vg_emit_allocates(struct vg_builder *b);

/* At the end of the block: calls, returns, jumps. */
void vg_emit_end(struct vg_builder *b);

#endif
