/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_emit.h: IR for what a block costs: counting a stretch, and the hit tests.
 */
#ifndef TENURE_VG_EMIT_H
#define TENURE_VG_EMIT_H

#include "engine/valgrind/base/vg_tool.h"
#include "vg_plan.h"

struct vg_group; /* vg_join.h */

struct vg_builder {
    IRSB *block;
    const VexGuestLayout *guest;
    const struct vg_plan *plan;
    const struct vg_stretch *stretch; /* the current one */
    IRTemp base;                      /* the thread, tn_thread * */
    Addr fetched;                     /* the line the last fetch run was in; 1: none */
    Bool cold;                        /* see vg_cold.h */
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

/* Small helpers for building IR. */
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

#endif
