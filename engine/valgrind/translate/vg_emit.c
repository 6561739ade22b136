/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_emit.c: the hot path in VEX's intermediate representation.
 *
 * Everything of a thread lies at constant distances from one address, its tn_thread, which the guest state's
 * first shadow area holds: one Get per block. VEX's instruction selector knows [base + constant] and
 * [base + index * 8 + constant] only as Add64(base, constant) and Add64(Add64(base, Shl64(index, 3)), constant),
 * so addresses are spelled that way. A temporary used once is folded into its user, one used twice costs a
 * register: the address of a way is worth one (it saves VEX a third of the statements), that of a field is not.
 *
 * An access at `a`, as C (core/cache_hot.h; o: offset of a way in units of 8 bytes):
 *
 *     o = table[a >> line_bits & table_mask];     of a write, with --coherence=mesi, exclusive(o) instead of line
 *     if (a - way(o)->line >= line_size + 1 - size) slow_data(a, id);     another line, or it straddles
 *     o = table[a >> line_bits & table_mask];
 *     way(o)->use += 1 | size << TN_TOUCH_BITS;
 *     way(o)->mask |= granules of a .. a + size - 1;
 *     way(o)->stamp = clock - back;
 *     written(o) |= the same granules;                                    of a write, with --write-back=yes
 *
 * Neighbouring accesses are one to this test (vg_join.c).
 *
 * about 25 host instructions. A helper call makes VEX keep every value that is needed afterwards in one of five
 * registers, or in memory; so the test is emitted before the access itself, whose result is then not yet there.
 */
#include "vg_emit.h"

#include "pub_tool_guest.h"
#include "pub_tool_machine.h"

#include "core/cache_hot.h"
#include "engine/common/fetch_run.h"

/* ------------------------------------------------------------------------------------------ building blocks */

static void emit(struct vg_builder *b, IRStmt *statement)
{
    addStmtToIRSB(b->block, statement);
}

IRTemp vg_assign(struct vg_builder *b, IRExpr *value)
{
    IRTemp temp = newIRTemp(b->block->tyenv, typeOfIRExpr(b->block->tyenv, value));

    emit(b, IRStmt_WrTmp(temp, value));
    return temp;
}

IRExpr *vg_u64(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

/* An atom that stands for `value`. */
static IRExpr *atom(struct vg_builder *b, IRExpr *value)
{
    return IRExpr_RdTmp(vg_assign(b, value));
}

static IRExpr *binary(struct vg_builder *b, IROp op, IRExpr *left, IRExpr *right)
{
    return atom(b, IRExpr_Binop(op, left, right));
}

static IRExpr *load64(struct vg_builder *b, IRExpr *address)
{
    return atom(b, IRExpr_Load(Iend_LE, Ity_I64, address));
}

static void store64(struct vg_builder *b, IRExpr *address, IRExpr *value)
{
    emit(b, IRStmt_Store(Iend_LE, address, value));
}

/* base + distance */
static IRExpr *field(struct vg_builder *b, ULong distance)
{
    return binary(b, Iop_Add64, IRExpr_RdTmp(b->base), vg_u64(distance));
}

/* base + (index << shift) + distance */
static IRExpr *element(struct vg_builder *b, IRExpr *index, UInt shift, ULong distance)
{
    IRExpr *scaled = binary(b, Iop_Shl64, index, IRExpr_Const(IRConst_U8(shift)));

    return binary(b, Iop_Add64, binary(b, Iop_Add64, IRExpr_RdTmp(b->base), scaled), vg_u64(distance));
}

IRExpr *vg_field(struct vg_builder *b, ULong distance)
{
    return load64(b, field(b, distance));
}

void vg_add_to(struct vg_builder *b, ULong distance, IRExpr *value)
{
    IRExpr *sum = binary(b, Iop_Add64, vg_field(b, distance), value);

    store64(b, field(b, distance), sum);
}

void vg_call_helper(struct vg_builder *b, const HChar *name, void *helper, IRExpr **arguments, IRExpr *guard)
{
    IRDirty *call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(helper), arguments);

    if (guard != NULL)
        call->guard = guard;
    emit(b, IRStmt_Dirty(call));
}

void vg_emit_begin(struct vg_builder *b)
{
    if (!b->cold)
        b->base = vg_assign(b, IRExpr_Get(b->guest->total_sizeB, Ity_I64));
}

void vg_emit_flush(struct vg_builder *b)
{
    if (b->cold)
        vg_cold_flush(b);
}

/* ------------------------------------------------------------------------------------------ stretches */

static void counted(UWord counter)
{
    tn_count(vg.current, counter);
}

static void count(struct vg_builder *b, UInt counter)
{
    if (b->cold) {
        vg_cold_counter(counter);
        return;
    }
    if (vg.separate) {
        vg_call_helper(b, "counted", counted, mkIRExprVec_1(vg_u64(counter)), NULL);
        return;
    }
    vg_add_to(b, vg.layout->counters + 8ull * counter,
              vg.by_collecting ? vg_field(b, offsetof(tn_thread, collecting)) : vg_u64(1));
}

/* Conditional | indirect << 32. */
static ULong branches_of(const struct vg_builder *b, const struct vg_stretch *stretch)
{
    ULong conds = 0, indirects = 0;

    for (UInt i = stretch->insn; i < stretch->insn + stretch->insns; i++) {
        conds += (b->plan->insn[i].flags & TN_INSTR_COND) != 0;
        indirects += (b->plan->insn[i].flags & TN_INSTR_INDIRECT) != 0;
    }
    return vg.config.branch_sim ? conds | indirects << 32 : 0;
}

IRConst *vg_emit_running(struct vg_builder *b, UInt word)
{
    IRConst *constant = IRConst_U64(word);

    if (b->stretch->reads + b->stretch->writes == 0 && !b->stretch->divides)
        return NULL;
    emit(b, IRStmt_Put(b->guest->total_sizeB + 8, IRExpr_Const(constant)));
    return constant;
}

void vg_emit_stretch(struct vg_builder *b, const struct vg_stretch *stretch)
{
    ULong branches = branches_of(b, stretch);

    b->stretch = stretch;
    b->fetched = 1;
    if (b->cold) {
        vg_cold_stretch(b, branches);
    } else {
        if (stretch->insns > 0)
            vg_emit_running(b, stretch->segment << 2 | 1);
        vg_add_to(b, offsetof(tn_thread, clock), vg_u64((ULong)stretch->count * TN_STEP));
        if (stretch->reads + stretch->writes > 0)
            vg_add_to(b, offsetof(tn_thread, data), vg_u64(stretch->reads | (ULong)stretch->writes << 32));
        if (branches != 0)
            vg_add_to(b, offsetof(tn_thread, branches), vg_u64(branches));
    }
    if (stretch->insns > 0)
        count(b, stretch->segment);
}

/* ------------------------------------------------------------------------------------------ the hit test */

static UInt back_of(const struct vg_builder *b, UInt order)
{
    return (b->stretch->count - order) * TN_STEP;
}

/* The stamp of what happens `back` before the end of the stretch. Reading the clock anew costs less than a register
 * that has to survive the slow path's call. */
static IRExpr *stamp(struct vg_builder *b, UInt back)
{
    return binary(b, Iop_Add64, vg_field(b, offsetof(tn_thread, clock)), vg_u64(-(ULong)back));
}

/* The way that an element of the way table names: its offset among the ways, in units of 8 bytes. */
static IRExpr *way_offset(struct vg_builder *b, IRExpr *table_element)
{
    return atom(b, IRExpr_Unop(Iop_16Uto64, atom(b, IRExpr_Load(Iend_LE, Ity_I16, table_element))));
}

/* Its address, but for the constant distance of all ways. */
static IRExpr *way_of(struct vg_builder *b, IRExpr *offset)
{
    return binary(b, Iop_Add64, IRExpr_RdTmp(b->base),
                  binary(b, Iop_Shl64, offset, IRExpr_Const(IRConst_U8(3))));
}

static IRExpr *way_at(struct vg_builder *b, IRExpr *table_element)
{
    return way_of(b, way_offset(b, table_element));
}

static IRExpr *way_field(struct vg_builder *b, const struct tn_l1_layout *l1, IRExpr *way, UInt distance)
{
    return binary(b, Iop_Add64, way, vg_u64(l1->origin + distance));
}

static void bump_way(struct vg_builder *b, const struct tn_l1_layout *l1, IRExpr *way, ULong use,
                     IRExpr *mask, UInt back)
{
    if (vg.config.use) {
        IRExpr *sum =
            binary(b, Iop_Add64, load64(b, way_field(b, l1, way, offsetof(struct tn_way, use))), vg_u64(use));
        IRExpr *bits;

        store64(b, way_field(b, l1, way, offsetof(struct tn_way, use)), sum);
        bits = binary(b, Iop_Or64, load64(b, way_field(b, l1, way, offsetof(struct tn_way, mask))), mask);
        store64(b, way_field(b, l1, way, offsetof(struct tn_way, mask)), bits);
    }
    store64(b, way_field(b, l1, way, offsetof(struct tn_way, stamp)), stamp(b, back));
}

/* ------------------------------------------------------------------------------------------ fetches */

static void slow_fetch(UWord id)
{
    tn_slow_fetch(vg.current, id);
}

static ULong granules(ULong first, ULong last, UInt granule_bits)
{
    UInt from = first >> granule_bits, bits = (last >> granule_bits) - from + 1;

    return (bits >= 64 ? ~0ull : (1ull << bits) - 1) << from;
}

static void emit_run(struct vg_builder *b, UInt first, Addr line)
{
    const struct tn_l1_layout *l1 = &vg.layout->i1;
    ULong slot = l1->table + 2 * (line >> l1->line_bits & l1->table_mask);
    UInt n = b->stretch->insn + b->stretch->insns - first, id;
    struct fetch_insn *insns = LibVEX_Alloc(n * sizeof *insns);
    struct tn_fetch_info run;
    IRExpr *way, *held, *missed;

    for (UInt i = 0; i < n; i++) {
        const struct vg_insn *insn = &b->plan->insn[first + i];

        insns[i] = (struct fetch_insn){insn->address, insn->length, insn->order, insn->id};
    }
    fetch_run(l1, insns, n, b->stretch->count, line, &run);
    id = tn_fetch(vg.core, &run);
    if (b->cold) {
        vg_cold_fetch(b, &run, id);
        return;
    }
    way = way_at(b, field(b, slot));
    held = load64(b, way_field(b, l1, way, offsetof(struct tn_way, line)));
    missed = binary(b, Iop_CmpNE64, held, vg_u64(line));
    vg_call_helper(b, "slow_fetch", slow_fetch, mkIRExprVec_1(vg_u64(id)), missed);
    bump_way(b, l1, way_at(b, field(b, slot)), tn_fetch_use(&run), vg_u64(run.mask),
             tn_fetch_stamp_back(&run));
}

void vg_emit_fetch(struct vg_builder *b, UInt insn)
{
    Addr size = 1ull << vg.layout->i1.line_bits, address = b->plan->insn[insn].address;
    Addr line = VG_ROUNDDN(address, size), last = VG_ROUNDDN(address + b->plan->insn[insn].length - 1, size);

    if (!vg.config.cache_sim)
        return;
    for (; line <= last; line += size) {
        if (line != b->fetched && tn_is_sampled(vg.layout, line))
            emit_run(b, insn, line);
        b->fetched = line;
    }
}

/* ------------------------------------------------------------------------------------------ data accesses */

static void slow_data(Addr address, UWord id)
{
    __builtin_prefetch((const void *)address); /* the host is about to miss as well */
    tn_slow_data(vg.current, address, id);
}

static void whole_data(Addr address, UWord id)
{
    tn_whole_data(vg.current, address, id);
}

/* An access that happens only sometimes, and now has. */
static void guarded_data(Addr address, UWord id, UWord counter, UWord write)
{
    tn_thread *thread = vg.current;

    thread->clock += TN_STEP;
    thread->data += write ? 1ull << 32 : 1;
    vg_count(thread, counter);
    if (vg.config.cache_sim)
        tn_whole_data(thread, address, id);
}

UInt vg_declare_access(const struct vg_builder *b, const struct vg_access *access)
{
    struct tn_access_info info = {.instr = b->plan->insn[access->insn].id,
                                  .back = access->guard != NULL ? TN_STEP : back_of(b, access->order),
                                  .size = access->size,
                                  .kind = access->kind};

    return tn_access(vg.core, &info);
}

/* The granules of an access of `size` bytes that does not leave its line. For the usual granules of one byte and
 * lines of 64 the low bits of the address are the shift; then they may be any, `bytes`. */
static IRExpr *data_mask(struct vg_builder *b, IRExpr *address, UInt size, ULong bytes)
{
    const struct tn_l1_layout *l1 = &vg.layout->d1;
    IRExpr *x = address, *first, *last, *over, *bits;

    if (l1->granule_bits == 0) {
        if (l1->line_bits < 6)
            x = binary(b, Iop_And64, x, vg_u64((1ull << l1->line_bits) - 1));
        return binary(b, Iop_Shl64, vg_u64(bytes), atom(b, IRExpr_Unop(Iop_64to8, x)));
    }
    /* bits first .. last: (2 << last) - (1 << first), with last no more than 63 where it straddles */
    x = binary(b, Iop_And64, x, vg_u64((1ull << l1->line_bits) - 1));
    first = binary(b, Iop_Shr64, x, IRExpr_Const(IRConst_U8(l1->granule_bits)));
    last = binary(b, Iop_Shr64, binary(b, Iop_Add64, x, vg_u64(size - 1)),
                  IRExpr_Const(IRConst_U8(l1->granule_bits)));
    over = binary(b, Iop_Sub64, vg_u64(0), binary(b, Iop_Shr64, last, IRExpr_Const(IRConst_U8(6))));
    last = binary(b, Iop_And64, binary(b, Iop_Or64, last, over), vg_u64(63));
    bits = binary(b, Iop_Shl64, vg_u64(2), atom(b, IRExpr_Unop(Iop_64to8, last)));
    first = binary(b, Iop_Shl64, vg_u64(1), atom(b, IRExpr_Unop(Iop_64to8, first)));
    return binary(b, Iop_Sub64, bits, first);
}

/* What one test sees to. */
struct test {
    IRExpr *address; /* the lowest */
    UInt size, table, back;
    ULong use, bytes, written; /* bytes and written: from the address on, a bit each */
    Bool writes;
    const HChar *name;         /* of the helper, which gets the address and an argument */
    void *helper;
    ULong argument;
};

/* Bit 0: whether the address is in a line that is simulated. */
static IRExpr *sampled_at(struct vg_builder *b, IRExpr *address)
{
    IRExpr *shift = IRExpr_Const(IRConst_U8(vg.layout->class_bits));
    IRExpr *number = binary(b, Iop_And64, binary(b, Iop_Shr64, address, shift), vg_u64(TN_CLASSES - 1));

    return binary(b, Iop_Shr64, vg_u64(vg.layout->sampled), atom(b, IRExpr_Unop(Iop_64to8, number)));
}

/* Whether the slow path is to be taken. The way table leads from a line that is not simulated to a way that holds none,
 * and belongs to nobody: it is always missed there, and may be added to. */
static IRExpr *is_missed(struct vg_builder *b, const struct test *test, IRExpr *hit)
{
    IRExpr *missed = atom(b, IRExpr_Unop(Iop_Not1, hit)), *sampled;

    if (vg.layout->sampled == ~0ull)
        return missed;
    sampled = sampled_at(b, test->address);
    if (test->size > 1) {
        IRExpr *last = binary(b, Iop_Add64, test->address, vg_u64(test->size - 1));
        sampled = binary(b, Iop_Or64, sampled, sampled_at(b, last));
    }
    sampled = binary(b, Iop_And64, sampled, atom(b, IRExpr_Unop(Iop_1Uto64, missed)));
    return binary(b, Iop_CmpNE64, sampled, vg_u64(0));
}

static void emit_test(struct vg_builder *b, const struct test *test)
{
    const struct tn_l1_layout *l1 = &vg.layout->d1;
    ULong line_size = 1ull << l1->line_bits;
    /* address >> line_bits & table_mask */
    IRExpr *index = binary(b, Iop_And64, binary(b, Iop_Shr64, test->address, IRExpr_Const(IRConst_U8(l1->line_bits))),
                           vg_u64(l1->table_mask));
    IRExpr *way = element(b, index, 1, test->table), *line, *x, *hit, *offset, *mask = NULL;

    /* A write, where caches are kept coherent, is compared with another word of the way. */
    if (test->writes && l1->exclusive != 0)
        line = load64(b, element(b, way_offset(b, way), 1, tn_hot_words(l1, l1->exclusive)));
    else
        line = load64(b, way_field(b, l1, way_at(b, way), offsetof(struct tn_way, line)));
    x = binary(b, Iop_Sub64, test->address, line);
    hit = binary(b, Iop_CmpLT64U, x, vg_u64(line_size + 1 - test->size));
    vg_call_helper(b, test->name, test->helper, mkIRExprVec_2(test->address, vg_u64(test->argument)),
                   is_missed(b, test, hit));
    offset = way_offset(b, element(b, index, 1, test->table));
    if (vg.config.use)
        mask = data_mask(b, test->address, test->size, test->bytes);
    if (test->written != 0) {
        IRExpr *written = mask != NULL && test->written == test->bytes
                              ? mask
                              : data_mask(b, test->address, test->size, test->written);
        /* One word for each way, which is four: half the offset's scale. */
        IRExpr *word = load64(b, element(b, offset, 1, tn_hot_words(l1, l1->written)));

        store64(b, element(b, offset, 1, tn_hot_words(l1, l1->written)), binary(b, Iop_Or64, word, written));
    }
    bump_way(b, l1, way_of(b, offset), test->use, mask, test->back);
}

static void emit_alone(struct vg_builder *b, const struct vg_access *access, UInt id)
{
    struct test test = {.address = access->address,
                        .size = access->size,
                        .back = back_of(b, access->order),
                        .use = 1 | (ULong)access->size << TN_TOUCH_BITS,
                        .bytes = granules(0, access->size - 1, 0),
                        .writes = access->kind != TN_READ,
                        .name = "slow_data",
                        .helper = slow_data};

    test.argument = tn_access_now(vg.core, id, &test.table);
    if (vg.layout->d1.written != 0 && access->kind != TN_READ)
        test.written = test.bytes;
    emit_test(b, &test);
}

/* ------------------------------------------------------------------------------------------ groups of accesses */

static void emit_last(struct vg_builder *b, const struct vg_access *access)
{
    struct vg_group *group = b->group;
    ULong distance = group->member[access->place].distance;
    struct test test = {.address = access->address,
                        .size = group->span,
                        .table = group->table,
                        .back = back_of(b, access->order),
                        .use = group->use,
                        .bytes = group->granules,
                        .written = group->written,
                        .name = "vg_join_slow",
                        .helper = vg_join_slow,
                        .argument = (Addr)group};

    if (distance != 0)
        test.address = access->address->tag == Iex_Const
                           ? vg_u64(access->address->Iex.Const.con->Ico.U64 - distance)
                           : binary(b, Iop_Sub64, access->address, vg_u64(distance));
    emit_test(b, &test);
}

/* True if the access is one of a group, and has been seen to. */
static Bool emit_member(struct vg_builder *b, const struct vg_access *access)
{
    if (access->place == 0) {
        UInt id;

        b->group = vg_join_make(b, access, &id);
        if (b->group != NULL) { /* says which group runs, and where */
            vg_emit_running(b, id << 2 | 3);
            emit(b, IRStmt_Put(b->guest->total_sizeB + 16, access->address));
        }
    } else if (b->group != NULL && access->place + 1u == b->group->members) {
        emit_last(b, access);
    }
    return b->group != NULL;
}

void vg_emit_access(struct vg_builder *b, UInt index)
{
    const struct vg_plan *plan = b->plan;
    const struct vg_access *access = &plan->access[index], *next = access + 1;
    const struct vg_stretch *later = b->stretch + 1;
    Bool write = access->kind & TN_WRITE;
    UInt id;

    if (access->guard != NULL) {
        vg_emit_flush(b);
        id = vg_declare_access(b, access);
        vg_call_helper(b, "guarded_data", guarded_data,
                       mkIRExprVec_4(access->address, vg_u64(id),
                                     vg_u64(tn_guarded(vg.core, plan->insn[access->insn].id, write)), vg_u64(write)),
                       access->guard);
        return;
    }
    if (access->late)
        count(b, tn_guarded(vg.core, plan->insn[access->insn].id, write));
    if (!vg.config.cache_sim || (!b->cold && emit_member(b, access)))
        return;
    id = vg_declare_access(b, access);
    /* Whether the instruction makes another access in this stretch, behind this one. */
    Bool more = index + 1 < plan->accesses && next->insn == access->insn && next->guard == NULL &&
                (later == plan->stretch + plan->stretches || next->stmt < later->stmt);
    if (b->cold)
        vg_cold_access(b, access, id, back_of(b, access->order), more);
    else if (access->size > 1u << vg.layout->d1.line_bits)
        vg_call_helper(b, "whole_data", whole_data, mkIRExprVec_2(access->address, vg_u64(id)), NULL);
    else
        emit_alone(b, access, id);
}
