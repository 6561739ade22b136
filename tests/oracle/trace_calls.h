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
 *   anything else      is a jump. One into another function begins an activation that ends with the one it is in
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
 * that switches collection when it is entered and left. Costs are `width` totals that only grow. */
bool calls_read(FILE *map, int width);

/* A superblock begins, and has ended with the instruction `last`; `sp`: where that wrote or read a return address. */
void calls_begin(uint64_t first, const uint64_t *totals);
void calls_end(uint64_t last, uint64_t sp);
void calls_finish(const uint64_t *totals);

bool calls_collecting(void);

/* `arc CALLER CALLEE CALLS TOTAL...` for each pair of functions. */
void calls_print(void);

#endif
