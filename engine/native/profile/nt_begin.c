/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_begin.c: see nt_begin.h.
 *
 * The counting planner's core is the one that simulates later, with nothing switched on: it adds to the clock what the
 * other one would for instructions, and nothing for accesses, so that tn_instructions is the same. Counters stay as
 * they are, since nothing is collected until the start.
 */
#include "nt_begin.h"

#include "engine/native/base/nt_engine.h"
#include "engine/native/nt_dispatch.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/translate/nt_code.h"
#include "nt_request.h"

enum { NEAR = 512 }; /* instructions from one countdown to the next, at most */

static struct tn_config nothing;
static struct nt_planner counting;

static struct recording_start *start_of(void)
{
    return &nt_profile.options.start;
}

void nt_begin_prepare(void)
{
    nothing = nt_profile.options.config;
    nothing.cache_sim = nothing.branch_sim = nothing.use = nothing.inclusive = nothing.data = false;
    nothing.coherence = false;
    nothing.separate_callers = nothing.separate_recs = 0;
    counting = nt_profile.planner;
    counting.config = &nothing;
    counting.clock_only = true;
}

struct nt_planner *nt_begin_planner(void)
{
    if (nt_profile.instruments)
        return &nt_profile.planner;
    return nt_profile.on && start_counts(start_of()) ? &counting : NULL;
}

/* The lock for requests is held. */
static void enter(struct nt_thread *thread, enum start_phase phase, uint64_t instructions)
{
    if (phase == start_of()->phase)
        return;
    start_of()->phase = phase;
    nt_profile_instrument(thread, true);
    if (phase != START_RUNS)
        return;
    nt_stop_others(thread);
    options_started(&nt_profile.options, nt_profile.core, instructions);
    tn_collect(nt_profile.core, start_of()->collects);
    nt_others_go_on(thread);
}

static uint64_t instructions_of(struct nt_thread *thread)
{
    return tn_instructions((tn_thread *)(thread->area + 1));
}

bool nt_begin_here(struct nt_thread *thread, uint64_t pc)
{
    struct code_function function;
    enum start_phase phase;

    if (!nt_profile.on || !start_watches(start_of()))
        return false;
    code_map_function(nt_profile.map, pc, &function);
    phase = start_at(start_of(), tn_function_flags(nt_profile.core, function.id));
    if (function.start != pc || phase == start_of()->phase)
        return false;
    thread->outside = 1;
    nt_lock_take(&nt_request_lock);
    enter(thread, start_at(start_of(), tn_function_flags(nt_profile.core, function.id)), instructions_of(thread));
    nt_lock_give(&nt_request_lock);
    return true;
}

void nt_begin_due(struct nt_thread *thread, uint64_t instructions)
{
    uint64_t left;

    enter(thread, start_after(start_of(), instructions), instructions);
    left = start_left(start_of(), instructions);
    if (left > 0 && left / NEAR < (uint64_t)nt.countdown && !thread->area->pending)
        thread->area->countdown = (int64_t)(left / NEAR) + 1; /* the next head is the one that it has left by */
}

bool nt_begin_collects(bool on)
{
    if (start_of()->phase == START_RUNS)
        return false;
    start_of()->collects = on;
    return true;
}
