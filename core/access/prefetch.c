/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.c: following runs of neighbouring blocks, the neighbour alone, and strides; see prefetch.h.
 *
 * A run is followed for each of a few pages. It is one from its second step in the same direction on; any other step
 * ends it. A stride of an instruction is followed when it has come twice in a row.
 */
#include "prefetch.h"

#include "core/base/machine.h"

/* The run after a step of 1, of -1, or of 0 if another block was asked for. */
static int64_t went_on(int64_t steps, int64_t step)
{
    if (steps == 0)
        return step;
    return steps * step > 0 ? steps + step : 0;
}

static int64_t see_run(struct tn_prefetcher *prefetcher, uint64_t address, uint32_t line_bits)
{
    struct tn_run *run = &prefetcher->run[(address >> TN_PAGE_BITS) % TN_RUNS];
    uint64_t block = address >> line_bits;
    int64_t moved = (int64_t)(block - run->last), step = moved == 1 || moved == -1 ? moved : 0;
    if (!moved)
        return 0;
    run->last = block;
    run->steps = went_on(run->steps, step);
    return run->steps * step > 1 ? step * TN_PREFETCH_DISTANCE : 0; /* the first step is no run yet */
}

static int64_t see_stride(struct tn_prefetcher *prefetcher, uint64_t address, uint32_t line_bits, uint64_t instr)
{
    struct tn_strider *strider = &prefetcher->strider[instr % TN_STRIDERS];
    int64_t stride = strider->instr == instr ? (int64_t)(address - strider->last) : 0;
    bool again = stride && stride == strider->stride && stride <= TN_MOST_STRIDE && stride >= -TN_MOST_STRIDE;
    *strider = (struct tn_strider){instr, address, stride};
    return again ? (int64_t)(((address + (uint64_t)stride) >> line_bits) - (address >> line_bits)) : 0;
}

int64_t tn_prefetcher_see(struct tn_prefetcher *prefetcher, enum tn_prefetching which, uint64_t address,
                          uint32_t line_bits, uint64_t instr)
{
    if (which == TN_STREAM)
        return see_run(prefetcher, address, line_bits);
    if (which == TN_STRIDE)
        return instr ? see_stride(prefetcher, address, line_bits, instr) : 0;
    return which == TN_NEXT_LINE || !(address >> line_bits & 1) ? 1 : -1;
}
