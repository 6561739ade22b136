/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h: why a line that is asked for is not in a cache (docs/model.md, section 14).
 *
 * A miss of a line that the cache never had is *cold*. For other lines a *ghost* remembers when the line was last used.
 * Ghosts are in one table, in which several lines share a place. The *horizon* is the median, over all sets, of the
 * last use of the line that left the set last. A line that was last used before the horizon would be gone from most
 * sets (capacity). One used after it would still be there, had it been in another set (conflict).
 *
 *   all times are stamps of the clock that the cache's users share, and are only compared with each other
 *   a ghost exists from the time its line leaves until it comes back or another line takes its place in the table
 *   the horizon is computed anew after as many loads as there are sets
 *   a trace exists as long as a ghost would, in a table of its own
 *
 * All of this belongs to the consumer (queue.h).
 */
#ifndef TENURE_CORE_KINDS_H
#define TENURE_CORE_KINDS_H

#include "core/base/machine.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_geometry;

/* In the order of events.inc. Taken: another thread's write had made the line invalid (coherence.h). */
enum tn_miss_kind { TN_MISS_Cold, TN_MISS_Cap, TN_MISS_Conf, TN_MISS_Taken };

enum {
    TN_GHOSTS_PER_LINE = 4, /* places for ghosts per line of the cache, at least */
    TN_SEEN_BITS = 15,      /* a leaf of `seen` has 2^15 lines */
    TN_SEEN_LEAVES = 1 << 14,
    TN_SEEN_TABLES = 1 << 15,
    TN_LINE_NUMBER_BITS = TN_ADDRESS_BITS - 4, /* of the smallest lines (TN_MIN_LINE) */
};

/* The line in a place of the cache. */
struct tn_stored {
    uint64_t line; /* its number + 1; 0: none */
    uint64_t used; /* last */
};

struct tn_ghost {
    uint64_t line; /* its number + 1; 0: none */
    uint64_t used;
};

/* Where pairs are kept (pairs.h): which instruction pays for the line in a place, in which epoch; 0: none. Fresh: the
 * line has not been used since it was loaded (only below level 1). */
struct tn_loaded {
    uint32_t loader, epoch;
    bool fresh;
};

/* The same for a line that has left, and which instruction pays, in that epoch, for the load that evicted it. There are
 * more traces than ghosts, since they are needed for lines that come back late. */
struct tn_trace {
    uint64_t line; /* its number + 1; 0: none */
    uint64_t used;
    uint32_t loader, evictor, epoch;
};

struct tn_kinds {
    struct tn_stored *held;    /* by place */
    struct tn_ghost *ghosts; /* by tn_ghost_of */
    struct tn_loaded *loaded; /* by place; NULL: pairs are not kept */
    struct tn_trace *traces;  /* by tn_trace_of */
    uint64_t *gone;          /* by set: the last use of the line that left it last; 0: none has left */
    uint64_t *sorting;       /* room for a copy of `gone`, to find its median */
    uint64_t horizon, loads; /* loads: since the horizon was taken */
    uint64_t lines, sets;
    uint32_t line_bits, ghost_shift, trace_shift;
    uint64_t ***seen; /* by number, from its high bits down: tables, leaves, words of one bit a line */
};

/* At time `now`, the line of an address comes into a place of a set; `payer` and `epoch` as in struct tn_loaded. */
struct tn_load {
    uint64_t place, set, line, now;
    uint32_t payer, epoch;
};

/* What is remembered of a line that comes back. */
struct tn_known {
    uint64_t used;            /* the last use; 0: not known */
    uint32_t loader, evictor; /* the instructions that paid, in this epoch; 0: none, or not known */
};

/* Nothing is remembered yet; the caller frees it. `traces`: the least number of places for traces; 0: pairs are not
 * kept. */
struct tn_kinds *tn_kinds_new(const struct tn_geometry *geometry, uint64_t traces);
/* NULL is allowed, in tn_kinds_reset as well. */
void tn_kinds_free(struct tn_kinds *kinds);
/* The cache is empty, and nothing is remembered. */
void tn_kinds_reset(struct tn_kinds *kinds, const struct tn_geometry *geometry);

static inline uint64_t tn_kinds_number(const struct tn_kinds *kinds, uint64_t line)
{
    return line >> kinds->line_bits & ((1ull << TN_LINE_NUMBER_BITS) - 1);
}

/* Where the ghost or trace of a line is, if there is one. */
static inline struct tn_ghost *tn_ghost_of(const struct tn_kinds *kinds, uint64_t number)
{
    return &kinds->ghosts[number * 0x9e3779b97f4a7c15ull >> kinds->ghost_shift];
}
static inline struct tn_trace *tn_trace_of(const struct tn_kinds *kinds, uint64_t number)
{
    return &kinds->traces[number * 0x9e3779b97f4a7c15ull >> kinds->trace_shift];
}

/* Prefetch what tn_kinds_load will read, as far as the place and the line tell it. */
TN_ALWAYS_INLINE void tn_kinds_fetch(const struct tn_kinds *kinds, uint64_t place, uint64_t line)
{
    uint64_t number = tn_kinds_number(kinds, line);
    __builtin_prefetch(&kinds->held[place], 1);
    __builtin_prefetch(tn_ghost_of(kinds, number), 1);
    if (kinds->traces)
        __builtin_prefetch(tn_trace_of(kinds, number), 1);
}

/* Prefetch where the trace of the line that leaves the place will be written. */
TN_ALWAYS_INLINE void tn_kinds_fetch_victim(const struct tn_kinds *kinds, uint64_t place)
{
    if (!kinds->traces)
        return;
    __builtin_prefetch(&kinds->loaded[place], 1);
    if (kinds->held[place].line)
        __builtin_prefetch(tn_trace_of(kinds, kinds->held[place].line - 1), 1);
}

/* The line comes in, and the line in its place leaves. Returns why it was not there. *known: what is remembered of
 * it. */
enum tn_miss_kind tn_kinds_load(struct tn_kinds *kinds, const struct tn_load *load, struct tn_known *known);

#endif
