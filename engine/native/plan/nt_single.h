/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_single.h: instructions that are counted one by one, in C, when they run.
 *
 * How often they access memory, or where, is in no address that the block's registers tell: string instructions under
 * rep, bit instructions with the bit's number in a register, `enter` with many levels, gathers, scatters and whatever
 * is under a mask (nt_lanes.c), and what stores or loads the CPU's state (nt_xstate.h). Generated code calls
 * nt_single_run with all of the program's general registers in the area, and what nt_lanes.c needs: in front of the
 * instruction, or behind it if it is `behind` (then with those that it changes as they were before in area->before).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_SINGLE_H
#define TENURE_ENGINE_NATIVE_NT_SINGLE_H

#include "core/tenure_core.h"
#include "engine/native/base/nt_area.h"
#include "engine/native/decode/nt_decode.h"

struct nt_planner;

/* One access of it, each time it happens. */
struct nt_single_access {
    uint8_t how;   /* NT_READ, NT_WRITE, NT_MODIFY */
    uint8_t base;  /* of string instructions: rsi or rdi ... */
    uint8_t segment; /* ... in this segment */
    uint16_t size;
    uint32_t id, counter; /* the core's; counter: TN_NONE if it always happens */
    uint32_t back;
};

enum { NT_SINGLE_ACCESSES = 12 };

/* Lives as long as the engine. */
struct nt_single {
    struct nt_single *next;
    uint64_t pc;
    uint32_t site;
    uint8_t bytes[NT_INSN_BYTES], length;
    bool behind;
    bool compares; /* cmps, scas: under repe and repne it may end before rcx is 0 ... */
    bool while_equal; /* ... by the other of the two */
    uint8_t address_bits;
    struct nt_single_access access[NT_SINGLE_ACCESSES];
    uint8_t accesses; /* of xsave and its relatives: of one size each */
    struct nt_access where; /* but of string instructions */
    uint32_t segment;       /* the instruction alone: what one more iteration executes */
    struct tn_fetch_info run[2];
    uint32_t run_id[2], runs; /* and fetches */
};

bool nt_single_is(const struct nt_insn *insn);
/* It ends its stretch. The same one for the same instruction. */
struct nt_single *nt_single_make(struct nt_planner *planner, const struct nt_insn *insn, uint32_t site);
/* The instruction at area->rip, these bytes, has faulted with these registers: if it is counted behind itself, count
 * what it did. */
void nt_single_faulted(const struct nt_planner *planner, struct nt_area *area, const uint8_t bytes[NT_INSN_BYTES]);
/* The one at `pc` has run, and its block is left before it is counted. */
void nt_single_left(const struct nt_planner *planner, struct nt_area *area, uint64_t pc,
                    const uint8_t bytes[NT_INSN_BYTES]);
void nt_single_run(const struct nt_planner *planner, struct nt_area *area, const struct nt_single *single);

/* ---------------------------------------------------------------------------------------- under a mask (nt_lanes.c) */

enum { NT_LANES_MOST = 64 };

bool nt_lanes_are(const struct nt_access *access);
/* The address of the operand, `off` further. */
uint64_t nt_lanes_address(const struct nt_access *where, const struct nt_area *area, uint64_t off);
/* The addresses of the accesses, in their order; returns how many. */
unsigned nt_lanes_find(const struct nt_access *where, const struct nt_area *area, uint64_t address[NT_LANES_MOST]);

#endif
