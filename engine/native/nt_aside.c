/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_aside.c: see nt_aside.h. */
#include "nt_aside.h"

void nt_put_aside(struct nt_making *making, uint8_t reg)
{
    if (!nt_is_aside(making, reg))
        nt_store(&making->emit, nt_home(reg), reg);
    making->aside |= (uint16_t)(1u << reg);
}

/* Instructions until the block names the register again. */
static unsigned distance(const struct nt_making *making, unsigned i, uint8_t reg)
{
    unsigned k = i + 1;

    while (k < making->count && !((making->insn[k].reads | making->insn[k].writes) >> reg & 1))
        k++;
    return k < making->count ? k - i : NT_BLOCK_INSNS;
}

/* One that is aside costs nothing. One that is dead need not be brought back. */
static unsigned worth(const struct nt_making *making, unsigned i, uint8_t reg)
{
    enum { ASIDE = 1000, DEAD = 4 };
    bool dead = !(making->live[i + 1] >> reg & 1);

    return 2 * distance(making, i, reg) + (nt_is_aside(making, reg) ? ASIDE : 0) + (dead ? DEAD : 0);
}

uint8_t nt_take(struct nt_making *making, unsigned i, uint16_t from)
{
    uint8_t best = NT_NO_REG;
    unsigned best_worth = 0;

    for (uint8_t reg = 0; reg < 16; reg++) {
        unsigned now = from >> reg & 1 ? worth(making, i, reg) + 1 : 0;
        if (now > best_worth) {
            best = reg;
            best_worth = now;
        }
    }
    nt_put_aside(making, best);
    return best;
}

void nt_bring_back(struct nt_making *making, uint16_t set)
{
    set &= making->aside;
    for (uint8_t reg = 0; reg < 16; reg++) {
        if (set >> reg & 1)
            nt_load(&making->emit, reg, nt_home(reg));
    }
    making->aside &= (uint16_t)~set;
}

void nt_aside_before(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];

    nt_bring_back(making, (uint16_t)(insn->reads | (insn->writes & ~insn->kills)));
}

void nt_aside_behind(struct nt_making *making, unsigned i)
{
    making->aside &= (uint16_t)~making->insn[i].kills;
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
