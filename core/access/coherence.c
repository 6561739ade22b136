/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coherence.c: what a write or a miss of one thread does to the D1s of others; see coherence.h.
 *
 * An invalidated tenure ends at once: the entry that says so goes through its own thread's ring, which is drained,
 * behind those of the thread that runs. So a way whose line is invalid is empty for the consumer, too.
 */
#include "coherence.h"

#include "cache.h"
#include "core/attribute/context.h"
#include "core/attribute/objects.h"
#include "core/core.h"
#include "core/host.h"
#include "lower.h"
#include "queue.h"

/* ------------------------------------------------------------------------------------------ life */

struct tn_coherence *tn_coherence_new(void)
{
    struct tn_coherence *coherence = tn_host_alloc(sizeof *coherence);
    tn_array_init(&coherence->sharings, sizeof(struct tn_sharing));
    tn_array_add(&coherence->sharings);
    tn_table_init(&coherence->table);
    return coherence;
}

void tn_coherence_free(struct tn_coherence *coherence)
{
    if (!coherence)
        return;
    tn_array_free(&coherence->sharings);
    tn_table_free(&coherence->table);
    tn_host_free(coherence, sizeof *coherence);
}

size_t tn_coherence_bytes(const struct tn_coherence *coherence)
{
    return tn_array_bytes(&coherence->sharings) + tn_table_bytes(&coherence->table);
}

void tn_coherence_clear(struct tn_coherence *coherence)
{
    for (uint32_t id = 1; id < coherence->sharings.count; id++) {
        struct tn_sharing *sharing = tn_array_at(&coherence->sharings, id);
        sharing->misses = sharing->falsely = sharing->truly = sharing->written = sharing->touched = 0;
    }
}

static size_t bytes_of(const struct tn_thread *thread)
{
    return sizeof(struct tn_coherent) + thread->d1->lines * sizeof(struct tn_coherent_way);
}

void tn_coherent_join(struct tn_thread *thread)
{
    struct tn_coherence *coherence = thread->core->coherence;
    struct tn_coherent *cache = tn_host_alloc(bytes_of(thread));
    cache->thread = thread;
    cache->next = coherence->caches;
    tn_coherent_clear(cache, thread->d1->lines);
    thread->d1->coherent = coherence->caches = cache;
    thread->d1->usual_ways = 0; /* what is compiled apart for usual caches knows only of one's own */
}

void tn_coherent_leave(struct tn_thread *thread)
{
    struct tn_coherent **link = &thread->core->coherence->caches;
    while (*link && *link != thread->d1->coherent)
        link = &(*link)->next;
    if (*link)
        *link = thread->d1->coherent->next;
    tn_host_free(thread->d1->coherent, bytes_of(thread));
}

void tn_thread_alone(tn_thread *thread)
{
    if (!thread->core->coherence)
        return;
    thread->core->coherence->caches = thread->d1->coherent;
    thread->d1->coherent->next = NULL;
}

void tn_coherent_clear(struct tn_coherent *cache, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        cache->way[i].gone = TN_NO_LINE;
}

/* ------------------------------------------------------------------------------------------ copies */

static struct tn_way *way_at(const struct tn_coherent *cache, uint32_t way)
{
    return (struct tn_way *)((char *)cache->thread + cache->thread->core->layout.d1.ways) + way;
}

static uint64_t *written_at(const struct tn_coherent *cache, uint32_t way)
{
    return (uint64_t *)((char *)cache->thread + cache->thread->core->layout.d1.written) + way;
}

static uint64_t *exclusive_at(const struct tn_coherent *cache, uint32_t way)
{
    return (uint64_t *)((char *)cache->thread + cache->thread->core->layout.d1.exclusive) + way;
}

/* The line in a way, whatever marks it has; or TN_NO_LINE. */
static uint64_t line_at(const struct tn_coherent *cache, uint32_t way)
{
    return way_at(cache, way)->line & ~(TN_FRESH | TN_APART);
}

/* The way in which the line is, or is invalid; TN_NO_WAY: none. `first`: of its set. */
static uint32_t find_copy(const struct tn_coherent *cache, uint64_t line, uint32_t first)
{
    const struct tn_l1 *d1 = cache->thread->d1;
    uint32_t tag = (uint32_t)(line >> d1->shape.line_bits);
    for (uint32_t way = first; way < first + d1->assoc; way++) {
        if (d1->tags[way] == tag && (line_at(cache, way) == line || cache->way[way].gone == line))
            return way;
    }
    return TN_NO_WAY;
}

/* Tell the others in whose caches the line is invalid what was written. */
static void tell_foreign(const struct tn_coherent *cache, uint64_t line, uint32_t first, uint64_t granules)
{
    for (struct tn_coherent *other = cache->thread->core->coherence->caches; other; other = other->next) {
        uint32_t there = other == cache ? TN_NO_WAY : find_copy(other, line, first);
        if (there != TN_NO_WAY && other->way[there].gone == line)
            other->way[there].foreign |= granules;
    }
}

/* The line of a way that is modified stops being so. */
static void tell_written(struct tn_coherent *cache, uint32_t way, uint64_t line, uint32_t first)
{
    uint64_t *written = written_at(cache, way), granules = *written & cache->thread->d1->shape.mask_valid;
    *written = 0;
    cache->way[way].before |= granules;
    if (granules)
        tell_foreign(cache, line, first, granules);
}

uint64_t tn_coherent_evict(struct tn_thread *thread, uint32_t way)
{
    struct tn_coherent *cache = thread->d1->coherent;
    uint64_t line = line_at(cache, way), before;
    if (line != TN_NO_LINE)
        tell_written(cache, way, line, way / thread->d1->assoc * thread->d1->assoc);
    before = cache->way[way].before;
    cache->way[way].before = 0;
    cache->way[way].gone = TN_NO_LINE;
    return before;
}

/* ------------------------------------------------------------------------------------------ who pays */

static void charge_coherence(const struct tn_coherent_access *access, uint32_t what)
{
    tn_core *core = access->thread->core;
    struct tn_node *node = access->thread->collecting ? access->thread->running.node : NULL;
    if (access->late)
        tn_near(&core->pools, access->late, 0)[core->pools.coherence + what]++;
    if (node)
        tn_near(&core->pools, tn_late_of_node(core->data, node, access->late), 0)[core->pools.coherence + what]++;
}

/* The instruction that pays for what `instr` does now. */
static uint32_t paying_instr(const struct tn_thread *thread, uint32_t instr)
{
    const struct tn_node *node = thread->running.node;
    if (thread->running.skip_site)
        instr = thread->running.skip_site;
    return thread->core->contexts && node ? tn_context_instr(thread->core->contexts, instr, node->context) : instr;
}

/* ------------------------------------------------------------------------------------------ a write, a miss */

/* Another thread's copy becomes invalid: its tenure ends. */
static void invalidate_copy(struct tn_coherent *cache, uint32_t way, const struct tn_coherent_access *access)
{
    struct tn_way *copy = way_at(cache, way);
    struct tn_coherent_way *coherent = &cache->way[way];
    struct tn_entry *entry = tn_ring_room(cache->thread->ring);
    *entry = (struct tn_entry){.use = copy->use,
                               .mask = copy->mask,
                               .written = coherent->before,
                               .stamp = access->stamp,
                               .way = (uint16_t)way,
                               .flags = TN_ENTRY_FLUSH | TN_ENTRY_TAKEN};
    tn_ring_add(cache->thread, cache->thread->ring);
    tn_ring_drain(cache->thread);
    *copy = (struct tn_way){.line = TN_NO_LINE, .stamp = copy->stamp};
    *exclusive_at(cache, way) = TN_NO_LINE;
    *coherent = (struct tn_coherent_way){.gone = access->line, .writer = paying_instr(access->thread, access->instr)};
    charge_coherence(access, TN_COHERENCE_Inv);
}

/* The way of a D1 in which the line is, no longer exclusively; TN_NO_WAY: it is not there. */
static uint32_t share_copy(struct tn_coherent *cache, uint64_t line, uint32_t first, bool *modified)
{
    uint32_t way = find_copy(cache, line, first);
    if (way == TN_NO_WAY || line_at(cache, way) != line)
        return TN_NO_WAY;
    *modified = *written_at(cache, way) != 0;
    tell_written(cache, way, line, first);
    *exclusive_at(cache, way) = TN_NO_LINE;
    return way;
}

/* Tell another thread's D1 about the access. True if it still has the line. */
static bool tell_other(const struct tn_coherent_access *access, struct tn_coherent *other, bool misses)
{
    struct tn_lower *l2 = other->thread->l2;
    bool modified = false, has_l2 = l2 && tn_lower_has(l2, access->line);
    uint32_t way = share_copy(other, access->line, access->first, &modified);
    if (misses && modified)
        charge_coherence(access, TN_COHERENCE_Xfr);
    if (way != TN_NO_WAY && access->writes)
        invalidate_copy(other, way, access);
    if (has_l2 && access->writes)
        tn_lower_take(access->thread->core, l2, access->line, access->stamp);
    return !access->writes && (has_l2 || way != TN_NO_WAY);
}

/* Tell all other threads about the access. True if any of them still has the line. */
static bool tell_others(const struct tn_coherent_access *access, bool misses)
{
    bool anybody = false;
    for (struct tn_coherent *other = access->thread->core->coherence->caches; other; other = other->next) {
        if (other->thread != access->thread)
            anybody |= tell_other(access, other, misses);
    }
    return anybody;
}

void tn_coherent_filled(tn_core *core, const struct tn_lower *l2, uint64_t line)
{
    for (struct tn_coherent *other = core->coherence->caches; other; other = other->next) {
        const struct tn_l1 *d1 = other->thread->d1;
        for (uint64_t at = line; other->thread->l2 != l2 && at != line + l2->shape.line; at += d1->shape.line) {
            uint64_t set = tn_set_of(at >> d1->shape.line_bits, d1->sets, d1->set_mask);
            bool modified;
            share_copy(other, at, (uint32_t)set * d1->assoc, &modified);
        }
    }
}

void tn_coherent_upgrade(const struct tn_coherent_access *access)
{
    tn_ring_drain(access->thread);
    tell_others(access, false);
    charge_coherence(access, TN_COHERENCE_Upg);
}

uint32_t tn_coherent_miss(const struct tn_coherent_access *access, bool *alone)
{
    tn_ring_drain(access->thread);
    *alone = !tell_others(access, true);
    return find_copy(access->thread->d1->coherent, access->line, access->first);
}

void tn_coherent_pass(const struct tn_coherent_access *access, uint64_t granules)
{
    struct tn_coherent *own = access->thread->d1->coherent;
    uint32_t invalid = find_copy(own, access->line, access->first);
    tn_ring_drain(access->thread);
    tell_others(access, false);
    tell_foreign(own, access->line, access->first, granules);
    if (invalid != TN_NO_WAY) /* used, as if it were still there */
        way_at(own, invalid)->stamp = access->stamp;
}

/* ------------------------------------------------------------------------------------------ pairs */

static bool sharing_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_sharing *a = tn_array_at(&((const struct tn_coherence *)owner)->sharings, id), *b = key;
    return a->writer == b->writer && a->victim == b->victim && a->object == b->object;
}

static uint32_t sharing_of(struct tn_coherence *coherence, struct tn_sharing key)
{
    uint32_t hash = tn_hash((uint64_t)key.writer << 32 | key.victim, key.object);
    uint32_t id = tn_table_find(&coherence->table, hash, sharing_equal, coherence, &key);
    if (id)
        return id;
    id = coherence->sharings.count;
    if (id >= TN_SHARINGS && (key.writer || key.victim || key.object))
        return sharing_of(coherence, (struct tn_sharing){0});
    *(struct tn_sharing *)tn_array_add(&coherence->sharings) = key;
    tn_table_add(&coherence->table, hash, id);
    return id;
}

void tn_coherent_came_again(const struct tn_coherent_access *access, uint32_t way, bool wrote)
{
    tn_core *core = access->thread->core;
    struct tn_coherent *cache = access->thread->d1->coherent;
    struct tn_sharing key = {.writer = cache->way[way].writer, .victim = paying_instr(access->thread, access->instr)};
    if (!access->thread->collecting)
        return;
    charge_coherence(access, wrote ? TN_COHERENCE_D1cw : TN_COHERENCE_D1cr);
    key.object = core->data ? tn_data_at(core, core->data, access->address, access->thread->d1->shape.line).object : 0;
    uint32_t id = sharing_of(core->coherence, key);
    ((struct tn_sharing *)tn_array_at(&core->coherence->sharings, id))->misses++;
    if (line_at(cache, way) != access->line)
        return; /* another line of the same access has thrown it out again */
    cache->way[way].pair = id;
    cache->way[way].wrote = wrote;
}

void tn_coherent_end(tn_core *core, struct tn_coherent *cache, const struct tn_entry *entry, uint64_t touched,
                     uint64_t *centre, uint64_t *node)
{
    struct tn_coherent_way *way = &cache->way[entry->way];
    uint32_t id = way->pair, at = core->pools.coherence;
    way->pair = 0;
    if (!centre)
        return;
    if (entry->flags & TN_ENTRY_TAKEN) {
        centre[at + TN_COHERENCE_InvD1]++;
        node[at + TN_COHERENCE_InvD1]++;
    }
    if (!id)
        return;
    struct tn_sharing *sharing = tn_array_at(&core->coherence->sharings, id);
    bool falsely = !(way->foreign & touched);
    uint32_t what = at + (way->wrote ? TN_COHERENCE_D1fw : TN_COHERENCE_D1fr);
    centre[what] += falsely;
    node[what] += falsely;
    sharing->falsely += falsely;
    sharing->truly += !falsely;
    sharing->written |= way->foreign;
    sharing->touched |= touched;
}
