/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocating.c: allocation functions that are entered, and return with a block (docs/attribution.md, section 11).
 *
 * What an entry and an end are is the stacks' business (stack.c). In between the engine tells the arguments; at the
 * end, if it is a return to where the function was called from, it is asked what is returned.
 */
#include "core/core.h"
#include "objects.h"
#include "stack.h"

bool tn_function_allocates(const tn_core *core, uint32_t function, uint64_t address)
{
    const struct tn_function *of = tn_code_get_function(&core->code, function);
    return (of->allocation.bytes || of->allocation.old) && of->start == address;
}

/* The object of what is allocated by the function that has just been entered. */
static uint32_t allocated_object(struct tn_thread *thread, uint32_t function)
{
    struct tn_node *node = thread->running.node;
    struct tn_forest *forest = thread->activity->forest;
    if (thread->running.skip_site)
        return tn_data_allocated(thread->core, node, thread->running.skip_site, function);
    struct tn_node_more *more = tn_node_more(forest, node);
    uint32_t raised = tn_sums_raised(forest->sums);
    if (!more->allocates || more->raised != raised)
        more->allocates = tn_data_allocated(thread->core, node, TN_NONE, TN_NONE);
    more->raised = raised;
    return more->allocates;
}

/* The innermost allocation that is open on a stack, and has told what is asked for if `told`; NULL: there is none. */
static struct tn_allocating *allocating_on(const struct tn_handler_level *level, const struct tn_stack *stack,
                                           bool told)
{
    struct tn_allocating *now = level->allocating;
    while (now && (now->stack != stack || (told && !now->told)))
        now = now->outer;
    return now;
}

/* An allocation function that another one calls allocates on its behalf. One that was not entered at its beginning, as
 * when its stack has moved and it is returned to, has told nothing: it may never be seen to end. */
void tn_enter_allocating(struct tn_thread *thread, uint32_t function)
{
    struct tn_handler_level *level = thread->activity->level;
    const struct tn_allocating *outer = allocating_on(level, level->stack, true);
    struct tn_allocating *now = tn_stack_take(thread, &thread->core->allocating_pool);
    *now = (struct tn_allocating){.outer = level->allocating,
                                  .stack = level->stack,
                                  .function = function,
                                  .depth = tn_stack_depth(level->stack),
                                  .object = outer ? outer->object : allocated_object(thread, function)};
    level->allocating = now;
    level->stack->top->marks |= TN_FRAME_WATCHED;
}

void tn_allocates(struct tn_thread *thread, uint32_t function, const uint64_t *arguments)
{
    const struct tn_allocation *does = &tn_code_get_function(&thread->core->code, function)->allocation;
    struct tn_handler_level *level = thread->activity->level;
    struct tn_allocating *now = level ? allocating_on(level, level->stack, false) : NULL;
    if (!does->bytes && does->old)
        tn_block_ends(thread->core, arguments[does->old - 1], false, thread->collecting);
    if (!does->bytes || !now || now->told || now->function != function || now->depth != tn_stack_depth(now->stack))
        return;
    now->told = true;
    now->wants.bytes = arguments[does->bytes - 1] * (does->count ? arguments[does->count - 1] : 1);
    now->wants.each = does->count ? arguments[does->bytes - 1] : 0;
    now->wants.old = does->old ? arguments[does->old - 1] : 0;
    now->wants.at = does->at ? arguments[does->at - 1] : 0;
}

/* The allocation function returns this block; 0: none. */
static void returns_block(struct tn_thread *thread, struct tn_allocating *now, uint64_t block)
{
    struct tn_core *core = thread->core;
    if (block && block == now->begun)
        return;
    if (now->wants.old && (block || !now->wants.bytes))
        tn_block_ends(core, now->wants.old, false, thread->collecting);
    struct tn_block begins = {block, now->wants.bytes, now->wants.each};
    if (block)
        tn_block_begins(core, now->object, &begins, thread->collecting);
}

static void leave_allocating(struct tn_thread *thread, struct tn_allocating **link)
{
    struct tn_allocating *now = *link, *outer;
    *link = now->outer;
    if (now->told && thread->activity->returning) {
        uint64_t block = thread->core->config.result(thread->core->config.user, thread, now->wants.at);
        returns_block(thread, now, block);
        outer = allocating_on(thread->activity->level, now->stack, true);
        if (block && outer)
            outer->begun = block;
    }
    tn_stack_give(thread, &thread->core->allocating_pool, now);
}

void tn_left_allocating(struct tn_thread *thread, const struct tn_stack *stack, uint32_t depth)
{
    struct tn_allocating **link = &thread->activity->level->allocating;
    while (*link) {
        if ((*link)->stack == stack && (*link)->depth >= depth)
            leave_allocating(thread, link);
        else
            link = &(*link)->outer;
    }
}

void tn_drop_allocating(struct tn_thread *thread, struct tn_handler_level *level)
{
    while (level->allocating)
        leave_allocating(thread, &level->allocating);
}
