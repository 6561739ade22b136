/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_plan.h: what a block costs, before any of it is emitted.
 *
 * A block is cut into stretches (engine/CONTRACT.md, 1): here behind a branch, behind an instruction that is counted
 * one by one (a string instruction, lanes under a mask: nt_single.h), and in front of one of another function.
 * Everything is told to the core and has its ids and constants; what is left to do is to emit it, in this order: at a
 * stretch's first instruction its totals and its counter; for each instruction its fetch runs, then its accesses, then
 * itself.
 *
 * How instructions are counted is decided here, by section 4 of the contract.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_PLAN_H
#define TENURE_ENGINE_NATIVE_NT_PLAN_H

#include "core/tenure_core.h"
#include "engine/common/code_map.h"
#include "engine/native/decode/nt_decode.h"

enum { NT_BLOCK_INSNS = 64 }; /* at most */
enum { NT_PLAN_ACCESSES = NT_INSN_ACCESSES * NT_BLOCK_INSNS, NT_PLAN_RUNS = 2 * NT_BLOCK_INSNS };

/* A data access that always happens, of one address that general registers tell. */
struct nt_planned_access {
    uint8_t insn, which; /* insn[insn].access[which] says where */
    uint8_t kind;        /* enum tn_kind */
    bool whole;          /* by tn_whole_data: wider than a line, or not to be done in line */
    uint16_t size;
    uint32_t back;
    uint32_t id, table;  /* from tn_access_now; whole: from tn_access, and none */
};

/* A fetch run: if the way that the table's element names holds not `line`, tn_slow_fetch(id); then these constants.
 * `known`: the stretch in front, in the same block, fetched from this line last. So it is there, and the one used last:
 * nothing is tested, and its stamp, which no other line's is later than, may stay (but not if an I1 has RRIP, to which
 * every use counts). */
struct nt_planned_run {
    uint8_t insn;
    bool known;
    uint32_t id;
    uint32_t element; /* of the way table, from the thread base */
    uint64_t line, use, mask;
    uint32_t back;
};

struct nt_stretch {
    uint8_t insn, insns; /* the first, and how many */
    uint32_t accesses;   /* fetches and data */
    uint64_t clock, data, branches; /* to be added to the thread's totals */
    uint32_t counter;               /* the core's */
    uint32_t entered_from; /* the instruction in front that fell into another function, or TN_NONE: tn_jump first */
    uint32_t function;     /* of its instructions */
    struct nt_single *single; /* its last instruction is counted one by one, behind its fetch; or NULL */
};

struct nt_plan {
    struct nt_stretch stretch[NT_BLOCK_INSNS];
    struct nt_planned_access access[NT_PLAN_ACCESSES];
    struct nt_planned_run run[NT_PLAN_RUNS];
    unsigned stretches, accesses, runs; /* runs and accesses in the order of the program */
    uint32_t site[NT_BLOCK_INSNS];      /* the core's name of each instruction ... */
    uint32_t function_of[NT_BLOCK_INSNS]; /* ... and of its function */
    struct code_function function;      /* that the last instruction belongs to, with its range */
};

/* What planning needs to know, and keeps. */
enum { NT_SINGLE_BUCKETS = 256 };
struct nt_planner {
    tn_core *core;
    const struct tn_config *config;
    code_map *map;
    void *(*allocate)(size_t bytes); /* zeroed, never NULL, never given back */
    bool by_collecting; /* counters add thread->collecting, not 1 */
    bool clock_only;    /* and these nothing: only instructions are counted, nothing is collected (nt_profile.c) */
    bool shifts;        /* the CPU has shlx: mask bits are found in line */
    void (*dump)(void); /* write a part, now; NULL: never asked for */
    struct nt_single *singles[NT_SINGLE_BUCKETS];
    struct nt_xstate *xstate; /* once an instruction asks */
};

/* Contexts are kept apart: tn_count counts. */
static inline bool nt_plan_separate(const struct tn_config *config)
{
    return config->separate_callers > 0 || config->separate_recs > 1;
}

/* The plan for `count` instructions of one block. */
void nt_plan_make(struct nt_planner *planner, const struct nt_insn *insn, unsigned count, struct nt_plan *plan);

#endif
