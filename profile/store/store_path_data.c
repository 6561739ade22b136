/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_path_data.c: what call paths pay in data objects, and what functions do, inclusive of all that they call.
 *
 * A node has costs by data object. One object at a time, its nodes are taken in post-order: the nodes above one are
 * open until the next one is not below them, and hand on what was paid at and below them when they are closed. So only
 * the sums of the nodes on one path are in memory (tree.h). Each function gets those of its topmost nodes, once however
 * deep the recursion. What pruned nodes paid is not in the tree: the recording has it by function.
 *
 * Costs in data objects are those of data accesses alone, so rows have these columns here, and all when written.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/tree.h"
#include "profile/store/store.h"

/* One piece of costs: of a node, or, node 0, of a function. */
struct held {
    uint32_t number, context; /* node's place in the tree's order, from 1 */
    uint32_t next;            /* of the same object, + 1 */
    const struct tp_blob *blob;
};

struct held_rows {
    struct tp_store *store;
    const struct tp_tree *tree;
    struct tp_events events; /* those of data accesses */
    uint8_t column[TP_MAX_EVENTS]; /* of each, in the recording */
    struct tp_insert paths, functions;
    TP_VECTOR(struct held) held;
    uint32_t *first;         /* held + 1, by object: functions first, then nodes in the tree's order */
    uint32_t *open, opened;  /* nodes + 1 on the path at hand, by depth; how many */
    uint64_t *row;           /* of each: what is paid at and below it, so far */
    TP_VECTOR(uint32_t) met; /* of the object at hand: functions + 1 */
    uint64_t **function;     /* rows, by function + 1; NULL: not met */
    struct tp_arena arena;   /* of them */
};

static void choose_events(struct held_rows *h)
{
    const struct tp_events *all = &h->store->rec->events;

    h->events.slots[1] = all->slots[1];
    for (size_t i = 0; i < all->slots[1]; i++) {
        uint8_t column = all->slot_column[1][i];
        h->events.slot_column[1][i] = column;
        if (column >= all->count)
            continue;
        h->column[h->events.count] = column;
        h->events.slot_column[1][i] = (uint8_t)h->events.count;
        h->events.column[h->events.count++] = all->column[column];
    }
}

/* ------------------------------------------------------------------------------------------ gathering */

static int gather_from(struct held_rows *h, const struct tp_blob *blob, uint32_t number, uint32_t context)
{
    for (; blob; blob = blob->next) {
        if (!TP_VECTOR_PUSH(&h->held, (struct held){number, context, h->first[blob->data - 1], blob}))
            return TP_NO_MEMORY(h->store->err);
        h->first[blob->data - 1] = (uint32_t)h->held.count;
    }
    return 0;
}

/* From the last to the first, so that each list is in order. */
static int path_data_gather(struct held_rows *h)
{
    const struct tp_recording *rec = h->store->rec;
    int failed = 0;

    for (uint32_t number = h->tree->count; !failed && number > 0; number--) {
        const struct tp_node *node = &rec->nodes.at[h->tree->order[number - 1] - 1];
        failed = gather_from(h, node->held, number, node->context);
    }
    for (size_t i = 0; !failed && i < rec->contexts.count; i++)
        failed = gather_from(h, rec->contexts.at[i].held, 0, (uint32_t)i + 1);
    return failed;
}

/* ------------------------------------------------------------------------------------------ one object */

static int write_row(struct held_rows *h, struct tp_insert *insert, uint32_t id, uint32_t data, const uint64_t *row,
                     uint8_t can)
{
    const struct tp_events *all = &h->store->rec->events;
    uint64_t whole[TP_MAX_EVENTS];

    memset(whole, 0, all->count * sizeof *whole);
    for (size_t i = 0; i < h->events.count; i++)
        whole[h->column[i]] = row[i];
    TP_PUT(insert, TP_ID(id), TP_ID(data));
    tp_put_row(insert, all, whole, can);
    return tp_insert_row(h->store, insert);
}

static int add_to_function(struct held_rows *h, uint32_t context, const uint64_t *row)
{
    uint64_t **function = &h->function[context];

    if (!*function) {
        uint32_t *met = TP_VECTOR_ADD(&h->met);
        *function = tp_arena_alloc(&h->arena, h->events.count * sizeof **function);
        if (!met || !*function)
            return TP_NO_MEMORY(h->store->err);
        *met = context;
    }
    tp_add_row(&h->events, *function, row);
    return 0;
}

/* The innermost open node has nothing more below it. */
static int close_node(struct held_rows *h)
{
    uint32_t id = h->open[--h->opened], context = h->store->rec->nodes.at[id - 1].context;
    uint64_t *row = h->row + h->opened * h->events.count;
    int failed = context && h->tree->top[id] & TP_TOP_OF_FUNCTION ? add_to_function(h, context, row) : 0;

    if (h->opened)
        tp_add_row(&h->events, row - h->events.count, row);
    memset(row, 0, h->events.count * sizeof *row);
    return failed;
}

/* The open nodes become those from the root to this one. */
static int open_path(struct held_rows *h, uint32_t number)
{
    const struct tp_recording *rec = h->store->rec;
    uint32_t id = h->tree->order[number - 1], depth = h->tree->depth[id] + 1;
    int failed = 0;

    while (!failed && h->opened && h->tree->number[h->open[h->opened - 1]] < number)
        failed = close_node(h);
    for (uint32_t d = depth; d > h->opened; d--, id = rec->nodes.at[id - 1].parent)
        h->open[d - 1] = id;
    h->opened = depth;
    return failed;
}

/* The pieces of one node, from *piece on. */
static int path_data_take_node(struct held_rows *h, uint32_t data, uint32_t *piece)
{
    const struct tp_recording *rec = h->store->rec;
    const struct held *held = &h->held.at[*piece - 1];
    uint32_t number = held->number, context = held->context;
    uint64_t self[TP_MAX_EVENTS];
    int failed = open_path(h, number);

    memset(self, 0, h->events.count * sizeof *self);
    for (; *piece && h->held.at[*piece - 1].number == number; *piece = h->held.at[*piece - 1].next)
        tp_blob_add(&h->events, h->held.at[*piece - 1].blob, self, NULL);
    tp_add_row(&h->events, h->row + (h->opened - 1) * h->events.count, self);
    return failed ||
           write_row(h, &h->paths, number, data, self, context ? rec->contexts.at[context - 1].can : 0);
}

static int path_data_by_number(const void *a, const void *b)
{
    return TP_COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int write_functions(struct held_rows *h, uint32_t data)
{
    const struct tp_recording *rec = h->store->rec;
    int failed = 0;

    if (h->met.count)
        qsort(h->met.at, h->met.count, sizeof *h->met.at, path_data_by_number);
    for (size_t i = 0; i < h->met.count; i++) {
        uint32_t context = h->met.at[i];
        if (!failed && h->function[context])
            failed = write_row(h, &h->functions, context, data, h->function[context],
                               rec->contexts.at[context - 1].can_below);
        h->function[context] = NULL;
    }
    h->met.count = 0;
    tp_arena_clear(&h->arena);
    return failed;
}

static int take_object(struct held_rows *h, uint32_t data)
{
    uint32_t piece = h->first[data - 1];
    int failed = 0;

    for (; !failed && piece && !h->held.at[piece - 1].number; piece = h->held.at[piece - 1].next) {
        uint64_t row[TP_MAX_EVENTS] = {0};
        tp_blob_add(&h->events, h->held.at[piece - 1].blob, row, NULL);
        failed = add_to_function(h, h->held.at[piece - 1].context, row);
    }
    while (!failed && piece)
        failed = path_data_take_node(h, data, &piece);
    while (!failed && h->opened)
        failed = close_node(h);
    return failed || write_functions(h, data);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_path_data(struct tp_store *store, const struct tp_tree *tree)
{
    const struct tp_recording *rec = store->rec;
    struct held_rows h = {.store = store, .tree = tree};

    choose_events(&h);
    h.first = calloc(rec->data.count + 1, sizeof *h.first);
    h.open = calloc((size_t)tree->deepest + 1, sizeof *h.open);
    h.row = calloc((size_t)tree->deepest + 1, (h.events.count + 1) * sizeof *h.row);
    h.function = calloc(rec->contexts.count + 1, sizeof *h.function);
    int failed = h.first && h.open && h.row && h.function ? 0 : TP_NO_MEMORY(store->err);
    failed = failed || tp_insert_open(store, &h.paths, "t_path_data") ||
             tp_insert_open(store, &h.functions, "t_function_data") || path_data_gather(&h);
    for (uint32_t data = 1; !failed && data <= rec->data.count; data++)
        failed = take_object(&h, data);
    failed = tp_insert_close(store, &h.paths, failed);
    failed = tp_insert_close(store, &h.functions, failed);
    free(h.first);
    free(h.open);
    free(h.row);
    free(h.function);
    TP_VECTOR_FREE(&h.held);
    TP_VECTOR_FREE(&h.met);
    tp_arena_free(&h.arena);
    return failed ? -1 : 0;
}
