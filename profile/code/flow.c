/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.c: see flow.h. Blocks, then ways, then their counts.
 *
 * A way's count is known once it is the only unknown one into or out of a block: what the others leave over. Each one
 * found may settle the block at its other end, so blocks wait in a list until nothing changes. A call may return less
 * often than it is made (exit, longjmp), and an instruction may fault: they have a way to the outside, too. Where
 * nothing says how often a call did not return, it always did.
 */
#include "profile/code/flow.h"

#include <stdlib.h>
#include <string.h>

#include "profile/code/jump_table.h"

#define UNKNOWN TP_FLOW_UNKNOWN_COUNT

uint32_t tp_graph_find(const struct tp_graph *graph, uint64_t address)
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

/* ------------------------------------------------------------------------------------------ blocks */

/* scratch.at[site]: a block begins there, since control may come from elsewhere than the site before. */
static int mark_leaders(struct tp_graph *graph)
{
    if (TP_VECTOR_ZEROES(&graph->scratch, graph->sites))
        return -1;
    for (uint32_t i = 0; i < graph->sites; i++) {
        const struct tp_decoded *code = &graph->code.at[i];
        uint32_t target = code->target ? tp_graph_find(graph, code->target) : graph->sites;
        if (target < graph->sites)
            graph->scratch.at[target] = 1;
        if (i + 1 < graph->sites)
            graph->scratch.at[i + 1] |= code->flow != TP_FLOW_NEXT || end_of(graph, i) != graph->site[i + 1].address;
    }
    for (size_t i = 0; i < graph->tables.count; i++) {
        uint64_t to = 0;
        for (uint64_t k = 0; (to = tp_jump_table_entry(graph, &graph->tables.at[i], k)); k++) {
            uint32_t target = tp_graph_find(graph, to);
            if (target < graph->sites)
                graph->scratch.at[target] = 1;
        }
    }
    return 0;
}

/* Some instructions have no count of their own (TP_REPEATS_UNTIL). Such a one was executed as often as the instruction
 * before it, unless control also comes to it from elsewhere: then it is given the count of the instruction behind it.
 * That is too much where control comes to that one from elsewhere, too. From the last to the first, so that of two such
 * instructions in a row the second is known already. */
static void fill_in_counts(struct tp_graph *graph)
{
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
}

static int make_blocks(struct tp_graph *graph)
{
    if (mark_leaders(graph) || TP_VECTOR_ZEROES(&graph->block_of, graph->sites))
        return -1;
    fill_in_counts(graph);
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
    uint32_t site = tp_graph_find(graph, address);

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
    const struct tp_jump_table *table = tp_jump_table_of(graph, site);
    uint64_t to = 0, i = 0;
    size_t before = graph->ways.count;

    for (; table && (to = tp_jump_table_entry(graph, table, i)); i++) {
        uint32_t block = block_at(graph, to);
        if (block != graph->outside && add_way(graph, from, block))
            return -1;
    }
    if (graph->ways.count > before)
        return 0;
    graph->blocks.at[graph->hub].count = tp_sum(graph->blocks.at[graph->hub].count, graph->blocks.at[from].count);
    return add_way(graph, from, graph->hub);
}

static int add_ways_from(struct tp_graph *graph, uint32_t from)
{
    uint32_t last = graph->blocks.at[from].first + graph->blocks.at[from].sites - 1;
    const struct tp_decoded *code = &graph->code.at[last];

    switch ((enum tp_flow)code->flow) {
    case TP_FLOW_NEXT:
    case TP_FLOW_CALL: return add_next(graph, from, end_of(graph, last), code->flow == TP_FLOW_CALL);
    case TP_FLOW_BRANCH:
        return add_jump(graph, from, code->target) || add_jump(graph, from, end_of(graph, last)) ? -1 : 0;
    case TP_FLOW_JUMP: return add_jump(graph, from, code->target);
    case TP_FLOW_INDIRECT: return add_indirect(graph, from, last);
    default: return add_way(graph, from, graph->outside);
    }
}

/* Ways into blocks that are executed more often than those known can account for. */
static int add_unknown_ways(struct tp_graph *graph)
{
    uint64_t *most = calloc(graph->blocks.count, sizeof *most);
    uint32_t source = graph->blocks.at[graph->hub].count ? graph->hub : graph->outside;
    int failed = most ? 0 : -1;

    for (size_t i = 0; !failed && i < graph->ways.count; i++)
        most[graph->ways.at[i].to] = tp_sum(most[graph->ways.at[i].to], graph->blocks.at[graph->ways.at[i].from].count);
    for (uint32_t b = 0; !failed && b < graph->hub; b++) {
        bool entry = graph->site[graph->blocks.at[b].first].address == graph->start;
        if (most[b] < graph->blocks.at[b].count && !entry)
            failed = add_way(graph, source, b);
        else if (entry)
            failed = add_way(graph, graph->outside, b);
    }
    free(most);
    if (!failed && source == graph->hub) /* a call in place of a return */
        failed = add_way(graph, graph->hub, graph->outside);
    return failed;
}

static int make_ways(struct tp_graph *graph)
{
    if (TP_VECTOR_ZEROES(&graph->scratch, graph->blocks.count))
        return -1;
    for (uint32_t b = 0; b < graph->hub; b++) {
        if (add_ways_from(graph, b))
            return -1;
    }
    return add_unknown_ways(graph);
}

/* Lists of ways by the block at one of their ends. */
static int make_lists(struct tp_graph *graph)
{
    size_t blocks = graph->blocks.count, ways = graph->ways.count;

    if (TP_VECTOR_ZEROES(&graph->first_out, blocks + 2) || TP_VECTOR_ZEROES(&graph->first_in, blocks + 2) ||
        TP_VECTOR_ZEROES(&graph->out, ways) || TP_VECTOR_ZEROES(&graph->in, ways))
        return -1;
    for (size_t i = 0; i < ways; i++) {
        graph->first_out.at[graph->ways.at[i].from + 2]++;
        graph->first_in.at[graph->ways.at[i].to + 2]++;
    }
    for (size_t i = 2; i < blocks + 2; i++) {
        graph->first_out.at[i] += graph->first_out.at[i - 1];
        graph->first_in.at[i] += graph->first_in.at[i - 1];
    }
    for (uint32_t i = 0; i < ways; i++) { /* first[b + 1] goes from the beginning of b's to their end */
        graph->out.at[graph->first_out.at[graph->ways.at[i].from + 1]++] = i;
        graph->in.at[graph->first_in.at[graph->ways.at[i].to + 1]++] = i;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ counts */

/* If just one of these ways is unknown, it is what the others leave over of the block's count. The other end of it, or
 * `outside`: nothing was found. */
static uint32_t settle(struct tp_graph *graph, uint32_t block, const uint32_t *list, uint32_t first, uint32_t end)
{
    struct tp_way *unknown = NULL;
    uint64_t rest = graph->blocks.at[block].count;

    for (uint32_t i = first; i < end; i++) {
        struct tp_way *way = &graph->ways.at[list[i]];
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
        uint32_t out = settle(graph, b, graph->out.at, graph->first_out.at[b], graph->first_out.at[b + 1]);
        uint32_t in = settle(graph, b, graph->in.at, graph->first_in.at[b], graph->first_in.at[b + 1]);
        if (wait_for(graph, out) || wait_for(graph, in))
            return -1;
    }
    return 0;
}

static void let_calls_return(struct tp_graph *graph)
{
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
}

static int make_counts(struct tp_graph *graph)
{
    if (settle_all(graph))
        return -1;
    let_calls_return(graph);
    return settle_all(graph);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_graph_make(struct tp_graph *graph)
{
    for (uint32_t i = 0; i < graph->sites; i++) {
        if (graph->code.at[i].flow == TP_FLOW_UNKNOWN)
            return 0;
    }
    return tp_jump_tables_make(graph) || make_blocks(graph) || make_ways(graph) || make_lists(graph) ||
                   make_counts(graph)
               ? -1
               : 1;
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
    TP_VECTOR_FREE(&graph->out);
    TP_VECTOR_FREE(&graph->in);
    TP_VECTOR_FREE(&graph->first_out);
    TP_VECTOR_FREE(&graph->first_in);
    TP_VECTOR_FREE(&graph->scratch);
    TP_VECTOR_FREE(&graph->scratch2);
}
