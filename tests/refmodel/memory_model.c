/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_model.c: see memory_model.h. One table of keys and numbers serves units and pages; all else are lists that are
 * walked from one end to the other.
 */
#include "memory_model.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, PAGE = 4096, THREADS = MODEL_MAX_THREADS, PLACE_EVENTS = 8 };
static const int place_event[PLACE_EVENTS] = {M_D1MR,          M_D1MW, M_D_USE1 + M_USE, M_D_USE1 + M_SPLOSS,
                                              M_DLMR,          M_DLMW, M_D_USEL + M_USE, M_D_USEL + M_SPLOSS};

struct slot {
    uint64_t key; /* + 1; 0: empty */
    uint32_t value; /* 0: none any more */
};
struct map {
    struct slot *slot;
    size_t room, used;
};
struct object {
    char *name;
    uint64_t began, ended, bytes, largest;
    bool known; /* a block has begun */
    uint64_t element, lead;
    uint64_t (*at)[PLACE_EVENTS]; /* by place */
    uint32_t places;
};
struct block {
    uint32_t object;
    uint64_t first; /* unit */
    struct remap_model *remaps;
    uint32_t apart; /* the block there; 0: none, or it has ended */
    uint64_t address, bytes;
};
struct mapping {
    uint32_t object;
    uint32_t stack_of; /* thread + 1 */
};
struct memory_model {
    void (*tell)(uint64_t address, char *name);
    struct remap_model *remaps; /* NULL: there are none */
    struct map units, pages; /* of blocks, of mappings; from 1 */
    struct object *objects;
    struct block *blocks;
    struct mapping *mappings;
    uint32_t object_count, block_count, mapping_count;
    struct {
        uint64_t page;       /* the lowest of its stack */
        uint32_t was, stack; /* mappings */
    } thread[THREADS];
};

static struct slot *slot_of(struct map *map, uint64_t key)
{
    size_t at = (key * 0x9e3779b97f4a7c15ull >> 20) % map->room;

    while (map->slot[at].key && map->slot[at].key != key + 1)
        at = (at + 1) % map->room;
    return &map->slot[at];
}

static uint32_t get(struct map *map, uint64_t key)
{
    return map->room ? slot_of(map, key)->value : 0;
}

static void put(struct map *map, uint64_t key, uint32_t value)
{
    struct slot *slot;

    if (2 * map->used >= map->room) {
        struct map old = *map;

        map->room = 2 * old.room + 1000;
        map->used = 0;
        map->slot = calloc(map->room, sizeof *map->slot);
        for (size_t i = 0; i < old.room; i++)
            if (old.slot[i].value)
                put(map, old.slot[i].key - 1, old.slot[i].value);
        free(old.slot);
    }
    slot = slot_of(map, key);
    map->used += !slot->key;
    *slot = (struct slot){key + 1, value};
}

struct memory_model *mm_new(void (*tell)(uint64_t address, char *name))
{
    struct memory_model *mm = calloc(1, sizeof *mm);

    mm->tell = tell;
    return mm;
}

void mm_free(struct memory_model *mm)
{
    for (uint32_t i = 0; i < mm->object_count; i++)
        free(mm->objects[i].name), free(mm->objects[i].at);
    free(mm->units.slot), free(mm->pages.slot), free(mm->objects), free(mm->blocks), free(mm->mappings);
    free(mm);
}

static uint32_t object_of(struct memory_model *mm, const char *name)
{
    for (uint32_t i = 0; i < mm->object_count; i++)
        if (!strcmp(mm->objects[i].name, name))
            return i + 1;
    mm->objects = realloc(mm->objects, (mm->object_count + 1) * sizeof *mm->objects);
    mm->objects[mm->object_count] = (struct object){.name = strdup(name)};
    return ++mm->object_count;
}

const char *mm_name(const struct memory_model *mm, uint32_t object)
{
    return mm->objects[object - 1].name;
}

/* ------------------------------------------------------------------------------------------------- blocks */

void mm_block_begins(struct memory_model *mm, const char *name, uint64_t address, uint64_t bytes,
                     struct mm_element element, bool collecting)
{
    uint32_t object = object_of(mm, name);
    struct object *o = &mm->objects[object - 1];

    if (bytes % 16 && bytes < 256 && element.size <= 16 - bytes % 16)
        element.size = 0; /* what is behind the block would count as elements */
    if (!o->known && element.size && element.size <= 65536) {
        o->element = element.size;
        o->lead = element.lead;
    } else if (!o->known && element.each > 1 && element.each < bytes && element.each <= 65536) {
        o->element = element.each;
    }
    o->known = true;

    if (collecting) {
        o->began++;
        o->bytes += bytes;
        o->largest = bytes > o->largest ? bytes : o->largest;
    }
    mm->blocks = realloc(mm->blocks, (mm->block_count + 1) * sizeof *mm->blocks);
    mm->blocks[mm->block_count++] = (struct block){.object = object, .first = address / UNIT};
    if (bytes > 1ull << 36)
        return;
    for (uint64_t unit = address / UNIT; bytes && unit <= (address + bytes - 1) / UNIT; unit++)
        put(&mm->units, unit, mm->block_count);
}

struct mm_element mm_element(struct memory_model *mm, const char *name)
{
    const struct object *object = &mm->objects[object_of(mm, name) - 1];

    return (struct mm_element){.size = object->element, .lead = object->lead};
}

void mm_block_apart(struct memory_model *mm, struct remap_model *rm, uint32_t apart, uint64_t address, uint64_t bytes)
{
    struct block *block = &mm->blocks[mm->block_count - 1];

    block->remaps = rm;
    block->apart = apart;
    block->address = address;
    block->bytes = bytes;
}

void mm_remaps(struct memory_model *mm, struct remap_model *rm)
{
    mm->remaps = rm;
}

void mm_zero_all(struct memory_model *mm)
{
    mm_zero(mm);
    if (mm->remaps)
        rm_zero(mm->remaps);
}

uint32_t mm_apart_at(struct memory_model *mm, uint64_t address, uint64_t *offset)
{
    uint32_t number = get(&mm->units, address / UNIT);
    const struct block *block = number ? &mm->blocks[number - 1] : NULL;

    if (!block || !block->apart || address - block->address >= block->bytes)
        return 0;
    *offset = address - block->address;
    return block->apart;
}

bool mm_is_known(struct memory_model *mm, uint64_t address)
{
    return get(&mm->units, address / UNIT) || get(&mm->pages, address / PAGE);
}

static void block_ended(struct memory_model *mm, struct block *block, bool collecting)
{
    mm->objects[block->object - 1].ended += collecting;
    if (block->apart)
        rm_block_ends(block->remaps, block->apart);
    block->apart = 0;
}

void mm_block_ends(struct memory_model *mm, uint64_t address, bool named, bool collecting)
{
    uint64_t unit = address / UNIT;
    uint32_t block = get(&mm->units, unit);

    if (!block || mm->blocks[block - 1].first != unit ||
        named != !strncmp(mm_name(mm, mm->blocks[block - 1].object), "named ", 6))
        return;
    block_ended(mm, &mm->blocks[block - 1], collecting);
    for (; get(&mm->units, unit) == block; unit++)
        put(&mm->units, unit, 0);
}

/* Bytes of a line that begins at offset `start` in front of `offset`. */
static uint32_t clip(int64_t start, int64_t offset, uint32_t line)
{
    return offset < start ? 0 : offset > start + line ? line : (uint32_t)(offset - start);
}

struct model_place mm_place(struct memory_model *mm, uint64_t address, uint32_t line)
{
    uint64_t unit = address / UNIT, behind = (address / line + 1) * line / UNIT, end = unit;
    uint32_t number = get(&mm->units, unit);
    const struct block *block = number ? &mm->blocks[number - 1] : NULL;
    const struct object *object = block ? &mm->objects[block->object - 1] : NULL;
    struct model_place place = {.known = false};

    if (!block)
        return place;
    place = (struct model_place){.known = true, .element = (uint32_t)object->element, .lead = (uint32_t)object->lead};
    place.start = (int64_t)(address - address % line) - (int64_t)(block->first * UNIT);
    place.from = clip(place.start, place.lead, line);
    place.to = line;
    while (end < behind && get(&mm->units, end) == number)
        end++;
    if (get(&mm->units, behind) != number) {
        int64_t last = (int64_t)((end - block->first) * UNIT);

        if (place.element && last > place.lead)
            last -= (last - place.lead) % place.element;
        place.to = clip(place.start, last, line);
    }
    return place;
}

void mm_charge_at(struct memory_model *mm, uint32_t object, int event, uint32_t place, uint64_t amount)
{
    struct object *o = &mm->objects[object - 1];

    if (place >= o->places) {
        o->at = realloc(o->at, (place + 1) * sizeof *o->at);
        memset(o->at + o->places, 0, (place + 1 - o->places) * sizeof *o->at);
        o->places = place + 1;
    }
    for (int i = 0; i < PLACE_EVENTS; i++)
        o->at[place][i] += place_event[i] == event ? amount : 0;
}

/* ----------------------------------------------------------------------------------------------- mappings */

void mm_changed(struct memory_model *mm, uint64_t start, uint64_t bytes, bool collecting)
{
    uint64_t first = start / PAGE, last = (start + bytes - 1) / PAGE;

    for (uint64_t unit = first * (PAGE / UNIT); unit < (last + 1) * (PAGE / UNIT); unit++) {
        uint32_t block = get(&mm->units, unit);

        if (block && mm->blocks[block - 1].first == unit)
            block_ended(mm, &mm->blocks[block - 1], collecting);
        if (block)
            put(&mm->units, unit, 0);
    }
    for (uint64_t page = first; page <= last; page++)
        put(&mm->pages, page, 0);
}

static uint32_t new_mapping(struct memory_model *mm, uint32_t object, uint32_t stack_of)
{
    mm->mappings = realloc(mm->mappings, (mm->mapping_count + 1) * sizeof *mm->mappings);
    mm->mappings[mm->mapping_count] = (struct mapping){object, stack_of};
    return ++mm->mapping_count;
}

void mm_mapped(struct memory_model *mm, uint64_t start, uint64_t bytes, const char *name)
{
    uint32_t mapping = new_mapping(mm, object_of(mm, name), 0);

    for (uint64_t page = start / PAGE; page <= (start + bytes - 1) / PAGE; page++)
        put(&mm->pages, page, mapping);
}

void mm_stack_begins(struct memory_model *mm, uint32_t thread, uint64_t sp)
{
    uint64_t page = sp / PAGE;
    uint32_t was = get(&mm->pages, page);
    char name[32];

    if (mm->thread[thread].stack || !was || mm->mappings[was - 1].stack_of ||
        strncmp(mm_name(mm, mm->mappings[was - 1].object), "mapping", 7))
        return;
    sprintf(name, "stack t%u", thread);
    mm->thread[thread].was = was;
    mm->thread[thread].stack = new_mapping(mm, object_of(mm, name), thread + 1);
    for (; get(&mm->pages, page) == was; page--)
        put(&mm->pages, page, mm->thread[thread].stack);
    mm->thread[thread].page = page + 1;
}

void mm_stack_ends(struct memory_model *mm, uint32_t thread)
{
    uint64_t page = mm->thread[thread].page;

    for (; mm->thread[thread].stack && get(&mm->pages, page) == mm->thread[thread].stack; page++)
        put(&mm->pages, page, mm->thread[thread].was);
}

/* --------------------------------------------------------------------------------------------- the answer */

uint32_t mm_at(struct memory_model *mm, uint64_t address)
{
    uint32_t block = get(&mm->units, address / UNIT), mapping = get(&mm->pages, address / PAGE);
    char name[64];

    if (block)
        return mm->blocks[block - 1].object;
    if (mapping)
        return mm->mappings[mapping - 1].object;
    mm->tell(address, name);
    return object_of(mm, name);
}

void mm_zero(struct memory_model *mm)
{
    for (uint32_t i = 0; i < mm->object_count; i++) {
        struct object *o = &mm->objects[i];

        o->began = o->ended = o->bytes = o->largest = 0;
        if (o->places)
            memset(o->at, 0, o->places * sizeof *o->at);
    }
}

static void places_of(const struct object *o, char *key, struct sheet *sheet)
{
    for (uint32_t place = 0; place < o->places; place++) {
        uint64_t cost[M_EVENTS] = {0}, any = 0;

        for (int i = 0; i < PLACE_EVENTS; i++)
            any |= cost[place_event[i]] = o->at[place][i];
        if (!any)
            continue;
        sprintf(key, "at %s %u", o->name, place);
        sheet_add(sheet, key, cost, 0);
    }
}

void mm_part(struct memory_model *mm, struct sheet *sheet)
{
    static char key[1 << 20];

    for (uint32_t i = 0; i < mm->object_count; i++) {
        const struct object *o = &mm->objects[i];
        uint64_t cost[M_EVENTS] = {o->ended, o->bytes, o->largest};

        places_of(o, key, sheet);
        if (!o->began && !o->ended)
            continue;
        sprintf(key, "blocks %s", o->name);
        sheet_add(sheet, key, cost, o->began);
    }
    mm_zero(mm);
}
