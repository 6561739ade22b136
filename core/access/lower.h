/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lower.h: the caches below level 1, and the consumer of what misses leave in the rings (queue.h).
 *
 * Nothing upstream depends on them. The consumer charges all late costs: level-1 misses, use of level-1 tenures that
 * end, misses and use further down. Use happens at level 1; a lower level learns of it through
 * records. A record is one stay of a line in a lower level. It outlives the stay while something above that was filled
 * from it is there (a level-1 way, or a record of the level between), collects the use of all of these, and is charged
 * when the last of them is gone.
 *
 * A record lives in the place of its slot. If it still has holders when the slot is filled again, it stays there,
 * not resident any more, and the new one is *displaced*: taken from a pool and found through a small table. So
 * records never move, and no table is asked in the usual case.
 *
 *   home(set, slot) = homes[slot * sets + set]; the record of a slot: its home if that is resident, else displaced
 *   record.holders  = number of level-1 stays and of records above that were filled from it
 *   a record is live while resident or holders > 0
 */
#ifndef TENURE_CORE_LOWER_H
#define TENURE_CORE_LOWER_H

#include "cache.h"
#include "core/attribute/cost.h"
#include "core/base/arena.h"
#include "core/explain/kinds.h"
#include "queue.h"
#include "sets.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_record {
    struct tn_node *node;
    uint64_t *late, *of_node; /* counters of this level: of the loader's centre and of its node (struct payers) */
    uint64_t loaded, touches, bytes, mask;
    uint32_t epoch;
    uint32_t state; /* TN_RECORD_* */
};

enum {
    TN_RECORD_HOLDERS = (1 << 20) - 1, /* how many, in the low bits */
    TN_RECORD_UNIT_SHIFT = 20,         /* 6 bits: the line's offset inside its parent's, in TN_MIN_LINE */
    TN_RECORD_STREAM_SHIFT = 26,
    TN_RECORD_RESIDENT = 1 << 27,
    TN_RECORD_LIVE = 1 << 28,
    TN_RECORD_DISPLACED = 1 << 29,
    TN_RECORD_AHEAD = 1 << 30, /* a prefetch began it, and no access has asked for the line yet */
};

struct tn_displaced {
    struct tn_record record; /* first: a pointer to it is a pointer to this */
    struct tn_displaced *next;
    struct tn_record *parent;
    uint64_t home, written;
    uint32_t slice;
};

enum { TN_DISPLACED_BUCKETS = 1024, TN_GROUP = 64 };

/* One cache: the last level, or a thread's L2. */
struct tn_lower {
    struct tn_shape shape;
    struct tn_sets sets;
    enum tn_level level;
    struct tn_lower *next; /* towards memory; NULL: the last level */
    struct tn_record *homes;
    uint64_t *written; /* of the records at home: granules written back from above; NULL: no write-backs */
    uint32_t *slices; /* of the records at home: where they are in their data objects; NULL: not kept */
    struct tn_record **parents; /* of the next level, from which those at home were filled; NULL: this is the last */
    struct tn_kinds *kinds; /* NULL: misses are not told apart */
    struct tn_distances *distances; /* NULL: stack distances are not kept */
    uint8_t *filled; /* one per TN_GROUP sets: whether any of them ever got a line (most of a large cache never does) */
    struct tn_displaced *displaced[TN_DISPLACED_BUCKETS];
    uint64_t misses;        /* that were charged */
    uint64_t missed_access; /* index of the last access that missed, and through which cache: it misses once */
    const struct tn_l1 *missed_through;
};

/* Bytes in `filled`. */
static inline uint64_t tn_lower_groups(const struct tn_lower *lower)
{
    return lower->sets.sets / TN_GROUP + 1;
}

/* An empty cache of the configuration's geometry for `level`, above `next` (NULL: memory). slices: records say where
 * they are in their data objects. The caller frees it: after tn_lower_flush, or when the core goes. */
struct tn_lower *tn_lower_new(enum tn_level level, struct tn_lower *next, const struct tn_config *config, bool slices);
/* NULL is allowed. */
void tn_lower_free(struct tn_lower *lower);

/* Of a thread's L2, where caches are kept coherent: whether it has the line; and that it has it no more, but for its
 * place, since another thread has written to it at clock `now`. Nothing of that thread waits for the consumer. */
bool tn_lower_has(struct tn_lower *lower, uint64_t line);
void tn_lower_take(tn_core *core, struct tn_lower *lower, uint64_t line, uint64_t now);

/* The consumer for this configuration: compiled apart for what is usual. */
tn_taker *tn_taker_for(const struct tn_config *config);

/* End all tenures (after the level above was emptied) at clock `now`; the cache is empty then. */
void tn_lower_flush(tn_core *core, struct tn_lower *lower, uint64_t now);

#endif
