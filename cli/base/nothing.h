/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nothing.h: a recording of nothing, and why: what was waited for did not come.
 */
#ifndef TENURE_CLI_NOTHING_H
#define TENURE_CLI_NOTHING_H

#include <stdbool.h>

#include "engine/common/options.h"
#include "profile/profile.h"

/* A line on standard error if nothing was recorded; `options` are those of the recording, checked.
 * Whether that is a mistake: a function was named that was never entered, or a number of instructions never
 * reached. */
bool nothing_recorded(tp_profile *profile, const struct engine_options *options);
/* The same of a raw profile. */
bool nothing_in_raw(const char *raw, const struct engine_options *options);

#endif
