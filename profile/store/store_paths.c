/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_paths.c: the call tree, and what else only the tree knows.
 *
 * Nodes are numbered and written in post-order: a row is appended as soon as its inclusive costs are known. The same
 * pass gives what a function cost inclusively in one thread, the sum over its topmost nodes, and what was called
 * from a source line, the sum over the topmost nodes that are called from it (tree.h). Where nodes were pruned
 * (--paths) neither is known.
 *
 * Of a large tree (more than COMPLETE nodes) only paths are kept that, with all below them, have more than one part in
 * KEPT_PARTS of any event. What others cost is added up in the nearest path above that is kept, which is then
 * approximate, as it is where nodes were pruned. What follows from the tree is taken from all of its nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/tree.h"
#include "profile/code/estimate.h"
#include "profile/store/store.h"

enum { REPORT_EVERY = 8192, COMPLETE = 10000, KEPT_PARTS = 10000 };

/* A node with its self and inclusive costs, and those of nodes below it that are not kept. `can`: what can occur in the
 * subtree. */
struct visit {
    struct tp_store *store;
    const struct tp_tree *tree;
    struct tp_insert insert;
    uint32_t id; /* + 1 */
    const struct tp_node *node;
    uint64_t *self, *incl, *folded;
    uint8_t can, can_folded;
    bool has_folded, choosing;  /* choosing: which nodes are kept */
    uint64_t *least;            /* of each event, what a path that is kept has more of */
};

/* ------------------------------------------------------------------------------------------ table */

static int write_node(struct visit *v)
{
    struct tp_store *store = v->store;
    struct tp_insert *insert = &v->insert;
    const struct tp_node *node = v->node;
    uint32_t number = v->tree->number[v->id];

    if (number % REPORT_EVERY == 0 && tp_progress_of(store, "call tree", number, v->tree->count))
        return -1;
    TP_PUT(insert, TP_ID(number), TP_ID(node->parent ? v->tree->number[node->parent] : 0), TP_ID(node->context),
           TP_ID(node->arc), TP_COUNT(node->calls), TP_INTEGER(v->tree->depth[v->id]),
           TP_IF(node->thread, TP_COUNT(store->rec->threads.at[node->thread - 1].id)),
           TP_INTEGER(v->has_folded || (node->flags & TN_RAW_NODE_PRUNED_BELOW)),
           TP_INTEGER((node->flags & TN_RAW_NODE_HANDLER) != 0), TP_INTEGER((node->flags & TN_RAW_NODE_ALIAS) != 0));
    tp_add_row(&store->rec->events, v->folded, v->self);
    tp_put_row(insert, &store->rec->events, v->folded,
               v->can_folded | (node->context ? store->rec->contexts.at[node->context - 1].can : 0));
    tp_put_row(insert, &store->rec->events, v->incl, v->can);
    store->paths++;
    return tp_insert_row(store, insert);
}

/* A recursive call has no costs: it is kept if what makes it is. */
static void choose(struct visit *v)
{
    const struct tp_recording *rec = v->store->rec;
    bool kept = !v->node->parent || v->node->flags & TN_RAW_NODE_ALIAS;

    for (size_t i = 0; !kept && i < tp_events_shown(&rec->events); i++)
        kept = v->incl[i] > v->least[i];
    v->store->from_tree.kept[v->id] = kept;
}

/* ------------------------------------------------------------------------------------------ by thread */

static int add_thread_row(struct visit *v)
{
    struct tp_store *store = v->store;
    struct tp_from_tree *from = &store->from_tree;
    uint64_t key = (uint64_t)v->node->thread << 32 | v->node->context;

    if (!from->known || store->rec->threads.count < 2 || !(v->tree->top[v->id] & TP_TOP_OF_FUNCTION) ||
        !v->node->thread || !v->node->context)
        return 0;
    struct tp_cost_row *row = tp_cost_row(&from->by_thread, key);
    if (!row)
        return TP_NO_MEMORY(store->err);
    tp_add_row(&store->rec->events, row->cost, v->incl);
    return 0;
}

/* ------------------------------------------------------------------------------------------ by line */

/* Add a node's costs to a line, from column `at` of its row on. */
static int add_to_line(struct visit *v, uint32_t line, size_t at, const uint64_t *costs)
{
    const struct tp_events *events = &v->store->rec->events;
    struct tp_from_tree *from = &v->store->from_tree;
    uint64_t **row = &from->line[line - 1];

    if (!*row && !(*row = tp_arena_alloc(&from->arena, 2 * events->count * sizeof **row)))
        return TP_NO_MEMORY(v->store->err);
    tp_add_row(events, *row + at, costs);
    return 0;
}

static int add_line_rows(struct visit *v)
{
    const struct tp_tree *tree = v->tree;
    const struct tp_from_tree *from = &v->store->from_tree;
    uint32_t line = tree->top[v->id] & TP_TOP_OF_LINE ? tp_tree_line(tree, v->id) : 0;
    int failed = 0;

    if (!from->known)
        return 0;
    if (line && from->recurses[tree->lines.context.at[line - 1]])
        failed = add_to_line(v, line, 0, v->incl);
    for (uint32_t top = tree->inside[v->id]; !failed && top; top = tree->outside[top])
        failed = add_to_line(v, tp_tree_line(tree, top), v->store->rec->events.count, v->self);
    return failed;
}

void tp_from_tree_free(struct tp_from_tree *from)
{
    tp_tree_free(&from->tree);
    tp_cost_rows_free(&from->by_thread);
    tp_arena_free(&from->arena);
}

/* ------------------------------------------------------------------------------------------ by data object */

/* What call paths pay in data objects, and what functions do, inclusive of all that they call.
 *
 * A node has costs by data object. One object at a time, its nodes are taken in post-order: the nodes above one are
 * open until the next one is not below them, and hand on what was paid at and below them when they are closed. So only
 * the sums of the nodes on one path are in memory (tree.h), and those of small costs. Each function gets those of its
 * topmost nodes, once however deep the recursion. What pruned nodes paid is not in the tree: the recording has it by
 * function.
 *
 * Where data objects were folded (store_fold.c) a row is kept if it has more than one part in TP_ROW_PARTS of any
 * event, one of a function's inclusive costs if it has more than one in KEPT_PARTS; others are added up, those of one
 * path and those of one function, in one data object more (tp_recording.small).
 *
 * Costs in data objects are those of data accesses alone, so rows have these columns here, and all when written. */

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
    uint16_t column[TP_MAX_EVENTS]; /* of each, in the recording */
    uint16_t counted[TP_COUNTED];   /* columns here of what time is estimated of; Time is the last one */
    struct tp_insert paths, functions;
    TP_VECTOR(struct held) held;
    uint32_t *first;         /* held + 1, by object: functions first, then nodes in the tree's order */
    uint32_t *open, opened;  /* nodes + 1 on the path at hand, by depth; how many */
    uint64_t *row, *own;     /* of each: what is paid at and below it, so far; what its row has of that */
    struct held_by {
        bool any;
        uint8_t can;
    } *by;                   /* whether something is paid in its row, and what can occur there */
    struct tp_cost_rows function; /* of the object at hand, by function + 1 */
    uint64_t *total;              /* of all objects */
    struct tp_cost_rows small_paths, small_functions; /* by node's place in the order, and by function + 1 */
    struct tp_arena lists;   /* first, open, row, own, by */
};

/* ------------------------------------------------------------------------------------------ gathering */

static int gather_from(struct held_rows *h, const struct tp_blob *blob, uint32_t number, uint32_t context)
{
    for (; blob; blob = blob->next) {
        if (h->store->rec->small)
            tp_blob_add(&h->events, blob, h->total, NULL);
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

/* The same of a row that may be too little to be one: it is then added to `small`. */
static int write_or_fold(struct held_rows *h, struct tp_insert *insert, struct tp_cost_rows *small, uint32_t id,
                         uint32_t data, const uint64_t *row, uint8_t can)
{
    uint64_t parts = insert == &h->paths ? TP_ROW_PARTS : KEPT_PARTS;
    bool is_kept = !h->store->rec->small;
    size_t counted = h->events.count - (h->store->rec->estimate != NULL); /* the last one is Time */

    for (size_t i = 0; !is_kept && i < counted; i++)
        is_kept = row[i] > h->total[i] / parts;
    if (is_kept)
        return write_row(h, insert, id, data, row, can);
    struct tp_cost_row *to = tp_cost_row(small, id);
    if (!to)
        return TP_NO_MEMORY(h->store->err);
    tp_add_row(&h->events, to->cost, row);
    to->can |= can;
    return 0;
}

static int write_small(struct held_rows *h, struct tp_insert *insert, struct tp_cost_rows *small)
{
    int failed = 0;

    tp_cost_rows_sort(small);
    for (size_t i = 0; !failed && i < small->list.count; i++) {
        const struct tp_cost_row *row = &small->list.at[i];
        failed = write_row(h, insert, (uint32_t)row->key, h->store->rec->small, row->cost, row->can);
    }
    return failed;
}

static int add_to_function(struct held_rows *h, uint32_t context, const uint64_t *row)
{
    struct tp_cost_row *function = tp_cost_row(&h->function, context);

    if (!function)
        return TP_NO_MEMORY(h->store->err);
    tp_add_row(&h->events, function->cost, row);
    return 0;
}

/* The innermost open node has nothing more below it. */
static int close_node(struct held_rows *h, uint32_t data)
{
    uint32_t id = h->open[--h->opened], context = h->store->rec->nodes.at[id - 1].context;
    size_t width = h->events.count;
    uint64_t *row = h->row + h->opened * width, *own = h->own + h->opened * width;
    struct held_by *by = &h->by[h->opened];
    int failed = 0;

    if (context && h->tree->top[id] & TP_TOP_OF_FUNCTION && add_to_function(h, context, row))
        return -1;
    if (h->opened)
        tp_add_row(&h->events, row - width, row);
    if (by->any && h->store->from_tree.kept[id]) {
        failed = write_or_fold(h, &h->paths, &h->small_paths, h->tree->number[id], data, own, by->can);
    } else if (by->any) {
        tp_add_row(&h->events, own - width, own);
        by[-1].any = true;
        by[-1].can |= by->can;
    }
    memset(row, 0, width * sizeof *row);
    memset(own, 0, width * sizeof *own);
    *by = (struct held_by){0};
    return failed;
}

/* The open nodes become those from the root to this one. */
static int open_path(struct held_rows *h, uint32_t data, uint32_t number)
{
    const struct tp_recording *rec = h->store->rec;
    uint32_t id = h->tree->order[number - 1], depth = h->tree->depth[id] + 1;
    int failed = 0;

    while (!failed && h->opened && h->tree->number[h->open[h->opened - 1]] < number)
        failed = close_node(h, data);
    for (uint32_t d = depth; d > h->opened; d--, id = rec->nodes.at[id - 1].parent)
        h->open[d - 1] = id;
    h->opened = depth;
    return failed;
}

static void put_time(const struct held_rows *h, uint32_t context, uint64_t *row)
{
    if (h->store->rec->estimate)
        row[h->events.count - 1] = tp_whole_cycles(tp_estimate_of(h->store->rec, context, row, h->counted));
}

/* The pieces of one node, from *piece on. */
static int path_data_take_node(struct held_rows *h, uint32_t data, uint32_t *piece)
{
    const struct held *held = &h->held.at[*piece - 1];
    uint32_t number = held->number, context = held->context;
    uint64_t self[TP_MAX_EVENTS];
    int failed = open_path(h, data, number);
    size_t innermost = h->opened - 1;

    tp_clear_row(&h->events, self);
    for (; *piece && h->held.at[*piece - 1].number == number; *piece = h->held.at[*piece - 1].next)
        tp_blob_add(&h->events, h->held.at[*piece - 1].blob, self, NULL);
    put_time(h, context, self);
    tp_add_row(&h->events, h->row + innermost * h->events.count, self);
    tp_add_row(&h->events, h->own + innermost * h->events.count, self);
    h->by[innermost].any = true;
    h->by[innermost].can |= context ? h->store->rec->contexts.at[context - 1].can : 0;
    return failed;
}

static int take_object(struct held_rows *h, uint32_t data)
{
    uint32_t piece = h->first[data - 1];
    int failed = 0;

    for (; !failed && piece && !h->held.at[piece - 1].number; piece = h->held.at[piece - 1].next) {
        uint64_t row[TP_MAX_EVENTS];
        tp_clear_row(&h->events, row);
        tp_blob_add(&h->events, h->held.at[piece - 1].blob, row, NULL);
        put_time(h, h->held.at[piece - 1].context, row);
        failed = add_to_function(h, h->held.at[piece - 1].context, row);
    }
    while (!failed && piece)
        failed = path_data_take_node(h, data, &piece);
    while (!failed && h->opened)
        failed = close_node(h, data);
    tp_cost_rows_sort(&h->function);
    for (size_t i = 0; !failed && i < h->function.list.count; i++) {
        const struct tp_cost_row *row = &h->function.list.at[i];
        failed = write_or_fold(h, &h->functions, &h->small_functions, (uint32_t)row->key, data, row->cost,
                               h->store->rec->contexts.at[row->key - 1].can_below);
    }
    tp_cost_rows_clear(&h->function);
    return failed;
}

static int path_data(struct tp_store *store, const struct tp_tree *tree)
{
    const struct tp_recording *rec = store->rec;
    const struct tp_events *all = &rec->events;
    struct held_rows h = {.store = store,
                          .tree = tree,
                          .events = {.slots[1] = all->slots[1], .sample = all->sample, .groups = all->groups}};

    for (size_t i = 0; i < all->slots[1]; i++) {
        uint16_t column = all->slot_column[1][i];
        h.events.slot_column[1][i] = column;
        if (column >= all->count)
            continue;
        h.column[h.events.count] = column;
        h.events.slot_column[1][i] = (uint16_t)h.events.count;
        h.events.column[h.events.count++] = all->column[column];
    }
    for (size_t i = 0; rec->estimate && i < TP_COUNTED; i++) {
        h.counted[i] = TP_UNUSED;
        for (size_t k = 0; k < h.events.count; k++)
            h.counted[i] = h.column[k] == rec->estimate->at[i] ? (uint16_t)k : h.counted[i];
    }
    if (rec->estimate) {
        h.column[h.events.count] = all->time;
        h.events.column[h.events.count++] = all->column[all->time];
    }
    h.first = tp_arena_alloc(&h.lists, (rec->data.count + 1) * sizeof *h.first);
    h.open = tp_arena_alloc(&h.lists, ((size_t)tree->deepest + 1) * sizeof *h.open);
    h.row = tp_arena_alloc(&h.lists, ((size_t)tree->deepest + 1) * (h.events.count + 1) * sizeof *h.row);
    h.own = tp_arena_alloc(&h.lists, ((size_t)tree->deepest + 1) * (h.events.count + 1) * sizeof *h.own);
    h.by = tp_arena_alloc(&h.lists, ((size_t)tree->deepest + 1) * sizeof *h.by);
    h.total = tp_arena_alloc(&h.lists, (h.events.count + 1) * sizeof *h.total);
    h.function.width = h.small_paths.width = h.small_functions.width = h.events.count;
    int failed = h.first && h.open && h.row && h.own && h.by && h.total ? 0 : TP_NO_MEMORY(store->err);
    failed = failed || tp_insert_open(store, &h.paths, "t_path_data") ||
             tp_insert_open(store, &h.functions, "t_function_data") || path_data_gather(&h);
    for (uint32_t data = 1; !failed && data <= rec->data.count; data++)
        failed = take_object(&h, data);
    failed = failed || write_small(&h, &h.paths, &h.small_paths) ||
             write_small(&h, &h.functions, &h.small_functions);
    failed = tp_insert_close(store, &h.paths, failed);
    failed = tp_insert_close(store, &h.functions, failed);
    TP_VECTOR_FREE(&h.held);
    tp_cost_rows_free(&h.function);
    tp_cost_rows_free(&h.small_paths);
    tp_cost_rows_free(&h.small_functions);
    tp_arena_free(&h.lists);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ all */

/* ------------------------------------------------------------------------------------------ time */

/* What is estimated of call paths, functions and arcs have inclusively of their topmost nodes. */
static void add_time(struct visit *v)
{
    struct tp_from_tree *from = &v->store->from_tree;
    uint64_t time = v->incl[v->store->rec->events.time];

    if (v->tree->top[v->id] & TP_TOP_OF_FUNCTION)
        from->time[v->node->context] = tp_sum(from->time[v->node->context], time);
    if (v->tree->top[v->id] & TP_TOP_OF_ARC)
        from->arc_time[v->node->arc] = tp_sum(from->arc_time[v->node->arc], time);
}

/* Where nodes were pruned, less than a function has itself may be left of it in the tree. */
static int keep_times(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    const struct tp_from_tree *from = &store->from_tree;

    for (size_t i = 0; i < rec->contexts.count; i++) {
        struct tp_context *x = &rec->contexts.at[i];
        uint64_t self = rec->estimate->self[i + 1], incl = from->time[i + 1];
        if (x->costs && tp_estimate_add(rec, &x->costs, self, from->known || incl > self ? incl : self))
            return TP_NO_MEMORY(store->err);
    }
    for (size_t i = 0; i < rec->arcs.count; i++) {
        if (rec->arcs.at[i].costs && tp_estimate_add(rec, &rec->arcs.at[i].costs, from->arc_time[i + 1], 0))
            return TP_NO_MEMORY(store->err);
    }
    return 0;
}

/* A node that has all its costs: into its row, or into the next one above that is kept. `up`: the costs there. */
static int finish_node(struct visit *v, uint64_t *up, uint8_t *can_up, bool *has_up)
{
    const struct tp_from_tree *from = &v->store->from_tree;

    if (v->choosing) {
        choose(v);
        return 0;
    }
    if (v->store->rec->estimate)
        add_time(v);
    if (add_thread_row(v) || add_line_rows(v))
        return -1;
    if (from->kept[v->id])
        return write_node(v);
    tp_add_row(&v->store->rec->events, up, v->incl);
    *can_up |= v->can;
    *has_up = true;
    return 0;
}

/* Sums of children by depth, so that each node's are complete when its turn comes. */
static int visit_all(struct visit *v)
{
    const struct tp_recording *rec = v->store->rec;
    const struct tp_tree *tree = v->tree;
    size_t width = rec->events.count, levels = (size_t)tree->deepest + 2;
    uint64_t *below = calloc(levels, width * sizeof *below), *folded = calloc(levels, width * sizeof *folded);
    uint8_t *can_below = calloc(levels, 1), *can_folded = calloc(levels, 1);
    bool *has_folded = calloc(levels, sizeof *has_folded);
    double *spent = calloc(rec->contexts.count + 1, sizeof *spent); /* by context + 1 */
    uint64_t self[TP_MAX_EVENTS];
    int failed = below && folded && can_below && can_folded && has_folded && spent ? 0 : TP_NO_MEMORY(v->store->err);

    v->self = self;
    for (size_t i = 0; !failed && i < tree->count; i++) {
        uint32_t id = v->id = tree->order[i], depth = tree->depth[id];
        v->node = &rec->nodes.at[id - 1];
        v->incl = below + width * (depth + 1);
        v->folded = folded + width * (depth + 1);
        v->can = can_below[depth + 1];
        v->can_folded = can_folded[depth + 1];
        v->has_folded = has_folded[depth + 1];
        memset(self, 0, width * sizeof *self);
        tp_blobs_add(&rec->events, v->node->costs, self, NULL);
        tp_estimate_next(rec, v->node->context, &spent[v->node->context], self);
        tp_add_row(&rec->events, v->incl, self);
        if (v->node->context)
            v->can |= rec->contexts.at[v->node->context - 1].can;
        failed = finish_node(v, v->folded - width, &can_folded[depth], &has_folded[depth]);
        tp_add_row(&rec->events, below + width * depth, v->incl);
        can_below[depth] |= v->can;
        memset(v->incl, 0, width * sizeof *v->incl);
        memset(v->folded, 0, width * sizeof *v->folded);
        can_below[depth + 1] = can_folded[depth + 1] = 0;
        has_folded[depth + 1] = false;
    }
    free(below);
    free(folded);
    free(can_below);
    free(can_folded);
    free(has_folded);
    free(spent);
    return failed ? -1 : 0;
}

static int choose_all(struct visit *v)
{
    const struct tp_recording *rec = v->store->rec;
    uint64_t total[TP_MAX_EVENTS];

    tp_kept_least(v->store, KEPT_PARTS, total);
    v->least = total;
    v->choosing = true;
    int failed = visit_all(v);
    v->choosing = false;
    v->least = NULL;
    for (size_t i = 1; i <= rec->nodes.count; i++) /* a parent comes before */
        v->store->from_tree.kept[i] &= v->store->from_tree.kept[rec->nodes.at[i - 1].parent];
    return failed;
}

/* Whether rare paths are folded: not where contexts of a function are kept apart, whose inclusive costs together are
 * known from the paths alone. */
static bool folds(const struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    bool apart = false;

    for (size_t i = 0; i < rec->contexts.count; i++)
        apart |= rec->contexts.at[i].level > 1 || rec->contexts.at[i].callers;
    return !store->options->keep_all && !apart && store->from_tree.tree.count > COMPLETE;
}

int tp_store_paths(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    struct tp_from_tree *from = &store->from_tree;
    struct visit visit = {.store = store, .tree = &from->tree};

    if (tp_tree_make(&from->tree, rec))
        return TP_NO_MEMORY(store->err);
    from->known = rec->nodes.count && from->tree.complete;
    from->by_thread.width = rec->events.count;
    from->line = tp_arena_alloc(&from->arena, (from->tree.lines.context.count + 1) * sizeof *from->line);
    from->recurses = tp_arena_alloc(&from->arena, (rec->contexts.count + 1) * sizeof *from->recurses);
    from->kept = tp_arena_alloc(&from->arena, (rec->nodes.count + 1) * sizeof *from->kept);
    from->time = tp_arena_alloc(&from->arena, (rec->contexts.count + 1) * sizeof *from->time);
    from->arc_time = tp_arena_alloc(&from->arena, (rec->arcs.count + 1) * sizeof *from->arc_time);
    if (!from->line || !from->recurses || !from->kept || !from->time || !from->arc_time)
        return TP_NO_MEMORY(store->err);
    memset(from->kept, true, rec->nodes.count + 1);
    if (folds(store) && choose_all(&visit))
        return -1;
    for (size_t i = 1; i <= rec->nodes.count; i++) {
        if (from->tree.inside[i])
            from->recurses[rec->nodes.at[i - 1].context] = true;
    }
    int failed = tp_insert_open(store, &visit.insert, "t_paths") || visit_all(&visit);
    return tp_insert_close(store, &visit.insert, failed) || path_data(store, &from->tree) ||
                   (rec->estimate && keep_times(store))
               ? -1
               : 0;
}
