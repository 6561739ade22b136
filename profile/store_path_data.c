/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_path_data.c: what call paths pay in data objects, and what functions do, inclusive of all that they call.
 *
 * A node has costs by data object. For one object at a time, its nodes and all nodes above them are visited in
 * post-order, so that only the sums of the nodes on one path are in memory (tree.h); each function gets those of its
 * topmost nodes, once however deep the recursion. What pruned nodes paid is not in the tree: the recording has it by
 * function.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/error.h"
#include "profile/store.h"
#include "profile/tree.h"

/* One piece of costs: of a node, or, node 0, of a function. */
struct held {
    uint32_t data, number, context; /* data object + 1; node's place in the tree's order, from 1 */
    const struct tp_blob *blob;
};

struct held_rows {
    struct tp_store *store;
    const struct tp_tree *tree;
    struct tp_insert paths, functions;
    TP_VECTOR(struct held) held; /* sorted by data object, then in the tree's order, functions first */
    TP_VECTOR(uint32_t) visited; /* of the object at hand: nodes by place, ascending */
    TP_VECTOR(uint32_t) met;     /* of the object at hand: functions + 1 */
    uint32_t *seen;              /* by node + 1: the object that visited it last */
    uint64_t **function;         /* rows, by function + 1; NULL: not met */
    struct tp_arena arena;       /* of them */
    uint64_t *below;             /* rows by depth: sums of children visited */
};

/* ------------------------------------------------------------------------------------------ gathering */

static int by_object(const void *a, const void *b)
{
    const struct held *x = a, *y = b;

    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static int gather_from(struct held_rows *h, const struct tp_blob *blob, uint32_t number, uint32_t context)
{
    for (; blob; blob = blob->next) {
        struct held *to = TP_VECTOR_ADD(&h->held);
        if (!to)
            return TP_NO_MEMORY(h->store->err);
        *to = (struct held){.data = blob->data, .number = number, .context = context, .blob = blob};
    }
    return 0;
}

static int gather(struct held_rows *h)
{
    const struct tp_recording *rec = h->store->rec;
    int failed = 0;

    for (size_t i = 0; !failed && i < rec->contexts.count; i++)
        failed = gather_from(h, rec->contexts.at[i].held, 0, (uint32_t)i + 1);
    for (size_t i = 0; !failed && i < rec->nodes.count; i++)
        failed = gather_from(h, rec->nodes.at[i].held, h->tree->number[i + 1], rec->nodes.at[i].context);
    if (!failed && h->held.count)
        qsort(h->held.at, h->held.count, sizeof *h->held.at, by_object);
    return failed;
}

/* ------------------------------------------------------------------------------------------ one object */

static int add_to_function(struct held_rows *h, uint32_t context, const uint64_t *row)
{
    const struct tp_events *events = &h->store->rec->events;
    uint64_t **function = &h->function[context];

    if (!*function) {
        uint32_t *met = TP_VECTOR_ADD(&h->met);
        *function = tp_arena_alloc(&h->arena, events->count * sizeof **function);
        if (!met || !*function)
            return TP_NO_MEMORY(h->store->err);
        *met = context;
    }
    tp_add_row(events, *function, row);
    return 0;
}

/* The nodes of pieces [first, end), and those above them. */
static int visit(struct held_rows *h, size_t first, size_t end)
{
    const struct tp_recording *rec = h->store->rec;

    h->visited.count = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t node = h->held.at[i].number ? h->tree->order[h->held.at[i].number - 1] : 0;
        for (; node && h->seen[node] != h->held.at[i].data; node = rec->nodes.at[node - 1].parent) {
            uint32_t *number = TP_VECTOR_ADD(&h->visited);
            if (!number)
                return TP_NO_MEMORY(h->store->err);
            *number = h->tree->number[node];
            h->seen[node] = h->held.at[i].data;
        }
    }
    if (h->visited.count)
        qsort(h->visited.at, h->visited.count, sizeof *h->visited.at, by_number);
    return 0;
}

static int write_path(struct held_rows *h, uint32_t data, uint32_t number, uint32_t context, const uint64_t *row)
{
    const struct tp_recording *rec = h->store->rec;

    tp_put_id(&h->paths, number);
    tp_put_id(&h->paths, data);
    tp_put_row(&h->paths, &rec->events, row, context ? rec->contexts.at[context - 1].can : 0);
    return tp_insert_row(h->store, &h->paths);
}

/* A visited node: what it pays itself is written, and what is paid at and below it is handed on. */
static int take_node(struct held_rows *h, uint32_t number, size_t *piece, size_t end)
{
    const struct tp_recording *rec = h->store->rec;
    size_t width = rec->events.count;
    uint32_t id = h->tree->order[number - 1], context = rec->nodes.at[id - 1].context, depth = h->tree->depth[id];
    uint64_t self[TP_MAX_EVENTS], *incl = h->below + width * (depth + 1);
    size_t first = *piece;
    int failed = 0;

    memset(self, 0, width * sizeof *self);
    for (; *piece < end && h->held.at[*piece].number == number; ++*piece)
        tp_blob_add(&rec->events, h->held.at[*piece].blob, self, NULL);
    if (*piece > first)
        failed = write_path(h, h->held.at[first].data, number, context, self);
    tp_add_row(&rec->events, incl, self);
    if (!failed && context && h->tree->top[id] & TP_TOP_OF_FUNCTION)
        failed = add_to_function(h, context, incl);
    tp_add_row(&rec->events, h->below + width * depth, incl);
    memset(incl, 0, width * sizeof *incl);
    return failed;
}

static int write_functions(struct held_rows *h, uint32_t data)
{
    const struct tp_recording *rec = h->store->rec;
    int failed = 0;

    if (h->met.count)
        qsort(h->met.at, h->met.count, sizeof *h->met.at, by_number);
    for (size_t i = 0; i < h->met.count; i++) {
        uint32_t context = h->met.at[i];
        if (!failed && h->function[context]) {
            tp_put_id(&h->functions, context);
            tp_put_id(&h->functions, data);
            tp_put_row(&h->functions, &rec->events, h->function[context], rec->contexts.at[context - 1].can_below);
            failed = tp_insert_row(h->store, &h->functions);
        }
        h->function[context] = NULL;
    }
    h->met.count = 0;
    tp_arena_clear(&h->arena);
    return failed;
}

/* Pieces [first, end) are those of one object. */
static int take_object(struct held_rows *h, size_t first, size_t end)
{
    const struct tp_recording *rec = h->store->rec;
    size_t width = rec->events.count, piece = first;
    int failed = visit(h, first, end);

    for (; !failed && piece < end && !h->held.at[piece].number; piece++) {
        uint64_t row[TP_MAX_EVENTS];
        memset(row, 0, width * sizeof *row);
        tp_blob_add(&rec->events, h->held.at[piece].blob, row, NULL);
        failed = add_to_function(h, h->held.at[piece].context, row);
    }
    for (size_t i = 0; !failed && i < h->visited.count; i++)
        failed = take_node(h, h->visited.at[i], &piece, end);
    memset(h->below, 0, width * sizeof *h->below);
    return failed || write_functions(h, h->held.at[first].data);
}

static int take_all(struct held_rows *h)
{
    int failed = gather(h);

    for (size_t first = 0, end; !failed && first < h->held.count; first = end) {
        for (end = first + 1; end < h->held.count && h->held.at[end].data == h->held.at[first].data;)
            end++;
        failed = take_object(h, first, end);
    }
    return failed;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_path_data(struct tp_store *store, const struct tp_tree *tree)
{
    const struct tp_recording *rec = store->rec;
    struct held_rows h = {.store = store, .tree = tree};

    h.seen = calloc(rec->nodes.count + 1, sizeof *h.seen);
    h.function = calloc(rec->contexts.count + 1, sizeof *h.function);
    h.below = calloc((size_t)tree->deepest + 2, rec->events.count * sizeof *h.below);
    int failed = h.seen && h.function && h.below ? 0 : TP_NO_MEMORY(store->err);
    failed = failed || tp_insert_open(store, &h.paths, "t_path_data") ||
             tp_insert_open(store, &h.functions, "t_function_data") || take_all(&h);
    failed = tp_insert_close(store, &h.paths, failed);
    failed = tp_insert_close(store, &h.functions, failed);
    free(h.seen);
    free(h.function);
    free(h.below);
    TP_VECTOR_FREE(&h.held);
    TP_VECTOR_FREE(&h.visited);
    TP_VECTOR_FREE(&h.met);
    tp_arena_free(&h.arena);
    return failed ? -1 : 0;
}
