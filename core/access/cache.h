/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h: the level-1 caches: way table, replacement, the miss that only picks a victim and leaves the rest to later.
 *
 * The hot part of a cache (way tables and ways) lies in its thread's memory, where the engine's code reaches it;
 * what only a miss needs is here. A miss does not look further down: it appends an entry to the ring (queue.h),
 * and the consumer (lower.c) charges the miss, the victim's use and the last level.
 *
 *   the ways of set s are way[s * assoc .. (s + 1) * assoc); way[lines] takes additions meant for nobody
 *   which way of a set goes, the stamps tell (lru.h, plru.h, rrip.h); ways never filled have stamp 0
 */
#ifndef TENURE_CORE_CACHE_H
#define TENURE_CORE_CACHE_H

#include "also_l1.h"
#include "core/attribute/backdate.h"
#include "core/attribute/code.h"
#include "core/attribute/cost.h"
#include "core/explain/kinds.h"
#include "core/explain/pattern.h"
#include "core/tenure_core.h"
#include "prefetch.h"
#include "sets.h"
#include "tlb.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_EPOCH_BITS = 26 };

/* One stay of a line in a level-1 way, as the consumer knows it: 64 bytes, one host line. */
struct tn_stay {
    struct tn_record *record; /* of the level below it was filled from; NULL: the way is empty */
    uint64_t *near;           /* the loader's counters of level 1: of its centre; core->waste: nobody pays */
    uint64_t *of_node;        /* and of its node, or core->waste */
    struct tn_node *node;     /* loader; NULL: collection was off, or nobody keeps nodes */
    uint64_t loaded;          /* stamp of the load */
    uint64_t touches, bytes;  /* spilled so far */
    uint32_t slice;           /* where it is in its data object; 0: not known */
    uint32_t epoch : TN_EPOCH_BITS;
    uint32_t offset : 32 - TN_EPOCH_BITS; /* of the line inside the record's line, in TN_MIN_LINE */
};

/* How a cache cuts memory. */
struct tn_shape {
    uint32_t line, line_bits, granule_bits;
    uint64_t mask_valid; /* mask bits that are inside a line */
};

struct tn_l1 {
    struct tn_shape shape;
    uint64_t sets, set_mask; /* set_mask: sets - 1 if a power of two, else 0 */
    uint32_t assoc, lines;
    uint32_t usual_ways; /* assoc if the number of sets is a power of two, with LRU and no prefetchers; else 0 */
    enum tn_policy policy;
    enum tn_stream stream;
    uint64_t fresh;                   /* TN_FRESH if lines that are loaded get it; else 0 */
    struct tn_lower *next;            /* the level below */
    struct tn_prefetcher *prefetcher; /* of the level below; the other level-1 cache's too; NULL: none */
    struct tn_stay *stays;            /* one per way; the consumer's */
    struct tn_coherent *coherent;     /* NULL: other threads' caches are no business of this one (coherence.h) */
    struct tn_kinds *kinds;           /* the same; NULL: misses are not told apart */
    struct tn_seen seen;              /* the consumer's */
    struct tn_tlb *tlb;               /* the thread's; NULL: not simulated */
    struct tn_also_l1 *other[TN_ALSO_MOST]; /* this cache on further machines; NULL: as the recorded one */
    uint64_t as_recorded;             /* a bit for each machine for which it is that */
    bool *parked;                     /* by way: TN_PARKED is changed; NULL: nothing is told of uses */
    struct tn_also_caches *also;      /* the thread's, of D1; NULL: there are no further machines */
    struct tn_prefetcher *own_prefetcher; /* the thread's, of D1; NULL: none */
    /* ---- what only the thread reads and writes */
    _Alignas(64) uint64_t missed; /* I1: stamp of the last fetch that missed: an access misses once */
    uint64_t *predictions; /* RRIP: one per way (rrip.h); else NULL */
    uint32_t *tags; /* one per way: low bits of the number of the line that is or was there, to find it */
};

/* The set of a line number. */
static inline uint64_t tn_set_of(uint64_t number, uint64_t sets, uint64_t set_mask)
{
    return set_mask || sets == 1 ? number & set_mask : number % sets;
}

/* 1 and its bytes at TN_TOUCH_BITS. */
static inline uint64_t tn_use_of(uint64_t touches, uint64_t bytes)
{
    return touches | bytes << TN_TOUCH_BITS;
}

void tn_shape_init(struct tn_shape *shape, const struct tn_geometry *geometry);

/* The part of an empty level-1 cache that only a miss needs, above `next`; the caller frees it. */
struct tn_l1 *tn_l1_new(const struct tn_geometry *geometry, enum tn_stream stream, struct tn_lower *next);
/* NULL is allowed. */
void tn_l1_free(struct tn_l1 *l1);

/* Set the hot part in `thread` to empty. */
void tn_l1_clear(struct tn_thread *thread, const struct tn_l1_layout *layout, const struct tn_l1 *l1);

/* Place tables and ways, and the words for what is `written` and for which lines are exclusive if that is to be kept
 * (the latter needs the former), for `geometry` at *offset in the thread's memory; moves *offset behind them. */
void tn_l1_place(struct tn_l1_layout *layout, const struct tn_geometry *geometry, uint32_t tables,
                 bool written, bool coherent, uint64_t *offset);

/* From now on lines of [start, end) that are in D1 are found by slow accesses only, as there are bytes in them that are
 * simulated elsewhere. */
void tn_l1_set_apart(struct tn_thread *thread, uint64_t start, uint64_t end);

/* Largest number of lines that 16-bit way offsets can name. */
enum { TN_L1_MAX_LINES = 65536 * 8 / (int)sizeof(struct tn_way) - 1 };

/* Make what is told of uses by this cache: its TLB, whose second level may be what is behind `other` (tn_tlb_new), and
 * the caches of further machines. */
void tn_l1_tell(struct tn_l1 *l1, const struct tn_config *config, const struct tn_tlb *other);
/* All of that is empty from now on. */
void tn_l1_forget_uses(struct tn_l1 *l1);

/* Queue the counters of all ways, so that they start again from zero. */
void tn_l1_spill(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1);
/* End all tenures, at clock `now`; the cache is empty then. */
void tn_l1_end(struct tn_thread *thread, const struct tn_l1_layout *layout, struct tn_l1 *l1, uint64_t now);

#endif
