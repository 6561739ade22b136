/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_calls.h: the calls in a trace, and what Callgrind charges to arcs: every activation its whole cost, so that
 * nested activations of one arc are charged again.
 *
 * Callgrind sees superblocks. Between two of them it asks how the first one ended:
 *
 *   a call             an activation begins
 *   a return           the activations end whose return address lay at or below the one that was read; if none did,
 *                      it is a jump
 *   anything else      is a jump. One into another function, or to the beginning of its own, begins an activation
 *                      that ends with the one it is in
 *
 * What is running when the program ends ends there. An activation in which nothing was counted is none: a function
 * may switch collection on and off, by its outermost activation.
 */
#ifndef TENURE_ORACLE_TRACE_CALLS_H
#define TENURE_ORACLE_TRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Reads `map`, lines of: `f START SIZE NAME` a function; `c ADDRESS` a call, `r ADDRESS` a return; `t NAME` a function
 * that switches collection when it is entered and left. Costs are `width` totals that only grow. `paid` is told
 * of superblocks that made a call below which something was counted. */
bool calls_read(FILE *map, int width, void (*paid)(uint64_t block));

/* A superblock begins with the instruction `first`. The one before ended with `last` (0: there was none), which
 * wrote or read a return address at `sp` if it is a call or a return. */
void calls_block(uint64_t first, uint64_t last, uint64_t sp, const uint64_t *totals);
void calls_finish(const uint64_t *totals);

bool calls_collecting(void);

/* `arc CALLER CALLEE CALLS TOTAL...` for each pair of functions. */
void calls_print(void);

#endif
