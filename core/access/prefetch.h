/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.h: the prefetchers of docs/model.md, section 10: which block a miss at level 1 asks for ahead.
 *
 * One of these watches the level-1 caches of a thread (or of all, with shared_l1). Nothing upstream depends on it, so
 * it belongs to the consumer of the rings (lower.c), which does what it says. All zeroes is its beginning.
 */
#ifndef TENURE_CORE_PREFETCH_H
#define TENURE_CORE_PREFETCH_H

#include "core/tenure_core.h"

#include <stdint.h>

enum {
    TN_RUNS = 8,             /* pages followed at a time */
    TN_RUN_PAGE_BITS = 12,   /* log2(bytes of a page) */
    TN_PREFETCH_DISTANCE = 5 /* blocks from the one that missed to the one prefetched */
};

struct tn_run {
    uint64_t last; /* block: line number at the prefetcher's level */
    int64_t steps; /* by one block, in a row: > 0 up, < 0 down */
};
struct tn_prefetcher {
    struct tn_run run[TN_RUNS];
};

/* The line at `address` has missed; a block has 1 << line_bits bytes. How many blocks further one is to be prefetched;
 * 0: none. */
int64_t tn_prefetcher_see(struct tn_prefetcher *prefetcher, enum tn_prefetching which, uint64_t address,
                          uint32_t line_bits);

#endif
