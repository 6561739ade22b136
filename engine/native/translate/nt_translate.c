/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_translate.c: the code of a block: what stands in front of it, its head and its body. How it ends is nt_leave.c's.
 *
 * Instructions are copied. Around one whose operand cannot stay as it is (RIP-relative, under GS) a register that it
 * does not use is put aside (nt_aside.h) and used as the base.
 *
 * The head takes one from the countdown. Only jumps backwards and indirect ones lead there; a direct one forwards leads
 * to the entry behind: every loop has one of the former, so no loop runs without a countdown, and straight code pays
 * nothing. Code that may change unheard is compared in the head with what the block was made of: such a block is always
 * entered there.
 */
#include "nt_aside.h"
#include "nt_count.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

/* lea r, [rip + d] is a constant; of 16 bits it is left to the general way. */
static bool constant_lea(struct nt_making *making, const struct nt_insn *insn)
{
    bool is_lea = insn->encoding == NT_LEGACY && insn->bytes[insn->opcode] == 0x8d && !insn->accesses;
    if (!is_lea || !insn->memory || !insn->kills)
        return false;
    nt_constant(&making->emit, nt_reg_register(insn), nt_rex(insn) & 8 ? insn->target : (uint32_t)insn->target);
    return true;
}

static void emit_plain(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    if (insn->memory && insn->segment == NT_SEGMENT_GS)
        nt_rewrite(&making->emit, insn, nt_take_address(making, i));
    else if (!insn->rip_relative)
        nt_put(&making->emit, insn->bytes, insn->length);
    else if (constant_lea(making, insn))
        ;
    else if (insn->target <= INT32_MAX)
        nt_rewrite_absolute(&making->emit, insn);
    else
        nt_rewrite(&making->emit, insn, nt_take_address(making, i));
}

/* `base`: where the base is kept that the instruction sets. */
static void emit_base(struct nt_making *making, const struct nt_insn *insn, int32_t base)
{
    if (insn->operand_bits == 64) {
        nt_store(&making->emit, nt_gs(base), insn->operand);
    } else {
        nt_store32(&making->emit, nt_gs(base), insn->operand);
        nt_store32_constant(&making->emit, nt_gs(base + 4), 0);
    }
}

/* Behind instruction `i`: if it has stored the address of the last x87 instruction, that becomes the program's. */
static void emit_fpu_address(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    struct nt_emit *emit = &making->emit;

    if (!insn->fpu_at)
        return;
    uint8_t address = nt_take_address(making, i);
    if (insn->segment == NT_SEGMENT_FS) {
        uint8_t base = nt_take(making, i, (uint16_t)(NT_LOWER & ~(insn->reads | insn->writes | 1u << address)));
        nt_load(emit, base, nt_gs(NT_FS_BASE));
        nt_sum(emit, address, address, base);
    }
    nt_address(emit, address, nt_at(address, insn->fpu_at));
    nt_store(emit, nt_gs(NT_ARGS), address);
    nt_argument(making, 1, insn->fpu_bytes);
    nt_argument(making, 2, (uintptr_t)making->code);
    nt_call_c(making, NT_CALL_FPU);
}

static void emit_body(struct nt_making *making)
{
    nt_tell_allocation(making);
    for (unsigned i = 0; i < making->count; i++) {
        const struct nt_insn *insn = &making->insn[i];
        nt_mark_here(making, insn->pc);
        nt_count_before(making, i);
        if (insn->kind == NT_IS_PLAIN || insn->kind == NT_IS_GS_READ || insn->kind == NT_IS_GS_WRITE) {
            nt_aside_before(making, i);
        } else {
            nt_tell_condition(making, i);
            nt_settle(making);
        }
        nt_count_at(making, i);
        nt_mark_here(making, insn->pc);
        switch (insn->kind) {
        case NT_IS_PLAIN:
            emit_plain(making, i);
            if (insn->sets_fs)
                emit_base(making, insn, NT_FS_BASE);
            break;
        case NT_IS_GS_READ:
            nt_load(&making->emit, insn->operand, nt_gs(NT_GS_BASE));
            if (insn->operand_bits == 32)
                nt_move32(&making->emit, insn->operand, insn->operand);
            break;
        case NT_IS_GS_WRITE:
            emit_base(making, insn, NT_GS_BASE);
            break;
        case NT_IS_NOTHING:
        case NT_IS_UNSUPPORTED:
            nt_emit_stop(making, insn);
            return;
        case NT_IS_JCC:
            nt_branch(making, i);
            break;
        default:
            nt_emit_end(making, i);
            return;
        }
        emit_fpu_address(making, i);
        nt_aside_behind(making, i);
        nt_mark_here(making, nt_behind(insn));
        nt_count_behind(making, i);
    }
    nt_settle(making);
    if (making->count == 0) {
        nt_go_out(&making->emit, nt_new_out(making, NT_EXIT_NOCODE, making->block.pc, 0));
    } else {
        uint64_t next = nt_behind(&making->insn[making->count - 1]);
        nt_mark_here(making, next);
        nt_tell_jump(making, making->count - 1, next);
        nt_jump_direct(making, next);
    }
}

/* What the code reaches relative to RIP. */
static void emit_constants(struct nt_making *making)
{
    struct nt_emit *cold = &making->cold;
    struct nt_block *block = &making->block;
    nt_align(cold, sizeof(struct nt_target), 0); /* in one line */
    block->target = (const struct nt_target *)cold->at;
    uint32_t function = making->plan.stretches ? making->plan.function_of[0] : TN_NONE;
    struct nt_target target = {.not_pc = ~block->pc, .head = block->head, .function = function};
    nt_put(cold, &target, sizeof target);
    const struct nt_insn *last = making->count ? &making->insn[making->count - 1] : 0;
    if (last && (last->kind == NT_IS_CALL || last->kind == NT_IS_CALL_INDIRECT)) {
        making->back = (const struct nt_target *)cold->at;
        struct nt_target back = {.not_pc = ~nt_behind(last), .pc = nt_behind(last)};
        nt_put(cold, &back, sizeof back);
    }
}

static void restore_flags(struct nt_making *making, struct nt_emit *emit)
{
    if (!making->flags_live)
        return;
    nt_flags_from_rax(emit);
    nt_load(emit, RAX, nt_home(RAX));
}

/* Four bytes at a time; the last four may be compared in part twice. */
static void compare_code(struct nt_making *making)
{
    enum { JNE = 5, AT_ONCE = 4 };
    struct nt_emit *emit = &making->emit;
    uint32_t bytes = making->block.extent;
    uint8_t *different[sizeof making->bytes / AT_ONCE + 1];
    unsigned count = 0;
    nt_store(emit, nt_home(RCX), RCX);
    nt_mark_with(making, making->block.pc, (uint16_t)(1 << RCX | (making->flags_live ? 1 << RAX : 0)));
    nt_constant(emit, RCX, making->block.pc);
    for (uint32_t i = 0; i < bytes; i += bytes < AT_ONCE ? 1 : AT_ONCE) {
        uint32_t at = bytes < AT_ONCE || i + AT_ONCE <= bytes ? i : bytes - AT_ONCE, value;
        __builtin_memcpy(&value, making->bytes + at, sizeof value);
        if (bytes < AT_ONCE)
            nt_compare8_constant(emit, nt_at(RCX, (int32_t)at), making->bytes[at]);
        else
            nt_compare32_constant(emit, nt_at(RCX, (int32_t)at), value);
        different[count++] = nt_jcc(emit, JNE);
    }
    nt_load(emit, RCX, nt_home(RCX));
    for (unsigned i = 0; i < count && !emit->full && !making->cold.full; i++)
        nt_way(different[i], making->cold.at);
    nt_load(&making->cold, RCX, nt_home(RCX));
    restore_flags(making, &making->cold);
    nt_go_out(&making->cold, nt_new_out(making, NT_EXIT_CHANGED, making->block.pc, 0));
}

static void emit_head(struct nt_making *making)
{
    struct nt_emit *emit = &making->emit;
    struct nt_block *block = &making->block;
    enum { JS = 8 };
    making->flags_live = making->flags[0] != 0;
    block->compares = making->count > 0 && nt_changes_of(making, block->pc, block->extent) != NT_CHANGES_NOT;
    nt_mark_here(making, block->pc);
    if (making->flags_live) {
        nt_store(emit, nt_home(RAX), RAX);
        nt_flags_to_rax(emit);
    }
    nt_take_one(emit, nt_gs(NT_COUNTDOWN));
    making->safe = nt_jcc(emit, JS);
    if (block->compares)
        compare_code(making);
    restore_flags(making, emit);
    block->entry = emit->at;
}

static void emit_stubs(struct nt_making *making)
{
    struct nt_emit *cold = &making->cold;
    struct nt_out safe = {.index = making->index};
    for (unsigned i = 0; i < making->out_count; i++) {
        struct nt_out *out = &making->outs[i];
        if (!out->site)
            continue;
        nt_go_out(cold, out);
        nt_way(out->site, out->stub);
    }
    if (!cold->full)
        nt_way(making->safe, cold->at);
    restore_flags(making, cold);
    nt_go_out(cold, &safe);
}

void nt_translate(struct nt_making *making)
{
    making->mark_count = making->out_count = 0;
    nt_count_plan(making);
    nt_aside_begin(making);
    nt_align(&making->emit, 8, 0);
    making->block.head = making->emit.at;
    emit_constants(making);
    emit_head(making);
    emit_body(making);
    emit_stubs(making);
    nt_count_detours(making);
    making->block.end = making->emit.at;
}
