/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.h: what call paths pay late in data objects.
 *
 * A *cell* has the late costs of an owner in a data object. With data objects a node of the tree keeps no late costs
 * of data accesses of its own: what is charged to it is charged to its cell of the object, and the node's costs are
 * the sum of its cells. So at a miss nothing is added that would not be added anyway; what it takes is to find the
 * cell, and a share (objects.h) remembers the one that it led to last. Owners:
 *
 *   a node              what it has loaded itself
 *   a node, given       what its pruned descendants had
 *   a context           what pruned nodes that charge it had, and what was given to them
 *
 * A node's cells, and those given to it, are lists; so are those of all contexts. What is paid under a function in an
 * object is the sum over the subtrees of nodes that charge the function, and its own cell.
 *
 * Cells are the consumer's; who prunes or folds is the consumer meanwhile.
 */
#ifndef TENURE_CORE_CELL_H
#define TENURE_CORE_CELL_H

#include "core/base/arena.h"
#include "core/base/table.h"
#include "cost.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_node;

struct tn_cell {
    struct tn_late late;
    uint64_t owner;  /* a node's address, or that and TN_CELL_GIVEN, or a context and TN_CELL_CONTEXT; 0: nobody's */
    uint32_t object;
    uint32_t next; /* in the list of its owner; 0: the last */
};
enum { TN_CELL_GIVEN = 1, TN_CELL_CONTEXT = 2, TN_CELL_CONTEXT_SHIFT = 2 };

struct tn_cells {
    struct tn_slots list;
    struct tn_table table;
    struct tn_cost_pools *pools;
    struct tn_late sum;
};

void tn_cells_init(struct tn_cells *cells, struct tn_cost_pools *pools);
void tn_cells_free(struct tn_cells *cells);
size_t tn_cells_bytes(const struct tn_cells *cells);

static inline struct tn_cell *tn_cell_at(const struct tn_cells *cells, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_cell, &cells->list.array, id);
}

/* The node that owns a cell, or to which the cell was given. */
static inline const struct tn_node *tn_cell_node(const struct tn_cell *cell)
{
    return (const struct tn_node *)(uintptr_t)(cell->owner & ~(uint64_t)TN_CELL_GIVEN);
}

/* The cell of an owner in an object, made if there is none: then it is the first of `list`. */
struct tn_cell *tn_cell_of(struct tn_cells *cells, uint64_t owner, uint32_t object, uint32_t *list);

/* Set all cells to zero. They stay. */
void tn_cells_clear(const struct tn_cells *cells);

/* The sum of a list; good until the next one is asked for, or the list's cells change. */
struct tn_late tn_cells_sum(struct tn_cells *cells, uint32_t list);
/* Add the cells of a list to those of an owner, whose list is `to`. */
void tn_cells_add(struct tn_cells *cells, uint64_t owner, uint32_t *to, uint32_t list);
/* Free the cells of a list. */
void tn_cells_drop(struct tn_cells *cells, uint32_t *list);

#endif
