/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distance.c: the memory of stack distances; see distance.h.
 */
#include "distance.h"

#include "core/attribute/cost.h"
#include "core/host.h"

#include <string.h>

static const uint8_t from[] = {
#define TN_DISTANCE(name, from, ...) from,
#include "core/events.inc"
};

static size_t gone_bytes(const struct tn_distances *distances)
{
    return distances->sets * distances->stride;
}

struct tn_distances *tn_distances_new(const struct tn_geometry *geometry, bool narrow)
{
    struct tn_distances *distances = tn_host_alloc(sizeof *distances);
    uint32_t event = 1;
    distances->assoc = geometry->assoc;
    distances->sets = geometry->size / geometry->line / geometry->assoc;
    distances->kept = geometry->assoc < TN_MOST_WAYS ? TN_MOST_WAYS - geometry->assoc : 0;
    distances->wide = !narrow;
    /* Tags are compared sixteen at a time, so there is room for a multiple of that. */
    if (distances->kept)
        distances->stride = sizeof(struct tn_gone) + (distances->kept + 15) / 16 * 16 * (narrow ? 4 : 8);
    for (uint32_t distance = 1; distance <= TN_MOST_WAYS; distance++) {
        event += event < TN_DISTANCE_EVENTS && from[event] == distance;
        distances->event[distance] = (uint8_t)event;
    }
    if (distances->kept)
        distances->gone = tn_host_alloc(gone_bytes(distances));
    distances->access = ~0ull;
    return distances;
}

void tn_distances_free(struct tn_distances *distances)
{
    if (!distances)
        return;
    if (distances->gone)
        tn_host_free(distances->gone, gone_bytes(distances));
    tn_host_free(distances, sizeof *distances);
}

void tn_distances_clear(struct tn_distances *distances, uint64_t first, uint64_t count)
{
    if (distances && distances->gone)
        memset(distances->gone + first * distances->stride, 0, count * distances->stride);
}

void tn_gone_begin(const struct tn_distances *distances, struct tn_gone *gone)
{
    for (uint32_t slot = 0; slot < TN_MOST_WAYS; slot++)
        gone->age[slot] = slot < distances->kept ? TN_GONE_NONE : TN_GONE_NONE + 1;
}
