/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h: the map from addresses to data objects (docs/attribution.md, section 11).
 *
 * Every miss of every thread asks it, without a lock. One thread at a time changes it, behind the lock tn_core.memory.
 * Memory is divided as by a page table: pieces of 2 MB, pages of 4 kB, units of 16 bytes. The entry of a unit tells the
 * object of its block and the unit's distance from the begin of the block. So a block needs no record of its own: it
 * begins where the distance is 0, and goes on as long as the next unit has the entry that is expected there.
 *
 *   page.units   the entries of its units, if they differ; 0: none
 *   page.whole   the entry of its first unit, if one block has all of the page; then units is 0
 *   page.rest    the object of everything that is in no block; 0: not known yet
 *   page.touched an access has missed in it since it was mapped
 *
 * For addresses in no block there is a sorted list of regions; where that has nothing, the engine is asked. Its answer
 * is kept as a region, and copied to the pages of the region piece by piece as misses meet them. A static object
 * smaller than a unit, and the ends of a larger one, are looked up in the regions each time, since they end inside a
 * unit.
 *
 * A reader can meet half-changed entries only where the program itself races: one thread accesses memory that another
 * thread allocates or frees at the same time.
 */
#ifndef TENURE_CORE_MEMORY_H
#define TENURE_CORE_MEMORY_H

#include "core/base/arena.h"
#include "core/base/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TN_UNIT_BITS = 4,
    TN_PIECE_BITS = 21,
    TN_DIRECTORY_BITS = 30,
    TN_PAGE_UNITS = 1 << (TN_PAGE_BITS - TN_UNIT_BITS),
    TN_PIECE_PAGES = 1 << (TN_PIECE_BITS - TN_PAGE_BITS),
    TN_DIRECTORY_PIECES = 1 << (TN_DIRECTORY_BITS - TN_PIECE_BITS),
    TN_DIRECTORIES = 1 << (TN_ADDRESS_BITS - TN_DIRECTORY_BITS),
    TN_ENTRY_OBJECT_SHIFT = 40, /* above: the object's id; below: a number of the block's; from 0 on: the distance */
    TN_ENTRY_NUMBER_SHIFT = 32,
};

/* Larger blocks are not entered, since each page of them costs 16 bytes. */
#define TN_LARGEST_BLOCK (1ull << 36)

struct tn_page {
    uint64_t whole;
    uint32_t rest, units, touched;
};

struct tn_region {
    uint64_t start, end;
    uint32_t object;
};

struct tn_memory {
    struct tn_page ***directories; /* TN_DIRECTORIES, then TN_DIRECTORY_PIECES, then TN_PIECE_PAGES */
    struct tn_slots units;         /* TN_PAGE_UNITS entries each */
    struct tn_pool pieces;
    struct tn_pool tables; /* of TN_DIRECTORY_PIECES */
    struct tn_region *regions;
    uint32_t region_count, region_room;
};

void tn_memory_init(struct tn_memory *memory);
void tn_memory_free(struct tn_memory *memory);
size_t tn_memory_bytes(const struct tn_memory *memory);

static inline uint64_t tn_block_entry(uint32_t object, uint32_t number)
{
    return (uint64_t)object << TN_ENTRY_OBJECT_SHIFT | (uint64_t)(number & 0xff) << TN_ENTRY_NUMBER_SHIFT;
}

static inline uint32_t tn_entry_object(uint64_t entry)
{
    return (uint32_t)(entry >> TN_ENTRY_OBJECT_SHIFT);
}

static inline uint32_t tn_entry_number(uint64_t entry)
{
    return (uint32_t)(entry >> TN_ENTRY_NUMBER_SHIFT) & 0xff;
}

/* Whether it is the entry of a block's first unit. */
static inline bool tn_entry_begins(uint64_t entry)
{
    return entry && !(uint32_t)entry;
}

/* The page of an address; NULL: nothing is known there, or it is no address. */
static inline struct tn_page *tn_memory_page(const struct tn_memory *memory, uint64_t address)
{
    if (address >> TN_ADDRESS_BITS)
        return NULL;
    struct tn_page **table = __atomic_load_n(&memory->directories[address >> TN_DIRECTORY_BITS], __ATOMIC_ACQUIRE);
    if (!table)
        return NULL;
    struct tn_page *piece =
        __atomic_load_n(&table[address >> TN_PIECE_BITS & (TN_DIRECTORY_PIECES - 1)], __ATOMIC_ACQUIRE);
    return piece ? &piece[address >> TN_PAGE_BITS & (TN_PIECE_PAGES - 1)] : NULL;
}

/* The entry of an address; 0: it is in no block. */
static inline uint64_t tn_page_entry(const struct tn_memory *memory, const struct tn_page *page, uint64_t address)
{
    uint32_t unit = address >> TN_UNIT_BITS & (TN_PAGE_UNITS - 1);
    uint32_t units = __atomic_load_n(&page->units, __ATOMIC_ACQUIRE);
    uint64_t whole = __atomic_load_n(&page->whole, __ATOMIC_RELAXED);
    if (units)
        return __atomic_load_n((uint64_t *)tn_slots_at(&memory->units, units) + unit, __ATOMIC_RELAXED);
    return whole ? whole + unit : 0;
}

/* tn_page_entry for an address whose page is not known. */
static inline uint64_t tn_memory_entry(const struct tn_memory *memory, uint64_t address)
{
    const struct tn_page *page = tn_memory_page(memory, address);
    return page ? tn_page_entry(memory, page, address) : 0;
}

/* How many of the `most` units after that of `address`, which is in `page` and has this entry, belong to the same
 * block: all if the last one does, else those before the first one that does not. */
static inline uint32_t tn_memory_reach(const struct tn_memory *memory, const struct tn_page *page, uint64_t address,
                                       uint64_t entry, uint32_t most)
{
    uint32_t reach = 0;
    if (!__atomic_load_n(&page->units, __ATOMIC_ACQUIRE) &&
        (address >> TN_UNIT_BITS & (TN_PAGE_UNITS - 1)) + most < TN_PAGE_UNITS)
        return most; /* the block has the whole page */
    if (tn_memory_entry(memory, address + ((uint64_t)most << TN_UNIT_BITS)) == entry + most)
        return most;
    while (reach < most &&
           tn_memory_entry(memory, address + ((uint64_t)(reach + 1) << TN_UNIT_BITS)) == entry + reach + 1)
        reach++;
    return reach;
}

/* The object of an address; 0: not known. */
static inline uint32_t tn_memory_known(const struct tn_memory *memory, uint64_t address)
{
    const struct tn_page *page = tn_memory_page(memory, address);
    if (!page)
        return 0;
    uint64_t entry = tn_page_entry(memory, page, address);
    return entry ? tn_entry_object(entry) : __atomic_load_n(&page->rest, __ATOMIC_RELAXED);
}

/* From now on a block has [address, address + bytes). `entry` is that of its first unit. */
void tn_memory_begin(struct tn_memory *memory, uint64_t entry, uint64_t address, uint64_t bytes);
/* As tn_memory_begin, but for whole units only, and for none that has an entry already. */
void tn_memory_fill(struct tn_memory *memory, uint64_t entry, uint64_t address, uint64_t bytes);
/* The block whose first unit holds `address` ends. */
void tn_memory_end(struct tn_memory *memory, uint64_t address);

/* Forget everything about the pages of [start, end). `ended` is called for each block that begins there, with the entry
 * and the address of its first unit. */
typedef void tn_block_ended(void *user, uint64_t entry, uint64_t address);
void tn_memory_forget(struct tn_memory *memory, uint64_t start, uint64_t end, tn_block_ended *ended, void *user);

/* From now on memory of [start, end) that is in no block belongs to the object; 0: its object is not known. */
void tn_region_set(struct tn_memory *memory, uint64_t start, uint64_t end, uint32_t object);
/* As tn_region_set, for the part around `address` that is in no region yet. */
void tn_region_add(struct tn_memory *memory, uint64_t start, uint64_t end, uint32_t object, uint64_t address);
/* The region around an address; NULL: there is none. */
const struct tn_region *tn_region_at(const struct tn_memory *memory, uint64_t address);
/* Enter the region's object into those pages around the address that have no object for memory in no block. */
void tn_region_show(struct tn_memory *memory, const struct tn_region *region, uint64_t address);

#endif
