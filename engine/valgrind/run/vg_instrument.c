/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_instrument.c: from a block of guest code to the same block with its costs.
 *
 * Two passes: vg_plan reads the block, this one copies it, statement by statement, and puts in front of each what
 * the plan says: a stretch's counting behind the mark of its first instruction, the fetches of each instruction
 * behind its mark, a data access's test before the access, control flow before each exit and at the end.
 */
#include "vg_run.h"

#include "engine/valgrind/base/vg_code.h"
#include "engine/valgrind/translate/vg_emit.h"

struct cursor {
    UInt insn, access, stretch; /* the next of each */
};

static void begin_stretch(struct vg_builder *b, struct cursor *next)
{
    const struct vg_stretch *stretch = &b->plan->stretch[next->stretch++];

    vg_emit_flush(b);
    if (stretch->entered_from != 0)
        vg_emit_fall(b, stretch->entered_from, b->plan->insn[stretch->insn].function);
    vg_emit_stretch(b, stretch);
}

static void copy_statement(struct vg_builder *b, struct cursor *next, UInt i, IRStmt *s)
{
    const struct vg_plan *plan = b->plan;
    Bool begins = next->stretch < plan->stretches && plan->stretch[next->stretch].stmt == i;

    if (s->tag == Ist_IMark) {
        addStmtToIRSB(b->block, s);
        if (begins)
            begin_stretch(b, next);
        if (vg.config.data && next->insn == 0)
            vg_emit_allocates(b);
        vg_emit_fetch(b, next->insn++);
        return;
    }
    if (begins)
        begin_stretch(b, next);
    while (next->access < plan->accesses && plan->access[next->access].stmt == i)
        vg_emit_access(b, next->access++);
    if (s->tag == Ist_Exit) {
        vg_emit_flush(b);
        vg_emit_exit(b, next->insn - 1, i, s);
    }
    if (vg_plan_divides(s)) /* VEX keeps the program counter where an access may fault, but not here */
        addStmtToIRSB(b->block, IRStmt_Put(b->guest->offset_IP, vg_u64(plan->insn[next->insn - 1].address)));
    addStmtToIRSB(b->block, s);
}

IRSB *vg_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *guest,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word)
{
    struct vg_builder b = {.guest = guest};
    struct cursor next = {0};
    Bool small = True; /* a cold stretch has room for a limited number of accesses */
    IRSB *waiting;
    Int i = 0;

    (void)extents;
    (void)host;
    if (guest_word != host_word)
        VG_(tool_panic)("host and guest words differ");
    waiting = vg_begin_block(in, guest, closure->nraddr);
    if (waiting != NULL)
        return waiting;
    if (!vg.instrumenting)
        return in;
    b.plan = vg_plan_make(in);
    if (b.plan->insns == 0)
        return in;
    b.block = deepCopyIRSBExceptStmts(in);
    for (UInt k = 0; k < b.plan->stretches; k++)
        small = small && b.plan->stretch[k].count <= vg_cold_slots(&b);
    b.cold = small && vg_cold_begin(&b, closure->nraddr);
    for (; in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(b.block, in->stmts[i]);
    if (!b.cold)
        vg_join_find(&b, in);
    vg_emit_begin(&b);
    for (; i < in->stmts_used; i++)
        copy_statement(&b, &next, i, in->stmts[i]);
    vg_emit_flush(&b);
    vg_emit_end(&b);
    vg.blocks++;
    vg.guest_instrs += b.plan->insns;
    return b.block;
}
