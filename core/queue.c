/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.c: when the entries of a ring are taken further; see queue.h.
 *
 * New entries take a few older ones a step further: the program's own misses, the fetches and the work overlap. Where
 * threads run at the same time, a thread waits until it has a batch, and goes on without if another one is the
 * consumer, until its ring is full.
 */
#include "queue.h"

#include "core.h"
#include "host.h"

enum { NEAR_BEHIND = 8, FAR_BEHIND = 16 }; /* entries from their coming to the look-up, and to the rest */

_Static_assert(FAR_BEHIND + TN_BATCH <= TN_AHEAD && TN_AHEAD <= TN_RING, "entries stay until they are consumed");

static size_t bytes_of(uint32_t entries)
{
    return sizeof(struct tn_ring) + entries * sizeof(struct tn_entry);
}

static uint32_t entries_for(const struct tn_config *config)
{
    uint32_t entries = TN_RING, lines = TN_MAX_ACCESS / config->d1.line + 2;
    while (config->parallel && entries < TN_PUBLISHED + lines + 2 * TN_BATCH)
        entries *= 2;
    return entries;
}

struct tn_ring *tn_ring_new(tn_core *core)
{
    uint32_t entries = entries_for(&core->config);
    struct tn_ring *ring = tn_host_alloc(bytes_of(entries));
    ring->mask = entries - 1;
    ring->next = core->rings;
    core->rings = ring;
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
    tn_host_free(ring, bytes_of(ring->mask + 1));
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
static void publish(tn_core *core, const struct tn_thread *thread, uint64_t end, uint64_t clock)
{
    struct tn_ring *ring = thread->ring;
    uint64_t later = core->merged - ring->upto;
    for (uint64_t at = ring->consumed; at != end; at++)
        ring->entries[at & ring->mask].stamp += later;
    drain_to(core, ring, end);
    core->merged += clock - ring->upto;
    ring->upto = clock;
    if (core->config.published)
        core->config.published(core->config.user, thread->id, clock);
}

/* All but the last access, which may go on. */
static void publish_most(tn_core *core, const struct tn_thread *thread)
{
    const struct tn_ring *ring = thread->ring;
    uint64_t end = ring->queued - 1;
    while (end > ring->consumed && ring->entries[end & ring->mask].flags & TN_ENTRY_SECOND)
        end--;
    if (end > ring->consumed)
        publish(core, thread, end, (ring->entries[(end - 1) & ring->mask].stamp | (TN_STEP - 1)) + 1);
}

static void step_aside(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    const struct tn_ring *ring = thread->ring;
    uint64_t waiting = ring->queued - ring->consumed;
    if (waiting < TN_PUBLISHED)
        return;
    if (waiting + TN_BATCH > ring->mask)
        tn_lock_take(&core->late);
    else if (!tn_lock_try(&core->late))
        return;
    publish_most(core, thread);
    core->samples++;
    core->nodes_summed += tn_nodes(core);
    tn_lock_give(&core->late);
    tn_check(core, thread->activity->forest);
    tn_prune(core, thread->activity->forest);
}

/* ------------------------------------------------------------------------------------------ draining */

void tn_ring_drain(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    if (!core->config.parallel) {
        drain_to(core, thread->ring, thread->ring->queued);
        return;
    }
    tn_lock_take(&core->late);
    publish(core, thread, thread->ring->queued, thread->clock);
    tn_lock_give(&core->late);
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

static __attribute__((noinline)) void prune(struct tn_thread *thread)
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
        prune(thread);
}

uint64_t tn_queued(const tn_core *core)
{
    uint64_t queued = 0;
    for (const struct tn_ring *ring = core->rings; ring; ring = ring->next)
        queued += ring->queued;
    return queued;
}
