/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h: a profile in a few lines: totals with miss rates, and the three worst findings. Shared by
 * `record` (which prints to stderr) and `report`.
 */
#ifndef TENURE_CLI_SUMMARY_H
#define TENURE_CLI_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/* Totals, one line per kind of access, in the shape Cachegrind's users know; the last-level miss rate is over
 * all accesses, instruction fetches included. Lines begin with `indent`. False if the profile cannot be
 * read. */
bool summary_totals(tp_profile *profile, FILE *out, const char *indent);

/* The lines of source that waste most of what they load: function, place, bytes wasted, share of all
 * waste. */
bool summary_findings(tp_profile *profile, FILE *out, const char *indent);

#endif
