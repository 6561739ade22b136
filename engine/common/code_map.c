/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_map.c: see code_map.h.
 *
 * Objects are few and asked about in runs: a list, the most recently used first. An object and its table of function
 * ids are one piece of the host's memory.
 */
#include "engine/common/code_map.h"

#include <string.h>

#include "engine/common/fn_build.h"
#include "engine/common/jit_map.h"

enum { CACHE_SIZE = 8192, PAGE = 4096, FIRST_ENTRIES = 64 };

#define INSIDE (UINT32_C(1) << 31) /* of a cached id: a call to the address makes a function of it */

/* A place where code without bounds is entered: a function from there to the next. */
struct entry {
    uint64_t start, last; /* the last address of it that was asked for */
    uint32_t id;          /* the core's */
    bool named;           /* by a map, late */
};

struct object {
    struct object *next;
    uint64_t start, end; /* mapped executable range known so far */
    uint64_t dev, ino;
    uint64_t place;    /* address of the file's offset 0, as this mapping has it; without a file its first start */
    fb_object *bounds; /* NULL: no functions are known */
    bool made;         /* at run time: memory without a file, or in a memfd */
    uint32_t id;       /* the core's */
    struct entry *entries; /* by address, where there are no bounds */
    size_t count, limit;   /* of them */
    size_t bytes;      /* of this piece of memory */
    uint32_t functions[]; /* the core's ids, by fb_function.index */
};

/* Code made at run time: /tmp/perf-<pid>.map, and a jitdump if one was mapped. */
struct jit {
    fb_jit *map;
    uint32_t *functions; /* the core's ids, by index */
    size_t limit;
};

struct slot {
    uint64_t address;
    uint32_t id;
};

struct code_map {
    const struct code_map_host *host;
    tn_core *core;
    struct object *objects; /* the most recently used first */
    struct jit jits[2];
    bool written;          /* one of their files may have become longer since it was read */
    struct slot cache[CACHE_SIZE]; /* functions by address, direct-mapped */
};

static void *reserve(const struct code_map *map, size_t bytes)
{
    return map->host->memory->reserve(map->host->memory->user, bytes);
}

static void release(const struct code_map *map, void *memory, size_t bytes)
{
    map->host->memory->release(map->host->memory->user, memory, bytes);
}

code_map *code_map_new(const struct code_map_host *host, tn_core *core)
{
    struct code_map *map = host->memory->reserve(host->memory->user, sizeof *map);

    if (map) {
        map->host = host;
        map->core = core;
        map->written = true;
    }
    return map;
}

/* Read without the lock: an id belongs to an address that is the same before and behind it. */
static uint32_t cached_at(const struct slot *slot, uint64_t address)
{
    uint32_t id;

    if (__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE) != address)
        return TN_NONE;
    id = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&slot->address, __ATOMIC_RELAXED) == address ? id : TN_NONE;
}

static void cache_at(struct slot *slot, uint64_t address, uint32_t id)
{
    __atomic_store_n(&slot->address, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->address, address, __ATOMIC_RELEASE);
}

static struct slot *slot_of(struct code_map *map, uint64_t address)
{
    return &map->cache[(address ^ address >> 13) % CACHE_SIZE];
}

/* What is remembered of the addresses [start, start + bytes) no longer holds. */
static void forget_cached(struct code_map *map, uint64_t start, uint64_t bytes)
{
    for (uint64_t i = 0; i < CACHE_SIZE && i < bytes; i++) {
        struct slot *slot = bytes < CACHE_SIZE ? slot_of(map, start + i) : &map->cache[i];
        if (slot->address - start < bytes)
            cache_at(slot, 0, TN_NONE);
    }
}

static void lock(const struct code_map *map)
{
    if (map->host->lock)
        map->host->lock(map->host->user, true);
}

static void unlock(const struct code_map *map)
{
    if (map->host->lock)
        map->host->lock(map->host->user, false);
}

static bool begins(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

/* ------------------------------------------------------------------------------------------ objects */

static struct object *new_object(struct code_map *map, const struct code_mapping *mapping)
{
    struct fb_source source = {.path = mapping->path, .debug_dir = "/usr/lib/debug"};
    struct tn_object_info info = {.path = mapping->path ? mapping->path : "[anon]",
                                  .start = mapping->start,
                                  .size = mapping->end - mapping->start};
    fb_object *bounds = mapping->path ? fb_open(map->host->memory, &source, NULL) : NULL;

    if (bounds && !fb_place(bounds, mapping->start, mapping->offset)) {
        fb_close(bounds);
        bounds = NULL;
    }
    size_t functions = bounds ? fb_limit(bounds) : 0;
    size_t bytes = sizeof(struct object) + functions * sizeof(uint32_t);
    struct object *object = reserve(map, bytes);

    object->bytes = bytes;
    object->start = mapping->start;
    object->end = mapping->end;
    object->bounds = bounds;
    object->made = !bounds && (!mapping->path || begins(mapping->path, "/memfd:"));
    object->place = mapping->start;
    if (mapping->path) {
        object->dev = mapping->dev;
        object->ino = mapping->ino;
        object->place = mapping->start - mapping->offset;
    }
    if (bounds) {
        info.bias = fb_bias(bounds);
        info.build_id = fb_build_id(bounds, &info.build_id_size);
    }
    object->id = tn_object(map->core, &info);
    object->next = map->objects;
    map->objects = object;
    return object;
}

static void free_object(const struct code_map *map, struct object *object)
{
    if (object->bounds)
        fb_close(object->bounds);
    if (object->entries)
        release(map, object->entries, object->limit * sizeof *object->entries);
    release(map, object, object->bytes);
}

/* Another mapping of an object already known: the same file, as far away as its offset says. Without a file, memory
 * that has grown. */
static struct object *known_object(const struct code_map *map, const struct code_mapping *mapping)
{
    for (struct object *object = map->objects; object; object = object->next) {
        bool same = object->dev == mapping->dev && object->ino == mapping->ino;
        bool grown = !mapping->path && object->start < mapping->end && mapping->start < object->end;
        if (!same || !(mapping->path ? object->bounds && object->place == mapping->start - mapping->offset : grown))
            continue;
        if (object->start > mapping->start)
            object->start = mapping->start;
        if (object->end < mapping->end)
            object->end = mapping->end;
        return object;
    }
    return NULL;
}

static struct object *object_at(struct code_map *map, uint64_t address)
{
    for (struct object **link = &map->objects, *object; (object = *link); link = &object->next) {
        if (address < object->start || address >= object->end)
            continue;
        *link = object->next;
        object->next = map->objects;
        map->objects = object;
        return object;
    }
    struct code_mapping mapping = {0};
    if (!map->host->mapping_at(map->host->user, address, &mapping)) {
        mapping = (struct code_mapping){.start = address & -(uint64_t)PAGE};
        mapping.end = mapping.start + PAGE;
    }
    struct object *known = known_object(map, &mapping);
    return known ? known : new_object(map, &mapping);
}

/* ------------------------------------------------------------------------------------------ functions */

static uint32_t declare_function(const struct code_map *map, uint32_t object, const struct fb_function *range)
{
    struct tn_function_info info = {
        .object = object, .start = range->start, .size = range->size, .name = range->name};

    map->host->describe(map->host->user, range->flags, &info);
    return tn_function(map->core, &info);
}

static void found(struct code_function *out, uint32_t id, const struct fb_function *range)
{
    *out = (struct code_function){id, range->start, range->start + range->size};
}

static void jit_open(const struct code_map *map, struct jit *jit, const char *path)
{
    if (!jit->map)
        jit->map = fb_jit_open(map->host->memory, path);
}

/* A JIT compiler maps its jitdump executable, so that profilers learn its name: .../jit-<pid>.dump */
void code_map_mapped(code_map *map, uint64_t address)
{
    struct code_mapping mapping = {0};
    bool named = false, is_dump = false;

    lock(map);
    if (map->host->mapping_at(map->host->user, address, &mapping) && mapping.path) {
        for (const char *at = mapping.path; *at && !is_dump; at++) {
            is_dump = named && *at != '/' && begins(at, ".dump");
            named = *at == '/' ? begins(at, "/jit-") : named;
        }
    }
    if (is_dump) {
        jit_open(map, &map->jits[1], mapping.path);
        code_map_written(map);
    }
    unlock(map);
}

void code_map_written(code_map *map)
{
    if (!__atomic_load_n(&map->written, __ATOMIC_RELAXED))
        __atomic_store_n(&map->written, true, __ATOMIC_RELEASE);
}

/* Reads what the compiler has written down since. */
static void refresh_jits(struct code_map *map)
{
    static const char before[] = "/tmp/perf-", behind[] = ".map"; /* between them: the process id */
    char path[64], *at = path + sizeof path - sizeof behind;
    if (!__atomic_exchange_n(&map->written, false, __ATOMIC_ACQUIRE))
        return;
    uint64_t pid = map->host->process_id(map->host->user);
    memcpy(at, behind, sizeof behind);
    do
        *--at = (char)('0' + pid % 10);
    while ((pid /= 10) != 0);
    at = memcpy(at - (sizeof before - 1), before, sizeof before - 1);
    jit_open(map, &map->jits[0], at);
    for (int i = 0; i < 2; i++) {
        if (map->jits[i].map && fb_jit_refresh(map->jits[i].map))
            forget_cached(map, 0, UINT64_MAX);
    }
}

/* Who has a name for the code at an address. NULL: nobody. */
static struct jit *jit_range_at(struct code_map *map, uint64_t address, struct fb_function *out)
{
    for (int i = 0; i < 2; i++) {
        if (map->jits[i].map && fb_jit_lookup(map->jits[i].map, address, out))
            return &map->jits[i];
    }
    return NULL;
}

static bool jit_function_at(struct code_map *map, const struct object *object, uint64_t address,
                            struct code_function *out)
{
    struct fb_function range;

    refresh_jits(map);
    struct jit *jit = jit_range_at(map, address, &range);
    if (!jit)
        return false;
    if (range.index >= jit->limit) {
        size_t limit = 2 * (size_t)range.index + PAGE / sizeof(uint32_t);
        uint32_t *functions = reserve(map, limit * sizeof *functions);
        if (jit->functions) {
            memcpy(functions, jit->functions, jit->limit * sizeof *functions);
            release(map, jit->functions, jit->limit * sizeof *functions);
        }
        jit->functions = functions;
        jit->limit = limit;
    }
    uint32_t *id = &jit->functions[range.index];
    if (*id == TN_NONE)
        *id = declare_function(map, object->id, &range);
    found(out, *id, &range);
    return true;
}

/* "0x1f40": how far from the start of the mapping, or of the mapped file. */
static const char *entry_name(const struct object *object, uint64_t address, char text[20])
{
    uint64_t offset = address - object->place;
    char *at = text + 19;

    *at = '\0';
    do
        *--at = "0123456789abcdef"[offset % 16];
    while ((offset /= 16) != 0);
    *--at = 'x';
    *--at = '0';
    return at;
}

/* The function around an address without bounds: it begins where it was called, or where the code was entered first,
 * and ends where the next begins. */
static void find_entry(struct code_map *map, struct object *object, uint64_t address, bool called,
                       struct code_function *out)
{
    size_t i = fb_begun(object->entries, object->count, sizeof *object->entries, address);

    if (i == 0 || (called && object->entries[i - 1].start != address)) {
        if (object->count == object->limit) {
            size_t limit = object->limit ? 2 * object->limit : FIRST_ENTRIES;
            struct entry *more = reserve(map, limit * sizeof *more);
            if (object->entries) {
                memcpy(more, object->entries, object->count * sizeof *more);
                release(map, object->entries, object->limit * sizeof *more);
            }
            object->entries = more;
            object->limit = limit;
        }
        char text[20];
        struct fb_function range = {.start = address, .name = entry_name(object, address, text)};
        uint64_t end = i < object->count ? object->entries[i].start : object->end;
        range.size = end - address;
        memmove(object->entries + i + 1, object->entries + i, (object->count - i) * sizeof *object->entries);
        object->entries[i] = (struct entry){address, address, declare_function(map, object->id, &range), false};
        object->count++;
        forget_cached(map, address, range.size);
        i++;
    }
    struct entry *entry = &object->entries[i - 1];
    entry->last = entry->last > address ? entry->last : address;
    *out = (struct code_function){entry->id, address, address + 1}; /* others here may come to be functions */
}

/* False: the address is inside a function that is known by where it is entered. */
static bool find_function(code_map *map, uint64_t address, bool called, struct code_function *out)
{
    struct object *object = object_at(map, address);
    struct fb_function range;

    if (object->bounds && fb_lookup(object->bounds, address, &range)) {
        struct fb_function whole = range;

        if (range.parent != range.index && !fb_get(object->bounds, range.parent, &whole))
            whole = range;
        uint32_t *id = &object->functions[whole.index];
        if (*id == TN_NONE)
            *id = declare_function(map, object->id, &whole);
        found(out, *id, &range);
        return true;
    }
    if (object->made && jit_function_at(map, object, address, out))
        return true;
    find_entry(map, object, address, called, out);
    return called;
}

void code_map_function(code_map *map, uint64_t address, struct code_function *out)
{
    lock(map);
    find_function(map, address, false, out);
    unlock(map);
}

static uint32_t function_id(code_map *map, uint64_t address, bool called)
{
    struct slot *slot = slot_of(map, address);
    struct code_function function = {.id = cached_at(slot, address)};

    if (function.id != TN_NONE && !(called && function.id & INSIDE))
        return function.id & ~INSIDE;
    lock(map);
    bool whole = find_function(map, address, called, &function);
    cache_at(slot, address, function.id | (whole ? 0 : INSIDE));
    unlock(map);
    return function.id;
}

uint32_t code_map_function_id(code_map *map, uint64_t address)
{
    return function_id(map, address, false);
}

uint32_t code_map_callee_id(code_map *map, uint64_t address)
{
    return function_id(map, address, true);
}

/* Code behind a function's end that was never called, but jumped to, counted as the function's: its name says so. */
static void name_late(struct code_map *map, struct entry *entry)
{
    static const char more[] = " and what follows it";
    struct fb_function range;
    char text[1024];

    if (entry->named || !jit_range_at(map, entry->start, &range))
        return;
    entry->named = true;
    size_t size = elf_text_size(range.name), most = sizeof text - sizeof more;
    size = size < most ? size : most;
    memcpy(text, range.name, size);
    text[size] = '\0';
    if (entry->last >= range.start + range.size)
        memcpy(text + size, more, sizeof more);
    tn_function_rename(map->core, entry->id, text);
}

void code_map_name_late(code_map *map)
{
    lock(map);
    map->written = true;
    refresh_jits(map);
    for (struct object *object = map->objects; object; object = object->next) {
        for (size_t i = 0; i < object->count && object->made; i++)
            name_late(map, &object->entries[i]);
    }
    unlock(map);
}

void code_map_unmapped(code_map *map, uint64_t address, uint64_t bytes)
{
    struct object **link = &map->objects, *object;
    bool any = false;

    lock(map);
    while ((object = *link)) {
        if (object->start < address + bytes && address < object->end) {
            *link = object->next;
            free_object(map, object);
            any = true;
        } else {
            link = &object->next;
        }
    }
    if (any)
        forget_cached(map, 0, UINT64_MAX);
    unlock(map);
}

void code_map_free(code_map *map)
{
    for (struct object *object = map->objects, *next; object; object = next) {
        next = object->next;
        free_object(map, object);
    }
    for (int i = 0; i < 2; i++) {
        if (map->jits[i].map)
            fb_jit_close(map->jits[i].map);
        if (map->jits[i].functions)
            release(map, map->jits[i].functions, map->jits[i].limit * sizeof(uint32_t));
    }
    release(map, map, sizeof *map);
}
