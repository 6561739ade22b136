/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.h: the prefetchers of docs/model.md, section 10: which block they ask for ahead when they see one.
 *
 * One of these watches D1, and is its thread's (cache.c). Another one watches what the level-1 caches of a thread ask
 * for (of all threads, with shared_l1): nothing upstream depends on it, so it belongs to the consumer of the rings
 * (lower.c). All zeroes is the beginning of both.
 */
#ifndef TENURE_CORE_PREFETCH_H
#define TENURE_CORE_PREFETCH_H

#include "core/tenure_core.h"

#include <stdint.h>

enum {
    TN_RUNS = 8,              /* pages followed at a time */
    TN_PREFETCH_DISTANCE = 5, /* blocks from the one that is seen to the one prefetched, of a run */
    TN_STRIDERS = 64,         /* instructions followed at a time */
    TN_MOST_STRIDE = 2048     /* bytes, of those followed */
};

struct tn_run {
    uint64_t last; /* block: line number at the prefetcher's level */
    int64_t steps; /* by one block, in a row: > 0 up, < 0 down */
};
struct tn_strider {
    uint64_t instr; /* address of the instruction; 0: none yet */
    uint64_t last;  /* address that was seen last */
    int64_t stride; /* from the one before to it; 0: not known */
};
struct tn_prefetcher {
    struct tn_run run[TN_RUNS];
    struct tn_strider strider[TN_STRIDERS];
};

/* Seen: `address`, asked for by the instruction at address `instr` (0: a fetch); a block has 1 << line_bits bytes. How
 * many blocks further one is to be prefetched; 0: none. */
int64_t tn_prefetcher_see(struct tn_prefetcher *prefetcher, enum tn_prefetching which, uint64_t address,
                          uint32_t line_bits, uint64_t instr);

#endif
