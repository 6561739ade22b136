/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.h: what the level-1 misses of a thread leave for the consumer.
 *
 * A miss only picks its victim and appends an entry to its thread's ring. The consumer (lower.c) takes the entries in
 * order, in three steps, some entries apart, so that each finds in the host's caches what the one before has fetched:
 *
 *   foresee   what the look-up will read is fetched
 *   look up   the line takes its place in the level below; what this leads to is fetched
 *   consume   the victim's tenure ends, the miss is charged, the line's begins
 *
 *   consumed <= looked_up <= foreseen <= queued, and fewer than TN_AHEAD entries lie between the first two
 *
 * Two owners. The thread writes entries and `queued`; the consumer writes all that an entry leads to: stays, records,
 * late costs and their blocks, and what nodes count of it (backdate.h). So a thread may see what the consumer has
 * done, prune, fold or flush, only after tn_drain.
 *
 * A serial engine runs one thread at a time: when another one's turn comes, the ring is drained, so that entries are
 * consumed in the order of execution.
 *
 * Threads that run at the same time are the consumer by turns, behind a lock. A thread *publishes* what it has done
 * since it did so last, a batch; that is when it is consumed, whole. So there is one order of all accesses, batch by
 * batch, and what is counted is what a serial run in that order counts (docs/model.md, section 4). Each thread has a
 * clock of its own; in that order time is the sum of what all have published, and so are stamps of what is consumed:
 *
 *   upto     clock of the thread up to which it has published
 *   merged   of the core: the sum of all upto, from TN_STEP on
 *   a stamp of the batch, in the order of all = stamp - upto + merged, both as they were before the batch
 *
 * No access is divided between two batches: its second miss would be told from the first by its stamp.
 *
 * With tn_config.consume they are not the consumer, as long as there is room: a thread only *offers* its batches, which
 * have numbers (tickets) from one count for all. Whoever calls tn_consume publishes them in this order, whenever that
 * is. Nothing that a thread decides depends on how far the consumer is: to prune it waits for what it has offered.
 */
#ifndef TENURE_CORE_QUEUE_H
#define TENURE_CORE_QUEUE_H

#include "core/tenure_core.h"
#include "sets.h"

#include <stdint.h>

enum {
    TN_RING = 32,           /* entries, a power of two */
    TN_MOST_ENTRIES = 4096, /* that any ring has */
    TN_BATCHES = 64,        /* how many of a ring may be offered, a power of two */
    TN_PUBLISHED = 64,      /* entries that are worth a turn */
    TN_AHEAD = 32,          /* the same: how many the consumer may have begun */
    TN_BATCH = 4,           /* entries that are taken further at a time, a power of two */
    TN_PRUNE_EVERY = 256,   /* entries of a thread */
};

enum {
    TN_ENTRY_WRITE = 1,  /* a store missed, else a load or fetch */
    TN_ENTRY_SECOND = 2, /* another line of the same access missed before: not another miss */
    TN_ENTRY_SPILL = 4,  /* no miss: counters of a resident line */
    TN_ENTRY_FLUSH = 8,  /* no miss: a tenure ends, nothing is loaded */
    TN_ENTRY_AHEAD = 16, /* no miss, and never in a ring: the prefetcher asks */
    TN_ENTRY_FETCH = 32, /* of the I1, else of the D1 */
    TN_ENTRY_TAKEN = 64, /* with FLUSH: another thread wrote to the line */
    TN_ENTRY_REUSE = 128, /* no miss: a line of D1 is used first since it was loaded */
};

/* One host line. */
struct tn_entry {
    _Alignas(64) uint64_t address; /* that missed, in the line to load */
    uint64_t use;                  /* of the victim, packed as in tn_way */
    uint64_t mask;                 /* of the victim */
    uint64_t written;              /* of the victim: granules written */
    uint64_t stamp;                /* of the access */
    struct tn_node *node;          /* loader; NULL: collection was off, or nobody keeps nodes */
    struct tn_late *late;          /* of the loader's centre, or of its share; NULL: nobody pays */
    uint32_t unit;                 /* of the address in its block (struct tn_held) */
    uint16_t way;                  /* of the victim, then of the line */
    uint8_t reach;                 /* of the block (struct tn_held) */
    uint8_t flags;                 /* TN_ENTRY_* */
};

/* What the consumer finds out on the way. */
struct tn_taken {
    const struct tn_entry *entry;
    struct tn_l1 *l1;
    struct tn_stay *stay;
    uint64_t *near, *of_node; /* counters of level 1: of the loader's centre and of its node */
    struct tn_late *node;     /* where the node's are; NULL: there is none */
    struct tn_place place;    /* where the line is, or goes, in the level below */
    struct tn_record *home;   /* of this place */
    struct tn_pattern *pattern; /* where the stride to the miss is kept; NULL: it is not */
    uint32_t slice;           /* where the line is in its data object; 0: not known */
    uint64_t used, own;       /* with patterns, on the thread's clock: the victim's last use, and the access's stamp */
};

struct tn_batch {
    uint64_t ticket, end, clock; /* end: `queued` behind its last entry */
};

struct tn_ring {
    /* ---- both read it at each miss: nobody writes in this line */
    _Alignas(64) struct tn_l1 *l1[2]; /* by enum tn_stream */
    uint32_t thread;     /* id */
    uint32_t mask;       /* entries - 1: TN_RING of them; where threads run at the same time, a batch and any access */
    struct tn_ring *next;
    uint64_t *used;      /* by entry: stamp of the victim's last use; NULL: nobody asks */
    /* ---- the thread's */
    _Alignas(64) uint64_t queued; /* entries so far */
    uint64_t offered;    /* of them, where threads run at the same time: those of batches */
    /* ---- offered by the thread */
    _Alignas(64) uint64_t batches; /* so far */
    struct tn_batch batch[TN_BATCHES];
    /* ---- the consumer's */
    _Alignas(64) uint64_t consumed; /* the room of these entries is free again */
    uint64_t batches_taken, foreseen, looked_up;
    uint64_t upto;  /* where threads run at the same time */
    uint64_t later; /* and by how much stamps of the batch that is published differ from the thread's clock */
    struct tn_taken taken[TN_AHEAD];
    struct tn_entry entries[];
};

/* Room for one entry, which the caller fills in, ... */
static inline struct tn_entry *tn_ring_room(struct tn_ring *ring)
{
    return &ring->entries[ring->queued & ring->mask];
}

struct tn_ring *tn_ring_new(tn_core *core);
/* NULL is allowed. */
void tn_ring_free(tn_core *core, struct tn_ring *ring);

/* A whole batch more is in the thread's ring. */
void tn_ring_step(struct tn_thread *thread);

/* ... and then this. */
static inline void tn_ring_add(struct tn_thread *thread, struct tn_ring *ring)
{
    if (++ring->queued % TN_BATCH == 0)
        tn_ring_step(thread);
}

/* Consume all that the thread has queued; where threads run at the same time, publish all that it has done. */
void tn_ring_drain(struct tn_thread *thread);

/* Publish what the thread has done, before whatever is published from now on; that may be left to the consumer. */
void tn_ring_offer(struct tn_thread *thread);
/* Returns when all that the thread has offered is published. */
void tn_ring_wait(struct tn_thread *thread);

/* The same as tn_ring_drain for all threads, none of which runs. */
void tn_drain(tn_core *core);

/* Entries so far. */
uint64_t tn_queued(const tn_core *core);

#endif
