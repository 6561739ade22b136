/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h: the call tree of a recording, in post-order, and what each node is nested in.
 *
 * A node's inclusive costs are its own and its children's; in post-order only the sums of the nodes on one path have
 * to be in memory.
 *
 * Adding up each event once for a function takes the function's topmost nodes, those that have no ancestor that runs
 * it. For a source line it takes the topmost nodes that are called from the line. The events on the line itself are
 * known by instruction, not by node; so it is also kept which nodes run a function below one of its own lines.
 *
 * Nodes in which, and below which, nothing has been counted are left out: where costs were forgotten (zero, or a fork),
 * the recording still has the calls from before.
 */
#ifndef TENURE_PROFILE_TREE_H
#define TENURE_PROFILE_TREE_H

#include "profile/raw/recording.h"

enum {
    TP_TOP_OF_FUNCTION = 1, /* no ancestor runs the node's function */
    TP_TOP_OF_LINE = 2,     /* called from a line, and no ancestor is called from it too */
    TP_TOP_OF_ARC = 4,      /* no ancestor was reached by the same arc */
};

/* Lines of functions from which something is called. */
struct tp_call_lines {
    uint32_t *of_arc;              /* by arc: line + 1; 0: the site is not known */
    TP_VECTOR(uint32_t) context;   /* by line: context + 1 of its function */
};

struct tp_tree {
    const struct tp_recording *rec;
    struct tp_arena arena; /* of all lists here */
    struct tp_call_lines lines;
    uint32_t *first_child, *next_sibling; /* node + 1; first_child[0]: the first root */
    uint32_t *order;                      /* nodes + 1 in post-order */
    uint32_t *number;                     /* by node + 1: place in order, from 1 */
    uint32_t *depth;                      /* by node + 1: 0 for roots */
    uint8_t *top;                         /* by node + 1: TP_TOP_OF_* */
    uint32_t *inside; /* by node + 1: the innermost topmost node of a line of the function that this node runs, at or
                       * above this node; 0: none, the function does not call itself here */
    uint32_t *outside; /* by such a topmost node: the next one above, for the same function; 0: none */
    uint32_t count;   /* nodes in order[] */
    uint32_t deepest;
    bool complete; /* nothing was pruned */
};

/* 0, or -1: out of memory. Free in any case. */
int tp_tree_make(struct tp_tree *tree, const struct tp_recording *rec);
void tp_tree_free(struct tp_tree *tree);

/* The line + 1 that the node is called from; 0: not known, or a root. */
static inline uint32_t tp_tree_line(const struct tp_tree *tree, uint32_t node)
{
    uint32_t arc = tree->rec->nodes.at[node - 1].arc;

    return arc ? tree->lines.of_arc[arc - 1] : 0;
}

#endif
