/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.h: what a thread is doing: its call stacks, and the node that runs.
 *
 * A frame is pushed by a call and says where to go back to. Frames are matched by stack pointer, so that
 * returns that never happened (longjmp, exceptions) are made up for at the next control transfer. Each region
 * of stack memory has frames of its own (coroutines), and each running signal handler a level of its own:
 *
 *   activity.level[depth]   one interrupted context each; the last one runs
 *   level.stack             the stack that runs; level.stacks: all that were seen
 *   frame.sp                where the return address is; strictly decreasing from bottom to top of a stack
 *   pins of a node          = frames that go back to it (or have it as `before`) + stacks that run it
 *
 * A jump into another function pushes no frame: the frame on top changes its node (a tail call keeps its
 * frame). Skipped functions (PLT stubs, --fn-skip) do not change the node either; their costs go to skip_site.
 */
#ifndef TENURE_CORE_STACK_H
#define TENURE_CORE_STACK_H

#include "backdate.h"
#include "tenure_core.h"

struct tn_frame {
    uint64_t sp, return_address;
    struct tn_node *node; /* of the caller, to go back to */
    uint32_t skip_site;   /* of the caller, to go back to */
    uint32_t before_site; /* of the call or jump to a function that pops on jump, and the node it came from */
    struct tn_node *before; /* pinned; NULL: no such function runs in this frame */
};

/* An outermost activation of a function at which something is to happen (--toggle-collect, --dump-after, ...). */
struct tn_special {
    struct tn_special *outer;
    struct tn_stack *stack;
    uint32_t function, flags;
    uint32_t depth; /* it ends when its stack has fewer frames */
};

struct tn_stack {
    struct tn_frame *frames;
    uint32_t count, capacity;
    uint64_t base, low; /* stack pointer at its first instruction; lowest seen */
    struct tn_node *node;
    uint32_t skip_site;
    struct tn_stack *next;
};

struct tn_handler_level {
    struct tn_stack *stack, *stacks;
    struct tn_special *special;
    struct tn_handler_level *interrupted;
};

/* A handler's root, kept for its next run. */
struct tn_handler_root {
    struct tn_node *root;
    struct tn_handler_root *next;
};

struct tn_activity {
    /* what a miss reads: copies of the running stack's */
    struct tn_node *node;
    uint32_t skip_site;
    bool begun;
    uint64_t last_clock, last_data, last_branches; /* totals given to nodes so far */
    struct tn_handler_level *level;
    struct tn_handler_root *handlers;
};

/* Give what has been counted since the last control transfer to the running node. */
void tn_settle(struct tn_thread *thread);

/* Forget all stacks (instrumentation goes off, the thread ends); nodes lose their pins. */
void tn_stack_clear(struct tn_thread *thread);

#endif
