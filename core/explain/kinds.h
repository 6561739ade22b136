/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h: why a line that is asked for is not in a cache (docs/model.md, section 14).
 *
 * A line that the cache never had is missed *cold*. Of the others, a *ghost* says when they were used last: one table,
 * in which each line has one place that it shares with others. The *horizon* is the median, over the sets, of the last
 * use of the line that left each of them last: lines used before it would be gone from most sets (capacity), and those
 * used after it would still be there, had they been in another set (conflict).
 *
 *   all times are stamps, on the clock of whoever uses the cache: they are only compared
 *   a ghost is there from a line's leaving until it comes back, or another line takes its place in the table
 *   the horizon is taken anew after as many loads as there are sets
 *   a trace is there as long as a ghost would be, in a table of its own
 *
 * Everything here belongs to the consumer (queue.h), which finds it as late as the misses themselves.
 */
#ifndef TENURE_CORE_KINDS_H
#define TENURE_CORE_KINDS_H

#include "core/base/machine.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_geometry;

/* In the order of events.inc. Taken: it was there, but another thread's write had made it invalid (coherence.h). */
enum tn_miss_kind { TN_MISS_Cold, TN_MISS_Cap, TN_MISS_Conf, TN_MISS_Taken };

enum {
    TN_GHOSTS_PER_LINE = 4, /* of the cache, at least */
    TN_SEEN_BITS = 15,      /* lines of a leaf of `seen` */
    TN_SEEN_LEAVES = 1 << 14,
    TN_SEEN_TABLES = 1 << 15,
    TN_LINE_NUMBER_BITS = TN_ADDRESS_BITS - 4, /* of the smallest lines (TN_MIN_LINE) */
};

/* What is in a place of the cache. */
struct tn_stored {
    uint64_t line; /* its number + 1; 0: none */
    uint64_t used; /* last */
};

struct tn_ghost {
    uint64_t line; /* its number + 1; 0: none */
    uint64_t used;
};

/* Where pairs are kept (pairs.h): who pays for a line that is there, in which epoch; 0: nobody. Fresh: nobody has used
 * it since it was loaded; below the first level. */
struct tn_loaded {
    uint32_t loader, epoch;
    bool fresh;
};

/* The same of one that has left, and who pays, in that epoch, for the load that threw it out. There are more of them
 * than ghosts, since they are wanted for lines that come back late. */
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
    uint64_t *gone;          /* by set: when the line that left it last was used last; 0: none has left */
    uint64_t *sorting;       /* as many */
    uint64_t horizon, loads; /* loads: since the horizon was taken */
    uint64_t lines, sets;
    uint32_t line_bits, ghost_shift, trace_shift;
    uint64_t ***seen; /* by number, from its high bits down: tables, leaves, words of one bit a line */
};

/* A line at an address comes into a place of a set, now; `payer`, `epoch`: as struct tn_loaded has them. */
struct tn_load {
    uint64_t place, set, line, now;
    uint32_t payer, epoch;
};

/* What was known of a line that comes in again. */
struct tn_known {
    uint64_t used;            /* last; 0: not known */
    uint32_t loader, evictor; /* who paid, in this epoch; 0: nobody, or not known */
};

/* `traces`: at least so many; 0: pairs are not kept. */
struct tn_kinds *tn_kinds_new(const struct tn_geometry *geometry, uint64_t traces);
/* NULL is allowed, here and below. */
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

/* What tn_kinds_load will read is fetched, as far as it is known beforehand. */
static inline void tn_kinds_fetch(const struct tn_kinds *kinds, uint64_t place, uint64_t line)
{
    uint64_t number = tn_kinds_number(kinds, line);
    __builtin_prefetch(&kinds->held[place], 1);
    __builtin_prefetch(tn_ghost_of(kinds, number), 1);
    if (kinds->traces)
        __builtin_prefetch(tn_trace_of(kinds, number), 1);
}

/* The same where the line that leaves the place is known to be in `held`: where its trace goes. */
static inline void tn_kinds_fetch_victim(const struct tn_kinds *kinds, uint64_t place)
{
    if (!kinds->traces)
        return;
    __builtin_prefetch(&kinds->loaded[place], 1);
    if (kinds->held[place].line)
        __builtin_prefetch(tn_trace_of(kinds, kinds->held[place].line - 1), 1);
}

/* The line comes in; what was in its place leaves. Why it was not there, and what was known of it. */
enum tn_miss_kind tn_kinds_load(struct tn_kinds *kinds, const struct tn_load *load, struct tn_known *known);

#endif
