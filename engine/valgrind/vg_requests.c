/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.c: what a program asks for (engine/common/requests.h) is done.
 *
 * Segment counters add a constant until collection is toggled for the first time; then all translations are
 * discarded, and new ones add the thread's `collecting` word. Switching instrumentation discards them as well.
 */
#include "vg_requests.h"

#include "pub_tool_transtab.h"

#include "engine/common/requests.h"
#include "vg_output.h"
#include "vg_threads.h"

static void discard_translations(void)
{
    VG_(discard_translations_safely)((Addr)0x1000, ~(SizeT)0xfff, "tenure");
}

static void collect(Bool on)
{
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

Bool vg_request(ThreadId tid, UWord *words, UWord *answer)
{
    uint64_t argument = words[1];
    enum request request = request_of(words[0], &argument);

    (void)tid;
    if (request == REQUEST_UNKNOWN)
        return False;
    *answer = request == REQUEST_RUNNING;
    if (request == REQUEST_DUMP)
        vg_output_part(part_name(argument));
    else if (request == REQUEST_ZERO)
        tn_zero(vg.core);
    else if (request == REQUEST_TOGGLE_COLLECT)
        collect(!tn_collecting(vg.core));
    else if (request == REQUEST_COLLECT)
        collect(argument != 0);
    else if (request != REQUEST_RUNNING)
        instrument(request == REQUEST_START);
    return True;
}
