/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hint.h: what is said after a long recording: that sampling would have been quicker, and by how much.
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

#endif
