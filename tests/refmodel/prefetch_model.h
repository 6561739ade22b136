/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch_model.h: docs/model.md, section 10, as it is written: which blocks a miss at level 1 asks for ahead.
 */
#ifndef TENURE_REFMODEL_PREFETCH_MODEL_H
#define TENURE_REFMODEL_PREFETCH_MODEL_H

#include "model.h"

#include <stdint.h>

enum { STREAMS = 8, PAGE = 4096, AHEAD = 5 };

struct stream {
    uint64_t last;
    int64_t run;
};

/* The line at `address`, in this block, has missed. The block to be prefetched; 0: none. */
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

/* The line at `address` has missed; blocks are `size` bytes long. What each prefetcher asks for; 0: nothing. */
static inline void prefetch_ahead(const bool wanted[MODEL_PREFETCHERS], struct stream *streams, uint64_t address,
                                  uint32_t size, uint64_t ahead[MODEL_PREFETCHERS])
{
    uint64_t block = address / size;

    ahead[MODEL_STREAM] = wanted[MODEL_STREAM] ? stream_ahead(streams, address, block) : 0;
    ahead[MODEL_NEXT_LINE] = wanted[MODEL_NEXT_LINE] ? block + 1 : 0;
    ahead[MODEL_ADJACENT] = wanted[MODEL_ADJACENT] ? block ^ 1 : 0;
}

#endif
