/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_calls.c: what generated code tells the core in C, through nt_thunk.S: control flow, and instructions that are
 * counted one by one. Arguments are in the area, the stack pointer in area->held_sp. What control flow usually is,
 * nt_hot.c tells; here is what is left.
 */
#include "nt_calls.h"

#include "engine/native/plan/nt_plan.h"
#include "engine/native/plan/nt_single.h"
#include "nt_code.h"

static tn_thread *thread_of(struct nt_area *area)
{
    return (tn_thread *)(area + 1);
}

static uint32_t function_at(const struct nt_area *area, uint64_t address)
{
    return code_map_function_id(area->planner->map, address);
}

static uint32_t callee_at(const struct nt_area *area, uint64_t address)
{
    return code_map_callee_id(area->planner->map, address);
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

/* The return address has just been pushed. */
static uint64_t pushed(const struct nt_area *area)
{
    return *(const uint64_t *)area->held_sp;
}

static void calls_call(struct nt_area *area, uint32_t function, uint64_t return_address)
{
    tn_call(thread_of(area), area->site, function, area->held_sp, return_address);
    function_dump(area);
}

/* area->site calls area->function. */
void nt_called(struct nt_area *area)
{
    calls_call(area, area->function, pushed(area));
}

/* The call is the last instruction of its function: nothing of this function is behind it to return to. */
void nt_called_last(struct nt_area *area)
{
    calls_call(area, area->function, 0);
}

/* A call to what follows it only asks where it is. */
static bool calls_what_is_found(const struct nt_area *area)
{
    return area->rip != pushed(area) && is_address(area->rip);
}

/* area->site calls what is at area->rip. */
void nt_called_found(struct nt_area *area)
{
    if (calls_what_is_found(area))
        calls_call(area, callee_at(area, area->rip), pushed(area));
}

void nt_called_found_last(struct nt_area *area)
{
    if (calls_what_is_found(area))
        calls_call(area, callee_at(area, area->rip), 0);
}

static void return_popping(struct nt_area *area, uint32_t bytes)
{
    uint64_t target = *(const uint64_t *)area->held_sp;

    if (!is_address(target))
        return;
    tn_return(thread_of(area), area->site, area->held_sp + bytes, target);
    function_dump(area);
}

/* area->site returns to the address on top of the stack. */
void nt_returned(struct nt_area *area)
{
    return_popping(area, 8);
}

/* The same; area->function is how many bytes the return pops. */
void nt_returned_more(struct nt_area *area)
{
    return_popping(area, area->function);
}

/* area->site jumps to area->function. */
void nt_jumped(struct nt_area *area)
{
    tn_jump(thread_of(area), area->site, area->function, area->held_sp);
    function_dump(area);
}

/* area->site, in area->function, jumps to area->rip, which may be in another piece of the same function. */
void nt_jumped_found(struct nt_area *area)
{
    if (!is_address(area->rip))
        return;
    uint32_t function = function_at(area, area->rip);
    if (function == area->function)
        return;
    tn_jump(thread_of(area), area->site, function, area->held_sp);
    function_dump(area);
}

/* area->function begins; its arguments are in their homes. */
void nt_allocates(struct nt_area *area)
{
    const uint64_t arguments[TN_ARGUMENTS] = {area->gpr[NT_RDI], area->gpr[NT_RSI], area->gpr[NT_RDX],
                                              area->gpr[NT_RCX], area->gpr[NT_RAX]};

    tn_allocates(thread_of(area), area->function, arguments);
}

/* args: site; it was predicted wrong. */
void nt_branched(struct nt_area *area)
{
    tn_branch_wrong(thread_of(area), area->site);
}

/* args: site. */
void nt_branched_to(struct nt_area *area)
{
    if (is_address(area->rip))
        tn_branch_indirect(thread_of(area), area->site, area->rip);
}

/* args: the instruction. */
void nt_counted_single(struct nt_area *area)
{
    nt_single_run(area->planner, area, (const struct nt_single *)area->args[0]);
}

/* args: where the address of an x87 instruction was stored, in how many bytes, and the code. */
void nt_fpu_stored(struct nt_area *area)
{
    nt_fpu_show((const struct nt_code *)area->args[2], (void *)area->args[0], area->args[1]);
}
