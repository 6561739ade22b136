/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_paths.c: the call tree.
 *
 * A node's inclusive costs are its own and its children's. Nodes are numbered and written in post-order, so that
 * only the sums of the nodes on one path have to be in memory, and rows are appended in the order of their ids.
 *
 * The same walk gives what a function cost inclusively in one thread: the sum over its topmost nodes, those that
 * have no ancestor that runs it.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/error.h"
#include "profile/store.h"

enum { REPORT_EVERY = 8192 };

struct tree {
    const struct tp_recording *rec;
    uint32_t *first_child, *next_sibling; /* node + 1; first_child[0]: the first root */
    uint32_t *order;                      /* nodes + 1 in post-order */
    uint32_t *number;                     /* by node + 1: place in order, from 1 */
    uint32_t *depth;                      /* by node + 1: 0 for roots */
    uint8_t *topmost;                     /* by node + 1 */
    uint32_t deepest;
};

static void tree_free(struct tree *tree)
{
    free(tree->first_child);
    free(tree->next_sibling);
    free(tree->order);
    free(tree->number);
    free(tree->depth);
    free(tree->topmost);
}

/* Post-order without recursion: down to first children, then sideways, then up. */
static void walk(struct tree *tree, uint32_t *active)
{
    const struct tp_node *nodes = tree->rec->nodes.at;
    uint32_t node = tree->first_child[0], numbered = 0;

    while (node) {
        for (;;) { /* enter */
            uint32_t context = nodes[node - 1].context;
            tree->topmost[node] = active[context]++ == 0;
            tree->depth[node] = nodes[node - 1].parent ? tree->depth[nodes[node - 1].parent] + 1 : 0;
            if (tree->depth[node] > tree->deepest)
                tree->deepest = tree->depth[node];
            if (!tree->first_child[node])
                break;
            node = tree->first_child[node];
        }
        for (;;) { /* leave */
            active[nodes[node - 1].context]--;
            tree->order[numbered++] = node;
            tree->number[node] = numbered;
            if (tree->next_sibling[node]) {
                node = tree->next_sibling[node];
                break;
            }
            node = nodes[node - 1].parent;
            if (!node)
                return;
        }
    }
}

static int tree_make(struct tree *tree, struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    size_t room = rec->nodes.count + 1;
    uint32_t *active = calloc(rec->contexts.count + 1, sizeof *active);

    *tree = (struct tree){
        .rec = rec,
        .first_child = calloc(room, sizeof(uint32_t)),
        .next_sibling = calloc(room, sizeof(uint32_t)),
        .order = calloc(room, sizeof(uint32_t)),
        .number = calloc(room, sizeof(uint32_t)),
        .depth = calloc(room, sizeof(uint32_t)),
        .topmost = calloc(room, 1),
    };
    bool ok = active && tree->first_child && tree->next_sibling && tree->order && tree->number &&
              tree->depth && tree->topmost;
    for (size_t i = rec->nodes.count; ok && i >= 1; i--) { /* backwards: lists come out in the file's order */
        uint32_t *list = &tree->first_child[rec->nodes.at[i - 1].parent];
        tree->next_sibling[i] = *list;
        *list = (uint32_t)i;
    }
    if (ok)
        walk(tree, active);
    free(active);
    return ok ? 0 : TP_NO_MEMORY(store->err);
}

/* ------------------------------------------------------------------------------------------ sums */

/* Visit nodes in post-order with their self and inclusive costs. `can`: what can occur in the subtree. */
typedef int visitor(struct tp_store *store, const struct tree *tree, uint32_t node, const uint64_t *self,
                    const uint64_t *incl, uint8_t can, void *user);

static int visit(struct tp_store *store, const struct tree *tree, visitor *each, void *user)
{
    const struct tp_events *events = &store->rec->events;
    size_t width = events->count;
    uint64_t *below =
        calloc((size_t)tree->deepest + 2, width * sizeof *below); /* sums of children, by depth */
    uint8_t *can_below = calloc((size_t)tree->deepest + 2, 1);
    uint64_t self[TP_MAX_EVENTS];
    int failed = below && can_below ? 0 : TP_NO_MEMORY(store->err);

    for (size_t i = 0; !failed && i < store->rec->nodes.count; i++) {
        uint32_t id = tree->order[i], depth = tree->depth[id];
        const struct tp_node *node = &store->rec->nodes.at[id - 1];
        uint64_t *incl = below + width * (depth + 1);
        uint8_t can = can_below[depth + 1];
        memset(self, 0, width * sizeof *self);
        for (const struct tp_blob *blob = node->costs; blob; blob = blob->next)
            tp_blob_add(events, blob, self, NULL);
        tp_add_row(events, incl, self);
        if (node->context)
            can |= store->rec->contexts.at[node->context - 1].can;
        failed = each(store, tree, id, self, incl, can, user);
        tp_add_row(events, below + width * depth, incl);
        can_below[depth] |= can;
        memset(incl, 0, width * sizeof *incl);
        can_below[depth + 1] = 0;
    }
    free(below);
    free(can_below);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ table */

static int write_node(struct tp_store *store, const struct tree *tree, uint32_t id, const uint64_t *self,
                      const uint64_t *incl, uint8_t can, void *user)
{
    const struct tp_node *node = &store->rec->nodes.at[id - 1];
    struct tp_insert *insert = user;

    if (tree->number[id] % REPORT_EVERY == 0)
        tp_progress_of(store, "call tree", tree->number[id], store->rec->nodes.count);
    tp_put_id(insert, tree->number[id]);
    tp_put_id(insert, node->parent ? tree->number[node->parent] : 0);
    tp_put_id(insert, node->context);
    tp_put_id(insert, node->arc);
    tp_put_count(insert, node->calls);
    tp_put_integer(insert, tree->depth[id]);
    if (node->thread)
        tp_put_count(insert, store->rec->threads.at[node->thread - 1].id);
    else
        tp_put_null(insert);
    tp_put_integer(insert, (node->flags & TN_RAW_NODE_PRUNED_BELOW) != 0);
    tp_put_integer(insert, (node->flags & TN_RAW_NODE_HANDLER) != 0);
    tp_put_integer(insert, (node->flags & TN_RAW_NODE_ALIAS) != 0);
    tp_put_row(insert, &store->rec->events, self,
               node->context ? store->rec->contexts.at[node->context - 1].can : 0);
    tp_put_row(insert, &store->rec->events, incl, can);
    store->paths++;
    return tp_insert_row(store, insert);
}

int tp_store_paths(struct tp_store *store)
{
    struct tree tree;
    struct tp_insert insert = {0};
    int failed = tree_make(&tree, store) || tp_insert_open(store, &insert, "t_paths") ||
                 visit(store, &tree, write_node, &insert);

    tree_free(&tree);
    return tp_insert_close(store, &insert, failed);
}

/* ------------------------------------------------------------------------------------------ by thread */

static int add_thread_row(struct tp_store *store, const struct tree *tree, uint32_t id, const uint64_t *self,
                          const uint64_t *incl, uint8_t can, void *user)
{
    const struct tp_node *node = &store->rec->nodes.at[id - 1];
    struct tp_thread_rows *rows = user;
    uint64_t key = (uint64_t)node->thread << 32 | node->context;

    (void)self;
    (void)can;
    if (!tree->topmost[id] || !node->thread || !node->context)
        return 0;
    uint32_t index = tp_idmap_find(&rows->map, key);
    if (index == TP_NOT_FOUND) {
        index = (uint32_t)rows->rows.count;
        uint64_t **row = TP_VECTOR_ADD(&rows->rows);
        if (!row || !(*row = tp_arena_alloc(&rows->arena, store->rec->events.count * sizeof **row)) ||
            tp_idmap_add(&rows->map, key, index))
            return TP_NO_MEMORY(store->err);
    }
    tp_add_row(&store->rec->events, rows->rows.at[index], incl);
    return 0;
}

int tp_thread_rows_make(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    struct tree tree;

    if (rec->threads.count < 2 || !rec->nodes.count)
        return 0;
    for (size_t i = 0; i < rec->nodes.count; i++) {
        if (rec->nodes.at[i].flags & TN_RAW_NODE_PRUNED_BELOW)
            return 0; /* costs of pruned functions are in their callers' nodes: not known */
    }
    store->thread_incl = calloc(1, sizeof *store->thread_incl);
    int failed = (store->thread_incl ? 0 : TP_NO_MEMORY(store->err)) || tree_make(&tree, store);
    if (!failed) {
        failed = visit(store, &tree, add_thread_row, store->thread_incl);
        tree_free(&tree);
    }
    return failed ? -1 : 0;
}

void tp_thread_rows_free(struct tp_thread_rows *rows)
{
    if (!rows)
        return;
    tp_idmap_free(&rows->map);
    TP_VECTOR_FREE(&rows->rows);
    tp_arena_free(&rows->arena);
    free(rows);
}
