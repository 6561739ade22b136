/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h: maps of long paths in the tree of use nodes, so that a question about a path does not have to walk all of it.
 *
 * A path is a node and all its ancestors. Its map leads from an arc or a context to a node of the path, and two maps
 * share what their paths share: a map is extended by a copy of the few elements that change (a trie with four branches
 * a level). Nothing is removed from a map: all maps are forgotten together.
 *
 *   tn_path_arc(id)      the node that brings the arc to the path; tn_path_arc(0): the nearest that brings any
 *   tn_path_context(id)  the nearest node that runs the context
 *
 * Entries are made from the root of the tree downwards, so of two entries the nearer node has the larger number.
 */
#ifndef TENURE_CORE_PATH_H
#define TENURE_CORE_PATH_H

#include "core/base/arena.h"

#include <stdint.h>

struct tn_node;

struct tn_paths {
    struct tn_slots elements;
};

void tn_paths_init(struct tn_paths *paths);
/* Free the memory of all maps. The paths can be used again after tn_paths_init. */
void tn_paths_free(struct tn_paths *paths);

static inline uint32_t tn_path_arc(uint32_t arc)
{
    return arc << 1;
}
static inline uint32_t tn_path_context(uint32_t context)
{
    return context << 1 | 1;
}

/* The number of the entry of `key` in a map; 0: it has none. The empty map is 0. */
uint32_t tn_path_find(const struct tn_paths *paths, uint32_t map, uint32_t key);
/* The node of an entry. */
struct tn_node *tn_path_node(const struct tn_paths *paths, uint32_t entry);

/* The map with one more entry, or another node for its key. Elements from number `fresh` on are changed in place: they
 * must be in no other map. */
uint32_t tn_path_add(struct tn_paths *paths, uint32_t map, uint32_t key, struct tn_node *node, uint32_t fresh);

#endif
