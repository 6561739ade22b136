/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_aside.h: registers of the program's that are put aside, so that generated code has some of its own.
 *
 * A register that is aside has its value in its home, its place in area->gpr, and may be used for anything. It stays
 * aside for as long as the program does not read it; when the program writes it whole, there is nothing to bring back.
 * r11 is aside nearly always, and holds the area's address then.
 * When it has come back its home goes on holding its value until the program writes it, and it need not be stored to be
 * put aside again. Which ones are aside is known at each place of a block, and a mark tells it to whoever meets a fault
 * there.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_ASIDE_H
#define TENURE_ENGINE_NATIVE_NT_ASIDE_H

#include "nt_block.h"

/* Those that ModRM names without a prefix, and that are no base of another kind. */
enum { NT_LOWER = 1 << NT_RAX | 1 << NT_RCX | 1 << NT_RDX | 1 << NT_RBX | 1 << NT_RSI | 1 << NT_RDI };
enum { NT_OURS = 1 << NT_R11 }; /* aside where a block begins and ends (nt_area.h) */
enum { NT_MAY_BE_TAKEN = 0xffff & ~(1 << NT_RSP | NT_OURS) };

static inline struct nt_mem nt_home(uint8_t reg)
{
    return nt_gs(NT_GPR + 8 * reg);
}

static inline bool nt_is_aside(const struct nt_making *making, uint8_t reg)
{
    return making->aside >> reg & 1;
}

/* From here on the program is at `pc`, with registers where `aside` says; with those in `more` aside, too. */
void nt_mark_here(struct nt_making *making, uint64_t pc);
void nt_mark_with(struct nt_making *making, uint64_t pc, uint16_t more);

/* Begins a block that nt_find_block has found: nothing but what is ours is aside in front of it. */
void nt_aside_begin(struct nt_making *making);
void nt_put_aside(struct nt_making *making, uint8_t reg);
/* Put aside one of the registers in `from`, which is not empty: that which costs least from instruction `i` on. */
uint8_t nt_take(struct nt_making *making, unsigned i, uint16_t from);
/* Emits what gives the registers in `set` the program's values again. */
void nt_bring_back(struct nt_making *making, uint16_t set);
/* Everything is as where blocks begin and end: only what is ours is aside. */
void nt_settle(struct nt_making *making);
/* The same for the registers that instruction `i` reads. */
void nt_aside_before(struct nt_making *making, unsigned i);
/* Instruction `i` has run: those that it writes are not aside any more; r11 becomes ours again, unless another one of
 * the block names it. */
void nt_aside_behind(struct nt_making *making, unsigned i);

/* The operand in memory that ModRM names, without its segment; it is not relative to RIP. */
struct nt_mem nt_operand_of(const struct nt_insn *insn);
/* A register, put aside, with the address of the operand in memory of instruction `i`; if that is under GS the
 * segment's base is in it. The program is at `i`. */
uint8_t nt_take_address(struct nt_making *making, unsigned i);

#endif
