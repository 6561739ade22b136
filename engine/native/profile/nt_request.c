/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_request.c: see nt_request.h.
 *
 * One request of Valgrind's own is answered besides: a program that says that it has changed its code is believed. The
 * answer to all others is the default that the program has put into rdx, as on the bare CPU: a program that asks
 * whether it runs on Valgrind would do something else if it did.
 *
 * Nothing is emitted for a function at which the recording is to begin: its first instruction is where no code has been
 * made before, so the dispatcher asks before it makes some. While a number of instructions is waited for, code is made
 * by a planner that only counts them (nt_profile_planner), and the countdown gets shorter the nearer that number is.
 */
#include "nt_request.h"

#include "engine/common/requests.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/threads/nt_outside.h"
#include "nt_profile.h"

struct nt_lock nt_request_lock;

enum { DISCARD_TRANSLATIONS = 0x1002, NAME = 256 };
enum { NEAR = 512 }; /* instructions from one countdown to the next, at most */

static struct recording_start *start_of(void)
{
    return &nt.options.start;
}

/* ------------------------------------------------------------------------------------------------ the start */

/* The lock for requests is held. */
static void enter_phase(struct nt_thread *thread, enum start_phase phase, uint64_t instructions)
{
    if (phase == start_of()->phase)
        return;
    start_of()->phase = phase;
    nt_profile_instrument(thread, true);
    if (phase != START_RUNS)
        return;
    nt_stop_others(thread);
    options_started(&nt.options, nt_profile.core, instructions);
    tn_collect(nt_profile.core, start_of()->collects);
    nt_others_go_on(thread);
}

static uint64_t instructions_of(struct nt_thread *thread)
{
    return tn_instructions((tn_thread *)(thread->area + 1));
}

bool nt_request_begins_at(struct nt_thread *thread, uint64_t pc)
{
    struct code_function function;

    if (!nt_profile.on || !start_watches(start_of()))
        return false;
    code_map_function(nt_profile.map, pc, &function);
    enum start_phase phase = start_at(start_of(), tn_function_flags(nt_profile.core, function.id));
    if (function.start != pc || phase == start_of()->phase)
        return false;
    thread->outside = 1;
    nt_lock_take(&nt_request_lock);
    enter_phase(thread, start_at(start_of(), tn_function_flags(nt_profile.core, function.id)), instructions_of(thread));
    nt_lock_give(&nt_request_lock);
    return true;
}

/* ------------------------------------------------------------------------------------------------ requests */

/* The name of a part, or of a region, from the program's memory. */
static const char *name_at(uint64_t address)
{
    static char name[NAME];
    size_t there = NAME - 1 - nt_copy(name, (const void *)address, NAME - 1);

    name[there] = '\0';
    return there < NAME - 1 && strlen(name) == there ? "request" : name; /* its end is not there */
}

static void request_collect(struct nt_thread *thread, bool on)
{
    if (start_of()->phase == START_RUNS)
        nt_profile_collect(thread, on);
    else
        start_of()->collects = on; /* it is to be so from there on */
}

static void perform_request(struct nt_thread *thread, enum request request, uint64_t argument, const char *part)
{
    switch (request) {
    case REQUEST_DUMP:
        nt_profile_part(part);
        break;
    case REQUEST_ZERO:
        nt_profile_zero();
        break;
    case REQUEST_TOGGLE_COLLECT:
        request_collect(thread, !nt_profile_collects());
        break;
    case REQUEST_COLLECT:
        request_collect(thread, argument != 0);
        break;
    case REQUEST_START:
    case REQUEST_STOP:
        nt_profile_instrument(thread, request == REQUEST_START);
        break;
    default:
        break;
    }
}

void nt_request_due(struct nt_thread *thread)
{
    uint64_t instructions = instructions_of(thread);

    if (!options_wait(&nt.options) && !tn_interval_due(nt_profile.core, instructions))
        return;
    thread->outside = 1;
    nt_lock_take(&nt_request_lock);
    enter_phase(thread, start_after(start_of(), instructions), instructions);
    uint64_t left = start_left(start_of(), instructions);
    if (left > 0 && left / NEAR < (uint64_t)nt.countdown && !thread->area->pending)
        thread->area->countdown = (int64_t)(left / NEAR) + 1; /* the next head is the one that it has left by */
    enum request due = options_due(&nt.options, instructions);
    if (due == REQUEST_STOP)
        perform_request(thread, REQUEST_COLLECT, 0, NULL);
    if (due != REQUEST_UNKNOWN)
        perform_request(thread, due, 0, "every");
    if (tn_interval_due(nt_profile.core, instructions)) { /* who held the lock before may have ended it */
        nt_stop_others(thread);
        tn_interval(nt_profile.core);
        nt_others_go_on(thread);
    }
    nt_lock_give(&nt_request_lock);
}

static void name_region(struct nt_thread *thread, enum request request, const uint64_t *words)
{
    tn_thread *core = (tn_thread *)(thread->area + 1);

    if (!thread->is_profiled)
        return;
    if (request == REQUEST_NAME_REGION)
        tn_region_named(core, words[1], words[2], name_at(words[3]));
    else
        tn_region_forgotten(core, words[1]);
}

void nt_request(struct nt_thread *thread)
{
    uint64_t words[6], *answer = &thread->area->gpr[NT_RDX];

    if (!nt_profile.on || nt_copy(words, (const void *)thread->area->gpr[NT_RAX], sizeof words) != 0)
        return;
    enum request request = request_of(words[0], &words[1]);
    if (request != REQUEST_UNKNOWN) {
        *answer = request == REQUEST_RUNNING;
        thread->outside = 1; /* the next one waits here */
        nt_lock_take(&nt_request_lock);
        if (request == REQUEST_NAME_REGION || request == REQUEST_FORGET_REGION)
            name_region(thread, request, words);
        else
            perform_request(thread, request, words[1], request == REQUEST_DUMP ? name_at(words[1]) : NULL);
        nt_lock_give(&nt_request_lock);
    } else if (words[0] == DISCARD_TRANSLATIONS) {
        *answer = 0;
        nt_code_changed(words[1], words[2]);
    }
}

/* ------------------------------------------------------------------------------------------------ tenure control */

static bool instrumenting(void)
{
    return nt_profile.instruments;
}

static void perform_for_control(enum request request, uint64_t argument, const char *part)
{
    perform_request(nt_area_self()->thread, request, argument, part);
}

static void each_thread(void (*see)(void *user, tn_thread *thread), void *user)
{
    struct nt_thread *self = nt_area_self()->thread;

    nt_stop_others(self);
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (thread->running && thread->is_profiled)
            see(user, (tn_thread *)(thread->area + 1));
    }
    nt_others_go_on(self);
}

void nt_request_answer(struct nt_thread *thread)
{
    static const struct control_engine engine = {instrumenting, perform_for_control, each_thread};

    thread->outside = 1; /* the next one waits here */
    nt_lock_take(&nt_request_lock);
    if (control_asked(nt_control_page))
        control_answer(nt_control_page, nt_profile.core, &engine);
    nt_lock_give(&nt_request_lock);
}
