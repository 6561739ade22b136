/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_calls.c: control flow between functions.
 *
 * What is known at translation is decided there: a direct jump inside its function emits nothing; an indirect one
 * compares its target with the function's range in line. A direct call's callee is looked up at translation, an
 * indirect one's in its helper. `call next` is no call (its target is its own return address). A call at the very
 * end of its function (the dynamic linker's _start) would return into another one: the core is told that it has no
 * return address, so that it asks whose code the return leads to. All other questions (tail calls, skipped functions,
 * unwinding) are the core's.
 *
 * A helper gets the stack pointer as it is at the end of the block, behind everything the block did.
 */
#include "vg_emit.h"

#include "libvex_guest_amd64.h"

#include "engine/valgrind/base/vg_code.h"
#include "engine/valgrind/base/vg_output.h"

/* ------------------------------------------------------------------------------------------ helpers */

/* After a transfer, where functions may ask for dumps. */
static void function_dump(void)
{
    if (tn_dump_wanted(vg.core, vg.current))
        vg_output_part("function");
}

static void call_known(UWord site_and_function, Addr sp, Addr return_address)
{
    tn_call(vg.current, (UInt)site_and_function, site_and_function >> 32, sp, return_address);
}

static void call_found(UWord site, Addr target, Addr sp, Addr return_address)
{
    if (target == return_address)
        return;
    tn_call(vg.current, site, vg_callee_id(target), sp, return_address);
}

static void call_found_at_end(UWord site, Addr target, Addr sp, Addr return_address)
{
    if (target == return_address)
        return;
    tn_call(vg.current, site, vg_callee_id(target), sp, 0);
}

static void returned(UWord site, Addr sp, Addr target)
{
    tn_return(vg.current, site, sp, target);
}

static void jumped_known(UWord site_and_function, Addr sp)
{
    tn_jump(vg.current, (UInt)site_and_function, site_and_function >> 32, sp);
}

/* The target is outside the range the jump is in; it may be in another piece of the same function. */
static void jumped_found(UWord site_and_function, Addr target, Addr sp)
{
    UInt function = vg_function_id(target);

    if (function == site_and_function >> 32)
        return;
    tn_jump(vg.current, (UInt)site_and_function, function, sp);
}

static void branched(UWord instr, UWord taken)
{
    tn_branch_cond(vg.current, instr, taken != 0);
}

static void branched_to(UWord instr, Addr target)
{
    tn_branch_indirect(vg.current, instr, target);
}

/* ------------------------------------------------------------------------------------------ emission */

static const struct vg_insn *last_insn(const struct vg_builder *b)
{
    return &b->plan->insn[b->plan->insns - 1];
}

static IRExpr *pair(UInt site, UInt function)
{
    return vg_u64(site | (ULong)function << 32);
}

static IRExpr *stack_pointer(struct vg_builder *b)
{
    return IRExpr_RdTmp(vg_assign(b, IRExpr_Get(b->guest->offset_SP, Ity_I64)));
}

static void emit_helper(struct vg_builder *b, const HChar *name, void *helper, IRExpr **arguments, IRExpr *guard)
{
    vg_call_helper(b, name, helper, arguments, guard);
    if (vg.options.functions_dump)
        vg_call_helper(b, "function_dump", function_dump, mkIRExprVec_0(), guard);
}

static void emit_jump(struct vg_builder *b, UInt site, UInt function, IRExpr *guard)
{
    emit_helper(b, "jumped_known", jumped_known, mkIRExprVec_2(pair(site, function), stack_pointer(b)), guard);
}

void vg_emit_fall(struct vg_builder *b, UInt from, UInt function)
{
    if (vg.config.inclusive)
        emit_jump(b, from, function, NULL);
}

static UInt function_of(const struct vg_builder *b, const struct vg_insn *insn, Addr target)
{
    struct code_function function;

    if (insn == last_insn(b) && target >= b->plan->function_start && target < b->plan->function_end)
        return insn->function;
    vg_function_at(target, &function);
    return function.id;
}

void vg_emit_exit(struct vg_builder *b, UInt index, UInt stmt, const IRStmt *exit)
{
    const struct vg_insn *insn = &b->plan->insn[index];

    if (vg.config.branch_sim && insn->branch == stmt) {
        IRExpr *taken = IRExpr_RdTmp(vg_assign(b, IRExpr_Unop(Iop_1Uto64, exit->Ist.Exit.guard)));

        /* The exit is the way straight on: the branch is taken if it is not. */
        if (exit->Ist.Exit.dst->Ico.U64 == insn->address + insn->length)
            taken = IRExpr_RdTmp(vg_assign(b, IRExpr_Binop(Iop_Xor64, taken, vg_u64(1))));
        vg_call_helper(b, "branched", branched, mkIRExprVec_2(vg_u64(insn->id), taken), NULL);
    }
    if (vg.config.inclusive && exit->Ist.Exit.jk == Ijk_Boring) {
        UInt function = function_of(b, insn, exit->Ist.Exit.dst->Ico.U64);

        if (function != insn->function)
            emit_jump(b, insn->id, function, exit->Ist.Exit.guard);
    }
}

static void emit_call(struct vg_builder *b, const struct vg_insn *insn, IRExpr *target)
{
    Addr return_address = insn->address + insn->length;
    Bool at_end = function_of(b, insn, return_address) != insn->function;

    if (target->tag != Iex_Const) {
        emit_helper(b, at_end ? "call_found_at_end" : "call_found", at_end ? call_found_at_end : call_found,
                    mkIRExprVec_4(vg_u64(insn->id), target, stack_pointer(b), vg_u64(return_address)), NULL);
        return;
    }
    if (target->Iex.Const.con->Ico.U64 == return_address)
        return;
    UInt callee = vg_callee_id(target->Iex.Const.con->Ico.U64);
    emit_helper(b, "call_known", call_known,
                mkIRExprVec_3(pair(insn->id, callee), stack_pointer(b), vg_u64(at_end ? 0 : return_address)), NULL);
}

/* The last jump of a block: the helper is called where it leaves the range that it is in. */
static void emit_last_jump(struct vg_builder *b, const struct vg_insn *insn, IRExpr *target)
{
    Addr start = b->plan->function_start, size = b->plan->function_end - start;

    if (target->tag == Iex_Const) {
        UInt function = function_of(b, insn, target->Iex.Const.con->Ico.U64);

        if (function != insn->function)
            emit_jump(b, insn->id, function, NULL);
    } else {
        IRExpr *inside = IRExpr_RdTmp(vg_assign(b, IRExpr_Binop(Iop_Sub64, target, vg_u64(start))));
        IRExpr *near = IRExpr_RdTmp(vg_assign(b, IRExpr_Binop(Iop_CmpLT64U, inside, vg_u64(size))));
        IRExpr *far = IRExpr_RdTmp(vg_assign(b, IRExpr_Unop(Iop_Not1, near)));

        emit_helper(b, "jumped_found", jumped_found,
                    mkIRExprVec_3(pair(insn->id, insn->function), target, stack_pointer(b)), far);
    }
}

/* System calls, traps, requests go on behind themselves, or the core hears of them otherwise. */
void vg_emit_end(struct vg_builder *b)
{
    const struct vg_insn *insn = last_insn(b);
    IRExpr *target = b->block->next;

    if (vg.config.branch_sim && (insn->flags & TN_INSTR_INDIRECT))
        vg_call_helper(b, "branched_to", branched_to, mkIRExprVec_2(vg_u64(insn->id), target), NULL);
    if (!vg.config.inclusive)
        return;
    if (b->block->jumpkind == Ijk_Call)
        emit_call(b, insn, target);
    else if (b->block->jumpkind == Ijk_Ret)
        emit_helper(b, "returned", returned, mkIRExprVec_3(vg_u64(insn->id), stack_pointer(b), target), NULL);
    else if (b->block->jumpkind == Ijk_Boring)
        emit_last_jump(b, insn, target);
}

/* ------------------------------------------------------------------------------------------ allocation functions */

static void allocates(UWord function, UWord first, UWord second, UWord third, UWord fourth, UWord go)
{
    const uint64_t arguments[TN_ARGUMENTS] = {first, second, third, fourth, go};

    tn_allocates(vg.current, function, arguments);
}

static IRExpr *argument(struct vg_builder *b, PtrdiffT offset)
{
    return IRExpr_RdTmp(vg_assign(b, IRExpr_Get(offset, Ity_I64)));
}

void vg_emit_allocates(struct vg_builder *b)
{
    const struct vg_insn *first = &b->plan->insn[0];

    if (!tn_function_allocates(vg.core, first->function, first->address))
        return;
    vg_call_helper(b, "allocates", allocates,
                   mkIRExprVec_6(vg_u64(first->function), argument(b, offsetof(VexGuestAMD64State, guest_RDI)),
                                 argument(b, offsetof(VexGuestAMD64State, guest_RSI)),
                                 argument(b, offsetof(VexGuestAMD64State, guest_RDX)),
                                 argument(b, offsetof(VexGuestAMD64State, guest_RCX)),
                                 argument(b, offsetof(VexGuestAMD64State, guest_RAX))),
                   NULL);
}
