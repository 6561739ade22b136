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
 */
#include "cache.h"

#include "core.h"
#include "host.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ------------------------------------------------------------------------------------------ set-up */

static uint32_t log2_of(uint64_t value)
{
    uint32_t bits = 0;
    while (value >> (bits + 1))
        bits++;
    return bits;
}

void tn_shape_init(struct tn_shape *shape, const struct tn_geometry *geometry)
{
    shape->line = geometry->line;
    shape->line_bits = log2_of(geometry->line);
    shape->granule_bits = shape->line_bits > 6 ? shape->line_bits - 6 : 0;
    shape->mask_valid = shape->line_bits >= 6 ? ~0ull : (1ull << shape->line) - 1;
}

void tn_l1_init(struct tn_l1 *l1, const struct tn_geometry *geometry, enum tn_stream stream,
                struct tn_lower *next)
{
    memset(l1, 0, sizeof *l1);
    tn_shape_init(&l1->shape, geometry);
    l1->next = next;
    l1->assoc = geometry->assoc;
    l1->lines = (uint32_t)(geometry->size / geometry->line);
    l1->sets = l1->lines / l1->assoc;
    l1->set_mask = l1->sets & (l1->sets - 1) ? 0 : l1->sets - 1;
    l1->missed_access = ~0ull;
    l1->stream = stream;
    l1->stays = tn_host_alloc(l1->lines * sizeof *l1->stays);
    l1->tags = tn_host_alloc(l1->lines * sizeof *l1->tags);
}

void tn_l1_free(struct tn_l1 *l1)
{
    tn_host_free(l1->stays, l1->lines * sizeof *l1->stays);
    tn_host_free(l1->tags, l1->lines * sizeof *l1->tags);
}

void tn_l1_place(struct tn_l1_layout *layout, const struct tn_geometry *geometry, uint32_t tables, bool written,
                 uint64_t *offset)
{
    uint64_t lines = geometry->size / geometry->line, elements = 256;
    while (elements < lines * 5 && elements < 1 << 16)
        elements *= 2;
    layout->line_bits = log2_of(geometry->line);
    layout->granule_bits = layout->line_bits > 6 ? layout->line_bits - 6 : 0;
    layout->table_mask = (uint32_t)elements - 1;
    layout->table = (uint32_t)*offset;
    layout->tables = tables;
    *offset += tables * elements * sizeof(uint16_t);
    layout->ways = (uint32_t)*offset;
    *offset += (lines + 2) / 2 * 2 * sizeof(struct tn_way);
    layout->written = written ? (uint32_t)*offset : 0;
    *offset += written ? (lines + 8) / 8 * 8 * sizeof(uint64_t) : 0;
}

static struct tn_way *ways_of(struct tn_thread *thread, const struct tn_l1_layout *layout)
{
    return (struct tn_way *)((char *)thread + layout->ways);
}

static uint32_t table_bytes(const struct tn_l1_layout *layout)
{
    return (layout->table_mask + 1) * sizeof(uint16_t);
}

/* What was written to way `way`; NULL if that is not kept. */
static uint64_t *written_of(struct tn_thread *thread, const struct tn_l1_layout *layout, uint32_t way)
{
    return layout->written ? (uint64_t *)((char *)thread + layout->written) + way : NULL;
}

void tn_l1_clear(struct tn_thread *thread, const struct tn_l1_layout *layout, const struct tn_l1 *l1)
{
    struct tn_way *ways = ways_of(thread, layout);
    memset((char *)thread + layout->table, 0, layout->tables * table_bytes(layout));
    for (uint32_t i = 0; i <= l1->lines; i++)
        ways[i] = (struct tn_way){.line = TN_NO_LINE};
    if (layout->written)
        memset(written_of(thread, layout, 0), 0, l1->lines * sizeof(uint64_t));
}

/* ------------------------------------------------------------------------------------------ the miss */

struct miss {
    uint64_t line, stamp;
    uint32_t instr;
    uint32_t flags; /* TN_ENTRY_WRITE, _SECOND */
    uint32_t table; /* the way table that is to lead to the line */
    struct tn_payer *payer;
};

static struct tn_way *way_of_line_in(struct tn_way *set, uint32_t assoc, uint64_t line)
{
    for (struct tn_way *way = set; way < set + assoc; way++) {
        if (way->line == line)
            return way;
    }
    return NULL;
}

/* The way of the set that begins with way number `first`; NULL if the line is in none. */
static inline struct tn_way *way_of_line(const struct tn_l1 *l1, struct tn_way *ways, uint64_t first,
                                         uint64_t line)
{
#ifdef __SSE2__
    if (l1->assoc == 8) { /* the usual one; in most cases no tag is equal */
        const __m128i *tags = (const __m128i *)&l1->tags[first];
        __m128i tag = _mm_set1_epi32((int)(line >> l1->shape.line_bits));
        __m128i low = _mm_cmpeq_epi32(tags[0], tag), high = _mm_cmpeq_epi32(tags[1], tag);
        if (!_mm_movemask_epi8(_mm_or_si128(low, high)))
            return NULL;
    }
#endif
    return way_of_line_in(&ways[first], l1->assoc, line);
}

/* The way used longest ago. Its number is in the low bits of what is compared, so that nothing but the smallest value
 * has to be kept; the clock may go up to 2^50 accesses. */
static inline struct tn_way *oldest_of(struct tn_way *set, uint32_t assoc)
{
    enum { NUMBER_BITS = 4 };
    uint64_t oldest = set->stamp << NUMBER_BITS;
    for (uint32_t i = 1; i < assoc; i++) {
        uint64_t age = set[i].stamp << NUMBER_BITS | i;
        oldest = age < oldest ? age : oldest;
    }
    return &set[oldest & ((1 << NUMBER_BITS) - 1)];
}

static struct tn_way *oldest_of_many(struct tn_way *set, uint32_t assoc)
{
    struct tn_way *oldest = set;
    for (struct tn_way *way = set; way < set + assoc; way++) {
        if (way->stamp < oldest->stamp)
            oldest = way;
    }
    return oldest;
}

static inline struct tn_way *oldest_way(struct tn_way *set, uint32_t assoc)
{
    if (assoc == 8)
        return oldest_of(set, 8);
    return assoc <= 16 ? oldest_of(set, assoc) : oldest_of_many(set, assoc);
}

static __attribute__((noinline)) void find_payer(struct tn_thread *thread, enum tn_stream stream, uint32_t instr,
                                                 struct tn_payer *payer)
{
    struct tn_centre *centre = tn_centre_in(thread->core, thread->id, instr, thread->activity->node);
    payer->late = &centre->late[stream];
    tn_near(&thread->core->pools, payer->late);
}

/* The instruction that pays: a skipped function's costs go to the instruction that called it. */
static inline struct tn_late *late_of_payer(struct tn_thread *thread, enum tn_stream stream, const struct miss *miss)
{
    const struct tn_activity *activity = thread->activity;
    if (activity->skip_site) {
        struct tn_payer caller;
        find_payer(thread, stream, activity->skip_site, &caller);
        return caller.late;
    }
    uint64_t key = thread->id;
    if (thread->core->contexts && activity->node)
        key |= (uint64_t)activity->node->context << 32;
    if (miss->payer->key != key) {
        find_payer(thread, stream, miss->instr, miss->payer);
        miss->payer->key = key;
    }
    return miss->payer->late;
}

/* What was written to the way goes with the entry, and the way begins anew. */
static void queue_written(struct tn_thread *thread, const struct tn_l1_layout *layout,
                          const struct tn_entry *entry)
{
    tn_core *core = thread->core;
    uint64_t *written = written_of(thread, layout, entry->way);
    core->written_by_entry[entry - core->queue] = written ? *written : 0;
    if (written)
        *written = 0;
}

static inline void queue_miss(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1,
                              const struct tn_way *victim, uint32_t way, const struct miss *miss)
{
    struct tn_entry *entry = tn_queue_add(thread->core);
    entry->line = miss->line;
    entry->use = victim->use;
    entry->mask = victim->mask;
    entry->stamp = miss->stamp;
    entry->l1 = l1;
    entry->way = way;
    entry->flags = miss->flags;
    entry->node = NULL;
    entry->late = NULL;
    if (thread->core->written_by_entry)
        queue_written(thread, layout, entry);
    if (!thread->collecting)
        return;
    entry->late = late_of_payer(thread, l1->stream, miss);
    entry->node = thread->activity->node;
    if (entry->node)
        entry->node->sent++;
}

/* The way in which the line is from now on. */
static inline struct tn_way *load(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1,
                                  struct tn_way *ways, struct tn_way *set, const struct miss *miss)
{
    struct tn_way *way = oldest_way(set, l1->assoc);
    queue_miss(thread, layout, l1, way, (uint32_t)(way - ways), miss);
    way->line = miss->line;
    way->use = 0;
    way->mask = 0;
    l1->tags[way - ways] = (uint32_t)(miss->line >> l1->shape.line_bits);
    l1->missed_access = miss->stamp >> TN_STEP_BITS;
    return way;
}

/* From now on the way table leads from the line to the way. */
static inline void lead_to(struct tn_thread *thread, const struct tn_l1_layout *layout, uint32_t table,
                           uint64_t number, uint32_t way)
{
    uint16_t *elements = (uint16_t *)((char *)thread + table);
    elements[number & layout->table_mask] = (uint16_t)(way * (sizeof(struct tn_way) / 8));
}

/* Make sure the line is in the cache and the way table leads to it. True if it missed. */
static inline bool bring(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1,
                         const struct miss *miss, struct tn_way **found)
{
    struct tn_way *ways = ways_of(thread, layout);
    uint64_t number = miss->line >> l1->shape.line_bits;
    uint64_t set_number = tn_set_of(number, l1->sets, l1->set_mask);
    uint64_t first = set_number * l1->assoc;
    struct tn_way *way = way_of_line(l1, ways, first, miss->line);
    bool missed = !way;
    if (missed)
        way = load(thread, layout, l1, ways, &ways[first], miss);
    way->stamp = miss->stamp;
    lead_to(thread, layout, miss->table, number, (uint32_t)(way - ways));
    *found = way;
    return missed;
}

/* The granules of bytes [from, to) of a line. */
static uint64_t granules(uint32_t from, uint32_t to, uint32_t granule_bits)
{
    uint32_t first = from >> granule_bits, last = (to - 1) >> granule_bits;
    return (~0ull >> (63 - (last - first))) << first;
}

/* ------------------------------------------------------------------------------------------ data */

static uint32_t data_flags(const struct tn_access_info *access)
{
    return access->kind == TN_WRITE ? TN_ENTRY_WRITE : 0;
}

/* One access, line by line, additions included; returns the way of the first line, NULL if a later line of the
 * access has thrown it out. */
static struct tn_way *touch_lines(struct tn_thread *thread, uint64_t address, struct tn_access_entry *entry)
{
    const struct tn_access_info *access = &entry->info;
    const struct tn_l1_layout *layout = &tn_layout(thread->core)->d1;
    struct tn_l1 *l1 = thread->d1;
    struct miss miss = {.stamp = thread->clock - access->back, .instr = access->instr, .flags = data_flags(access),
                        .table = entry->table, .payer = &entry->payer};
    uint64_t first = address & ~(uint64_t)(l1->shape.line - 1), end = address + access->size;
    struct tn_way *way = NULL, *first_way = NULL;
    for (miss.line = first; miss.line < end; miss.line += l1->shape.line, miss.stamp++) {
        uint32_t from = miss.line == first ? (uint32_t)(address - first) : 0;
        uint32_t to = end - miss.line < l1->shape.line ? (uint32_t)(end - miss.line) : l1->shape.line;
        if (bring(thread, layout, l1, &miss, &way))
            miss.flags |= TN_ENTRY_SECOND;
        way->use += tn_use_of(1, to - from);
        way->mask |= granules(from, to, l1->shape.granule_bits);
        if (layout->written && access->kind != TN_READ)
            *written_of(thread, layout, (uint32_t)(way - ways_of(thread, layout))) |=
                granules(from, to, l1->shape.granule_bits);
        if (!first_way)
            first_way = way;
    }
    return first_way->line == first ? first_way : NULL;
}

/* The access goes on in the next table. Nobody else moves until the engine knows, and then all count anew: of two that
 * met, one is to move. Each move of an access takes twice as many aliases as the one before. */
static __attribute__((noinline)) void move(tn_core *core, uint32_t id, const struct tn_access_entry *entry)
{
    const struct tn_l1_layout *layout = &core->layout.d1;
    uint32_t number = (entry->table - layout->table) / table_bytes(layout);
    tn_code_access_move(&core->code, id, layout->table + (number + 1) % layout->tables * table_bytes(layout));
    core->moves++;
    core->moved = tn_code_get_instr(&core->code, entry->info.instr)->address;
}

/* The line was there, but the way table led to another one. */
static inline void count_alias(tn_core *core, uint32_t id, struct tn_access_entry *entry)
{
    if (entry->aliases_in != core->moves) {
        entry->aliases_in = core->moves;
        entry->aliases = 0;
    }
    if (++entry->aliases >> entry->moves >= core->config.alias_limit && !core->moved && !entry->now)
        move(core, id, entry);
}

void tn_slow_data(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    tn_core *core = thread->core;
    struct tn_access_entry *entry = tn_code_get_access(&core->code, id);
    const struct tn_access_info *access = &entry->info;
    struct tn_l1 *l1 = thread->d1;
    struct tn_way *way;
    core->slow_data++;
    if ((address & (l1->shape.line - 1)) + access->size <= l1->shape.line) {
        struct miss miss = {address & ~(uint64_t)(l1->shape.line - 1), thread->clock - access->back, access->instr,
                            data_flags(access), entry->table, &entry->payer};
        if (!bring(thread, &core->layout.d1, l1, &miss, &way))
            count_alias(core, id, entry);
        return;
    }
    way = touch_lines(thread, address, entry);
    if (way)
        way->use -= tn_use_of(1, access->size);
    else /* the way that belongs to nobody takes the additions */
        lead_to(thread, &core->layout.d1, entry->table, address >> l1->shape.line_bits, l1->lines);
}

void tn_whole_data(struct tn_thread *thread, uint64_t address, uint32_t id)
{
    thread->core->slow_data++;
    touch_lines(thread, address, tn_code_get_access(&thread->core->code, id));
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
    struct miss miss = {fetch->line, thread->clock - fetch->back_first + fetch->second, fetch->instr, 0,
                        core->layout.i1.table, &entry->payer};
    struct tn_way *way;
    core->slow_fetch++;
    if (fetch->second && thread->i1->missed_access == miss.stamp >> TN_STEP_BITS)
        miss.flags = TN_ENTRY_SECOND;
    bring(thread, &core->layout.i1, thread->i1, &miss, &way);
}

/* ------------------------------------------------------------------------------------------ spilling */

static struct tn_entry *queue_way(struct tn_thread *thread, struct tn_l1 *l1, const struct tn_way *way,
                                  uint32_t index, uint64_t now, uint32_t flags)
{
    struct tn_entry *entry = tn_queue_add(thread->core);
    *entry = (struct tn_entry){.use = way->use, .mask = way->mask, .stamp = now, .l1 = l1, .way = index,
                               .flags = flags};
    return entry;
}

void tn_l1_spill(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1)
{
    struct tn_way *ways = ways_of(thread, layout);
    for (uint32_t i = 0; i < l1->lines; i++) {
        if (ways[i].line != TN_NO_LINE && ways[i].use)
            queue_way(thread, l1, &ways[i], i, thread->clock, TN_ENTRY_SPILL);
        ways[i].use = 0;
    }
}

void tn_l1_end(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1, uint64_t now)
{
    struct tn_way *ways = ways_of(thread, layout);
    for (uint32_t i = 0; i < l1->lines; i++) {
        if (ways[i].line == TN_NO_LINE)
            continue;
        const struct tn_entry *entry = queue_way(thread, l1, &ways[i], i, now, TN_ENTRY_FLUSH);
        if (thread->core->written_by_entry)
            queue_written(thread, layout, entry);
    }
    tn_l1_clear(thread, layout, l1);
}
