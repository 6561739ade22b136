/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_begin.c: waiting for where the recording begins (engine/common/options.h).
 *
 * Valgrind makes a block when it is to run. So a function that is waited for is entered where the block of its first
 * instruction is made: that block becomes one that does nothing but end the thread's turn, and behind the turn all
 * translations are discarded. Where a number of instructions is waited for, blocks add to the clock and end the turn
 * once that is due.
 *
 * A block that counts is the block itself and, at its beginning and behind each of its side exits, one addition to the
 * clock, of the instructions up to the next. In front of it all stands an exit to the block itself, taken when the
 * clock has come so far: only the core's clock needs to be looked at, since nothing but instructions moves it yet.
 */
#include "vg_run.h"

#include "engine/valgrind/base/vg_code.h"
#include "engine/valgrind/base/vg_host.h"
#include "engine/valgrind/translate/vg_emit.h"

/* Behind a system call, where Valgrind's core itself forgets what was unmapped, is as good as a client's request. */
void vg_discard_all(void)
{
    VG_(discard_translations)((Addr)0x1000, ~(ULong)0xfff, "tenure");
}

void vg_instrument_switch(Bool on)
{
    if (vg.instrumenting == on)
        return;
    vg.instrumenting = on;
    tn_label(vg.core, on ? "simulation on" : "simulation off");
    if (on)
        vg_threads_begin_again();
    else
        tn_instrument_off(vg.core);
    vg_discard_all();
}

static struct recording_start *const start = &vg.options.start;
static struct {
    enum start_phase phase; /* that begins behind this turn; START_WAITS: see how many instructions there were */
    Addr address;           /* of the block that says so */
    Bool found;
} next;

static void enter(enum start_phase phase, uint64_t instructions)
{
    if (phase == start->phase)
        return;
    start->phase = phase;
    vg_instrument_switch(True);
    if (phase != START_RUNS)
        return;
    options_started(&vg.options, vg.core, instructions);
    tn_collect(vg.core, start->collects);
}

void vg_begin_due(uint64_t instructions)
{
    if (vg.instrumenting)
        enter(start_after(start, instructions), instructions);
}

void vg_begin_late(void)
{
    uint64_t instructions;

    if (!next.found)
        return;
    next.found = False;
    VG_(discard_translations)(next.address, 1, "tenure");
    instructions = tn_instructions(vg.current);
    enter(next.phase == START_WAITS ? start_after(start, instructions) : next.phase, instructions);
}

Bool vg_begin_collects(Bool on)
{
    if (start->phase == START_RUNS)
        return False;
    start->collects = on;
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

/* Adds to the clock the instructions from statement `i` on, up to where the block may be left. */
static void advance(struct vg_builder *b, const IRSB *in, Int i)
{
    ULong count = 0;

    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_Exit; i++)
        count += in->stmts[i]->tag == Ist_IMark;
    if (count > 0)
        vg_add_to(b, offsetof(tn_thread, clock), vg_u64(count * TN_STEP));
}

static IRSB *count(IRSB *in, const VexGuestLayout *guest, Addr address)
{
    struct vg_builder b = {.guest = guest};
    Int i = copy_head(&b, in);
    /* What the clock shows when it is time; the first block is made before the first turn. */
    uint64_t now = vg.current != NULL ? vg.current->clock : TN_STEP;
    uint64_t due = now + start_left(start, vg.current != NULL ? tn_instructions(vg.current) : 0) * TN_STEP;
    IRTemp is_due;

    vg_emit_begin(&b);
    is_due = vg_assign(&b, IRExpr_Binop(Iop_CmpLE64U, vg_u64(due), vg_field(&b, offsetof(tn_thread, clock))));
    vg_call_helper(&b, "found", found, mkIRExprVec_2(vg_u64(START_WAITS), vg_u64(address)), IRExpr_RdTmp(is_due));
    addStmtToIRSB(b.block, IRStmt_Exit(IRExpr_RdTmp(is_due), Ijk_Yield, IRConst_U64(address), guest->offset_IP));
    advance(&b, in, i - 1);
    for (; i < in->stmts_used; i++) {
        addStmtToIRSB(b.block, in->stmts[i]);
        if (in->stmts[i]->tag == Ist_Exit)
            advance(&b, in, i + 1);
    }
    return b.block;
}

IRSB *vg_begin_block(IRSB *in, const VexGuestLayout *guest, Addr address)
{
    struct vg_builder b = {.guest = guest};
    struct code_function function;
    enum start_phase phase;
    Int i = 0;

    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        i++;
    if (start->phase == START_RUNS || i == in->stmts_used)
        return NULL;
    if (start_watches(start)) {
        vg_function_at(address, &function);
        phase = start_at(start, tn_function_flags(vg.core, function.id));
        if (function.start == address && phase != start->phase) { /* the block does nothing but end the turn */
            copy_head(&b, in);
            vg_call_helper(&b, "found", found, mkIRExprVec_2(vg_u64(phase), vg_u64(address)), NULL);
            b.block->next = vg_u64(address);
            b.block->jumpkind = Ijk_Yield;
            return b.block;
        }
    }
    return !vg.instrumenting && start_counts(start) ? count(in, guest, address) : NULL;
}
