/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lower.c: consuming the entries of a ring; see lower.h.
 *
 * For each entry, in order: the victim's use is charged to its loader and folded into the record it was filled
 * from; the miss is charged; the line's record is found or begun, which may ask the next level in the same way; the
 * way's new stay begins. The level below was asked for the line's place before, in the order of entries too.
 *
 * Usually lines have one size, sets the compact form, and no write-backs, prefetching or coherence is simulated. The
 * same code is compiled for this case apart: `plain` is then a constant, and what asks for the rest is not there. With
 * an L2 the last level is then asked ahead, too, for the lines that L2 does not have.
 */
#include "lower.h"

#include "also_take.h"
#include "charge.h"
#include "coherence.h"
#include "core/attribute/objects.h"
#include "core/core.h"
#include "core/explain/pairs.h"
#include "core/explain/pattern.h"
#include "core/host.h"

/* An engine may compile this file once more, for its consumer alone (tn_taker). */
#ifdef TN_TAKER_FOR
#define TN_TAKER_ONLY
tn_taker *TN_TAKER_FOR(const struct tn_config *config);
#else
#define TN_TAKER_FOR tn_taker_for
#endif

/* ------------------------------------------------------------------------------------------ charging */

/* Where in its data object the line lies that an entry loads; 0: in none. */
TN_ALWAYS_INLINE uint32_t slice_of(tn_core *core, const struct tn_entry *entry)
{
    if (!core->data || !entry->late || entry->flags & TN_ENTRY_FETCH)
        return 0;
    struct tn_slices *slices = &core->data->slices;
    struct tn_share *share = tn_share_with(entry->late);
    if (entry->flags & TN_ENTRY_AHEAD && tn_has_offsets(tn_data_object_of(core->data, share->object)))
        return tn_slice_unasked(slices, core->data, share->object);
    uint32_t slice = tn_slice_inside(&share->inside, slices->line, entry->address, entry->unit, entry->reach);
    return slice ? slice
                 : tn_slice_of(slices, tn_data_object_of(core->data, share->object), share->object, entry->address,
                               entry->unit, entry->reach, &share->inside);
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
    if (record->state & TN_RECORD_RESIDENT)
        return record;
    struct tn_displaced *displaced = *displaced_link(lower, home);
    return displaced ? &displaced->record : NULL;
}

/* A blank record for the slot, whose last line has left. */
static struct tn_record *record_at(tn_core *core, struct tn_lower *lower, uint64_t home)
{
    if (++core->records_live > core->records_max)
        core->records_max = core->records_live;
    if (!(lower->homes[home].state & TN_RECORD_LIVE))
        return &lower->homes[home];
    struct tn_displaced *displaced = tn_pool_get(&core->displaced_pool);
    struct tn_displaced **link = &lower->displaced[home % TN_DISPLACED_BUCKETS];
    *displaced = (struct tn_displaced){.next = *link, .home = home};
    *link = displaced;
    return &displaced->record;
}

/* ------------------------------------------------------------------------------------------ records */

/* The mask of a line, in the granules of a line that contains it at `offset`. */
static uint64_t widen_mask(const struct tn_shape *to, const struct tn_shape *from, uint64_t mask, uint32_t offset)
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

/* The displaced record that this one is; NULL: it is at home. Members that few records have lie in arrays beside those
 * at home, and in displaced ones. */
static struct tn_displaced *displaced_of(struct tn_record *record)
{
    return record->state & TN_RECORD_DISPLACED ? (struct tn_displaced *)record : NULL;
}

/* The granules that were written back into a record. */
static uint64_t *written_of(struct tn_lower *lower, struct tn_record *record)
{
    struct tn_displaced *displaced = displaced_of(record);
    return displaced ? &displaced->written : &lower->written[record - lower->homes];
}

/* The slice of a record in its data object, if slices are kept. */
static uint32_t *slice_at(struct tn_lower *lower, struct tn_record *record)
{
    struct tn_displaced *displaced = displaced_of(record);
    return displaced ? &displaced->slice : &lower->slices[record - lower->homes];
}

/* The record of the next level that a record was filled from. */
static struct tn_record **parent_of(struct tn_lower *lower, struct tn_record *record)
{
    struct tn_displaced *displaced = displaced_of(record);
    return displaced ? &displaced->parent : &lower->parents[record - lower->homes];
}

static __attribute__((noinline)) void record_end(tn_core *core, struct tn_lower *lower,
                                                 struct tn_record *record, uint64_t now);

/* What a stay, or a record, leaves to the record that it was filled from: its use, and its granules touched and
 * written. */
struct past {
    struct tn_tenure tenure;
    uint64_t mask, written;
};

/* What was filled from `record` of `lower`, at `offset` in its line, is gone: the record takes its use over, and ends
 * if it was all that kept the record. */
TN_ALWAYS_INLINE void fold_into_record(tn_core *core, struct tn_lower *lower, struct tn_record *record,
                                       const struct tn_shape *from, const struct past *past, uint32_t offset,
                                       uint64_t now, bool plain)
{
    record->touches += past->tenure.touches;
    record->bytes += past->tenure.bytes;
    record->mask |= plain ? past->mask : widen_mask(&lower->shape, from, past->mask, offset);
    if (!plain && past->written)
        *written_of(lower, record) |= widen_mask(&lower->shape, from, past->written, offset);
    if (!(--record->state & (TN_RECORD_HOLDERS | TN_RECORD_RESIDENT)))
        record_end(core, lower, record, now);
}

static uint32_t offset_in_parent(const struct tn_record *record)
{
    return (record->state >> TN_RECORD_UNIT_SHIFT & 63) * TN_MIN_LINE;
}

/* Charge a record's tenure, which ends. */
TN_ALWAYS_INLINE void tenure_end(tn_core *core, struct tn_lower *lower, struct tn_record *record, struct past *past,
                                 uint64_t now)
{
    const struct tn_shape *shape = &lower->shape;
    struct payers payers = {record->late, record->of_node};
    past->mask = record->mask & shape->mask_valid;
    past->tenure = (struct tn_tenure){record->touches, record->bytes, tn_count_bits(past->mask) << shape->granule_bits,
                                      age_of(record->loaded, now)};
    if (core->config.use && record->epoch == core->epoch) {
        charge_tenure(&payers, &past->tenure);
        if (lower->slices && *slice_at(lower, record))
            charge_slice_end(&core->data->slices, *slice_at(lower, record), past->mask, true);
    }
    if (record->node)
        record->node->live--;
}

static void write_back(tn_core *core, struct tn_lower *lower, struct tn_record *record, struct past *past)
{
    struct payers payers = {record->late, record->of_node};
    past->written = *written_of(lower, record) & lower->shape.mask_valid;
    if (past->written && record->epoch == core->epoch)
        charge_write_back(&payers, tn_count_bits(past->written) << lower->shape.granule_bits);
}

/* The line and all copies above are gone: charge, fold, free. */
static void record_end(tn_core *core, struct tn_lower *lower, struct tn_record *record, uint64_t now)
{
    struct past past = {.written = 0};
    tenure_end(core, lower, record, &past, now);
    if (lower->written)
        write_back(core, lower, record, &past);
    if (lower->next)
        fold_into_record(core, lower->next, *parent_of(lower, record), &lower->shape, &past,
                         offset_in_parent(record), now, false);
    record->state &= ~TN_RECORD_LIVE;
    core->records_live--;
    if (record->state & TN_RECORD_DISPLACED)
        tn_pool_put(&core->displaced_pool, record);
}

/* The line in a slot, if there is one, leaves its cache. */
static void slot_leaves(tn_core *core, struct tn_lower *lower, uint64_t home, uint64_t now)
{
    struct tn_record *record = resident_at(lower, home);
    if (!record)
        return;
    if (record->state & TN_RECORD_DISPLACED) {
        struct tn_displaced **link = displaced_link(lower, home);
        *link = (*link)->next;
    }
    record->state &= ~TN_RECORD_RESIDENT;
    if (!(record->state & TN_RECORD_HOLDERS))
        record_end(core, lower, record, now);
}

/* ------------------------------------------------------------------------------------------ level-1 tenures */

TN_ALWAYS_INLINE void stay_end(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken, bool plain)
{
    const struct tn_entry *entry = taken->entry;
    struct tn_stay *stay = taken->stay;
    const struct tn_shape *shape = plain ? &lower->shape : &taken->l1->shape;
    struct past past = {.mask = entry->mask & shape->mask_valid,
                        .written = plain || !lower->written ? 0 : entry->written & shape->mask_valid};
    past.tenure =
        (struct tn_tenure){stay->touches + (entry->use & ((1ull << TN_TOUCH_BITS) - 1)),
                           stay->bytes + (entry->use >> TN_TOUCH_BITS),
                           tn_count_bits(past.mask) << shape->granule_bits, age_of(stay->loaded, entry->stamp)};
    struct payers payers = {stay->near, stay->of_node};
    bool pays = stay->epoch == core->epoch;
    if (pays && core->config.use) {
        charge_tenure(&payers, &past.tenure);
        if (stay->slice)
            charge_slice_end(&core->data->slices, stay->slice, past.mask, false);
    }
    if (!plain && pays && past.written)
        charge_write_back(&payers, tn_count_bits(past.written) << shape->granule_bits);
    if (!plain && taken->l1->coherent)
        tn_coherent_end(core, taken->l1->coherent, entry, past.mask, pays ? payers.centre : NULL, payers.node);
    if (stay->node)
        stay->node->seen++;
    fold_into_record(core, lower, stay->record, shape, &past, stay->offset * TN_MIN_LINE, entry->stamp, plain);
    stay->record = NULL;
}

TN_ALWAYS_INLINE void stay_begin(const tn_core *core, const struct tn_lower *lower, const struct tn_taken *taken,
                                 struct tn_record *record, bool plain)
{
    const struct tn_entry *entry = taken->entry;
    struct tn_stay *stay = taken->stay;
    stay->record = record;
    stay->near = taken->near;
    stay->of_node = taken->of_node;
    stay->node = entry->node;
    stay->loaded = entry->stamp;
    stay->touches = stay->bytes = 0;
    stay->slice = taken->slice;
    stay->epoch = core->epoch & ((1u << TN_EPOCH_BITS) - 1);
    stay->offset = plain ? 0 : (entry->address & (lower->shape.line - 1)) / taken->l1->shape.line *
                                   (taken->l1->shape.line / TN_MIN_LINE) & 63;
    record->state++;
}

/* ------------------------------------------------------------------------------------------ look-up */

static struct tn_record *ask_level(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken);

static uint64_t home_of(const struct tn_lower *lower, const struct tn_place *place)
{
    return place->slot * lower->sets.sets + place->set;
}

/* The tenure of the line that `entry` loads begins. */
TN_ALWAYS_INLINE void tenure_begin(tn_core *core, struct tn_lower *lower, struct tn_record *record,
                                   const struct tn_taken *taken, const struct payers *payers, uint32_t state)
{
    const struct tn_entry *entry = taken->entry;
    record->node = entry->node;
    record->late = payers->centre;
    record->of_node = payers->node;
    record->loaded = entry->stamp;
    record->touches = record->bytes = record->mask = 0;
    record->epoch = core->epoch;
    record->state = state | TN_RECORD_RESIDENT | TN_RECORD_LIVE | (uint32_t)stream_of(entry) << TN_RECORD_STREAM_SHIFT;
    if (lower->slices)
        *slice_at(lower, record) = taken->slice;
    if (entry->node)
        entry->node->live++;
}

/* The new record holds the one of the next level. */
static void filled_from(struct tn_lower *lower, struct tn_record *record, struct tn_record *parent, uint64_t address)
{
    uint64_t line = address & ~(uint64_t)(lower->shape.line - 1);
    record->state |= (line & (lower->next->shape.line - 1)) / TN_MIN_LINE << TN_RECORD_UNIT_SHIFT;
    *parent_of(lower, record) = parent;
    parent->state++;
}

/* Load the line: first the line in its slot leaves, then the next level is asked. */
static struct tn_record *fill_slot(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                   const struct tn_place *place, const struct payers *payers)
{
    const struct tn_entry *entry = taken->entry;
    uint64_t home = home_of(lower, place);
    lower->filled[place->set / TN_GROUP] = 1;
    slot_leaves(core, lower, home, entry->stamp);
    if (core->coherence && lower->level == TN_LEVEL_2)
        tn_coherent_filled(core, lower, entry->address & ~(uint64_t)(lower->shape.line - 1));
    struct tn_record *parent = lower->next ? ask_level(core, lower->next, taken) : NULL;
    struct tn_record *record = record_at(core, lower, home);
    uint32_t ahead = entry->flags & TN_ENTRY_AHEAD ? TN_RECORD_AHEAD : 0;
    tenure_begin(core, lower, record, taken, payers, ahead | (record != &lower->homes[home] ? TN_RECORD_DISPLACED : 0));
    if (lower->written)
        *written_of(lower, record) = 0;
    if (parent)
        filled_from(lower, record, parent, entry->address);
    return record;
}

/* ------------------------------------------------------------------------------------------ stack distances */

/* Use the line: look up its place, and where stack distances are kept, its distance. */
TN_ALWAYS_INLINE void use_place(struct tn_lower *lower, struct tn_place *place, bool compact)
{
    struct tn_ask ask, *asked = lower->distances ? &ask : NULL;
    if (compact)
        tn_compact_use(&lower->sets, place, asked);
    else
        tn_sets_use(&lower->sets, place, asked);
    if (asked)
        place->distance = (uint8_t)tn_distance_use(lower->distances, place->set, asked);
}

/* An access asks for a line whose distance has this event: it is charged the event and all before it, each once, to who
 * pays for the first of its lines that goes so far. What is counted is the last event of each charge, less those that
 * were charged already (raw_write.c adds them up). */
static __attribute__((noinline)) void charge_distance(tn_core *core, struct tn_lower *lower,
                                                      const struct tn_taken *taken, uint32_t event)
{
    struct tn_distances *last = lower->distances;
    uint64_t access = taken->entry->stamp >> TN_STEP_BITS;
    uint32_t charged = access == last->access && taken->l1 == last->through ? last->largest : 0;
    if (event <= charged)
        return;
    struct payers payers = payers_below(core, taken, lower->level);
    charge_payers(&payers, core->pools.distances + event - 1, 1);
    if (charged)
        charge_payers(&payers, core->pools.distances + charged - 1, -1ull);
    last->access = access;
    last->through = taken->l1;
    last->largest = event;
}

/* ------------------------------------------------------------------------------------------ kinds of misses */

/* The entry's access is the first to use the line in this place since it was loaded, at clock `now`. */
static void use_fresh_line(tn_core *core, const struct tn_entry *entry, const struct tn_kinds *kinds, uint64_t place,
                           enum tn_level level, uint64_t now)
{
    const struct tn_loaded *loaded = &kinds->loaded[place];
    if (!entry->late)
        return;
    uint32_t loader = loaded->epoch == core->epoch ? loaded->loader : 0;
    const struct tn_pair who = {.loader = loader, .payer = entry->late->near, .level = level};
    tn_pair_miss(core->reuses, &who, true, age_of(kinds->held[place].used, now));
}

/* The entry says that a line of level 1 is used for the first time since its load. */
static __attribute__((noinline)) void use_fresh_line_near(tn_core *core, const struct tn_taken *taken)
{
    use_fresh_line(core, taken->entry, taken->l1->kinds, taken->entry->way, TN_LEVEL_1, taken->own);
}

/* A line of a level below the first is used again. The prefetcher does not count as a user. */
static inline void use_found_line(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                  const struct tn_place *place)
{
    const struct tn_entry *entry = taken->entry;
    struct tn_kinds *kinds = lower->kinds;
    uint64_t home = home_of(lower, place);
    if (lower->distances && !(entry->flags & TN_ENTRY_AHEAD))
        charge_distance(core, lower, taken, place->distance);
    if (!kinds)
        return;
    if (kinds->loaded && kinds->loaded[home].fresh && !(entry->flags & TN_ENTRY_AHEAD)) {
        use_fresh_line(core, entry, kinds, home, lower->level, entry->stamp);
        kinds->loaded[home].fresh = false;
    }
    kinds->held[home].used = entry->stamp;
}

/* A line comes into its place in a lower level. Returns why it was not there, and *known: what was known of it. */
static inline enum tn_miss_kind load_kind(const tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                          const struct tn_place *place, struct tn_known *known)
{
    const struct tn_entry *entry = taken->entry;
    if (!lower->kinds)
        return TN_MISS_Cold;
    struct tn_load load = {home_of(lower, place), place->set, entry->address, entry->stamp,
                           entry->late ? entry->late->near : 0, core->epoch};
    return tn_kinds_load(lower->kinds, &load, known);
}

/* A line has to be loaded again, at clock `now`: this is charged to the pair of who threw it out and who pays. */
static void charge_pair(tn_core *core, const struct tn_entry *entry, enum tn_level level, const struct tn_known *known,
                        uint64_t now)
{
    const struct tn_pair who = {.loader = known->loader,
                                .evictor = known->evictor,
                                .payer = entry->late->near,
                                .level = level};
    tn_pair_miss(core->pairs, &who, known->used != 0, age_of(known->used, now));
}

/* A miss is charged by its kind. known: what was known of the line; NULL: pairs are not kept. */
static inline void charge_kind(tn_core *core, const struct payers *payers, const struct tn_entry *entry,
                               enum tn_level level, enum tn_miss_kind kind, const struct tn_known *known,
                               uint64_t set, uint64_t now)
{
    if (kind == TN_MISS_Taken)
        return;
    charge_payers(payers, core->pools.kinds + kind, 1);
    if (kind != TN_MISS_Cold && known && entry->late)
        charge_pair(core, entry, level, known, now);
    if (kind == TN_MISS_Conf && entry->late)
        tn_pattern_conflict(core->patterns, entry->late, level, set);
}

/* A line of level 1 comes into its way, and if the access has not missed before, this is its miss. */
static __attribute__((noinline)) void charge_near_kind(tn_core *core, const struct tn_taken *taken)
{
    const struct tn_entry *entry = taken->entry;
    const struct tn_l1 *l1 = taken->l1;
    struct payers payers = {taken->near, taken->of_node};
    uint64_t set = tn_set_of(entry->address >> l1->shape.line_bits, l1->sets, l1->set_mask);
    l1->kinds->held[entry->way].used = taken->used;
    uint64_t used = taken->own - (entry->flags & TN_ENTRY_AHEAD ? 1 : 0); /* what nobody asks for, just before */
    struct tn_load load = {entry->way, set, entry->address, used, entry->late ? entry->late->near : 0, core->epoch};
    struct tn_known known;
    enum tn_miss_kind kind = tn_kinds_load(l1->kinds, &load, &known);
    if (entry->flags & (TN_ENTRY_SECOND | TN_ENTRY_AHEAD))
        return;
    charge_kind(core, &payers, entry, TN_LEVEL_1, kind, l1->kinds->traces ? &known : NULL, set, taken->own);
}

/* A miss at a level below the first, of a line that comes into the place: charged, once per access. */
static inline void charge_lower_miss(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                     const struct tn_place *place, const struct payers *payers)
{
    struct tn_known known;
    enum tn_miss_kind kind = load_kind(core, lower, taken, place, &known);
    uint64_t access = taken->entry->stamp >> TN_STEP_BITS;
    if (lower->distances)
        charge_distance(core, lower, taken, place->hit ? TN_DISTANCE_EVENTS : place->distance);
    if (access == lower->missed_access && taken->l1 == lower->missed_through)
        return;
    lower->missed_access = access;
    lower->missed_through = taken->l1;
    lower->misses++;
    charge_miss(payers, taken->entry->flags);
    if (lower->slices && taken->slice)
        charge_slice_miss(&core->data->slices, taken->slice, taken->entry, true);
    if (lower->kinds)
        charge_kind(core, payers, taken->entry, lower->level, kind, lower->kinds->traces ? &known : NULL, place->set,
                    taken->entry->stamp);
}

/* The record of the line that comes in, after its place was looked up. */
static __attribute__((noinline)) struct tn_record *record_in(tn_core *core, struct tn_lower *lower,
                                                             const struct tn_taken *taken,
                                                             const struct tn_place *place)
{
    struct tn_record *record = place->hit ? resident_at(lower, home_of(lower, place)) : NULL;
    if (record) {
        use_found_line(core, lower, taken, place);
        return record;
    }
    struct payers payers = payers_below(core, taken, lower->level);
    if (taken->entry->flags & TN_ENTRY_AHEAD) {
        load_kind(core, lower, taken, place, &(struct tn_known){0});
        charge_payers(&payers, core->pools.prefetched + TN_PREFETCH_Pf, 1);
    } else {
        charge_lower_miss(core, lower, taken, place, &payers);
    }
    return fill_slot(core, lower, taken, place, &payers);
}

/* The record's line can leave, and another one begin in its place, without asking whether anybody holds it. */
static inline bool is_usual(const struct tn_place *place, const struct tn_record *record)
{
    return !place->hit && (record->state & (TN_RECORD_RESIDENT | TN_RECORD_HOLDERS)) == TN_RECORD_RESIDENT;
}

/* The same in the usual case: `record` is at home in the place, and next comes the memory. */
static __attribute__((noinline)) void record_anew(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                                  const struct tn_place *place, struct tn_record *record)
{
    const struct tn_entry *entry = taken->entry;
    struct payers payers = payers_below(core, taken, TN_LEVEL_LL);
    struct past past;
    charge_lower_miss(core, lower, taken, place, &payers);
    tenure_end(core, lower, record, &past, entry->stamp);
    tenure_begin(core, lower, record, taken, &payers, 0);
}

/* The record of a line in the last level, of which the place is known and `home` is the record at home there. */
static inline struct tn_record *record_known(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                             const struct tn_place *place, struct tn_record *home)
{
    if (place->hit && home->state & TN_RECORD_RESIDENT) {
        use_found_line(core, lower, taken, place);
        return home;
    }
    if (!is_usual(place, home))
        return record_in(core, lower, taken, place);
    record_anew(core, lower, taken, place, home);
    return home;
}

/* The usual case of an L2 whose lines have the size of those of the last level. */
static __attribute__((noinline)) void record_anew_of_two(tn_core *core, struct tn_lower *lower,
                                                         const struct tn_taken *taken, struct tn_record *record)
{
    const struct tn_entry *entry = taken->entry;
    struct payers payers = payers_below(core, taken, TN_LEVEL_2);
    struct past past;
    charge_lower_miss(core, lower, taken, &taken->place, &payers);
    tenure_end(core, lower, record, &past, entry->stamp);
    fold_into_record(core, lower->next, *parent_of(lower, record), &lower->shape, &past, 0, entry->stamp, true);
    struct tn_record *parent = record_known(core, lower->next, taken, &taken->below, taken->home_below);
    tenure_begin(core, lower, record, taken, &payers, 0);
    filled_from(lower, record, parent, entry->address);
}

static struct tn_record *ask_level(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken)
{
    struct tn_place place;
    if (taken->asked)
        return record_known(core, lower, taken, &taken->below, taken->home_below);
    tn_sets_split(&lower->sets, taken->entry->address, &place);
    use_place(lower, &place, false);
    return record_in(core, lower, taken, &place);
}

/* A prefetcher sees what level 1 asks for, and may ask for a line further on. */
static void ask_prefetcher(tn_core *core, const struct tn_taken *taken, enum tn_prefetching which)
{
    struct tn_lower *lower = taken->l1->next;
    struct tn_entry ahead = *taken->entry;
    int64_t blocks =
        tn_prefetcher_see(taken->l1->prefetcher, which, ahead.address, lower->shape.line_bits, taken->instr);
    struct tn_slices *slices = core->data ? &core->data->slices : NULL;
    uint32_t slice = 0;
    if (!blocks)
        return;
    ahead.address = (ahead.address & ~(uint64_t)(lower->shape.line - 1)) + (uint64_t)blocks * lower->shape.line;
    ahead.flags |= TN_ENTRY_AHEAD;
    if (taken->slice)
        slice = tn_slice_unasked(slices, core->data, tn_slice_at(slices, taken->slice)->object);
    ask_level(core, lower, &(struct tn_taken){.entry = &ahead, .l1 = taken->l1, .node = taken->node, .slice = slice});
}

/* An access asks for the record's line: if a prefetch brought it, or what it was filled from, that was of use. */
static void use_prefetched(tn_core *core, struct tn_lower *lower, struct tn_record *record)
{
    if (record->state & TN_RECORD_AHEAD && record->epoch == core->epoch)
        charge_payers(&(struct payers){record->late, record->of_node}, core->pools.prefetched + TN_PREFETCH_PfU, 1);
    record->state &= ~(uint32_t)TN_RECORD_AHEAD;
    if (lower->next)
        use_prefetched(core, lower->next, *parent_of(lower, record));
}

/* The record of the line that level 1 asks for, where there are prefetchers. */
static __attribute__((noinline)) struct tn_record *record_foreseen(tn_core *core, struct tn_lower *lower,
                                                                   const struct tn_taken *taken)
{
    for (enum tn_prefetching which = 0; which < TN_PREFETCH_D1; which++)
        if (core->config.prefetch[which])
            ask_prefetcher(core, taken, which);
    struct tn_record *record = ask_level(core, lower, taken);
    if (!(taken->entry->flags & TN_ENTRY_AHEAD))
        use_prefetched(core, lower, record);
    return record;
}

/* An access asks for a line that D1's prefetcher has loaded. */
static __attribute__((noinline)) void use_asked(tn_core *core, struct tn_lower *lower, const struct tn_stay *stay)
{
    if (stay->epoch == (core->epoch & ((1u << TN_EPOCH_BITS) - 1)))
        charge_payers(&(struct payers){stay->near, stay->of_node}, core->pools.prefetched + TN_PREFETCH_PfU, 1);
    use_prefetched(core, lower, stay->record);
}

/* ------------------------------------------------------------------------------------------ one entry */

static void spill_stay(struct tn_stay *stay, const struct tn_entry *entry)
{
    stay->touches += entry->use & ((1ull << TN_TOUCH_BITS) - 1);
    stay->bytes += entry->use >> TN_TOUCH_BITS;
}

TN_ALWAYS_INLINE struct tn_record *record_of(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken,
                                             bool plain)
{
    if (!plain && core->pools.prefetched)
        return record_foreseen(core, lower, taken);
    struct tn_record *record = taken->home;
    if (taken->place.hit && record->state & TN_RECORD_RESIDENT) {
        use_found_line(core, lower, taken, &taken->place);
        return record;
    }
    if (!plain || !is_usual(&taken->place, record))
        return record_in(core, lower, taken, &taken->place);
    if (lower->next)
        record_anew_of_two(core, lower, taken, record);
    else
        record_anew(core, lower, taken, &taken->place, record);
    return record;
}

TN_ALWAYS_INLINE void consume_entry(tn_core *core, struct tn_lower *lower, const struct tn_taken *taken, bool plain)
{
    const struct tn_entry *entry = taken->entry;
    struct tn_stay *stay = taken->stay;
    if ((entry->flags & TN_ENTRY_TOLD) == TN_ENTRY_TOLD) { /* before those whose bits it has */
        charge_page(&(struct payers){taken->near, taken->of_node}, entry, core->pools.tlb);
        if (entry->node)
            entry->node->seen++;
        return;
    }
    if (!plain && (entry->flags & TN_ENTRY_ASKED) == TN_ENTRY_ASKED) {
        use_asked(core, lower, stay);
        return;
    }
    if (entry->flags & TN_ENTRY_SPILL) {
        spill_stay(stay, entry);
        return;
    }
    if (entry->flags & TN_ENTRY_REUSE) {
        use_fresh_line_near(core, taken);
        return;
    }
    if (stay->record)
        stay_end(core, lower, taken, plain);
    stay->record = NULL;
    if (entry->flags & TN_ENTRY_FLUSH)
        return;
    struct payers payers = {taken->near, taken->of_node};
    if (!plain && entry->flags & TN_ENTRY_AHEAD) {
        charge_payers(&payers, core->pools.prefetched + TN_PREFETCH_Pf, 1);
    } else if (!(entry->flags & TN_ENTRY_SECOND)) {
        charge_miss(&payers, entry->flags);
        if (taken->slice)
            charge_slice_miss(&core->data->slices, taken->slice, entry, false);
        if (taken->pattern)
            tn_pattern_miss(taken->pattern, &taken->l1->seen, entry->address, core->config.sample);
    }
    if (taken->l1->kinds)
        charge_near_kind(core, taken);
    stay_begin(core, lower, taken, record_of(core, lower, taken, plain), plain);
}

/* Prefetch what the end of a stay will write. */
TN_ALWAYS_INLINE void fetch_stay(const tn_core *core, const struct tn_stay *stay)
{
    __builtin_prefetch(stay->record, 1);
    __builtin_prefetch(stay->near, 1);
    __builtin_prefetch(stay->of_node, 1);
    if (stay->node)
        __builtin_prefetch(&stay->node->late, 1);
    if (stay->slice)
        fetch_slice_end(&core->data->slices, stay->slice);
}

/* The counters of level 1 and a group, made if there are none. */
TN_ALWAYS_INLINE uint64_t *near_of(tn_core *core, struct tn_late *late, uint32_t group, bool plain)
{
    struct counters {
        uint64_t counter[TN_LATE_PER_LEVEL];
    };
    uint64_t *near;
    if (!plain || core->pools.near_counters != TN_LATE_PER_LEVEL || core->pools.groups > 1) {
        near = tn_near(&core->pools, late, group);
    } else {
        if (!late->near)
            late->near = tn_slots_get(&core->pools.near.slots);
        near = TN_ARRAY_AT(struct counters, &core->pools.near.slots.array, late->near)->counter;
    }
    __builtin_prefetch(near, 1);
    return near;
}

TN_ALWAYS_INLINE struct tn_late *late_of_node(tn_core *core, const struct tn_entry *entry)
{
    if (entry->flags & TN_ENTRY_FETCH)
        return &entry->node->late[TN_FETCH];
    return tn_late_of_node(core->data, entry->node, entry->late);
}

/* The pattern that counts the stride to this miss; NULL: strides are not kept. */
TN_ALWAYS_INLINE struct tn_pattern *pattern_of(tn_core *core, const struct tn_entry *entry)
{
    if (!core->config.strides || !entry->late || entry->flags & (TN_ENTRY_FETCH | TN_ENTRY_SECOND | TN_ENTRY_AHEAD))
        return NULL;
    struct tn_pattern *pattern = tn_pattern_of(core->patterns, entry->late);
    __builtin_prefetch(pattern, 1);
    return pattern;
}

/* Prefetch what tells why the line was missed, at level 1 and below. */
static __attribute__((noinline)) void fetch_kinds(const struct tn_lower *lower, const struct tn_taken *taken)
{
    uint64_t home = home_of(lower, &taken->place);
    tn_kinds_fetch_victim(taken->l1->kinds, taken->entry->way);
    if (!taken->place.hit)
        tn_kinds_fetch(lower->kinds, home, taken->entry->address);
    else if (lower->kinds->loaded)
        __builtin_prefetch(&lower->kinds->loaded[home], 1);
    __builtin_prefetch(&lower->kinds->held[home], 1);
}

/* The line takes its place in the level below, in the order of misses; it waits only for prefetchers, which ask as
 * well. What it leads to is fetched. */
TN_ALWAYS_INLINE void look_up_entry(tn_core *core, struct tn_lower *lower, struct tn_taken *taken, bool plain)
{
    const struct tn_entry *entry = taken->entry;
    fetch_stay(core, taken->stay);
    taken->group = core->sample.groups > 1 ? core->sample.group[tn_class_of(&core->sample, entry->address)] : 0;
    taken->near = entry->late ? near_of(core, entry->late, taken->group, plain) : core->waste;
    taken->node = entry->node ? late_of_node(core, entry) : NULL;
    taken->of_node = taken->node ? near_of(core, taken->node, taken->group, plain) : core->waste;
    if (entry->flags & (TN_ENTRY_SPILL | TN_ENTRY_FLUSH | TN_ENTRY_REUSE))
        return;
    taken->pattern = pattern_of(core, entry);
    taken->slice = slice_of(core, entry);
    if (taken->slice)
        fetch_slice_miss(&core->data->slices, taken->slice, entry);
    if (!plain && core->pools.prefetched)
        return;
    use_place(lower, &taken->place, plain);
    taken->home = &lower->homes[home_of(lower, &taken->place)];
    __builtin_prefetch(taken->home, 1);
    if (lower->slices && !taken->place.hit)
        __builtin_prefetch(&lower->slices[home_of(lower, &taken->place)], 1);
    if (taken->l1->kinds)
        fetch_kinds(lower, taken);
    taken->asked = plain && lower->next && !taken->place.hit;
    if (!taken->asked)
        return;
    tn_sets_split(&lower->next->sets, entry->address, &taken->below);
    tn_compact_prefetch(&lower->next->sets, &taken->below);
    if (lower->next->distances)
        tn_distances_fetch(lower->next->distances, taken->below.set);
    __builtin_prefetch(&lower->parents[home_of(lower, &taken->place)], 1);
}

/* L2 does not have the line: it takes its place in the last level. What the line that leaves L2 leads to is fetched. */
static inline void look_up_below(struct tn_lower *lower, struct tn_taken *taken)
{
    const struct tn_record *leaves = taken->home;
    if (!taken->asked)
        return;
    use_place(lower->next, &taken->below, true);
    taken->home_below = &lower->next->homes[home_of(lower->next, &taken->below)];
    __builtin_prefetch(taken->home_below, 1);
    if (lower->next->slices && !taken->below.hit)
        __builtin_prefetch(&lower->next->slices[home_of(lower->next, &taken->below)], 1);
    if (!(leaves->state & TN_RECORD_LIVE))
        return;
    __builtin_prefetch(lower->parents[home_of(lower, &taken->place)], 1);
    __builtin_prefetch(leaves->late, 1);
    __builtin_prefetch(leaves->of_node, 1);
}

/* Prefetch what the look-up of the entry will read. */
TN_ALWAYS_INLINE void foresee_entry(const struct tn_ring *ring, const struct tn_lower *lower,
                                    const struct tn_entry *entry, struct tn_taken *taken, bool plain)
{
    struct tn_l1 *l1 = ring->l1[stream_of(entry)];
    taken->entry = entry;
    taken->l1 = l1;
    taken->stay = &l1->stays[entry->way];
    taken->asked = false;
    if (ring->instr)
        taken->instr = ring->instr[entry - ring->entries];
    if (ring->used) {
        taken->used = ring->used[entry - ring->entries];
        taken->own = entry->stamp - ring->later;
        tn_kinds_fetch(l1->kinds, entry->way, entry->address);
    }
    __builtin_prefetch(taken->stay, 1);
    __builtin_prefetch(entry->late);
    tn_sets_split(&lower->sets, entry->address, &taken->place);
    if (plain)
        tn_compact_prefetch(&lower->sets, &taken->place);
    else
        tn_sets_prefetch(&lower->sets, &taken->place);
    if (lower->distances)
        tn_distances_fetch(lower->distances, taken->place.set);
}

TN_ALWAYS_INLINE void take_entries(tn_core *core, struct tn_ring *ring, uint64_t foresee_to, uint64_t look_up_to,
                                   uint64_t consume_to, bool plain)
{
    struct tn_lower *lower = ring->l1[TN_DATA]->next; /* of both */
    uint64_t at;
    for (at = ring->foreseen; at < foresee_to; at++)
        foresee_entry(ring, lower, &ring->entries[at & ring->mask], &ring->taken[at % TN_AHEAD], plain);
    ring->foreseen = at;
    for (at = ring->looked_up; at < look_up_to; at++)
        look_up_entry(core, lower, &ring->taken[at % TN_AHEAD], plain);
    ring->looked_up = at;
    for (at = ring->looked_up_below; plain && lower->next && at < consume_to + (look_up_to - consume_to) / 2; at++)
        look_up_below(lower, &ring->taken[at % TN_AHEAD]);
    ring->looked_up_below = at;
    if (core->pools.also && consume_to > ring->also_charged)
        also_take(ring, consume_to + TN_ALSO_BATCH < look_up_to ? consume_to + TN_ALSO_BATCH : look_up_to,
                  core->pools.also);
    for (at = ring->consumed; at < consume_to; at++)
        consume_entry(core, lower, &ring->taken[at % TN_AHEAD], plain);
    __atomic_store_n(&ring->consumed, at, __ATOMIC_RELEASE);
}

static void take_plain(tn_core *core, struct tn_ring *ring, uint64_t foresee_to, uint64_t look_up_to,
                       uint64_t consume_to)
{
    take_entries(core, ring, foresee_to, look_up_to, consume_to, true);
}

static void take_any(tn_core *core, struct tn_ring *ring, uint64_t foresee_to, uint64_t look_up_to,
                     uint64_t consume_to)
{
    take_entries(core, ring, foresee_to, look_up_to, consume_to, false);
}

static bool is_plain(const struct tn_config *config)
{
    const struct tn_geometry *next = config->l2.size ? &config->l2 : &config->ll;
    bool one_size = config->i1.line == next->line && config->d1.line == next->line && config->ll.line == next->line;
    return one_size && tn_sets_compact(next) && tn_sets_compact(&config->ll) && !config->write_back &&
           !tn_prefetches(config) && !config->coherence;
}

tn_taker *TN_TAKER_FOR(const struct tn_config *config)
{
    return is_plain(config) ? take_plain : take_any;
}

#ifndef TN_TAKER_ONLY

/* ------------------------------------------------------------------------------------------ coherence */

/* The record of a line that is there; NULL: it is not, or is invalid. */
static struct tn_record *record_of_line(struct tn_lower *lower, uint64_t line, struct tn_place *place)
{
    tn_sets_split(&lower->sets, line, place);
    tn_sets_find(&lower->sets, place);
    return place->hit ? resident_at(lower, home_of(lower, place)) : NULL;
}

bool tn_lower_has(struct tn_lower *lower, uint64_t line)
{
    struct tn_place place;
    return record_of_line(lower, line, &place) != NULL;
}

void tn_lower_take(tn_core *core, struct tn_lower *lower, uint64_t line, uint64_t now)
{
    struct tn_place place;
    if (record_of_line(lower, line, &place))
        slot_leaves(core, lower, home_of(lower, &place), now);
}

/* ------------------------------------------------------------------------------------------ the end of all */

static void flush_group(tn_core *core, struct tn_lower *lower, uint64_t first, uint64_t now)
{
    uint64_t end = first + TN_GROUP < lower->sets.sets ? first + TN_GROUP : lower->sets.sets;
    for (uint32_t slot = 0; slot < lower->sets.assoc; slot++) {
        for (uint64_t set = first; set < end; set++)
            slot_leaves(core, lower, slot * lower->sets.sets + set, now);
    }
    tn_sets_clear(&lower->sets, first, end - first);
    tn_distances_clear(lower->distances, first, end - first);
}

void tn_lower_flush(tn_core *core, struct tn_lower *lower, uint64_t now)
{
    for (uint64_t group = 0; group < tn_lower_groups(lower); group++) {
        if (lower->filled[group])
            flush_group(core, lower, group * TN_GROUP, now);
        lower->filled[group] = 0;
    }
}

#endif
