/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.c: tenure.h's requests, and those of Callgrind's and Cachegrind's headers, so that a program annotated
 * for one of them works unchanged.
 *
 * Segment counters add a constant until collection is toggled for the first time; then all translations are
 * discarded, and new ones add the thread's `collecting` word. Switching instrumentation discards them as well.
 */
#include "vg_requests.h"

#include "pub_tool_transtab.h"

#include "callgrind.h"
#include "include/tenure.h"
#include "vg_output.h"
#include "vg_threads.h"

/* Cachegrind's header has these since Valgrind 3.22; programs that have it run under older ones too. */
enum {
    CACHEGRIND_START_INSTRUMENTATION_REQUEST = VG_USERREQ_TOOL_BASE('C', 'G'),
    CACHEGRIND_STOP_INSTRUMENTATION_REQUEST,
};

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

static Bool own_request(UWord request, UWord argument, UWord *answer)
{
    *answer = 0;
    switch (request) {
    case TENURE_REQUEST_RUNNING:
        *answer = 1;
        return True;
    case TENURE_REQUEST_DUMP:
        vg_output_part(part_name(argument));
        return True;
    case TENURE_REQUEST_ZERO:
        tn_zero(vg.core);
        return True;
    case TENURE_REQUEST_TOGGLE_COLLECT:
        collect(!tn_collecting(vg.core));
        return True;
    case TENURE_REQUEST_COLLECT:
        collect(argument != 0);
        return True;
    case TENURE_REQUEST_START_INSTRUMENTATION:
        instrument(True);
        return True;
    case TENURE_REQUEST_STOP_INSTRUMENTATION:
        instrument(False);
        return True;
    default:
        return False;
    }
}

static Bool callgrind_request(UWord request, UWord argument, UWord *answer)
{
    switch (request) {
    case VG_USERREQ__DUMP_STATS:
        return own_request(TENURE_REQUEST_DUMP, 0, answer);
    case VG_USERREQ__DUMP_STATS_AT:
        return own_request(TENURE_REQUEST_DUMP, argument, answer);
    case VG_USERREQ__ZERO_STATS:
        return own_request(TENURE_REQUEST_ZERO, 0, answer);
    case VG_USERREQ__TOGGLE_COLLECT:
        return own_request(TENURE_REQUEST_TOGGLE_COLLECT, 0, answer);
    case VG_USERREQ__START_INSTRUMENTATION:
        return own_request(TENURE_REQUEST_START_INSTRUMENTATION, 0, answer);
    case VG_USERREQ__STOP_INSTRUMENTATION:
        return own_request(TENURE_REQUEST_STOP_INSTRUMENTATION, 0, answer);
    default:
        return False;
    }
}

static Bool cachegrind_request(UWord request, UWord *answer)
{
    switch (request) {
    case CACHEGRIND_START_INSTRUMENTATION_REQUEST:
        return own_request(TENURE_REQUEST_START_INSTRUMENTATION, 0, answer);
    case CACHEGRIND_STOP_INSTRUMENTATION_REQUEST:
        return own_request(TENURE_REQUEST_STOP_INSTRUMENTATION, 0, answer);
    default:
        return False;
    }
}

Bool vg_request(ThreadId tid, UWord *words, UWord *answer)
{
    (void)tid;
    if (VG_IS_TOOL_USERREQ('T', 'N', words[0]))
        return own_request(words[0], words[1], answer);
    if (VG_IS_TOOL_USERREQ('C', 'T', words[0]))
        return callgrind_request(words[0], words[1], answer);
    if (VG_IS_TOOL_USERREQ('C', 'G', words[0]))
        return cachegrind_request(words[0], answer);
    return False;
}
