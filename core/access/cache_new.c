/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_new.c: level-1 caches, made and laid out; see cache.h.
 *
 * A way table has five elements for each line of its cache, or more, but at most 65,536: it is direct-mapped, and the
 * more elements there are, the fewer lines share one.
 */
#include "cache.h"

#include "also.h"
#include "coherence.h"
#include "core/core.h"
#include "core/host.h"
#include "ways.h"

#include <string.h>

static uint32_t log2_of(uint64_t value)
{
    uint32_t bits = 0;
    while (value >> (bits + 1))
        bits++;
    return bits;
}

void tn_shape_init(struct tn_shape *shape, const struct tn_geometry *geometry)
{
    shape->line = geometry->line;
    shape->line_bits = log2_of(geometry->line);
    shape->granule_bits = shape->line_bits > 6 ? shape->line_bits - 6 : 0;
    shape->mask_valid = shape->line_bits >= 6 ? ~0ull : (1ull << shape->line) - 1;
}

struct tn_l1 *tn_l1_new(const struct tn_geometry *geometry, enum tn_stream stream, struct tn_lower *next)
{
    struct tn_l1 *l1 = tn_host_alloc(sizeof *l1);
    tn_shape_init(&l1->shape, geometry);
    l1->next = next;
    l1->assoc = geometry->assoc;
    l1->lines = (uint32_t)(geometry->size / geometry->line);
    l1->sets = l1->lines / l1->assoc;
    l1->set_mask = l1->sets & (l1->sets - 1) ? 0 : l1->sets - 1;
    l1->policy = geometry->policy;
    l1->usual_ways = l1->policy == TN_LRU && (l1->set_mask || l1->sets == 1) ? l1->assoc : 0;
    l1->missed = ~0ull;
    l1->stream = stream;
    l1->stays = tn_host_alloc(l1->lines * sizeof *l1->stays);
    l1->tags = tn_host_alloc(l1->lines * sizeof *l1->tags);
    if (l1->policy == TN_RRIP)
        l1->predictions = tn_host_alloc(l1->lines * sizeof *l1->predictions);
    return l1;
}

void tn_l1_free(struct tn_l1 *l1)
{
    if (!l1)
        return;
    tn_kinds_free(l1->kinds);
    tn_tlb_free(l1->tlb);
    for (uint32_t i = 0; i < TN_ALSO_MOST; i++)
        tn_also_l1_free(l1->other[i]);
    if (l1->parked)
        tn_host_free(l1->parked, l1->lines * sizeof *l1->parked);
    tn_also_free(l1->also);
    if (l1->own_prefetcher)
        tn_host_free(l1->own_prefetcher, sizeof *l1->own_prefetcher);
    tn_host_free(l1->stays, l1->lines * sizeof *l1->stays);
    tn_host_free(l1->tags, l1->lines * sizeof *l1->tags);
    if (l1->predictions)
        tn_host_free(l1->predictions, l1->lines * sizeof *l1->predictions);
    tn_host_free(l1, sizeof *l1);
}

/* Room for one word per way. */
static uint32_t place_words(uint64_t lines, uint64_t *offset)
{
    uint32_t at = (uint32_t)*offset;
    *offset += (lines + 8) / 8 * 8 * sizeof(uint64_t);
    return at;
}

void tn_l1_place(struct tn_l1_layout *layout, const struct tn_geometry *geometry, uint32_t tables,
                 bool written, bool coherent, uint64_t *offset)
{
    uint64_t lines = geometry->size / geometry->line, elements = 256;
    while (elements < lines * 5 && elements < 1 << 16)
        elements *= 2;
    layout->line_bits = log2_of(geometry->line);
    layout->granule_bits = layout->line_bits > 6 ? layout->line_bits - 6 : 0;
    layout->table_mask = (uint32_t)elements - 1;
    layout->table = (uint32_t)*offset;
    layout->tables = tables;
    *offset += tables * elements * sizeof(uint16_t);
    layout->ways = (uint32_t)*offset;
    layout->origin = (layout->ways + lines * sizeof(struct tn_way)) / 8 <= UINT16_MAX ? 0 : layout->ways;
    *offset += (lines + 2) / 2 * 2 * sizeof(struct tn_way);
    layout->written = written || coherent ? place_words(lines, offset) : 0;
    layout->exclusive = coherent ? place_words(lines, offset) : 0;
}

void tn_l1_tell(struct tn_l1 *l1, const struct tn_config *config, const struct tn_tlb *other)
{
    const struct tn_geometry *recorded = l1->stream == TN_FETCH ? &config->i1 : &config->d1;
    const struct tn_tlb_geometry *levels = l1->stream == TN_FETCH ? config->itlb : config->dtlb;
    if (!tn_has_tlbs(config) && !tn_also_any_other(config))
        return;
    l1->parked = tn_host_alloc(l1->lines * sizeof *l1->parked);
    if (tn_has_tlbs(config))
        l1->tlb = tn_tlb_new(levels, other, recorded, l1->parked);
    for (uint32_t i = 0; i < config->also_count; i++) {
        const struct tn_geometry *own = l1->stream == TN_FETCH ? &config->also[i].i1 : &config->also[i].d1;
        if (tn_also_other(own, recorded))
            l1->other[i] = tn_also_l1_new(own, recorded, l1->parked);
        else
            l1->as_recorded |= 1ull << i;
    }
}

void tn_l1_forget_uses(struct tn_l1 *l1)
{
    memset(l1->parked, 0, l1->lines * sizeof *l1->parked);
    if (l1->tlb)
        tn_tlb_clear(l1->tlb);
    for (uint32_t i = 0; i < TN_ALSO_MOST; i++)
        tn_also_l1_clear(l1->other[i]);
}

/* The way tables lead to the first way; from lines that are not simulated to the way that belongs to nobody, and never
 * elsewhere, since nobody loads them. */
static void clear_tables(struct tn_thread *thread, const struct tn_l1_layout *layout, const struct tn_l1 *l1)
{
    uint64_t *four = (uint64_t *)((char *)thread + layout->table); /* elements */
    uint64_t first = (layout->ways - layout->origin) / 8, bytes = layout->tables * tn_way_table_bytes(layout);
    for (uint64_t i = 0; i < bytes / sizeof *four; i++)
        four[i] = first | first << 16 | first << 32 | first << 48;
    if (thread->core->sample.groups == 1)
        return;
    for (uint32_t table = 0; table < layout->tables; table++) {
        for (uint64_t number = 0; number <= layout->table_mask; number++) {
            if (!tn_is_sampled(&thread->core->layout, number << layout->line_bits))
                tn_lead_to(thread, layout, layout->table + table * tn_way_table_bytes(layout), number, l1->lines);
        }
    }
}

void tn_l1_clear(struct tn_thread *thread, const struct tn_l1_layout *layout, const struct tn_l1 *l1)
{
    struct tn_way *ways = tn_ways_of(thread, layout);
    clear_tables(thread, layout, l1);
    for (uint32_t i = 0; i <= l1->lines; i++)
        ways[i] = (struct tn_way){.line = TN_NO_LINE};
    if (layout->written)
        memset(tn_written_of(thread, layout, 0), 0, l1->lines * sizeof(uint64_t));
    for (uint32_t i = 0; layout->exclusive && i <= l1->lines; i++)
        *tn_exclusive_of(thread, layout, i) = TN_NO_LINE;
    if (l1->coherent)
        tn_coherent_clear(l1->coherent, l1->lines);
}
