/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.c: what a program asks for (engine/common/requests.h) is done.
 *
 * Segment counters add a constant until collection is toggled for the first time; then all translations are
 * discarded, and new ones add the thread's `collecting` word. Switching instrumentation discards them as well.
 */
#include "vg_requests.h"

#include "vg_begin.h"
#include "vg_output.h"
#include "vg_threads.h"

/* Not announced to tools, who are to do this at a client's request only; behind a system call, where the core itself
 * forgets what was unmapped, is as good. */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

static void discard_translations(void)
{
    VG_(discard_translations)((Addr)0x1000, ~(ULong)0xfff, "tenure");
}

static void collect(Bool on)
{
    if (vg_begin_collects(on))
        return;
    if (!vg.by_collecting) {
        vg.by_collecting = True;
        discard_translations();
    }
    tn_collect(vg.core, on);
}

static void instrument(Bool on)
{
    if (vg.instrumenting == on)
        return;
    vg.instrumenting = on;
    if (on)
        vg_threads_begin_again();
    else
        tn_instrument_off(vg.core);
    discard_translations();
}

/* The name of a part, from the program's memory. */
static const HChar *part_name(UWord address)
{
    return address != 0 ? (const HChar *)address : "request";
}

void vg_request_perform(enum request request, uint64_t argument, const HChar *part)
{
    if (request == REQUEST_DUMP)
        vg_output_part(part);
    else if (request == REQUEST_ZERO)
        tn_zero(vg.core);
    else if (request == REQUEST_TOGGLE_COLLECT)
        collect(!tn_collecting(vg.core));
    else if (request == REQUEST_COLLECT)
        collect(argument != 0);
    else if (request != REQUEST_RUNNING)
        instrument(request == REQUEST_START);
}

static Bool stops; /* instrumentation is to go off */

void vg_request_due(tn_thread *thread)
{
    uint64_t instructions = tn_instructions(thread);
    enum request due;

    vg_begin_due(instructions);
    due = options_due(&vg.options, instructions);

    if (due == REQUEST_DUMP)
        vg_output_part("every");
    if (due != REQUEST_STOP)
        return;
    tn_collect(vg.core, false);
    stops = True;
}

void vg_request_late(void)
{
    if (stops)
        instrument(False);
    stops = False;
}

Bool vg_request(ThreadId tid, UWord *words, UWord *answer)
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
    vg_request_perform(request, argument, request == REQUEST_DUMP ? part_name(argument) : NULL);
    return True;
}
