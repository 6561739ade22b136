/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.c: when the entries of a ring are taken further; see queue.h.
 *
 * New entries take a few older ones a step further: the program's own misses, the fetches and the work overlap.
 */
#include "queue.h"

#include "core.h"
#include "host.h"

enum { NEAR_BEHIND = 8, FAR_BEHIND = 16 }; /* entries from their coming to the look-up, and to the rest */

_Static_assert(FAR_BEHIND + TN_BATCH <= TN_AHEAD && TN_AHEAD <= TN_RING, "entries stay until they are consumed");

struct tn_ring *tn_ring_new(tn_core *core)
{
    struct tn_ring *ring = tn_host_alloc(sizeof *ring);
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
    tn_host_free(ring, sizeof *ring);
}

static void drain(tn_core *core, struct tn_ring *ring)
{
    for (uint64_t to = ring->consumed; to != ring->queued;) {
        to = ring->queued - to > TN_AHEAD ? to + TN_AHEAD : ring->queued;
        core->take(core, ring, to, to, to);
    }
}

void tn_ring_drain(struct tn_thread *thread)
{
    drain(thread->core, thread->ring);
}

void tn_drain(tn_core *core)
{
    for (struct tn_ring *ring = core->rings; ring; ring = ring->next)
        drain(core, ring);
}

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
