/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h: a profile in a few lines: what is wrong, in words, and totals with miss rates. Shared by `record` (which
 * prints to stderr) and `report`. Lines begin with `indent`. All are false if the profile cannot be read.
 */
#ifndef TENURE_CLI_SUMMARY_H
#define TENURE_CLI_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/* Where the estimated time goes; three findings: advice or, where there is none or it takes long, the lines of source
 * that waste most of what they load, without start-up as tp_startup has it; and what to type next, of the profile that
 * the user calls `name`. */
bool summary_verdict(tp_profile *profile, FILE *out, const char *indent, const char *name);

/* Totals, one line per kind of access, in words, with the names of events; the last-level miss rate is over all
 * accesses, instruction fetches included. */
bool summary_totals(tp_profile *profile, FILE *out, const char *indent);

/* A line for each object that lacks line information (profile/read/lineless.h). */
bool summary_lineless(tp_profile *profile, FILE *out, const char *indent);

#endif
