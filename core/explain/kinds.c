/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.c: cold, capacity and conflict; see kinds.h.
 *
 * A ghost that is found says that the line was there: then nothing else is asked. So what every line ever seen costs, a
 * bit in a table of three steps, is looked at only where there is no ghost.
 */
#include "kinds.h"

#include "core/host.h"
#include "core/tenure_core.h"

#include <string.h>

enum { LEAF_WORDS = (1 << TN_SEEN_BITS) / 64 };

/* How far a hash is shifted to index a table of at least so many places. */
static uint32_t shift_for(uint64_t places)
{
    uint32_t shift = 63;
    while (1ull << (64 - shift) < places)
        shift--;
    return shift;
}

static uint64_t places_of(uint32_t shift)
{
    return 1ull << (64 - shift);
}

static void kinds_init(struct tn_kinds *kinds, const struct tn_geometry *geometry, uint64_t traces)
{
    memset(kinds, 0, sizeof *kinds);
    while (1u << kinds->line_bits < geometry->line)
        kinds->line_bits++;
    kinds->lines = geometry->size / geometry->line;
    kinds->sets = kinds->lines / geometry->assoc;
    kinds->ghost_shift = shift_for(kinds->lines * TN_GHOSTS_PER_LINE);
    kinds->held = tn_host_alloc(kinds->lines * sizeof *kinds->held);
    kinds->ghosts = tn_host_alloc(places_of(kinds->ghost_shift) * sizeof *kinds->ghosts);
    if (traces) {
        uint32_t shift = shift_for(traces);
        kinds->trace_shift = shift < kinds->ghost_shift ? shift : kinds->ghost_shift;
        kinds->loaded = tn_host_alloc(kinds->lines * sizeof *kinds->loaded);
        kinds->traces = tn_host_alloc(places_of(kinds->trace_shift) * sizeof *kinds->traces);
    }
    kinds->gone = tn_host_alloc(kinds->sets * sizeof *kinds->gone);
    kinds->sorting = tn_host_alloc(kinds->sets * sizeof *kinds->sorting);
    kinds->seen = tn_host_alloc(TN_SEEN_TABLES * sizeof *kinds->seen);
}

static void free_table(uint64_t **table)
{
    for (uint32_t i = 0; i < TN_SEEN_LEAVES; i++) {
        if (table[i])
            tn_host_free(table[i], LEAF_WORDS * sizeof *table[i]);
    }
    tn_host_free(table, TN_SEEN_LEAVES * sizeof *table);
}

struct tn_kinds *tn_kinds_new(const struct tn_geometry *geometry, uint64_t traces)
{
    struct tn_kinds *kinds = tn_host_alloc(sizeof *kinds);
    kinds_init(kinds, geometry, traces);
    return kinds;
}

static void kinds_drop(struct tn_kinds *kinds)
{
    tn_host_free(kinds->held, kinds->lines * sizeof *kinds->held);
    tn_host_free(kinds->ghosts, places_of(kinds->ghost_shift) * sizeof *kinds->ghosts);
    if (kinds->traces) {
        tn_host_free(kinds->loaded, kinds->lines * sizeof *kinds->loaded);
        tn_host_free(kinds->traces, places_of(kinds->trace_shift) * sizeof *kinds->traces);
    }
    tn_host_free(kinds->gone, kinds->sets * sizeof *kinds->gone);
    tn_host_free(kinds->sorting, kinds->sets * sizeof *kinds->sorting);
    for (uint32_t i = 0; i < TN_SEEN_TABLES; i++) {
        if (kinds->seen[i])
            free_table(kinds->seen[i]);
    }
    tn_host_free(kinds->seen, TN_SEEN_TABLES * sizeof *kinds->seen);
}

void tn_kinds_free(struct tn_kinds *kinds)
{
    if (!kinds)
        return;
    kinds_drop(kinds);
    tn_host_free(kinds, sizeof *kinds);
}

void tn_kinds_reset(struct tn_kinds *kinds, const struct tn_geometry *geometry)
{
    if (!kinds)
        return;
    uint64_t traces = kinds->traces ? places_of(kinds->trace_shift) : 0;
    kinds_drop(kinds);
    kinds_init(kinds, geometry, traces);
}

/* ------------------------------------------------------------------------------------------ lines seen */

/* Whether the line was seen before. From now on it was. */
static bool see_line(struct tn_kinds *kinds, uint64_t number)
{
    uint64_t ***table = &kinds->seen[number >> TN_SEEN_BITS >> 14];
    if (!*table)
        *table = tn_host_alloc(TN_SEEN_LEAVES * sizeof **table);
    uint64_t **leaf = &(*table)[number >> TN_SEEN_BITS & (TN_SEEN_LEAVES - 1)];
    if (!*leaf)
        *leaf = tn_host_alloc(LEAF_WORDS * sizeof **leaf);
    uint64_t *word = &(*leaf)[number / 64 % LEAF_WORDS], bit = 1ull << number % 64;
    bool seen = *word & bit;
    *word |= bit;
    return seen;
}

/* ------------------------------------------------------------------------------------------ the horizon */

/* The value that would be at `want` if they were sorted. The values change places. */
static uint64_t nth_smallest(uint64_t *values, uint64_t count, uint64_t want)
{
    uint64_t low = 0, high = count - 1;
    while (low < high) {
        uint64_t pivot = values[low + (high - low) / 2], i = low, j = high;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i >= j)
                break;
            uint64_t other = values[i];
            values[i++] = values[j];
            values[j--] = other;
        }
        if (want <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[want];
}

static __attribute__((noinline)) void take_horizon(struct tn_kinds *kinds)
{
    memcpy(kinds->sorting, kinds->gone, kinds->sets * sizeof *kinds->gone);
    kinds->horizon = nth_smallest(kinds->sorting, kinds->sets, kinds->sets / 2);
    kinds->loads = 0;
}

/* ------------------------------------------------------------------------------------------ a load */

static inline enum tn_miss_kind kind_of(struct tn_kinds *kinds, uint64_t number)
{
    struct tn_ghost *ghost = tn_ghost_of(kinds, number);
    if (ghost->line != number + 1)
        return see_line(kinds, number) ? TN_MISS_Cap : TN_MISS_Cold;
    ghost->line = 0;
    return ghost->used > kinds->horizon ? TN_MISS_Conf : TN_MISS_Cap;
}

/* What the trace of a line remembers; the trace leaves the table. */
static inline struct tn_known known_of(const struct tn_kinds *kinds, uint64_t number, uint32_t epoch)
{
    struct tn_trace *trace = tn_trace_of(kinds, number);
    if (trace->line != number + 1)
        return (struct tn_known){0};
    trace->line = 0;
    bool same = trace->epoch == epoch;
    return (struct tn_known){trace->used, same ? trace->loader : 0, same ? trace->evictor : 0};
}

static inline void leave_trace(const struct tn_kinds *kinds, const struct tn_load *load)
{
    const struct tn_stored *held = &kinds->held[load->place];
    const struct tn_loaded *loaded = &kinds->loaded[load->place];
    *tn_trace_of(kinds, held->line - 1) =
        (struct tn_trace){held->line, held->used, loaded->epoch == load->epoch ? loaded->loader : 0, load->payer,
                          load->epoch};
}

enum tn_miss_kind tn_kinds_load(struct tn_kinds *kinds, const struct tn_load *load, struct tn_known *known)
{
    uint64_t number = tn_kinds_number(kinds, load->line);
    struct tn_stored *held = &kinds->held[load->place];
    enum tn_miss_kind kind = TN_MISS_Taken;
    if (held->line != number + 1) {
        kind = kind_of(kinds, number);
        if (kinds->traces)
            *known = known_of(kinds, number, load->epoch);
        if (held->line) {
            *tn_ghost_of(kinds, held->line - 1) = (struct tn_ghost){held->line, held->used};
            kinds->gone[load->set] = held->used;
            if (kinds->traces)
                leave_trace(kinds, load);
        }
        held->line = number + 1;
        if (++kinds->loads == kinds->sets)
            take_horizon(kinds);
    }
    held->used = load->now;
    if (kinds->loaded)
        kinds->loaded[load->place] = (struct tn_loaded){load->payer, load->epoch, true};
    return kind;
}
