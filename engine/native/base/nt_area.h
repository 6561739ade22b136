/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_area.h: the thread area, what generated code and the gate know of the thread that runs.
 *
 * GS is ours while anything of the program or the engine runs: its base points just behind the area, so that the area
 * lies at negative displacements and the core's tn_thread (its hot layout) at positive ones. Each thread has one.
 *
 * While generated code runs, the program's registers and flags are in the CPU's, its vector registers too, and FS is
 * the program's. But where one block leads to another, and most of the time between, r11 is ours: it holds an address
 * in the middle of what is used most, and the program's r11 is in `gpr`. Outside generated code `gpr`, `rip` and
 * `flags` are the program's; its vector registers and FS stay where they are, because nothing of the engine uses them,
 * except what nt_outer calls.
 *
 * Read from C and from assembly: the offsets are spelled out, and C checks them.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_AREA_H
#define TENURE_ENGINE_NATIVE_NT_AREA_H

/* Displacements from the base of GS. */
#define NT_AREA_BYTES 4096
#define NT_RESERVED (-4096)  /* from here on, nobody's */
#define NT_OPMASK (-2720)    /* what an instruction under a mask is to access (nt_lanes.c): the opmask register, */
#define NT_INDICES (-2712)   /* the vector of indices, */
#define NT_SIGNS (-2648)     /* the vector whose elements' signs are the mask */
#define NT_RETURNS (-2584)   /* where calls return to in generated code, by place on the stack: nt_leave.c */
#define NT_RETURN_COUNT 256
#define NT_BEFORE (-536)     /* rcx, rsi, rdi before a string instruction (nt_single.h) */
#define NT_CALLS (-512)      /* the ways to C that generated code calls (nt_calls.h), in the order of enum nt_call */
#define NT_CALLS_ROOM 24
#define NT_XSTATE (-304)     /* address of room for the CPU's extended state, which nt_outer keeps there */
#define NT_PENDING (-296)    /* not 0: a signal was taken from the kernel and is to be delivered to the program */
#define NT_TARGET (-288)     /* where nt_run jumps to: the program's registers leave it none for that */
#define NT_SELF (-272)       /* address of the area */
#define NT_GS_BASE (-264)    /* the program's, always emulated */
#define NT_FS_BASE (-256)    /* what the program's FS base is in the CPU, too */
#define NT_FLAGS (-248)
#define NT_GO (-240)         /* where an indirect branch goes on */
#define NT_NEAR (-232)       /* what r11 holds in generated code: */
#define NT_NEAR_AT (-96)     /* the address that is here. A displacement of one byte reaches everything from NT_ARGS on
                                to the thread's clock, and the fields of the ways that the core's tables lead to */
#define NT_ARGS (-224)       /* 3 x 8: of C that generated code calls */
#define NT_SITE NT_ARGS
#define NT_FUNCTION (NT_ARGS + 4)
#define NT_COUNTDOWN (-200)  /* signed; a block's entry takes 1 and leaves for the engine when it is negative then */
#define NT_EXIT (-192)       /* which exit generated code was left by: an index for nt_code_exit */
#define NT_LEAVE (-184)      /* address of the gate's way out, for a jump through it */
#define NT_ENGINE_SP (-176)  /* top of the engine's stack */
#define NT_HELD_SP (-168)    /* the program's stack pointer while C runs that generated code calls */
#define NT_RIP (-160)
#define NT_LINES (-152)      /* where sets are sampled (nt_count.c): the lines that are, */
#define NT_LIMIT_OF_4 (-144) /* and from where on an access of four bytes, and of eight, reaches into the next line */
#define NT_LIMIT_OF_8 (-136)
#define NT_GPR (-128)        /* 16 x 8, in the order of their encodings: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15 */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct nt_planner;
struct nt_target;
struct nt_thread; /* what of a thread only the engine's C code knows (nt_thread.h) */

struct nt_area {
    uint64_t reserved[NT_AREA_BYTES / 8 - 84 - NT_RETURN_COUNT];
    uint64_t opmask;
    uint8_t indices[64], signs[64];
    uint64_t returns[NT_RETURN_COUNT];
    struct {
        uint64_t rcx, rsi, rdi;
    } before;
    const void *calls[NT_CALLS_ROOM];
    const struct nt_planner *planner; /* NULL: no simulation */
    const struct nt_target *const *lookup; /* what indirect branches find */
    void *state;
    volatile uint64_t pending;
    const void *target;
    struct nt_thread *thread;
    struct nt_area *self;
    uint64_t gs_base, fs_base;
    uint64_t flags;
    const void *go;
    void *near;
    union {
        uint64_t args[3];
        struct {
            uint32_t site, function;
        };
    };
    int64_t countdown;
    uint64_t exit;
    void (*leave)(void);
    uint64_t engine_sp, held_sp;
    uint64_t rip;
    uint64_t lines, limit_of_4, limit_of_8;
    uint64_t gpr[16]; /* in the order of enum nt_gpr */
};

#define NT_AT(member, offset) \
    _Static_assert((long)offsetof(struct nt_area, member) - NT_AREA_BYTES == (offset), #member)
NT_AT(reserved, NT_RESERVED);
NT_AT(opmask, NT_OPMASK);
NT_AT(indices, NT_INDICES);
NT_AT(signs, NT_SIGNS);
NT_AT(returns, NT_RETURNS);
NT_AT(before, NT_BEFORE);
NT_AT(calls, NT_CALLS);
NT_AT(state, NT_XSTATE);
NT_AT(pending, NT_PENDING);
NT_AT(target, NT_TARGET);
NT_AT(self, NT_SELF);
NT_AT(gs_base, NT_GS_BASE);
NT_AT(fs_base, NT_FS_BASE);
NT_AT(flags, NT_FLAGS);
NT_AT(go, NT_GO);
NT_AT(near, NT_NEAR);
NT_AT(args, NT_ARGS);
NT_AT(site, NT_SITE);
NT_AT(function, NT_FUNCTION);
NT_AT(countdown, NT_COUNTDOWN);
NT_AT(exit, NT_EXIT);
NT_AT(leave, NT_LEAVE);
NT_AT(engine_sp, NT_ENGINE_SP);
NT_AT(held_sp, NT_HELD_SP);
NT_AT(rip, NT_RIP);
NT_AT(lines, NT_LINES);
NT_AT(limit_of_4, NT_LIMIT_OF_4);
NT_AT(limit_of_8, NT_LIMIT_OF_8);
NT_AT(gpr, NT_GPR);
_Static_assert(sizeof(struct nt_area) == NT_AREA_BYTES, "size of the area");

/* Addresses that the area has of itself. */
static inline void nt_area_place(struct nt_area *area)
{
    area->self = area;
    area->near = (char *)area + NT_AREA_BYTES + NT_NEAR_AT;
}

/* In place of an exit's index (nt_area.exit): go on at area->rip. */
#define NT_RESUME (~0UL)

enum nt_gpr {
    NT_RAX, NT_RCX, NT_RDX, NT_RBX, NT_RSP, NT_RBP, NT_RSI, NT_RDI,
    NT_R8, NT_R9, NT_R10, NT_R11, NT_R12, NT_R13, NT_R14, NT_R15
};
#endif
#endif
