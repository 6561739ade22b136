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
    return distances->sets * distances->kept * sizeof *distances->gone;
}

struct tn_distances *tn_distances_new(const struct tn_geometry *geometry)
{
    struct tn_distances *distances = tn_host_alloc(sizeof *distances);
    uint32_t event = 1;
    distances->assoc = geometry->assoc;
    distances->sets = geometry->size / geometry->line / geometry->assoc;
    distances->kept = geometry->assoc < TN_MOST_WAYS ? (TN_MOST_WAYS - geometry->assoc + 3) / 4 * 4 : 0;
    for (uint32_t distance = 1; distance <= TN_MOST_WAYS; distance++) {
        event += event < TN_DISTANCE_EVENTS && from[event] == distance;
        distances->event[distance] = (uint8_t)event;
    }
    if (distances->kept)
        distances->gone = tn_host_alloc(gone_bytes(distances));
    distances->first = tn_host_alloc(distances->sets);
    distances->access = ~0ull;
    return distances;
}

void tn_distances_free(struct tn_distances *distances)
{
    if (!distances)
        return;
    if (distances->gone)
        tn_host_free(distances->gone, gone_bytes(distances));
    tn_host_free(distances->first, distances->sets);
    tn_host_free(distances, sizeof *distances);
}

void tn_distances_clear(struct tn_distances *distances, uint64_t first, uint64_t count)
{
    if (distances && distances->gone)
        memset(&distances->gone[first * distances->kept], 0, count * distances->kept * sizeof *distances->gone);
    if (distances)
        memset(&distances->first[first], 0, count);
}
