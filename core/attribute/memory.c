/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c: blocks that begin and end, regions; see memory.h.
 *
 * A change goes from page to page. A page that a block has whole needs no entries for its units; when another block
 * takes some of them, the others' are written out first.
 */
#include "memory.h"

#include "core/host.h"

#include <string.h>

enum { UNIT = 1 << TN_UNIT_BITS, PAGE = 1 << TN_PAGE_BITS, FIRST_REGIONS = 64 };
#define PIECE (1ull << TN_PIECE_BITS)
#define ADDRESSES (1ull << TN_ADDRESS_BITS)

void tn_memory_init(struct tn_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    memory->directories = tn_host_alloc(TN_DIRECTORIES * sizeof *memory->directories);
    tn_slots_init(&memory->units, TN_PAGE_UNITS * sizeof(uint64_t));
    tn_pool_init(&memory->pieces, TN_PIECE_PAGES * sizeof(struct tn_page));
    tn_pool_init(&memory->tables, TN_DIRECTORY_PIECES * sizeof(struct tn_page *));
    memory->region_room = FIRST_REGIONS;
    memory->regions = tn_host_alloc(memory->region_room * sizeof *memory->regions);
}

void tn_memory_free(struct tn_memory *memory)
{
    tn_host_free(memory->directories, TN_DIRECTORIES * sizeof *memory->directories);
    tn_slots_free(&memory->units);
    tn_pool_free(&memory->pieces);
    tn_pool_free(&memory->tables);
    tn_host_free(memory->regions, memory->region_room * sizeof *memory->regions);
}

size_t tn_memory_bytes(const struct tn_memory *memory)
{
    return tn_array_bytes(&memory->units.array) + memory->pieces.bytes + memory->tables.bytes +
           memory->region_room * sizeof *memory->regions;
}

/* ------------------------------------------------------------------------------------------ pages */

static struct tn_page *page_made(struct tn_memory *memory, uint64_t address)
{
    struct tn_page ***directory = &memory->directories[address >> TN_DIRECTORY_BITS];
    if (!*directory)
        __atomic_store_n(directory, tn_pool_get(&memory->tables), __ATOMIC_RELEASE);
    struct tn_page **piece = &(*directory)[address >> TN_PIECE_BITS & (TN_DIRECTORY_PIECES - 1)];
    if (!*piece)
        __atomic_store_n(piece, tn_pool_get(&memory->pieces), __ATOMIC_RELEASE);
    return &(*piece)[address >> TN_PAGE_BITS & (TN_PIECE_PAGES - 1)];
}

/* The entries of a page's units, made if the page has none or one entry for all. */
static uint64_t *units_made(struct tn_memory *memory, struct tn_page *page)
{
    if (page->units)
        return tn_slots_at(&memory->units, page->units);
    uint32_t id = tn_slots_get(&memory->units);
    uint64_t *units = tn_slots_at(&memory->units, id);
    for (uint32_t i = 0; page->whole && i < TN_PAGE_UNITS; i++)
        units[i] = page->whole + i;
    __atomic_store_n(&page->units, id, __ATOMIC_RELEASE);
    page->whole = 0;
    return units;
}

static void set_whole(struct tn_memory *memory, struct tn_page *page, uint64_t entry)
{
    uint32_t units = page->units;
    __atomic_store_n(&page->whole, entry, __ATOMIC_RELAXED);
    __atomic_store_n(&page->units, 0, __ATOMIC_RELEASE);
    if (units)
        tn_slots_put(&memory->units, units);
}

/* The page of `address` gets the entries of a block whose first unit `from` has `entry`, up to `end`; returns where the
 * next page begins. */
static uint64_t begin_in_page(struct tn_memory *memory, uint64_t entry, uint64_t from, uint64_t address, uint64_t end)
{
    struct tn_page *page = page_made(memory, address);
    uint64_t next = (address & -(uint64_t)PAGE) + PAGE, upto = end < next ? end : next;
    entry += (address - from) >> TN_UNIT_BITS;
    if (upto - address == PAGE) {
        set_whole(memory, page, entry);
        return next;
    }
    uint64_t *units = units_made(memory, page);
    uint32_t unit = address >> TN_UNIT_BITS & (TN_PAGE_UNITS - 1);
    for (uint64_t at = address; at < upto; at += UNIT)
        __atomic_store_n(&units[unit++], entry++, __ATOMIC_RELAXED);
    return next;
}

/* Whether the map may hold these addresses: they are valid, and there are not too many. */
static bool is_range(uint64_t address, uint64_t bytes)
{
    return bytes && bytes <= TN_LARGEST_BLOCK && address < ADDRESSES && bytes <= ADDRESSES - address;
}

void tn_memory_begin(struct tn_memory *memory, uint64_t entry, uint64_t address, uint64_t bytes)
{
    uint64_t from = address & -(uint64_t)UNIT, end = (address + bytes + UNIT - 1) & -(uint64_t)UNIT;
    if (!is_range(address, bytes))
        return;
    for (uint64_t at = from; at < end;)
        at = begin_in_page(memory, entry, from, at, end);
}

static bool is_blank(const struct tn_page *page)
{
    return !page || (!page->whole && !page->units);
}

void tn_memory_fill(struct tn_memory *memory, uint64_t entry, uint64_t address, uint64_t bytes)
{
    uint64_t from = (address + UNIT - 1) & -(uint64_t)UNIT, end = (address + bytes) & -(uint64_t)UNIT, next;
    if (!is_range(address, bytes))
        return;
    for (uint64_t at = from; at < end; at = next) {
        next = (at & -(uint64_t)PAGE) + PAGE;
        if (is_blank(tn_memory_page(memory, at))) {
            begin_in_page(memory, entry, from, at, end);
            continue;
        }
        struct tn_page *page = page_made(memory, at);
        uint64_t *units = units_made(memory, page);
        for (; at < next && at < end; at += UNIT) {
            uint64_t *unit = &units[at >> TN_UNIT_BITS & (TN_PAGE_UNITS - 1)];
            if (!*unit)
                __atomic_store_n(unit, entry + ((at - from) >> TN_UNIT_BITS), __ATOMIC_RELAXED);
        }
    }
}

/* The units of a page from `at` on lose the entries that a block goes on with; true if all did. */
static bool end_in_page(struct tn_memory *memory, struct tn_page *page, uint64_t entry, uint64_t at)
{
    uint32_t unit = at >> TN_UNIT_BITS & (TN_PAGE_UNITS - 1);
    if (!page->units && unit == 0 && page->whole == entry) {
        __atomic_store_n(&page->whole, 0, __ATOMIC_RELAXED);
        return true;
    }
    if (tn_page_entry(memory, page, at) != entry)
        return false;
    uint64_t *units = units_made(memory, page);
    for (; unit < TN_PAGE_UNITS && units[unit] == entry; entry++)
        __atomic_store_n(&units[unit++], 0, __ATOMIC_RELAXED);
    return unit == TN_PAGE_UNITS;
}

void tn_memory_end(struct tn_memory *memory, uint64_t address)
{
    uint64_t at = address & -(uint64_t)UNIT, next;
    struct tn_page *page = tn_memory_page(memory, at);
    uint64_t entry = page ? tn_page_entry(memory, page, at) : 0;
    if (!tn_entry_begins(entry))
        return;
    for (; page && end_in_page(memory, page, entry, at); page = tn_memory_page(memory, at)) {
        next = (at & -(uint64_t)PAGE) + PAGE;
        entry += (next - at) >> TN_UNIT_BITS;
        at = next;
    }
}

/* ------------------------------------------------------------------------------------------ forgetting */

static void forget_page(struct tn_memory *memory, struct tn_page *page, uint64_t address, tn_block_ended *ended,
                        void *user)
{
    for (uint32_t i = 0; page->units && i < TN_PAGE_UNITS; i++) {
        uint64_t entry = ((uint64_t *)tn_slots_at(&memory->units, page->units))[i];
        if (tn_entry_begins(entry))
            ended(user, entry, address + i * UNIT);
    }
    if (!page->units && tn_entry_begins(page->whole))
        ended(user, page->whole, address);
    set_whole(memory, page, 0);
    __atomic_store_n(&page->rest, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&page->touched, 0, __ATOMIC_RELAXED);
}

/* Where the next page is that may be known: that of `at`, or the beginning of a piece behind one without any. */
static uint64_t next_known(const struct tn_memory *memory, uint64_t at, uint64_t end)
{
    while (at < end && !tn_memory_page(memory, at)) {
        uint64_t step = memory->directories[at >> TN_DIRECTORY_BITS] ? PIECE : 1ull << TN_DIRECTORY_BITS;
        at = (at & -step) + step;
    }
    return at;
}

void tn_memory_forget(struct tn_memory *memory, uint64_t start, uint64_t end, tn_block_ended *ended, void *user)
{
    end = end > ADDRESSES ? ADDRESSES : end;
    start &= -(uint64_t)PAGE;
    for (uint64_t at = start; (at = next_known(memory, at, end)) < end; at += PAGE)
        forget_page(memory, tn_memory_page(memory, at), at & -(uint64_t)PAGE, ended, user);
}

/* ------------------------------------------------------------------------------------------ regions */

/* The number of regions that end at `address` or below. */
static uint32_t regions_below(const struct tn_memory *memory, uint64_t address)
{
    uint32_t low = 0, high = memory->region_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (memory->regions[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct tn_region *tn_region_at(const struct tn_memory *memory, uint64_t address)
{
    uint32_t i = regions_below(memory, address);
    return i < memory->region_count && memory->regions[i].start <= address ? &memory->regions[i] : NULL;
}

/* Make room for one more region at place `i`. */
static struct tn_region *insert_region(struct tn_memory *memory, uint32_t i)
{
    if (memory->region_count == memory->region_room) {
        size_t bytes = memory->region_room * sizeof *memory->regions;
        struct tn_region *regions = tn_host_alloc(2 * bytes);
        memcpy(regions, memory->regions, bytes);
        tn_host_free(memory->regions, bytes);
        memory->regions = regions;
        memory->region_room *= 2;
    }
    memmove(&memory->regions[i + 1], &memory->regions[i], (memory->region_count++ - i) * sizeof *memory->regions);
    return &memory->regions[i];
}

static void remove_regions(struct tn_memory *memory, uint32_t i, uint32_t count)
{
    if (!count)
        return;
    memory->region_count -= count;
    memmove(&memory->regions[i], &memory->regions[i + count], (memory->region_count - i) * sizeof *memory->regions);
}

/* Take [start, end) out of all regions. Returns where it would have to be put in. */
static uint32_t cut_regions(struct tn_memory *memory, uint64_t start, uint64_t end)
{
    uint32_t i = regions_below(memory, start), gone = i;
    if (i < memory->region_count && memory->regions[i].start < start) {
        struct tn_region *behind = insert_region(memory, i + 1);
        *behind = memory->regions[i];
        memory->regions[i++].end = start;
        behind->start = start;
    }
    for (gone = i; gone < memory->region_count && memory->regions[gone].end <= end; gone++)
        ;
    remove_regions(memory, i, gone - i);
    if (i < memory->region_count && memory->regions[i].start < end)
        memory->regions[i].start = end;
    return i;
}

/* A region comes to place `i`, where nothing has it; with its neighbours, if they are of the same object, it is one. */
static void join_region(struct tn_memory *memory, uint32_t i, struct tn_region region)
{
    struct tn_region *before = i ? &memory->regions[i - 1] : NULL;
    struct tn_region *behind = i < memory->region_count ? &memory->regions[i] : NULL;
    bool continues = before && before->end == region.start && before->object == region.object;
    bool goes_on = behind && behind->start == region.end && behind->object == region.object;
    if (continues) {
        before->end = goes_on ? behind->end : region.end;
        remove_regions(memory, i, goes_on);
    } else if (goes_on) {
        behind->start = region.start;
    } else {
        *insert_region(memory, i) = region;
    }
}

/* Forget what was copied from regions to the pages of [start, end). */
static void forget_shown(struct tn_memory *memory, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; (at = next_known(memory, at, end)) < end; at += PAGE)
        __atomic_store_n(&tn_memory_page(memory, at)->rest, 0, __ATOMIC_RELAXED);
}

void tn_region_set(struct tn_memory *memory, uint64_t start, uint64_t end, uint32_t object)
{
    start &= -(uint64_t)PAGE;
    end = (end + PAGE - 1) & -(uint64_t)PAGE;
    end = end > ADDRESSES ? ADDRESSES : end;
    if (start >= end)
        return;
    uint32_t i = cut_regions(memory, start, end);
    forget_shown(memory, start, end);
    if (object)
        join_region(memory, i, (struct tn_region){start, end, object});
}

void tn_region_add(struct tn_memory *memory, uint64_t start, uint64_t end, uint32_t object, uint64_t address)
{
    uint32_t i = regions_below(memory, address);
    struct tn_region *before = i ? &memory->regions[i - 1] : NULL;
    start &= -(uint64_t)PAGE;
    end = (end + PAGE - 1) & -(uint64_t)PAGE;
    if (before && start <= before->end)
        start = before->end;
    if (i < memory->region_count && end > memory->regions[i].start)
        end = memory->regions[i].start;
    if (start > address || end <= address)
        return;
    join_region(memory, i, (struct tn_region){start, end, object});
}

void tn_region_show(struct tn_memory *memory, const struct tn_region *region, uint64_t address)
{
    uint64_t piece = address & -PIECE, at = region->start > piece ? region->start : piece;
    uint64_t end = region->end < piece + PIECE ? region->end : piece + PIECE;
    for (; at < end; at += PAGE) {
        struct tn_page *page = page_made(memory, at);
        if (!page->rest)
            __atomic_store_n(&page->rest, region->object, __ATOMIC_RELAXED);
    }
}
