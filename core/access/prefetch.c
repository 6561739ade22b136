/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.c: following runs of neighbouring blocks, and the neighbour alone; see prefetch.h.
 *
 * A run is followed for each of a few pages. It is one from its second step in the same direction on; any other step
 * ends it.
 */
#include "prefetch.h"

/* The run after a step of 1, of -1, or of 0 if another block was asked for. */
static int64_t went_on(int64_t steps, int64_t step)
{
    if (steps == 0)
        return step;
    return steps * step > 0 ? steps + step : 0;
}

static int64_t see_run(struct tn_prefetcher *prefetcher, uint64_t address, uint32_t line_bits)
{
    struct tn_run *run = &prefetcher->run[(address >> TN_RUN_PAGE_BITS) % TN_RUNS];
    uint64_t block = address >> line_bits;
    int64_t moved = (int64_t)(block - run->last), step = moved == 1 || moved == -1 ? moved : 0;
    if (!moved)
        return 0;
    run->last = block;
    run->steps = went_on(run->steps, step);
    return run->steps * step > 1 ? step * TN_PREFETCH_DISTANCE : 0; /* the first step is no run yet */
}

int64_t tn_prefetcher_see(struct tn_prefetcher *prefetcher, enum tn_prefetching which, uint64_t address,
                          uint32_t line_bits)
{
    if (which == TN_STREAM)
        return see_run(prefetcher, address, line_bits);
    return which == TN_NEXT_LINE || !(address >> line_bits & 1) ? 1 : -1;
}
