/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.c: calls, returns, jumps, signals and stacks; see stack.h.
 *
 * Every control transfer first settles: what was counted since the last one belongs to the node that ran. Then
 * frames that the stack pointer has left behind are popped, and the node changes. The usual call, return and jump are
 * in stack_hot.h; this file is for the others: where a node goes for the first time, where something is asked for at a
 * function, and for programs that do not return the way they called.
 */
#include "stack.h"

#include "context.h"
#include "core/core.h"
#include "core/host.h"
#include "objects.h"
#include "stack_hot.h"
#include "thread.h"

#include <string.h>

enum {
    FIRST_FRAMES = 64,
    SMALL = 256, /* a frame may end a little above where its return address was */
    OTHER_STACK = TN_STACK_OTHER,
    FAR = TN_STACK_FAR,
    NOWHERE = 1, /* no return leads there */
};
#define FN_SPECIAL (TN_FN_TOGGLE | TN_FN_DUMP_BEFORE | TN_FN_DUMP_AFTER | TN_FN_ZERO_BEFORE)

/* What the function asks for when it is entered. */
static uint32_t flags_of(const struct tn_thread *thread, uint32_t function)
{
    return tn_code_get_function(&thread->core->code, function)->flags & ~(uint32_t)TN_FN_GO_RUNTIME;
}

void *tn_stack_take(struct tn_thread *thread, struct tn_pool *pool)
{
    tn_lock_take(&thread->core->definitions);
    void *element = tn_pool_get(pool);
    tn_lock_give(&thread->core->definitions);
    return element;
}

void tn_stack_give(struct tn_thread *thread, struct tn_pool *pool, void *element)
{
    tn_lock_take(&thread->core->definitions);
    tn_pool_put(pool, element);
    tn_lock_give(&thread->core->definitions);
}

/* ------------------------------------------------------------------------------------------ settling */

static void settle_to_nobody(struct tn_thread *thread)
{
    thread->running.last_clock = thread->clock;
    thread->running.last_data = thread->data;
    thread->running.last_branches = thread->branches;
}

static void settle_node(struct tn_thread *thread)
{
    if (!thread->collecting) {
        settle_to_nobody(thread);
        return;
    }
    if (thread->branches != thread->running.last_branches)
        tn_node_more(thread->activity->forest, thread->running.node);
    tn_hot_settle(thread, thread->running.skip_site ? thread->running.skip_extra : NULL);
}

void tn_settle(struct tn_thread *thread)
{
    if (thread->running.node)
        settle_node(thread);
    else
        settle_to_nobody(thread);
}

/* ------------------------------------------------------------------------------------------ the running node */

static __attribute__((noinline)) void find_skipper(struct tn_thread *thread)
{
    struct tn_core *core = thread->core;
    struct tn_running *running = &thread->running;
    struct tn_skipper *skipper = &thread->activity->skippers[running->skip_site % TN_SKIPPERS];
    skipper->site = core->contexts ? 0 : running->skip_site;
    skipper->function = TN_NONE;
    skipper->extra = tn_centre_extra(core, tn_centre_in(core, thread->id, running->skip_site, running->node));
    running->skip_extra = skipper->extra;
}

/* Looked up when skipping begins, so that it is in the host's caches when the costs are known. */
static inline void skip_from(struct tn_thread *thread)
{
    const struct tn_skipper *skipper = &thread->activity->skippers[thread->running.skip_site % TN_SKIPPERS];
    if (skipper->site == thread->running.skip_site)
        thread->running.skip_extra = skipper->extra;
    else
        find_skipper(thread);
}

/* Change what runs on the running stack. */
static inline void run_node(struct tn_thread *thread, struct tn_node *node, uint32_t skip_site)
{
    thread->running.node = node;
    thread->running.skip_site = skip_site;
    if (skip_site)
        skip_from(thread);
}

/* Store what runs in the running stack's fields, before another stack runs. */
static void suspend_stack(struct tn_thread *thread)
{
    if (!thread->running.stack)
        return;
    thread->running.stack->node = thread->running.node;
    thread->running.stack->skip_site = thread->running.skip_site;
}

/* Let a stack run that did not. */
static void resume_stack(struct tn_thread *thread, struct tn_stack *stack)
{
    struct tn_activity *a = thread->activity;
    a->level->stack = thread->running.stack = stack;
    run_node(thread, stack->node, stack->skip_site);
}

/* The next thread whose trees grow here, from `*id` on, which is 1 at first; NULL: that was all. A forest with an owner
 * is its alone, and others may be running: their records are not looked at. */
static struct tn_thread *next_thread(const struct tn_core *core, const struct tn_forest *forest, uint32_t *id)
{
    if (forest->owner)
        return (*id)++ == 1 ? forest->owner : NULL;
    while (*id < core->threads.count) {
        struct tn_thread *thread = tn_thread_record_of(core, (*id)++)->thread;
        if (thread && thread->activity->forest == forest)
            return thread;
    }
    return NULL;
}

static void change_thread_pins(struct tn_thread *thread, uint32_t change)
{
    suspend_stack(thread);
    for (const struct tn_handler_level *level = thread->activity->level; level; level = level->interrupted) {
        for (struct tn_stack *stack = level->stacks; stack; stack = stack->next)
            stack->node->pins += change;
    }
}

static void change_pins(const struct tn_core *core, const struct tn_forest *forest, uint32_t change)
{
    uint32_t id = 1;
    for (struct tn_thread *thread; (thread = next_thread(core, forest, &id));)
        change_thread_pins(thread, change);
}

void tn_prune_some(struct tn_core *core, struct tn_forest *forest)
{
    change_pins(core, forest, 1);
    if (forest->owner && core->config.cache_sim)
        core->wait(forest->owner);
    tn_lock_take(&core->consuming);
    tn_forest_prune(forest);
    tn_lock_give(&core->consuming);
    change_pins(core, forest, -1u);
    tn_check(core, forest);
}

/* ------------------------------------------------------------------------------------------ stacks */

static size_t frame_bytes(const struct tn_stack *stack)
{
    return (size_t)((char *)stack->end - (char *)stack->bottom);
}

static struct tn_stack *stack_new(struct tn_thread *thread, uint64_t sp)
{
    struct tn_stack *stack = tn_stack_take(thread, &thread->core->stack_pool);
    struct tn_handler_level *level = thread->activity->level;
    stack->bottom = stack->top = tn_host_alloc(FIRST_FRAMES * sizeof *stack->bottom);
    stack->end = stack->bottom + FIRST_FRAMES;
    *stack->bottom = (struct tn_frame){.sp = sp, .return_address = NOWHERE};
    stack->low = sp;
    stack->next = level->stacks;
    level->stacks = stack;
    return stack;
}

/* The function in the frame on top pops on jump. */
static void resolver_begins(struct tn_thread *thread, struct tn_stack *stack, uint32_t site)
{
    struct tn_resolver *resolver = stack->resolver;
    stack->top->marks |= TN_FRAME_WATCHED;
    if (!resolver || resolver->depth != tn_stack_depth(stack)) {
        resolver = tn_stack_take(thread, &thread->core->resolver_pool);
        resolver->outer = stack->resolver;
        resolver->depth = tn_stack_depth(stack);
        stack->resolver = resolver;
    } else {
        resolver->node->pins--;
    }
    resolver->node = thread->running.node;
    resolver->node->pins++;
    resolver->site = site;
}

/* Functions that pop on jump have ended, in frames beyond `depth`. */
static void resolvers_end(struct tn_thread *thread, struct tn_stack *stack, uint32_t depth)
{
    for (struct tn_resolver *resolver; (resolver = stack->resolver) && resolver->depth > depth;) {
        stack->resolver = resolver->outer;
        resolver->node->pins--;
        tn_stack_give(thread, &thread->core->resolver_pool, resolver);
    }
}

static void stack_free(struct tn_thread *thread, struct tn_stack *stack)
{
    for (struct tn_frame *frame = stack->bottom + 1; frame <= stack->top; frame++) {
        if (frame->marks & TN_FRAME_PINNED)
            frame->node->pins--;
    }
    resolvers_end(thread, stack, 0);
    tn_host_free(stack->bottom, frame_bytes(stack));
    tn_stack_give(thread, &thread->core->stack_pool, stack);
}

static __attribute__((noinline)) void more_frames(struct tn_stack *stack)
{
    size_t bytes = frame_bytes(stack);
    struct tn_frame *frames = tn_host_alloc(2 * bytes);
    memcpy(frames, stack->bottom, bytes);
    tn_host_free(stack->bottom, bytes);
    stack->top = frames + tn_stack_depth(stack);
    stack->bottom = frames;
    stack->end = (struct tn_frame *)((char *)frames + 2 * bytes);
}

/* ------------------------------------------------------------------------------------------ checks */

#ifdef TN_DEBUG
static bool is_above(const struct tn_node *ancestor, const struct tn_node *node)
{
    while (node && node != ancestor)
        node = node->parent;
    return node != NULL;
}

/* Returns the number of frames. */
static uint64_t check_stack(const struct tn_stack *stack)
{
    const struct tn_node *below = stack->node;
    for (const struct tn_frame *frame = stack->top; frame != stack->bottom; frame--) {
        if (!(frame->marks & TN_FRAME_PINNED) && !is_above(frame->node, below))
            tn_host_panic("frame: nothing keeps its node");
        if (frame->marks & TN_FRAME_PINNED && !frame->node->pins)
            tn_host_panic("frame: its pin is lost");
        below = frame->node;
    }
    return tn_stack_depth(stack);
}

static uint64_t check_thread(struct tn_thread *thread)
{
    uint64_t looked_at = 0;
    suspend_stack(thread);
    for (const struct tn_handler_level *level = thread->activity->level; level; level = level->interrupted) {
        for (const struct tn_stack *stack = level->stacks; stack; stack = stack->next)
            looked_at += check_stack(stack);
    }
    return looked_at;
}

void tn_check(struct tn_core *core, struct tn_forest *forest)
{
    if (forest->check_after-- > 0)
        return;
    tn_forest_check(forest);
    uint64_t looked_at = forest->now;
    uint32_t id = 1;
    for (struct tn_thread *thread; (thread = next_thread(core, forest, &id));)
        looked_at += check_thread(thread);
    forest->check_after = looked_at / 16;
}
#endif

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
    struct tn_handler_level *level = thread->activity->level;
    if (is_active(level, function))
        return;
    struct tn_special *special = tn_stack_take(thread, &thread->core->special_pool);
    *special = (struct tn_special){level->special, level->stack, function, flags, depth};
    level->special = special;
    level->stack->bottom[depth].marks |= TN_FRAME_WATCHED;
    if (flags & TN_FN_ZERO_BEFORE)
        thread->core->zero(thread->core);
    if (flags & TN_FN_TOGGLE)
        thread->collecting = !thread->collecting;
    if (flags & TN_FN_DUMP_BEFORE)
        thread->dump_wanted = true;
}

static void leave_special(struct tn_thread *thread, struct tn_special **link)
{
    struct tn_special *special = *link;
    *link = special->outer;
    if (special->flags & TN_FN_TOGGLE)
        thread->collecting = !thread->collecting;
    if (special->flags & TN_FN_DUMP_AFTER)
        thread->dump_wanted = true;
    tn_stack_give(thread, &thread->core->special_pool, special);
}

/* The activations of `stack` that needed `depth` frames or more have ended. */
static void left_frame(struct tn_thread *thread, const struct tn_stack *stack, uint32_t depth)
{
    struct tn_special **link = &thread->activity->level->special;
    while (*link) {
        if ((*link)->stack == stack && (*link)->depth >= depth)
            leave_special(thread, link);
        else
            link = &(*link)->outer;
    }
}

static void pop_frame(struct tn_thread *thread)
{
    struct tn_stack *stack = thread->running.stack;
    const struct tn_frame *frame = stack->top--;
    run_node(thread, frame->node, frame->skip_site);
    if (frame->marks & TN_FRAME_PINNED)
        frame->node->pins--;
    if (stack->resolver)
        resolvers_end(thread, stack, tn_stack_depth(stack));
    if (thread->activity->level->allocating)
        tn_left_allocating(thread, stack, tn_stack_depth(stack) + 1);
    if (thread->activity->level->special)
        left_frame(thread, stack, tn_stack_depth(stack) + 1);
}

/* ------------------------------------------------------------------------------------------ which stack */

/* Whether `sp` is where `stack` was seen to be. */
static bool stack_holds(const struct tn_stack *stack, uint64_t sp)
{
    return sp <= stack->bottom->sp + SMALL && sp + OTHER_STACK >= stack->low;
}

/* Another known stack of this level around `sp`: the one whose base is nearest above. */
static struct tn_stack *known_stack(struct tn_handler_level *level, uint64_t sp)
{
    struct tn_stack *best = NULL;
    for (struct tn_stack *stack = level->stacks; stack; stack = stack->next) {
        if (stack_holds(stack, sp) && (!best || stack->bottom->sp < best->bottom->sp))
            best = stack;
    }
    return best;
}

/* End the innermost level with its stacks. Nothing runs afterwards. */
static void end_level(struct tn_thread *thread)
{
    struct tn_handler_level *level = thread->activity->level;
    tn_drop_allocating(thread, level);
    while (level->special)
        leave_special(thread, &level->special);
    thread->activity->level = level->interrupted;
    for (struct tn_stack *stack = level->stacks, *next; stack; stack = next) {
        next = stack->next;
        stack_free(thread, stack);
    }
    tn_stack_give(thread, &thread->core->level_pool, level);
}

static void leave_level(struct tn_thread *thread)
{
    end_level(thread);
    resume_stack(thread, thread->activity->level->stack);
}

/* A handler was left by a longjmp if `sp` lies on a stack of something that it interrupted. */
static bool leave_handlers(struct tn_thread *thread, uint64_t sp)
{
    struct tn_activity *a = thread->activity;
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
    struct tn_activity *a = thread->activity;
    bool left_handler = leave_handlers(thread, sp);
    struct tn_stack *stack = known_stack(a->level, sp);
    if (stack == thread->running.stack)
        return left_handler;
    suspend_stack(thread);
    if (!stack) {
        stack = stack_new(thread, sp);
        stack->node = thread->running.node;
        stack->skip_site = thread->running.skip_site;
    }
    stack->from = thread->running.stack;
    resume_stack(thread, stack);
    return true;
}

/* Whether the stack from which the running one was switched to goes on at `sp` in `function`, which called one that
 * moves stacks: then it is there, and runs. */
static bool move_stack(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    struct tn_stack *stack = thread->running.stack->from;
    if (!stack || stack->top == stack->bottom || stack->top->node->function != function ||
        !(flags_of(thread, stack->node->function) & TN_FN_MOVES_STACK))
        return false;
    uint64_t by = sp - (stack->top->sp + TN_RETURN_BYTES);
    for (struct tn_frame *frame = stack->bottom; frame <= stack->top; frame++)
        frame->sp += by;
    stack->low += by;
    suspend_stack(thread);
    resume_stack(thread, stack);
    return true;
}

/* ------------------------------------------------------------------------------------------ unwinding */

/* Pop the frames whose return address lies below `sp`; the last one popped is copied. Returns how many. */
static uint32_t unwind_frames(struct tn_thread *thread, uint64_t sp, struct tn_frame *last)
{
    struct tn_stack *stack = thread->running.stack;
    uint32_t popped = 0;
    while (stack->top != stack->bottom && stack->top->sp < sp) {
        *last = *stack->top;
        pop_frame(thread);
        popped++;
    }
    return popped;
}

/* Where unwinding for a call of `function`'s at `sp` ends. The activation that calls has not ended, wherever it has
 * moved its stack pointer (libffi's goes to where its caller laid out arguments, above its own frame): if the frames
 * at `sp` and below were all gone and another function ran then, the outermost activation of `function` among them
 * is the one that calls. */
static const struct tn_frame *frame_that_calls(const struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    const struct tn_frame *frame = thread->running.stack->top, *own = NULL;
    const struct tn_node *node = thread->running.node;
    for (; frame != thread->running.stack->bottom && frame->sp <= sp; frame--) {
        if (node->function == function)
            own = frame;
        node = frame->node;
    }
    return own && node->function != function ? own : frame;
}

static void unwind_to_caller(struct tn_thread *thread, uint32_t site, uint64_t sp)
{
    uint32_t function = tn_code_get_instr(&thread->core->code, site)->function;
    const struct tn_frame *frame = frame_that_calls(thread, function, sp);
    for (; thread->running.stack->top != frame; thread->tally.unwinds++)
        pop_frame(thread);
}

/* ------------------------------------------------------------------------------------------ entering */

/* The edge from the running node, made if there is none. Guesses lead to functions that ask for nothing only. */
static struct tn_node *edge_to(struct tn_thread *thread, uint32_t site, uint32_t function)
{
    struct tn_core *core = thread->core;
    struct tn_node *caller = thread->running.node;
    struct tn_forest *forest = thread->activity->forest;
    struct tn_node *edge = tn_node_find(forest, caller, site, function);
    if (!edge) {
        tn_prune(core, forest);
        edge = tn_node_make(forest, caller, site, function);
        edge->plain = !flags_of(thread, function);
    }
    if (!edge->plain)
        return edge;
    if (caller->recent)
        caller->recent->then = edge;
    caller->recent = edge;
    return edge;
}

/* The running stack goes over an edge. */
static void follow_edge(struct tn_thread *thread, struct tn_node *edge)
{
    if (edge->alias)
        tn_pin_top(thread->running.stack);
    run_node(thread, tn_node_target(edge), 0);
    if (thread->collecting)
        tn_node_called(thread->activity->forest, edge);
}

/* The running stack goes on in `function`, called by or jumped to from `site`. */
static void enter_function(struct tn_thread *thread, uint32_t site, uint32_t function)
{
    uint32_t flags = flags_of(thread, function);
    if (flags & FN_SPECIAL)
        enter_special(thread, function, flags, tn_stack_depth(thread->running.stack));
    if (!thread->core->config.inclusive)
        return;
    if (thread->running.skip_site)
        site = thread->running.skip_site;
    if (flags & TN_FN_SKIP) {
        run_node(thread, thread->running.node, site);
        if (flags == TN_FN_SKIP)
            thread->activity->skippers[site % TN_SKIPPERS].function = function;
        if (flags & TN_FN_ALLOCATES)
            tn_enter_allocating(thread, function);
        return;
    }
    struct tn_node *edge = flags ? NULL : tn_hot_edge(thread->running.node, site, function);
    if (!edge)
        edge = edge_to(thread, site, function);
    if (flags & TN_FN_POP_ON_JUMP && thread->running.stack->top != thread->running.stack->bottom)
        resolver_begins(thread, thread->running.stack, site);
    follow_edge(thread, edge);
    if (flags & TN_FN_ALLOCATES)
        tn_enter_allocating(thread, function);
}

/* ------------------------------------------------------------------------------------------ calls */

static void call_from_elsewhere(struct tn_thread *thread, uint32_t site, uint64_t sp)
{
    const struct tn_stack *stack = thread->running.stack;
    if (!stack_holds(stack, sp) && (sp > stack->bottom->sp || stack->top->sp - sp > FAR))
        switch_stack(thread, sp);
    unwind_to_caller(thread, site, sp);
}

static __attribute__((noinline)) void call_slowly(struct tn_thread *thread, uint32_t site, uint32_t function,
                                                  uint64_t sp, uint64_t return_address)
{
    thread->tally.calls++;
    settle_node(thread);
    if (thread->running.stack->top->sp - sp - 1 >= FAR - 1)
        call_from_elsewhere(thread, site, sp);
    if (thread->running.stack->top + 1 == thread->running.stack->end)
        more_frames(thread->running.stack);
    tn_push(thread, sp, return_address, thread->running.skip_site);
    enter_function(thread, site, function);
}

void tn_call(struct tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp, uint64_t return_address)
{
    if (!tn_hot_call(thread, site, function, sp, return_address) &&
        !tn_hot_call_skipped(thread, site, function, sp, return_address))
        call_slowly(thread, site, function, sp, return_address);
    tn_check(thread->core, thread->activity->forest);
}

/* ------------------------------------------------------------------------------------------ jumps */

static void jump_to(struct tn_thread *thread, uint32_t site, uint32_t function)
{
    const struct tn_resolver *resolver = thread->running.stack->resolver;
    thread->tally.jumps++;
    /* A function that pops on jump was called on behalf of what it jumps to. */
    if (resolver && resolver->depth == tn_stack_depth(thread->running.stack) && !thread->running.skip_site) {
        site = resolver->site;
        run_node(thread, resolver->node, 0);
        resolvers_end(thread, thread->running.stack, tn_stack_depth(thread->running.stack) - 1);
    }
    enter_function(thread, site, function);
}

/* Whether code of `function` runs now. */
static bool function_runs(const struct tn_thread *thread, uint32_t function)
{
    if (thread->running.skip_site)
        return (flags_of(thread, function) & TN_FN_SKIP) != 0;
    return thread->running.node->function == function;
}

static void jump_from_elsewhere(struct tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp)
{
    const struct tn_stack *stack = thread->running.stack;
    struct tn_frame last;
    bool moved = false;
    if (!stack_holds(stack, sp) ||
        (stack->top != stack->bottom && stack->top->sp - sp > FAR && stack->top->sp > sp))
        moved = move_stack(thread, function, sp) || switch_stack(thread, sp);
    uint32_t popped = unwind_frames(thread, sp, &last);
    thread->tally.unwinds += popped;
    if ((moved || popped) && function_runs(thread, function))
        return;
    jump_to(thread, site, function);
}

static __attribute__((noinline)) void jump_slowly(struct tn_thread *thread, uint32_t site, uint32_t function,
                                                  uint64_t sp)
{
    settle_node(thread);
    if (tn_hot_is_near(thread->running.stack, sp))
        jump_to(thread, site, function);
    else
        jump_from_elsewhere(thread, site, function, sp);
}

void tn_jump(struct tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp)
{
    if (!tn_hot_jump(thread, site, function, sp))
        jump_slowly(thread, site, function, sp);
    tn_check(thread->core, thread->activity->forest);
}

/* ------------------------------------------------------------------------------------------ returns */

static void past_the_bottom(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    struct tn_node *root = thread->running.node;
    while (root->parent)
        root = root->parent;
    struct tn_node *parent = tn_forest_parent(thread->activity->forest, root, function);
    left_frame(thread, thread->running.stack, 0);
    tn_left_allocating(thread, thread->running.stack, 0);
    thread->running.stack->bottom->sp = sp;
    run_node(thread, parent, 0);
}

static void return_elsewhere(struct tn_thread *thread, uint32_t site, uint64_t sp, uint64_t target)
{
    struct tn_core *core = thread->core;
    struct tn_stack *stack = thread->running.stack;
    struct tn_frame last = {0};
    bool moved = false, bottom = stack->top == stack->bottom && thread->running.node->open && sp > stack->bottom->sp;
    if (!stack_holds(stack, sp) || stack->top->sp > sp + OTHER_STACK)
        moved = switch_stack(thread, sp);
    uint32_t popped = unwind_frames(thread, sp, &last);
    thread->tally.unwinds += popped > 1 ? popped - 1 : 0;
    if (popped && last.return_address == target)
        return;
    uint32_t function = core->config.function_at ? core->config.function_at(core->config.user, target) : 0;
    if (!function || function_runs(thread, function))
        return;
    if (bottom && !moved && !popped && stack == thread->running.stack && sp <= stack->bottom->sp + FAR)
        past_the_bottom(thread, function, sp);
    else
        jump_to(thread, site, function);
}

static __attribute__((noinline)) void return_slowly(struct tn_thread *thread, uint32_t site, uint64_t sp,
                                                    uint64_t target)
{
    const struct tn_frame *top = thread->running.stack->top;
    thread->tally.returns++;
    settle_node(thread);
    if (top->sp + TN_RETURN_BYTES == sp && top->return_address == target) {
        thread->activity->returning = true;
        pop_frame(thread);
        thread->activity->returning = false;
    } else {
        return_elsewhere(thread, site, sp, target);
    }
}

void tn_return(struct tn_thread *thread, uint32_t site, uint64_t sp, uint64_t target)
{
    if (!tn_hot_return(thread, sp, target))
        return_slowly(thread, site, sp, target);
    tn_check(thread->core, thread->activity->forest);
}

/* ------------------------------------------------------------------------------------------ beginning and end */

static void begin_level(struct tn_thread *thread, struct tn_node *root, uint64_t sp)
{
    struct tn_activity *a = thread->activity;
    struct tn_handler_level *level = tn_stack_take(thread, &thread->core->level_pool);
    uint32_t flags = flags_of(thread, root->function);
    suspend_stack(thread);
    level->interrupted = a->level;
    a->level = level;
    level->stack = thread->running.stack = stack_new(thread, sp);
    run_node(thread, root, 0);
    if (flags & FN_SPECIAL)
        enter_special(thread, root->function, flags, 0);
    if (thread->collecting)
        tn_node_called(thread->activity->forest, root);
    if (flags & TN_FN_ALLOCATES)
        tn_enter_allocating(thread, root->function);
}

/* From now on no thread whose trees grow here treats the function as skipped. */
static void forget_skipped(const struct tn_core *core, const struct tn_forest *forest, uint32_t function)
{
    uint32_t id = 1;
    for (const struct tn_thread *thread; (thread = next_thread(core, forest, &id));) {
        for (uint32_t i = 0; i < TN_SKIPPERS; i++) {
            if (thread->activity->skippers[i].function == function)
                thread->activity->skippers[i].function = TN_NONE;
        }
    }
}

/* A root cannot be skipped, since no call site could pay for it. */
static uint32_t unskip_root(struct tn_thread *thread, uint32_t function)
{
    uint32_t *flags = &tn_code_get_function(&thread->core->code, function)->flags;
    if (*flags & TN_FN_SKIP) {
        forget_skipped(thread->core, thread->activity->forest, function);
        __atomic_and_fetch(flags, ~(uint32_t)TN_FN_SKIP, __ATOMIC_RELAXED);
    }
    return function;
}

/* A new root; of threads that are added up one for each function, unless it may get a parent. */
static struct tn_node *root_of(struct tn_thread *thread, uint32_t function, bool handler, bool open)
{
    struct tn_forest *forest = thread->activity->forest;
    uint32_t row = tn_thread_record_of(thread->core, thread->id)->row;
    bool is_shared = row == thread->core->rest && !open;
    struct tn_node *root = is_shared ? tn_forest_shared_root(forest, function, row, handler)
                                     : tn_forest_root(forest, function, row, handler);
    root->open = open;
    return root;
}

static void begin_stacks(struct tn_thread *thread, uint32_t function, uint64_t sp, bool open)
{
    struct tn_activity *a = thread->activity;
    tn_settle(thread);
    if (a->begun)
        tn_stack_clear(thread);
    a->begun = true;
    struct tn_node *root = root_of(thread, unskip_root(thread, function), false, open);
    begin_level(thread, root, sp);
    if (thread->core->data)
        tn_data_stack_begins(thread, sp);
}

void tn_thread_begin(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    begin_stacks(thread, function, sp, false);
}

void tn_thread_resume(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    begin_stacks(thread, function, sp, true);
}

static struct tn_node *handler_root(struct tn_thread *thread, uint32_t function)
{
    struct tn_activity *a = thread->activity;
    for (struct tn_handler_root *handler = a->handlers; handler; handler = handler->next) {
        if (handler->root->function == function)
            return handler->root;
    }
    struct tn_handler_root *handler = tn_stack_take(thread, &thread->core->handler_pool);
    handler->root = root_of(thread, function, true, false);
    handler->next = a->handlers;
    a->handlers = handler;
    return handler->root;
}

void tn_signal_enter(struct tn_thread *thread, uint32_t function, uint64_t sp)
{
    tn_settle(thread);
    begin_level(thread, handler_root(thread, unskip_root(thread, function)), sp);
}

void tn_signal_leave(struct tn_thread *thread)
{
    tn_settle(thread);
    if (thread->activity->level->interrupted)
        leave_level(thread);
}

void tn_stack_clear(struct tn_thread *thread)
{
    while (thread->activity->level)
        end_level(thread);
    thread->running.node = NULL;
    thread->running.stack = NULL;
    thread->running.skip_site = 0;
    thread->activity->begun = false;
}

/* ------------------------------------------------------------------------------------------ who is in what */

/* A skipped function has no node of its own: its frame says who called it. */
static void see_callers(const tn_core *core, const struct tn_stack *stack, const struct tn_node *node,
                        uint32_t skip_site, void (*see)(void *user, const char *function), void *user)
{
    const struct tn_frame *frame = stack->top;
    for (;; frame--) {
        if (node && node->function != TN_NONE && skip_site == TN_NONE)
            see(user, tn_code_get_function(&core->code, node->function)->name);
        if (frame == stack->bottom)
            return;
        node = frame->node;
        skip_site = frame->skip_site;
    }
}

void tn_callers(const struct tn_thread *thread, void (*see)(void *user, const char *function), void *user)
{
    const struct tn_activity *a = thread->activity;
    if (!a || !a->begun || !thread->running.stack)
        return;
    see_callers(thread->core, thread->running.stack, thread->running.node, thread->running.skip_site, see, user);
    for (const struct tn_handler_level *level = a->level->interrupted; level; level = level->interrupted)
        see_callers(thread->core, level->stack, level->stack->node, level->stack->skip_site, see, user);
}
