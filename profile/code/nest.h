/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nest.h: the loops of a control flow graph, nested.
 *
 * A loop is a largest set of blocks each of which leads to all others. Its heads are the blocks at which it is entered.
 * If there is one, it dominates the others, and the loop is what is known as a natural loop, with all of the same
 * head as one; where control jumps into the middle of a loop there are several. What remains a loop without the ways
 * back to the heads is an inner loop, and so on.
 *
 * Ways that were never taken do not count: code that could have been repeated and never was is no loop.
 */
#ifndef TENURE_PROFILE_NEST_H
#define TENURE_PROFILE_NEST_H

#include "profile/code/flow.h"

struct tp_nested {
    uint32_t parent;     /* + 1, a smaller index; 0: outermost */
    uint32_t depth;      /* 1: outermost */
    uint32_t head;       /* site: the lowest at which it is entered */
    uint64_t iterations; /* how often its head was executed; of several, the one that was most often */
    uint64_t entries;    /* how often it was entered; TP_FLOW_UNKNOWN_COUNT */
};

struct tp_nest {
    TP_VECTOR(struct tp_nested) loops; /* an outer one before those in it, then by address */
    TP_VECTOR(uint32_t) loop_of;       /* by block: the innermost + 1, or 0 */
};

/* -1: out of memory. What `nest` held before is gone. */
int tp_nest_make(struct tp_nest *nest, const struct tp_graph *graph);
void tp_nest_free(struct tp_nest *nest);

#endif
