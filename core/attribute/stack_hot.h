/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_hot.h: the usual call, return and jump between functions, without a call of its own.
 *
 * Each of these does what tn_call, tn_return or tn_jump would do, or nothing at all, and says which. The usual one
 * goes where the calling node went last time, or on to where it went after that: `recent` and `then` lead only to
 * functions that ask for nothing special. Nothing else is looked up, nothing is made, no frame but one is touched.
 *
 * An engine may compile them into what its generated code calls, so that few registers need to be kept; where they
 * say false it calls the function that they stand for.
 */
#ifndef TENURE_CORE_STACK_HOT_H
#define TENURE_CORE_STACK_HOT_H

#include "core/base/machine.h"
#include "core/tenure_core.h"
#include "stack.h"

/* An engine whose threads have a segment register each names its address space. */
#ifndef TN_HOT_SEGMENT
#define TN_HOT_SEGMENT
#endif
typedef TN_HOT_SEGMENT struct tn_thread tn_hot_thread;

enum {
    TN_STACK_OTHER = 16 << 10, /* a return this far below its frame is a switch of stacks */
    TN_STACK_FAR = 1 << 20,    /* a call this far below the frame on top may be one too */
};

/* Gives what was counted since the last transfer to the node that runs, and to `payer`, the counters of the site that
 * pays for a skipped function, or NULL. Engines have just stored the clock and the data by themselves: they must not be
 * loaded as one, so last_clock and last_data do not stand side by side. */
static inline void tn_hot_settle(tn_hot_thread *thread, uint64_t *payer)
{
    uint64_t clock = thread->clock, data = thread->data, accesses = data - thread->running.last_data;
    struct tn_ran ran = {
        .clock = clock - thread->running.last_clock, .reads = (uint32_t)accesses, .writes = accesses >> 32};
    struct tn_node *node = thread->running.node;
    thread->running.last_clock = clock;
    thread->running.last_data = data;
    node->ran.clock += ran.clock;
    node->ran.reads += ran.reads;
    node->ran.writes += ran.writes;
    uint64_t branches = thread->branches - thread->running.last_branches;
    struct tn_branched branched = {.conditional = (uint32_t)branches, .indirect = branches >> 32};
    if (branches) {
        thread->running.last_branches += branches;
        node->more->branched.conditional += branched.conditional;
        node->more->branched.indirect += branched.indirect;
    }
    if (payer)
        tn_ran_add(payer, &ran, &branched);
}

/* Whether it can: collection is on, and the node has room for the branches. */
static inline bool tn_hot_settles(const tn_hot_thread *thread)
{
    return (thread->branches == thread->running.last_branches || thread->running.node->more) && thread->collecting;
}

/* The edge that the node is thought to go over next, if it is this one and one more call can be counted; else NULL. */
static inline struct tn_node *tn_hot_edge(struct tn_node *caller, uint32_t site, uint32_t function)
{
    struct tn_node *edge = caller->recent;
    if (!edge)
        return NULL;
    if (edge->site != site || edge->function != function) {
        edge = edge->then;
        if (!edge || edge->site != site || edge->function != function || edge->parent != caller || !edge->plain)
            return NULL;
        caller->recent = edge;
    }
    return edge->calls != UINT32_MAX ? edge : NULL;
}

/* What runs now is no descendant of the node that the frame on top goes back to. */
static inline void tn_pin_top(struct tn_stack *stack)
{
    struct tn_frame *frame = stack->top;
    if (frame == stack->bottom || frame->marks & TN_FRAME_PINNED)
        return;
    frame->marks |= TN_FRAME_PINNED;
    frame->node->pins++;
}

/* The running stack goes over an edge. */
static inline void tn_hot_follow(tn_hot_thread *thread, struct tn_node *edge)
{
    struct tn_node *node = edge;
    if (edge->alias) {
        tn_pin_top(thread->running.stack);
        node = edge->target;
    }
    thread->running.node = node;
    edge->calls++;
}

/* Whether a call at `sp` is from the frame on top, and there is room for another. */
static inline bool tn_hot_calls(const struct tn_stack *stack, uint64_t sp)
{
    return stack->top->sp - sp - 1 < TN_STACK_FAR - 1 && stack->top + 1 != stack->end;
}

static inline void tn_push(tn_hot_thread *thread, uint64_t sp, uint64_t return_address, uint32_t skip_site)
{
    struct tn_stack *stack = thread->running.stack;
    struct tn_frame *frame = stack->top + 1;
    frame->sp = sp;
    frame->return_address = return_address;
    frame->node = thread->running.node;
    frame->skip_site = skip_site;
    frame->marks = 0;
    stack->top = frame;
    if (sp < stack->low)
        stack->low = sp;
}

/* tn_call. */
static inline bool tn_hot_call(tn_hot_thread *thread, uint32_t site, uint32_t function, uint64_t sp,
                               uint64_t return_address)
{
    if (!tn_hot_calls(thread->running.stack, sp) || !tn_hot_settles(thread) || thread->running.skip_site)
        return false;
    struct tn_node *edge = tn_hot_edge(thread->running.node, site, function);
    if (!edge)
        return false;
    thread->tally.calls++;
    tn_hot_settle(thread, NULL);
    tn_push(thread, sp, return_address, 0);
    tn_hot_follow(thread, edge);
    return true;
}

/* tn_call of a function that is skipped: a stub of the PLT. */
static inline bool tn_hot_call_skipped(tn_hot_thread *thread, uint32_t site, uint32_t function, uint64_t sp,
                                       uint64_t return_address)
{
    const struct tn_skipper *skipper = &thread->activity->skippers[site % TN_SKIPPERS];
    if (skipper->site != site || skipper->function != function || !tn_hot_calls(thread->running.stack, sp) ||
        !tn_hot_settles(thread) || thread->running.skip_site)
        return false;
    thread->tally.calls++;
    tn_hot_settle(thread, NULL);
    tn_push(thread, sp, return_address, 0);
    thread->running.skip_site = site;
    thread->running.skip_extra = skipper->extra;
    return true;
}

static inline bool tn_hot_is_near(const struct tn_stack *stack, uint64_t sp)
{
    return stack->top->sp - sp <= TN_STACK_FAR && sp + TN_STACK_OTHER >= stack->low;
}

/* tn_jump. */
static inline bool tn_hot_jump(tn_hot_thread *thread, uint32_t site, uint32_t function, uint64_t sp)
{
    uint32_t skip_site = thread->running.skip_site;
    if (!tn_hot_is_near(thread->running.stack, sp) || !tn_hot_settles(thread) || thread->running.stack->resolver)
        return false;
    struct tn_node *edge = tn_hot_edge(thread->running.node, skip_site ? skip_site : site, function);
    if (!edge)
        return false;
    thread->tally.jumps++;
    tn_hot_settle(thread, skip_site ? thread->running.skip_extra : NULL);
    thread->running.skip_site = 0;
    tn_hot_follow(thread, edge);
    return true;
}

/* tn_return. */
static inline bool tn_hot_return(tn_hot_thread *thread, uint64_t sp, uint64_t target)
{
    struct tn_stack *stack = thread->running.stack;
    const struct tn_frame *top = stack->top;
    if (top->sp + TN_RETURN_BYTES != sp || top->return_address != target || (top->marks | top->skip_site) ||
        !tn_hot_settles(thread) || thread->running.skip_site)
        return false;
    thread->tally.returns++;
    tn_hot_settle(thread, NULL);
    stack->top--;
    thread->running.node = top->node;
    return true;
}

#endif
