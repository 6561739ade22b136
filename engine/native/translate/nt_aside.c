/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_aside.c: see nt_aside.h. */
#include "nt_aside.h"

static uint16_t code_offset(const struct nt_making *making)
{
    return (uint16_t)(making->emit.at - making->block.head);
}

void nt_mark_with(struct nt_making *making, uint64_t pc, uint16_t more)
{
    struct nt_mark *last = making->mark_count ? &making->marks[making->mark_count - 1] : 0;
    if (last && last->code == code_offset(making))
        making->mark_count--;
    struct nt_mark *now = &making->marks[making->mark_count++];
    *now = (struct nt_mark){
        .code = code_offset(making),
        .pc = (uint16_t)(pc - making->block.pc),
        .aside = making->aside | more,
        .segment = making->segment,
    };
}

void nt_mark_here(struct nt_making *making, uint64_t pc)
{
    nt_mark_with(making, pc, 0);
}

void nt_put_aside(struct nt_making *making, uint8_t reg)
{
    if (!((making->aside | making->homed) >> reg & 1))
        nt_store(&making->emit, nt_home(reg), reg);
    making->aside |= (uint16_t)(1u << reg);
    making->homed |= (uint16_t)(1u << reg);
    if (making->clock_in == reg)
        making->clock_in = NT_NO_REG;
}

void nt_aside_begin(struct nt_making *making)
{
    making->aside = making->homed = NT_OURS;
    making->clock_in = NT_NO_REG;
    __builtin_memset(making->next_use[making->count], making->count, sizeof making->next_use[0]);
    for (unsigned i = making->count; i-- > 0;) {
        uint8_t *next = making->next_use[i];
        __builtin_memcpy(next, making->next_use[i + 1], sizeof making->next_use[0]);
        for (unsigned named = making->insn[i].reads | making->insn[i].writes; named; named &= named - 1)
            next[__builtin_ctz(named)] = (uint8_t)i;
    }
}

/* One that is aside costs nothing. One that is dead need not be brought back; one whose home holds it need not be
 * stored. */
static unsigned worth(const struct nt_making *making, unsigned i, uint8_t reg)
{
    enum { ASIDE = 1000, DEAD = 4, HOMED = 4 };
    bool dead = !(making->live[i + 1] >> reg & 1);
    unsigned next = making->next_use[i + 1][reg]; /* instruction that names the register again */
    unsigned distance = next < making->count ? next - i : NT_BLOCK_INSNS;

    return 2 * distance + (nt_is_aside(making, reg) ? ASIDE : 0) + (dead ? DEAD : 0) +
           (making->homed >> reg & 1 ? HOMED : 0);
}

uint8_t nt_take(struct nt_making *making, unsigned i, uint16_t from)
{
    uint8_t best = NT_NO_REG;
    unsigned best_worth = 0;

    for (unsigned rest = from; rest; rest &= rest - 1) {
        uint8_t reg = (uint8_t)__builtin_ctz(rest);
        unsigned now = worth(making, i, reg) + 1;
        if (now > best_worth) {
            best = reg;
            best_worth = now;
        }
    }
    nt_put_aside(making, best);
    return best;
}

static void is_aside_no_more(struct nt_making *making, uint16_t set)
{
    making->emit.near &= !(set & NT_OURS);
    making->aside &= (uint16_t)~set;
    if (making->clock_in != NT_NO_REG && set >> making->clock_in & 1)
        making->clock_in = NT_NO_REG;
}

void nt_bring_back(struct nt_making *making, uint16_t set)
{
    set &= making->aside;
    for (unsigned rest = set & ~(unsigned)NT_OURS; rest; rest &= rest - 1) {
        uint8_t reg = (uint8_t)__builtin_ctz(rest);
        nt_load(&making->emit, reg, nt_home(reg));
    }
    if (set & NT_OURS)
        nt_load(&making->emit, NT_R11, nt_home(NT_R11)); /* last: the others come through it */
    is_aside_no_more(making, set);
}

/* r11 is ours again. */
static void take_ours(struct nt_making *making)
{
    nt_put_aside(making, NT_R11);
    nt_load(&making->emit, NT_R11, nt_gs(NT_NEAR));
    making->emit.near = true;
}

void nt_settle(struct nt_making *making)
{
    if (!nt_is_aside(making, NT_R11))
        take_ours(making);
    nt_bring_back(making, (uint16_t)~NT_OURS);
}

void nt_aside_before(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];

    nt_bring_back(making, (uint16_t)(insn->reads | (insn->writes & ~insn->kills)));
}

void nt_aside_behind(struct nt_making *making, unsigned i)
{
    is_aside_no_more(making, making->insn[i].kills);
    making->homed &= (uint16_t)~(making->insn[i].kills | making->insn[i].writes);
    if (!nt_is_aside(making, NT_R11) && making->next_use[i + 1][NT_R11] >= making->count)
        take_ours(making);
}

struct nt_mem nt_operand_of(const struct nt_insn *insn)
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
        nt_address32(&making->emit, into, nt_operand_of(insn));
    else
        nt_address(&making->emit, into, nt_operand_of(insn));
}

uint8_t nt_take_address(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    uint16_t free = NT_LOWER & (uint16_t)~(insn->reads | insn->writes);
    uint8_t reg = nt_take(making, i, free);

    if (insn->segment == NT_SEGMENT_GS) {
        uint8_t base = nt_take(making, i, (uint16_t)(free & ~(1u << reg)));
        operand_address(making, insn, reg);
        nt_load(&making->emit, base, nt_gs(NT_GS_BASE));
        nt_sum(&making->emit, reg, reg, base);
    } else {
        operand_address(making, insn, reg);
    }
    nt_mark_here(making, insn->pc);
    return reg;
}
