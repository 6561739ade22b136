/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch_model.h: docs/model.md, section 10, as it is written: which blocks are asked for ahead.
 */
#ifndef TENURE_REFMODEL_PREFETCH_MODEL_H
#define TENURE_REFMODEL_PREFETCH_MODEL_H

#include "model.h"

#include <stdint.h>
#include <stdlib.h>

enum { STREAMS = 8, PAGE = 4096, AHEAD = 5, STRIDERS = 64, LARGEST_STRIDE = 2048 };

struct stream {
    uint64_t last;
    int64_t run;
};

struct strider {
    uint64_t instr, last;
    int64_t stride;
};

/* The prefetchers of one level. */
struct prefetchers {
    struct stream stream[STREAMS];
    struct strider strider[STRIDERS];
};

/* `address`, in this block, is seen. The block to be prefetched; 0: none. */
static inline uint64_t stream_ahead(struct stream *streams, uint64_t address, uint64_t block)
{
    struct stream *stream = &streams[address / PAGE % STREAMS];
    int64_t step = block == stream->last + 1 ? 1 : block == stream->last - 1 ? -1 : 0;

    if (block == stream->last)
        return 0;
    stream->last = block;
    if (step * stream->run > 0) {
        stream->run += step;
        return block + (uint64_t)(AHEAD * step);
    }
    stream->run = stream->run ? 0 : step;
    return 0;
}

static inline uint64_t stride_ahead(struct strider *striders, uint64_t address, uint32_t size, uint64_t instr)
{
    struct strider *strider = &striders[instr % STRIDERS];
    int64_t stride = (int64_t)(address - strider->last);
    bool follow;

    if (strider->instr != instr)
        stride = 0;
    follow = stride && stride == strider->stride && llabs(stride) <= LARGEST_STRIDE;
    strider->instr = instr;
    strider->last = address;
    strider->stride = stride;
    return follow && (address + (uint64_t)stride) / size != address / size ? (address + (uint64_t)stride) / size : 0;
}

/* `address` is seen, which the instruction at `instr` has asked for; 0: a fetch. Blocks are `size` bytes long. What
 * each prefetcher asks for, of those at one level; 0: nothing. */
static inline void prefetch_ahead(const bool wanted[MODEL_PREFETCH_D1], struct prefetchers *prefetchers,
                                  uint64_t address, uint32_t size, uint64_t instr, uint64_t ahead[MODEL_PREFETCH_D1])
{
    uint64_t block = address / size;

    ahead[MODEL_STREAM] = wanted[MODEL_STREAM] ? stream_ahead(prefetchers->stream, address, block) : 0;
    ahead[MODEL_NEXT_LINE] = wanted[MODEL_NEXT_LINE] ? block + 1 : 0;
    ahead[MODEL_ADJACENT] = wanted[MODEL_ADJACENT] ? block ^ 1 : 0;
    ahead[MODEL_STRIDE] =
        wanted[MODEL_STRIDE] && instr ? stride_ahead(prefetchers->strider, address, size, instr) : 0;
}

#endif
