/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h: what one instruction does, as far as statements, loops and chains ask: where execution goes next, what kind
 * of data it takes from or puts into memory, what the ways of compilers to jump through a table are made of, which
 * general registers it moves what between, and how long its result takes.
 *
 * With Zydis. Without it in the build nothing is known: every instruction is TP_FLOW_UNKNOWN.
 */
#ifndef TENURE_PROFILE_DECODE_H
#define TENURE_PROFILE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum tp_flow {
    TP_FLOW_UNKNOWN,
    TP_FLOW_NEXT,     /* to the next instruction */
    TP_FLOW_BRANCH,   /* there or to `target` */
    TP_FLOW_JUMP,     /* to `target` */
    TP_FLOW_INDIRECT, /* a jump to where a register or memory says */
    TP_FLOW_CALL,     /* and, later, to the next instruction */
    TP_FLOW_END,      /* nowhere in this function: a return, ud2, hlt */
};

/* Parts of a jump through a table; registers by a number of their full width, 0: none. */
enum tp_shape {
    TP_SHAPE_OTHER,
    TP_SHAPE_ADDRESS, /* lea reg, [rip + ...]: `value` */
    TP_SHAPE_ENTRY,   /* reg = an entry of the table at `base`, or at `value` if base is 0; `width` bytes; if `index` is
                       * not 0, it is not known which of the two is the table */
    TP_SHAPE_JUMP,    /* jmp reg */
    TP_SHAPE_JUMP_ENTRY, /* jmp [base + 8 * index] */
};

/* How a `rep` ends, and what each round of it does. Each round counts as an instruction, and so does the test that
 * finds rcx 0: there are as many of these tests as there are more instructions than accesses. */
enum tp_repeats {
    TP_REPEATS_NOT,
    TP_REPEATS_READS,  /* movs, lods: one read */
    TP_REPEATS_WRITES, /* stos: one write */
    TP_REPEATS_UNTIL,  /* cmps, scas: may end in a round, too, which no count tells apart from the others */
};

struct tp_decoded {
    uint64_t target, value; /* target: of a branch, jump or call to a place that is written in it */
    uint16_t reg, base, index;
    uint8_t length, flow, shape, width, repeats;
    bool floating; /* what is in memory is floating point */

    /* General registers, a bit for each by its number in an instruction's code. */
    uint16_t reads;   /* what it writes is made of these */
    uint16_t writes;
    uint16_t address; /* of its access to memory */
    bool keeps;       /* what it writes may be, in part, what was there before */
    bool loads, stores;
    bool compares, chooses; /* it sets status flags; it is no branch, and depends on them */
    bool moves; /* between registers and slots of the stack, or a constant there, and nothing else; or does nothing */
    /* How fast (cycles.h): all registers, a bit for each, besides those of the address; and cycles from them, or from
     * what was loaded, to the result; and for how many cycles no other like it begins, where that is more than one. */
    uint64_t uses, sets;
    uint8_t latency, busy;
    uint8_t past; /* bytes that are stored past the caches */
    bool in_slot;     /* of the stack: at `displacement` from register number slot_base, rsp or rbp */
    bool frames;      /* it makes rbp the frame's, or gives back the caller's */
    uint8_t slot_base;
    int32_t displacement;
};

/* Whether instructions can be decoded in this build. */
bool tp_can_decode(void);

/* The instruction of `length` bytes that ran at `address`. */
void tp_decode(const uint8_t *bytes, unsigned length, uint64_t address, struct tp_decoded *out);

#endif
