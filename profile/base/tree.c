/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c: see tree.h. One walk, without recursion in C: the tree may be as deep as there are nodes.
 */
#include "profile/base/tree.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------------ lines */

static uint32_t tree_line_of(struct tp_call_lines *lines, struct tp_idmap *places, struct tp_idmap *map,
                             const struct tp_instr *site)
{
    uint64_t place = ((uint64_t)site->file << 32 | site->line) + 1, key;
    uint32_t number = tp_idmap_find(places, place), line;

    if (number == TP_NOT_FOUND) {
        number = (uint32_t)places->count;
        if (tp_idmap_add(places, place, number))
            return 0;
    }
    key = ((uint64_t)site->context << 32 | number) + 1;
    line = tp_idmap_find(map, key);
    if (line == TP_NOT_FOUND) {
        uint32_t *context = TP_VECTOR_ADD(&lines->context);
        line = (uint32_t)lines->context.count - 1;
        if (!context || tp_idmap_add(map, key, line))
            return 0;
        *context = site->context;
    }
    return line + 1;
}

static int tree_find_lines(struct tp_tree *tree)
{
    const struct tp_recording *rec = tree->rec;
    struct tp_call_lines *lines = &tree->lines;
    struct tp_idmap places = {0}, map = {0};
    bool ok = (lines->of_arc = tp_arena_alloc(&tree->arena, (rec->arcs.count + 1) * sizeof *lines->of_arc)) != NULL;

    for (size_t i = 0; ok && i < rec->arcs.count; i++) {
        uint32_t site = rec->arcs.at[i].site;
        if (site)
            ok = (lines->of_arc[i] = tree_line_of(lines, &places, &map, &rec->instrs.at[site - 1])) != 0;
    }
    tp_idmap_free(&places);
    tp_idmap_free(&map);
    return ok ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------ the walk */

/* What is on the path to the node at hand. */
struct path {
    uint32_t *running; /* by context + 1: nodes that run it */
    uint32_t *called;  /* by line + 1: nodes that are called from it */
    uint32_t *reached; /* by arc + 1: nodes that are reached by it */
    uint32_t *inside;  /* by context + 1: the last topmost node of one of its lines */
};

static void enter(struct tp_tree *tree, struct path *path, uint32_t node)
{
    const struct tp_node *at = &tree->rec->nodes.at[node - 1];
    uint32_t line = tp_tree_line(tree, node), depth = at->parent ? tree->depth[at->parent] + 1 : 0;

    if (path->running[at->context]++ == 0)
        tree->top[node] |= TP_TOP_OF_FUNCTION;
    if (path->reached[at->arc]++ == 0 && at->arc)
        tree->top[node] |= TP_TOP_OF_ARC;
    if (line && path->called[line]++ == 0) {
        uint32_t *inside = &path->inside[tree->lines.context.at[line - 1]];
        tree->top[node] |= TP_TOP_OF_LINE;
        tree->outside[node] = *inside;
        *inside = node;
    }
    tree->inside[node] = at->context ? path->inside[at->context] : 0;
    tree->depth[node] = depth;
    if (depth > tree->deepest)
        tree->deepest = depth;
}

/* Down to first children, then sideways, then up. */
static int tree_walk(struct tp_tree *tree)
{
    size_t contexts = tree->rec->contexts.count + 1, lines = tree->lines.context.count + 1;
    uint32_t *of_path = calloc(2 * contexts + lines + tree->rec->arcs.count + 1, sizeof *of_path);
    struct path path = {.running = of_path, .inside = of_path + contexts, .called = of_path + 2 * contexts,
                        .reached = of_path + 2 * contexts + lines};
    uint32_t node = of_path ? tree->first_child[0] : 0;

    while (node) {
        enter(tree, &path, node);
        if (tree->first_child[node]) {
            node = tree->first_child[node];
            continue;
        }
        for (uint32_t left = node; left;) {
            uint32_t line = tp_tree_line(tree, left);
            path.running[tree->rec->nodes.at[left - 1].context]--;
            path.reached[tree->rec->nodes.at[left - 1].arc]--;
            if (line)
                path.called[line]--;
            if (tree->top[left] & TP_TOP_OF_LINE)
                path.inside[tree->lines.context.at[line - 1]] = tree->outside[left];
            tree->order[tree->count++] = left;
            tree->number[left] = tree->count;
            node = tree->next_sibling[left];
            left = node ? 0 : tree->rec->nodes.at[left - 1].parent;
        }
    }
    free(of_path);
    return of_path ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_tree_make(struct tp_tree *tree, const struct tp_recording *rec)
{
    size_t room = rec->nodes.count + 1;
    uint32_t **const lists[] = {&tree->first_child, &tree->next_sibling, &tree->order,  &tree->number,
                                &tree->depth,       &tree->inside,       &tree->outside};

    *tree = (struct tp_tree){.rec = rec, .complete = true};
    bool ok = (tree->top = tp_arena_alloc(&tree->arena, room)) != NULL;
    for (size_t i = 0; ok && i < sizeof lists / sizeof *lists; i++)
        ok = (*lists[i] = tp_arena_alloc(&tree->arena, room * sizeof **lists[i])) != NULL;
    if (!ok || tree_find_lines(tree))
        return -1;
    /* Children into their parents' lists. From the last node to the first: lists come out in the file's order, and a
     * node's children, which are behind it, have been linked if there is anything in them. */
    for (size_t i = tree->rec->nodes.count; i >= 1; i--) {
        const struct tp_node *node = &tree->rec->nodes.at[i - 1];
        uint32_t *list = &tree->first_child[node->parent];
        tree->complete &= !(node->flags & TN_RAW_NODE_PRUNED_BELOW);
        if (!node->calls && !node->costs && !node->held && !tree->first_child[i])
            continue;
        tree->next_sibling[i] = *list;
        *list = (uint32_t)i;
    }
    return tree_walk(tree);
}

void tp_tree_free(struct tp_tree *tree)
{
    TP_VECTOR_FREE(&tree->lines.context);
    tp_arena_free(&tree->arena);
}
