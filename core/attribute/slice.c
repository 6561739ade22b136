/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.c: which slice a line is, and what its counts are at each offset; see slice.h.
 *
 * Where the elements of an object are known, offsets are those in an element, and a line's bytes behind the last whole
 * element of its block are in none. Where they are not, they are those of pieces of the block, up to TN_OFFSETS.
 */
#include "slice.h"

#include "core/host.h"
#include "objects.h"
#include "remap.h"

#include <string.h>

enum { PHASE_BIAS = TN_MAX_LINE, UNIT = 1 << TN_UNIT_BITS };

void tn_slices_init(struct tn_slices *slices, const struct tn_config *config)
{
    memset(slices, 0, sizeof *slices);
    tn_array_init(&slices->list, sizeof(struct tn_slice));
    tn_array_add(&slices->list);
    tn_table_init(&slices->table);
    tn_slots_init(&slices->far, sizeof(struct tn_slice_level));
    tn_slots_init(&slices->wide, TN_SLICE_COUNTS * TN_GRANULES * sizeof(uint64_t));
    slices->line = config->d1.line;
    while (slices->line >> slices->granule_bits > TN_GRANULES)
        slices->granule_bits++;
    slices->has_far = config->ll.line == config->d1.line;
}

void tn_slices_free(struct tn_slices *slices)
{
    tn_array_free(&slices->list);
    tn_table_free(&slices->table);
    tn_slots_free(&slices->far);
    tn_slots_free(&slices->wide);
}

size_t tn_slices_bytes(const struct tn_slices *slices)
{
    return tn_array_bytes(&slices->list) + tn_table_bytes(&slices->table) + tn_array_bytes(&slices->far.array) +
           tn_array_bytes(&slices->wide.array);
}

/* ------------------------------------------------------------------------------------------ finding */

struct key {
    uint64_t place;
    uint32_t ends;
};

static bool slice_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_slice *slice = tn_slice_at(owner, id);
    const struct key *k = key;
    return ((uint64_t)slice->object << 32 | slice->phase) == k->place &&
           ((uint32_t)slice->from << 16 | slice->to) == k->ends;
}

static uint32_t slice_made(struct tn_slices *slices, struct tn_data_object *object, const struct key *key)
{
    uint32_t hash = tn_hash(key->place, key->ends);
    uint32_t id = tn_table_find(&slices->table, hash, slice_equal, slices, key);
    if (id)
        return id;
    id = slices->list.count;
    struct tn_slice *slice = tn_array_add(&slices->list);
    slice->object = (uint32_t)(key->place >> 32);
    slice->phase = (uint32_t)key->place;
    slice->from = (uint16_t)(key->ends >> 16);
    slice->to = (uint16_t)key->ends;
    slice->next = object->slices;
    object->slices = id;
    tn_table_add(&slices->table, hash, id);
    return id;
}

static inline uint32_t slice_found(struct tn_slices *slices, struct tn_data_object *object, uint32_t id,
                                   uint32_t phase, uint32_t from, uint32_t to)
{
    struct key key = {(uint64_t)id << 32 | phase, from << 16 | to};
    uint64_t mixed = (key.place ^ key.ends) * 0x9e3779b97f4a7c15ull;
    struct tn_slice_known *known = &slices->known[mixed >> (64 - TN_SLICE_KNOWN_BITS)];
    if (known->place != key.place || known->ends != key.ends || !known->slice)
        *known = (struct tn_slice_known){key.place, key.ends, slice_made(slices, object, &key)};
    return known->slice;
}

/* offset mod size, of an offset that may be less than 0 by at most a line. */
static uint32_t offset_in_element(int64_t offset, uint32_t size)
{
    uint64_t positive = (uint64_t)(offset + (int64_t)size * (offset < 0 ? TN_MAX_LINE : 0));
    if (!(size & (size - 1)))
        return (uint32_t)positive & (size - 1);
    return positive >> 32 ? (uint32_t)(positive % size) : (uint32_t)positive % size;
}

/* The line begins at offset `start` of its block, and its bytes [from, to) are in it. */
static uint32_t slice_in(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, int64_t start,
                         uint32_t from, uint32_t to)
{
    uint32_t phase;
    if (object->element)
        phase = offset_in_element(start - object->lead, object->element);
    else if (start < TN_OFFSETS)
        phase = (uint32_t)(start + PHASE_BIAS);
    else
        phase = TN_OFFSETS + PHASE_BIAS;
    return slice_found(slices, object, id, phase, from, to);
}

/* Bytes of the line that are in front of this one of the block's. */
static uint32_t in_front(int64_t start, int64_t first, uint32_t line)
{
    int64_t bytes = first - start;
    return bytes <= 0 ? 0 : bytes > line ? line : (uint32_t)bytes;
}

/* Lines of which all bytes are in a block have one slice where only the low bits of their offset tell them apart. */
static void remember_inside(struct tn_inside *inside, const struct tn_slices *slices,
                            const struct tn_data_object *object, uint32_t slice, int64_t start)
{
    uint32_t shift = object->kind == TN_DATA_STATIC ? object->address % UNIT : 0;
    const struct tn_slice *made = tn_slice_at(slices, slice);
    if (object->relocation || made->from > 0 || made->to < slices->line || object->element & (object->element - 1) ||
        object->element > UINT8_MAX || (!object->element && start - shift < TN_OFFSETS))
        return;
    inside->slice = slice;
    inside->first = (uint16_t)((object->element ? object->lead : TN_OFFSETS) + shift);
    inside->mask = (uint8_t)(object->element ? object->element - 1 : 0);
    inside->phase = (uint8_t)start & inside->mask;
}

static uint32_t slice_of_static(struct tn_slices *slices, struct tn_data_object *object, uint32_t id,
                                uint64_t address, uint32_t unit)
{
    uint32_t at = (uint32_t)address & (slices->line - 1);
    int64_t offset = (int64_t)unit * UNIT + (int64_t)(address % UNIT) - (int64_t)(object->address % UNIT);
    int64_t start = offset - at;
    return slice_in(slices, object, id, start, in_front(start, 0, slices->line),
                    in_front(start, (int64_t)object->size, slices->line));
}

/* The line begins at offset `start` of the block, and the access is `at` bytes behind that, both in whole units. */
static uint32_t slice_of_block(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, int64_t start,
                               uint32_t at, uint32_t reach)
{
    uint32_t from = in_front(start, object->lead, slices->line), to = at + (reach + 1) * UNIT;
    if (to > slices->line) { /* the block goes on */
        to = slices->line;
    } else if (object->element) {
        int64_t rest = start + to - object->lead;
        to = in_front(start, start + to - (rest > 0 ? rest % object->element : 0), slices->line);
    }
    return slice_in(slices, object, id, start, from, to > from ? to : from);
}

uint32_t tn_slice_of(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, uint64_t address,
                     uint32_t unit, uint32_t reach, struct tn_inside *inside)
{
    if (!tn_has_offsets(object))
        return 0;
    if (object->relocation && reach == TN_REACH_OF_SLICE)
        return unit;
    uint32_t at = ((uint32_t)address & (slices->line - 1)) / UNIT * UNIT;
    int64_t start = (int64_t)unit * UNIT - at;
    uint32_t slice = object->kind == TN_DATA_STATIC ? slice_of_static(slices, object, id, address, unit)
                                                    : slice_of_block(slices, object, id, start, at, reach);
    remember_inside(inside, slices, object, slice, start);
    return slice;
}

uint32_t tn_slice_elsewhere(struct tn_slices *slices, struct tn_data_object *object, uint32_t id, uint32_t phase,
                            uint32_t from, uint32_t to)
{
    return slice_found(slices, object, id, phase, from | TN_SLICE_ELSEWHERE, to);
}

uint32_t tn_slice_unasked(struct tn_slices *slices, struct tn_data *data, uint32_t id)
{
    return slice_found(slices, tn_data_object_of(data, id), id, 0, 0, 0);
}

struct tn_slice_level *tn_slice_far(struct tn_slices *slices, struct tn_slice *slice)
{
    if (!slice->far)
        slice->far = tn_slots_get(&slices->far);
    return tn_slots_at(&slices->far, slice->far);
}

/* ------------------------------------------------------------------------------------------ counting on */

static uint64_t *wide_of(struct tn_slices *slices, struct tn_slice_level *level)
{
    if (!level->wide)
        level->wide = tn_slots_get(&slices->wide);
    return tn_slots_at(&slices->wide, level->wide);
}

void tn_slice_carry(struct tn_slices *slices, struct tn_slice_level *level)
{
    uint64_t *wide = wide_of(slices, level) + TN_SLICE_TOUCHED * TN_GRANULES;
    for (uint32_t i = 0; i < TN_GRANULES; i++)
        wide[i] += level->count[TN_SLICE_TOUCHED][i];
    memset(level->count[TN_SLICE_TOUCHED], 0, sizeof level->count[TN_SLICE_TOUCHED]);
    level->tenures += level->ended;
    level->ended = 0;
}

void tn_slice_carry_miss(struct tn_slices *slices, struct tn_slice_level *level, uint32_t what, uint32_t granule)
{
    wide_of(slices, level)[what * TN_GRANULES + granule] += 256;
}

static void clear_level(const struct tn_slices *slices, struct tn_slice_level *level)
{
    if (level->wide)
        memset(tn_slots_at(&slices->wide, level->wide), 0, TN_SLICE_COUNTS * TN_GRANULES * sizeof(uint64_t));
    *level = (struct tn_slice_level){.wide = level->wide};
}

void tn_slices_clear(struct tn_slices *slices)
{
    for (uint32_t id = 1; id < slices->list.count; id++) {
        struct tn_slice *slice = tn_slice_at(slices, id);
        clear_level(slices, &slice->near);
        if (slice->far)
            clear_level(slices, tn_slots_at(&slices->far, slice->far));
    }
}

/* ------------------------------------------------------------------------------------------ offsets */

static uint32_t place_of(const struct tn_slices *slices, const struct tn_data_object *object,
                         const struct tn_slice *slice, uint32_t byte)
{
    if (byte < (slice->from & ~TN_SLICE_ELSEWHERE) || byte >= slice->to)
        return TN_AT_OUTSIDE;
    if (slice->from & TN_SLICE_ELSEWHERE)
        return tn_remap_place(slices->remapping, object, slice->phase, byte);
    if (object->element)
        return TN_AT_FIRST + (slice->phase + byte) % object->element;
    uint32_t offset = slice->phase + byte - PHASE_BIAS;
    return offset < TN_OFFSETS ? TN_AT_FIRST + offset / TN_AT_PIECE * TN_AT_PIECE : TN_AT_BEYOND;
}

static uint64_t count_in(const struct tn_slices *slices, const struct tn_slice_level *level, uint32_t what,
                         uint32_t granule)
{
    uint64_t count = level->count[what][granule];
    if (level->wide)
        count += ((uint64_t *)tn_slots_at(&slices->wide, level->wide))[what * TN_GRANULES + granule];
    return count;
}

/* Misses are those of a granule's first byte; all of its bytes are touched if one is. */
static void add_level(const struct tn_slices *slices, const struct tn_data_object *object,
                      const struct tn_slice *slice, const struct tn_slice_level *level, struct tn_places *places,
                      int number)
{
    for (uint32_t byte = 0; byte < slices->line; byte++) {
        uint32_t granule = byte >> slices->granule_bits, place = place_of(slices, object, slice, byte);
        uint64_t *at = places->at[place].count[number];
        if (place >= places->end)
            places->end = place + 1;
        if (byte == granule << slices->granule_bits) {
            at[TN_SLICE_READ_MISSES] += count_in(slices, level, TN_SLICE_READ_MISSES, granule);
            at[TN_SLICE_WRITE_MISSES] += count_in(slices, level, TN_SLICE_WRITE_MISSES, granule);
        }
        at[TN_SLICE_TOUCHED] += count_in(slices, level, TN_SLICE_TOUCHED, granule);
        at[TN_AT_LOADED] += level->tenures + level->ended;
    }
}

void tn_places_sum(struct tn_slices *slices, const struct tn_data_object *object, struct tn_places *places)
{
    for (uint32_t id = object->slices; id; id = tn_slice_at(slices, id)->next) {
        const struct tn_slice *slice = tn_slice_at(slices, id);
        add_level(slices, object, slice, &slice->near, places, 0);
        if (slice->far)
            add_level(slices, object, slice, tn_slots_at(&slices->far, slice->far), places, 1);
    }
}
