/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.c: see flow.h. Tables of switches, blocks, then ways, then their counts.
 *
 * Compilers write a switch as a load of an entry and a jump: entries are addresses (`jmp [8 * i + table]`), or 4 bytes
 * that are added to the address of the table (`lea b, table; movsxd r, [b + 4 * i]; add r, b; jmp r`; without
 * optimisation, 4 * i is in a register of its own). The load of the entry is looked for before the jump, in the order
 * of addresses; the address of the table, which may have been taken outside the loop that the switch is in, nearest
 * before it, then anywhere in the function. The table is read from the object file as far as its entries lead into the
 * function and no other table begins. Its length is not written anywhere: so there may be entries too many, which
 * belong to another switch of the function, but none too few.
 *
 * A way's count is known once it is the only unknown one into or out of a block: what the others leave over. Each one
 * found may settle the block at its other end, so blocks wait in a list until nothing changes. A call may return less
 * often than it is made (exit, longjmp), and an instruction may fault: they have a way to the outside, too. Where
 * nothing says how often a call did not return, it always did.
 */
#include "profile/code/flow.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN TP_FLOW_UNKNOWN_COUNT

enum { LOAD_WITHIN = 24 /* instructions before the jump */, MOST_ENTRIES = 1 << 16 };

/* The site at `address`, or `sites`: none. */
static uint32_t site_at(const struct tp_graph *graph, uint64_t address)
{
    uint32_t low = 0, high = graph->sites;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->site[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->sites && graph->site[low].address == address ? low : graph->sites;
}

static uint64_t end_of(const struct tp_graph *graph, uint32_t site)
{
    return graph->site[site].address + graph->code.at[site].length;
}

/* ------------------------------------------------------------------------------------------ tables */

/* What the registers of an entry's load were made to point to, as seen from `site`: back from it, then on from it; 0:
 * not known. */
static uint64_t address_for(const struct tp_graph *graph, uint32_t site, const struct tp_decoded *entry)
{
    for (uint32_t i = 0; i < graph->sites; i++) {
        const struct tp_decoded *code = &graph->code.at[i < site ? site - 1 - i : i];
        if (code->shape == TP_SHAPE_ADDRESS && (code->reg == entry->base || code->reg == entry->index))
            return code->value;
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

/* Of all indirect jumps that have one. Each ends where another one begins. */
static int make_tables(struct tp_graph *graph)
{
    graph->tables.count = 0;
    for (uint32_t i = 0; i < graph->sites; i++) {
        const struct tp_decoded *code = &graph->code.at[i];
        uint32_t site = i;
        if (code->flow != TP_FLOW_INDIRECT)
            continue;
        if (code->shape == TP_SHAPE_JUMP)
            code = load_before(graph, &site);
        else if (code->shape != TP_SHAPE_JUMP_ENTRY)
            code = NULL;
        uint64_t address = !code           ? 0
                           : code->base ? address_for(graph, site, code)
                                        : code->value + (uint64_t)graph->bias;
        if (address &&
            !TP_VECTOR_PUSH(&graph->tables, (struct tp_jump_table){address, UINT64_MAX, i, code->width}))
            return -1;
    }
    for (size_t i = 0; i < graph->tables.count; i++) {
        struct tp_jump_table *table = &graph->tables.at[i];
        for (size_t k = 0; k < graph->tables.count; k++) {
            uint64_t other = graph->tables.at[k].address;
            if (other > table->address && other < table->end)
                table->end = other;
        }
    }
    return 0;
}

/* Where entry number `i` leads; 0: the table has ended. */
static uint64_t entry_of(const struct tp_graph *graph, const struct tp_jump_table *table, uint64_t i)
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
    return inside || site_at(graph, target) < graph->sites ? target : 0;
}

/* ------------------------------------------------------------------------------------------ blocks */

/* scratch.at[site]: a block begins there, since control may come from elsewhere than the site before. */
static int mark_leaders(struct tp_graph *graph)
{
    if (TP_VECTOR_ZEROES(&graph->scratch, graph->sites))
        return -1;
    for (uint32_t i = 0; i < graph->sites; i++) {
        const struct tp_decoded *code = &graph->code.at[i];
        uint32_t target = code->target ? site_at(graph, code->target) : graph->sites;
        if (target < graph->sites)
            graph->scratch.at[target] = 1;
        if (i + 1 < graph->sites)
            graph->scratch.at[i + 1] |= code->flow != TP_FLOW_NEXT || end_of(graph, i) != graph->site[i + 1].address;
    }
    for (size_t i = 0; i < graph->tables.count; i++) {
        uint64_t to = 0;
        for (uint64_t k = 0; (to = entry_of(graph, &graph->tables.at[i], k)); k++) {
            uint32_t target = site_at(graph, to);
            if (target < graph->sites)
                graph->scratch.at[target] = 1;
        }
    }
    return 0;
}

static int make_blocks(struct tp_graph *graph)
{
    if (mark_leaders(graph) || TP_VECTOR_ZEROES(&graph->block_of, graph->sites))
        return -1;
    /* Some instructions have no count of their own (TP_REPEATS_UNTIL). Such a one was executed as often as the
     * instruction before it, unless control also comes to it from elsewhere: then it is given the count of the
     * instruction behind it. That is too much where control comes to that one from elsewhere, too. From the last to the
     * first, so that of two such instructions in a row the second is known already. */
    uint64_t *count = graph->count.at;
    for (uint32_t i = graph->sites; i-- > 0;) {
        bool goes_on = i + 1 < graph->sites && end_of(graph, i) == graph->site[i + 1].address;
        if (count[i] != UNKNOWN)
            continue;
        if (i > 0 && !graph->scratch.at[i] && count[i - 1] != UNKNOWN)
            count[i] = count[i - 1];
        else
            count[i] = goes_on ? count[i + 1] : 1;
    }
    for (uint32_t i = 0; i < graph->sites; i++) {
        if (i == 0 || graph->scratch.at[i] || graph->count.at[i] != graph->count.at[i - 1]) {
            if (!TP_VECTOR_PUSH(&graph->blocks, (struct tp_block){i, 0, graph->count.at[i]}))
                return -1;
        }
        graph->blocks.at[graph->blocks.count - 1].sites++;
        graph->block_of.at[i] = (uint32_t)graph->blocks.count - 1;
    }
    graph->hub = (uint32_t)graph->blocks.count;
    graph->outside = graph->hub + 1;
    return TP_VECTOR_PUSH(&graph->blocks, (struct tp_block){0}) && TP_VECTOR_PUSH(&graph->blocks, (struct tp_block){0})
               ? 0
               : -1;
}

/* ------------------------------------------------------------------------------------------ ways */

/* scratch.at[to]: the last block + 1 that a way to `to` was added from. */
static int add_way(struct tp_graph *graph, uint32_t from, uint32_t to)
{
    if (graph->scratch.at[to] == from + 1)
        return 0;
    graph->scratch.at[to] = from + 1;
    return TP_VECTOR_PUSH(&graph->ways, (struct tp_way){from, to, UNKNOWN}) ? 0 : -1;
}

static uint32_t block_at(const struct tp_graph *graph, uint64_t address)
{
    uint32_t site = site_at(graph, address);

    return site < graph->sites ? graph->block_of.at[site] : graph->outside;
}

/* To a target that was not executed there is no way, unless it is elsewhere. */
static int add_jump(struct tp_graph *graph, uint32_t from, uint64_t target)
{
    uint32_t to = block_at(graph, target);

    if (to == graph->outside && target >= graph->start && target < graph->end)
        return 0;
    return add_way(graph, from, to);
}

static int add_next(struct tp_graph *graph, uint32_t from, uint64_t address, bool calls)
{
    uint32_t to = block_at(graph, address);
    bool leaks = calls || to == graph->outside || graph->blocks.at[to].count < graph->blocks.at[from].count;

    return add_way(graph, from, to) || (leaks && add_way(graph, from, graph->outside)) ? -1 : 0;
}

static int add_indirect(struct tp_graph *graph, uint32_t from, uint32_t site)
{
    size_t before = graph->ways.count, t = 0;

    while (t < graph->tables.count && graph->tables.at[t].site != site)
        t++;
    for (uint64_t i = 0, to; t < graph->tables.count && (to = entry_of(graph, &graph->tables.at[t], i)); i++) {
        uint32_t block = block_at(graph, to);
        if (block != graph->outside && add_way(graph, from, block))
            return -1;
    }
    if (graph->ways.count > before)
        return 0;
    graph->blocks.at[graph->hub].count = tp_sum(graph->blocks.at[graph->hub].count, graph->blocks.at[from].count);
    return add_way(graph, from, graph->hub);
}

/* Ways into blocks that are executed more often than those known can account for: from the hub, or from outside. */
static int add_unknown_ways(struct tp_graph *graph)
{
    uint64_t *most = calloc(graph->blocks.count, sizeof *most);
    uint32_t source = graph->blocks.at[graph->hub].count ? graph->hub : graph->outside;
    int failed = most ? 0 : -1;

    for (size_t i = 0; !failed && i < graph->ways.count; i++)
        most[graph->ways.at[i].to] = tp_sum(most[graph->ways.at[i].to], graph->blocks.at[graph->ways.at[i].from].count);
    for (uint32_t from = source; !failed && from <= graph->outside; from++) {
        for (uint32_t b = 0; !failed && b < graph->hub; b++) {
            bool entry = graph->site[graph->blocks.at[b].first].address == graph->start;
            if (entry ? from == graph->outside : from == source && most[b] < graph->blocks.at[b].count)
                failed = add_way(graph, from, b);
        }
        if (!failed && from == graph->hub) /* a call in place of a return */
            failed = add_way(graph, from, graph->outside);
    }
    free(most);
    return failed;
}

static int make_ways(struct tp_graph *graph)
{
    int failed = TP_VECTOR_ZEROES(&graph->scratch, graph->blocks.count);

    for (uint32_t b = 0; !failed && b < graph->hub; b++) {
        uint32_t last = graph->blocks.at[b].first + graph->blocks.at[b].sites - 1;
        const struct tp_decoded *code = &graph->code.at[last];
        switch ((enum tp_flow)code->flow) {
        case TP_FLOW_NEXT:
        case TP_FLOW_CALL: failed = add_next(graph, b, end_of(graph, last), code->flow == TP_FLOW_CALL); break;
        case TP_FLOW_BRANCH:
            failed = add_jump(graph, b, code->target) || add_jump(graph, b, end_of(graph, last));
            break;
        case TP_FLOW_JUMP: failed = add_jump(graph, b, code->target); break;
        case TP_FLOW_INDIRECT: failed = add_indirect(graph, b, last); break;
        default: failed = add_way(graph, b, graph->outside);
        }
    }
    return failed ? -1 : add_unknown_ways(graph);
}

/* Ways are in the order of the blocks that they leave; a list has them by those that they enter. */
static int make_lists(struct tp_graph *graph)
{
    size_t blocks = graph->blocks.count, ways = graph->ways.count;

    if (TP_VECTOR_ZEROES(&graph->first_out, blocks + 1) || TP_VECTOR_ZEROES(&graph->first_in, blocks + 2) ||
        TP_VECTOR_ZEROES(&graph->in, ways))
        return -1;
    for (size_t i = 0; i < ways; i++) {
        graph->first_out.at[graph->ways.at[i].from + 1]++;
        graph->first_in.at[graph->ways.at[i].to + 2]++;
    }
    for (size_t i = 1; i <= blocks; i++) {
        graph->first_out.at[i] += graph->first_out.at[i - 1];
        graph->first_in.at[i + 1] += graph->first_in.at[i];
    }
    for (uint32_t i = 0; i < ways; i++) /* first_in[b + 1] goes from the beginning of b's to their end */
        graph->in.at[graph->first_in.at[graph->ways.at[i].to + 1]++] = i;
    return 0;
}

/* ------------------------------------------------------------------------------------------ counts */

/* If just one of the ways out of a block, or into it, is unknown, it is what the others leave over of the block's
 * count. The other end of it, or `outside`: nothing was found. */
static uint32_t settle(struct tp_graph *graph, uint32_t block, bool out)
{
    const uint32_t *first = out ? graph->first_out.at : graph->first_in.at;
    struct tp_way *unknown = NULL;
    uint64_t rest = graph->blocks.at[block].count;

    for (uint32_t i = first[block]; i < first[block + 1]; i++) {
        struct tp_way *way = &graph->ways.at[out ? i : graph->in.at[i]];
        if (way->count == UNKNOWN && unknown)
            return graph->outside;
        if (way->count == UNKNOWN)
            unknown = way;
        else
            rest -= way->count < rest ? way->count : rest;
    }
    if (!unknown)
        return graph->outside;
    uint32_t other = unknown->from == block ? unknown->to : unknown->from;
    unknown->count = other == graph->outside || rest < graph->blocks.at[other].count ? rest
                                                                                     : graph->blocks.at[other].count;
    return other;
}

/* Blocks that wait: each at most once, in scratch2 as a stack, marked in scratch. */
static int wait_for(struct tp_graph *graph, uint32_t block)
{
    if (block == graph->outside || graph->scratch.at[block])
        return 0;
    if (!TP_VECTOR_PUSH(&graph->scratch2, block))
        return -1;
    graph->scratch.at[block] = 1;
    return 0;
}

static int settle_all(struct tp_graph *graph)
{
    graph->scratch2.count = 0;
    memset(graph->scratch.at, 0, graph->blocks.count * sizeof *graph->scratch.at);
    for (uint32_t b = 0; b < graph->outside; b++) {
        if (wait_for(graph, b))
            return -1;
    }
    while (graph->scratch2.count) {
        uint32_t b = graph->scratch2.at[--graph->scratch2.count];
        graph->scratch.at[b] = 0;
        uint32_t to = settle(graph, b, true), from = settle(graph, b, false);
        if (wait_for(graph, to) || wait_for(graph, from))
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ all */

/* Where rbp is not the frame's pointer in all of the function, what it points to is no slot of the stack. */
static void find_slots(struct tp_graph *graph)
{
    enum { RBP = 5 };
    bool framed = true;

    for (uint32_t i = 0; i < graph->sites; i++)
        framed &= !(graph->code.at[i].writes >> RBP & 1) || graph->code.at[i].frames;
    for (uint32_t i = 0; i < graph->sites && !framed; i++) {
        struct tp_decoded *code = &graph->code.at[i];
        if (code->in_slot && code->slot_base == RBP)
            code->in_slot = code->moves = false;
    }
}

int tp_graph_make(struct tp_graph *graph)
{
    for (uint32_t i = 0; i < graph->sites; i++) {
        if (graph->code.at[i].flow == TP_FLOW_UNKNOWN)
            return 0;
    }
    find_slots(graph);
    if (make_tables(graph) || make_blocks(graph) || make_ways(graph) || make_lists(graph) || settle_all(graph))
        return -1;
    /* A call has returned each time, where the block behind it is executed as often. */
    for (size_t i = 0; i < graph->ways.count; i++) {
        struct tp_way *way = &graph->ways.at[i];
        if (way->to != graph->outside || way->from >= graph->hub || way->count != UNKNOWN)
            continue;
        const struct tp_block *block = &graph->blocks.at[way->from];
        uint32_t last = block->first + block->sites - 1, next = block_at(graph, end_of(graph, last));
        if (graph->code.at[last].flow == TP_FLOW_CALL && next != graph->outside &&
            graph->blocks.at[next].count >= block->count)
            way->count = 0;
    }
    return settle_all(graph) ? -1 : 1;
}

void tp_graph_clear(struct tp_graph *graph)
{
    graph->code.count = graph->count.count = graph->blocks.count = graph->ways.count = 0;
}

void tp_graph_free(struct tp_graph *graph)
{
    TP_VECTOR_FREE(&graph->code);
    TP_VECTOR_FREE(&graph->count);
    TP_VECTOR_FREE(&graph->blocks);
    TP_VECTOR_FREE(&graph->ways);
    TP_VECTOR_FREE(&graph->tables);
    TP_VECTOR_FREE(&graph->block_of);
    TP_VECTOR_FREE(&graph->in);
    TP_VECTOR_FREE(&graph->first_out);
    TP_VECTOR_FREE(&graph->first_in);
    TP_VECTOR_FREE(&graph->scratch);
    TP_VECTOR_FREE(&graph->scratch2);
}
