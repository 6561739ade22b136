/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_translate.c: the code of a block: what stands in front of it, its head and its body. How it ends is nt_leave.c's.
 *
 * Instructions are copied. Around one whose operand cannot stay as it is (RIP-relative, under GS) a register that it
 * does not use is put aside into a slot of the thread area, and used as the base; it comes back behind the instruction
 * if it is live there, else when the program next writes it (then there is nothing to bring back). `slots` says which
 * register is where, and a mark carries that to whoever meets a fault.
 *
 * The head takes one from the countdown. Only jumps backwards and indirect ones lead there; a direct one forwards leads
 * to the entry behind: every loop has one of the former, so no loop runs without a countdown, and straight code pays
 * nothing.
 */
#include "nt_block.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

/* Slots of area->scratch that the head uses; bodies have the first NT_SLOTS. */
enum { HEAD_SLOT = 7 };

static uint16_t code_offset(const struct nt_making *making)
{
    return (uint16_t)(making->emit.at - making->block->start);
}

/* From here on the program is at `pc`, with registers where `slots` says. */
void nt_mark_here(struct nt_making *making, uint64_t pc)
{
    struct nt_mark *last = making->mark_count ? &making->marks[making->mark_count - 1] : 0;
    if (last && last->code == code_offset(making))
        making->mark_count--;
    struct nt_mark *now = &making->marks[making->mark_count++];
    *now = (struct nt_mark){.code = code_offset(making), .pc = (uint16_t)(pc - making->block->pc)};
    __builtin_memcpy(now->slots, making->slots, NT_SLOTS);
}

static int find_slot(const struct nt_making *making, uint8_t reg)
{
    for (int s = 0; s < NT_SLOTS; s++)
        if (making->slots[s] == reg)
            return s;
    return -1;
}

/* A register for use at instruction `i`, put aside: one of the lower eight that the instruction does not use, and not
 * one of `avoid`. Dead ones first; of the live ones those that the block does not name. */
static uint8_t take(struct nt_making *making, unsigned i, uint16_t avoid)
{
    static const uint8_t order[] = {RSI, RDI, RBX, RDX, RCX, RAX};
    const struct nt_insn *insn = &making->insn[i];
    uint16_t used = (uint16_t)(insn->reads | insn->writes | avoid), named = 0;
    for (unsigned k = 0; k < making->count; k++)
        named |= (uint16_t)(making->insn[k].reads | making->insn[k].writes);
    uint8_t best = NT_NO_REG;
    int best_rank = 0;
    for (unsigned k = 0; k < sizeof order; k++) {
        uint8_t reg = order[k];
        if (used >> reg & 1)
            continue;
        int rank = find_slot(making, reg) >= 0         ? 4
                   : !(making->live[i + 1] >> reg & 1) ? 3
                   : !(named >> reg & 1)               ? 2
                                                       : 1;
        if (rank > best_rank) {
            best = reg;
            best_rank = rank;
        }
    }
    if (find_slot(making, best) < 0) {
        int slot = find_slot(making, NT_NO_REG);
        nt_store(&making->emit, nt_slot((unsigned)slot), best);
        making->slots[slot] = best;
        nt_mark_here(making, insn->pc);
    }
    return best;
}

/* Behind instruction `i`: what it has killed is in no slot any more, what is live comes back. So that there is a slot
 * for every instruction, no more than two stay taken. */
void nt_give_back(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    unsigned taken = 0;
    for (unsigned s = 0; s < NT_SLOTS; s++) {
        uint8_t reg = making->slots[s];
        if (reg == NT_NO_REG)
            continue;
        bool killed = insn->kills >> reg & 1;
        bool live = making->live[i + 1] >> reg & 1;
        if (!killed && !live && taken < 2) {
            taken++;
            continue;
        }
        if (!killed)
            nt_load(&making->emit, reg, nt_slot(s));
        making->slots[s] = NT_NO_REG;
    }
}

static bool fits_absolute(uint64_t address)
{
    return address <= INT32_MAX;
}

/* The operand in memory that ModRM names, without its segment. */
static struct nt_mem operand_of(const struct nt_insn *insn)
{
    struct nt_mem mem = nt_at(insn->base, insn->offset);
    mem.index = insn->index;
    mem.scale = insn->scale;
    return mem;
}

static void operand_address(struct nt_making *making, const struct nt_insn *insn, uint8_t into)
{
    if (insn->rip_relative)
        nt_constant(&making->emit, into, insn->target);
    else if (insn->address_bits == 32)
        nt_address32(&making->emit, into, operand_of(insn));
    else
        nt_address(&making->emit, into, operand_of(insn));
}

/* A register with the address of the operand: the segment's base is in it if that is GS. */
uint8_t nt_take_address(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    uint8_t reg = take(making, i, 0);
    if (insn->segment == NT_SEGMENT_GS) {
        uint8_t base = take(making, i, (uint16_t)(1u << reg));
        operand_address(making, insn, reg);
        nt_load(&making->emit, base, nt_gs(NT_GS_BASE));
        nt_sum(&making->emit, reg, reg, base);
    } else {
        operand_address(making, insn, reg);
    }
    return reg;
}

static bool is_lea(const struct nt_insn *insn)
{
    return insn->encoding == NT_LEGACY && insn->memory && insn->bytes[insn->opcode] == 0x8d &&
           !insn->accesses;
}

/* lea r, [rip + d] is a constant; of 16 bits it is left to the general way. */
static bool constant_lea(struct nt_making *making, const struct nt_insn *insn)
{
    if (!is_lea(insn) || !insn->kills)
        return false;
    uint8_t rex = insn->prefix == NT_NO_REG ? 0 : insn->bytes[insn->prefix];
    uint8_t reg = (uint8_t)((insn->bytes[insn->modrm] >> 3 & 7) | (rex & 4) << 1);
    nt_constant(&making->emit, reg, rex & 8 ? insn->target : (uint32_t)insn->target);
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
    else if (fits_absolute(insn->target))
        nt_rewrite_absolute(&making->emit, insn);
    else
        nt_rewrite(&making->emit, insn, nt_take_address(making, i));
}

static void emit_gs_read(struct nt_making *making, const struct nt_insn *insn)
{
    nt_load(&making->emit, insn->operand, nt_gs(NT_GS_BASE));
    if (insn->operand_bits == 32)
        nt_move32(&making->emit, insn->operand, insn->operand);
}

static void emit_gs_write(struct nt_making *making, const struct nt_insn *insn)
{
    if (insn->operand_bits == 64) {
        nt_store(&making->emit, nt_gs(NT_GS_BASE), insn->operand);
    } else {
        nt_store32(&making->emit, nt_gs(NT_GS_BASE), insn->operand);
        nt_store32_constant(&making->emit, nt_gs(NT_GS_BASE + 4), 0);
    }
}

static void emit_body(struct nt_making *making)
{
    for (unsigned i = 0; i < making->count; i++) {
        const struct nt_insn *insn = &making->insn[i];
        nt_mark_here(making, insn->pc);
        switch (insn->kind) {
        case NT_IS_PLAIN:
            emit_plain(making, i);
            break;
        case NT_IS_GS_READ:
            emit_gs_read(making, insn);
            break;
        case NT_IS_GS_WRITE:
            emit_gs_write(making, insn);
            break;
        case NT_IS_NOTHING:
        case NT_IS_UNSUPPORTED:
            nt_emit_stop(making, insn);
            return;
        default:
            nt_emit_end(making, i);
            return;
        }
        nt_mark_here(making, nt_behind(insn));
        nt_give_back(making, i);
    }
    if (making->count == 0) {
        nt_go_out(making, nt_new_out(making, NT_EXIT_NOCODE, making->block->pc, 0));
    } else {
        uint64_t next = nt_behind(&making->insn[making->count - 1]);
        nt_mark_here(making, next);
        nt_jump_direct(making, next);
    }
}

/* What the code reaches relative to RIP, in front of it. */
static void emit_constants(struct nt_making *making)
{
    struct nt_emit *emit = &making->emit;
    nt_align(emit, 8, 0);
    making->block->start = emit->at;
    const struct nt_insn *last = making->count ? &making->insn[making->count - 1] : 0;
    if (last && (last->kind == NT_IS_CALL || last->kind == NT_IS_CALL_INDIRECT)) {
        making->back = (const struct nt_target *)emit->at;
        struct nt_target back = {.not_pc = ~nt_behind(last), .pc = nt_behind(last)};
        nt_put(emit, &back, sizeof back);
    }
    nt_align(emit, 16, sizeof(struct nt_target));
    making->block->target = (const struct nt_target *)emit->at;
    struct nt_target target = {~making->block->pc, emit->at + sizeof target, {making->block}};
    nt_put(emit, &target, sizeof target);
}

static void emit_head(struct nt_making *making)
{
    struct nt_emit *emit = &making->emit;
    enum { JS = 8 };
    making->flags_live = making->flags[0] != 0;
    nt_mark_here(making, making->block->pc);
    if (making->flags_live) {
        nt_store(emit, nt_slot(HEAD_SLOT), RAX);
        nt_flags_to_rax(emit);
    }
    nt_take_one(emit, nt_gs(NT_COUNTDOWN));
    making->safe = nt_jcc(emit, JS);
    if (making->flags_live) {
        nt_flags_from_rax(emit);
        nt_load(emit, RAX, nt_slot(HEAD_SLOT));
    }
    making->block->entry = emit->at;
}

static void emit_stubs(struct nt_making *making)
{
    struct nt_emit *emit = &making->emit;
    for (unsigned i = 0; i < making->block->out_count; i++) {
        struct nt_out *out = making->block->outs[i];
        if (!out->site)
            continue;
        nt_go_out(making, out);
        nt_way(out->site, out->stub);
    }
    if (!emit->full)
        nt_way(making->safe, emit->at);
    struct nt_out *safe = nt_new_out(making, NT_EXIT_SAFE, making->block->pc, 0);
    if (making->flags_live) {
        nt_flags_from_rax(emit);
        nt_load(emit, RAX, nt_slot(HEAD_SLOT));
    }
    nt_go_out(making, safe);
}

void nt_translate(struct nt_making *making)
{
    making->mark_count = 0;
    __builtin_memset(making->slots, NT_NO_REG, NT_SLOTS);
    emit_constants(making);
    emit_head(making);
    emit_body(making);
    making->block->stubs = making->emit.at;
    emit_stubs(making);
    making->block->end = making->emit.at;
}
