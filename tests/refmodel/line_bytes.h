/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_bytes.h: what the reference model knows of a line's bytes: one flag for each, and where they are in a data
 * object.
 */
#ifndef TENURE_REFMODEL_LINE_BYTES_H
#define TENURE_REFMODEL_LINE_BYTES_H

#include "model.h"

/* How many are set, in granules of which there are so many at most. */
static inline uint64_t distinct_bytes(const uint8_t *flags, uint32_t line_size, uint32_t granules)
{
    uint32_t granule = line_size > granules ? line_size / granules : 1;
    uint64_t distinct = 0;

    for (uint32_t start = 0; start < line_size; start += granule) {
        bool any = false;

        for (uint32_t i = start; i < start + granule; i++)
            any |= flags[i];
        distinct += any ? granule : 0;
    }
    return distinct;
}

/* Byte `byte` of a line, as a place in its data object. */
static inline uint32_t place_of(const struct model_place *place, uint32_t byte)
{
    int64_t offset = place->start + byte, size = place->element;

    if (byte < place->from || byte >= place->to)
        return 0;
    if (place->at)
        return place->at[byte];
    if (size)
        return (uint32_t)(2 + (offset - place->lead) % size);
    return offset < 4096 ? (uint32_t)(2 + offset / 8 * 8) : 1;
}

/* The granules of which a flag is set, as bits. */
static inline uint64_t granules_of(const uint8_t *flags, uint32_t line_size)
{
    uint32_t granule = line_size > 64 ? line_size / 64 : 1;
    uint64_t granules = 0;

    for (uint32_t i = 0; i < line_size; i++)
        if (flags[i])
            granules |= 1ull << i / granule;
    return granules;
}

#endif
