/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h: functions that the options of a recording name, and that never ran. That a name is wrong is found out at the
 * end only: libraries may be loaded, and code made, at any time.
 */
#ifndef TENURE_CLI_NAMED_H
#define TENURE_CLI_NAMED_H

#include <stdbool.h>

#include "engine/common/options.h"
#include "profile/profile.h"

/* Whether nothing was recorded by mistake: a function was named that was never entered, or a number of instructions
 * never reached. A line on standard error says what was waited for, of any recording of nothing. */
bool named_nothing(tp_profile *profile, const struct engine_options *options);

/* The same of a raw profile. */
bool named_nothing_in_raw(const char *raw, const struct engine_options *options);

/* A line for each pattern that no function matched, with names that are like it. */
void named_unmatched(tp_profile *profile);

#endif
