/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.c: calls, returns, jumps, signals and stacks; see stack.h.
 *
 * Every control transfer first settles: what was counted since the last one belongs to the node that ran. Then
 * frames that the stack pointer has left behind are popped, and the node changes. The usual call and the usual
 * return take the first branch of their functions; the rest of the file is for programs that do not return the
 * way they called.
 */
#include "stack.h"

#include "core.h"
#include "host.h"

#include <string.h>

enum {
    FIRST_FRAMES = 64,
    SMALL = 256,            /* a frame may end a little above where its return address was */
    OTHER_STACK = 16 << 10, /* a return this far below its frame is a switch of stacks */
    FAR = 1 << 20,          /* a call this far below the frame on top may be one too */
};
#define FN_SPECIAL (TN_FN_TOGGLE | TN_FN_DUMP_BEFORE | TN_FN_DUMP_AFTER | TN_FN_ZERO_BEFORE)

static struct tn_activity *activity_of(struct tn_thread *thread)
{
    return thread->activity;
}

static struct tn_stack *stack_of(struct tn_thread *thread)
{
    return thread->activity->level->stack;
}

static const struct tn_function *function_of(const struct tn_thread *thread, uint32_t id)
{
    return tn_code_get_function(&thread->core->code, id);
}

/* ------------------------------------------------------------------------------------------ settling */

/* The instruction that called a skipped function has its costs. */
static void settle_skipped(struct tn_thread *thread, const struct tn_ran *ran,
                           const struct tn_branched *branched)
{
    struct tn_core *core = thread->core;
    const struct tn_activity *a = activity_of(thread);
    struct tn_centre *centre = tn_centre_in(core, thread->id, a->skip_site, a->node);
    tn_ran_add(tn_extra(&core->pools, centre), ran, branched);
}

static inline void settle(struct tn_thread *thread, struct tn_activity *a)
{
    uint64_t data = thread->data - a->last_data, branches = thread->branches - a->last_branches;
    struct tn_ran ran = {.clock = thread->clock - a->last_clock, .reads = data & 0xffffffff, .writes = data >> 32};
    struct tn_branched branched = {.conditional = branches & 0xffffffff, .indirect = branches >> 32};
    a->last_clock = thread->clock;
    a->last_data = thread->data;
    a->last_branches = thread->branches;
    if (!thread->collecting || !a->node)
        return;
    a->node->ran.clock += ran.clock;
    a->node->ran.reads += ran.reads;
    a->node->ran.writes += ran.writes;
    if (branches) {
        struct tn_branched *to = tn_node_branched(&thread->core->forest, a->node);
        to->conditional += branched.conditional;
        to->indirect += branched.indirect;
    }
    if (a->skip_site)
        settle_skipped(thread, &ran, &branched);
}

void tn_settle(struct tn_thread *thread)
{
    settle(thread, thread->activity);
}

/* ------------------------------------------------------------------------------------------ the running node */

/* Change what runs on the running stack, with pins. */
static inline void run(struct tn_thread *thread, struct tn_node *node, uint32_t skip_site)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_stack *stack = a->level->stack;
    node->pins++;
    if (stack->node)
        stack->node->pins--;
    stack->node = a->node = node;
    stack->skip_site = a->skip_site = skip_site;
}

/* Resume a stack that did not run. */
static void resume(struct tn_thread *thread, struct tn_stack *stack)
{
    struct tn_activity *a = activity_of(thread);
    a->level->stack = stack;
    a->node = stack->node;
    a->skip_site = stack->skip_site;
}

static struct tn_stack *stack_new(struct tn_thread *thread, uint64_t sp)
{
    struct tn_stack *stack = tn_pool_get(&thread->core->stack_pool);
    struct tn_handler_level *level = activity_of(thread)->level;
    stack->capacity = FIRST_FRAMES;
    stack->frames = tn_host_alloc(FIRST_FRAMES * sizeof *stack->frames);
    stack->base = stack->low = sp;
    stack->next = level->stacks;
    level->stacks = stack;
    return stack;
}

static inline void set_before(struct tn_frame *frame, struct tn_node *node, uint32_t site)
{
    if (node)
        node->pins++;
    if (frame->before)
        frame->before->pins--;
    frame->before = node;
    frame->before_site = site;
}

static void stack_free(struct tn_thread *thread, struct tn_stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i++) {
        stack->frames[i].node->pins--;
        set_before(&stack->frames[i], NULL, 0);
    }
    stack->node->pins--;
    tn_host_free(stack->frames, stack->capacity * sizeof *stack->frames);
    tn_pool_put(&thread->core->stack_pool, stack);
}

static struct tn_frame *push(struct tn_stack *stack)
{
    if (stack->count == stack->capacity) {
        size_t bytes = stack->capacity * sizeof *stack->frames;
        struct tn_frame *frames = tn_host_alloc(2 * bytes);
        memcpy(frames, stack->frames, bytes);
        tn_host_free(stack->frames, bytes);
        stack->frames = frames;
        stack->capacity *= 2;
    }
    return &stack->frames[stack->count++];
}

/* ------------------------------------------------------------------------------------------ special functions */

static bool is_active(const struct tn_handler_level *level, uint32_t function)
{
    for (const struct tn_special *special = level->special; special; special = special->outer) {
        if (special->function == function)
            return true;
    }
    return false;
}

/* The running stack enters `function`, and will have left it when it has fewer than `depth` frames. */
static void enter_special(struct tn_thread *thread, uint32_t function, uint32_t flags, uint32_t depth)
{
    struct tn_handler_level *level = activity_of(thread)->level;
    if (is_active(level, function))
        return;
    struct tn_special *special = tn_pool_get(&thread->core->special_pool);
    *special = (struct tn_special){level->special, level->stack, function, flags, depth};
    level->special = special;
    if (flags & TN_FN_ZERO_BEFORE)
        tn_zero(thread->core);
    if (flags & TN_FN_TOGGLE)
        thread->collecting = !thread->collecting;
    if (flags & TN_FN_DUMP_BEFORE)
        thread->core->dump_wanted = true;
}

static void leave_special(struct tn_thread *thread, struct tn_special **link)
{
    struct tn_special *special = *link;
    *link = special->outer;
    if (special->flags & TN_FN_TOGGLE)
        thread->collecting = !thread->collecting;
    if (special->flags & TN_FN_DUMP_AFTER)
        thread->core->dump_wanted = true;
    tn_pool_put(&thread->core->special_pool, special);
}

/* The activations of `stack` that needed `depth` frames or more have ended. */
static void left_frame(struct tn_thread *thread, const struct tn_stack *stack, uint32_t depth)
{
    struct tn_special **link = &activity_of(thread)->level->special;
    while (*link) {
        if ((*link)->stack == stack && (*link)->depth >= depth)
            leave_special(thread, link);
        else
            link = &(*link)->outer;
    }
}

static inline void pop(struct tn_thread *thread, struct tn_stack *stack)
{
    struct tn_frame *frame = &stack->frames[--stack->count];
    run(thread, frame->node, frame->skip_site);
    frame->node->pins--;
    if (frame->before)
        set_before(frame, NULL, 0);
    if (activity_of(thread)->level->special)
        left_frame(thread, stack, stack->count + 1);
}

/* ------------------------------------------------------------------------------------------ which stack */

/* Whether `sp` is where `stack` was seen to be. */
static bool within(const struct tn_stack *stack, uint64_t sp)
{
    return sp <= stack->base + SMALL && sp + OTHER_STACK >= stack->low;
}

/* Another known stack of this level around `sp`: the one whose base is nearest above. */
static struct tn_stack *known_stack(struct tn_handler_level *level, uint64_t sp)
{
    struct tn_stack *best = NULL;
    for (struct tn_stack *stack = level->stacks; stack; stack = stack->next) {
        if (within(stack, sp) && (!best || stack->base < best->base))
            best = stack;
    }
    return best;
}

/* The frames on top of the running stack are at `sp` or above it. */
static uint64_t top_sp(const struct tn_stack *stack)
{
    return stack->count ? stack->frames[stack->count - 1].sp : stack->base;
}

static void leave_level(struct tn_thread *thread)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_handler_level *level = a->level;
    while (level->special)
        leave_special(thread, &level->special);
    a->level = level->interrupted;
    for (struct tn_stack *stack = level->stacks, *next; stack; stack = next) {
        next = stack->next;
        stack_free(thread, stack);
    }
    tn_pool_put(&thread->core->level_pool, level);
    resume(thread, a->level->stack);
}

/* A handler was left by a longjmp if `sp` lies on a stack of something that it interrupted. */
static bool leave_handlers(struct tn_thread *thread, uint64_t sp)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_handler_level *level = a->level;
    while (level && !known_stack(level, sp))
        level = level->interrupted;
    if (!level || level == a->level)
        return false;
    while (a->level != level)
        leave_level(thread);
    return true;
}

/* Go to the stack `sp` lies on; true if it is not the one that ran. A stack seen for the first time begins with
 * the node that switched to it. */
static bool switch_stack(struct tn_thread *thread, uint64_t sp)
{
    struct tn_activity *a = activity_of(thread);
    bool left_handler = leave_handlers(thread, sp);
    struct tn_stack *stack = known_stack(a->level, sp);
    if (stack == a->level->stack)
        return left_handler;
    if (!stack) {
        stack = stack_new(thread, sp);
        stack->node = a->node;
        stack->node->pins++;
        stack->skip_site = a->skip_site;
    }
    resume(thread, stack);
    return true;
}

/* ------------------------------------------------------------------------------------------ unwinding */

/* Pop the frames whose return address lies below `sp`; the last one popped is copied. Returns how many. */
static uint32_t unwind(struct tn_thread *thread, uint64_t sp, struct tn_frame *last)
{
    struct tn_stack *stack = stack_of(thread);
    uint32_t popped = 0;
    while (stack->count && stack->frames[stack->count - 1].sp < sp) {
        *last = stack->frames[stack->count - 1];
        pop(thread, stack);
        popped++;
    }
    return popped;
}

/* ------------------------------------------------------------------------------------------ entering */

/* The running stack goes on in `function`, called by or jumped to from `site`. */
static inline void go(struct tn_thread *thread, uint32_t site, uint32_t function, uint32_t flags)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_stack *stack = a->level->stack;
    if (!thread->core->config.inclusive)
        return;
    if (flags & TN_FN_SKIP) {
        run(thread, a->node, a->skip_site ? a->skip_site : site);
        return;
    }
    if (a->skip_site)
        site = a->skip_site;
    struct tn_node *edge = tn_node_call(&thread->core->forest, a->node, site, function);
    if (thread->collecting)
        edge->calls++;
    if (flags & TN_FN_POP_ON_JUMP && stack->count)
        set_before(&stack->frames[stack->count - 1], a->node, site);
    run(thread, edge->target, 0);
}

/* ------------------------------------------------------------------------------------------ calls */

static void call_from_elsewhere(struct tn_thread *thread, uint64_t sp)
{
    struct tn_stack *stack = stack_of(thread);
    struct tn_frame last;
    if (!within(stack, sp) && (sp > stack->base || top_sp(stack) - sp > FAR))
        switch_stack(thread, sp);
    thread->core->unwinds += unwind(thread, sp + 1, &last);
}

void tn_call(struct tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp, uint64_t return_address)
{
    struct tn_activity *a = activity_of(thread);
    settle(thread, a);
    thread->core->calls++;
    uint64_t distance = top_sp(a->level->stack) - sp;
    if (distance - 1 >= FAR - 1)
        call_from_elsewhere(thread, sp);
    struct tn_stack *stack = a->level->stack;
    uint32_t flags = function_of(thread, function)->flags;
    *push(stack) = (struct tn_frame){.sp = sp, .return_address = return_address, .node = a->node,
                                       .skip_site = a->skip_site};
    a->node->pins++;
    if (flags & FN_SPECIAL)
        enter_special(thread, function, flags, stack->count);
    if (sp < stack->low)
        stack->low = sp;
    go(thread, site, function, flags);
}

/* ------------------------------------------------------------------------------------------ jumps */

static void jump_to(struct tn_thread *thread, uint32_t site, uint32_t function)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_stack *stack = a->level->stack;
    struct tn_frame *top = stack->count ? &stack->frames[stack->count - 1] : NULL;
    uint32_t flags = function_of(thread, function)->flags;
    thread->core->jumps++;
    /* A function that pops on jump was called on behalf of what it jumps to. */
    if (top && top->before && !a->skip_site) {
        site = top->before_site;
        run(thread, top->before, 0);
        set_before(top, NULL, 0);
    }
    if (flags & FN_SPECIAL)
        enter_special(thread, function, flags, stack->count);
    go(thread, site, function, flags);
}

/* Whether code of `function` runs now. */
static bool runs(const struct tn_thread *thread, uint32_t function)
{
    const struct tn_activity *a = thread->activity;
    return a->skip_site ? (function_of(thread, function)->flags & TN_FN_SKIP) != 0
                        : a->node->function == function;
}

void tn_jump(struct tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp)
{
    struct tn_stack *stack = stack_of(thread);
    struct tn_frame last;
    bool moved = false;
    tn_settle(thread);
    if (!within(stack, sp) || (stack->count && top_sp(stack) - sp > FAR && top_sp(stack) > sp))
        moved = switch_stack(thread, sp);
    uint32_t popped = unwind(thread, sp, &last);
    thread->core->unwinds += popped;
    if ((moved || popped) && runs(thread, function))
        return;
    jump_to(thread, site, function);
}

/* ------------------------------------------------------------------------------------------ returns */

static void past_the_bottom(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_node *root = a->node;
    while (root->parent)
        root = root->parent;
    struct tn_node *parent = tn_forest_parent(&thread->core->forest, root, function);
    left_frame(thread, stack_of(thread), 0);
    stack_of(thread)->base = sp;
    run(thread, parent, 0);
}

static void return_elsewhere(struct tn_thread *thread, uint32_t site, uint64_t sp, uint64_t target)
{
    struct tn_core *core = thread->core;
    struct tn_activity *a = activity_of(thread);
    struct tn_stack *stack = a->level->stack;
    struct tn_frame last = {0};
    bool moved = false, bottom = stack->count == 0 && a->node->open && sp > stack->base;
    if (!within(stack, sp) || top_sp(stack) > sp + OTHER_STACK)
        moved = switch_stack(thread, sp);
    uint32_t popped = unwind(thread, sp, &last);
    core->unwinds += popped > 1 ? popped - 1 : 0;
    if (popped && last.return_address == target)
        return;
    uint32_t function = core->config.function_at ? core->config.function_at(core->config.user, target) : 0;
    if (!function || runs(thread, function))
        return;
    if (bottom && !moved && !popped && stack == a->level->stack && sp <= stack->base + FAR)
        past_the_bottom(thread, function, sp);
    else
        jump_to(thread, site, function);
}

void tn_return(struct tn_thread *thread, uint32_t site, uint64_t sp, uint64_t target)
{
    struct tn_stack *stack = stack_of(thread);
    settle(thread, activity_of(thread));
    thread->core->returns++;
    if (stack->count) {
        const struct tn_frame *top = &stack->frames[stack->count - 1];
        if (top->sp + 8 == sp && top->return_address == target) {
            pop(thread, stack);
            return;
        }
    }
    return_elsewhere(thread, site, sp, target);
}

/* ------------------------------------------------------------------------------------------ beginning and end */

static void begin_level(struct tn_thread *thread, struct tn_node *root, uint64_t sp)
{
    struct tn_activity *a = activity_of(thread);
    struct tn_handler_level *level = tn_pool_get(&thread->core->level_pool);
    uint32_t flags = function_of(thread, root->function)->flags;
    level->interrupted = a->level;
    a->level = level;
    level->stack = stack_new(thread, sp);
    if (flags & FN_SPECIAL)
        enter_special(thread, root->function, flags, 0);
    if (thread->collecting)
        root->calls++;
    run(thread, root, 0);
}

/* A root cannot be skipped: there is nobody to pay for it. */
static uint32_t unskipped(struct tn_thread *thread, uint32_t function)
{
    tn_code_get_function(&thread->core->code, function)->flags &= ~(uint32_t)TN_FN_SKIP;
    return function;
}

static void begin(struct tn_thread *thread, uint32_t function, uint64_t sp, bool open)
{
    struct tn_activity *a = activity_of(thread);
    settle(thread, a);
    if (a->begun)
        tn_stack_clear(thread);
    a->begun = true;
    struct tn_node *root = tn_forest_root(&thread->core->forest, unskipped(thread, function), thread->id, false);
    root->open = open;
    begin_level(thread, root, sp);
}

void tn_thread_begin(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    begin(thread, function, sp, false);
}

void tn_thread_resume(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    begin(thread, function, sp, true);
}

static struct tn_node *handler_root(struct tn_thread *thread, uint32_t function)
{
    struct tn_activity *a = activity_of(thread);
    for (struct tn_handler_root *handler = a->handlers; handler; handler = handler->next) {
        if (handler->root->function == function)
            return handler->root;
    }
    struct tn_handler_root *handler = tn_pool_get(&thread->core->handler_pool);
    handler->root = tn_forest_root(&thread->core->forest, function, thread->id, true);
    handler->next = a->handlers;
    a->handlers = handler;
    return handler->root;
}

void tn_signal_enter(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    tn_settle(thread);
    begin_level(thread, handler_root(thread, unskipped(thread, function)), sp);
}

void tn_signal_leave(struct tn_thread *thread)
{
    tn_settle(thread);
    if (activity_of(thread)->level->interrupted)
        leave_level(thread);
}

void tn_stack_clear(struct tn_thread *thread)
{
    struct tn_activity *a = activity_of(thread);
    while (a->level) {
        struct tn_handler_level *level = a->level;
        while (level->special)
            leave_special(thread, &level->special);
        for (struct tn_stack *stack = level->stacks, *next; stack; stack = next) {
            next = stack->next;
            stack_free(thread, stack);
        }
        a->level = level->interrupted;
        tn_pool_put(&thread->core->level_pool, level);
    }
    a->node = NULL;
    a->skip_site = 0;
    a->begun = false;
}
