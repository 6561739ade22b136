/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap.c: where parts of blocks lie that are simulated elsewhere; see remap.h, and docs/model.md, 22.
 *
 * What is done to an element is worked out when the object's first block is known, since its size may be that block's.
 * From then on runs are a sorted list that has every byte of an element once. A block has a record, found by its first
 * unit, with a place for each part.
 */
#include "remap.h"

#include "core/core.h"
#include "core/host.h"
#include "objects.h"

#include <string.h>

enum {
    UNIT = 1 << TN_UNIT_BITS,
    PAGE = 1 << TN_PAGE_BITS,
    CHUNK_HEAD = 8,
    LEAST_CHUNK = 24,
    MALLOC_ALIGN = 16
};
enum { MOST_DIVIDED = 1 << 30, PHASE_BITS = 27, WALKED_ZONES = 2, FEW = 2 };
#define PIECE (1ull << 20)
#define LARGE (128ull << 10)
#define LAST_PHASE (1u << 26)

/* Bytes [from, to) of an element, from `at` on of what it has in a part. */
struct run {
    uint32_t from, to, part, at;
};

struct part {
    uint32_t alignment, end; /* end: of its last run */
    uint64_t stride;         /* bytes from one element to the next */
};

struct tn_relocation {
    const struct tn_remap *remap;
    uint32_t object, zone; /* zone: of its first part */
    uint32_t parts;
    bool heap, divided; /* divided: below is known */
    bool has_zones, stays; /* stays: there are no zones any more, or its elements are too large */
    bool answer;        /* with `walk`: whether the function `asked` is one whose reads count */
    uint32_t asked;
    uint64_t element, lead, columns;
    struct part part[TN_REMAP_PARTS];
    struct run *run;
    uint32_t runs;
    struct tn_table table;  /* of blocks, by their first unit */
    struct tn_slots blocks; /* struct block */
};

struct block {
    uint64_t unused;              /* the list of free ones goes through it */
    uint64_t start, bytes, count; /* count: places for elements in each part */
    uint32_t number;              /* of the block's entries (memory.h) */
    uint64_t *walked;             /* with `walk`: of elements that have been read; 0: not yet */
    uint64_t few[FEW];            /* `walked`, of a block with no more elements */
    uint64_t place[];             /* of each part */
};

struct tn_ended_size {
    uint64_t bytes;
    uint32_t zone, last; /* of tn_remapping.ended; 0: none */
};
struct ended {
    uint32_t before; /* the one that ended before it; in free ones the list goes through it */
    uint64_t place;
};

struct tn_remapping *tn_remapping_new(void)
{
    struct tn_remapping *remapping = tn_host_alloc(sizeof *remapping);
    tn_array_init(&remapping->relocations, sizeof(struct tn_relocation));
    tn_array_init(&remapping->ended_sizes, sizeof(struct tn_ended_size));
    tn_array_add(&remapping->relocations);
    tn_array_add(&remapping->ended_sizes);
    tn_table_init(&remapping->ended_table);
    tn_slots_init(&remapping->ended, sizeof(struct ended));
    return remapping;
}

static struct tn_relocation *relocation_at(const struct tn_remapping *remapping, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_relocation, &remapping->relocations, id);
}

static struct block *block_at(const struct tn_relocation *relocation, uint32_t id)
{
    return tn_slots_at(&relocation->blocks, id);
}

static void free_walked(struct block *block)
{
    if (block->walked && block->walked != block->few)
        tn_host_free(block->walked, block->count * sizeof *block->walked);
    block->walked = NULL;
}

void tn_remapping_free(struct tn_remapping *remapping)
{
    if (!remapping)
        return;
    for (uint32_t id = 1; id < remapping->relocations.count; id++) {
        struct tn_relocation *relocation = relocation_at(remapping, id);
        for (uint32_t i = 1; i < relocation->blocks.array.count; i++)
            free_walked(block_at(relocation, i));
        tn_table_free(&relocation->table);
        tn_slots_free(&relocation->blocks);
        if (relocation->run)
            tn_host_free(relocation->run, (2 * TN_REMAP_RUNS + 1) * sizeof *relocation->run);
    }
    tn_array_free(&remapping->relocations);
    tn_array_free(&remapping->ended_sizes);
    tn_table_free(&remapping->ended_table);
    tn_slots_free(&remapping->ended);
    tn_host_free(remapping, sizeof *remapping);
}

size_t tn_remapping_bytes(const struct tn_remapping *remapping)
{
    size_t bytes = sizeof *remapping + tn_array_bytes(&remapping->relocations) +
                   tn_table_bytes(&remapping->ended_table) + tn_array_bytes(&remapping->ended_sizes) +
                   tn_array_bytes(&remapping->ended.array);
    for (uint32_t id = 1; id < remapping->relocations.count; id++)
        bytes += tn_table_bytes(&relocation_at(remapping, id)->table) +
                 tn_array_bytes(&relocation_at(remapping, id)->blocks.array);
    return bytes;
}

/* ------------------------------------------------------------------------------------------ which objects */

enum { MOST_CALLERS = 64 };

/* The file that a function is in. */
static const struct tn_object_info *info_of(const tn_core *core, uint32_t function)
{
    uint32_t object = tn_code_get_function(&core->code, function)->object;
    return &((struct tn_object_entry *)tn_array_at(&core->code.objects, object))->info;
}

static uint32_t remap_for(tn_core *core, const struct tn_data_object *object)
{
    struct tn_remap_caller caller[MOST_CALLERS];
    struct tn_remap_object is = {
        .kind = object->kind, .name = object->name, .file = object->file, .caller = caller};
    if (object->kind == TN_DATA_STATIC)
        is.path = tn_remap_path(tn_remap_path(0, object->address), object->size);
    for (uint32_t origin = object->origin; origin;) {
        const struct tn_origin *of = tn_origin_of(core->data, origin);
        const struct tn_function *function = tn_code_get_function(&core->code, of->function);
        if (is.callers < MOST_CALLERS)
            caller[is.callers++] =
                (struct tn_remap_caller){function->name, info_of(core, of->function)->path};
        origin = of->caller;
        if (!of->site)
            break;
        const struct tn_instr_info *instr = tn_code_get_instr(&core->code, of->site);
        is.path = tn_remap_path(is.path, instr->address - (uint64_t)info_of(core, instr->function)->bias);
    }
    return core->config.remap_of(core->config.user, &is);
}

void tn_remap_object(tn_core *core, uint32_t object)
{
    struct tn_remapping *remapping = core->data->remapping;
    struct tn_data_object *of = tn_data_object_of(core->data, object);
    if (!remapping || (of->kind == TN_DATA_STATIC && of->size < UNIT))
        return;
    uint32_t which = remap_for(core, of), parts = 1;
    if (!which || which > core->config.remap_count)
        return;
    const struct tn_remap *remap = &core->config.remaps[which - 1];
    for (uint32_t i = 0; i < remap->runs; i++)
        parts = remap->run[i].part >= parts ? remap->run[i].part + 1 : parts;
    parts = remap->runs && remap->rest >= parts ? remap->rest + 1 : parts;
    if (parts > TN_REMAP_PARTS || (remap->walk && parts > 1))
        return;
    of->relocation = remapping->relocations.count;
    struct tn_relocation *relocation = tn_array_add(&remapping->relocations);
    relocation->remap = remap;
    relocation->object = object;
    relocation->parts = parts;
    relocation->heap = of->kind == TN_DATA_HEAP;
    tn_table_init(&relocation->table);
    tn_slots_init(&relocation->blocks, sizeof(struct block) + parts * sizeof(uint64_t));
}

/* ------------------------------------------------------------------------------------------ elements */

static uint64_t up(uint64_t value, uint64_t multiple)
{
    return multiple > 1 ? (value + multiple - 1) / multiple * multiple : value;
}

static uint32_t alignment_of(uint64_t of)
{
    uint32_t alignment = MALLOC_ALIGN;
    while (of & (alignment - 1))
        alignment /= 2;
    return alignment;
}

static void append_run(struct tn_relocation *relocation, uint64_t from, uint64_t to, uint32_t number)
{
    struct part *part = &relocation->part[number];
    uint32_t alignment = alignment_of(from | (to - from)), at = (uint32_t)up(part->end, alignment);
    part->alignment = alignment > part->alignment ? alignment : part->alignment;
    part->end = at + (uint32_t)(to - from);
    relocation->run[relocation->runs++] = (struct run){(uint32_t)from, (uint32_t)to, number, at};
}

/* The run that begins first at `from` or behind it; NULL: none does. */
static const struct tn_remap_run *next_run(const struct tn_remap *remap, uint64_t from)
{
    const struct tn_remap_run *next = NULL;
    for (uint32_t i = 0; i < remap->runs; i++) {
        if (remap->run[i].from >= from && (!next || remap->run[i].from < next->from))
            next = &remap->run[i];
    }
    return next;
}

static void sort_runs(struct run *run, uint32_t runs)
{
    for (uint32_t i = 1; i < runs; i++) {
        struct run one = run[i];
        uint32_t at = i;
        for (; at > 0 && run[at - 1].from > one.from; at--)
            run[at] = run[at - 1];
        run[at] = one;
    }
}

/* What the runs of the remap leave, and what of them an element has. */
static void divide_into_runs(struct tn_relocation *relocation)
{
    const struct tn_remap *remap = relocation->remap;
    uint64_t from = 0, element = relocation->element;
    relocation->run = tn_host_alloc((2 * TN_REMAP_RUNS + 1) * sizeof *relocation->run);
    for (uint32_t i = 0; i < remap->runs; i++) {
        uint64_t to = remap->run[i].to < element ? remap->run[i].to : element;
        if (remap->run[i].from < to)
            append_run(relocation, remap->run[i].from, to, remap->run[i].part);
    }
    while (from < element) {
        const struct tn_remap_run *next = next_run(remap, from);
        uint64_t to = next && next->from < element ? next->from : element;
        if (from < to)
            append_run(relocation, from, to, remap->rest);
        from = next && next->to > to ? next->to : to;
    }
    sort_runs(relocation->run, relocation->runs);
}

/* When the first block begins. */
static void take_zones(struct tn_remapping *remapping, struct tn_relocation *relocation)
{
    uint32_t zones = relocation->remap->walk ? WALKED_ZONES : relocation->parts;
    if (relocation->has_zones || relocation->stays)
        return;
    relocation->stays = remapping->zone_count + zones > TN_ZONES;
    relocation->has_zones = !relocation->stays;
    relocation->zone = remapping->zone_count;
    remapping->zone_count += relocation->stays ? 0 : zones;
}

static void divide(struct tn_relocation *relocation, const struct tn_data_object *object, uint64_t bytes)
{
    const struct tn_remap *remap = relocation->remap;
    relocation->divided = true;
    relocation->element = remap->element ? remap->element : object->element ? object->element : bytes;
    relocation->lead = remap->element ? 0 : object->element ? object->lead : 0;
    relocation->columns = remap->row / relocation->element;
    if (remap->row && !relocation->columns)
        relocation->columns = 1;
    if (remap->runs && relocation->element > MOST_DIVIDED) { /* runs are of 32 bits */
        relocation->stays = true;
    } else if (remap->runs) {
        divide_into_runs(relocation);
    } else {
        relocation->part[0].alignment = alignment_of(relocation->element);
        relocation->part[0].stride = relocation->element;
    }
    for (uint32_t i = 0; i < relocation->parts; i++) {
        struct part *part = &relocation->part[i];
        if (!part->alignment) /* no byte of an element is in it */
            part->alignment = 1;
        if (remap->runs)
            part->stride = up(part->end, part->alignment);
        part->stride = up(part->stride, remap->pad);
    }
}

static uint64_t lead_of(const struct tn_relocation *relocation, uint64_t bytes)
{
    return bytes > relocation->lead ? relocation->lead : 0;
}

/* ------------------------------------------------------------------------------------------ places */

struct size_key {
    uint32_t zone;
    uint64_t bytes;
};

static bool size_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_ended_size *a = TN_ARRAY_AT(struct tn_ended_size, (const struct tn_array *)owner, id);
    const struct size_key *b = key;
    return a->zone == b->zone && a->bytes == b->bytes;
}

static struct tn_ended_size *ended_of(struct tn_remapping *remapping, uint32_t zone, uint64_t bytes)
{
    struct size_key key = {zone, bytes};
    uint32_t hash = tn_hash(bytes, zone);
    uint32_t id = tn_table_find(&remapping->ended_table, hash, size_equal, &remapping->ended_sizes, &key);
    if (!id) {
        id = remapping->ended_sizes.count;
        *(struct tn_ended_size *)tn_array_add(&remapping->ended_sizes) =
            (struct tn_ended_size){.bytes = bytes, .zone = zone};
        tn_table_add(&remapping->ended_table, hash, id);
    }
    return TN_ARRAY_AT(struct tn_ended_size, &remapping->ended_sizes, id);
}

static void give_place(struct tn_remapping *remapping, uint32_t zone, uint64_t bytes, uint64_t place)
{
    if (!bytes)
        return;
    struct tn_ended_size *size = ended_of(remapping, zone, bytes);
    uint32_t id = tn_slots_get(&remapping->ended);
    *(struct ended *)tn_slots_at(&remapping->ended, id) = (struct ended){size->last, place};
    size->last = id;
}

/* A position in the zone's piece: behind `front` bytes, of which and of `takes` more nothing else is. */
static uint64_t place_in_piece(struct tn_remapping *remapping, struct tn_zone *zone, uint64_t front,
                               uint64_t takes, uint64_t alignment)
{
    uint64_t at = up(zone->at + front, alignment);
    if (at + takes > zone->end) {
        uint64_t start = up(remapping->next, PAGE);
        at = up(start + front, alignment);
        zone->end = start + (at - start + takes > PIECE ? at - start + takes : PIECE);
        zone->counted = start >> TN_PAGE_BITS;
        remapping->next = zone->end;
    }
    zone->at = at + takes;
    return at;
}

/* Where a part of `bytes` lies: a place that is in no other block. 0: there is none any more. `apart`: bytes that a
 * large one lies behind the begin of a page. */
static uint64_t take_place(tn_core *core, const struct tn_relocation *relocation, uint32_t number,
                           uint64_t bytes, uint64_t apart, bool pooled)
{
    struct tn_remapping *remapping = core->data->remapping;
    uint32_t zone_number = relocation->zone + number;
    struct tn_zone *zone = &remapping->zone[zone_number];
    if (!bytes) /* a part that no run is in: nobody looks there */
        return TN_ELSEWHERE;
    struct tn_ended_size *size = ended_of(remapping, zone_number, bytes);
    uint64_t align = relocation->remap->align, base = TN_ELSEWHERE + ((uint64_t)zone_number << TN_ZONE_BITS),
             at, first;
    if (size->last) {
        uint32_t id = size->last;
        struct ended ended = *(struct ended *)tn_slots_at(&remapping->ended, id);
        size->last = ended.before;
        tn_slots_put(&remapping->ended, id);
        return ended.place;
    }
    if (remapping->next + bytes + 2 * (PIECE + align) > 1ull << TN_ZONE_BITS)
        return 0;
    if (pooled || bytes < LARGE) {
        uint64_t own =
            pooled ? relocation->part[relocation->remap->walk ? 0 : number].alignment : MALLOC_ALIGN;
        at = place_in_piece(remapping, zone, pooled ? 0 : CHUNK_HEAD,
                            !pooled && bytes < LEAST_CHUNK ? LEAST_CHUNK : bytes, own > align ? own : align);
        first = zone->counted > at >> TN_PAGE_BITS ? zone->counted : at >> TN_PAGE_BITS;
        zone->counted = ((at + bytes - 1) >> TN_PAGE_BITS) + 1;
    } else {
        at = up(up(remapping->next, PAGE) + apart, align);
        first = at >> TN_PAGE_BITS;
        remapping->next = at + bytes;
    }
    tn_data_object_of(core->data, relocation->object)->pages +=
        ((at + bytes - 1) >> TN_PAGE_BITS) + 1 - first;
    return base + at;
}

/* Whether a part of so many bytes is in a pool: with `pool`, and small ones where there are several. */
static bool is_pooled(const struct tn_relocation *relocation, uint64_t bytes)
{
    return relocation->remap->pool || (relocation->parts > 1 && bytes < LARGE);
}

/* Bytes of a block's part. */
static uint64_t bytes_of(const struct tn_relocation *relocation, const struct block *block, uint32_t part)
{
    return block->count * relocation->part[part].stride + (part ? 0 : lead_of(relocation, block->bytes));
}

static bool has_place(const struct block *block)
{
    return block->place[0] != 0;
}

static void take_places(tn_core *core, const struct tn_relocation *relocation, struct block *block)
{
    for (uint32_t i = 0; i < relocation->parts; i++) {
        uint64_t bytes = bytes_of(relocation, block, i);
        uint64_t apart = relocation->parts == 1 ? block->start & (PAGE - 1) : relocation->heap ? 16 : 0;
        block->place[i] = take_place(core, relocation, i, bytes, apart, is_pooled(relocation, bytes));
        if (!block->place[i]) { /* all of it stays where it is */
            block->place[0] = 0;
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------ blocks */

/* Of two blocks that begin in one unit the number tells which the other units are of. */
struct block_key {
    uint64_t unit;
    uint32_t number;
};

static bool block_equal(const void *owner, uint32_t id, const void *key)
{
    const struct block *block = block_at(owner, id);
    const struct block_key *k = key;
    return block->start >> TN_UNIT_BITS == k->unit && block->number == k->number;
}

static uint32_t hash_of(const struct block_key *key)
{
    return tn_hash(key->unit, key->number);
}

static uint32_t find_block(const struct tn_relocation *relocation, const struct block_key *key)
{
    return tn_table_find(&relocation->table, hash_of(key), block_equal, relocation, key);
}

/* `leaves`: its places are free then. */
static void end_block(tn_core *core, struct tn_relocation *relocation, const struct block_key *key, bool leaves)
{
    struct tn_remapping *remapping = core->data->remapping;
    uint32_t id = find_block(relocation, key);
    if (!id)
        return;
    struct block *block = block_at(relocation, id);
    leaves &= has_place(block);
    for (uint32_t i = 0; leaves && i < relocation->parts; i++)
        give_place(remapping, relocation->zone + i, bytes_of(relocation, block, i), block->place[i]);
    for (uint64_t i = 0; leaves && block->walked && i < block->count; i++) {
        if (block->walked[i])
            give_place(remapping, relocation->zone + 1, relocation->part[0].stride, block->walked[i]);
    }
    free_walked(block);
    tn_table_remove(&relocation->table, hash_of(key), id);
    tn_slots_put(&relocation->blocks, id);
}

static struct block *begin_block(tn_core *core, struct tn_data_object *object, uint32_t number, uint64_t start,
                                 uint64_t bytes)
{
    struct tn_relocation *relocation = relocation_at(core->data->remapping, object->relocation);
    struct block_key key = {start >> TN_UNIT_BITS, number};
    take_zones(core->data->remapping, relocation);
    if (!relocation->divided)
        divide(relocation, object, bytes);
    end_block(core, relocation, &key, false); /* nobody has said that it ended */
    uint32_t id = tn_slots_get(&relocation->blocks);
    struct block *block = block_at(relocation, id);
    block->start = start;
    block->number = number;
    block->bytes = bytes;
    uint64_t own = bytes - lead_of(relocation, bytes), columns = relocation->columns;
    block->count = (own + relocation->element - 1) / relocation->element;
    if (columns)
        block->count = up(block->count, columns);
    tn_table_add(&relocation->table, hash_of(&key), id);
    if (!relocation->stays)
        take_places(core, relocation, block);
    if (relocation->remap->walk)
        block->walked = block->count > FEW ? tn_host_alloc(block->count * sizeof *block->walked) : block->few;
    return block;
}

void tn_remap_begins(tn_core *core, struct tn_data_object *object, uint64_t address, uint64_t bytes)
{
    take_zones(core->data->remapping, relocation_at(core->data->remapping, object->relocation));
    if (!bytes || bytes > TN_LARGEST_BLOCK)
        return;
    begin_block(core, object, object->number & 0xff, address, bytes);
    core->set_apart(core, address, address + bytes);
}

void tn_remap_ends(tn_core *core, struct tn_data_object *object, uint64_t entry, uint64_t address)
{
    struct block_key key = {address >> TN_UNIT_BITS, tn_entry_number(entry)};
    end_block(core, relocation_at(core->data->remapping, object->relocation), &key, true);
}

/* ------------------------------------------------------------------------------------------ accesses */

/* What holds an address of which no block's unit is known: perhaps the end of a symbol. */
static struct tn_held held_by_symbol(tn_core *core, uint64_t address)
{
    const struct tn_data *data = core->data;
    const struct tn_page *page = tn_memory_page(&data->memory, address);
    uint32_t object = page ? page->rest : 0;
    return object ? (struct tn_held){.object = object} : tn_data_find(core, address);
}

/* The object that holds an address, if it has a relocation; else NULL. *key: its block's. */
static struct tn_data_object *relocated_at(tn_core *core, uint64_t address, struct block_key *key)
{
    struct tn_data *data = core->data;
    uint64_t entry = tn_memory_entry(&data->memory, address);
    struct tn_held held = {tn_entry_object(entry), (uint32_t)entry, 0};
    if (!entry)
        held = held_by_symbol(core, address);
    struct tn_data_object *object = held.object ? tn_data_object_of(data, held.object) : NULL;
    *key = (struct block_key){(address >> TN_UNIT_BITS) - held.unit, tn_entry_number(entry)};
    return object && object->relocation ? object : NULL;
}

/* The block that holds an address, and is elsewhere; NULL: none does. */
static struct block *block_with(tn_core *core, uint64_t address, struct tn_relocation **of)
{
    struct block_key key;
    struct tn_data_object *object = relocated_at(core, address, &key);
    if (!object)
        return NULL;
    *of = relocation_at(core->data->remapping, object->relocation);
    uint32_t id = find_block(*of, &key);
    struct block *block = id ? block_at(*of, id) : NULL;
    if (!block && object->kind == TN_DATA_STATIC)
        block = begin_block(core, object, 0, (key.unit << TN_UNIT_BITS) + object->address % UNIT, object->size);
    return block && has_place(block) && address - block->start < block->bytes ? block : NULL;
}

bool tn_remap_concerns(tn_core *core, uint64_t start, uint64_t end)
{
    struct block_key key;
    for (uint64_t at = start; at != end; at += UNIT) {
        if (relocated_at(core, at, &key))
            return true;
        if (!tn_memory_entry(&core->data->memory, at) && relocated_at(core, at + UNIT - 1, &key))
            return true;
    }
    return false;
}

/* The run that has a byte of an element. */
static const struct run *run_of(const struct tn_relocation *relocation, uint32_t byte)
{
    uint32_t low = 0, high = relocation->runs;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (relocation->run[middle].from <= byte)
            low = middle;
        else
            high = middle;
    }
    return &relocation->run[low];
}

/* Whether reads of the instruction count for `walk`. */
static bool walks(tn_core *core, struct tn_relocation *relocation, uint32_t instr)
{
    uint32_t function = tn_code_get_instr(&core->code, instr)->function;
    if (relocation->asked != function) {
        const char *name = tn_code_get_function(&core->code, function)->name;
        uint32_t which = (uint32_t)(relocation->remap - core->config.remaps) + 1;
        relocation->asked = function;
        relocation->answer = core->config.remap_walks(core->config.user, which, name);
    }
    return relocation->answer;
}

/* With `walk`: where the element is that has been read; 0: none of those that count has read it. */
static uint64_t walked_place(tn_core *core, struct tn_relocation *relocation, struct block *block,
                             uint64_t number, bool writes, uint32_t instr)
{
    if (!block->walked[number] && !writes && walks(core, relocation, instr))
        block->walked[number] = take_place(core, relocation, 1, relocation->part[0].stride, 0, true);
    return block->walked[number];
}

/* As many bytes as lie one behind the other from `offset` of a block on, at most `most`. */
static struct tn_span span_in(tn_core *core, struct tn_relocation *relocation, struct block *block,
                              uint64_t offset, uint64_t most, bool writes, uint32_t instr)
{
    struct tn_span span = {.moved = true, .relocation = relocation};
    uint64_t lead = lead_of(relocation, block->bytes), rest = block->bytes - offset, size, at, place = 0;
    if (offset < lead) {
        at = offset;
        size = lead - offset;
    } else {
        uint64_t number = (offset - lead) / relocation->element, byte = (offset - lead) % relocation->element;
        if (relocation->columns)
            number = number % relocation->columns * (block->count / relocation->columns) +
                     number / relocation->columns;
        at = byte;
        size = relocation->element - byte;
        if (relocation->runs) {
            const struct run *run = run_of(relocation, (uint32_t)byte);
            span.part = run->part;
            at = run->at + byte - run->from;
            size = run->to - byte;
        }
        if (relocation->remap->walk)
            place = walked_place(core, relocation, block, number, writes, instr);
        if (!place)
            at += number * relocation->part[span.part].stride + (span.part ? 0 : lead);
    }
    span.place = place ? place : block->place[span.part];
    span.bytes = place ? relocation->part[0].stride : bytes_of(relocation, block, span.part);
    span.first = span.place + (place || span.part ? 0 : lead);
    span.address = span.place + at;
    size = size < rest ? size : rest;
    span.size = (uint32_t)(size < most ? size : most);
    return span;
}

/* Bytes from `address` on, at most `most`, that are where they are. */
static struct tn_span span_here(tn_core *core, uint64_t address, uint64_t most)
{
    if (!tn_memory_entry(&core->data->memory, address)) /* a symbol may begin or end inside a unit */
        most = 1;
    return (struct tn_span){.address = address, .size = (uint32_t)most};
}

/* Puts bytes behind the last ones of a list, or to them if they go on there. False: there is no room. */
static bool append_span(struct tn_span *list, uint32_t *count, uint32_t most, const struct tn_span *span,
                        bool one_place)
{
    struct tn_span *last = *count ? &list[*count - 1] : NULL;
    if (last && last->moved == span->moved && last->address + last->size == span->address &&
        (!one_place || last->place == span->place)) {
        last->size += span->size;
        return true;
    }
    if (*count == most)
        return false;
    list[(*count)++] = *span;
    return true;
}

uint32_t tn_remap_spans(tn_core *core, uint64_t address, uint32_t size, bool writes, uint32_t instr)
{
    struct tn_remapping *remapping = core->data->remapping;
    remapping->spans = remapping->pieces = 0;
    for (uint64_t at = address, end = address + size; at < end;) {
        struct tn_relocation *relocation;
        struct block *block = block_with(core, at, &relocation);
        uint64_t most = UNIT - at % UNIT < end - at ? UNIT - at % UNIT : end - at; /* the next may be another's */
        struct tn_span span = block ? span_in(core, relocation, block, at - block->start, most, writes, instr)
                                    : span_here(core, at, most);
        if (!append_span(remapping->span, &remapping->spans, TN_SPANS, &span, false))
            break;
        append_span(remapping->piece, &remapping->pieces, TN_PIECES, &span, true);
        at += span.size;
    }
    return remapping->spans;
}

/* ------------------------------------------------------------------------------------------ lines */

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* The slice of the line of an address in a span. */
static uint32_t slice_in_span(tn_core *core, const struct tn_span *span, uint64_t address)
{
    const struct tn_relocation *relocation = span->relocation;
    struct tn_data_object *object = tn_data_object_of(core->data, relocation->object);
    uint32_t line = core->config.d1.line, from = 0, to = line;
    uint64_t start = address & ~(uint64_t)(line - 1), stride = relocation->part[span->part].stride;
    uint64_t first = span->first;
    bool pooled = is_pooled(relocation, span->bytes);
    if (!stride) /* the lead alone */
        return tn_slice_elsewhere(&core->data->slices, object, relocation->object, 0, 0, 0);
    uint64_t phase = start >= first ? (start - first) % stride : (stride - (first - start) % stride) % stride;
    if (!object->element && !relocation->runs) /* what is beyond the offsets that are told apart is one */
        phase = at_most(phase, phase + line > relocation->element ? LAST_PHASE : TN_OFFSETS + TN_MAX_LINE);
    if (!pooled || first > span->place)
        from = first > start ? (uint32_t)at_most(first - start, line) : 0;
    if (!pooled)
        to = (uint32_t)at_most(span->place + span->bytes - start, line);
    return tn_slice_elsewhere(&core->data->slices, object, relocation->object,
                              span->part << PHASE_BITS | (uint32_t)at_most(phase, LAST_PHASE), from,
                              to > from ? to : from);
}

struct tn_held tn_remap_held(tn_core *core, uint64_t address)
{
    const struct tn_remapping *remapping = core->data->remapping;
    for (uint32_t i = 0; i < remapping->pieces; i++) {
        const struct tn_span *span = &remapping->piece[i];
        if (span->moved && address - span->address < span->size)
            return (struct tn_held){span->relocation->object, slice_in_span(core, span, address),
                                    TN_REACH_OF_SLICE};
    }
    return (struct tn_held){0};
}

uint32_t tn_remap_place(const struct tn_remapping *remapping, const struct tn_data_object *object,
                        uint32_t phase, uint32_t byte)
{
    const struct tn_relocation *relocation = relocation_at(remapping, object->relocation);
    uint32_t part = phase >> PHASE_BITS;
    uint64_t offset = ((phase & ((1u << PHASE_BITS) - 1)) + byte) % relocation->part[part].stride;
    if (!relocation->runs && offset >= relocation->element)
        return TN_AT_OUTSIDE;
    const struct run *run = relocation->run, *end = run + relocation->runs;
    while (run < end && !(run->part == part && offset >= run->at && offset - run->at < run->to - run->from))
        run++;
    if (relocation->runs && run == end)
        return TN_AT_OUTSIDE;
    if (relocation->runs)
        offset = run->from + offset - run->at;
    if (object->element && relocation->remap->element) /* elements that the profile has begin behind its lead */
        offset += (uint64_t)object->element * object->lead - object->lead;
    if (object->element)
        return TN_AT_FIRST + (uint32_t)(offset % object->element);
    return offset < TN_OFFSETS ? TN_AT_FIRST + (uint32_t)offset / TN_AT_PIECE * TN_AT_PIECE : TN_AT_BEYOND;
}
