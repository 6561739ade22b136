/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_begin.c: see vg_begin.h.
 *
 * A block that counts is the block itself and, at its beginning and behind each of its side exits, one addition to the
 * clock, of the instructions up to the next. In front of it all stands an exit to the block itself, taken when the
 * clock has come so far: only the core's clock needs to be looked at, since nothing but instructions moves it yet.
 */
#include "vg_begin.h"

#include "engine/valgrind/base/vg_code.h"
#include "engine/valgrind/translate/vg_emit.h"
#include "vg_threads.h"

/* Not announced to tools, who are to do this at a client's request only; behind a system call, where the core itself
 * forgets what was unmapped, is as good. */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

void vg_discard_all(void)
{
    VG_(discard_translations)((Addr)0x1000, ~(ULong)0xfff, "tenure");
}

void vg_instrument_switch(Bool on)
{
    if (vg.instrumenting == on)
        return;
    vg.instrumenting = on;
    if (on)
        vg_threads_begin_again();
    else
        tn_instrument_off(vg.core);
    vg_discard_all();
}

static struct {
    enum start_phase phase; /* that begins behind this turn; START_WAITS: see how many instructions there were */
    Addr address;           /* of the block that says so */
    Bool found;
} next;

static struct recording_start *start_of(void)
{
    return &vg.options.start;
}

static void enter(enum start_phase phase, uint64_t instructions)
{
    if (phase == start_of()->phase)
        return;
    start_of()->phase = phase;
    vg_instrument_switch(True);
    if (phase != START_RUNS)
        return;
    options_started(&vg.options, vg.core, instructions);
    tn_collect(vg.core, start_of()->collects);
}

void vg_begin_due(uint64_t instructions)
{
    if (vg.instrumenting)
        enter(start_after(start_of(), instructions), instructions);
}

void vg_begin_late(void)
{
    uint64_t instructions;

    if (!next.found)
        return;
    next.found = False;
    VG_(discard_translations)(next.address, 1, "tenure");
    instructions = tn_instructions(vg.current);
    enter(next.phase == START_WAITS ? start_after(start_of(), instructions) : next.phase, instructions);
}

Bool vg_begin_collects(Bool on)
{
    if (start_of()->phase == START_RUNS)
        return False;
    start_of()->collects = on;
    return True;
}

/* ------------------------------------------------------------------------------------------ blocks */

static void found(UWord phase, UWord address)
{
    next.phase = phase;
    next.address = address;
    next.found = True;
}

/* The block up to the mark of its first instruction; the next statement's number. */
static Int copy_head(struct vg_builder *b, IRSB *in)
{
    Int i = 0;

    b->block = deepCopyIRSBExceptStmts(in);
    for (; in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(b->block, in->stmts[i]);
    addStmtToIRSB(b->block, in->stmts[i]);
    return i + 1;
}

static IRSB *end_turn(IRSB *in, const VexGuestLayout *guest, Addr address, enum start_phase phase)
{
    struct vg_builder b = {.guest = guest};

    copy_head(&b, in);
    vg_call_helper(&b, "found", found, mkIRExprVec_2(vg_u64(phase), vg_u64(address)), NULL);
    b.block->next = vg_u64(address);
    b.block->jumpkind = Ijk_Yield;
    return b.block;
}

/* From statement `i` on, up to where the block may be left. */
static ULong instructions_ahead(const IRSB *in, Int i)
{
    ULong count = 0;

    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_Exit; i++)
        count += in->stmts[i]->tag == Ist_IMark;
    return count;
}

static IRExpr *clock_of(struct vg_builder *b)
{
    return IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(b->base), vg_u64(offsetof(tn_thread, clock)));
}

static void advance(struct vg_builder *b, ULong instructions)
{
    IRTemp address, now, then;

    if (instructions == 0)
        return;
    address = vg_assign(b, clock_of(b));
    now = vg_assign(b, IRExpr_Load(Iend_LE, Ity_I64, IRExpr_RdTmp(address)));
    then = vg_assign(b, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(now), vg_u64(instructions * TN_STEP)));
    addStmtToIRSB(b->block, IRStmt_Store(Iend_LE, IRExpr_RdTmp(address), IRExpr_RdTmp(then)));
}

/* What the clock shows when it is time; the first block is made before the first turn. */
static uint64_t due_clock(void)
{
    uint64_t ran = vg.current != NULL ? tn_instructions(vg.current) : 0;

    return (vg.current != NULL ? vg.current->clock : TN_STEP) + start_left(start_of(), ran) * TN_STEP;
}

static void leave_when_due(struct vg_builder *b, Addr address)
{
    IRTemp at = vg_assign(b, clock_of(b)), is_due;
    IRTemp now = vg_assign(b, IRExpr_Load(Iend_LE, Ity_I64, IRExpr_RdTmp(at)));

    is_due = vg_assign(b, IRExpr_Binop(Iop_CmpLE64U, vg_u64(due_clock()), IRExpr_RdTmp(now)));
    vg_call_helper(b, "found", found, mkIRExprVec_2(vg_u64(START_WAITS), vg_u64(address)), IRExpr_RdTmp(is_due));
    addStmtToIRSB(b->block, IRStmt_Exit(IRExpr_RdTmp(is_due), Ijk_Yield, IRConst_U64(address), b->guest->offset_IP));
}

static IRSB *count(IRSB *in, const VexGuestLayout *guest, Addr address)
{
    struct vg_builder b = {.guest = guest};
    Int i = copy_head(&b, in);

    vg_emit_begin(&b);
    leave_when_due(&b, address);
    advance(&b, 1 + instructions_ahead(in, i));
    for (; i < in->stmts_used; i++) {
        addStmtToIRSB(b.block, in->stmts[i]);
        if (in->stmts[i]->tag == Ist_Exit)
            advance(&b, instructions_ahead(in, i + 1));
    }
    return b.block;
}

static Bool has_instructions(const IRSB *in)
{
    Int i = 0;

    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        i++;
    return i < in->stmts_used;
}

IRSB *vg_begin_block(IRSB *in, const VexGuestLayout *guest, Addr address)
{
    struct code_function function;
    enum start_phase phase;

    if (start_of()->phase == START_RUNS || !has_instructions(in))
        return NULL;
    if (start_watches(start_of())) {
        vg_function_at(address, &function);
        phase = start_at(start_of(), tn_function_flags(vg.core, function.id));
        if (function.start == address && phase != start_of()->phase)
            return end_turn(in, guest, address, phase);
    }
    return !vg.instrumenting && start_counts(start_of()) ? count(in, guest, address) : NULL;
}
