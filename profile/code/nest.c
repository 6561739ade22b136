/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nest.c: see nest.h. Strongly connected components (Tarjan, Depth-first search and linear graph algorithms, 1972),
 * of the graph and then of each component without the ways to its heads, until there are none.
 *
 * A region is a set of blocks whose components are wanted: a stretch of `list`, all with the same number in `region`.
 * The search leaves the stretch in the order in which components were found, each a stretch of its own.
 */
#include "profile/code/nest.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* what is nested deeper is part of the loop around it */

struct component {
    uint32_t first, count; /* of list */
    uint32_t head;         /* site */
};

struct search {
    struct tp_nest *nest;
    const struct tp_graph *graph;
    uint32_t *list, *region;
    uint32_t regions;
    bool *is_head;  /* of the loop that its region is */
    uint32_t *order, *low, *next, *stack, *path; /* of Tarjan's search, by block; order 0: not seen */
    bool *on_stack;
    TP_VECTOR(struct component) found;
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
        const struct tp_way *way = &graph->ways.at[graph->out.at[i]];
        if (way->to == block && is_open(s, way))
            return true;
    }
    return false;
}

static int nest_keep(struct search *s, uint32_t first, uint32_t count)
{
    if (count == 1 && !leads_to_itself(s, s->list[first]))
        return 0;
    struct component *component = TP_VECTOR_ADD(&s->found);
    if (!component)
        return -1;
    *component = (struct component){first, count, 0};
    return 0;
}

struct walk {
    uint32_t seen, stacked, done; /* counts; done: place in list of what was found so far */
};

/* One step from the block at the end of the path: along its next way, or back. */
static int nest_step(struct search *s, struct walk *w, uint32_t *depth)
{
    const struct tp_graph *graph = s->graph;
    uint32_t block = s->path[*depth - 1];

    while (s->next[block] < graph->first_out.at[block + 1]) {
        const struct tp_way *way = &graph->ways.at[graph->out.at[s->next[block]++]];
        if (!is_open(s, way))
            continue;
        if (!s->order[way->to]) {
            s->path[(*depth)++] = way->to;
            return 0;
        }
        if (s->on_stack[way->to] && s->order[way->to] < s->low[block])
            s->low[block] = s->order[way->to];
    }
    --*depth;
    if (*depth && s->low[block] < s->low[s->path[*depth - 1]])
        s->low[s->path[*depth - 1]] = s->low[block];
    if (s->low[block] != s->order[block])
        return 0;
    uint32_t first = w->done, member;
    do {
        member = s->stack[--w->stacked];
        s->on_stack[member] = false;
        s->list[w->done++] = member;
    } while (member != block);
    return nest_keep(s, first, w->done - first);
}

/* All components with a way inside, of list[first ...], appended to s->found. Blocks are taken off the list while it
 * is written: what is read is never behind what is written, as a copy is read. */
static int find_components(struct search *s, uint32_t first, uint32_t count)
{
    struct walk w = {.done = first};
    uint32_t *copy = malloc(count * sizeof *copy + 1);
    int failed = copy ? 0 : -1;

    if (copy)
        memcpy(copy, s->list + first, count * sizeof *copy);
    for (uint32_t i = 0; copy && i < count; i++)
        s->order[copy[i]] = 0;
    for (uint32_t i = 0; !failed && i < count; i++) {
        uint32_t depth = 0;
        if (s->order[copy[i]])
            continue;
        s->path[depth++] = copy[i];
        while (!failed && depth) {
            uint32_t block = s->path[depth - 1];
            if (!s->order[block]) {
                s->order[block] = s->low[block] = ++w.seen;
                s->next[block] = s->graph->first_out.at[block];
                s->stack[w.stacked++] = block;
                s->on_stack[block] = true;
            }
            failed = nest_step(s, &w, &depth);
        }
    }
    free(copy);
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

/* Heads are marked. A set of blocks that nothing is known to enter has its first one as head. */
static uint32_t mark_heads(struct search *s, const struct component *component)
{
    uint32_t heads = 0, lowest = s->list[component->first];

    for (uint32_t i = component->first; i < component->first + component->count; i++) {
        uint32_t block = s->list[i];
        s->is_head[block] = is_entered(s, block);
        heads += s->is_head[block];
        if (block < lowest)
            lowest = block;
    }
    if (!heads)
        s->is_head[lowest] = true;
    return heads;
}

/* No more than what other ways out of the same block leave over. */
static uint64_t most_of(const struct tp_graph *graph, const struct tp_way *way)
{
    uint64_t rest = graph->blocks.at[way->from].count;

    if (way->count != TP_FLOW_UNKNOWN_COUNT || way->from >= graph->hub)
        return way->count;
    for (uint32_t i = graph->first_out.at[way->from]; i < graph->first_out.at[way->from + 1]; i++) {
        uint64_t other = graph->ways.at[graph->out.at[i]].count;
        rest -= other == TP_FLOW_UNKNOWN_COUNT ? 0 : other < rest ? other : rest;
    }
    return rest;
}

static struct borders borders_of(struct search *s, const struct component *component)
{
    const struct tp_graph *graph = s->graph;
    struct borders found = {.heads = mark_heads(s, component)};

    for (uint32_t i = component->first; i < component->first + component->count; i++) {
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
            const struct tp_way *way = &graph->ways.at[graph->out.at[k]];
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

/* The lowest site at which a component is entered; if only through the hub, its lowest. */
static uint32_t head_of(const struct search *s, const struct component *component)
{
    uint32_t head = UINT32_MAX, lowest = UINT32_MAX;

    for (uint32_t i = component->first; i < component->first + component->count; i++) {
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

static void begin_region(struct search *s, const struct component *component)
{
    s->regions++;
    for (uint32_t i = component->first; i < component->first + component->count; i++) {
        s->region[s->list[i]] = s->regions;
        s->is_head[s->list[i]] = false;
    }
}

/* The loop that a component is, + 1; `parent` if its ways back were never taken. `failed`: out of memory. */
static uint32_t add_loop(struct search *s, const struct component *component, uint32_t parent, bool *failed)
{
    struct borders borders = borders_of(s, component);
    uint64_t entries = entries_of(&borders);

    if (borders.back == 0 || entries == borders.iterations)
        return parent;
    struct tp_nested *loop = TP_VECTOR_ADD(&s->nest->loops);
    *failed = !loop;
    if (!loop)
        return 0;
    uint32_t depth = parent ? s->nest->loops.at[parent - 1].depth + 1 : 1;
    *loop = (struct tp_nested){parent, depth, component->head, borders.iterations, entries};
    uint32_t id = (uint32_t)s->nest->loops.count;
    for (uint32_t i = component->first; i < component->first + component->count; i++)
        s->nest->loop_of.at[s->list[i]] = id;
    return id;
}

static int by_head(const void *a, const void *b)
{
    const struct component *x = a, *y = b;

    return TP_COMPARE(x->head, y->head);
}

static int find_in(struct search *s, uint32_t first, uint32_t count, uint32_t parent, unsigned level);

/* The components found behind `from`, each a loop, and what is in them. */
static int nest_components(struct search *s, size_t from, uint32_t parent, unsigned level)
{
    size_t count = s->found.count - from;
    struct component *mine = malloc(count * sizeof *mine + 1);
    bool failed = !mine;

    if (mine && count)
        memcpy(mine, s->found.at + from, count * sizeof *mine);
    s->found.count = from;
    for (size_t i = 0; mine && i < count; i++) {
        begin_region(s, &mine[i]);
        mine[i].head = head_of(s, &mine[i]);
    }
    if (mine && count > 1)
        qsort(mine, count, sizeof *mine, by_head);
    for (size_t i = 0; !failed && i < count; i++) {
        uint32_t loop = add_loop(s, &mine[i], parent, &failed);
        if (!failed)
            failed = find_in(s, mine[i].first, mine[i].count, loop, level + 1);
    }
    free(mine);
    return failed ? -1 : 0;
}

static int find_in(struct search *s, uint32_t first, uint32_t count, uint32_t parent, unsigned level)
{
    size_t from = s->found.count;

    if (level > DEEPEST)
        return 0;
    return find_components(s, first, count) || nest_components(s, from, parent, level) ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ all */

static int search_begin(struct search *s)
{
    size_t blocks = s->graph->blocks.count;
    uint32_t *numbers = calloc(7 * blocks, sizeof *numbers);

    s->list = numbers;
    s->is_head = calloc(2 * blocks, sizeof *s->is_head);
    s->on_stack = s->is_head + blocks;
    if (!numbers || !s->is_head)
        return -1;
    s->region = numbers + blocks;
    s->order = numbers + 2 * blocks;
    s->low = numbers + 3 * blocks;
    s->next = numbers + 4 * blocks;
    s->stack = numbers + 5 * blocks;
    s->path = numbers + 6 * blocks;
    s->nest->loops.count = 0;
    if (TP_VECTOR_ZEROES(&s->nest->loop_of, blocks))
        return -1;
    for (uint32_t i = 0; i < blocks; i++)
        s->list[i] = i;
    s->region[s->graph->outside] = UINT32_MAX; /* is in no loop */
    return 0;
}

int tp_nest_make(struct tp_nest *nest, const struct tp_graph *graph)
{
    struct search s = {.nest = nest, .graph = graph};
    int failed = search_begin(&s) || find_in(&s, 0, graph->outside, 0, 0);

    free(s.list);
    free(s.is_head);
    TP_VECTOR_FREE(&s.found);
    return failed ? -1 : 0;
}

void tp_nest_free(struct tp_nest *nest)
{
    TP_VECTOR_FREE(&nest->loops);
    TP_VECTOR_FREE(&nest->loop_of);
}
