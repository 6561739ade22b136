/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_code.h: generated code: blocks, exits, links.
 *
 * One for all threads. Who changes it (nt_code_make, nt_code_link, nt_code_invalidate) holds the translation lock,
 * which is the caller's; who executes it holds nothing. nt_code_make calls the decoder library, so it runs behind
 * nt_outer; the others are ordinary inner code (general registers only, no thread-local storage).
 *
 * A block is entered at its head with the program's registers and flags in the CPU's, but for r11, which is ours
 * (nt_area.h), and GS at the thread area. It leaves through an exit: NT_EXIT holds the exit's index then, every other
 * register and flag is the program's again, r11 is in its home, and a jump through NT_LEAVE was executed. NT_RIP is
 * stored by generated code for an indirect exit only; what the others lead to is in the exit.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CODE_H
#define TENURE_ENGINE_NATIVE_NT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nt_code;
struct nt_planner;

enum nt_exit_kind {
    NT_EXIT_DIRECT, /* goes on at `pc`; can be linked */
    NT_EXIT_INDIRECT, /* goes on at area->rip, where the branch at `pc` leads: it is in no table yet. If that is no
                         canonical address, the branch itself faults: rsp was `rsp_taken` less then */
    NT_EXIT_SAFE,    /* the countdown ran out at the head of the block at `pc`, of which nothing has run */
    NT_EXIT_SYSCALL, /* a `syscall` in front of `pc` is to be done */
    NT_EXIT_CPUID,   /* a `cpuid` in front of `pc` is to be done */
    NT_EXIT_REQUEST, /* the program asks its profiler in front of `pc` (include/tenure.h) */
    NT_EXIT_RARE,    /* the instruction at `pc` is to be done: `rare` and what follows it, as in nt_decode.h */
    NT_EXIT_STOP,    /* the instruction at `pc` cannot be run: undecodable, or not supported (`why`) */
    NT_EXIT_NOCODE,  /* there is no memory to execute at `pc` */
    NT_EXIT_CHANGED, /* what the block at `pc` was made of is other code now; nothing of it has run */
};
struct nt_exit {
    enum nt_exit_kind kind;
    uint8_t rare, length, operand, operand_bits;
    uint64_t pc;
    int32_t rsp_taken; /* NT_EXIT_RARE: its immediate value */
    const char *why;   /* NT_EXIT_RARE, NT_EXIT_STOP: what it is; NULL: undecodable, the CPU would raise SIGILL */
};

/* What a place in generated code means: how to make the program's state from the CPU's there. */
struct nt_place {
    uint64_t
        pc; /* the program's instruction, of which nothing has happened yet (or, restartable, part of it) */
    uint32_t segment; /* the core's, of the stretch that this is in; TN_NONE: there is none, or no simulation */
    uint16_t spilled; /* bit r: general register r is in area->gpr[r] */
};

/* How code may change without anybody hearing of it: not at all, by what others do, or by the program's own stores to
 * it as well. */
enum nt_changes { NT_CHANGES_NOT, NT_CHANGES_ELSEWHERE, NT_CHANGES_HERE };

/* What the code needs of whoever runs it. */
struct nt_code_host {
    /* A function of the decoder library by its name; NULL: it has none. Asked for once, in nt_code_new. */
    void *(*symbol)(const char *name);
    /* Copy up to `bytes` bytes of program code at `pc`; returns how many could be read, and executed. */
    size_t (*read_code)(uint64_t pc, void *to, size_t bytes);
    /* With `check`: the code of the instruction at `pc` is wrong. */
    void (*wrong)(uint64_t pc, const char *what);
    /* How the `bytes` bytes of program code at `pc` may change; NULL: not at all. A block made of code that may change
     * compares it each time that it is entered; with NT_CHANGES_HERE it ends behind each store. */
    enum nt_changes (*changes)(uint64_t pc, size_t bytes);
};

struct nt_code_config {
    struct nt_code_host host;
    void *memory; /* zeroed; readable, writable and executable; aligned to a page */
    size_t bytes; /* 4 MB to 1 GB */
    bool join;    /* --join: blocks go on behind conditional branches; simulated, once they turn out to run often */
    bool link;    /* --link: exits lead to blocks directly */
    bool check;   /* --self-check: each block's code is compared with its instructions (nt_check.c) */
    struct nt_planner *planner; /* simulate (nt_plan.h); NULL: do not */
    bool lookup;  /* --lookup: indirect branches look their target up in generated code */
    bool returns; /* --returns: calls tell the CPU and the thread where they come back to */
};

/* NULL: the decoder library is not the one that this was compiled for. Calls it, so it runs behind nt_outer. */
struct nt_code *nt_code_new(const struct nt_code_config *config);

/* Fill in what code finds in a thread's area, and make its table of returns empty: when the thread begins and, for
 * each, behind nt_code_reclaim. */
struct nt_area;
void nt_code_thread(const struct nt_code *code, struct nt_area *area);

/* The head of the block at `pc`; NULL if there is none yet. Needs no lock. */
const void *nt_code_find(const struct nt_code *code, uint64_t pc);
/* The head of the block at `pc`, which is made if it is not there. What cannot be translated is a block that leaves by
 * NT_EXIT_STOP or NT_EXIT_NOCODE. NULL: the memory is used up. Then get every thread out of generated code, call
 * nt_code_reclaim, and ask again. */
const void *nt_code_make(struct nt_code *code, uint64_t pc);

/* The program is often at `pc`. Whether nt_code_join would do anything there; needs no lock. */
bool nt_code_may_join(const struct nt_code *code, uint64_t pc);
/* Make the block at `pc` anew, so that it goes on behind conditional branches; whatever led to the old one leads to it.
 * Nothing happens if there is none, if it does so already, or if the memory is used up. Runs behind nt_outer. */
void nt_code_join(struct nt_code *code, uint64_t pc);

/* What exit `index` (area->exit) is. */
struct nt_exit nt_code_exit(const struct nt_code *code, uint64_t index);
/* From now on exit `index` leads to the block at `pc` without the engine, and indirect branches to there may too.
 * Nothing happens if it cannot be linked, or config.link is false. */
void nt_code_link(struct nt_code *code, uint64_t index, uint64_t pc);

/* Code at [start, start + bytes) of the program has gone or changed: its blocks are found no more and nothing is linked
 * to them. A thread may still be in one; its memory is used again only after nt_code_reclaim. */
void nt_code_invalidate(struct nt_code *code, uint64_t start, uint64_t bytes);
/* Every thread is outside generated code, and none has a head or the index of an exit in hand. If the memory was used
 * up, everything is forgotten; else nothing happens. */
void nt_code_reclaim(struct nt_code *code);
/* The same, in any case: from now on code is made by `planner`, which may be NULL. */
void nt_code_plan(struct nt_code *code, struct nt_planner *planner);

/* What is in the memory: bytes of code, of what code seldom needs, of what is kept of both. And how many instructions
 * were decoded so far, and how many of them only copied (nt_forms.h). */
struct nt_code_usage {
    uint64_t hot, cold, kept, decoded, known;
};
struct nt_code_usage nt_code_usage(const struct nt_code *code);

/* What the address `at` in generated code means. Exact at every instruction of the program's: those that can fault. In
 * the engine's own between them (the countdown, an exit) what they have put aside is not told. False: it is not in
 * generated code, or in a part of it where nothing of the program's is. Async-signal-safe. */
bool nt_code_place(const struct nt_code *code, uint64_t at, struct nt_place *place);
bool nt_code_holds(const struct nt_code *code, uint64_t at);
/* `at` is in a block that was invalidated. */
bool nt_code_is_forgotten(const struct nt_code *code, uint64_t at);

/* The CPU keeps the address of the last x87 instruction, and shows it in stored environments and states: an address in
 * generated code. Behind an instruction that stores it, and in signal frames, it becomes the program's: the `bytes`
 * bytes at `at` hold such an address. What it was before code was forgotten (nt_code_reclaim) is not known any more;
 * nor is it in the format of 16 bits. */
void nt_fpu_show(const struct nt_code *code, void *at, uint64_t bytes);

#endif
