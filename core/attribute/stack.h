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
 *   stack.bottom            a frame that nothing pushed: its sp is the stack pointer at the first instruction
 *   stack.top               the last frame; top == bottom: no call is open
 *   frame.sp                where the return address is; decreasing from bottom to top of a stack, but for a frame
 *                           whose function calls with the stack pointer above it
 *
 * Nodes that stacks will come back to must not be pruned. A frame's node is an ancestor of the next frame's node
 * (of the running one, for the frame on top), or the same, or pinned by the frame. Children keep their parents, so a
 * call touches no pin unless it goes to an ancestor (backdate.h, aliases). The nodes that run are pinned while
 * pruning looks for victims (tn_prune).
 *
 * A jump into another function pushes no frame: the frame on top changes its node (a tail call keeps its
 * frame). Skipped functions (PLT stubs, --fn-skip) do not change the node either; their costs go to skip_site.
 */
#ifndef TENURE_CORE_STACK_H
#define TENURE_CORE_STACK_H

#include "backdate.h"
#include "code.h"
#include "core/tenure_core.h"

struct tn_frame {
    uint64_t sp, return_address;
    struct tn_node *node; /* of the caller, to go back to */
    uint32_t skip_site;   /* of the caller, to go back to */
    uint32_t marks;       /* TN_FRAME_* */
};
enum {
    TN_FRAME_PINNED = 1,  /* the frame has a pin on its node */
    TN_FRAME_WATCHED = 2, /* a resolver, a special or an allocation function ends with it */
};

/* A function that pops on jump runs in frame `depth` of its stack: what it jumps to will be called by `node`. */
struct tn_resolver {
    struct tn_resolver *outer;
    struct tn_node *node;
    uint32_t site, depth;
};

/* An outermost activation of a function at which something is to happen (--toggle-collect, --dump-after, ...). */
struct tn_special {
    struct tn_special *outer;
    struct tn_stack *stack;
    uint32_t function, flags;
    uint32_t depth; /* it ends when its stack has fewer frames */
};

/* An allocation function was entered on `stack` and has not ended. */
struct tn_allocating {
    struct tn_allocating *outer;
    struct tn_stack *stack;
    uint32_t function, depth; /* it ends when the stack has fewer frames */
    uint32_t object;          /* of the blocks */
    bool told;                /* what follows is known */
    struct {
        uint64_t bytes, each, old, at;
    } wants;
    uint64_t begun; /* the block that an inner one has returned last; 0: none */
};

struct tn_stack {
    struct tn_frame *bottom, *top, *end; /* end: of the memory from bottom on */
    uint64_t low;                        /* lowest stack pointer seen at a call */
    struct tn_node *node; /* what runs on it, unless it is the stack that runs: then see tn_running */
    uint32_t skip_site;
    struct tn_resolver *resolver; /* the innermost one; NULL as a rule */
    struct tn_stack *from; /* what ran before it, when it was switched to last; NULL: nothing */
    struct tn_stack *next;
};

struct tn_handler_level {
    struct tn_stack *stack, *stacks;
    struct tn_special *special;
    struct tn_allocating *allocating;
    struct tn_handler_level *interrupted;
};

/* A handler's root, kept for its next run. */
struct tn_handler_root {
    struct tn_node *root;
    struct tn_handler_root *next;
};

/* Where an instruction counts what it pays for skipped functions. */
struct tn_skipper {
    uint32_t site, function; /* the one skipped last */
    uint64_t *extra;         /* of the site's cost centre */
};

enum { TN_SKIPPERS = 1024 };

struct tn_activity {
    struct tn_forest *forest; /* where its trees grow */
    bool begun, returning; /* returning: to where the frame on top says */
    struct tn_handler_level *level;
    struct tn_handler_root *handlers;
    struct tn_array payers[TN_STREAMS];      /* parallel engines: struct tn_payer by instruction, where the one that is
                                                remembered with the code is another thread's; sparse */
    struct tn_skipper skippers[TN_SKIPPERS]; /* found lately, by site modulo TN_SKIPPERS; no use with contexts */
};

/* Calls that are open on a stack. */
static inline uint32_t tn_stack_depth(const struct tn_stack *stack)
{
    return (uint32_t)(stack->top - stack->bottom);
}

/* What stacks are made of, from the pools that threads share. */
void *tn_stack_take(struct tn_thread *thread, struct tn_pool *pool);
void tn_stack_give(struct tn_thread *thread, struct tn_pool *pool, void *element);

/* The running stack has entered an allocation function (allocating.c). */
void tn_enter_allocating(struct tn_thread *thread, uint32_t function);
/* The activations of `stack` that needed `depth` frames or more have ended. */
void tn_left_allocating(struct tn_thread *thread, const struct tn_stack *stack, uint32_t depth);
/* The level ends, and what is open on it. */
void tn_drop_allocating(struct tn_thread *thread, struct tn_handler_level *level);

/* Give what has been counted since the last control transfer to the running node. */
void tn_settle(struct tn_thread *thread);

/* Prune what the policy asks for, but not what runs. No queue entry may be under way but those that nodes count in
 * `sent`. */
void tn_prune_some(struct tn_core *core, struct tn_forest *forest);
static inline void tn_prune(struct tn_core *core, struct tn_forest *forest)
{
    if (forest->now > __atomic_load_n(&forest->prune_at, __ATOMIC_RELAXED))
        tn_prune_some(core, forest);
}

/* Debug builds: panics if an invariant of trees or stacks does not hold. Looks now and then, as often as keeps the
 * cost of a step bounded. */
#ifdef TN_DEBUG
void tn_check(struct tn_core *core, struct tn_forest *forest);
#else
static inline void tn_check(struct tn_core *core, struct tn_forest *forest)
{
    (void)core, (void)forest;
}
#endif

/* Forget all stacks (instrumentation goes off, the thread ends); nodes lose their pins. */
void tn_stack_clear(struct tn_thread *thread);

#endif
