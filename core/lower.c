/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lower.c: draining the miss queue; see lower.h.
 *
 * For each entry, in order: the victim's use is charged to its loader and folded into the record it was filled
 * from; the miss is charged; the level below is looked up, which may go on to the next one in the same way; the
 * way's new stay begins. That is done FAR_BEHIND entries after an entry came, and what it needs has been fetched
 * meanwhile. Nothing is done in batches: so the program's own misses and the fetches overlap with the work.
 */
#include "lower.h"

#include "core.h"
#include "host.h"

#include <string.h>

enum { NEAR_BEHIND = 8, FAR_BEHIND = 16 }; /* entries from the first prefetch to the second, and to use */

/* ------------------------------------------------------------------------------------------ set-up */

static uint64_t groups_of(const struct tn_lower *lower)
{
    return lower->sets.sets / TN_GROUP + 1;
}

void tn_lower_init(struct tn_lower *lower, const struct tn_geometry *geometry, enum tn_level level,
                   struct tn_lower *next, bool write_back)
{
    memset(lower, 0, sizeof *lower);
    tn_shape_init(&lower->shape, geometry);
    tn_sets_init(&lower->sets, geometry);
    lower->level = level;
    lower->next = next;
    lower->homes = tn_host_alloc(geometry->size / geometry->line * sizeof *lower->homes);
    if (write_back)
        lower->written = tn_host_alloc(geometry->size / geometry->line * sizeof *lower->written);
    lower->filled = tn_host_alloc(groups_of(lower));
    lower->missed_access = ~0ull;
}

void tn_lower_free(struct tn_lower *lower)
{
    tn_host_free(lower->filled, groups_of(lower));
    if (lower->written)
        tn_host_free(lower->written, lower->sets.sets * lower->sets.assoc * sizeof *lower->written);
    tn_host_free(lower->homes, lower->sets.sets * lower->sets.assoc * sizeof *lower->homes);
    tn_sets_free(&lower->sets);
}

/* ------------------------------------------------------------------------------------------ charging */

/* The counters of a level that a node has for a stream: made when it loaded. */
static inline uint64_t *of_node(const tn_core *core, const struct tn_node *node, enum tn_stream stream,
                                enum tn_level level)
{
    return tn_late_at(&core->pools, &node->late[stream], level);
}

/* Everything is charged twice: to the loader's centre, whose counters are `level`, and to its node. */
static inline void charge_miss(const tn_core *core, uint64_t *level, const struct tn_entry *entry,
                               enum tn_level which)
{
    uint32_t what = entry->flags & TN_ENTRY_WRITE ? TN_LATE_WRITE_MISS : TN_LATE_READ_MISS;
    if (!level)
        return;
    level[what]++;
    if (entry->node)
        of_node(core, entry->node, entry->l1->stream, which)[what]++;
}

static inline void charge_tenure(uint64_t *level, uint64_t *of_node, const struct tn_tenure *tenure)
{
    struct tn_charge charge = {*tenure, tn_accost(tenure->touches)};
    tn_charge_add(level, &charge);
    if (of_node)
        tn_charge_add(of_node, &charge);
}

static void charge_write_back(uint64_t *level, uint64_t *of_node, uint32_t bytes)
{
    level[TN_LATE_PER_LEVEL + TN_WRITE_BACK_Wb]++;
    level[TN_LATE_PER_LEVEL + TN_WRITE_BACK_Wrt] += bytes;
    if (!of_node)
        return;
    of_node[TN_LATE_PER_LEVEL + TN_WRITE_BACK_Wb]++;
    of_node[TN_LATE_PER_LEVEL + TN_WRITE_BACK_Wrt] += bytes;
}

static uint32_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint32_t)(word * 0x0101010101010101ull >> 56);
}

static uint64_t age_of(uint64_t loaded, uint64_t now)
{
    return (now >> TN_STEP_BITS) - (loaded >> TN_STEP_BITS);
}

/* ------------------------------------------------------------------------------------------ homes */

static struct tn_displaced **displaced_link(struct tn_lower *lower, uint64_t home)
{
    struct tn_displaced **link = &lower->displaced[home % TN_DISPLACED_BUCKETS];
    while (*link && (*link)->home != home)
        link = &(*link)->next;
    return link;
}

/* The record of the line in a slot; NULL if the slot is empty. */
static inline struct tn_record *resident_at(struct tn_lower *lower, uint64_t home)
{
    struct tn_record *record = &lower->homes[home];
    if (record->resident)
        return record;
    struct tn_displaced *displaced = *displaced_link(lower, home);
    return displaced ? &displaced->record : NULL;
}

/* A blank record for the slot, whose last line has left. */
static struct tn_record *record_at(tn_core *core, struct tn_lower *lower, uint64_t home)
{
    if (++core->records_live > core->records_max)
        core->records_max = core->records_live;
    if (!lower->homes[home].live)
        return &lower->homes[home];
    struct tn_displaced *displaced = tn_pool_get(&core->displaced_pool);
    struct tn_displaced **link = &lower->displaced[home % TN_DISPLACED_BUCKETS];
    *displaced = (struct tn_displaced){.next = *link, .home = home};
    *link = displaced;
    return &displaced->record;
}

/* ------------------------------------------------------------------------------------------ records */

/* The mask of a line, in the granules of a line that contains it at `offset`. */
static uint64_t widen(const struct tn_shape *to, const struct tn_shape *from, uint64_t mask, uint32_t offset)
{
    if (from->line == to->line)
        return mask;
    uint64_t wide = 0;
    for (uint32_t bit = 0; bit < from->line >> from->granule_bits; bit++) {
        if (mask >> bit & 1)
            wide |= 1ull << ((offset + (bit << from->granule_bits)) >> to->granule_bits);
    }
    return wide;
}

/* What has been written back into a record. */
static uint64_t *written_of(struct tn_lower *lower, struct tn_record *record)
{
    return record->displaced ? &((struct tn_displaced *)record)->written : &lower->written[record - lower->homes];
}

static __attribute__((noinline)) void record_end(tn_core *core, struct tn_lower *lower, struct tn_record *record,
                                                 uint64_t now);

/* Of something that was filled from a record, and is gone: its use, and its granules touched and written. */
struct past {
    struct tn_tenure tenure;
    uint64_t mask, written;
};

/* It was at `offset` in the line of `record`, which is one of `lower`. */
static inline void fold(tn_core *core, struct tn_lower *lower, struct tn_record *record,
                        const struct tn_shape *from, const struct past *past, uint32_t offset, uint64_t now)
{
    record->touches += past->tenure.touches;
    record->bytes += past->tenure.bytes;
    record->mask |= widen(&lower->shape, from, past->mask, offset);
    if (past->written)
        *written_of(lower, record) |= widen(&lower->shape, from, past->written, offset);
    if (--record->holders == 0 && !record->resident)
        record_end(core, lower, record, now);
}

/* The line and all copies above are gone: charge, fold, free. */
static void record_end(tn_core *core, struct tn_lower *lower, struct tn_record *record, uint64_t now)
{
    const struct tn_shape *shape = &lower->shape;
    struct past past = {.mask = record->mask & shape->mask_valid,
                        .written = lower->written ? *written_of(lower, record) & shape->mask_valid : 0};
    past.tenure = (struct tn_tenure){record->touches, record->bytes, count_bits(past.mask) << shape->granule_bits,
                                     age_of(record->loaded, now)};
    uint64_t *node = record->node ? of_node(core, record->node, record->stream, lower->level) : NULL;
    bool pays = record->late && record->epoch == core->epoch;
    if (pays && core->config.use)
        charge_tenure(record->late, node, &past.tenure);
    if (pays && past.written)
        charge_write_back(record->late, node, count_bits(past.written) << shape->granule_bits);
    if (record->node)
        record->node->live--;
    if (record->parent)
        fold(core, lower->next, record->parent, shape, &past, record->line_unit * TN_MIN_LINE, now);
    record->live = false;
    core->records_live--;
    if (record->displaced)
        tn_pool_put(&core->displaced_pool, record);
}

/* The line in a slot, if there is one, leaves its cache. */
static void slot_leaves(tn_core *core, struct tn_lower *lower, uint64_t home, uint64_t now)
{
    struct tn_record *record = resident_at(lower, home);
    if (!record)
        return;
    if (record->displaced) {
        struct tn_displaced **link = displaced_link(lower, home);
        *link = (*link)->next;
    }
    record->resident = false;
    if (record->holders == 0)
        record_end(core, lower, record, now);
}

/* ------------------------------------------------------------------------------------------ level-1 tenures */

/* What had been written to the victim of an entry. */
static uint64_t written_by(const tn_core *core, const struct tn_entry *entry)
{
    return core->written_by_entry ? core->written_by_entry[entry - core->queue] : 0;
}

static inline void stay_end(tn_core *core, const struct tn_l1 *l1, struct tn_stay *stay, const struct tn_entry *entry)
{
    const struct tn_shape *shape = &l1->shape;
    struct past past = {.mask = entry->mask & shape->mask_valid,
                        .written = written_by(core, entry) & shape->mask_valid};
    past.tenure = (struct tn_tenure){stay->touches + (entry->use & ((1ull << TN_TOUCH_BITS) - 1)),
                                     stay->bytes + (entry->use >> TN_TOUCH_BITS),
                                     count_bits(past.mask) << shape->granule_bits, age_of(stay->loaded, entry->stamp)};
    uint64_t *node = stay->node ? of_node(core, stay->node, l1->stream, TN_LEVEL_1) : NULL;
    bool pays = stay->late && stay->epoch == core->epoch;
    if (pays && core->config.use)
        charge_tenure(stay->late, node, &past.tenure);
    if (pays && past.written)
        charge_write_back(stay->late, node, count_bits(past.written) << shape->granule_bits);
    if (stay->node)
        stay->node->live--;
    fold(core, l1->next, stay->record, shape, &past, stay->line_offset, entry->stamp);
    stay->record = NULL;
}

static inline void stay_begin(tn_core *core, const struct tn_l1 *l1, struct tn_stay *stay,
                              const struct tn_entry *entry, uint64_t *near, struct tn_record *record)
{
    stay->node = entry->node;
    stay->late = near;
    stay->record = record;
    stay->loaded = entry->stamp;
    stay->touches = stay->bytes = 0;
    stay->epoch = core->epoch;
    stay->line_offset = (uint32_t)(entry->line & (l1->next->shape.line - 1));
    record->holders++;
    if (entry->node) {
        entry->node->live++;
        entry->node->seen++;
    }
}

/* ------------------------------------------------------------------------------------------ look-up */

static struct tn_record *look_up(tn_core *core, struct tn_lower *lower, const struct tn_entry *entry,
                                 struct tn_place *place);

static struct tn_record *ask(tn_core *core, struct tn_lower *lower, const struct tn_entry *entry)
{
    struct tn_place place;
    tn_sets_split(&lower->sets, entry->line, &place);
    return look_up(core, lower, entry, &place);
}

/* The counters of a lower level that the loader's centre has, made if there are none; NULL: nobody pays. */
static uint64_t *of_payer(tn_core *core, const struct tn_entry *entry, enum tn_level level)
{
    return entry->late ? tn_far(&core->pools, entry->late) + (level - 1) * core->pools.per_level : NULL;
}

static uint64_t home_of(const struct tn_lower *lower, const struct tn_place *place)
{
    return place->slot * lower->sets.sets + place->set;
}

/* The line comes in: whose slot it takes leaves first, then the next level is asked. */
static struct tn_record *fill(tn_core *core, struct tn_lower *lower, const struct tn_entry *entry,
                              const struct tn_place *place)
{
    uint64_t home = home_of(lower, place);
    lower->filled[place->set / TN_GROUP] = 1;
    slot_leaves(core, lower, home, entry->stamp);
    struct tn_record *parent = lower->next ? ask(core, lower->next, entry) : NULL;
    struct tn_record *record = record_at(core, lower, home);
    bool displaced = record != &lower->homes[home];
    record->node = entry->node;
    record->late = of_payer(core, entry, lower->level);
    record->loaded = entry->stamp;
    record->touches = record->bytes = record->mask = 0;
    record->parent = parent;
    record->epoch = core->epoch;
    record->holders = 0;
    record->stream = entry->l1->stream;
    record->resident = record->live = true;
    record->displaced = displaced;
    if (lower->written)
        *written_of(lower, record) = 0;
    if (parent) {
        uint64_t line = entry->line & ~(uint64_t)(lower->shape.line - 1);
        record->line_unit = (line & (lower->next->shape.line - 1)) / TN_MIN_LINE & 63;
        parent->holders++;
    }
    if (entry->node)
        entry->node->live++;
    return record;
}

/* A miss is charged, once per access. */
static void missed(tn_core *core, struct tn_lower *lower, const struct tn_entry *entry, uint64_t *level)
{
    uint64_t access = entry->stamp >> TN_STEP_BITS;
    if (access == lower->missed_access && entry->l1 == lower->missed_through)
        return;
    lower->missed_access = access;
    lower->missed_through = entry->l1;
    charge_miss(core, level, entry, lower->level);
}

static void charge_prefetch(const tn_core *core, const struct tn_entry *entry, uint64_t *level, enum tn_level which)
{
    if (!level)
        return;
    level[core->pools.prefetched]++;
    if (entry->node)
        of_node(core, entry->node, entry->l1->stream, which)[core->pools.prefetched]++;
}

/* A line is going to be loaded: from here on the loader's centre and node have counters of this level. */
static void loaded(tn_core *core, struct tn_lower *lower, const struct tn_entry *entry)
{
    uint64_t *level = of_payer(core, entry, lower->level);
    if (entry->node)
        tn_far(&core->pools, &entry->node->late[entry->l1->stream]);
    if (entry->flags & TN_ENTRY_AHEAD)
        charge_prefetch(core, entry, level, lower->level);
    else
        missed(core, lower, entry, level);
}

/* The record of the line that `entry` loads. */
static struct tn_record *look_up(tn_core *core, struct tn_lower *lower, const struct tn_entry *entry,
                                 struct tn_place *place)
{
    tn_sets_use(&lower->sets, place);
    if (place->hit)
        return resident_at(lower, home_of(lower, place));
    loaded(core, lower, entry);
    return fill(core, lower, entry, place);
}

/* ------------------------------------------------------------------------------------------ the queue */

static void spill(struct tn_stay *stay, const struct tn_entry *entry)
{
    stay->touches += entry->use & ((1ull << TN_TOUCH_BITS) - 1);
    stay->bytes += entry->use >> TN_TOUCH_BITS;
}

/* The prefetcher sees a miss, and may ask for a line further on. */
static void look_further(tn_core *core, const struct tn_entry *entry)
{
    struct tn_lower *lower = entry->l1->next;
    int64_t blocks = tn_prefetcher_see(entry->l1->prefetcher, entry->line, lower->shape.line_bits);
    if (!blocks)
        return;
    struct tn_entry ahead = *entry;
    ahead.line = (entry->line & ~(uint64_t)(lower->shape.line - 1)) + (uint64_t)blocks * lower->shape.line;
    ahead.flags |= TN_ENTRY_AHEAD;
    ask(core, lower, &ahead);
}

static inline void consume(tn_core *core, const struct tn_entry *entry, struct tn_place *place)
{
    struct tn_l1 *l1 = entry->l1;
    struct tn_stay *stay = &l1->stays[entry->way];
    if (entry->flags & TN_ENTRY_SPILL) {
        spill(stay, entry);
        return;
    }
    if (stay->record)
        stay_end(core, l1, stay, entry);
    if (entry->flags & TN_ENTRY_FLUSH)
        return;
    uint64_t *near = entry->late ? tn_near(&core->pools, entry->late) : NULL;
    if (!(entry->flags & TN_ENTRY_SECOND))
        charge_miss(core, near, entry, TN_LEVEL_1);
    if (l1->prefetcher)
        look_further(core, entry);
    stay_begin(core, l1, stay, entry, near, look_up(core, l1->next, entry, place));
}

/* What hangs together by pointers is fetched link by link, each some entries before it is needed: first the set
 * and the two nodes, ... */
static inline void look_ahead(const struct tn_entry *entry, struct tn_place *place)
{
    const struct tn_lower *lower = entry->l1->next;
    const struct tn_stay *stay = &entry->l1->stays[entry->way];
    tn_sets_split(&lower->sets, entry->line, place);
    tn_sets_prefetch(&lower->sets, place);
    __builtin_prefetch(stay->record, 1);
    __builtin_prefetch(stay->late, 1);
    __builtin_prefetch(entry->late, 1);
    if (stay->node)
        __builtin_prefetch(&stay->node->late, 1);
    if (entry->node)
        __builtin_prefetch(&entry->node->late, 1);
}

/* ... then the record that the set leads to, and the counters that the nodes lead to. */
static inline void look_closer(tn_core *core, const struct tn_entry *entry, struct tn_place *place)
{
    const struct tn_lower *lower = entry->l1->next;
    enum tn_stream stream = entry->l1->stream;
    const struct tn_node *loser = entry->l1->stays[entry->way].node;
    if (loser)
        __builtin_prefetch(of_node(core, loser, stream, TN_LEVEL_1), 1);
    if (entry->flags & (TN_ENTRY_SPILL | TN_ENTRY_FLUSH))
        return;
    tn_sets_find(&lower->sets, place);
    __builtin_prefetch(&lower->homes[home_of(lower, place)], 1);
    if (entry->late)
        __builtin_prefetch(tn_near(&core->pools, entry->late), 1);
    if (entry->node)
        __builtin_prefetch(tn_near(&core->pools, &entry->node->late[stream]), 1);
}

static inline void look_ahead_next(tn_core *core)
{
    uint32_t place = core->looked_ahead++ % TN_QUEUE;
    look_ahead(&core->queue[place], &core->places[place]);
}

static inline void look_closer_next(tn_core *core)
{
    uint32_t place = core->looked_closer++ % TN_QUEUE;
    look_closer(core, &core->queue[place], &core->places[place]);
}

static inline void consume_next(tn_core *core)
{
    uint32_t place = core->consumed++ % TN_QUEUE;
    consume(core, &core->queue[place], &core->places[place]);
}

void tn_drain(tn_core *core)
{
    while (core->looked_ahead < core->queued)
        look_ahead_next(core);
    while (core->looked_closer < core->queued)
        look_closer_next(core);
    while (core->consumed < core->queued)
        consume_next(core);
}

static __attribute__((noinline)) void prune(tn_core *core)
{
    core->nodes_summed += core->forest.now;
    tn_check(core);
    if (core->forest.now <= core->forest.prune_at)
        return;
    tn_drain(core);
    tn_prune(core, &core->forest);
}

void tn_queue_step(tn_core *core)
{
    uint64_t queued = core->queued;
    if (queued > core->looked_ahead)
        look_ahead_next(core);
    if (queued > core->looked_closer + NEAR_BEHIND)
        look_closer_next(core);
    if (queued > core->consumed + FAR_BEHIND)
        consume_next(core);
    if (queued % TN_PRUNE_EVERY == 0)
        prune(core);
}

static void flush_group(tn_core *core, struct tn_lower *lower, uint64_t first, uint64_t now)
{
    uint64_t end = first + TN_GROUP < lower->sets.sets ? first + TN_GROUP : lower->sets.sets;
    for (uint32_t slot = 0; slot < lower->sets.assoc; slot++) {
        for (uint64_t set = first; set < end; set++)
            slot_leaves(core, lower, slot * lower->sets.sets + set, now);
    }
    tn_sets_clear(&lower->sets, first, end - first);
}

void tn_lower_flush(tn_core *core, struct tn_lower *lower, uint64_t now)
{
    for (uint64_t group = 0; group < groups_of(lower); group++) {
        if (lower->filled[group])
            flush_group(core, lower, group * TN_GROUP, now);
        lower->filled[group] = 0;
    }
}
