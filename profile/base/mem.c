/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.c: arena, vector, idmap, slots.
 *
 * idmap is open addressing with linear probing. Ids mostly ascend from 1 without gaps, so the low bits are the
 * hash: neighbours stay neighbours. The high bits are mixed in for ids that do not.
 */
#include "profile/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 1 << 20, ARENA_MOST = 16 << 20 };
enum { VECTOR_FIRST = 16, IDMAP_FIRST = 64, IDMAP_SPARE = 16 };

struct tp_arena_block {
    struct tp_arena_block *older;
    size_t size;
    uint64_t bytes[];
};

void *tp_arena_alloc(struct tp_arena *arena, size_t bytes)
{
    size_t need = (bytes + 7) & ~(size_t)7;

    if (need < bytes)
        return NULL;
    if (!arena->block || arena->size - arena->used < need) {
        size_t size = 2 * arena->size;
        size = size < ARENA_BLOCK ? ARENA_BLOCK : size > ARENA_MOST ? ARENA_MOST : size;
        size = need > size ? need : size;
        struct tp_arena_block *block = calloc(1, sizeof *block + size);
        if (!block)
            return NULL;
        block->older = arena->block;
        block->size = size;
        arena->block = block;
        arena->size = size;
        arena->used = 0;
    }
    void *memory = (char *)arena->block->bytes + arena->used;
    arena->used += need;
    return memory;
}

char *tp_arena_copy(struct tp_arena *arena, const void *data, size_t bytes)
{
    char *copy = tp_arena_alloc(arena, bytes + 1);

    if (copy && bytes)
        memcpy(copy, data, bytes);
    return copy;
}

char *tp_arena_print(struct tp_arena *arena, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    char *text = size < 0 ? NULL : tp_arena_alloc(arena, (size_t)size + 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void tp_arena_clear(struct tp_arena *arena)
{
    while (arena->block && arena->block->older) { /* keep the oldest, which has the usual size */
        struct tp_arena_block *older = arena->block->older;
        free(arena->block);
        arena->block = older;
        arena->used = arena->size = arena->block->size;
    }
    if (arena->block)
        memset(arena->block->bytes, 0, arena->used);
    arena->used = 0;
}

void tp_arena_free(struct tp_arena *arena)
{
    while (arena->block) {
        struct tp_arena_block *older = arena->block->older;
        free(arena->block);
        arena->block = older;
    }
    arena->used = arena->size = 0;
}

int tp_vector_grow(void **at, size_t *room, size_t count, size_t element)
{
    if (count >= *room) {
        size_t more = *room < VECTOR_FIRST ? VECTOR_FIRST : *room + *room / 2;
        void *moved = more > SIZE_MAX / element ? NULL : realloc(*at, more * element);
        if (!moved)
            return -1;
        *at = moved;
        *room = more;
    }
    memset((char *)*at + count * element, 0, element);
    return 0;
}

int tp_vector_zeroes(void **at, size_t *count, size_t *room, size_t n, size_t element)
{
    if (n > *room) {
        void *moved = n > SIZE_MAX / element ? NULL : realloc(*at, n * element);
        if (!moved)
            return -1;
        *at = moved;
        *room = n;
    }
    if (n)
        memset(*at, 0, n * element);
    *count = n;
    return 0;
}

void tp_vector_free(void **at, size_t *count, size_t *room)
{
    free(*at);
    *at = NULL;
    *count = *room = 0;
}

/* Neighbouring ids stay together, eight at a time, since files name things in the order of their ids; groups of eight
 * are spread over the map, since keys also are addresses, and pairs of ids (one << 32 | other). */
static size_t slot_of(const struct tp_idmap *map, uint64_t id)
{
    uint64_t spread = (id >> 3) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)((spread >> 29) << 3 | (id & 7)) & (map->room - 1);

    while (map->keys[i] && map->keys[i] != id)
        i = (i + 1) & (map->room - 1);
    return i;
}

uint32_t tp_idmap_find(const struct tp_idmap *map, uint64_t id)
{
    if (!map->keys)
        return id - 1 < map->count ? map->values[id - 1] : TP_NOT_FOUND;
    if (!id)
        return TP_NOT_FOUND;
    size_t i = slot_of(map, id);
    return map->keys[i] ? map->values[i] : TP_NOT_FOUND;
}

static void put(struct tp_idmap *map, uint64_t id, uint32_t value)
{
    size_t i = slot_of(map, id);

    map->keys[i] = id;
    map->values[i] = value;
}

/* From now on it has keys: room for as many ids again as there are. */
static int idmap_spread(struct tp_idmap *map)
{
    struct tp_idmap larger = {.room = IDMAP_FIRST, .count = map->count};
    size_t old = map->keys ? map->room : map->count;

    while (larger.room < 4 * map->count)
        larger.room *= 2;
    larger.keys = calloc(larger.room, sizeof *larger.keys);
    larger.values = calloc(larger.room, sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        tp_idmap_free(&larger);
        return -1;
    }
    for (size_t i = 0; i < old; i++) {
        uint64_t id = map->keys ? map->keys[i] : i + 1;
        if (id)
            put(&larger, id, map->values[i]);
    }
    tp_idmap_free(map);
    *map = larger;
    return 0;
}

int tp_idmap_add(struct tp_idmap *map, uint64_t id, uint32_t value)
{
    if (!map->keys && id == map->count + 1) {
        if (map->count == map->room) {
            size_t room = map->room ? map->room * 2 : IDMAP_FIRST;
            uint32_t *moved = realloc(map->values, room * sizeof *moved);
            if (!moved)
                return -1;
            map->values = moved;
            map->room = room;
        }
        map->values[map->count++] = value;
        return 0;
    }
    if ((!map->keys || map->count * 2 >= map->room) && idmap_spread(map))
        return -1;
    put(map, id, value);
    map->count++;
    return 0;
}

/* Room that this use did not need is given back, so that clearing takes no longer than adding did. */
void tp_idmap_clear(struct tp_idmap *map)
{
    if (map->room > IDMAP_FIRST + IDMAP_SPARE * map->count)
        tp_idmap_free(map);
    else if (map->keys)
        memset(map->keys, 0, map->room * sizeof *map->keys);
    map->count = 0;
}

void tp_idmap_free(struct tp_idmap *map)
{
    free(map->keys);
    free(map->values);
    *map = (struct tp_idmap){0};
}

/* ------------------------------------------------------------------------------------------ slots */

uint64_t tp_hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return tp_hash(hash, 1);
}

static int slots_grow(struct tp_slots *slots)
{
    size_t room = slots->room ? 2 * slots->room : IDMAP_FIRST;
    struct tp_slot *larger = calloc(room, sizeof *larger);

    if (!larger || slots->count >= UINT32_MAX / 2) {
        free(larger);
        return -1;
    }
    for (size_t i = 0; i < slots->room; i++) {
        size_t to = slots->at[i].hash & (room - 1);
        if (!slots->at[i].index)
            continue;
        while (larger[to].index)
            to = (to + 1) & (room - 1);
        larger[to] = slots->at[i];
    }
    free(slots->at);
    slots->at = larger;
    slots->room = room;
    return 0;
}

struct tp_slot *tp_slots_find(struct tp_slots *slots, uint64_t hash, tp_same *same, const void *things,
                              const void *key)
{
    uint32_t low = (uint32_t)(hash ^ hash >> 32);

    if (2 * slots->count >= slots->room && slots_grow(slots))
        return NULL;
    struct tp_slot *slot = &slots->at[low & (slots->room - 1)];
    while (slot->index && !(slot->hash == low && same(things, slot->index - 1, key)))
        slot = slot + 1 == slots->at + slots->room ? slots->at : slot + 1;
    slot->hash = low;
    return slot;
}

uint32_t tp_slots_fill(struct tp_slots *slots, struct tp_slot *slot, size_t count)
{
    slots->count++;
    return slot->index = (uint32_t)count;
}

void tp_slots_free(struct tp_slots *slots)
{
    free(slots->at);
    *slots = (struct tp_slots){0};
}

void tp_bytes_put(struct tp_bytes *bytes, const void *data, size_t size)
{
    if (!size)
        return;
    if (bytes->room - bytes->count < size) {
        size_t room = 2 * bytes->room + size + 256;
        uint8_t *at = realloc(bytes->at, room);
        if (!at) {
            bytes->failed = true;
            return;
        }
        bytes->at = at;
        bytes->room = room;
    }
    memcpy(bytes->at + bytes->count, data, size);
    bytes->count += size;
}

void tp_bytes_varint(struct tp_bytes *bytes, uint64_t value)
{
    uint8_t text[10];
    size_t n = 0;

    for (; value > 127; value >>= 7)
        text[n++] = (uint8_t)(value | 128);
    text[n++] = (uint8_t)value;
    tp_bytes_put(bytes, text, n);
}

void tp_bytes_free(struct tp_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct tp_bytes){0};
}
