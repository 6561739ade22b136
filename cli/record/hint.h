/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hint.h: what is said of how long a recording takes.
 *
 * After a long one: that sampling would have been quicker, and by how much.
 *
 * A recording pays for three things: for running the program's instructions, for noting each data access, and for each
 * miss of level 1 with all that follows. With one set in N, N - 1 of N parts of the last two are left out. What these
 * cost was measured (docs/bench.md, "Sampled sets"); the rest of the CPU time is taken to stay.
 */
#ifndef TENURE_CLI_HINT_H
#define TENURE_CLI_HINT_H

#include <stddef.h>

/* What to say of a recording of all sets that took so many seconds of CPU time, with so many data accesses and misses
 * of level 1. NULL: nothing, it was short, or would hardly be quicker. Lives in `out`. */
const char *hint_sampling(double seconds, double accesses, double misses, char *out, size_t size);

/* How many times slower than alone a program is that has taken so many seconds and made so many accesses (instructions
 * are accesses, too) and misses of the last level. It is rough: a third to three times of what the clock
 * says. At least 1; 0: not known. */
double hint_slower(double seconds, double accesses, double misses);

#endif
