/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_plan.h: what a block of guest code does, before any of it is emitted.
 *
 * A block is cut into stretches. A stretch is entered only at its beginning and left only at its end, so that its
 * fetches and accesses can be counted at once, by the clock and by one counter. It ends behind an instruction
 * with a side exit, behind an access that happens only sometimes (its place in time is known only when it
 * happens), and where the next instruction belongs to another function. What an instruction still accesses behind
 * its own side exit (rep movs: "none left? then go on"; the copy) is a stretch without instructions, *late*; its
 * accesses have counters of their own.
 */
#ifndef TENURE_VG_PLAN_H
#define TENURE_VG_PLAN_H

#include "libvex.h"
#include "engine/valgrind/base/vg_tool.h"

struct vg_access {
    UInt stmt;       /* the statement that makes it */
    IRExpr *address; /* an atom */
    IRExpr *guard;   /* an atom: happens if true; NULL: always */
    UInt insn;
    UInt order; /* place among the stretch's fetches and accesses, from 0 */
    UShort size;
    UChar kind; /* enum tn_kind */
    Bool late;
    UShort members, place; /* vg_join.c: the first of a group, its accesses; any other: its place behind that, from 1 */
    Long distance;         /* of its address from the first one's */
};

struct vg_insn {
    Addr address;
    UInt length;
    UInt function; /* the core's id */
    UInt order;    /* of its fetch */
    UInt id;       /* the core's */
    UInt branch;   /* the statement of its conditional branch, or 0 */
    UShort reads, writes;
    UChar flags; /* TN_INSTR_* */
    Bool atomic;
};

struct vg_stretch {
    UInt stmt;        /* begins at this statement */
    UInt insn, insns; /* insns == 0: late */
    UInt count;       /* fetches and accesses */
    UInt reads, writes;
    UInt entered_from; /* id of the instruction that fell into another function, or TN_NONE */
    UInt segment;      /* the core's, if insns > 0 */
    Bool divides;      /* one of its instructions may fault without an access */
};

struct vg_plan {
    struct vg_insn *insn;
    struct vg_access *access;
    struct vg_stretch *stretch;
    UInt insns, accesses, stretches;
    Addr function_start, function_end; /* range of the last instruction's function */
};

/* A division: the only thing that faults besides accesses. */
Bool vg_plan_divides(const IRStmt *statement);

/* Lives until the translation is done. */
struct vg_plan *vg_plan_make(const IRSB *block);

#endif
