/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_leave.c: how a block ends: to another block, or out of generated code.
 *
 * A direct exit is a jump to a stub that leaves; linking turns it to the block. An indirect branch looks its target up
 * in a table by its lower 16 bits and leaves if another or none is there. All comparing is done without flags: a
 * number and its complement add up to ~0, one more is 0, which jrcxz tells.
 *
 * A call really calls, so that the CPU foresees the return: over the landing to code that puts the program's return
 * address in place of ours, and notes the landing in the thread's table, by where on the stack the address is. A return
 * compares what it would return to with what the table has noted there. If they are the same it writes the landing's
 * address there and returns. The landing puts the program's address back below the stack, in case someone looks. What
 * the table has is only a guess: a landing is right whenever the address is, whatever else was done to the stack.
 *
 *     call L                        mov [rcx, rdx aside]; look at [rsp]
 *     R: [rsp - 8] = return         what the table has by rsp? then
 *        jmp to the block there         [rsp] = R; ret
 *     L: table by rsp = R           else look up
 *        [rsp] = return
 *        jmp to the function
 */
#include "nt_aside.h"
#include "nt_count.h"
#include "nt_kept.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

struct nt_out *nt_new_out(struct nt_making *making, enum nt_exit_kind kind, uint64_t pc, uint8_t *site)
{
    unsigned number = making->out_count++;
    struct nt_out *out = &making->outs[number];
    *out = (struct nt_out){{.kind = kind, .pc = pc}, .index = nt_kept_index(making->index, number), .site = site};
    return out;
}

void nt_go_out(struct nt_emit *emit, struct nt_out *out)
{
    out->stub = emit->at;
    nt_store_constant(emit, nt_gs(NT_EXIT), (int32_t)out->index);
    nt_jump_memory(emit, nt_gs(NT_LEAVE));
}

void nt_jump_direct(struct nt_making *making, uint64_t pc)
{
    nt_new_out(making, NT_EXIT_DIRECT, pc, nt_jump_aligned(&making->emit));
}

static void put_aside(struct nt_emit *emit)
{
    nt_store(emit, nt_home(RCX), RCX);
    nt_store(emit, nt_home(RDX), RDX);
}

static void leave_restore(struct nt_emit *emit)
{
    nt_load(emit, RDX, nt_home(RDX));
    nt_load(emit, RCX, nt_home(RCX));
}

static void leave_indirect(struct nt_making *making, struct nt_emit *emit, const struct nt_insn *insn,
                           int64_t rsp_taken)
{
    struct nt_out *out = nt_new_out(making, NT_EXIT_INDIRECT, insn->pc, 0);
    out->exit.rsp_taken = (int32_t)rsp_taken;
    nt_go_out(emit, out);
}

void nt_compare_complement(struct nt_emit *emit, uint8_t a, uint8_t b)
{
    struct nt_mem sum = nt_at(a, 1);
    sum.index = b;
    sum.scale = 1;
    nt_address(emit, RCX, sum);
}

/* To the address in rdx; rcx and rdx are put aside. */
static void look_up(struct nt_making *making, struct nt_emit *emit, const struct nt_insn *insn,
                    int64_t rsp_taken)
{
    struct nt_emit *cold = &making->cold;
    nt_store(emit, nt_home(RBX), RBX);
    nt_move16(emit, RBX, RDX);
    nt_address(emit, RCX, nt_rip(making->lookup));
    struct nt_mem element = nt_at(RCX, 0);
    element.index = RBX;
    element.scale = 8;
    nt_load(emit, RBX, element);
    nt_load(emit, RCX, nt_at(RBX, offsetof(struct nt_target, not_pc)));
    nt_compare_complement(emit, RCX, RDX);
    uint8_t *hit = nt_loop(emit, NT_JRCXZ);
    uint8_t *miss = nt_jump(emit);
    nt_way8(emit, hit, emit->at);
    nt_load(emit, RCX, nt_at(RBX, offsetof(struct nt_target, head)));
    nt_store(emit, nt_gs(NT_GO), RCX);
    nt_load(emit, RBX, nt_home(RBX));
    leave_restore(emit);
    nt_jump_memory(emit, nt_gs(NT_GO));
    if (!cold->full && !emit->full)
        nt_way(miss, cold->at);
    nt_load(cold, RBX, nt_home(RBX));
    nt_store(cold, nt_gs(NT_RIP), RDX);
    leave_restore(cold);
    leave_indirect(making, cold, insn, rsp_taken);
}

/* On to the address in NT_RIP. */
static void go_indirect(struct nt_making *making, const struct nt_insn *insn, int64_t rsp_taken)
{
    struct nt_emit *emit = &making->emit;
    if (making->config->lookup) {
        put_aside(emit);
        nt_load(emit, RDX, nt_gs(NT_RIP));
        look_up(making, emit, insn, rsp_taken);
    } else {
        leave_indirect(making, emit, insn, rsp_taken);
    }
}

/* The same where it has been looked up already (nt_hot.c): NT_GO is a block's head, or the way out. */
static void go_found(struct nt_making *making, const struct nt_insn *insn, int64_t rsp_taken)
{
    struct nt_out *out = nt_new_out(making, NT_EXIT_INDIRECT, insn->pc, 0);
    out->exit.rsp_taken = (int32_t)rsp_taken;
    nt_store_constant(&making->emit, nt_gs(NT_EXIT), (int32_t)out->index);
    nt_jump_memory(&making->emit, nt_gs(NT_GO));
}

/* Where an indirect branch leads, into NT_RIP. */
static void store_target(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    nt_aside_before(making, i);
    if (!insn->memory) {
        nt_store(&making->emit, nt_gs(NT_RIP), nt_rm_register(insn));
        nt_settle(making);
        return;
    }
    uint8_t reg = nt_take_address(making, i);
    struct nt_mem at = nt_at(reg, 0);
    at.fs = insn->segment == NT_SEGMENT_FS;
    nt_load(&making->emit, reg, at);
    nt_store(&making->emit, nt_gs(NT_RIP), reg);
    nt_settle(making);
    nt_mark_here(making, insn->pc);
}

/* Whether a jump's target can be loaded where the look-up wants it: nobody else asks for it, and its address is one. */
static bool looks_up_at_once(const struct nt_making *making, const struct nt_insn *insn)
{
    return making->config->lookup && !making->config->planner && insn->segment != NT_SEGMENT_GS &&
           insn->address_bits == 64 && !(insn->reads & NT_OURS);
}

static void jump_at_once(struct nt_making *making, const struct nt_insn *insn)
{
    struct nt_emit *emit = &making->emit;
    put_aside(emit);
    nt_mark_with(making, insn->pc, 1 << RCX | 1 << RDX);
    if (!insn->memory) {
        nt_move(emit, RDX, nt_rm_register(insn));
    } else {
        struct nt_mem from = insn->rip_relative ? nt_at(RDX, 0) : nt_operand_of(insn);
        from.fs = insn->segment == NT_SEGMENT_FS;
        if (insn->rip_relative)
            nt_constant(emit, RDX, insn->target);
        nt_load(emit, RDX, from);
    }
    look_up(making, emit, insn, 0);
}

/* Where the return address at [rsp] is noted, into rcx: its 16 bytes of the stack, modulo the table. */
static void return_index(struct nt_making *making, struct nt_emit *emit)
{
    if (making->has_bmi2)
        nt_rotate32(emit, RCX, RSP, 4);
    nt_move8(emit, RCX, making->has_bmi2 ? RCX : RSP);
}

/* Call over the landing, and note it. */
static void push_landing(struct nt_making *making, const struct nt_insn *insn)
{
    struct nt_emit *emit = &making->emit;
    uint64_t pc = nt_behind(insn);
    uint8_t *over = nt_call(emit);
    const uint8_t *landing = emit->at; /* R: the program is behind its call */
    nt_mark_here(making, pc);
    if (nt_fits(pc)) {
        nt_store_constant(emit, nt_at(RSP, -8), (int32_t)pc);
    } else {
        nt_store32_constant(emit, nt_at(RSP, -8), (uint32_t)pc);
        nt_store32_constant(emit, nt_at(RSP, -4), (uint32_t)(pc >> 32));
    }
    nt_jump_direct(making, pc);
    if (emit->full)
        return;
    nt_mark_here(making, insn->pc);
    nt_way(over, emit->at);
    struct nt_target *back = (struct nt_target *)making->back;
    back->head = landing;
    put_aside(emit);
    return_index(making, emit);
    nt_address(emit, RDX, nt_rip(back));
    nt_store(emit, nt_gs_index(NT_RETURNS, RCX), RDX);
    nt_constant(emit, RDX, pc);
    nt_store(emit, nt_at(RSP, 0), RDX);
    leave_restore(emit);
}

/* The return address is pushed. A call to what follows it only asks where it is: nobody returns from there. */
static void leave_push(struct nt_making *making, const struct nt_insn *insn)
{
    bool asks = insn->kind == NT_IS_CALL && insn->target == nt_behind(insn);
    if (making->config->returns && !asks)
        push_landing(making, insn);
    else if (nt_fits(nt_behind(insn)))
        nt_push_constant(&making->emit, (int32_t)nt_behind(insn));
    else
        nt_push(&making->emit, nt_rip(&making->back->pc));
}

/* Where a return goes whose landing the table does not have: the address is in rdx. */
static void return_elsewhere(struct nt_making *making, struct nt_emit *emit, const struct nt_insn *insn)
{
    int64_t taken = 8 + (int64_t)insn->immediate_value;
    nt_address(emit, RSP, nt_at(RSP, (int32_t)taken));
    if (making->config->lookup) {
        look_up(making, emit, insn, taken);
    } else {
        nt_store(emit, nt_gs(NT_RIP), RDX);
        leave_restore(emit);
        leave_indirect(making, emit, insn, taken);
    }
}

static void emit_return(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    struct nt_emit *emit = &making->emit;
    put_aside(emit);
    nt_mark_with(making, insn->pc, 1 << RCX | 1 << RDX);
    nt_tell_return(making, i, 8 + insn->immediate_value);
    if (!making->config->returns || insn->immediate_value) {
        nt_load(emit, RDX, nt_at(RSP, 0));
        return_elsewhere(making, emit, insn);
        return;
    }
    return_index(making, emit);
    nt_load(emit, RDX, nt_gs_index(NT_RETURNS, RCX));
    nt_load(emit, RCX, nt_at(RDX, offsetof(struct nt_target, not_pc)));
    nt_load(emit, RDX, nt_at(RSP, 0));
    nt_compare_complement(emit, RCX, RDX);
    uint8_t *hit = nt_loop(emit, NT_JRCXZ);
    uint8_t *miss = nt_jump(emit);
    nt_way8(emit, hit, emit->at);
    return_index(making, emit);
    nt_load(emit, RDX, nt_gs_index(NT_RETURNS, RCX));
    nt_load(emit, RDX, nt_at(RDX, offsetof(struct nt_target, head)));
    nt_store(emit, nt_at(RSP, 0), RDX);
    leave_restore(emit);
    nt_return(emit);
    if (!emit->full)
        nt_way(miss, making->cold.at);
    return_elsewhere(making, &making->cold, insn);
}

/* From instruction `i` to `pc`, perhaps in another function. */
static void go_direct(struct nt_making *making, unsigned i, uint64_t pc)
{
    nt_tell_jump(making, i, pc);
    nt_jump_direct(making, pc);
}

/* loop and jrcxz reach 127 bytes only: over the jump on. */
static void emit_loop(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    struct nt_emit *emit = &making->emit;
    if (insn->address_bits == 32)
        nt_put8(emit, 0x67);
    uint8_t *taken = nt_loop(emit, insn->condition);
    uint8_t *on = nt_jump(emit);
    nt_way8(emit, taken, emit->at);
    nt_tell_taken(making, i, true);
    go_direct(making, i, insn->target);
    nt_way(on, emit->at);
    nt_tell_taken(making, i, false);
    go_direct(making, i, nt_behind(insn));
}

void nt_branch(struct nt_making *making, unsigned i)
{
    struct nt_emit *emit = &making->emit;
    const struct nt_insn *insn = &making->insn[i];
    if (nt_tells_jump(making, i, insn->target)) {
        uint8_t *over = nt_jcc(emit, insn->condition ^ 1);
        go_direct(making, i, insn->target);
        nt_way(over, emit->at);
    } else {
        nt_new_out(making, NT_EXIT_DIRECT, insn->target, nt_jcc_aligned(emit, insn->condition));
    }
}

static void leave(struct nt_making *making, enum nt_exit_kind kind, uint64_t pc)
{
    nt_go_out(&making->emit, nt_new_out(making, kind, pc, 0));
}

/* What it will take from the stack is looked at here, where it may fault. */
static void leave_rarely(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    struct nt_emit *emit = &making->emit;
    if (insn->accesses) {
        put_aside(emit);
        nt_mark_with(making, insn->pc, 1 << RCX | 1 << RDX);
        nt_load(emit, RDX, nt_at(RSP, 0));
        nt_load(emit, RDX, nt_at(RSP, insn->access[0].size - 8));
        leave_restore(emit);
    }
    nt_tell_site(making, i);
    struct nt_out *out = nt_new_out(making, NT_EXIT_RARE, insn->pc, 0);
    out->exit.rare = insn->rare;
    out->exit.length = insn->length;
    out->exit.operand = insn->operand;
    out->exit.operand_bits = insn->operand_bits;
    out->exit.rsp_taken = (int32_t)insn->immediate_value;
    out->exit.why = insn->why;
    nt_go_out(emit, out);
}

void nt_emit_end(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    enum nt_class kind = insn->kind == NT_IS_XBEGIN && !making->has_rtm ? NT_IS_TRAP : insn->kind;
    switch (kind) {
    case NT_IS_LOOP:
        emit_loop(making, i);
        break;
    case NT_IS_XBEGIN:
        nt_constant(&making->emit, RAX, 0);
        go_direct(making, i, insn->target);
        break;
    case NT_IS_CALL:
        leave_push(making, insn);
        nt_tell_call(making, i);
        nt_jump_direct(making, insn->target);
        break;
    case NT_IS_JUMP:
        go_direct(making, i, insn->target);
        break;
    case NT_IS_CALL_INDIRECT:
        store_target(making, i);
        leave_push(making, insn);
        if (nt_tell_call_found(making, i))
            go_found(making, insn, -8);
        else
            go_indirect(making, insn, -8);
        break;
    case NT_IS_JUMP_INDIRECT:
        if (looks_up_at_once(making, insn)) {
            jump_at_once(making, insn);
            break;
        }
        store_target(making, i);
        if (nt_tell_jump_found(making, i))
            go_found(making, insn, 0);
        else
            go_indirect(making, insn, 0);
        break;
    case NT_IS_RETURN:
        emit_return(making, i);
        break;
    case NT_IS_TRAP:
        nt_put(&making->emit, insn->bytes, insn->length);
        nt_mark_here(making, nt_behind(insn));
        nt_jump_direct(making, nt_behind(insn));
        break;
    case NT_IS_RARE:
        leave_rarely(making, i);
        break;
    case NT_IS_SYSCALL:
        leave(making, NT_EXIT_SYSCALL, nt_behind(insn));
        break;
    case NT_IS_REQUEST:
        leave(making, NT_EXIT_REQUEST, nt_behind(insn));
        break;
    default:
        leave(making, NT_EXIT_CPUID, nt_behind(insn));
        break;
    }
}

void nt_emit_stop(struct nt_making *making, const struct nt_insn *insn)
{
    struct nt_out *out = nt_new_out(making, NT_EXIT_STOP, insn->pc, 0);
    out->exit.why = insn->why;
    nt_go_out(&making->emit, out);
}
