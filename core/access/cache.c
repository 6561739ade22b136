/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c: the slow paths of the level-1 caches; see cache.h.
 *
 * The engine's inlined test fails when the way table leads to another line (the line may still be in its set,
 * since the table is direct-mapped), or when the access straddles two lines. A straddling access touches the
 * lower line first. Its caller will add the whole access to the lower line's way afterwards; what belongs to
 * the upper line is taken back here beforehand, in modular arithmetic.
 *
 * Two instructions that walk two arrays whose lines share elements of the way table would call at every hit. The
 * table cannot be made to suit them all, but they need not use the same one: where an instruction's access is called
 * for lines that are there too often, it becomes another access that looks in another table of D1's.
 *
 * A non-temporal store whose line is not there loads none: the way table leads to the way that belongs to nobody.
 *
 * With pairs, who uses a line of D1 first behind its load is to be known. A line that is loaded is fresh: its way's
 * word equals no address, so that this one calls, and an entry tells the consumer. From then on hits are as always.
 * A line whose page has left its TLB, or that has left a further machine's cache, is parked, in the same way (tlb.h,
 * also_l1.h); and a line that a prefetcher has loaded into D1 is unasked until an access asks for it.
 */
#include "cache.h"

#include "coherence.h"
#include "core/attribute/remap.h"
#include "core/core.h"
#include "core/host.h"
#include "lru.h"
#include "payer.h"
#include "plru.h"
#include "queue.h"
#include "rrip.h"
#include "ways.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ the miss */

/* A line that an access wants. */
struct want {
    uint64_t line, stamp;
    uint64_t address; /* of the first byte wanted */
    uint32_t flags; /* TN_ENTRY_WRITE, _SECOND, _FETCH */
    uint8_t kind;   /* enum tn_kind; of a fetch TN_READ */
    uint32_t table; /* the way table that is to lead to it */
    uint32_t instr;
    struct tn_payer *payer;
};

/* Whether the way holds the line, which may have marks. */
static inline bool is_of(const struct tn_way *way, uint64_t line)
{
    return ((way->line ^ line) & ~(TN_FRESH | TN_PARKED | TN_UNASKED | TN_APART)) == 0;
}

/* The way of the set that begins with way number `first`; NULL if the line is in none. A tag that is equal may be that
 * of a line that has gone, or has the same low bits. */
static inline struct tn_way *way_of_line(const struct tn_l1 *l1, struct tn_way *set, uint32_t first, uint64_t line,
                                         uint64_t number)
{
    if (l1->assoc == 8) {
        uint32_t equal = tn_equal_tag(&l1->tags[first], 8, (uint32_t)number);
        if (equal == 8)
            return NULL;
        if (is_of(&set[equal], line))
            return &set[equal];
    }
    for (struct tn_way *way = set; way < set + l1->assoc; way++) {
        if (is_of(way, line))
            return way;
    }
    return NULL;
}

static inline uint64_t line_at(const struct tn_l1 *l1, uint64_t address)
{
    return address & ~(uint64_t)(l1->shape.line - 1);
}

/* The counters of a way, in an entry that is not in the ring yet. */
static struct tn_entry *queue_way(struct tn_thread *thread, struct tn_l1 *l1, const struct tn_way *way,
                                  uint32_t index, uint64_t now, uint32_t flags)
{
    struct tn_entry *entry = tn_ring_room(thread->ring);
    *entry = (struct tn_entry){.use = way->use,
                               .mask = way->mask,
                               .stamp = now,
                               .way = (uint16_t)index,
                               .flags = (uint8_t)(flags | (l1->stream == TN_FETCH ? TN_ENTRY_FETCH : 0))};
    return entry;
}

/* What was written to the way goes with the entry, and the way begins anew. */
static inline void queue_written(struct tn_thread *thread, const struct tn_l1_layout *layout, uint32_t way,
                                 struct tn_entry *entry)
{
    entry->written = 0;
    if (!layout->written)
        return;
    uint64_t *written = tn_written_of(thread, layout, way);
    entry->written = *written;
    *written = 0;
}

TN_ALWAYS_INLINE void queue_miss(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                 const struct tn_way *victim, uint32_t way, const struct want *want,
                                 struct tn_late *payer, const struct tn_held *held)
{
    struct tn_entry *entry = tn_ring_room(thread->ring);
    struct tn_node *node = thread->collecting ? thread->running.node : NULL;
    entry->address = want->address;
    entry->use = victim->use;
    entry->mask = victim->mask;
    entry->stamp = want->stamp;
    entry->way = (uint16_t)way;
    entry->flags = (uint8_t)want->flags;
    entry->unit = held->unit;
    entry->reach = (uint8_t)held->reach;
    if (thread->ring->used)
        thread->ring->used[thread->ring->queued & thread->ring->mask] = victim->stamp;
    if (thread->ring->instr)
        thread->ring->instr[thread->ring->queued & thread->ring->mask] =
            want->flags & TN_ENTRY_FETCH ? 0 : tn_code_get_instr(&thread->core->code, want->instr)->address;
    entry->late = payer;
    entry->node = node;
    if (node)
        node->sent++;
    queue_written(thread, layout, way, entry);
}

/* A line that is in the cache, or comes there, or goes past it, misses what is told of uses: an entry tells the
 * consumer. counts: TN_TLB_*; machines: a bit for each further machine whose level 1 has not had the line. */
static void queue_told(struct tn_thread *thread, struct tn_l1 *l1, const struct want *want, uint32_t counts,
                       uint64_t machines)
{
    struct tn_held held = {0};
    struct tn_late *payer = payer_now(thread, l1->stream, want->instr, want->payer, want->address, &held);
    struct tn_node *node = payer ? thread->running.node : NULL;
    if (!payer && !machines)
        return;
    if (thread->ring->machines)
        thread->ring->machines[thread->ring->queued & thread->ring->mask] = machines;
    *tn_ring_room(thread->ring) = (struct tn_entry){.address = want->address,
                                                    .stamp = want->stamp,
                                                    .use = counts,
                                                    .node = node,
                                                    .late = payer,
                                                    .flags = (uint8_t)(want->flags | TN_ENTRY_TOLD)};
    if (node)
        node->sent++;
    tn_ring_add(thread, thread->ring);
}

/* The page of the wanted line is asked for. `way`: where the line is, or comes, or TN_NO_WAY. */
static __attribute__((noinline)) void use_page(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                               struct tn_l1 *l1, const struct want *want, uint32_t way)
{
    uint32_t counts =
        tn_tlb_use(l1->tlb, &thread->core->config, tn_ways_of(thread, layout), want->line, want->stamp, way);
    if (counts)
        queue_told(thread, l1, want, counts, 0);
}

/* A line comes into the way number `index`: all that are told of uses are told. */
static __attribute__((noinline)) void tell_of_load(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                                   struct tn_l1 *l1, const struct want *want, uint32_t index)
{
    struct tn_way *ways = tn_ways_of(thread, layout);
    struct tn_ring *ring = thread->ring;
    uint64_t missed = l1->as_recorded;
    l1->parked[index] = false;
    if (l1->tlb) {
        tn_tlb_leave(l1->tlb, &ways[index], index);
        use_page(thread, layout, l1, want, index);
    }
    if (!ring->machines)
        return;
    for (uint32_t i = 0; i < thread->core->config.also_count; i++) {
        if (l1->other[i] && tn_also_l1_load(l1->other[i], ways, want->line, want->stamp, index))
            missed |= 1ull << i;
    }
    ring->machines[ring->queued & ring->mask] = missed;
}

/* A line that was parked is used: all that are told of uses are told. */
static __attribute__((noinline)) void tell_of_use(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                                  struct tn_l1 *l1, const struct want *want, uint32_t index)
{
    struct tn_way *ways = tn_ways_of(thread, layout);
    uint64_t missed = 0;
    ways[index].line ^= TN_PARKED;
    l1->parked[index] = false;
    if (l1->tlb)
        use_page(thread, layout, l1, want, index);
    for (uint32_t i = 0; i < thread->core->config.also_count; i++) {
        if (l1->other[i] && tn_also_l1_use(l1->other[i], ways, want->line, want->stamp, index))
            missed |= 1ull << i;
    }
    if (missed)
        queue_told(thread, l1, want, 0, missed);
}

/* The line comes into the way number `index`, in place of what is there. Returns the way. */
TN_ALWAYS_INLINE struct tn_way *load_into(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                          struct tn_l1 *l1, const struct want *want, uint64_t number,
                                          uint32_t index, struct tn_late *payer, const struct tn_held *held)
{
    struct tn_way *way = &tn_ways_of(thread, layout)[index];
    queue_miss(thread, layout, way, index, want, payer, held);
    way->line = want->line | l1->fresh;
    way->use = 0;
    way->mask = 0;
    way->stamp = want->stamp;
    l1->tags[index] = (uint32_t)number;
    tn_lead_to(thread, layout, want->table, number, index);
    return way;
}

/* The line comes into the way, but counts nowhere below: if what leaves does, that ends. */
static __attribute__((noinline)) void load_uncounted(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                                     struct tn_l1 *l1, const struct want *want, uint32_t index)
{
    struct tn_way *way = &tn_ways_of(thread, layout)[index];
    if (way->line != TN_NO_LINE && tn_sample_counts(&thread->core->sample, way->line)) {
        uint32_t flags = TN_ENTRY_FLUSH | (want->flags & TN_ENTRY_SECOND);
        queue_written(thread, layout, index, queue_way(thread, l1, way, index, want->stamp, flags));
        tn_ring_add(thread, thread->ring);
    } else if (layout->written) {
        *tn_written_of(thread, layout, index) = 0;
    }
    *way = (struct tn_way){.line = want->line, .stamp = want->stamp};
}

/* The line is in none of the ways of its set: it comes into the way number `index`. Returns that way. */
TN_ALWAYS_INLINE struct tn_way *load_line(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                          struct tn_l1 *l1, const struct want *want, uint64_t number, uint32_t index)
{
    struct tn_held held = {0};
    if (thread->core->sample.part_mask && !tn_sample_counts(&thread->core->sample, want->line)) {
        load_uncounted(thread, layout, l1, want, index);
        l1->tags[index] = (uint32_t)number;
        tn_lead_to(thread, layout, want->table, number, index);
        return &tn_ways_of(thread, layout)[index];
    }
    if (l1->parked)
        tell_of_load(thread, layout, l1, want, index);
    struct tn_late *payer = payer_now(thread, l1->stream, want->instr, want->payer, want->address, &held);
    struct tn_way *way = load_into(thread, layout, l1, want, number, index, payer, &held);
    tn_ring_add(thread, thread->ring);
    return way;
}

/* The way into which a line comes, of the set that begins with way number `first`. */
static inline uint32_t way_for(const struct tn_l1 *l1, const struct tn_way *ways, uint32_t first, uint64_t stamp)
{
    const uint32_t step = sizeof *ways / sizeof ways->stamp;
    if (l1->policy == TN_PLRU)
        return first + tn_plru_victim_by_stamp(&ways[first].stamp, step, l1->assoc);
    if (l1->policy == TN_RRIP)
        return first + tn_rrip_load_by_stamp(&ways[first].stamp, step, &l1->predictions[first], l1->assoc, stamp);
    return first + tn_lru_victim_by_stamp(&ways[first], l1->assoc);
}

static __attribute__((noinline)) struct tn_way *load_any(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                                         struct tn_l1 *l1, const struct want *want, uint64_t number,
                                                         uint32_t first)
{
    return load_line(thread, layout, l1, want, number, way_for(l1, tn_ways_of(thread, layout), first, want->stamp));
}

enum brought { FOUND, FOUND_MARKED, MISSED, PASSED };

/* The line is not there, nor wanted: the way that belongs to nobody takes the additions. */
static inline struct tn_way *pass_line(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                       struct tn_l1 *l1, const struct want *want)
{
    if (l1->tlb)
        use_page(thread, layout, l1, want, TN_NO_WAY);
    if (thread->core->data && thread->collecting && tn_sample_counts(&thread->core->sample, want->line))
        /* so that a new page is counted */
        tn_data_at(thread->core, thread->core->data, want->address, l1->shape.line);
    tn_lead_to(thread, layout, want->table, want->line >> l1->shape.line_bits, l1->lines);
    return &tn_ways_of(thread, layout)[l1->lines];
}

/* A line is used for the first time since it was loaded: an entry tells the consumer. */
static __attribute__((noinline)) void use_fresh_line(struct tn_thread *thread, struct tn_l1 *l1,
                                                     const struct want *want, struct tn_way *way)
{
    const struct tn_l1_layout *layout = &thread->core->layout.d1;
    uint32_t index = (uint32_t)(way - tn_ways_of(thread, layout));
    struct tn_held held = {0};
    struct tn_late *payer = payer_now(thread, l1->stream, want->instr, want->payer, want->address, &held);
    if (layout->exclusive && *tn_exclusive_of(thread, layout, index) == way->line)
        *tn_exclusive_of(thread, layout, index) = want->line;
    way->line = want->line;
    if (!payer)
        return;
    *tn_ring_room(thread->ring) = (struct tn_entry){.address = want->address,
                                                    .stamp = want->stamp,
                                                    .late = payer,
                                                    .way = (uint16_t)index,
                                                    .flags = TN_ENTRY_REUSE};
    tn_ring_add(thread, thread->ring);
}

/* The mark of a line that has bytes which are simulated elsewhere is put there, or taken away. */
static void turn_apart(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_way *way)
{
    uint32_t index = (uint32_t)(way - tn_ways_of(thread, layout));
    if (layout->exclusive && *tn_exclusive_of(thread, layout, index) == way->line)
        *tn_exclusive_of(thread, layout, index) ^= TN_APART;
    way->line ^= TN_APART;
}

/* The line was found in the way: it is used there, and the way table leads to it from now on. */
static inline enum brought use_found_line(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1,
                                          const struct want *want, uint64_t number, struct tn_way *way)
{
    uint32_t index = (uint32_t)(way - tn_ways_of(thread, layout));
    bool marked = way->line != want->line;
    if ((way->line ^ want->line) & TN_APART) /* they are no longer */
        turn_apart(thread, layout, way);
    if ((way->line ^ want->line) & TN_PARKED)
        tell_of_use(thread, layout, l1, want, index);
    if ((way->line ^ want->line) & TN_UNASKED) {
        way->line ^= TN_UNASKED;
        queue_way(thread, l1, &(struct tn_way){0}, index, want->stamp, TN_ENTRY_ASKED);
        tn_ring_add(thread, thread->ring);
    }
    if (way->line != want->line)
        use_fresh_line(thread, l1, want, way);
    way->stamp = want->stamp;
    tn_lead_to(thread, layout, want->table, number, index);
    return marked ? FOUND_MARKED : FOUND;
}

/* Make sure the line is in the cache and the way table leads to it. */
static inline enum brought bring_line(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1,
                                      const struct want *want, struct tn_way **found)
{
    struct tn_way *ways = tn_ways_of(thread, layout);
    uint64_t number = want->line >> l1->shape.line_bits;
    uint32_t first = (uint32_t)tn_set_of(number, l1->sets, l1->set_mask) * l1->assoc;
    struct tn_way *way = way_of_line(l1, &ways[first], first, want->line, number);
    if (!way && want->kind == TN_WRITE_PAST) {
        *found = pass_line(thread, layout, l1, want);
        return PASSED;
    }
    *found = way ? way : load_any(thread, layout, l1, want, number, first);
    return way ? use_found_line(thread, layout, l1, want, number, way) : MISSED;
}

/* ------------------------------------------------------------------------------------------ prefetching into D1 */

/* The way of D1 that holds the line; NULL: none. *first: the first way of its set. */
static struct tn_way *find_line(struct tn_thread *thread, const struct tn_l1 *l1, uint64_t line, uint32_t *first)
{
    uint64_t number = line >> l1->shape.line_bits;
    *first = (uint32_t)tn_set_of(number, l1->sets, l1->set_mask) * l1->assoc;
    return way_of_line(l1, &tn_ways_of(thread, &thread->core->layout.d1)[*first], *first, line, number);
}

/* The first line of an access that is not in D1, or that no access has asked for yet: *want becomes it. */
static bool first_to_see(struct tn_thread *thread, const struct tn_l1 *l1, struct want *want, uint64_t end)
{
    uint32_t first;
    for (; want->line < end; want->address = want->line += l1->shape.line) {
        const struct tn_way *way = find_line(thread, l1, want->line, &first);
        if (!way || (way->line ^ want->line) & TN_UNASKED)
            return true;
    }
    return false;
}

/* Load the line at `want`, if it is not there, for the access to `seen`. It is as if it were used last at `used`. */
static void load_ahead(struct tn_thread *thread, struct tn_l1 *l1, const struct want *want, uint64_t seen,
                       uint64_t used)
{
    const struct tn_l1_layout *layout = &thread->core->layout.d1;
    struct tn_way *ways = tn_ways_of(thread, layout);
    struct tn_held held = {0}, nowhere = {0};
    uint32_t first;
    if (find_line(thread, l1, want->line, &first))
        return;
    uint32_t index = way_for(l1, ways, first, used);
    if (l1->tlb)
        tn_tlb_leave(l1->tlb, &ways[index], index);
    struct tn_late *payer = payer_now(thread, TN_DATA, want->instr, want->payer, seen, &held);
    struct tn_way *way =
        load_into(thread, layout, l1, want, want->line >> l1->shape.line_bits, index, payer, &nowhere);
    way->line ^= TN_UNASKED | (l1->tlb ? TN_PARKED : 0);
    if (l1->tlb)
        l1->parked[index] = true;
    way->stamp = used;
    tn_ring_add(thread, thread->ring);
}

/* An access begins whose bytes go up to `end`. What D1's prefetchers load comes before its lines, each with a stamp
 * that no line of an access has. */
static __attribute__((noinline)) void look_ahead(struct tn_thread *thread, struct tn_l1 *l1, struct want want,
                                                 uint64_t end)
{
    const bool *is_there = thread->core->config.prefetch + TN_PREFETCH_D1;
    if (want.kind == TN_WRITE_PAST || !first_to_see(thread, l1, &want, end))
        return;
    uint64_t seen = want.address, instr = tn_code_get_instr(&thread->core->code, want.instr)->address;
    want.flags = TN_ENTRY_AHEAD;
    for (enum tn_prefetching which = 0; which < TN_PREFETCH_D1; which++) {
        if (!is_there[which])
            continue;
        int64_t blocks = tn_prefetcher_see(l1->own_prefetcher, which, seen, l1->shape.line_bits, instr);
        want.address = want.line = line_at(l1, seen) + (uint64_t)blocks * l1->shape.line;
        if (blocks && want.line >> TN_PAGE_BITS == seen >> TN_PAGE_BITS)
            load_ahead(thread, l1, &want, seen, want.stamp - TN_PREFETCH_D1 + which);
    }
}

/* ------------------------------------------------------------------------------------------ coherence */

/* What an access has missed so far because of other threads' writes. */
struct met {
    uint64_t end;                    /* behind the access's last byte */
    struct tn_coherent_access first; /* the first line that missed and had been invalidated */
    uint32_t way;                    /* where it is now */
    bool again, otherwise;           /* there is one; a line missed that had not been */
    bool upgraded;
};

/* The access has not missed anything yet. Other members are not read before they are written; they are many. */
static inline void nothing_met(struct met *met, uint64_t end)
{
    met->end = end;
    met->again = met->otherwise = met->upgraded = false;
}

/* Load the line, of which its set may have an invalid copy. */
static struct tn_way *load_coherent(struct tn_thread *thread, struct tn_l1 *l1, const struct want *want,
                                    const struct tn_coherent_access *access, const struct tn_held *held,
                                    struct met *met)
{
    const struct tn_l1_layout *layout = &thread->core->layout.d1;
    bool alone;
    uint32_t invalid = tn_coherent_miss(access, &alone), way = invalid;
    if (invalid == TN_NO_WAY)
        way = way_for(l1, tn_ways_of(thread, layout), access->first, want->stamp);
    else if (!met->again && !met->otherwise)
        *met = (struct met){.first = *access, .way = way, .again = true, .upgraded = met->upgraded};
    met->otherwise |= invalid == TN_NO_WAY;
    *tn_written_of(thread, layout, way) |= tn_coherent_evict(thread, way);
    struct tn_way *found =
        load_into(thread, layout, l1, want, want->line >> l1->shape.line_bits, way, access->late, held);
    tn_ring_add(thread, thread->ring);
    *tn_exclusive_of(thread, layout, way) = access->writes || alone ? found->line : TN_NO_LINE;
    return found;
}

/* The granules of bytes [from, to) of a line. */
static uint64_t granules_between(uint32_t from, uint32_t to, uint32_t granule_bits)
{
    uint32_t first = from >> granule_bits, last = (to - 1) >> granule_bits;
    return (~0ull >> (63 - (last - first))) << first;
}

/* Past this cache, but not past the copies that others have. */
static struct tn_way *pass_coherent(struct tn_thread *thread, struct tn_l1 *l1, const struct want *want,
                                    const struct tn_coherent_access *access, uint64_t end)
{
    const struct tn_shape *shape = &l1->shape;
    end -= want->line;
    tn_coherent_pass(access, granules_between((uint32_t)(want->address - want->line),
                                              end < shape->line ? (uint32_t)end : shape->line, shape->granule_bits));
    return pass_line(thread, &thread->core->layout.d1, l1, want);
}

/* As bring_line, and keep the caches of other threads coherent. */
static enum brought bring_coherent(struct tn_thread *thread, struct tn_l1 *l1, const struct want *want,
                                   struct met *met, struct tn_way **found)
{
    const struct tn_l1_layout *layout = &thread->core->layout.d1;
    struct tn_way *ways = tn_ways_of(thread, layout);
    uint64_t number = want->line >> l1->shape.line_bits;
    uint32_t first = (uint32_t)tn_set_of(number, l1->sets, l1->set_mask) * l1->assoc;
    struct tn_way *way = way_of_line(l1, &ways[first], first, want->line, number);
    struct tn_coherent_access access = {.thread = thread,
                                        .line = want->line,
                                        .stamp = want->stamp,
                                        .address = want->address,
                                        .first = first,
                                        .instr = want->instr,
                                        .writes = want->kind != TN_READ};
    struct tn_held held = {0};
    enum brought brought = way ? use_found_line(thread, layout, l1, want, number, way) : MISSED;
    bool shared = way && *tn_exclusive_of(thread, layout, (uint32_t)(way - ways)) != want->line;
    if (!way || (shared && access.writes))
        access.late = payer_now(thread, l1->stream, want->instr, want->payer, want->address, &held);
    if (!way && want->kind == TN_WRITE_PAST) {
        *found = pass_coherent(thread, l1, want, &access, met->end);
        return PASSED;
    }
    *found = way ? way : load_coherent(thread, l1, want, &access, &held, met);
    if (shared && access.writes) {
        tn_coherent_upgrade(&access);
        *tn_exclusive_of(thread, layout, (uint32_t)(way - ways)) = want->line;
        met->upgraded = true;
    }
    return brought;
}

/* The one of the two that suits the cache. */
static inline enum brought bring_data(struct tn_thread *thread, const struct want *want, struct met *met,
                                      struct tn_way **found)
{
    if (thread->d1->coherent)
        return bring_coherent(thread, thread->d1, want, met, found);
    return bring_line(thread, &thread->core->layout.d1, thread->d1, want, found);
}

/* The access is over. If it missed because of other threads' writes, count this for them. */
static void settle_coherent(const struct met *met, uint8_t kind)
{
    if (met->again && !met->otherwise)
        tn_coherent_came_again(&met->first, met->way, kind == TN_WRITE);
}

/* ------------------------------------------------------------------------------------------ data */

static inline struct want wanted_data(const struct tn_thread *thread, uint64_t line, uint64_t address,
                                      struct tn_access_entry *entry)
{
    const struct tn_access_info *access = &entry->info;
    return (struct want){.line = line,
                         .stamp = thread->clock - access->back,
                         .address = address,
                         .flags = access->kind & TN_WRITE ? TN_ENTRY_WRITE : 0,
                         .kind = access->kind,
                         .table = entry->table,
                         .instr = access->instr,
                         .payer = &entry->payer};
}

/* The way that an access's table leads to from a line. */
static inline struct tn_way *way_led_to(struct tn_thread *thread, uint32_t table, uint64_t line)
{
    const struct tn_l1_layout *layout = &thread->core->layout.d1;
    const uint16_t *elements = (const uint16_t *)((const char *)thread + table);
    uint64_t number = line >> layout->line_bits;
    return (struct tn_way *)((char *)thread + layout->origin + 8 * (uint64_t)elements[number & layout->table_mask]);
}

static inline void touch_part(struct tn_way *way, uint64_t stamp, uint32_t from, uint32_t to, uint32_t granule_bits)
{
    way->use += tn_use_of(1, to - from);
    way->mask |= granules_between(from, to, granule_bits);
    way->stamp = stamp;
}

/* An access to one or two lines that are where its table leads to, which is what most find: its additions are all
 * that there is to do. Returns the way of the first line, or NULL: nothing was done. */
static inline struct tn_way *touch_lines_led_to(struct tn_thread *thread, uint64_t address,
                                                const struct tn_access_entry *entry)
{
    const struct tn_shape *shape = &thread->d1->shape;
    uint64_t line = address & ~(uint64_t)(shape->line - 1), stamp = thread->clock - entry->info.back;
    uint32_t from = (uint32_t)(address - line), to = from + entry->info.size;
    struct tn_way *way = way_led_to(thread, entry->table, line), *next;
    if (way->line != line || to > 2 * shape->line || thread->core->layout.d1.written)
        return NULL;
    if (to > shape->line) {
        next = way_led_to(thread, entry->table, line + shape->line);
        if (next->line != line + shape->line)
            return NULL;
        touch_part(next, stamp + 1, 0, to - shape->line, shape->granule_bits);
        to = shape->line;
    }
    touch_part(way, stamp, from, to, shape->granule_bits);
    return way;
}

/* Bytes that lie one behind the other, all of an access or a span of it, line by line, additions included. *want goes
 * on behind them. Returns the way of the first line, NULL if it is not simulated. */
static struct tn_way *touch_span(struct tn_thread *thread, struct want *want, struct met *met, uint64_t address,
                                 uint32_t size)
{
    const struct tn_l1_layout *layout = &thread->core->layout.d1;
    struct tn_l1 *l1 = thread->d1;
    uint64_t first = line_at(l1, address), end = address + size;
    uint64_t behind = line_at(l1, end - 1) + l1->shape.line; /* may wrap: it will fault */
    struct tn_way *way = NULL, *first_way = NULL;
    want->line = first;
    want->address = address;
    met->end = end;
    if (l1->own_prefetcher)
        look_ahead(thread, l1, *want, end);
    for (; want->line != behind; want->line += l1->shape.line, want->stamp++, want->address = want->line) {
        uint32_t from = want->line == first ? (uint32_t)(address - first) : 0;
        uint32_t to = end - want->line < l1->shape.line ? (uint32_t)(end - want->line) : l1->shape.line;
        if (!tn_is_sampled(&thread->core->layout, want->line))
            continue;
        if (bring_data(thread, want, met, &way) == MISSED)
            want->flags |= TN_ENTRY_SECOND;
        way->use += tn_use_of(1, to - from);
        way->mask |= granules_between(from, to, l1->shape.granule_bits);
        if (layout->written && want->kind != TN_READ)
            *tn_written_of(thread, layout, (uint32_t)(way - tn_ways_of(thread, layout))) |=
                granules_between(from, to, l1->shape.granule_bits);
        if (!first_way)
            first_way = way;
    }
    return first_way;
}

/* One access; returns the way of the first line, NULL if it is not simulated, or a later line of the access has thrown
 * it out. */
static struct tn_way *touch_lines(struct tn_thread *thread, uint64_t address, struct tn_access_entry *entry)
{
    struct tn_way *way = touch_lines_led_to(thread, address, entry);
    if (way)
        return way;
    uint64_t first = line_at(thread->d1, address);
    struct want want = wanted_data(thread, first, address, entry);
    struct met met;
    nothing_met(&met, address + entry->info.size);
    way = touch_span(thread, &want, &met, address, entry->info.size);
    settle_coherent(&met, entry->info.kind);
    return way && is_of(way, first) ? way : NULL;
}

/* ------------------------------------------------------------------------------------------ elsewhere */

/* The line's way, if there is one, is marked as one with bytes that are simulated elsewhere, or that is taken away. */
static void mark_apart(struct tn_thread *thread, uint64_t line, bool apart)
{
    uint32_t first;
    struct tn_way *way = find_line(thread, thread->d1, line, &first);
    if (way && (((way->line ^ line) & TN_APART) != 0) != apart)
        turn_apart(thread, &thread->core->layout.d1, way);
}

void tn_l1_set_apart(struct tn_thread *thread, uint64_t start, uint64_t end)
{
    const struct tn_l1 *l1 = thread->d1;
    const struct tn_way *ways = tn_ways_of(thread, &thread->core->layout.d1);
    uint64_t first = line_at(l1, start), marks = TN_FRESH | TN_PARKED | TN_UNASKED | TN_APART;
    if ((end - first) >> l1->shape.line_bits < l1->lines) {
        for (uint64_t line = first; line < end; line += l1->shape.line)
            mark_apart(thread, line, true);
        return;
    }
    for (uint32_t i = 0; i < l1->lines; i++) {
        uint64_t line = ways[i].line & ~marks;
        if (ways[i].line != TN_NO_LINE && line - first < end - first)
            mark_apart(thread, line, true);
    }
}

/* Before a span that is where it is touches its lines, and afterwards. */
static void mark_span(struct tn_thread *thread, const struct tn_span *span, bool touched)
{
    uint32_t bytes = thread->d1->shape.line;
    for (uint64_t line = line_at(thread->d1, span->address); line < span->address + span->size; line += bytes)
        mark_apart(thread, line, touched && tn_remap_concerns(thread->core, line, line + bytes));
}

/* An access, additions included, if any byte of its lines is simulated elsewhere; false: none is. What the hot path
 * will add afterwards is for the way that belongs to nobody. */
static bool touch_elsewhere(struct tn_thread *thread, uint64_t address, struct tn_access_entry *entry)
{
    tn_core *core = thread->core;
    const struct tn_l1 *l1 = thread->d1;
    uint8_t kind = entry->info.kind;
    uint64_t first = line_at(l1, address), end = address + entry->info.size;
    if (!core->data || !core->data->remapping || end < address ||
        !tn_remap_concerns(core, first, line_at(l1, end - 1) + l1->shape.line))
        return false;
    uint32_t spans = tn_remap_spans(core, address, entry->info.size, kind == TN_WRITE || kind == TN_WRITE_PAST,
                                    entry->info.instr);
    struct want want = wanted_data(thread, first, address, entry);
    struct met met;
    nothing_met(&met, end);
    for (uint32_t i = 0; i < spans; i++) {
        const struct tn_span *span = &core->data->remapping->span[i];
        if ((want.stamp & (TN_STEP - 1)) + (span->size >> l1->shape.line_bits) + 2 + TN_PREFETCH_D1 >= TN_STEP)
            break; /* the access has no more stamps */
        if (!span->moved)
            mark_span(thread, span, false);
        touch_span(thread, &want, &met, span->address, span->size);
        if (!span->moved)
            mark_span(thread, span, true);
        want.stamp += l1->own_prefetcher ? TN_PREFETCH_D1 : 0; /* those have stamps in front of the next span's */
    }
    settle_coherent(&met, kind);
    tn_lead_to(thread, &core->layout.d1, entry->table, first >> l1->shape.line_bits, l1->lines);
    return true;
}

/* ------------------------------------------------------------------------------------------ slow accesses */

/* The access goes on in the next table. Nobody else moves until the engine knows, and then all count anew: of two that
 * met, one is to move. Each move of an access takes twice as many aliases as the one before. */
static __attribute__((noinline)) void move_access(tn_core *core, uint32_t id, const struct tn_access_entry *entry)
{
    const struct tn_l1_layout *layout = &core->layout.d1;
    uint32_t number = (entry->table - layout->table) / tn_way_table_bytes(layout);
    tn_lock_take(&core->definitions);
    if (!core->moved && !entry->now) {
        tn_code_access_move(&core->code, id,
                            layout->table + (number + 1) % layout->tables * tn_way_table_bytes(layout));
        core->moves++;
        core->moved = tn_code_get_instr(&core->code, entry->info.instr)->address;
    }
    tn_lock_give(&core->definitions);
}

/* The line was there, but the way table led to another one. */
static inline void count_alias(tn_core *core, uint32_t id, struct tn_access_entry *entry)
{
    if (entry->aliases_in != core->moves) {
        entry->aliases_in = core->moves;
        entry->aliases = 0;
    }
    if (++entry->aliases >> entry->moves >= core->config.alias_limit && !core->moved && !entry->now)
        move_access(core, id, entry);
}

/* An access that straddles lines. All of its lines are touched here; what the hot path will add to the first way
 * afterwards is taken back beforehand. */
static __attribute__((noinline)) void slow_straddling(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    struct tn_access_entry *entry = tn_code_get_access(&thread->core->code, id);
    const struct tn_l1 *l1 = thread->d1;
    struct tn_way *way = touch_lines(thread, address, entry);
    if (way)
        way->use -= tn_use_of(1, entry->info.size);
    else /* the way that belongs to nobody takes the additions */
        tn_lead_to(thread, &thread->core->layout.d1, entry->table, address >> l1->shape.line_bits, l1->lines);
}

/* An access to one line, in a cache of any geometry, which may be kept coherent, and prefetched into. */
static __attribute__((noinline)) void slow_data(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    tn_core *core = thread->core;
    struct tn_access_entry *entry = tn_code_get_access(&core->code, id);
    struct want want = wanted_data(thread, line_at(thread->d1, address), address, entry);
    struct met met;
    struct tn_way *way;
    nothing_met(&met, address + entry->info.size);
    if (thread->d1->own_prefetcher)
        look_ahead(thread, thread->d1, want, met.end);
    if (bring_data(thread, &want, &met, &way) == FOUND && !met.upgraded)
        count_alias(core, id, entry);
    settle_coherent(&met, entry->info.kind);
}

/* An access to one line in a cache of the usual kind (tn_l1.usual_ways). */
TN_ALWAYS_INLINE void slow_data_in(struct tn_thread *thread, uint64_t address, uint32_t id, uint32_t assoc)
{
    tn_core *core = thread->core;
    const struct tn_l1_layout *layout = &core->layout.d1;
    struct tn_access_entry *entry = tn_code_get_access(&core->code, id);
    struct tn_l1 *l1 = thread->d1;
    struct want want = wanted_data(thread, line_at(l1, address), address, entry);
    if (address - want.line + entry->info.size > l1->shape.line) {
        slow_straddling(thread, address, id);
        return;
    }
    uint64_t number = want.line >> l1->shape.line_bits;
    uint32_t first = (uint32_t)(number & l1->set_mask) * assoc;
    uint32_t equal = tn_equal_tag(&l1->tags[first], assoc, (uint32_t)number);
    if (equal == assoc) {
        if (want.kind == TN_WRITE_PAST)
            pass_line(thread, layout, l1, &want);
        else
            load_line(thread, layout, l1, &want, number,
                      first + tn_lru_victim_by_stamp(&tn_ways_of(thread, layout)[first], assoc));
        return;
    }
    uint32_t index = first + equal;
    struct tn_way *way = &tn_ways_of(thread, layout)[index];
    if (way->line == want.line) {
        way->stamp = want.stamp;
        tn_lead_to(thread, layout, want.table, number, index);
        count_alias(core, id, entry);
    } else { /* the line has gone, is another with the same low bits, or is marked */
        slow_data(thread, address, id);
    }
}

static __attribute__((noinline)) void slow_data_12(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    slow_data_in(thread, address, id, 12);
}

/* An access at an address that has bits of TN_MARKS faults. With these it would be taken for a line that is marked. */
void tn_slow_data(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    const struct tn_l1 *l1 = thread->d1;
    address &= ~TN_MARKS;
    thread->tally.slow_data++;
    if (l1->usual_ways == 8)
        slow_data_in(thread, address, id, 8);
    else if (l1->usual_ways == 12)
        slow_data_12(thread, address, id);
    else if (touch_elsewhere(thread, address, tn_code_get_access(&thread->core->code, id)))
        return;
    else if (address - line_at(l1, address) + tn_code_get_access(&thread->core->code, id)->info.size > l1->shape.line)
        slow_straddling(thread, address, id);
    else
        slow_data(thread, address, id);
}

void tn_whole_data(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    struct tn_access_entry *entry = tn_code_get_access(&thread->core->code, id);
    address &= ~TN_MARKS;
    thread->tally.slow_data++;
    if (!touch_elsewhere(thread, address, entry))
        touch_lines(thread, address, entry);
}

/* ------------------------------------------------------------------------------------------ fetches */

uint64_t tn_fetch_use(const struct tn_fetch_info *info)
{
    return tn_use_of(info->touches, info->bytes);
}

uint32_t tn_fetch_stamp_back(const struct tn_fetch_info *info)
{
    return info->back_last - info->last_second;
}

void tn_slow_fetch(struct tn_thread *thread, uint32_t id)
{
    tn_core *core = thread->core;
    struct tn_fetch_entry *entry = tn_code_get_fetch(&core->code, id);
    const struct tn_fetch_info *fetch = &entry->info;
    struct want want = {.line = fetch->line,
                        .address = fetch->line,
                        .stamp = thread->clock - fetch->back_first + fetch->second,
                        .flags = TN_ENTRY_FETCH,
                        .table = core->layout.i1.table,
                        .instr = fetch->instr,
                        .payer = &entry->payer};
    struct tn_way *way;
    thread->tally.slow_fetch++;
    __builtin_prefetch(entry + 1); /* where the program comes, new code often goes on */
    if (fetch->second && thread->i1->missed >> TN_STEP_BITS == want.stamp >> TN_STEP_BITS)
        want.flags |= TN_ENTRY_SECOND;
    if (bring_line(thread, &core->layout.i1, thread->i1, &want, &way) == MISSED)
        thread->i1->missed = want.stamp;
}

/* ------------------------------------------------------------------------------------------ spilling */

void tn_l1_spill(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1)
{
    struct tn_way *ways = tn_ways_of(thread, layout);
    for (uint32_t i = 0; i < l1->lines; i++) {
        if (ways[i].line != TN_NO_LINE && ways[i].use) {
            queue_way(thread, l1, &ways[i], i, thread->clock, TN_ENTRY_SPILL);
            tn_ring_add(thread, thread->ring);
        }
        ways[i].use = 0;
    }
}

void tn_l1_end(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1, uint64_t now)
{
    struct tn_way *ways = tn_ways_of(thread, layout);
    for (uint32_t i = 0; i < l1->lines; i++) {
        if (ways[i].line == TN_NO_LINE)
            continue;
        if (l1->coherent)
            *tn_written_of(thread, layout, i) |= tn_coherent_evict(thread, i);
        queue_written(thread, layout, i, queue_way(thread, l1, &ways[i], i, now, TN_ENTRY_FLUSH));
        tn_ring_add(thread, thread->ring);
    }
    if (l1->parked)
        tn_l1_forget_uses(l1);
    if (l1->own_prefetcher)
        memset(l1->own_prefetcher, 0, sizeof *l1->own_prefetcher);
    tn_l1_clear(thread, layout, l1);
}
