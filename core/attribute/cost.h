/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h: counters, and where they are kept.
 *
 * Immediate events are an array of TN_IMMEDIATE_EVENTS totals. Late events (misses, line use) come in blocks of
 * TN_LATE_PER_LEVEL counters a level (pools.per_level), for instruction fetches and for data accesses:
 *
 *   near   of level 1
 *   far    of the last level, and of L2 where it is simulated, in the order of enum tn_level
 *   SpLoss = Ev * line size - Use, so it is not counted: a level is 64 bytes, one host line
 *
 * A block is made when the first such event happens. Most loaders miss at level 1 only: a miss further down is a
 * hundred times rarer, in programs whose data the last level can hold. Where write-backs are simulated, each level has
 * TN_WRITE_BACKS counters more, behind the others, and where prefetching is, TN_PREFETCHES more behind these
 * (pools.prefetched; I1 has them too, and leaves them zero), and with patterns TN_KINDS more (pools.kinds).
 * Far blocks have TN_DISTANCE_EVENTS more at the end of each level, where stack distances are kept (pools.distances),
 * and each counts what the written event of its name has more than the next one.
 * Where TLBs are simulated, near blocks have TN_TLBS counters more, behind those of a level; where D1s are kept
 * coherent TN_COHERENCES; TN_ALSO_EVENTS of each further machine are behind all others. Where sets are sampled, costs
 * have a list of blocks, one for each group (access/sample.h) that was charged: most have one.
 *
 * A cost centre is an instruction in a thread: its execution count comes from segment counters; what a segment cannot
 * know (mispredictions, guarded accesses, costs of skipped callees) is in `extra`.
 */
#ifndef TENURE_CORE_COST_H
#define TENURE_CORE_COST_H

#include "core/base/arena.h"
#include "core/raw_format.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

#define TN_IMMEDIATE(name, ...) TN_##name,
enum {
#include "core/events.inc"
    TN_IMMEDIATE_EVENTS
};

enum tn_level { TN_LEVEL_1, TN_LEVEL_LL, TN_LEVEL_2, TN_LEVELS };

/* What is kept per level: two misses, then use, without what follows from the rest. */
#define TN_USE(name, ...) TN_LATE_##name,
#define TN_USE_MADE(...)
enum {
    TN_LATE_READ_MISS,
    TN_LATE_WRITE_MISS,
#include "core/events.inc"
    TN_LATE_PER_LEVEL
};

#define TN_MISS_KIND(name, ...) TN_KIND_##name,
enum {
#include "core/events.inc"
    TN_KINDS
};

#define TN_DISTANCE(name, ...) TN_DISTANCE_##name,
enum {
#include "core/events.inc"
    TN_DISTANCE_EVENTS
};

#define TN_WRITE_BACK(name, ...) TN_WRITE_BACK_##name,
enum {
#include "core/events.inc"
    TN_WRITE_BACKS
};

/* In the order in which they are told apart: misses of the first level and of both, each of reads and of writes. */
enum { TN_TLB_READ_MISS, TN_TLB_WRITE_MISS, TN_TLB_READ_WALK, TN_TLB_WRITE_WALK, TN_TLBS };

#define TN_COHERENCE(name, ...) TN_COHERENCE_##name,
enum {
#include "core/events.inc"
    TN_COHERENCES
};

#define TN_PREFETCH(name, ...) TN_PREFETCH_##name,
enum {
#include "core/events.inc"
    TN_PREFETCHES
};

/* Of a further machine: misses of reads and of writes, of level 1, L2 and LL. */
enum { TN_ALSO_EVENTS = 6 };

/* More counters than a level can have. */
enum { TN_LATE_MOST = TN_LATE_PER_LEVEL + TN_WRITE_BACKS + TN_PREFETCHES + TN_KINDS + TN_TLBS + TN_COHERENCES +
                      TN_DISTANCE_EVENTS + TN_ALSO_MOST * TN_ALSO_EVENTS };

enum tn_stream { TN_FETCH, TN_DATA, TN_STREAMS };

/* The late events of a stream: names of two blocks, of level 1 and of those below. 0: all zero. Else the index of the
 * block, its group, and whether another group's is behind it. (Pairs and strides go by the name of a block; they are
 * not sampled.) */
struct tn_late {
    uint32_t near, far;
};
enum { TN_LATE_INDEX_BITS = 26, TN_LATE_INDEX = (1 << TN_LATE_INDEX_BITS) - 1 };
#define TN_LATE_MORE (1u << 31)
_Static_assert(TN_SAMPLE_GROUPS <= 1 << (31 - TN_LATE_INDEX_BITS), "room for the group");
_Static_assert(TN_ARRAY_CHUNKS << TN_ARRAY_CHUNK_BITS <= 1 << TN_LATE_INDEX_BITS, "any index of a block");

struct tn_costs {
    uint64_t immediate[TN_IMMEDIATE_EVENTS];
    struct tn_late late[TN_STREAMS];
};

/* Immediate events as they are gathered: totals that engines advance, or differences of them. */
struct tn_ran {
    uint64_t clock; /* accesses, in TN_STEP: instructions + reads + writes */
    uint64_t reads, writes;
};
struct tn_branched {
    uint64_t conditional, indirect, bcm, bim;
};

/* immediate += ran, branched (which may be NULL) */
static inline void tn_ran_add(uint64_t *immediate, const struct tn_ran *ran, const struct tn_branched *branched)
{
    immediate[TN_Ir] += (ran->clock >> TN_STEP_BITS) - ran->reads - ran->writes;
    immediate[TN_Dr] += ran->reads;
    immediate[TN_Dw] += ran->writes;
    if (!branched)
        return;
    immediate[TN_Bc] += branched->conditional;
    immediate[TN_Bcm] += branched->bcm;
    immediate[TN_Bi] += branched->indirect;
    immediate[TN_Bim] += branched->bim;
}

/* The costs of one instruction in one thread. */
struct tn_centre {
    struct tn_late late[TN_STREAMS];
    uint64_t *extra; /* TN_IMMEDIATE_EVENTS counters, or NULL */
};

/* All blocks of level 1, or of the levels below. Those of one owner are a list, one for each group. */
struct tn_late_blocks {
    struct tn_slots slots;
    struct tn_array next; /* uint32_t: the name of the next in the list, by the index of a block; sparse */
};

/* The pools of the blocks. */
struct tn_cost_pools {
    struct tn_late_blocks near, far;
    struct tn_pool extra;
    uint32_t per_level;    /* counters that each level has */
    uint32_t far_level;    /* counters of a level below the first: these, and those of distances */
    uint32_t groups;       /* of sampled sets; 1: everything is simulated */
    uint32_t near_counters, far_counters; /* of a block: of level 1; of one or two levels */
    uint32_t prefetched;   /* the first of those of prefetching; 0: not simulated */
    uint32_t tlb;          /* the first of those of TLBs, at level 1; 0: not simulated */
    uint32_t coherence;    /* the same of coherence, behind these */
    uint32_t also;         /* the first of those of further machines, at level 1; 0: there are none */
    uint32_t kinds;        /* the first of those of misses by kind; 0: they are not told apart */
    uint32_t distances;    /* the first of those of stack distances, below level 1; 0: they are not kept */
};

void tn_cost_pools_init(struct tn_cost_pools *pools, const struct tn_config *config);
void tn_cost_pools_free(struct tn_cost_pools *pools);
size_t tn_cost_pools_bytes(const struct tn_cost_pools *pools);

/* The counters of the block of this name. */
static inline uint64_t *tn_late_block(const struct tn_late_blocks *blocks, uint32_t name)
{
    return tn_slots_at(&blocks->slots, name & TN_LATE_INDEX);
}

/* The group of sampled sets that the block counts; 0 where all are simulated. */
static inline uint32_t tn_late_block_group(uint32_t name)
{
    return (name & ~TN_LATE_MORE) >> TN_LATE_INDEX_BITS;
}

/* The name of the next block in the list; 0: there is none. */
static inline uint32_t tn_late_block_next(const struct tn_late_blocks *blocks, uint32_t name)
{
    return name & TN_LATE_MORE ? *(const uint32_t *)tn_array_at(&blocks->next, name & TN_LATE_INDEX) : 0;
}

/* The name of the group's block, from `name` on; 0: it has none. */
static inline uint32_t tn_late_block_of(const struct tn_late_blocks *blocks, uint32_t name, uint32_t group)
{
    while (name && tn_late_block_group(name) != group)
        name = tn_late_block_next(blocks, name);
    return name;
}

/* A block of zeros for a group that has none yet, in front of the one that `*name` is. Returns its counters. */
uint64_t *tn_late_block_make(struct tn_late_blocks *blocks, uint32_t *name, uint32_t group);

/* The group's counters in the list that begins with `*name`, made if there are none. */
static inline uint64_t *tn_late_block_for(struct tn_late_blocks *blocks, uint32_t *name, uint32_t group)
{
    uint32_t found = tn_late_block_of(blocks, *name, group);
    return found ? tn_late_block(blocks, found) : tn_late_block_make(blocks, name, group);
}

/* The counters of level 1 and a group, made if there are none. */
static inline uint64_t *tn_near(struct tn_cost_pools *pools, struct tn_late *late, uint32_t group)
{
    return tn_late_block_for(&pools->near, &late->near, group);
}

/* Those of the levels below and a group, made if there are none: level `l` begins at (l - 1) * far_level. */
static inline uint64_t *tn_far(struct tn_cost_pools *pools, struct tn_late *late, uint32_t group)
{
    return tn_late_block_for(&pools->far, &late->far, group);
}

/* The counters of a level and a group; NULL: all zero. */
static inline uint64_t *tn_late_at(const struct tn_cost_pools *pools, const struct tn_late *late, enum tn_level level,
                                   uint32_t group)
{
    const struct tn_late_blocks *blocks = level == TN_LEVEL_1 ? &pools->near : &pools->far;
    uint32_t name = tn_late_block_of(blocks, level == TN_LEVEL_1 ? late->near : late->far, group);
    if (!name)
        return NULL;
    return tn_late_block(blocks, name) + (level == TN_LEVEL_1 ? 0 : level - 1) * pools->far_level;
}

/* to += from. `from` does not change. */
void tn_costs_add(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from);
/* to -= from, of which each counter is at most as large. */
void tn_costs_subtract(struct tn_cost_pools *pools, struct tn_costs *to, const struct tn_costs *from);
/* Set all to zero. Blocks stay where they are, since stays and records point to them. */
void tn_costs_clear(struct tn_cost_pools *pools, struct tn_costs *costs);
/* Set all to zero, and give the blocks back to their pool. */
void tn_costs_drop(struct tn_cost_pools *pools, struct tn_costs *costs);
bool tn_costs_are_zero(const struct tn_cost_pools *pools, const struct tn_costs *costs);
/* to += from */
void tn_late_add(struct tn_cost_pools *pools, struct tn_late *to, const struct tn_late *from);
/* Give its blocks back to their pools. */
void tn_late_drop(struct tn_cost_pools *pools, struct tn_late *late);
bool tn_late_is_zero(const struct tn_cost_pools *pools, const struct tn_late *late);
/* Set all to zero. Blocks stay. */
void tn_late_clear(const struct tn_cost_pools *pools, const struct tn_late *late);

/* One tenure that ended, as it is charged (docs/model.md). age in accesses; the rest in touches and bytes. */
struct tn_tenure {
    uint64_t touches, bytes, distinct, age;
};

enum { TN_ACCOST_SHORT = 33 };
extern const uint32_t tn_accost_short[TN_ACCOST_SHORT];

/* 1000 / touches in units of 1 / TN_RAW_ACCOST_UNIT, cut off; 0 for no touch. */
uint64_t tn_accost_long(uint64_t touches);
static inline uint64_t tn_accost(uint64_t touches)
{
    return touches < TN_ACCOST_SHORT ? tn_accost_short[touches] : tn_accost_long(touches);
}

/* Two counters side by side. */
typedef uint64_t tn_two_counters __attribute__((vector_size(16), aligned(8), may_alias));

/* What a tenure that ends adds to the counters of a level from TN_LATE_AcCost on: as pairs, which are put together in
 * registers. A longer vector would be put together in memory, and reading it back would wait for every store before. */
struct tn_charge {
    tn_two_counters pair[3];
};

static inline struct tn_charge tn_charge_of(const struct tn_tenure *tenure)
{
    return (struct tn_charge){{{tn_accost(tenure->touches), 1}, {tenure->touches, tenure->bytes},
                               {tenure->distinct, tenure->age}}};
}
_Static_assert(TN_LATE_AcCost == 2 && TN_LATE_Ev == 3 && TN_LATE_Tch == 4 && TN_LATE_Byt == 5 && TN_LATE_Use == 6 &&
                   TN_LATE_Age == 7 && TN_LATE_PER_LEVEL == 8,
               "the order of what is charged");

#endif
