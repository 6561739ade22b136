/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.c: when the entries of a ring are taken further; see queue.h.
 *
 * New entries take a few older ones a step further: the program's own misses, the fetches and the work overlap. Where
 * threads run at the same time, a thread offers a batch when it has one, and goes on until its ring is half full.
 */
#include "queue.h"

#include "core/attribute/stack.h"
#include "core/attribute/thread.h"
#include "core/core.h"
#include "core/host.h"

enum { TN_WAITING = 2048 }; /* entries that a ring has room for, at least, where threads run at the same time */
enum { NEAR_BEHIND = 8, FAR_BEHIND = 16 }; /* entries from their coming to the look-up, and to the rest */

_Static_assert(FAR_BEHIND + TN_BATCH <= TN_AHEAD && TN_AHEAD <= TN_RING, "entries stay until they are consumed");
_Static_assert(TN_ALSO_BATCH <= FAR_BEHIND - NEAR_BEHIND, "what is charged ahead is looked up");

static size_t bytes_of(const tn_core *core, uint32_t entries)
{
    size_t more = core->config.patterns + core->config.prefetch[TN_STRIDE] + tn_also_any_other(&core->config);
    return sizeof(struct tn_ring) + entries * (sizeof(struct tn_entry) + more * sizeof(uint64_t));
}

/* Entries that come before the next look at the room, at most: a batch, and any access. */
static uint32_t entries_ahead(const struct tn_config *config)
{
    uint32_t lines = TN_MAX_ACCESS / config->d1.line + 2, pages = 2; /* pages: one that missed, one that walked */
    uint32_t ahead = tn_prefetches_d1(config) ? TN_PREFETCH_D1 + lines : 0;
    return lines + pages + ahead + TN_OFFERED + TN_BATCH;
}

static uint32_t entries_for(const struct tn_config *config)
{
    uint32_t entries = TN_RING;
    while (config->parallel && entries < TN_WAITING + entries_ahead(config) + TN_BATCH)
        entries *= 2;
    return entries;
}

struct tn_ring *tn_ring_new(tn_core *core)
{
    uint32_t entries = entries_for(&core->config);
    struct tn_ring *ring = tn_host_alloc(bytes_of(core, entries));
    ring->mask = entries - 1;
    uint64_t *behind = (uint64_t *)&ring->entries[entries];
    if (core->config.patterns)
        ring->used = behind, behind += entries;
    if (core->config.prefetch[TN_STRIDE])
        ring->instr = behind, behind += entries;
    if (tn_also_any_other(&core->config))
        ring->machines = behind;
    ring->next = core->rings;
    __atomic_store_n(&core->rings, ring, __ATOMIC_RELEASE); /* from now on the consumer may find it */
    return ring;
}

void tn_ring_free(tn_core *core, struct tn_ring *ring)
{
    struct tn_ring **link = &core->rings;
    if (!ring)
        return;
    while (*link != ring)
        link = &(*link)->next;
    *link = ring->next;
    tn_host_free(ring, bytes_of(core, ring->mask + 1));
}

static void drain_to(tn_core *core, struct tn_ring *ring, uint64_t end)
{
    for (uint64_t to = ring->consumed; to != end;) {
        to = end - to > TN_AHEAD ? to + TN_AHEAD : end;
        core->take(core, ring, to, to, to);
    }
}

/* ------------------------------------------------------------------------------------------ publishing */

/* Entries up to `end` are the thread's next batch, which ends at `clock`. The lock is held. */
static void publish_batch(tn_core *core, struct tn_ring *ring, uint64_t end, uint64_t clock)
{
    uint64_t later = core->merged - ring->upto;
    for (uint64_t at = ring->consumed; at != end; at++)
        ring->entries[at & ring->mask].stamp += later;
    ring->later = later;
    drain_to(core, ring, end);
    core->merged += clock - ring->upto;
    ring->upto = clock;
    if (core->config.published)
        core->config.published(core->config.user, ring->thread, clock);
}

static uint64_t waiting_in(const struct tn_ring *ring)
{
    return ring->queued - __atomic_load_n(&ring->consumed, __ATOMIC_ACQUIRE);
}

/* The same, left to the consumer. Behind it there is room until the next batch is offered, whoever offers it: one that
 * is offered early is small, but counts as the last look at the room. */
static void offer_batch(tn_core *core, struct tn_ring *ring, uint64_t end, uint64_t clock)
{
    uint64_t n = ring->batches;
    while (n - __atomic_load_n(&ring->batches_taken, __ATOMIC_ACQUIRE) == TN_BATCHES)
        core->config.consume(core->config.user, true);
    struct tn_batch *batch = &ring->batch[n % TN_BATCHES];
    ring->offered = end;
    batch->end = end;
    batch->clock = clock;
    batch->ticket = __atomic_fetch_add(&core->tickets, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->batches, n + 1, __ATOMIC_RELEASE);
    while (waiting_in(ring) + entries_ahead(&core->config) > ring->mask)
        core->config.consume(core->config.user, true);
}

/* Whether an entry belongs to the same access as the one before it. */
static bool goes_on(const struct tn_ring *ring, uint64_t at)
{
    const struct tn_entry *entry = &ring->entries[at & ring->mask], *before = &ring->entries[(at - 1) & ring->mask];
    /* TN_ENTRY_TOLD has the bit of REUSE, and ASKED that of AHEAD. */
    bool at_once = entry->stamp >> TN_STEP_BITS == before->stamp >> TN_STEP_BITS;
    return entry->flags & TN_ENTRY_SECOND ||
           (at_once && (entry->flags | before->flags) & (TN_ENTRY_REUSE | TN_ENTRY_AHEAD));
}

/* Offer all but the last access, of which more entries may come. */
static void offer_most(tn_core *core, struct tn_ring *ring)
{
    uint64_t end = ring->queued - 1;
    while (end > ring->offered && goes_on(ring, end))
        end--;
    if (end > ring->offered)
        offer_batch(core, ring, end, (ring->entries[(end - 1) & ring->mask].stamp | (TN_STEP - 1)) + 1);
    if (waiting_in(ring) > ring->mask / 2)
        core->config.consume(core->config.user, false);
}

static void step_aside(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    struct tn_ring *ring = thread->ring;
    if (ring->queued - ring->offered < TN_OFFERED)
        return;
    offer_most(core, ring);
    __atomic_fetch_add(&core->samples, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&core->nodes_summed, tn_nodes(core), __ATOMIC_RELAXED);
    tn_check(core, thread->activity->forest);
    tn_prune(core, thread->activity->forest);
}

/* ------------------------------------------------------------------------------------------ the consumer */

static bool is_next(const tn_core *core, const struct tn_ring *ring)
{
    uint64_t n = ring->batches_taken;
    return __atomic_load_n(&ring->batches, __ATOMIC_ACQUIRE) != n &&
           ring->batch[n % TN_BATCHES].ticket == core->tickets_taken;
}

/* The ring whose batch is the next one of all; NULL: that batch is not offered yet. */
static struct tn_ring *next_ring(const tn_core *core)
{
    struct tn_ring *ring = __atomic_load_n(&core->rings, __ATOMIC_ACQUIRE);
    while (ring && !is_next(core, ring))
        ring = ring->next;
    return ring;
}

uint32_t tn_consume(tn_core *core, uint32_t most)
{
    uint32_t taken = 0;
    if (!tn_lock_try(&core->consuming))
        return 0;
    for (struct tn_ring *ring; taken < most && (ring = next_ring(core)); taken++) {
        const struct tn_batch *batch = &ring->batch[ring->batches_taken % TN_BATCHES];
        publish_batch(core, ring, batch->end, batch->clock);
        __atomic_store_n(&core->tickets_taken, core->tickets_taken + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&ring->batches_taken, ring->batches_taken + 1, __ATOMIC_RELEASE);
    }
    tn_lock_give(&core->consuming);
    return taken;
}

bool tn_consume_waits(const tn_core *core)
{
    return __atomic_load_n(&core->tickets, __ATOMIC_ACQUIRE) !=
           __atomic_load_n(&core->tickets_taken, __ATOMIC_ACQUIRE);
}

/* ------------------------------------------------------------------------------------------ draining */

void tn_ring_drain(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    if (!core->config.parallel) {
        drain_to(core, thread->ring, thread->ring->queued);
        return;
    }
    tn_ring_offer(thread);
    tn_ring_wait(thread);
}

void tn_ring_offer(struct tn_thread *thread)
{
    offer_batch(thread->core, thread->ring, thread->ring->queued, thread->clock);
}

void tn_ring_wait(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    const struct tn_ring *ring = thread->ring;
    while (ring->batches != __atomic_load_n(&ring->batches_taken, __ATOMIC_ACQUIRE))
        core->config.consume(core->config.user, true);
}

void tn_drain(tn_core *core)
{
    for (struct tn_ring *ring = core->rings; ring && !core->config.parallel; ring = ring->next)
        drain_to(core, ring, ring->queued);
    for (uint32_t id = 1; id < core->threads.count && core->config.parallel; id++) {
        if (tn_thread_record_of(core, id)->thread)
            tn_ring_drain(tn_thread_record_of(core, id)->thread);
    }
}

/* ------------------------------------------------------------------------------------------ one step */

static __attribute__((noinline)) void prune_forest(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    struct tn_forest *forest = thread->activity ? thread->activity->forest : &core->forest; /* NULL: it has ended */
    core->samples++;
    core->nodes_summed += forest->now;
    tn_check(core, forest);
    if (forest->now <= forest->prune_at)
        return;
    tn_drain(core);
    tn_prune(core, forest);
}

void tn_ring_step(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    struct tn_ring *ring = thread->ring;
    uint64_t queued = ring->queued;
    if (core->config.parallel) {
        step_aside(thread);
        return;
    }
    if (queued > FAR_BEHIND)
        core->take(core, ring, queued, queued - NEAR_BEHIND, queued - FAR_BEHIND);
    if (queued % TN_PRUNE_EVERY == 0)
        prune_forest(thread);
}

uint64_t tn_queued(const tn_core *core)
{
    uint64_t queued = 0;
    for (const struct tn_ring *ring = core->rings; ring; ring = ring->next)
        queued += ring->queued;
    return queued;
}
