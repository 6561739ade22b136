/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lastlevel.c: draining the miss queue; see lastlevel.h.
 *
 * For each entry, in order: the victim's use is charged to its loader and folded into the record it was filled
 * from; the miss is charged; the last level is looked up; the way's new stay begins. Look-ups of entries further
 * back in the queue are prefetched, since a batch has them all at hand.
 */
#include "lastlevel.h"

#include "core.h"
#include "host.h"

#include <string.h>

enum { AHEAD_SET = 12, AHEAD_RECORD = 6 };

/* ------------------------------------------------------------------------------------------ set-up */

static uint32_t bits_for(uint64_t values)
{
    uint32_t bits = 0;
    while (1ull << bits < values)
        bits++;
    return bits;
}

void tn_ll_init(struct tn_ll *ll, const struct tn_geometry *geometry)
{
    memset(ll, 0, sizeof *ll);
    ll->line = geometry->line;
    ll->line_bits = bits_for(geometry->line);
    ll->granule_bits = ll->line_bits > 6 ? ll->line_bits - 6 : 0;
    ll->mask_valid = ll->line_bits >= 6 ? ~0ull : (1ull << ll->line) - 1;
    ll->assoc = geometry->assoc;
    ll->slot_bits = bits_for(geometry->assoc);
    ll->sets = geometry->size / geometry->line / geometry->assoc;
    ll->set_mask = ll->sets & (ll->sets - 1) ? 0 : ll->sets - 1;
    ll->tags = tn_host_alloc(ll->sets * ll->assoc * sizeof *ll->tags);
    ll->slots = tn_host_alloc(ll->sets * ll->assoc * sizeof *ll->slots);
    tn_array_init(&ll->records, sizeof(struct tn_record));
    tn_array_add(&ll->records);
}

void tn_ll_free(struct tn_ll *ll)
{
    tn_host_free(ll->tags, ll->sets * ll->assoc * sizeof *ll->tags);
    tn_host_free(ll->slots, ll->sets * ll->assoc * sizeof *ll->slots);
    tn_array_free(&ll->records);
}

size_t tn_ll_bytes(const struct tn_ll *ll)
{
    return tn_array_bytes(&ll->records) + ll->live_max * (sizeof *ll->tags + sizeof *ll->slots);
}

static struct tn_record *record_at(const struct tn_ll *ll, uint32_t id)
{
    return tn_array_at(&ll->records, id);
}

/* ------------------------------------------------------------------------------------------ charging */

/* Where a loader's late costs of one stream and level are counted: twice, in its centre and in its node. */
static void charge_tenure(tn_core *core, uint32_t thread, uint32_t instr, struct tn_node *node,
                          uint32_t slot, enum tn_stream stream, const struct tn_tenure *tenure)
{
    struct tn_centre *centre = tn_centre_of(core, thread, instr);
    tn_charge(tn_late(&core->pools, &centre->late[stream]) + slot, tenure);
    if (node)
        tn_charge(tn_late(&core->pools, &node->self.late[stream]) + slot, tenure);
}

static void charge_miss(tn_core *core, const struct tn_entry *entry, enum tn_level level)
{
    enum tn_stream stream = entry->flags & TN_ENTRY_DATA ? TN_DATA : TN_FETCH;
    uint32_t slot = level * TN_LATE_PER_LEVEL +
                    (entry->flags & TN_ENTRY_WRITE ? TN_LATE_WRITE_MISS : TN_LATE_READ_MISS);
    if (!entry->instr)
        return;
    tn_late(&core->pools, &tn_centre_of(core, entry->thread->id, entry->instr)->late[stream])[slot]++;
    if (entry->node)
        tn_late(&core->pools, &entry->node->self.late[stream])[slot]++;
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

/* ------------------------------------------------------------------------------------------ records */

static uint32_t record_new(struct tn_ll *ll)
{
    uint32_t id = ll->free;
    if (id) {
        ll->free = record_at(ll, id)->holders;
    } else {
        id = ll->records.count;
        tn_array_add(&ll->records);
    }
    if (++ll->live > ll->live_max)
        ll->live_max = ll->live;
    return id;
}

/* The line and all copies above are gone: charge, and free. */
static void record_end(tn_core *core, uint32_t id, uint64_t now)
{
    struct tn_ll *ll = &core->ll;
    struct tn_record *record = record_at(ll, id);
    if (record->instr && record->epoch == core->epoch && core->config.use) {
        struct tn_tenure tenure = {record->touches, record->bytes,
                                   count_bits(record->mask & ll->mask_valid) << ll->granule_bits,
                                   age_of(record->loaded, now), ll->line};
        charge_tenure(core, record->thread, record->instr, record->node, TN_LEVEL_LL * TN_LATE_PER_LEVEL,
                      (enum tn_stream)record->stream, &tenure);
    }
    if (record->node)
        record->node->live--;
    record->holders = ll->free;
    ll->free = id;
    ll->live--;
}

/* The mask of a level-1 line, in granules of the record's line. */
static uint64_t widen(const struct tn_ll *ll, const struct tn_l1 *l1, uint64_t mask, uint32_t offset)
{
    if (l1->line == ll->line)
        return mask;
    uint64_t wide = 0;
    for (uint32_t bit = 0; bit < l1->line >> l1->granule_bits; bit++) {
        if (mask >> bit & 1)
            wide |= 1ull << ((offset + (bit << l1->granule_bits)) >> ll->granule_bits);
    }
    return wide;
}

/* ------------------------------------------------------------------------------------------ level-1 tenures */

static void stay_end(tn_core *core, const struct tn_l1 *l1, struct tn_stay *stay, const struct tn_entry *entry)
{
    struct tn_ll *ll = &core->ll;
    struct tn_record *record = record_at(ll, stay->record);
    uint64_t touches = stay->touches + (entry->use & ((1ull << TN_TOUCH_BITS) - 1));
    uint64_t bytes = stay->bytes + (entry->use >> TN_TOUCH_BITS);
    uint64_t mask = entry->mask & l1->mask_valid;
    if (stay->instr && stay->epoch == core->epoch && core->config.use) {
        struct tn_tenure tenure = {touches, bytes, count_bits(mask) << l1->granule_bits,
                                   age_of(stay->loaded, entry->stamp), l1->line};
        charge_tenure(core, stay->thread, stay->instr, stay->node, TN_LEVEL_1 * TN_LATE_PER_LEVEL, l1->stream,
                      &tenure);
    }
    if (stay->node)
        stay->node->live--;
    record->touches += touches;
    record->bytes += bytes;
    record->mask |= widen(ll, l1, mask, stay->line_offset);
    if (--record->holders == 0 && !record->resident)
        record_end(core, stay->record, entry->stamp);
    stay->record = 0;
}

static void stay_begin(tn_core *core, struct tn_stay *stay, const struct tn_entry *entry, uint32_t record)
{
    *stay = (struct tn_stay){.node = entry->node, .thread = entry->thread->id, .loaded = entry->stamp,
                             .instr = entry->instr, .epoch = core->epoch, .record = record};
    stay->line_offset = (uint32_t)(entry->line & (core->ll.line - 1));
    record_at(&core->ll, record)->holders++;
    if (entry->node) {
        entry->node->seen++;
        entry->node->live++;
    }
}

/* ------------------------------------------------------------------------------------------ look-up */

static uint64_t set_of(const struct tn_ll *ll, uint64_t number)
{
    return ll->set_mask || ll->sets == 1 ? number & ll->set_mask : number % ll->sets;
}

/* The place of the line in its set; else the first empty place, else the last. */
static uint32_t place_of(const struct tn_ll *ll, const uint64_t *tags, uint64_t number)
{
    uint32_t place = 0;
    while (place < ll->assoc - 1 && tags[place] && tags[place] >> ll->slot_bits != number + 1)
        place++;
    return place;
}

static uint32_t fill(tn_core *core, const struct tn_entry *entry, uint32_t *slot)
{
    struct tn_ll *ll = &core->ll;
    if (*slot) {
        struct tn_record *old = record_at(ll, *slot);
        old->resident = false;
        if (old->holders == 0)
            record_end(core, *slot, entry->stamp);
    }
    *slot = record_new(ll);
    *record_at(ll, *slot) = (struct tn_record){
        .node = entry->node, .thread = entry->thread->id, .loaded = entry->stamp, .instr = entry->instr,
        .epoch = core->epoch, .stream = entry->flags & TN_ENTRY_DATA ? TN_DATA : TN_FETCH, .resident = true};
    if (entry->node)
        entry->node->live++;
    return *slot;
}

/* The record of the line that `entry` loads; a miss is charged, once per access. */
static uint32_t look_up(tn_core *core, const struct tn_entry *entry)
{
    struct tn_ll *ll = &core->ll;
    uint64_t number = entry->line >> ll->line_bits, set = set_of(ll, number);
    uint64_t *tags = &ll->tags[set * ll->assoc];
    uint32_t place = place_of(ll, tags, number);
    uint64_t tag = tags[place];
    bool hit = tag >> ll->slot_bits == number + 1;
    /* A set fills its slots in the order of its places. */
    uint32_t slot = tag ? (uint32_t)tag & ((1u << ll->slot_bits) - 1) : place;
    for (uint32_t i = place; i > 0; i--)
        tags[i] = tags[i - 1];
    tags[0] = (number + 1) << ll->slot_bits | slot;
    uint32_t *record = &ll->slots[set * ll->assoc + slot];
    if (!(entry->flags & TN_ENTRY_SECOND))
        ll->access_missed = false;
    if (hit)
        return *record;
    if (!ll->access_missed)
        charge_miss(core, entry, TN_LEVEL_LL);
    ll->access_missed = true;
    return fill(core, entry, record);
}

/* ------------------------------------------------------------------------------------------ the queue */

static void consume(tn_core *core, const struct tn_entry *entry)
{
    struct tn_l1 *l1 = entry->flags & TN_ENTRY_DATA ? entry->thread->d1 : entry->thread->i1;
    struct tn_stay *stay = &l1->stays[entry->way];
    if (entry->flags & TN_ENTRY_SPILL) {
        stay->touches += entry->use & ((1ull << TN_TOUCH_BITS) - 1);
        stay->bytes += entry->use >> TN_TOUCH_BITS;
        return;
    }
    if (stay->record)
        stay_end(core, l1, stay, entry);
    if (entry->flags & TN_ENTRY_FLUSH)
        return;
    if (!(entry->flags & TN_ENTRY_SECOND))
        charge_miss(core, entry, TN_LEVEL_1);
    stay_begin(core, stay, entry, look_up(core, entry));
}

static void prefetch_set(const struct tn_ll *ll, const struct tn_entry *entry)
{
    const uint64_t *tags = &ll->tags[set_of(ll, entry->line >> ll->line_bits) * ll->assoc];
    __builtin_prefetch(tags, 1);
    __builtin_prefetch(tags + 8, 1);
}

static void prefetch_record(const struct tn_ll *ll, const struct tn_entry *entry)
{
    const struct tn_l1 *l1 = entry->flags & TN_ENTRY_DATA ? entry->thread->d1 : entry->thread->i1;
    __builtin_prefetch(record_at(ll, l1->stays[entry->way].record), 1);
}

void tn_ll_drain(tn_core *core)
{
    struct tn_ll *ll = &core->ll;
    const struct tn_entry *queue = core->queue;
    uint32_t n = core->queued;
    for (uint32_t i = 0; i < n; i++) {
        if (i + AHEAD_SET < n)
            prefetch_set(ll, &queue[i + AHEAD_SET]);
        if (i + AHEAD_RECORD < n)
            prefetch_record(ll, &queue[i + AHEAD_RECORD]);
        consume(core, &queue[i]);
    }
    core->queued = 0;
    core->drains++;
    core->nodes_summed += core->forest.now;
}

void tn_ll_flush(tn_core *core, uint64_t now)
{
    struct tn_ll *ll = &core->ll;
    for (uint64_t i = 0; i < ll->sets * ll->assoc; i++) {
        if (!ll->slots[i])
            continue;
        struct tn_record *record = record_at(ll, ll->slots[i]);
        record->resident = false;
        if (record->holders == 0)
            record_end(core, ll->slots[i], now);
        ll->slots[i] = 0;
    }
    memset(ll->tags, 0, ll->sets * ll->assoc * sizeof *ll->tags);
}
