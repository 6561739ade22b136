/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_block.h: what is known of a translated block, and what making one needs. Only files of this folder use it.
 *
 *     head: countdown  entry: body, exits                                [target] [return] stubs
 *
 * What runs often lies close together; what it seldom needs, and its constants, which it reaches relative to RIP, are
 * elsewhere, `cold`. In both blocks lie in the order in which they were made. What C keeps of them (nt_kept.h) is in a
 * third place, so that writing it never touches lines that run.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_BLOCK_H
#define TENURE_ENGINE_NATIVE_NT_BLOCK_H

#include "engine/native/base/nt_area.h"
#include "engine/native/decode/nt_decode.h"
#include "engine/native/decode/nt_forms.h"
#include "engine/native/plan/nt_plan.h"
#include "nt_code.h"
#include "nt_emit.h"

enum {
    NT_BLOCK_MARKS = NT_BLOCK_INSNS * 5 + 16, /* an instruction's: in front of what it costs, and behind; where its
                                                 operand's address is made, perhaps twice; behind itself */
    NT_BLOCK_BRANCHES = 6, /* that a block goes on behind */
    NT_BLOCK_OUTS = NT_BLOCK_BRANCHES + 5,
    NT_LOOKUPS = 1 << 16, /* by the lower 16 bits of the address */
};

/* From `code` on (bytes from the block's first) the program is at its block's pc + `pc`, and the registers in `aside`
 * are in area->gpr. */
struct nt_mark {
    uint16_t code, pc, aside;
    uint32_t segment; /* the core's, of the stretch that runs; TN_NONE: not simulated */
};

/* An exit. `site`: the four bytes that lead to `stub` or, linked, to a block; NULL: it always leaves. */
struct nt_out {
    struct nt_exit exit;
    uint32_t index;
    uint8_t *site, *stub;
};

/* What generated code knows of a block, or of where a call comes back to. */
struct nt_target {
    uint64_t not_pc; /* ~ the address in the program */
    const void *head;
    uint64_t pc; /* of a call's return */
    uint32_t function; /* the core's, at a block's head; TN_NONE: not known */
    uint32_t room;
};

struct nt_block {
    uint64_t pc;
    uint32_t extent; /* bytes of the program's code it was made from */
    bool compares;   /* its code, in its head */
    const uint8_t *head, *entry, *end; /* of its code; entry: behind the countdown and what it compares */
    const struct nt_target *target;
};

/* A test that may fail: where it is, and where to go on behind what is done then (nt_count.c). */
enum nt_detour_kind { NT_DETOUR_CALL, NT_DETOUR_FETCH, NT_DETOUR_MISSED, NT_DETOUR_SAMPLED };
struct nt_detour {
    uint8_t *from;
    const uint8_t *back;
    enum nt_detour_kind kind;
    const struct nt_planned_run *run;       /* FETCH */
    const struct nt_planned_access *access; /* MISSED, SAMPLED */
    uint8_t call;      /* CALL: enum nt_call, */
    uint64_t argument; /* and its first argument */
    uint8_t o, a; /* registers: the way's offset, the address, MISSED less the way's line, SAMPLED turned */
    uint8_t m; /* not CALL: a register that is free meanwhile */
    bool near; /* as in struct nt_emit */
    bool holds_lines; /* m has held the lines that are sampled, and is to hold them again */
};
enum { NT_BLOCK_DETOURS = NT_PLAN_ACCESSES + NT_PLAN_RUNS + NT_BLOCK_BRANCHES + 2 };

enum { NT_MOST_ACCESSED = 64 }; /* bytes; what is wider is done in C */

/* Code that detours share, by the registers that hold the address and the way's offset, and by how much is accessed.
 * NULL: not made yet. */
struct nt_shared {
    const uint8_t *missed[2][16][16]; /* of reads; of writes, where these do something else */
    const uint8_t *sampled[2][16][NT_MOST_ACCESSED + 1];
    const uint8_t *fetch[16];
    const uint64_t *limit[NT_MOST_ACCESSED + 1]; /* constants (nt_count.c) */
};

/* What of a plan is emitted. */
struct nt_counting {
    unsigned stretch, run, access;
};

/* A block in the making. */
struct nt_making {
    const struct nt_code_config *config;
    const struct nt_target *const *lookup; /* NT_LOOKUPS: what indirect branches find */
    const struct nt_decoder *decoder;
    struct nt_forms *forms;
    struct nt_code *code;
    uint32_t index; /* of the exit at its head; nt_kept_index has that of the others */
    struct nt_block block;
    struct nt_emit emit, cold;
    unsigned count, mark_count, out_count;
    struct nt_plan plan;
    struct nt_counting now;
    struct nt_detour detours[NT_BLOCK_DETOURS];
    unsigned detour_count;
    struct nt_shared shared; /* lives on from block to block, until the code is forgotten */
    uint32_t segment; /* that runs, here */
    uint16_t aside; /* registers whose values are in area->gpr, here (nt_aside.h) */
    uint8_t clock_in; /* one of them, which holds the thread's clock meanwhile or, where sets are sampled, the bits of
                         the lines that are; NT_NO_REG: none */
    uint16_t homed; /* and those whose values are there too */
    uint8_t next_use[NT_BLOCK_INSNS + 1][16]; /* the first instruction from here on that names the register */
    uint8_t *safe; /* the way to the exit at the head */
    bool flags_live, has_bmi2, has_rtm, joins;
    const struct nt_target *back; /* constants of the call at its end */
    struct nt_insn insn[NT_BLOCK_INSNS];
    uint16_t live[NT_BLOCK_INSNS + 1], flags[NT_BLOCK_INSNS + 1]; /* before the instruction */
    struct nt_mark marks[NT_BLOCK_MARKS];
    struct nt_out outs[NT_BLOCK_OUTS];
    uint8_t bytes[NT_BLOCK_INSNS * NT_INSN_BYTES];
};

static inline uint64_t nt_behind(const struct nt_insn *insn)
{
    return insn->pc + insn->length;
}

/* REX of an instruction without VEX and its like; 0: it has none. */
static inline uint8_t nt_rex(const struct nt_insn *insn)
{
    return insn->encoding == NT_LEGACY && insn->prefix != NT_NO_REG ? insn->bytes[insn->prefix] : 0;
}

/* The general registers that ModRM of such an instruction names: in its middle, and at its end. */
static inline uint8_t nt_reg_register(const struct nt_insn *insn)
{
    return (uint8_t)((insn->bytes[insn->modrm] >> 3 & 7) | (nt_rex(insn) & 4) << 1);
}

static inline uint8_t nt_rm_register(const struct nt_insn *insn)
{
    return (uint8_t)((insn->bytes[insn->modrm] & 7) | (nt_rex(insn) & 1) << 3);
}

/* Find, decode and analyse the block at `pc` (nt_find.c). */
void nt_find_block(struct nt_making *making, uint64_t pc);
enum nt_changes nt_changes_of(const struct nt_making *making, uint64_t pc, size_t bytes);
/* Emit it: fills in block's code addresses, target, outs and the marks (nt_translate.c). */
void nt_translate(struct nt_making *making);

/* Emit a conditional branch, which may have something behind it (nt_leave.c). */
void nt_branch(struct nt_making *making, unsigned i);
/* Emit the last instruction, if it is not plain. */
void nt_emit_end(struct nt_making *making, unsigned i);
void nt_emit_stop(struct nt_making *making, const struct nt_insn *insn);
struct nt_out *nt_new_out(struct nt_making *making, enum nt_exit_kind kind, uint64_t pc, uint8_t *site);
void nt_jump_direct(struct nt_making *making, uint64_t pc);
/* rcx = the sum of what two registers hold, and one more: 0 if they are each other's complement. */
void nt_compare_complement(struct nt_emit *emit, uint8_t a, uint8_t b);
/* Leave generated code by `out`. */
void nt_go_out(struct nt_emit *emit, struct nt_out *out);

/* With --self-check: whether the block's code does what its instructions do. NULL: it does. Else what is wrong, near
 * the instruction at *pc (nt_check.c). */
const char *nt_check_block(const struct nt_making *making, uint64_t *pc);

/* Emit `insn` with its operand in memory at [base] instead: base is one of the lower eight, not rsp or rbp
 * (nt_rewrite.c). */
void nt_rewrite(struct nt_emit *emit, const struct nt_insn *insn, uint8_t base);
/* The same with the operand at the absolute address insn->target, which is below 2 GB. */
void nt_rewrite_absolute(struct nt_emit *emit, const struct nt_insn *insn);

#endif
