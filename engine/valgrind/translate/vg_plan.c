/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_plan.c: reads a block's statements once and writes down instructions, accesses and stretches.
 *
 * How instructions are counted (engine/CONTRACT.md) is decided here: a load and a store of the same size at the
 * same address in one instruction are one read-modify-write; a compare-and-swap is one, too; a helper that
 * touches memory makes one access of its whole size. A conditional branch is the first side exit of an
 * instruction to program code, except the one that repeats a compare-and-swap. That a store goes past the caches VEX
 * does not tell, but the instruction's bytes do; where it is under a mask, VEX loads and stores the whole.
 */
#include "vg_plan.h"

#include "engine/common/past_store.h"
#include "engine/valgrind/base/vg_code.h"

struct planner {
    struct vg_plan *plan;
    const IRSB *block;
    struct code_function function; /* of the current instruction */
    Bool broken;                 /* the current stretch has ended */
    Bool past;                   /* the current instruction's store goes past the caches */
};

static struct vg_insn *last_insn(const struct vg_plan *plan)
{
    return &plan->insn[plan->insns - 1];
}

static struct vg_stretch *last_stretch(const struct vg_plan *plan)
{
    return &plan->stretch[plan->stretches - 1];
}

static struct vg_stretch *begin_stretch(struct planner *p, UInt stmt)
{
    struct vg_stretch *stretch = &p->plan->stretch[p->plan->stretches++];

    VG_(memset)(stretch, 0, sizeof *stretch);
    stretch->stmt = stmt;
    stretch->insn = p->plan->insns;
    p->broken = False;
    return stretch;
}

/* ------------------------------------------------------------------------------------------ instructions */

static void add_insn(struct planner *p, UInt stmt, Addr address, UInt length)
{
    struct vg_plan *plan = p->plan;
    struct vg_insn *insn = &plan->insn[plan->insns];
    UInt before = p->function.id;

    if (plan->insns == 0 || address < p->function.start || address >= p->function.end)
        vg_function_at(address, &p->function);
    if (plan->insns == 0 || p->broken || p->function.id != before)
        begin_stretch(p, stmt)->entered_from = plan->insns > 0 && p->function.id != before;
    VG_(memset)(insn, 0, sizeof *insn);
    insn->address = address;
    insn->length = length > 0 ? length : 1; /* what cannot be decoded has none */
    insn->function = p->function.id;
    insn->order = last_stretch(plan)->count++;
    last_stretch(plan)->insns++;
    plan->insns++;
    p->past = past_store((const UChar *)address, length);
}

/* ------------------------------------------------------------------------------------------ accesses */

/* The store that completes a read-modify-write, or a store under a mask, whose read is the access before it. */
static Bool completes(const struct planner *p, const IRExpr *address, UInt size, UChar kind)
{
    const struct vg_plan *plan = p->plan;
    const struct vg_access *before;
    const IRExpr *its;

    if (!(kind & TN_WRITE) || p->broken || plan->accesses == 0)
        return False;
    before = &plan->access[plan->accesses - 1];
    its = before->address;
    if (before->insn != plan->insns - 1 || before->kind != (p->past ? kind : TN_READ) || before->guard != NULL ||
        before->size != size || its->tag != address->tag)
        return False;
    return its->tag == Iex_RdTmp ? its->Iex.RdTmp.tmp == address->Iex.RdTmp.tmp
                                 : its->tag == Iex_Const && eqIRConst(its->Iex.Const.con, address->Iex.Const.con);
}

static void count_access(struct planner *p, struct vg_access *access)
{
    struct vg_plan *plan = p->plan;
    struct vg_stretch *stretch = last_stretch(plan);

    if (p->broken)
        stretch = begin_stretch(p, access->stmt);
    access->order = stretch->count++;
    access->late = stretch->insns == 0;
    if (access->kind & TN_WRITE)
        stretch->writes++;
    else
        stretch->reads++;
    if (!access->late && access->kind & TN_WRITE)
        last_insn(plan)->writes++;
    else if (!access->late)
        last_insn(plan)->reads++;
}

static void add_access(struct planner *p, UInt stmt, IRExpr *address, UInt size, UChar kind, IRExpr *guard)
{
    struct vg_plan *plan = p->plan;
    struct vg_access *access = &plan->access[plan->accesses];

    if (guard != NULL && guard->tag == Iex_Const) {
        if (!guard->Iex.Const.con->Ico.U1)
            return;
        guard = NULL;
    }
    if (p->past)
        kind = TN_WRITE_PAST;
    if (guard == NULL && completes(p, address, size, kind)) {
        plan->access[plan->accesses - 1].kind = p->past ? kind : TN_MODIFY;
        return;
    }
    VG_(memset)(access, 0, sizeof *access);
    access->stmt = stmt;
    access->address = address;
    access->guard = guard;
    access->insn = plan->insns - 1;
    access->size = size;
    access->kind = kind;
    if (guard != NULL)
        p->broken = True;
    else
        count_access(p, access);
    plan->accesses++;
}

/* ------------------------------------------------------------------------------------------ the whole block */

Bool vg_plan_divides(const IRStmt *s)
{
    if (s->tag != Ist_WrTmp || s->Ist.WrTmp.data->tag != Iex_Binop)
        return False;
    switch (s->Ist.WrTmp.data->Iex.Binop.op) {
    case Iop_DivModU64to32:
    case Iop_DivModS64to32:
    case Iop_DivModU128to64:
    case Iop_DivModS128to64:
        return True;
    default:
        return False;
    }
}

static void add_statement(struct planner *p, UInt i, const IRStmt *s)
{
    const IRTypeEnv *types = p->block->tyenv;
    struct vg_insn *insn = p->plan->insns > 0 ? last_insn(p->plan) : NULL;

    switch (s->tag) {
    case Ist_IMark:
        add_insn(p, i, s->Ist.IMark.addr, s->Ist.IMark.len);
        break;
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            add_access(p, i, s->Ist.WrTmp.data->Iex.Load.addr, sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty),
                       TN_READ, NULL);
        else if (vg_plan_divides(s))
            last_stretch(p->plan)->divides = True;
        break;
    case Ist_Store:
        add_access(p, i, s->Ist.Store.addr, sizeofIRType(typeOfIRExpr(types, s->Ist.Store.data)), TN_WRITE, NULL);
        break;
    case Ist_LoadG: {
        const IRLoadG *load = s->Ist.LoadG.details;
        IRType result, memory;

        typeOfIRLoadGOp(load->cvt, &result, &memory);
        add_access(p, i, load->addr, sizeofIRType(memory), TN_READ, load->guard);
        break;
    }
    case Ist_StoreG: {
        const IRStoreG *store = s->Ist.StoreG.details;

        add_access(p, i, store->addr, sizeofIRType(typeOfIRExpr(types, store->data)), TN_WRITE, store->guard);
        break;
    }
    case Ist_CAS: {
        const IRCAS *cas = s->Ist.CAS.details;
        UInt size = sizeofIRType(typeOfIRExpr(types, cas->dataLo));

        insn->atomic = True;
        add_access(p, i, cas->addr, cas->dataHi != NULL ? 2 * size : size, TN_MODIFY, NULL);
        break;
    }
    case Ist_LLSC: {
        Bool load = s->Ist.LLSC.storedata == NULL;
        IRType type = load ? typeOfIRTemp(types, s->Ist.LLSC.result) : typeOfIRExpr(types, s->Ist.LLSC.storedata);

        add_access(p, i, s->Ist.LLSC.addr, sizeofIRType(type), load ? TN_READ : TN_WRITE, NULL);
        break;
    }
    case Ist_Dirty: {
        const IRDirty *dirty = s->Ist.Dirty.details;
        UChar kind = dirty->mFx == Ifx_Read ? TN_READ : dirty->mFx == Ifx_Write ? TN_WRITE : TN_MODIFY;

        if (dirty->mFx != Ifx_None)
            add_access(p, i, dirty->mAddr, dirty->mSize, kind, dirty->guard);
        break;
    }
    case Ist_Exit: {
        Bool to_code = s->Ist.Exit.jk == Ijk_Boring || s->Ist.Exit.jk == Ijk_Call || s->Ist.Exit.jk == Ijk_Ret;
        Bool retry = insn->atomic && s->Ist.Exit.dst->Ico.U64 == insn->address;

        p->broken = True;
        if (to_code && !retry && insn->branch == 0) {
            insn->branch = i;
            insn->flags |= TN_INSTR_COND;
        }
        break;
    }
    default:
        break;
    }
}

/* The core's names for everything, once all is known. */
static void name_all(struct vg_plan *plan)
{
    UInt ids[256];

    for (UInt i = 0; i < plan->insns; i++) {
        struct vg_insn *insn = &plan->insn[i];
        struct tn_instr_info info = {.address = insn->address,
                                     .function = insn->function,
                                     .length = insn->length,
                                     .flags = insn->flags,
                                     .reads = insn->reads,
                                     .writes = insn->writes};

        insn->id = tn_instr(vg.core, &info);
    }
    for (UInt i = 0; i < plan->stretches; i++) {
        struct vg_stretch *stretch = &plan->stretch[i];

        tl_assert(stretch->insns <= sizeof ids / sizeof ids[0]);
        for (UInt k = 0; k < stretch->insns; k++)
            ids[k] = plan->insn[stretch->insn + k].id;
        if (stretch->insns > 0)
            stretch->segment = tn_segment(vg.core, ids, stretch->insns);
        if (stretch->entered_from != 0)
            stretch->entered_from = plan->insn[stretch->insn - 1].id;
    }
}

struct vg_plan *vg_plan_make(const IRSB *block)
{
    Bool indirect = block->next->tag != Iex_Const;
    struct vg_plan *plan = LibVEX_Alloc(sizeof *plan);
    struct planner p = {.plan = plan, .block = block};
    Int i = 0, statements = block->stmts_used;

    VG_(memset)(plan, 0, sizeof *plan);
    plan->insn = LibVEX_Alloc((statements + 1) * sizeof plan->insn[0]);
    plan->access = LibVEX_Alloc((statements + 1) * sizeof plan->access[0]);
    plan->stretch = LibVEX_Alloc((statements + 1) * sizeof plan->stretch[0]);
    while (i < statements && block->stmts[i]->tag != Ist_IMark)
        i++;
    for (; i < statements; i++)
        add_statement(&p, i, block->stmts[i]);
    if (plan->insns == 0)
        return plan;
    if (block->jumpkind == Ijk_Ret)
        last_insn(plan)->flags |= TN_INSTR_RETURN;
    else if (block->jumpkind == Ijk_Call)
        last_insn(plan)->flags |= TN_INSTR_CALL | (indirect ? TN_INSTR_INDIRECT : 0);
    else if (block->jumpkind == Ijk_Boring)
        last_insn(plan)->flags |= indirect ? TN_INSTR_INDIRECT : 0;
    name_all(plan);
    plan->function_start = p.function.start;
    plan->function_end = p.function.end;
    return plan;
}
