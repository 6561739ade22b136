/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_calls.c: what generated code tells the core in C, through nt_thunk.S: control flow, and instructions that are
 * counted one by one. Arguments are in area->args, the stack pointer in area->held_sp.
 */
#include "nt_calls.h"

#include "nt_plan.h"
#include "nt_single.h"

static tn_thread *thread_of(struct nt_area *area)
{
    return (tn_thread *)(area + 1);
}

static uint32_t low(uint64_t pair)
{
    return (uint32_t)pair;
}

static uint32_t high(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

static uint32_t function_at(const struct nt_area *area, uint64_t address)
{
    return code_map_function_id(area->planner->map, address);
}

/* Behind a transfer, where functions may ask for dumps. */
static void function_dump(struct nt_area *area)
{
    const struct nt_planner *planner = area->planner;

    if (planner->dump != NULL && tn_dump_wanted(planner->core, thread_of(area)))
        planner->dump();
}

/* A branch to what is no address faults itself. */
static bool is_address(uint64_t value)
{
    return (int64_t)(value << 16) >> 16 == (int64_t)value;
}

/* args: site and function; the return address, 0 at the end of the caller. */
void nt_called(struct nt_area *area)
{
    tn_call(thread_of(area), low(area->args[0]), high(area->args[0]), area->held_sp, area->args[1]);
    function_dump(area);
}

/* args: site; the return address; whether that is told. The target is in area->rip. */
void nt_called_found(struct nt_area *area)
{
    uint64_t back = area->args[1];

    if (area->rip == back || !is_address(area->rip))
        return;
    tn_call(thread_of(area), low(area->args[0]), function_at(area, area->rip), area->held_sp,
            high(area->args[0]) ? 0 : back);
    function_dump(area);
}

/* args: site; the target; the stack pointer there. */
void nt_returned(struct nt_area *area)
{
    uint64_t target = area->args[1];

    if (!is_address(target))
        return;
    tn_return(thread_of(area), low(area->args[0]), area->args[2], target);
    function_dump(area);
}

/* args: site and function. */
void nt_jumped(struct nt_area *area)
{
    tn_jump(thread_of(area), low(area->args[0]), high(area->args[0]), area->held_sp);
    function_dump(area);
}

/* args: site and its function. The target, outside the range that the jump is in, may be in another piece of it. */
void nt_jumped_found(struct nt_area *area)
{
    uint32_t function;

    if (!is_address(area->rip))
        return;
    function = function_at(area, area->rip);
    if (function == high(area->args[0]))
        return;
    tn_jump(thread_of(area), low(area->args[0]), function, area->held_sp);
    function_dump(area);
}

/* args: site; whether it is taken, in the lowest byte. */
void nt_branched(struct nt_area *area)
{
    tn_branch_cond(thread_of(area), low(area->args[0]), (uint8_t)area->args[1] != 0);
}

/* args: site. */
void nt_branched_to(struct nt_area *area)
{
    if (is_address(area->rip))
        tn_branch_indirect(thread_of(area), low(area->args[0]), area->rip);
}

/* args: the instruction. */
void nt_counted_single(struct nt_area *area)
{
    nt_single_run(area->planner, area, (const struct nt_single *)area->args[0]);
}
