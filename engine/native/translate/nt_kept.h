/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_kept.h: what C keeps of the blocks that were made. There are hundreds of thousands of them, so it is small.
 *
 *     marks, exit n - 1, ... exit 0, block
 *
 * Places are told by their distance from the begin of the code cache's memory, in 32 bits; 0: none. The distance of an
 * exit is its index (nt_code.h); the exit at a block's head, NT_EXIT_SAFE, has no record, and the block's distance
 * with NT_KEPT_SAFE as its index.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_KEPT_H
#define TENURE_ENGINE_NATIVE_NT_KEPT_H

#include "nt_block.h"

enum { NT_KEPT_SAFE = 1 };

/* An exit. One that can be linked leads to `pc` bytes behind its block's pc. */
struct nt_kept_out {
    uint8_t kind, rare, length;
    bool links;
    union {
        int32_t pc, rsp_taken;
    };
    union {
        struct {
            uint32_t from, to;
            uint32_t next, back; /* of those that lead to the same block; back: where this one's place is noted */
            uint32_t site, stub;
        };
        struct {
            uint64_t pc_whole;
            const char *why;
            uint8_t operand, operand_bits;
        };
    };
};

struct nt_kept {
    uint64_t pc;
    uint32_t next; /* in the same bucket */
    uint32_t incoming;
    uint32_t head, end, target;
    uint16_t extent, entry, mark_bytes; /* entry: from the head on */
    uint8_t out_count;
    bool alive : 1, compares : 1;
    bool may_join : 1; /* it ends with a branch behind which it could go on */
    uint32_t pages[2]; /* what comes behind it in the lists of its one or two pages (nt_code.c) */
};

enum { NT_KEPT_MARK_BYTES = 11 }; /* the most that one takes */

static inline uint32_t nt_kept_index(uint32_t index_of_head, unsigned number)
{
    return index_of_head - NT_KEPT_SAFE - (number + 1) * (uint32_t)sizeof(struct nt_kept_out);
}

/* The bytes that a block's marks become in `to`, which has room for NT_KEPT_MARK_BYTES each. */
size_t nt_kept_pack_marks(const struct nt_making *making, uint8_t *to);
/* What holds `offset` bytes from a block's head on. */
struct nt_mark nt_kept_mark(const struct nt_kept *kept, uint64_t offset);

/* Fill in the record of exit `number`; `kept` is its block's. */
void nt_kept_pack_out(const struct nt_making *making, unsigned number, const struct nt_kept *kept);
/* The exit with this index. */
struct nt_exit nt_kept_exit(const struct nt_code *code, uint64_t index);

#endif
