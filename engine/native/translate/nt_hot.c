/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_hot.c: the usual call, return and jump between functions, told by generated code.
 *
 * Called by generated code as everything in nt_calls.h is; they keep every register but not the flags. They are
 * compiled to save no more registers than they use, and that only works while they call nothing: what is not usual is
 * told by functions of nt_calls.c, through thunks that keep every register too.
 */
#include "nt_calls.h"

#pragma GCC optimize("omit-frame-pointer")
#define TN_HOT_SEGMENT __seg_gs
#include "core/attribute/stack_hot.h"
#include "nt_block.h"

/* What is in the area and in the thread behind it, without their addresses. */
#define AREA ((__seg_gs struct nt_area *)(intptr_t)-NT_AREA_BYTES)

#define THREAD ((tn_hot_thread *)0)

static inline uint64_t return_address(void)
{
    return *(const uint64_t *)AREA->held_sp;
}

/* Says where generated code goes on for the address in area->rip, and of which function that is: TN_NONE if no block
 * was found there yet. */
static inline uint32_t find_target(void)
{
    uint64_t pc = AREA->rip;
    const struct nt_target *target = AREA->lookup[pc % NT_LOOKUPS];
    bool found = target->not_pc == ~pc;

    AREA->go = found ? target->head : (const void *)AREA->leave;
    return found ? target->function : TN_NONE;
}

void nt_hot_called(void)
{
    if (!tn_hot_call(THREAD, AREA->site, AREA->function, AREA->held_sp, return_address()))
        nt_slowly_called();
}

void nt_hot_called_skipped(void)
{
    if (!tn_hot_call_skipped(THREAD, AREA->site, AREA->function, AREA->held_sp, return_address()))
        nt_slowly_called();
}

void nt_hot_called_found(void)
{
    uint32_t function = find_target();

    if (function == TN_NONE || AREA->rip == return_address() ||
        !tn_hot_call(THREAD, AREA->site, function, AREA->held_sp, return_address()))
        nt_slowly_called_found();
}

void nt_hot_called_found_last(void)
{
    find_target();
    nt_slowly_called_found_last();
}

void nt_hot_returned(void)
{
    if (!tn_hot_return(THREAD, AREA->held_sp + 8, return_address()))
        nt_slowly_returned();
}

void nt_hot_jumped(void)
{
    if (!tn_hot_jump(THREAD, AREA->site, AREA->function, AREA->held_sp))
        nt_slowly_jumped();
}

void nt_hot_jumped_found(void)
{
    uint32_t function = find_target();

    if (function == AREA->function)
        return;
    if (function == TN_NONE || !tn_hot_jump(THREAD, AREA->site, function, AREA->held_sp))
        nt_slowly_jumped_found();
}
