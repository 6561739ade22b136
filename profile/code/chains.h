/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains.h: which loads the address of an access comes from.
 *
 * An access whose address was loaded by another access, or by itself the last time round, has to wait for it; and
 * where loads lead back to themselves, a program follows pointers: a list, a tree, the chain of a bucket. What a
 * register holds is followed through the graph of a function, along all ways that were taken: through moves,
 * arithmetic and conditional moves, through the stack's slots where a register is put aside, and from a call of the
 * function by itself to its arguments. What other functions return comes from nowhere. Of one register at most MOST
 * loads are known, those of the lowest addresses.
 *
 * A search without branches, or a heap, chooses its next address by what it has loaded, through flags and conditional
 * moves, or vector registers: there is no pointer, but the next access waits all the same. Of these only the circles
 * are told, as chains of an access by itself. Where branches decide instead, the processor guesses: which branches
 * compare what was loaded is told, too.
 */
#ifndef TENURE_PROFILE_CHAINS_H
#define TENURE_PROFILE_CHAINS_H

#include "profile/code/flow.h"

/* Sites of a graph. */
struct tp_chain {
    uint32_t site, load; /* the address of the access at `site` is made of what `load` has loaded */
    bool beside;         /* both are made of the same registers, less than a line apart: in one line, mostly */
    uint8_t circular;    /* one of these, or 0 */
};

/* What the address of `load` has to do, in one step or several, with what `load` has loaded itself. */
enum {
    TP_CHAIN_FOLLOWS = 1, /* it is made of that */
    TP_CHAIN_FORKS = 2,   /* it is made of that and an index: one of several pointers is loaded */
    TP_CHAIN_CHOSEN = 3   /* it is made of other things, but that decides which address it is */
};

/* A branch that compares what was loaded. Sites of a graph. */
struct tp_guess {
    uint32_t branch, load;
    double wrong; /* the part of its executions that went the way it seldom goes: at most a half */
};

struct tp_chains {
    TP_VECTOR(struct tp_chain) list; /* by site */
    TP_VECTOR(struct tp_guess) guesses;
};

/* Of those sites of the graph of which `wanted` is set, as accesses or as loads that are compared. -1: out of memory.
 * What `chains` held before is gone. */
int tp_chains_make(struct tp_chains *chains, const struct tp_graph *graph, const bool *wanted);
void tp_chains_free(struct tp_chains *chains);

#endif
