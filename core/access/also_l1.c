/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also_l1.c: see also_l1.h.
 *
 * In each array what a set has lies together, since a miss of the recorded cache waits for it.
 */
#include "also_l1.h"

#include "cache.h"
#include "core/host.h"
#include "lru.h"
#include "plru.h"
#include "rrip.h"
#include "ways.h"

#include <string.h>

static uint64_t ways_in(const struct tn_also_l1 *l1)
{
    return l1->sets * l1->room;
}

static void empty_stamps(struct tn_also_l1 *l1)
{
    for (uint64_t way = 0; way < ways_in(l1); way++)
        l1->stamp[way] = way % l1->room < l1->assoc ? 0 : ~0ull >> 4;
}

struct tn_also_l1 *tn_also_l1_new(const struct tn_geometry *geometry, const struct tn_geometry *recorded, bool *parked)
{
    struct tn_also_l1 *l1 = tn_host_alloc(sizeof *l1);
    l1->assoc = geometry->assoc;
    l1->room = (l1->assoc + 3) / 4 * 4;
    l1->sets = geometry->size / geometry->line / geometry->assoc;
    l1->set_mask = l1->sets & (l1->sets - 1) ? 0 : l1->sets - 1;
    l1->line_bits = (uint32_t)__builtin_ctz(geometry->line);
    l1->recorded_bits = (uint32_t)__builtin_ctz(recorded->line);
    l1->parts = geometry->line / recorded->line;
    l1->recorded_lines = (uint32_t)(recorded->size / recorded->line);
    l1->parked = parked;
    l1->policy = geometry->policy;
    if (l1->policy == TN_RRIP)
        l1->predictions = tn_host_alloc(ways_in(l1) * sizeof *l1->predictions);
    l1->tag = tn_host_alloc(ways_in(l1) * sizeof *l1->tag);
    l1->number = tn_host_alloc(ways_in(l1) * sizeof *l1->number);
    l1->stamp = tn_host_alloc(ways_in(l1) * sizeof *l1->stamp);
    empty_stamps(l1);
    l1->held = tn_host_alloc(ways_in(l1) * l1->parts * sizeof *l1->held);
    l1->of_way = tn_host_alloc(l1->recorded_lines * sizeof *l1->of_way);
    return l1;
}

void tn_also_l1_free(struct tn_also_l1 *l1)
{
    if (!l1)
        return;
    tn_host_free(l1->tag, ways_in(l1) * sizeof *l1->tag);
    tn_host_free(l1->number, ways_in(l1) * sizeof *l1->number);
    if (l1->predictions)
        tn_host_free(l1->predictions, ways_in(l1) * sizeof *l1->predictions);
    tn_host_free(l1->stamp, ways_in(l1) * sizeof *l1->stamp);
    tn_host_free(l1->held, ways_in(l1) * l1->parts * sizeof *l1->held);
    tn_host_free(l1->of_way, l1->recorded_lines * sizeof *l1->of_way);
    tn_host_free(l1, sizeof *l1);
}

void tn_also_l1_clear(struct tn_also_l1 *l1)
{
    if (!l1)
        return;
    memset(l1->tag, 0, ways_in(l1) * sizeof *l1->tag);
    memset(l1->number, 0, ways_in(l1) * sizeof *l1->number);
    empty_stamps(l1);
    if (l1->predictions)
        memset(l1->predictions, 0, ways_in(l1) * sizeof *l1->predictions);
    memset(l1->held, 0, ways_in(l1) * l1->parts * sizeof *l1->held);
    memset(l1->of_way, 0, l1->recorded_lines * sizeof *l1->of_way);
}

enum { AT_ONCE = 32 }; /* tags that are compared */

/* The way of the set that has the line; assoc: none. A tag that is equal may be that of another line, or of none. */
TN_ALWAYS_INLINE uint32_t find(const struct tn_also_l1 *l1, uint64_t first, uint64_t number)
{
    for (uint32_t at = 0; at < l1->room; at += AT_ONCE) {
        uint32_t end = l1->room - at < AT_ONCE ? l1->room : at + AT_ONCE;
        for (uint32_t way = at + tn_equal_tag(&l1->tag[first + at], end - at, (uint32_t)number); way < end; way++) {
            if (l1->number[first + way] == number + 1)
                return way;
        }
    }
    return l1->assoc;
}

/* The one of `room` ways with the oldest known use. Those behind the last way have the stamp of no use. */
TN_ALWAYS_INLINE uint32_t oldest_of(const uint64_t *stamp, uint32_t room)
{
    uint64_t oldest = ~0ull;
    uint32_t found = 0;
    for (uint32_t i = 0; room <= 16 && i < room; i += 4) {
        uint64_t two = tn_lru_older(stamp[i] << 4 | i, stamp[i + 1] << 4 | (i + 1));
        oldest = tn_lru_older(
            oldest, tn_lru_older(two, tn_lru_older(stamp[i + 2] << 4 | (i + 2), stamp[i + 3] << 4 | (i + 3))));
    }
    if (room <= 16)
        return oldest & 15;
    for (uint32_t i = 1; i < room; i++)
        found = stamp[i] < stamp[found] ? i : found;
    return found;
}

/* When the line in the way was used last becomes known. Returns whether it was used later than was known. */
TN_ALWAYS_INLINE bool look(struct tn_also_l1 *l1, const struct tn_way *ways, uint64_t way, uint32_t parts)
{
    const uint16_t *held = &l1->held[way * parts];
    uint64_t known = l1->stamp[way], last = known;
    for (uint32_t part = 0; part < parts; part++) {
        if (held[part] && ways[held[part] - 1].stamp > last)
            last = ways[held[part] - 1].stamp;
    }
    l1->stamp[way] = last;
    return last != known;
}

/* The way of the set into which a line comes, with stamp `now`. */
TN_ALWAYS_INLINE uint32_t victim_of(struct tn_also_l1 *l1, const struct tn_way *ways, uint64_t first, uint64_t now,
                                    uint32_t parts)
{
    uint64_t *stamp = &l1->stamp[first];
    uint32_t oldest;
    if (l1->policy == TN_LRU) {
        do
            oldest = oldest_of(stamp, l1->room);
        while (look(l1, ways, first + oldest, parts));
        return oldest;
    }
    for (uint32_t way = 0; way < l1->assoc; way++)
        (void)look(l1, ways, first + way, parts);
    return l1->policy == TN_PLRU ? tn_plru_victim_by_stamp(stamp, 1, l1->assoc)
                                 : tn_rrip_load_by_stamp(stamp, 1, &l1->predictions[first], l1->assoc, now);
}

/* The line in the way leaves. */
TN_ALWAYS_INLINE void drop(struct tn_also_l1 *l1, struct tn_way *ways, uint64_t way, uint32_t parts)
{
    uint16_t *held = &l1->held[way * parts];
    for (uint32_t part = 0; part < parts; part++) {
        if (!held[part])
            continue;
        tn_park(ways, l1->parked, held[part] - 1u);
        l1->of_way[held[part] - 1] = 0;
        held[part] = 0;
    }
}

TN_ALWAYS_INLINE bool use_line(struct tn_also_l1 *l1, struct tn_way *ways, uint64_t address, uint64_t stamp,
                               uint32_t index, uint32_t parts)
{
    uint64_t number = address >> l1->line_bits, first = tn_set_of(number, l1->sets, l1->set_mask) * l1->room;
    uint32_t found = find(l1, first, number);
    bool missed = found == l1->assoc;
    uint64_t way = first + (missed ? victim_of(l1, ways, first, stamp, parts) : found);
    if (missed) {
        drop(l1, ways, way, parts);
        l1->tag[way] = (uint32_t)number;
        l1->number[way] = number + 1;
    }
    l1->stamp[way] = stamp;
    l1->held[way * parts + (address >> l1->recorded_bits & (parts - 1))] = (uint16_t)(index + 1);
    l1->of_way[index] = (uint32_t)way + 1;
    return missed;
}

bool tn_also_l1_use(struct tn_also_l1 *l1, struct tn_way *ways, uint64_t address, uint64_t stamp, uint32_t index)
{
    if (l1->parts == 1)
        return use_line(l1, ways, address, stamp, index, 1);
    return use_line(l1, ways, address, stamp, index, l1->parts);
}

/* What is in way number `index` leaves the recorded cache. */
TN_ALWAYS_INLINE void leave(struct tn_also_l1 *l1, const struct tn_way *way, uint32_t index)
{
    uint32_t at = l1->of_way[index];
    if (!at)
        return;
    uint64_t known = l1->stamp[at - 1];
    l1->stamp[at - 1] = known > way->stamp ? known : way->stamp; /* no branch: which it is cannot be foretold */
    for (uint32_t part = 0; part < l1->parts; part++) {
        uint16_t *held = &l1->held[(at - 1) * l1->parts + part];
        *held = *held == index + 1 ? 0 : *held;
    }
    l1->of_way[index] = 0;
}

bool tn_also_l1_load(struct tn_also_l1 *l1, struct tn_way *ways, uint64_t address, uint64_t stamp, uint32_t index)
{
    leave(l1, &ways[index], index);
    return tn_also_l1_use(l1, ways, address, stamp, index);
}
