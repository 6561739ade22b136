/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random_program.h: one random program, fed to the core and to the models at once, and compared.
 *
 * A seed decides everything: geometry, policy, functions, and each step. `steps` cuts the program short
 * without changing what comes before, and `without` leaves features out, so that a failure can be made
 * small.
 */
#ifndef TENURE_REFMODEL_RANDOM_PROGRAM_H
#define TENURE_REFMODEL_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RP_FEATURES(X)                                                                                       \
    X(THREADS, "threads")                                                                                    \
    X(SIGNALS, "signals")                                                                                    \
    X(JUMPS, "jumps") X(LONGJMPS, "longjmps") X(UNSEEN, "unseen") X(TOGGLES, "toggles") X(DUMPS, "dumps")    \
        X(ZEROES, "zeroes") X(FLAGS, "flags") X(SKIP, "skip") X(POP, "pop") X(RAISE, "raise") X(OFF, "off")  \
            X(WIDE, "wide") X(GUARDED, "guarded") X(SHARED, "shared") X(LONG_LINES, "long-lines")            \
                X(BRANCHES, "branches") X(ODD_SETS, "odd-sets") X(PLAIN, "plain") X(LEVEL_2, "l2")           \
            X(SEPARATE, "separate") X(COROUTINES, "coroutines") X(WRITE_BACK, "write-back")                      \
            X(PREFETCH, "prefetch") X(PARALLEL, "parallel") X(DATA, "data") X(COHERENCE, "coherence")      \
            X(PATTERNS, "patterns") X(PAIRS, "pairs") X(SAMPLE, "sample") X(TLB, "tlb")           \
            X(REMAP, "remap") X(ALSO, "also")

enum {
#define X(name, text) RP_BIT_##name,
    RP_FEATURES(X)
#undef X
        RP_FEATURE_COUNT
};
#define X(name, text) static const uint64_t RP_##name = 1ull << RP_BIT_##name;
RP_FEATURES(X)
#undef X

struct rp_options {
    uint64_t seed;
    uint32_t steps;   /* at most so many; 0: as many as the seed says */
    uint64_t without; /* RP_* */
    int paths;        /* -1: as the seed says */
    bool trace;
    FILE *out; /* differences and trace */
};
struct rp_result {
    bool good;
    uint32_t steps;
    uint64_t accesses;
};
void rp_run(const struct rp_options *options, struct rp_result *result);

#endif
