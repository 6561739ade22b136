/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h: the control flow graph of what was executed of one function context, and how often each way was taken.
 *
 * Nodes are blocks: runs of executed instructions that are entered at the first and left at the last. Ways come from
 * the code itself: to the next instruction, to the target of a jump, through the table of a switch. Of the other
 * indirect jumps it is not known where they go: they all lead to one more node, the hub, and from there to every
 * block that is executed more often than its known ways can account for. One node stands for everything outside the
 * function. So there may be more ways than were ever taken, but none is missing, except into code that is reached by an
 * exception or a longjmp: that is entered from outside.
 *
 * How often an instruction was executed is known, but for some that repeat themselves (TP_REPEATS_UNTIL): as often as
 * its neighbours in the block. How often a way was taken follows: what goes into a block is what comes out of it. Where
 * that does not determine a way, its count is TP_FLOW_UNKNOWN_COUNT.
 */
#ifndef TENURE_PROFILE_FLOW_H
#define TENURE_PROFILE_FLOW_H

#include "profile/code/code.h"
#include "profile/code/decode.h"
#include "profile/objects/symbols_image.h"

#define TP_FLOW_UNKNOWN_COUNT UINT64_MAX

struct tp_block {
    uint32_t first, sites; /* of graph->site */
    uint64_t count;        /* times executed */
};

struct tp_way {
    uint32_t from, to; /* blocks */
    uint64_t count;
};

/* Of a switch. */
struct tp_jump_table {
    uint64_t address; /* at run time */
    uint64_t end;     /* where another one begins; UINT64_MAX: there is none */
    uint32_t site;    /* of the jump */
    uint8_t width;    /* of an entry: 4 or 8 */
};

struct tp_graph {
    /* Given by the caller: a context's sites, and where its code is. */
    const struct tp_site *site;
    uint32_t sites;
    uint64_t start, end; /* the function's range */
    int64_t bias;        /* of its object */
    const struct tp_image *image;
    TP_VECTOR(struct tp_decoded) code; /* by site; what is no slot of the stack in this function is corrected */
    TP_VECTOR(uint64_t) count;         /* by site: times executed; TP_FLOW_UNKNOWN_COUNT: not known, yet */

    /* Made. */
    TP_VECTOR(struct tp_block) blocks; /* then hub and outside, which have no sites */
    TP_VECTOR(struct tp_way) ways;          /* by the block that they leave */
    TP_VECTOR(struct tp_jump_table) tables; /* by site */
    TP_VECTOR(uint32_t) block_of;           /* by site */
    uint32_t hub, outside;                  /* blocks; the hub may have no ways */
    TP_VECTOR(uint32_t) in;                 /* ways by the block that they enter */
    TP_VECTOR(uint32_t) first_out, first_in; /* those of block b, of ways and of `in`: first[b] to first[b + 1] */
    TP_VECTOR(uint32_t) scratch, scratch2;
};

/* From what is given. 1: made, 0: the code is not known well enough, -1: out of memory. */
int tp_graph_make(struct tp_graph *graph);
/* Keeps its memory for the next one. */
void tp_graph_clear(struct tp_graph *graph);
void tp_graph_free(struct tp_graph *graph);

#endif
