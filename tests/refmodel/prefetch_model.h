/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch_model.h: docs/model.md, section 10, as it is written: which block a miss at level 1 asks for ahead.
 */
#ifndef TENURE_REFMODEL_PREFETCH_MODEL_H
#define TENURE_REFMODEL_PREFETCH_MODEL_H

#include <stdint.h>

enum { STREAMS = 8, PAGE = 4096, AHEAD = 5 };

struct stream {
    uint64_t last;
    int64_t run;
};

/* The line at `address` has missed; blocks are `size` bytes long. The block to be prefetched; 0: none. */
static inline uint64_t prefetch_ahead(struct stream *streams, uint64_t address, uint32_t size)
{
    struct stream *stream = &streams[address / PAGE % STREAMS];
    uint64_t block = address / size;
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

#endif
