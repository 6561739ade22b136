/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jump_table.c: see jump_table.h.
 *
 * The load of the entry is looked for before the jump, in the order of addresses; the address of the table, which may
 * have been taken outside the loop that the switch is in, nearest before it, then anywhere in the function.
 */
#include "profile/code/jump_table.h"

#include <string.h>

enum { LOAD_WITHIN = 24 /* instructions before the jump */, MOST_ENTRIES = 1 << 16 };

static bool is_address_for(const struct tp_decoded *code, const struct tp_decoded *entry)
{
    return code->shape == TP_SHAPE_ADDRESS && (code->reg == entry->base || code->reg == entry->index);
}

/* What the registers of an entry's load were made to point to, as seen from `site`; 0: not known. */
static uint64_t address_for(const struct tp_graph *graph, uint32_t site, const struct tp_decoded *entry)
{
    for (uint32_t i = site; i-- > 0;) {
        if (is_address_for(&graph->code.at[i], entry))
            return graph->code.at[i].value;
    }
    for (uint32_t i = site; i < graph->sites; i++) {
        if (is_address_for(&graph->code.at[i], entry))
            return graph->code.at[i].value;
    }
    return 0;
}

/* The load that the jump at `site` goes by: into its register, or one that was added to it. */
static const struct tp_decoded *load_before(const struct tp_graph *graph, uint32_t *site)
{
    uint16_t reg = graph->code.at[*site].reg;

    for (uint32_t n = 0; n < LOAD_WITHIN && *site > 0; n++) {
        const struct tp_decoded *code = &graph->code.at[--*site];
        if (code->shape == TP_SHAPE_ENTRY && (code->reg == reg || code->base == reg))
            return code;
    }
    return NULL;
}

static int find_table(struct tp_graph *graph, uint32_t jump)
{
    const struct tp_decoded *code = &graph->code.at[jump];
    uint32_t site = jump;

    if (code->shape == TP_SHAPE_JUMP)
        code = load_before(graph, &site);
    else if (code->shape != TP_SHAPE_JUMP_ENTRY)
        code = NULL;
    uint64_t address = !code           ? 0
                       : code->base ? address_for(graph, site, code)
                                    : code->value + (uint64_t)graph->bias;
    if (!address)
        return 0;
    return TP_VECTOR_PUSH(&graph->tables, (struct tp_jump_table){address, UINT64_MAX, jump, code->width}) ? 0 : -1;
}

/* Each ends where another one begins. */
static void end_tables(struct tp_graph *graph)
{
    for (size_t i = 0; i < graph->tables.count; i++) {
        struct tp_jump_table *table = &graph->tables.at[i];
        for (size_t k = 0; k < graph->tables.count; k++) {
            uint64_t other = graph->tables.at[k].address;
            if (other > table->address && other < table->end)
                table->end = other;
        }
    }
}

int tp_jump_tables_make(struct tp_graph *graph)
{
    graph->tables.count = 0;
    for (uint32_t i = 0; i < graph->sites; i++) {
        if (graph->code.at[i].flow == TP_FLOW_INDIRECT && find_table(graph, i))
            return -1;
    }
    end_tables(graph);
    return 0;
}

const struct tp_jump_table *tp_jump_table_of(const struct tp_graph *graph, uint32_t site)
{
    size_t low = 0, high = graph->tables.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->tables.at[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->tables.count && graph->tables.at[low].site == site ? &graph->tables.at[low] : NULL;
}

uint64_t tp_jump_table_entry(const struct tp_graph *graph, const struct tp_jump_table *table, uint64_t i)
{
    uint64_t at = table->address + i * table->width, left = 0, target;
    const uint8_t *bytes = tp_image_at(graph->image, at - (uint64_t)graph->bias, &left);

    if (!bytes || left < table->width || at >= table->end || i >= MOST_ENTRIES)
        return 0;
    if (table->width == 4) {
        int32_t offset;
        memcpy(&offset, bytes, sizeof offset);
        target = table->address + (uint64_t)(int64_t)offset;
    } else {
        memcpy(&target, bytes, sizeof target);
        target += (uint64_t)graph->bias;
    }
    bool inside = target >= graph->start && target < graph->end;
    return inside || tp_graph_find(graph, target) < graph->sites ? target : 0;
}
