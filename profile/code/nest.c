/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nest.c: see nest.h. Strongly connected components (Tarjan, Depth-first search and linear graph algorithms, 1972),
 * of the graph and then of each component without the ways to its heads, until there are none.
 *
 * A region is a set of blocks whose components are wanted: a stretch of `list`, all with the same number in `region`.
 * The search leaves the stretch in the order in which components were found, each a stretch of its own and a region.
 * Regions wait on a stack, the lowest of a loop at its top, so that loops come in the order in which they are kept.
 */
#include "profile/code/nest.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* what is nested deeper is part of the loop around it */

struct region {
    uint32_t first, count; /* of list */
    uint32_t head;         /* site */
    uint32_t parent, level; /* the loop that it was found in, + 1; how deep */
};

struct search {
    struct tp_nest *nest;
    const struct tp_graph *graph;
    uint32_t *list, *region;
    uint32_t regions;
    bool *is_head;  /* of the loop that its region is */
    uint32_t *order, *low, *next, *stack, *path, *copy; /* of Tarjan's search, by block; order 0: not seen */
    uint32_t seen, stacked, depth, done; /* so many of order, stack, path; done: place in list of what was found */
    bool *on_stack;
    TP_VECTOR(struct region) waiting;
};

/* ------------------------------------------------------------------------------------------ components */

/* Whether the search goes along a way: it was taken, as far as that is known, stays in the region, and is not one back
 * to its heads. */
static bool is_open(const struct search *s, const struct tp_way *way)
{
    return way->count && s->region[way->from] == s->region[way->to] && !s->is_head[way->to];
}

static bool leads_to_itself(const struct search *s, uint32_t block)
{
    const struct tp_graph *graph = s->graph;

    for (uint32_t i = graph->first_out.at[block]; i < graph->first_out.at[block + 1]; i++) {
        const struct tp_way *way = &graph->ways.at[i];
        if (way->to == block && is_open(s, way))
            return true;
    }
    return false;
}

/* A component has been found, the last of which `block` is: it is taken off the stack, put into the list, and waits if
 * it has a way inside. */
static int nest_keep(struct search *s, uint32_t block, const struct region *in)
{
    struct region found = {.first = s->done, .parent = in->parent, .level = in->level + 1};
    uint32_t member;

    do {
        member = s->stack[--s->stacked];
        s->on_stack[member] = false;
        s->list[s->done++] = member;
    } while (member != block);
    found.count = s->done - found.first;
    bool waits = found.count > 1 || leads_to_itself(s, block);
    return !waits || TP_VECTOR_PUSH(&s->waiting, found) ? 0 : -1;
}

/* One step from the block at the end of the path: along its next way, or back. */
static int nest_step(struct search *s, const struct region *in)
{
    uint32_t block = s->path[s->depth - 1];

    if (!s->order[block]) {
        s->order[block] = s->low[block] = ++s->seen;
        s->next[block] = s->graph->first_out.at[block];
        s->stack[s->stacked++] = block;
        s->on_stack[block] = true;
    }
    while (s->next[block] < s->graph->first_out.at[block + 1]) {
        const struct tp_way *way = &s->graph->ways.at[s->next[block]++];
        if (!is_open(s, way))
            continue;
        if (!s->order[way->to]) {
            s->path[s->depth++] = way->to;
            return 0;
        }
        if (s->on_stack[way->to] && s->order[way->to] < s->low[block])
            s->low[block] = s->order[way->to];
    }
    s->depth--;
    if (s->depth && s->low[block] < s->low[s->path[s->depth - 1]])
        s->low[s->path[s->depth - 1]] = s->low[block];
    return s->low[block] == s->order[block] ? nest_keep(s, block, in) : 0;
}

/* All components of a region that have a way inside wait. What is read is a copy of the list, as that is written. */
static int find_components(struct search *s, const struct region *in)
{
    int failed = 0;

    memcpy(s->copy, s->list + in->first, in->count * sizeof *s->copy);
    for (uint32_t i = 0; i < in->count; i++)
        s->order[s->copy[i]] = 0;
    s->seen = 0;
    s->done = in->first;
    for (uint32_t i = 0; !failed && i < in->count; i++) {
        if (s->order[s->copy[i]])
            continue;
        s->path[s->depth++] = s->copy[i];
        while (!failed && s->depth)
            failed = nest_step(s, in);
    }
    return failed;
}

/* ------------------------------------------------------------------------------------------ a loop */

/* Where a loop is entered, and how often control goes which way. */
struct borders {
    uint64_t iterations;
    uint64_t entering, back, leaving; /* TP_FLOW_UNKNOWN_COUNT: not known; back: to any head */
    uint64_t entering_most;           /* `entering` is no more than that */
    uint32_t heads;
};

static void nest_add(uint64_t *sum, uint64_t count)
{
    *sum = *sum == TP_FLOW_UNKNOWN_COUNT || count == TP_FLOW_UNKNOWN_COUNT ? TP_FLOW_UNKNOWN_COUNT
                                                                           : tp_sum(*sum, count);
}

static bool is_entered(const struct search *s, uint32_t block)
{
    const struct tp_graph *graph = s->graph;

    for (uint32_t i = graph->first_in.at[block]; i < graph->first_in.at[block + 1]; i++) {
        const struct tp_way *way = &graph->ways.at[graph->in.at[i]];
        if (way->count && s->region[way->from] != s->region[block])
            return true;
    }
    return false;
}

/* No more than what other ways out of the same block leave over. */
static uint64_t most_of(const struct tp_graph *graph, const struct tp_way *way)
{
    uint64_t rest = graph->blocks.at[way->from].count;

    if (way->count != TP_FLOW_UNKNOWN_COUNT || way->from >= graph->hub)
        return way->count;
    for (uint32_t i = graph->first_out.at[way->from]; i < graph->first_out.at[way->from + 1]; i++) {
        uint64_t other = graph->ways.at[i].count;
        rest -= other == TP_FLOW_UNKNOWN_COUNT ? 0 : other < rest ? other : rest;
    }
    return rest;
}

/* Heads are marked. A set of blocks that nothing is known to enter has its first one as head. */
static struct borders borders_of(struct search *s, const struct region *loop)
{
    const struct tp_graph *graph = s->graph;
    struct borders found = {.heads = 0};
    uint32_t lowest = s->list[loop->first];

    for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
        uint32_t block = s->list[i];
        s->is_head[block] = is_entered(s, block);
        found.heads += s->is_head[block];
        lowest = block < lowest ? block : lowest;
    }
    if (!found.heads)
        s->is_head[lowest] = true;
    for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
        uint32_t block = s->list[i];
        if (s->is_head[block] && graph->blocks.at[block].count > found.iterations)
            found.iterations = graph->blocks.at[block].count;
        for (uint32_t k = graph->first_in.at[block]; s->is_head[block] && k < graph->first_in.at[block + 1]; k++) {
            const struct tp_way *way = &graph->ways.at[graph->in.at[k]];
            bool back = s->region[way->from] == s->region[block];
            nest_add(back ? &found.back : &found.entering, way->count);
            if (!back)
                nest_add(&found.entering_most, most_of(graph, way));
        }
        for (uint32_t k = graph->first_out.at[block]; k < graph->first_out.at[block + 1]; k++) {
            const struct tp_way *way = &graph->ways.at[k];
            if (s->region[way->to] != s->region[block])
                nest_add(&found.leaving, way->count);
        }
    }
    return found;
}

static uint64_t entries_of(const struct borders *borders)
{
    if (borders->heads && borders->entering != TP_FLOW_UNKNOWN_COUNT)
        return borders->entering;
    if (borders->entering_most == 1) /* and no less, as it was executed */
        return 1;
    if (borders->heads == 1 && borders->back != TP_FLOW_UNKNOWN_COUNT && borders->back <= borders->iterations)
        return borders->iterations - borders->back;
    return borders->leaving;
}

/* The lowest site at which a region is entered; if only through the hub, its lowest. */
static uint32_t head_of(const struct search *s, const struct region *loop)
{
    uint32_t head = UINT32_MAX, lowest = UINT32_MAX;

    for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
        uint32_t block = s->list[i], site = s->graph->blocks.at[block].first;
        if (block >= s->graph->hub)
            continue;
        lowest = site < lowest ? site : lowest;
        if (site < head && is_entered(s, block))
            head = site;
    }
    return head < UINT32_MAX ? head : lowest;
}

/* ------------------------------------------------------------------------------------------ regions */

/* The loop that a region is becomes its parent, unless its ways back were never taken. */
static int add_loop(struct search *s, struct region *region)
{
    struct borders borders = borders_of(s, region);
    uint64_t entries = entries_of(&borders);
    uint32_t depth = region->parent ? s->nest->loops.at[region->parent - 1].depth + 1 : 1;

    if (borders.back == 0 || entries == borders.iterations)
        return 0;
    if (!TP_VECTOR_PUSH(&s->nest->loops, (struct tp_nested){region->parent, depth, region->head, borders.iterations,
                                                            entries}))
        return -1;
    region->parent = (uint32_t)s->nest->loops.count;
    for (uint32_t i = region->first; i < region->first + region->count; i++)
        s->nest->loop_of.at[s->list[i]] = region->parent;
    return 0;
}

static int by_head_down(const void *a, const void *b)
{
    const struct region *x = a, *y = b;

    return TP_COMPARE(y->head, x->head);
}

/* The loop that a region is, and the regions in it, which wait. */
static int nest_look_into(struct search *s, struct region region)
{
    size_t from = s->waiting.count;

    if ((region.level && add_loop(s, &region)) || (region.level <= DEEPEST && find_components(s, &region)))
        return -1;
    for (size_t i = from; i < s->waiting.count; i++) {
        const struct region *inner = &s->waiting.at[i];
        s->regions++;
        for (uint32_t k = inner->first; k < inner->first + inner->count; k++) {
            s->region[s->list[k]] = s->regions;
            s->is_head[s->list[k]] = false;
        }
    }
    for (size_t i = from; i < s->waiting.count; i++)
        s->waiting.at[i].head = head_of(s, &s->waiting.at[i]);
    if (s->waiting.count > from + 1)
        qsort(s->waiting.at + from, s->waiting.count - from, sizeof *s->waiting.at, by_head_down);
    return 0;
}

/* ------------------------------------------------------------------------------------------ all */

static int search_begin(struct search *s)
{
    size_t blocks = s->graph->blocks.count;
    uint32_t **arrays[] = {&s->region, &s->order, &s->low, &s->next, &s->stack, &s->path, &s->copy};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };

    s->nest->loops.count = 0;
    s->list = calloc((ARRAYS + 1) * blocks, sizeof *s->list);
    s->is_head = calloc(2 * blocks, sizeof *s->is_head);
    if (!s->list || !s->is_head || TP_VECTOR_ZEROES(&s->nest->loop_of, blocks))
        return -1;
    for (size_t i = 0; i < ARRAYS; i++)
        *arrays[i] = s->list + (i + 1) * blocks;
    s->on_stack = s->is_head + blocks;
    for (uint32_t i = 0; i < blocks; i++)
        s->list[i] = i;
    s->region[s->graph->outside] = UINT32_MAX; /* is in no loop */
    return TP_VECTOR_PUSH(&s->waiting, (struct region){.count = s->graph->outside}) ? 0 : -1;
}

int tp_nest_make(struct tp_nest *nest, const struct tp_graph *graph)
{
    struct search s = {.nest = nest, .graph = graph};
    int failed = search_begin(&s);

    while (!failed && s.waiting.count)
        failed = nest_look_into(&s, s.waiting.at[--s.waiting.count]);
    free(s.list);
    free(s.is_head);
    TP_VECTOR_FREE(&s.waiting);
    return failed;
}

void tp_nest_free(struct tp_nest *nest)
{
    TP_VECTOR_FREE(&nest->loops);
    TP_VECTOR_FREE(&nest->loop_of);
}
