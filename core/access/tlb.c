/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tlb.c: see tlb.h.
 *
 * A page is found without knowing how large it is: by the number that the address has in pages of each size that has
 * come in so far.
 */
#include "tlb.h"

#include "core/host.h"
#include "ways.h"

#include <string.h>

enum { SIZE_BITS = 6, BITMAP = 64, FOUR = 4 };

/* ------------------------------------------------------------------------------------------ set-up */

void tn_tlb_clear(struct tn_tlb *tlb)
{
    memset(tlb->entry, 0, (1 + tlb->entries) * sizeof *tlb->entry);
    for (uint32_t i = 0; i < tlb->entries; i++)
        tlb->heap[i] = (struct tn_tlb_place){0, 1 + i};
    memset(tlb->of_way, 0, (tlb->lines + FOUR) * sizeof *tlb->of_way);
    memset(tlb->bucket, 0, sizeof tlb->bucket);
    if (tlb->second) {
        memset(tlb->second->page, 0, tlb->second->entries * sizeof *tlb->second->page);
        memset(tlb->second->stamp, 0, tlb->second->entries * sizeof *tlb->second->stamp);
    }
}

static void second_init(struct tn_tlb_second *second, const struct tn_tlb_geometry *geometry)
{
    second->entries = geometry->entries;
    second->assoc = geometry->assoc;
    second->sets = geometry->entries / geometry->assoc;
    second->page = tn_host_alloc(second->entries * sizeof *second->page);
    second->stamp = tn_host_alloc(second->entries * sizeof *second->stamp);
}

struct tn_tlb *tn_tlb_new(const struct tn_tlb_geometry *levels, const struct tn_tlb *other,
                          const struct tn_geometry *cache, bool *parked)
{
    struct tn_tlb *tlb = tn_host_alloc(sizeof *tlb);
    tlb->entries = levels[0].entries;
    tlb->assoc = levels[0].assoc;
    tlb->sets = tlb->entries / tlb->assoc;
    tlb->ways = cache->assoc;
    tlb->lines = (uint32_t)(cache->size / cache->line);
    tlb->entry = tn_host_alloc((1 + tlb->entries) * sizeof *tlb->entry);
    tlb->heap = tn_host_alloc(tlb->entries * sizeof *tlb->heap);
    tlb->of_way = tn_host_alloc((tlb->lines + FOUR) * sizeof *tlb->of_way);
    tlb->parked = parked;
    tlb->missed = tlb->walked = ~0ull;
    tlb->second = other ? other->second : NULL;
    if (levels[1].entries) {
        second_init(&tlb->own, &levels[1]);
        tlb->second = &tlb->own;
    }
    tn_tlb_clear(tlb);
    return tlb;
}

void tn_tlb_free(struct tn_tlb *tlb)
{
    if (!tlb)
        return;
    if (tlb->own.entries) {
        tn_host_free(tlb->own.page, tlb->own.entries * sizeof *tlb->own.page);
        tn_host_free(tlb->own.stamp, tlb->own.entries * sizeof *tlb->own.stamp);
    }
    tn_host_free(tlb->entry, (1 + tlb->entries) * sizeof *tlb->entry);
    tn_host_free(tlb->heap, tlb->entries * sizeof *tlb->heap);
    tn_host_free(tlb->of_way, (tlb->lines + FOUR) * sizeof *tlb->of_way);
    tn_host_free(tlb, sizeof *tlb);
}

/* ------------------------------------------------------------------------------------------ pages */

static inline tn_page_number page_of(uint64_t address, uint32_t bits)
{
    return address >> bits << SIZE_BITS | bits;
}

static inline uint32_t bits_of(tn_page_number page)
{
    return page & ((1u << SIZE_BITS) - 1);
}

static inline uint32_t set_of(tn_page_number page, uint32_t sets)
{
    uint64_t number = page >> SIZE_BITS;
    return (uint32_t)(sets & (sets - 1) ? number % sets : number & (sets - 1));
}

static inline uint16_t *bucket_of(struct tn_tlb *tlb, tn_page_number page)
{
    return &tlb->bucket[page >> SIZE_BITS & (TN_TLB_BUCKETS - 1)];
}

/* The entry of the address's page in the first level; 0: there is none. */
static inline uint32_t find_page(struct tn_tlb *tlb, uint64_t address)
{
    for (uint64_t sizes = tlb->sizes; sizes; sizes &= sizes - 1) {
        tn_page_number page = page_of(address, (uint32_t)__builtin_ctzll(sizes));
        uint32_t entry = *bucket_of(tlb, page);
        while (entry && tlb->entry[entry].page != page)
            entry = tlb->entry[entry].next;
        if (entry)
            return entry;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ the first level */

/* See those of four ways that hold lines of the entry's page; some may be of the next set. Returns the last stamp; 0:
 * there are none. With `park` the lines are parked. */
static inline uint64_t see_ways(struct tn_tlb *tlb, struct tn_way *ways, uint32_t first, uint32_t entry, bool park)
{
    const uint64_t ones = 0x0001000100010001, tops = ones << 15;
    uint64_t four, last = 0;
    __builtin_memcpy(&four, &tlb->of_way[first], sizeof four);
    four ^= ones * entry;
    /* The lowest lane that is 0 is found so, and perhaps some above it that are not. */
    for (uint64_t zero = (four - ones) & ~four & tops; zero; zero &= zero - 1) {
        uint32_t way = first + (uint32_t)__builtin_ctzll(zero) / 16;
        if (tlb->of_way[way] != entry)
            continue;
        last = ways[way].stamp > last ? ways[way].stamp : last;
        if (!park)
            continue;
        tlb->of_way[way] = 0;
        tn_park(ways, tlb->parked, way);
    }
    return last;
}

/* The same of all lines of the entry's page that are in the cache. */
static uint64_t see_lines(struct tn_tlb *tlb, struct tn_way *ways, uint32_t entry, bool park)
{
    uint64_t last = 0, held = 0;
    for (uint64_t sets = tlb->entry[entry].held; sets; sets &= sets - 1) {
        for (uint32_t at = (uint32_t)__builtin_ctzll(sets) * tlb->ways; at < tlb->lines; at += BITMAP * tlb->ways) {
            for (uint32_t way = at; way < at + tlb->ways; way += FOUR) {
                uint64_t stamp = see_ways(tlb, ways, way, entry, park);
                held |= stamp ? sets & -sets : 0;
                last = stamp > last ? stamp : last;
            }
        }
    }
    tlb->entry[entry].held = held;
    return last;
}

/* The entry on top of a heap of `size` has this stamp, and goes down to its place. */
static void sink(struct tn_tlb_place *heap, uint32_t size, uint64_t stamp)
{
    uint64_t entry = heap[0].entry;
    uint32_t at = 0;
    for (uint32_t below = 1; below < size; below = 2 * at + 1) {
        below += below + 1 < size && heap[below + 1].stamp < heap[below].stamp;
        if (heap[below].stamp >= stamp)
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = (struct tn_tlb_place){stamp, entry};
}

static void leave_bucket(struct tn_tlb *tlb, uint32_t entry)
{
    uint16_t *link = bucket_of(tlb, tlb->entry[entry].page);
    while (*link != entry)
        link = &tlb->entry[*link].next;
    *link = tlb->entry[entry].next;
}

/* Among the entries of a heap, that of the page used longest ago is on top, and its page leaves. */
static void make_room(struct tn_tlb *tlb, struct tn_way *ways, struct tn_tlb_place *heap)
{
    struct tn_tlb_entry *entry = &tlb->entry[heap->entry];
    for (; entry->page; entry = &tlb->entry[heap->entry]) {
        uint64_t last = entry->stamp > heap->stamp ? 0 : see_lines(tlb, ways, (uint32_t)heap->entry, false);
        entry->stamp = last > entry->stamp ? last : entry->stamp;
        if (entry->stamp == heap->stamp)
            break;
        sink(heap, tlb->assoc, entry->stamp);
    }
    if (!entry->page)
        return;
    if (entry->held)
        see_lines(tlb, ways, (uint32_t)heap->entry, true);
    leave_bucket(tlb, (uint32_t)heap->entry);
}

/* ------------------------------------------------------------------------------------------ the second level */

/* The page that the second level has at `address`, or gets now. *walks: it had none. */
static tn_page_number ask_second(const struct tn_tlb *tlb, const struct tn_config *config, uint64_t address,
                                 uint64_t stamp, bool *walks)
{
    struct tn_tlb_second *second = tlb->second;
    *walks = false;
    for (uint64_t sizes = second ? second->sizes : 0; sizes; sizes &= sizes - 1) {
        tn_page_number page = page_of(address, (uint32_t)__builtin_ctzll(sizes));
        uint32_t first = set_of(page, second->sets) * second->assoc;
        for (uint32_t i = first; i < first + second->assoc; i++) {
            if (second->page[i] == page) {
                second->stamp[i] = stamp;
                return page;
            }
        }
    }
    tn_page_number page =
        page_of(address, config->page_bits ? config->page_bits(config->user, address) : TN_PAGE_BITS);
    *walks = true;
    if (second) {
        uint32_t first = set_of(page, second->sets) * second->assoc, oldest = first;
        for (uint32_t i = first; i < first + second->assoc; i++)
            oldest = second->stamp[i] < second->stamp[oldest] ? i : oldest;
        second->sizes |= 1ull << bits_of(page);
        second->page[oldest] = page;
        second->stamp[oldest] = stamp;
    }
    return page;
}

/* ------------------------------------------------------------------------------------------ an access */

static __attribute__((noinline)) uint32_t bring_page(struct tn_tlb *tlb, const struct tn_config *config,
                                                     struct tn_way *ways, uint64_t address, uint64_t stamp,
                                                     uint32_t *counts)
{
    uint64_t access = stamp >> TN_STEP_BITS;
    bool walks;
    tn_page_number page = ask_second(tlb, config, address, stamp, &walks);
    struct tn_tlb_place *heap = &tlb->heap[set_of(page, tlb->sets) * tlb->assoc];
    make_room(tlb, ways, heap);
    uint32_t number = (uint32_t)heap->entry;
    uint16_t *bucket = bucket_of(tlb, page);
    tlb->entry[number] = (struct tn_tlb_entry){.page = page, .stamp = stamp, .next = *bucket};
    *bucket = (uint16_t)number;
    sink(heap, tlb->assoc, stamp);
    tlb->sizes |= 1ull << bits_of(page);
    *counts = (tlb->missed != access ? TN_TLB_MISS : 0) | (walks && tlb->walked != access ? TN_TLB_WALK : 0);
    tlb->missed = access;
    tlb->walked = walks ? access : tlb->walked;
    return number;
}

uint32_t tn_tlb_use(struct tn_tlb *tlb, const struct tn_config *config, struct tn_way *ways, uint64_t address,
                    uint64_t stamp, uint32_t way)
{
    uint32_t counts = 0, number = find_page(tlb, address);
    if (!number)
        number = bring_page(tlb, config, ways, address, stamp, &counts);
    struct tn_tlb_entry *entry = &tlb->entry[number];
    entry->stamp = stamp;
    if (way != TN_NO_WAY) {
        tlb->of_way[way] = (uint16_t)number;
        entry->held |= 1ull << (way / tlb->ways % BITMAP);
    }
    return counts;
}
