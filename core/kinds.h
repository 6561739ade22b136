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
 *   traces are read and written where their line or ghost is
 *
 * Everything here belongs to the consumer (queue.h), which finds it as late as the misses themselves.
 */
#ifndef TENURE_CORE_KINDS_H
#define TENURE_CORE_KINDS_H

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
    TN_LINE_NUMBER_BITS = 44,
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

/* Beside each of those, where pairs are kept (pairs.h): who pays for the load of the line, in which epoch; of a ghost
 * also who pays for the one that threw it out, in that epoch. 0: nobody. */
struct tn_trace {
    uint32_t loader, evictor, epoch;
};

struct tn_kinds {
    struct tn_stored *held;    /* by place */
    struct tn_ghost *ghosts; /* by tn_ghost_of */
    struct tn_trace *held_traces, *traces; /* beside `held` and `ghosts`; NULL: pairs are not kept */
    uint64_t *gone;          /* by set: when the line that left it last was used last; 0: none has left */
    uint64_t *sorting;       /* as many */
    uint64_t horizon, loads; /* loads: since the horizon was taken */
    uint64_t lines, sets;
    uint32_t line_bits, ghost_shift;
    uint64_t ***seen; /* by number, from its high bits down: tables, leaves, words of one bit a line */
};

/* A line at an address comes into a place of a set, now; `payer`, `epoch`: as struct tn_trace has them. */
struct tn_load {
    uint64_t place, set, line, now;
    uint32_t payer, epoch;
};

/* What was known of a line that comes in again. */
struct tn_known {
    uint64_t used;            /* last; 0: not known */
    uint32_t loader, evictor; /* who paid, in this epoch; 0: nobody, or not known */
};

struct tn_kinds *tn_kinds_new(const struct tn_geometry *geometry, bool pairs);
/* NULL is allowed, here and below. */
void tn_kinds_free(struct tn_kinds *kinds);
/* The cache is empty, and nothing is remembered. */
void tn_kinds_reset(struct tn_kinds *kinds, const struct tn_geometry *geometry, bool pairs);

static inline uint64_t tn_kinds_number(const struct tn_kinds *kinds, uint64_t line)
{
    return line >> kinds->line_bits & ((1ull << TN_LINE_NUMBER_BITS) - 1);
}

/* Where the ghost of a line is, if there is one. */
static inline uint64_t tn_ghost_place(const struct tn_kinds *kinds, uint64_t number)
{
    return number * 0x9e3779b97f4a7c15ull >> kinds->ghost_shift;
}

/* The line comes in; what was in its place leaves. Why it was not there, and what was known of it. */
enum tn_miss_kind tn_kinds_load(struct tn_kinds *kinds, const struct tn_load *load, struct tn_known *known);

#endif
