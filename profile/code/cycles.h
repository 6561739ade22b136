/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles.h: how many cycles instructions take that find their data in level 1.
 *
 * A processor begins several instructions in a cycle, but for those that wait for what others compute. Of an innermost
 * loop it is computed how long a round takes: its instructions, in the order of their addresses, are followed through
 * a few rounds with the registers and stack slots that they wait for, as if the processor could see all of them at
 * once, and as if branches were known. Of other code so many instructions are taken to begin in each cycle as usually
 * do.
 */
#ifndef TENURE_PROFILE_CYCLES_H
#define TENURE_PROFILE_CYCLES_H

#include "profile/code/nest.h"

/* Of the sites of the graph: cycles of each time that one is executed, of a `rep` of each round. -1: out of memory. */
int tp_cycles_make(double *cycles, const struct tp_graph *graph, const struct tp_nest *nest);

#endif
