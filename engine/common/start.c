/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.c: see start.h.
 */
#include "engine/common/start.h"

#include <stddef.h>

#include "core/tenure_core.h"

const char *start_check(struct recording_start *start)
{
    const struct start_point *warm = &start->warm, *run = &start->run;

    start->phase = run->text ? START_WAITS : START_RUNS;
    if (warm->text && warm->is_number && run->is_number && warm->instructions >= run->instructions)
        return "--warm is to come before --start, by fewer instructions";
    if (run->text && run->is_number && run->instructions == 0)
        return "--start=0 is where the program begins anyway: leave it out";
    if (warm->text && warm->is_number && warm->instructions == 0)
        start->phase = START_WARMS;
    return NULL;
}

static bool pending(const struct start_point *point, bool is_number)
{
    return point->text && point->is_number == is_number;
}

/* Of the points that are still to come. */
static bool any(const struct recording_start *start, bool is_number)
{
    return (start->phase == START_WAITS && pending(&start->warm, is_number)) ||
           (start->phase != START_RUNS && pending(&start->run, is_number));
}

bool start_counts(const struct recording_start *start)
{
    return any(start, true);
}

bool start_watches(const struct recording_start *start)
{
    return any(start, false);
}

enum start_phase start_after(const struct recording_start *start, uint64_t instructions)
{
    if (start->phase != START_RUNS && pending(&start->run, true) && instructions >= start->run.instructions)
        return START_RUNS;
    if (start->phase == START_WAITS && pending(&start->warm, true) && instructions >= start->warm.instructions)
        return START_WARMS;
    return start->phase;
}

enum start_phase start_at(const struct recording_start *start, uint32_t function_flags)
{
    if (function_flags & TN_FN_START)
        return START_RUNS;
    return start->phase == START_WAITS && function_flags & TN_FN_WARM ? START_WARMS : start->phase;
}

uint64_t start_left(const struct recording_start *start, uint64_t instructions)
{
    const struct start_point *next = start->phase == START_WAITS && pending(&start->warm, true) ? &start->warm
                                                                                               : &start->run;

    return start_counts(start) && next->instructions > instructions ? next->instructions - instructions : 0;
}
