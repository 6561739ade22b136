/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap_model.c: see remap_model.h. Words are those of docs/model.md, 22.
 *
 * Where a zone lies and how far it is used is known by its number. Positions are what addresses in a zone
 * have more than the zone's first.
 */
#include "remap_model.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PIECE = 1 << 20, LARGE = 128 << 10, LISTS = 4096 };
enum { OUTSIDE = 0, BEYOND = 1, FIRST = 2, PIECES_END = 4096, EACH = 8 }; /* places in the profile */
static const uint64_t zones_begin = 1ull << 47, zone_size = 1ull << 38;

struct run {
    uint64_t from, to, at; /* bytes of an element; where they are in what the element takes */
};
struct part {
    struct run *run;
    uint32_t runs;
    uint64_t takes, align; /* takes: what an element takes; align: the largest of its runs */
    uint32_t zone;
};
struct object {
    const struct tn_remap *remap;
    uint64_t known, known_lead, element; /* element: 0: no block has begun */
    uint64_t lead;                       /* in front of elements, in blocks of more bytes */
    bool heap;
    struct part *part;
    uint32_t parts, walk_zone;
};
struct block {
    uint32_t object;
    uint64_t lead, columns, rows; /* elements in their order are one column */
    uint64_t *position;           /* of each part */
    uint64_t *walked;             /* of each element that was read, with `walk`; NULL without */
    bool ended, *read;
};
struct zone {
    uint32_t object;
    uint64_t next, end; /* of the piece; end 0: there is none */
};
struct left { /* a place of a part that has ended */
    uint32_t zone;
    uint64_t bytes, position;
};
struct pages { /* that a place came into first */
    uint32_t zone;
    uint64_t first, end;
    bool counts; /* since the last rm_zero */
};
struct list { /* of places */
    struct list *next;
    uint32_t line, place[];
};
struct remap_model {
    struct object *object;
    struct block *block;
    struct left *left;
    struct pages *page;
    struct zone zone[RM_ZONES];
    uint32_t objects, blocks, lefts, pages, zones;
    uint64_t position; /* the common one */
    struct list *lists[LISTS];
};

/* Room for one more element at the end of an array. */
#define ONE_MORE(array, count)                                                                               \
    ((array) = realloc((array), ((count) + 1) * sizeof *(array)), &(array)[(count)++])

static uint64_t rounded_up(uint64_t number, uint64_t to)
{
    return to ? (number + to - 1) / to * to : number;
}

struct remap_model *rm_new(void)
{
    return calloc(1, sizeof(struct remap_model));
}

void rm_free(struct remap_model *rm)
{
    for (uint32_t i = 0; i < rm->objects; i++) {
        for (uint32_t p = 0; p < rm->object[i].parts; p++)
            free(rm->object[i].part[p].run);
        free(rm->object[i].part);
    }
    for (uint32_t i = 0; i < rm->blocks; i++)
        free(rm->block[i].position), free(rm->block[i].walked), free(rm->block[i].read);
    for (int i = 0; i < LISTS; i++)
        for (struct list *list; (list = rm->lists[i]);) {
            rm->lists[i] = list->next;
            free(list);
        }
    free(rm->object), free(rm->block), free(rm->left), free(rm->page), free(rm);
}

/* ------------------------------------------------------------------------------------------------- parts */

static uint32_t parts_of(const struct tn_remap *remap)
{
    uint32_t parts = remap->runs ? remap->rest + 1 : 1;

    for (uint32_t i = 0; i < remap->runs; i++)
        parts = remap->run[i].part >= parts ? remap->run[i].part + 1 : parts;
    return parts;
}

static uint64_t alignment(uint64_t from, uint64_t size)
{
    uint64_t align = 16;

    while (from % align || size % align)
        align /= 2;
    return align;
}

/* Behind the runs that the part has. Of a run, an element has the bytes that it has. */
static void add_run(const struct object *object, uint32_t number, uint64_t from, uint64_t to)
{
    struct part *part = &object->part[number];
    uint64_t align, end = part->runs ? part->run[part->runs - 1].at + part->run[part->runs - 1].to -
                                           part->run[part->runs - 1].from
                                     : 0;

    to = to < object->element ? to : object->element;
    if (from >= to)
        return;
    align = alignment(from, to - from);
    *ONE_MORE(part->run, part->runs) = (struct run){from, to, rounded_up(end, align)};
    part->align = align > part->align ? align : part->align;
}

/* The end of what no run has, from there on; `from` itself if one has it. */
static uint64_t rest_end(const struct object *object, uint64_t from)
{
    const struct tn_remap *remap = object->remap;
    uint64_t end = object->element;

    for (uint32_t i = 0; i < remap->runs; i++) {
        if (from >= remap->run[i].from && from < remap->run[i].to)
            return from;
        if (remap->run[i].from > from && remap->run[i].from < end)
            end = remap->run[i].from;
    }
    return end;
}

/* The object has elements of E bytes: what each takes in each part. */
static void divide(struct object *object)
{
    const struct tn_remap *remap = object->remap;

    for (uint32_t i = 0; i < remap->runs; i++)
        add_run(object, remap->run[i].part, remap->run[i].from, remap->run[i].to);
    for (uint64_t from = 0, end; from<object->element; from = end> from ? end : from + 1)
        if ((end = rest_end(object, from)) > from)
            add_run(object, remap->runs ? remap->rest : 0, from, end);
    for (uint32_t p = 0; p < object->parts; p++) {
        struct part *part = &object->part[p];
        const struct run *last = part->runs ? &part->run[part->runs - 1] : NULL;

        if (last)
            part->takes = rounded_up(rounded_up(last->at + last->to - last->from, part->align), remap->pad);
    }
}

uint32_t rm_object(struct remap_model *rm, const struct tn_remap *remap, uint64_t known, uint64_t lead,
                   bool heap)
{
    struct object *object;
    uint32_t parts = parts_of(remap), first = rm->zones;

    if (rm->zones + parts + remap->walk > RM_ZONES)
        return 0;
    object = ONE_MORE(rm->object, rm->objects);
    *object = (struct object){.remap = remap,
                              .known = known,
                              .known_lead = lead,
                              .heap = heap,
                              .parts = parts,
                              .element = remap->element ? remap->element : known,
                              .lead = remap->element ? 0 : lead};
    object->part = calloc(parts, sizeof *object->part);
    rm->zones += parts + remap->walk;
    for (uint32_t z = first; z < rm->zones; z++)
        rm->zone[z].object = rm->objects;
    for (uint32_t p = 0; p < parts; p++)
        object->part[p] = (struct part){.align = 1, .zone = first + p};
    object->walk_zone = first + parts;
    if (object->element)
        divide(object);
    return rm->objects;
}

/* ------------------------------------------------------------------------------------------------- places */

static uint64_t part_bytes(const struct remap_model *rm, const struct block *block, uint32_t part)
{
    uint64_t takes = rm->object[block->object - 1].part[part].takes;

    return (part == 0 ? block->lead : 0) + block->columns * block->rows * takes;
}

/* The zone's places are packed. */
static bool is_pooled(const struct object *object, uint64_t bytes)
{
    return object->remap->pool || (object->parts > 1 && bytes < LARGE);
}

/* In the zone's piece, `before` bytes behind what is there at least. */
static uint64_t place_in_piece(struct remap_model *rm, struct zone *zone, uint64_t bytes, uint64_t before,
                               uint64_t align)
{
    uint64_t at = rounded_up(zone->next + before, align), begins = rounded_up(rm->position, PAGE);

    if (!zone->end || at + bytes > zone->end) {
        at = rounded_up(begins + before, align);
        zone->end = at + bytes > begins + PIECE ? at + bytes : begins + PIECE;
        rm->position = zone->end;
    }
    zone->next = at + bytes;
    return at;
}

static uint64_t place_apart(struct remap_model *rm, const struct object *object, uint64_t bytes,
                            uint64_t address)
{
    uint64_t behind = object->parts == 1 ? address % PAGE : object->heap ? 16 : 0;
    uint64_t at = rounded_up(rounded_up(rm->position, PAGE) + behind, object->remap->align);

    rm->position = at + bytes;
    return at;
}

/* Positions grow, so that only the first page of a place may be one that another came into. */
static void enter_pages(struct remap_model *rm, uint32_t zone, uint64_t position, uint64_t bytes)
{
    uint64_t first = position / PAGE, end = (position + bytes - 1) / PAGE + 1;
    bool known = false;

    for (uint32_t i = 0; i < rm->pages; i++)
        known |= rm->page[i].zone == zone && first >= rm->page[i].first && first < rm->page[i].end;
    *ONE_MORE(rm->page, rm->pages) = (struct pages){zone, first + known, end, true};
}

/* A place for a block's part in this zone. A part without bytes has none. */
static uint64_t place_of_part(struct remap_model *rm, uint32_t number, const struct part *part,
                              uint64_t bytes, uint64_t address)
{
    struct zone *zone = &rm->zone[number];
    const struct object *object = &rm->object[zone->object - 1];
    uint64_t align = object->remap->align, position;

    if (!bytes)
        return 0;
    for (uint32_t i = rm->lefts; i-- > 0;)
        if (rm->left[i].zone == number && rm->left[i].bytes == bytes) {
            position = rm->left[i].position;
            memmove(&rm->left[i], &rm->left[i + 1], (--rm->lefts - i) * sizeof *rm->left);
            return position;
        }
    if (is_pooled(object, bytes))
        position = place_in_piece(rm, zone, bytes, 0, align > part->align ? align : part->align);
    else if (bytes < LARGE)
        position = place_in_piece(rm, zone, bytes < 24 ? 24 : bytes, 8, align > 16 ? align : 16);
    else
        position = place_apart(rm, object, bytes, address);
    enter_pages(rm, number, position, bytes);
    return position;
}

uint32_t rm_block_begins(struct remap_model *rm, uint32_t number, uint64_t address, uint64_t bytes)
{
    struct object *object = &rm->object[number - 1];
    struct block *block = ONE_MORE(rm->block, rm->blocks);
    uint64_t elements;

    if (!object->element) {
        object->element = bytes;
        divide(object);
    }
    *block = (struct block){.object = number, .lead = bytes > object->lead ? object->lead : 0, .columns = 1};
    elements = (bytes - block->lead + object->element - 1) / object->element;
    if (object->remap->row)
        block->columns = object->remap->row / object->element;
    if (!block->columns)
        block->columns = 1;
    block->rows = (elements + block->columns - 1) / block->columns;
    block->position = calloc(object->parts, sizeof *block->position);
    for (uint32_t p = 0; p < object->parts; p++)
        block->position[p] =
            place_of_part(rm, object->part[p].zone, &object->part[p], part_bytes(rm, block, p), address);
    if (object->remap->walk) {
        block->walked = calloc(block->columns * block->rows, sizeof *block->walked);
        block->read = calloc(block->columns * block->rows, sizeof *block->read);
    }
    return rm->blocks;
}

static void leave(struct remap_model *rm, uint32_t zone, uint64_t bytes, uint64_t position)
{
    if (bytes)
        *ONE_MORE(rm->left, rm->lefts) = (struct left){zone, bytes, position};
}

void rm_block_ends(struct remap_model *rm, uint32_t number)
{
    struct block *block = &rm->block[number - 1];
    const struct object *object = &rm->object[block->object - 1];

    if (block->ended)
        return;
    block->ended = true;
    for (uint32_t p = 0; p < object->parts; p++)
        leave(rm, object->part[p].zone, part_bytes(rm, block, p), block->position[p]);
    for (uint64_t i = 0; block->read && i < block->columns * block->rows; i++) {
        if (block->read[i])
            leave(rm, object->walk_zone, object->part[0].takes, block->walked[i]);
    }
}

/* ------------------------------------------------------------------------------------------------- bytes */

/* The place among the elements of the one that has a byte behind the lead. */
static uint64_t place_of_element(const struct remap_model *rm, const struct block *block, uint64_t offset)
{
    uint64_t element = (offset - block->lead) / rm->object[block->object - 1].element;

    return element % block->columns * block->rows + element / block->columns;
}

static bool was_read(const struct remap_model *rm, const struct block *block, uint64_t offset)
{
    return block->read && offset >= block->lead && block->read[place_of_element(rm, block, offset)];
}

/* A byte of the block is accessed. */
static void walk(struct remap_model *rm, uint32_t number, uint64_t offset)
{
    struct block *block = &rm->block[number - 1];
    const struct object *object = &rm->object[block->object - 1];

    if (!block->read || offset < block->lead || was_read(rm, block, offset))
        return;
    uint64_t element = place_of_element(rm, block, offset);
    block->walked[element] = place_of_part(rm, object->walk_zone, &object->part[0], object->part[0].takes, 0);
    block->read[element] = true;
}

/* Where the part begins that has a byte of the block: all of the block's, or that of the element alone. */
static uint64_t begin_of(const struct remap_model *rm, const struct block *block, uint32_t part, uint64_t offset)
{
    const struct object *object = &rm->object[block->object - 1];

    if (was_read(rm, block, offset))
        return zones_begin + zone_size * object->walk_zone + block->walked[place_of_element(rm, block, offset)];
    return zones_begin + zone_size * object->part[part].zone + block->position[part];
}

/* Bytes from there to the first element. */
static uint64_t lead_in(const struct remap_model *rm, const struct block *block, uint32_t part, uint64_t offset)
{
    return part == 0 && !was_read(rm, block, offset) ? block->lead : 0;
}

/* The part that a byte of a block is in, and where in that. */
static uint32_t find_byte(const struct remap_model *rm, const struct block *block, uint64_t offset,
                          uint64_t *where)
{
    const struct object *object = &rm->object[block->object - 1];
    uint64_t byte, place;

    *where = offset;
    if (offset < block->lead)
        return 0;
    byte = (offset - block->lead) % object->element;
    place = was_read(rm, block, offset) ? 0 : place_of_element(rm, block, offset);
    for (uint32_t p = 0; p < object->parts; p++) {
        const struct part *part = &object->part[p];

        for (uint32_t r = 0; r < part->runs; r++)
            if (byte >= part->run[r].from && byte < part->run[r].to) {
                *where = lead_in(rm, block, p, offset) + place * part->takes;
                *where += part->run[r].at + byte - part->run[r].from;
                return p;
            }
    }
    abort(); /* each byte is in a part */
}

uint64_t rm_address(const struct remap_model *rm, uint32_t number, uint64_t offset)
{
    const struct block *block = &rm->block[number - 1];
    uint64_t where;
    uint32_t part = find_byte(rm, block, offset, &where);

    return begin_of(rm, block, part, offset) + where;
}

uint32_t rm_spans(struct remap_model *rm, uint64_t address, uint32_t size, rm_reads *reads, rm_block_at *block_at,
                  void *user, struct rm_span spans[RM_SPANS])
{
    bool was_apart = false;
    uint32_t count = 0;

    for (uint32_t byte = 0; byte < size; byte++) {
        uint64_t offset = 0, at = address + byte;
        uint32_t block = block_at(user, at, &offset);
        struct rm_span *last = count ? &spans[count - 1] : NULL;

        if (block) {
            if (reads && reads(user, rm->object[rm->block[block - 1].object - 1].remap))
                walk(rm, block, offset);
            at = rm_address(rm, block, offset);
        }
        if (last && at == last->address + last->size && was_apart == (block != 0)) {
            last->size++;
            continue;
        }
        if (count == RM_SPANS)
            break;
        spans[count++] = (struct rm_span){at, 1, byte};
        was_apart = block != 0;
    }
    return count;
}

/* -------------------------------------------------------------------------------------------- the profile */

/* A byte of an element, as the profile has it. */
static uint32_t profile_place(const struct object *object, uint64_t byte)
{
    if (object->known && object->remap->element)
        return (uint32_t)(FIRST +
                          (byte + object->known * object->known_lead - object->known_lead) % object->known);
    if (object->known)
        return (uint32_t)(FIRST + byte);
    return byte < PIECES_END ? (uint32_t)(FIRST + byte / EACH * EACH) : BEYOND;
}

/* The byte of its part that lies `behind` bytes behind the first element. */
static uint32_t place_behind(const struct object *object, const struct part *part, int64_t behind)
{
    int64_t takes = (int64_t)part->takes;
    if (!takes) /* it has the lead alone */
        return OUTSIDE;
    uint64_t byte = (uint64_t)((behind % takes + takes) % takes);

    for (uint32_t r = 0; r < part->runs; r++)
        if (byte >= part->run[r].at && byte - part->run[r].at < part->run[r].to - part->run[r].from)
            return profile_place(object, part->run[r].from + byte - part->run[r].at);
    return OUTSIDE;
}

/* Equal lists are one. */
static const uint32_t *list_kept(struct remap_model *rm, const uint32_t *place, uint32_t line)
{
    uint32_t hash = line;
    struct list **first, *list;

    for (uint32_t i = 0; i < line; i++)
        hash = (hash ^ place[i]) * 0x9e3779b1u, hash ^= hash >> 15;
    first = &rm->lists[hash % LISTS];
    for (list = *first; list; list = list->next)
        if (list->line == line && !memcmp(list->place, place, line * sizeof *place))
            return list->place;
    list = malloc(sizeof *list + line * sizeof *place);
    list->next = *first;
    list->line = line;
    memcpy(list->place, place, line * sizeof *place);
    *first = list;
    return list->place;
}

const uint32_t *rm_places(struct remap_model *rm, uint32_t number, uint64_t offset, uint32_t line)
{
    const struct block *block = &rm->block[number - 1];
    const struct object *object = &rm->object[block->object - 1];
    uint64_t where, begin, first, end, start;
    uint32_t part = find_byte(rm, block, offset, &where), place[1024];
    bool neighbours = is_pooled(object, part_bytes(rm, block, part));

    begin = begin_of(rm, block, part, offset);
    first = begin + lead_in(rm, block, part, offset);
    end = begin + part_bytes(rm, block, part);
    start = (begin + where) / line * line;
    for (uint32_t i = 0; i < line; i++) {
        bool in_front = start + i < first && (!neighbours || first > begin),
             behind = start + i >= end && !neighbours;

        place[i] = in_front || behind
                       ? OUTSIDE
                       : place_behind(object, &object->part[part], (int64_t)(start + i - first));
    }
    return list_kept(rm, place, line);
}

uint64_t rm_pages(const struct remap_model *rm, uint32_t object)
{
    uint64_t pages = 0;

    for (uint32_t i = 0; i < rm->pages; i++)
        if (rm->page[i].counts && rm->zone[rm->page[i].zone].object == object)
            pages += rm->page[i].end - rm->page[i].first;
    return pages;
}

void rm_zero(struct remap_model *rm)
{
    for (uint32_t i = 0; i < rm->pages; i++)
        rm->page[i].counts = false;
}
