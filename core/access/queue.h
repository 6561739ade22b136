/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.h: the rings in which level-1 misses wait for the consumer.
 *
 * A miss only picks its victim and appends an entry to its thread's ring. The consumer (lower.c) takes the entries in
 * order, in three steps that are some entries apart, so that each step finds in the host's caches what the step before
 * has prefetched:
 *
 *   foresee   prefetch what the look-up will read
 *   look up   give the line its place in the level below; prefetch what consuming it will read
 *   consume   end the victim's tenure, charge the miss, begin the tenure of the line
 *
 *   consumed <= looked_up <= foreseen <= queued, and fewer than TN_AHEAD entries lie between the first two
 *
 * A ring has two owners. The thread writes entries and `queued`. The consumer writes everything that an entry leads to:
 * stays, records, late costs with their blocks, and the late counters of nodes (backdate.h). A thread therefore calls
 * tn_drain before it reads any of that, and before it prunes, folds or flushes.
 *
 * A serial engine runs one thread at a time. It drains a thread's ring before it switches to another thread, so entries
 * are consumed in the order of execution.
 *
 * A thread of a parallel engine *offers* what it has done since it last did so, as one batch. Batches have numbers
 * (tickets) from one count for all threads. Whoever calls tn_consume, by turns, *publishes* them in the order of their
 * numbers, each as a whole. This puts all accesses into one order, batch by batch, and the counts are those of a serial
 * run in that order (docs/model.md, section 4). A thread that prunes waits until all its offers are published, so that
 * nothing it decides depends on how far the consumer is. Each thread has a clock of its own. The time in that order is
 * the sum of what has been published of all threads, and stamps are converted to it:
 *
 *   upto     the thread's clock, up to which it has been published
 *   merged   of the core: the sum of all upto, from TN_STEP on
 *   a stamp of the batch, in the order of all = stamp - upto + merged, both as they were before the batch
 *
 * No access is divided between two batches: its second miss is told from the first by its stamp.
 */
#ifndef TENURE_CORE_QUEUE_H
#define TENURE_CORE_QUEUE_H

#include "core/tenure_core.h"
#include "sets.h"

#include <stdint.h>

enum {
    TN_RING = 32,           /* entries, a power of two */
    TN_MOST_ENTRIES = 4096, /* that any ring has */
    TN_BATCHES = 64,        /* offered batches that a ring has room for, a power of two */
    TN_OFFERED = 64,        /* entries after which a thread offers them */
    TN_AHEAD = 32,          /* entries that the consumer may have begun, a power of two */
    TN_BATCH = 4,           /* entries that take one of the three steps together, a power of two */
    TN_ALSO_BATCH = 4,      /* entries that further machines are charged for ahead of the consumer */
    TN_PRUNE_EVERY = 256,   /* entries of a thread after which its trees are pruned */
};

enum {
    TN_ENTRY_WRITE = 1,   /* a store missed; without it, a load or fetch */
    TN_ENTRY_SECOND = 2,  /* another line of the same access missed before, so this is not counted as a miss */
    TN_ENTRY_SPILL = 4,   /* no miss: the counters of a resident line */
    TN_ENTRY_FLUSH = 8,   /* no miss: a tenure ends, nothing is loaded */
    TN_ENTRY_AHEAD = 16,  /* no miss: a prefetcher asks; in a ring, D1's */
    TN_ENTRY_FETCH = 32,  /* the I1's; without it, the D1's */
    TN_ENTRY_TAKEN = 64,  /* with FLUSH: another thread wrote to the line */
    TN_ENTRY_REUSE = 128, /* no miss: the first use of a line of D1 since it was loaded */
    TN_ENTRY_TOLD = TN_ENTRY_REUSE | TN_ENTRY_SPILL, /* both: no miss of a recorded cache, but of TLBs (`use` is
                                                        TN_TLB_*), or of further machines */
    TN_ENTRY_ASKED = TN_ENTRY_AHEAD | TN_ENTRY_SPILL, /* both: an access asks for what D1's prefetcher has loaded */
};

/* One host line. */
struct tn_entry {
    _Alignas(64) uint64_t address; /* the address that missed, in the line to load */
    uint64_t use;                  /* of the victim, packed as in tn_way */
    uint64_t mask;                 /* of the victim */
    uint64_t written;              /* of the victim: granules written */
    uint64_t stamp;                /* of the access */
    struct tn_node *node;          /* the loader's; NULL: collection was off, or there are no trees */
    struct tn_late *late;          /* the late costs of the loader's centre or share; NULL: the load is not charged */
    uint32_t unit;                 /* of the address in its block (struct tn_held) */
    uint16_t way;                  /* of the victim, then of the line */
    uint8_t reach;                 /* of the block (struct tn_held) */
    uint8_t flags;                 /* TN_ENTRY_* */
};

/* What the consumer has found out about an entry that it has begun. */
struct tn_taken {
    const struct tn_entry *entry;
    struct tn_l1 *l1;
    struct tn_stay *stay;
    uint64_t *near, *of_node; /* counters of level 1: of the loader's centre and of its node */
    struct tn_late *node;     /* the late costs of the node; NULL: there is no node */
    struct tn_place place;    /* where the line is, or goes, in the level below */
    struct tn_record *home;   /* of this place */
    struct tn_place below;    /* the same of the level behind that, if `asked`: it was looked up already */
    struct tn_record *home_below;
    bool asked;
    struct tn_pattern *pattern; /* where the stride to the miss is counted; NULL: strides are not kept */
    uint32_t slice;           /* where the line is in its data object; 0: not known */
    uint32_t group;           /* in which it is counted (sample.h); 0 where everything is simulated */
    uint64_t used, own;       /* with patterns, on the thread's clock: the victim's last use, and the access's stamp */
    uint64_t instr;           /* with a prefetcher that asks: the address of the instruction */
};

struct tn_batch {
    uint64_t ticket, end, clock; /* end: `queued` behind its last entry */
};

struct tn_ring {
    /* ---- read by thread and consumer at each miss, written by neither */
    _Alignas(64) struct tn_l1 *l1[2]; /* by enum tn_stream */
    uint32_t thread;     /* id */
    uint32_t mask;       /* entries - 1: TN_RING - 1, or more in a parallel engine: a batch and any access */
    struct tn_ring *next;
    uint64_t *used;      /* by entry: stamp of the victim's last use; NULL: not kept */
    uint64_t *instr;     /* by entry: address of the instruction, of a fetch 0; NULL: not kept */
    uint64_t *machines;  /* by entry: a bit for each further machine whose level 1 misses; NULL: as the recorded one */
    /* ---- the thread's */
    _Alignas(64) uint64_t queued; /* entries so far */
    uint64_t offered;    /* entries that are in offered batches (parallel engines) */
    /* ---- offered by the thread */
    _Alignas(64) uint64_t batches; /* offered so far */
    struct tn_batch batch[TN_BATCHES];
    /* ---- the consumer's */
    _Alignas(64) uint64_t consumed; /* the room of these entries is free again */
    uint64_t batches_taken, foreseen, looked_up, looked_up_below; /* the last one: with an L2, or 0 */
    uint64_t also_taken, also_charged; /* with further machines (also_take.h) */
    uint64_t upto;  /* see above (parallel engines) */
    uint64_t later; /* what is added to stamps of the batch that is being published: merged - upto */
    struct tn_taken taken[TN_AHEAD];
    struct tn_entry entries[];
};

/* Room for one entry. The caller fills it in and then calls tn_ring_add. */
static inline struct tn_entry *tn_ring_room(struct tn_ring *ring)
{
    return &ring->entries[ring->queued & ring->mask];
}

struct tn_ring *tn_ring_new(tn_core *core);
/* NULL is allowed. */
void tn_ring_free(tn_core *core, struct tn_ring *ring);

/* Take the thread's entries further, now that TN_BATCH more are in its ring. */
void tn_ring_step(struct tn_thread *thread);

/* Append the entry that was filled in at tn_ring_room. */
static inline void tn_ring_add(struct tn_thread *thread, struct tn_ring *ring)
{
    if (++ring->queued % TN_BATCH == 0)
        tn_ring_step(thread);
}

/* Consume all that the thread has queued. In a parallel engine: all that it has done is published. */
void tn_ring_drain(struct tn_thread *thread);

/* Offer what the thread has done: in the order of all, it comes before whatever is offered later. */
void tn_ring_offer(struct tn_thread *thread);
/* Return when all that the thread has offered is published. */
void tn_ring_wait(struct tn_thread *thread);

/* tn_ring_drain for all threads. None of them may be running. */
void tn_drain(tn_core *core);

/* Number of entries that all threads have queued so far. */
uint64_t tn_queued(const tn_core *core);

#endif
