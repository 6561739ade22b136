/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.c: what is asked while the program runs is done: what it asks for itself (engine/common/requests.h), what
 * `tenure control` asks for, and what options ask for after so many instructions.
 *
 * Valgrind forgets translations only behind a system call, or at a request of the program. So what needs new ones
 * (instrumentation on or off, collection when it is switched for the first time) waits for one. All else that was not
 * asked by the program itself is done between two turns of threads.
 *
 * Segment counters add a constant until collection is toggled for the first time; then all translations are
 * discarded, and new ones add the thread's `collecting` word. Switching instrumentation discards them as well.
 */
#include "vg_run.h"

#include "pub_tool_libcproc.h"

#include "engine/common/requests.h"
#include "engine/valgrind/base/vg_output.h"
#include "engine/valgrind/translate/vg_emit.h"

static void collect(Bool on)
{
    if (vg_begin_collects(on))
        return;
    if (!vg.by_collecting) {
        vg.by_collecting = True;
        vg_discard_all();
    }
    tn_collect(vg.core, on);
}

/* The name of a part, from the program's memory. */
static const HChar *part_name(UWord address)
{
    return address != 0 ? (const HChar *)address : "request";
}

static void perform_request(enum request request, uint64_t argument, const HChar *part)
{
    if (request == REQUEST_DUMP)
        vg_output_part(part);
    else if (request == REQUEST_ZERO) {
        tn_zero(vg.core);
        tn_label(vg.core, "costs set to zero");
    } else if (request == REQUEST_TOGGLE_COLLECT)
        collect(!tn_collecting(vg.core));
    else if (request == REQUEST_COLLECT)
        collect(argument != 0);
    else if (request != REQUEST_RUNNING)
        vg_instrument_switch(request == REQUEST_START);
}

static Bool request_hook(ThreadId tid, UWord *words, UWord *answer)
{
    uint64_t argument = words[1];
    enum request request = request_of(words[0], &argument);

    (void)tid;
    if (request == REQUEST_UNKNOWN)
        return False;
    *answer = request == REQUEST_RUNNING;
    if (request == REQUEST_NAME_REGION && vg.current != NULL)
        tn_region_named(vg.current, words[1], words[2], part_name(words[3]));
    else if (request == REQUEST_FORGET_REGION && vg.current != NULL)
        tn_region_forgotten(vg.current, words[1]);
    if (request == REQUEST_NAME_REGION || request == REQUEST_FORGET_REGION)
        return True;
    perform_request(request, argument, request == REQUEST_DUMP ? part_name(argument) : NULL);
    return True;
}

/* ------------------------------------------------------------------------------------------ tenure control */

static bool instrumenting(void)
{
    return vg.instrumenting;
}

static void answer(Bool behind_call)
{
    static const struct control_engine engine = {instrumenting, perform_request, vg_threads_see};

    if (!control_asked(vg.control_page))
        return;
    if (behind_call || !(vg.control_page->request == CONTROL_INSTRUMENT ||
                         (vg.control_page->request == CONTROL_COLLECT && !vg.by_collecting)))
        control_answer(vg.control_page, vg.core, &engine);
}

/* ------------------------------------------------------------------------------------------ between two blocks */

/* A turn makes far fewer counters than are left here. */
enum { COUNTERS_LEFT = 1 << 20 };

static Bool stops; /* instrumentation is to go off */

static void turn(ThreadId tid, ULong blocks)
{
    tn_thread *thread = vg_threads_turn(tid);
    uint64_t instructions = tn_instructions(thread);
    UInt limit = vg.layout->counter_limit, left = limit / 2 < COUNTERS_LEFT ? limit / 2 : COUNTERS_LEFT;

    (void)blocks;
    answer(False);
    if (tn_interval_due(vg.core, instructions))
        tn_interval(vg.core);
    if (options_wait(&vg.options)) {
        enum request due;

        vg_begin_due(instructions);
        due = options_due(&vg.options, instructions);
        if (due == REQUEST_DUMP) {
            vg_output_part("every");
        } else if (due == REQUEST_STOP) {
            tn_collect(vg.core, false);
            stops = True;
        }
    }
    vg_threads_go(tid);
    tn_tick(thread);
    if (tn_counters(vg.core) <= limit - left)
        return;
    vg_output_finish("counters"); /* the end of the run, before that of the counters: a profile of all that has been */
    vg_tell("%u counters are in use: %s\n", tn_counters(vg.core), options_out_of_counters(&vg.options));
    VG_(exit)(VG_REFUSED);
}

static void turn_over(ThreadId tid, ULong blocks)
{
    (void)blocks;
    vg_threads_stop(tid);
    vg_begin_late();
    vg_cold_promote();
}

void vg_requests_late(void)
{
    answer(True);
    if (stops)
        vg_instrument_switch(False);
    stops = False;
}

void vg_requests_track(void)
{
    VG_(needs_client_requests)(request_hook);
    VG_(track_start_client_code)(turn);
    VG_(track_stop_client_code)(turn_over);
}
