/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_paths.c: the call tree, and what else only the tree knows.
 *
 * Nodes are numbered and written in post-order: a row is appended as soon as its inclusive costs are known. The same
 * pass gives what a function cost inclusively in one thread, the sum over its topmost nodes, and what was called
 * from a source line, the sum over the topmost nodes that are called from it (tree.h). Where nodes were pruned
 * (--paths) neither is known.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/tree.h"
#include "profile/store/store.h"

enum { REPORT_EVERY = 8192 };

/* A node with its self and inclusive costs. `can`: what can occur in the subtree. */
struct visit {
    struct tp_store *store;
    const struct tp_tree *tree;
    struct tp_insert insert;
    uint32_t id; /* + 1 */
    const struct tp_node *node;
    uint64_t *self, *incl;
    uint8_t can;
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
           TP_INTEGER((node->flags & TN_RAW_NODE_PRUNED_BELOW) != 0),
           TP_INTEGER((node->flags & TN_RAW_NODE_HANDLER) != 0), TP_INTEGER((node->flags & TN_RAW_NODE_ALIAS) != 0));
    tp_put_row(insert, &store->rec->events, v->self,
               node->context ? store->rec->contexts.at[node->context - 1].can : 0);
    tp_put_row(insert, &store->rec->events, v->incl, v->can);
    store->paths++;
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ by thread */

static int add_thread_row(struct visit *v)
{
    struct tp_thread_rows *rows = v->store->thread_incl;
    uint64_t key = (uint64_t)v->node->thread << 32 | v->node->context;

    if (!rows || !(v->tree->top[v->id] & TP_TOP_OF_FUNCTION) || !v->node->thread || !v->node->context)
        return 0;
    uint32_t index = tp_idmap_find(&rows->map, key);
    if (index == TP_NOT_FOUND) {
        index = (uint32_t)rows->rows.count;
        uint64_t **row = TP_VECTOR_ADD(&rows->rows);
        if (!row || !(*row = tp_arena_alloc(&rows->arena, v->store->rec->events.count * sizeof **row)) ||
            tp_idmap_add(&rows->map, key, index))
            return TP_NO_MEMORY(v->store->err);
    }
    tp_add_row(&v->store->rec->events, rows->rows.at[index], v->incl);
    return 0;
}

static int thread_rows_begin(struct tp_store *store, const struct tp_tree *tree)
{
    if (store->rec->threads.count < 2 || !store->rec->nodes.count || !tree->complete)
        return 0;
    store->thread_incl = calloc(1, sizeof *store->thread_incl);
    return store->thread_incl ? 0 : TP_NO_MEMORY(store->err);
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

/* ------------------------------------------------------------------------------------------ by line */

static uint64_t *line_row(struct tp_store *store, uint32_t line)
{
    struct tp_line_rows *rows = store->line_rows;
    uint64_t **row = &rows->row[line - 1];

    if (!*row)
        *row = tp_arena_alloc(&rows->arena, 2 * store->rec->events.count * sizeof **row);
    return *row;
}

static int add_line_rows(struct visit *v)
{
    const struct tp_tree *tree = v->tree;
    struct tp_line_rows *rows = v->store->line_rows;
    size_t width = v->store->rec->events.count;
    uint32_t line = tree->top[v->id] & TP_TOP_OF_LINE ? tp_tree_line(tree, v->id) : 0;
    uint64_t *row = NULL;

    if (!rows)
        return 0;
    if (line && rows->recurses[tree->lines.context.at[line - 1]]) {
        if (!(row = line_row(v->store, line)))
            return TP_NO_MEMORY(v->store->err);
        tp_add_row(&v->store->rec->events, row, v->incl);
    }
    for (uint32_t top = tree->inside[v->id]; top; top = tree->outside[top]) {
        if (!(row = line_row(v->store, tp_tree_line(tree, top))))
            return TP_NO_MEMORY(v->store->err);
        tp_add_row(&v->store->rec->events, row + width, v->self);
    }
    return 0;
}

/* Which functions call themselves; rows are made when a node needs them. */
static int line_rows_begin(struct tp_store *store, struct tp_tree *tree)
{
    const struct tp_recording *rec = store->rec;

    if (!rec->nodes.count || !tree->complete)
        return 0;
    struct tp_line_rows *rows = store->line_rows = calloc(1, sizeof *rows);
    if (!rows || !(rows->row = calloc(tree->lines.context.count + 1, sizeof *rows->row)) ||
        !(rows->of_arc = calloc(rec->arcs.count + 1, sizeof *rows->of_arc)) ||
        !(rows->recurses = calloc(rec->contexts.count + 1, sizeof *rows->recurses)))
        return TP_NO_MEMORY(store->err);
    memcpy(rows->of_arc, tree->lines.of_arc, rec->arcs.count * sizeof *rows->of_arc);
    for (size_t i = 1; i <= rec->nodes.count; i++) {
        if (tree->inside[i])
            rows->recurses[rec->nodes.at[i - 1].context] = true;
    }
    return 0;
}

void tp_line_rows_free(struct tp_line_rows *rows)
{
    if (!rows)
        return;
    free(rows->row);
    free(rows->of_arc);
    free(rows->recurses);
    tp_arena_free(&rows->arena);
    free(rows);
}

/* ------------------------------------------------------------------------------------------ all */

/* Sums of children by depth, so that each node's are complete when its turn comes. */
static int visit_all(struct visit *v)
{
    const struct tp_recording *rec = v->store->rec;
    const struct tp_tree *tree = v->tree;
    size_t width = rec->events.count;
    uint64_t *below = calloc((size_t)tree->deepest + 2, width * sizeof *below);
    uint8_t *can_below = calloc((size_t)tree->deepest + 2, 1);
    uint64_t self[TP_MAX_EVENTS];
    int failed = below && can_below ? 0 : TP_NO_MEMORY(v->store->err);

    v->self = self;
    for (size_t i = 0; !failed && i < tree->count; i++) {
        uint32_t id = v->id = tree->order[i], depth = tree->depth[id];
        v->node = &rec->nodes.at[id - 1];
        v->incl = below + width * (depth + 1);
        v->can = can_below[depth + 1];
        memset(self, 0, width * sizeof *self);
        for (const struct tp_blob *blob = v->node->costs; blob; blob = blob->next)
            tp_blob_add(&rec->events, blob, self, NULL);
        tp_add_row(&rec->events, v->incl, self);
        if (v->node->context)
            v->can |= rec->contexts.at[v->node->context - 1].can;
        failed = write_node(v) || add_thread_row(v) || add_line_rows(v);
        tp_add_row(&rec->events, below + width * depth, v->incl);
        can_below[depth] |= v->can;
        memset(v->incl, 0, width * sizeof *v->incl);
        can_below[depth + 1] = 0;
    }
    free(below);
    free(can_below);
    return failed ? -1 : 0;
}

int tp_store_paths(struct tp_store *store)
{
    struct tp_tree tree;
    struct visit visit = {.store = store, .tree = &tree};
    int failed = (tp_tree_make(&tree, store->rec) ? TP_NO_MEMORY(store->err) : 0) ||
                 thread_rows_begin(store, &tree) || line_rows_begin(store, &tree) ||
                 tp_insert_open(store, &visit.insert, "t_paths") || visit_all(&visit);

    failed = tp_insert_close(store, &visit.insert, failed) || tp_store_path_data(store, &tree);
    tp_tree_free(&tree);
    return failed ? -1 : 0;
}
