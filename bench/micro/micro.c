/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * micro.c: what the core alone costs, in nanoseconds per operation.
 *
 * No engine, no program: each case is a loop that does to a core what an engine would do for some kind of
 * program: accesses that hit, misses in a stream or at random, calls and returns of a certain shape. Each case has a
 * core of its own and is run several times; the best run counts, in CPU time of the thread, since others disturb a
 * run but never help it. "loop" is what the loop costs without the core; it is contained in all the others.
 *
 *   core_micro [--repeat=N] [--scale=N] [NAME...]
 *
 * NAME: only the cases whose name begins so. --scale: N times as many operations.
 */
#include "core/cache_hot.h"
#include "core/tenure_core.h"

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FUNCTIONS = 4096, SITES = 8, STACK_FRAME = 64, ACCESS = 8 };
#define TEXT 0x400000ull
#define HEAP 0x10000000ull
#define STACK_TOP 0x7ffff0000000ull

struct setup {
    tn_core *core;
    tn_thread *thread;
    const struct tn_layout *layout;
    struct tn_config config;
    uint32_t function[FUNCTIONS];
    uint32_t site[FUNCTIONS][SITES];
    uint32_t read, write, wide; /* accesses */
    uint32_t counter;
    uint64_t random;
    uint64_t sink;
};

struct benchmark {
    const char *name, *what;
    void (*configure)(struct tn_config *config);               /* may be NULL */
    void (*prepare)(struct setup *setup);                      /* may be NULL; not timed */
    uint64_t (*run)(struct setup *setup, uint64_t operations); /* how many were done */
    uint64_t operations;
};

/* ------------------------------------------------------------------------------------------ a small program */

static uint64_t next_random(struct setup *setup)
{
    setup->random = setup->random * 6364136223846793005ull + 1442695040888963407ull;
    return setup->random >> 33;
}

static uint64_t address_of(uint32_t function)
{
    return TEXT + (uint64_t)function * 256;
}

static void name_code(struct setup *setup)
{
    struct tn_object_info object = {.path = "program", .start = TEXT, .size = FUNCTIONS * 256};
    uint32_t id = tn_object(setup->core, &object);
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        char name[24];
        snprintf(name, sizeof name, "function_%u", f);
        struct tn_function_info function = {.object = id, .start = address_of(f), .size = 256, .name = name};
        setup->function[f] = tn_function(setup->core, &function);
        for (uint32_t s = 0; s < SITES; s++) {
            struct tn_instr_info instr = {.address = address_of(f) + 8 * s,
                                          .function = setup->function[f],
                                          .length = 5,
                                          .flags = TN_INSTR_CALL,
                                          .writes = 1};
            setup->site[f][s] = tn_instr(setup->core, &instr);
        }
    }
}

static void name_accesses(struct setup *setup)
{
    struct tn_instr_info instr = {
        .address = address_of(0) + 128, .function = setup->function[0], .length = 4, .reads = 1};
    uint32_t id = tn_instr(setup->core, &instr);
    struct tn_access_info access = {.instr = id, .back = TN_STEP, .size = ACCESS, .kind = TN_READ};
    setup->read = tn_access(setup->core, &access);
    access.kind = TN_WRITE;
    setup->write = tn_access(setup->core, &access);
    access.size = 256;
    access.kind = TN_READ;
    setup->wide = tn_access(setup->core, &access);
    setup->counter = tn_segment(setup->core, &id, 1);
}

static void set_up(struct setup *setup, const struct benchmark *benchmark)
{
    memset(setup, 0, sizeof *setup);
    tn_config_default(&setup->config);
    if (benchmark->configure)
        benchmark->configure(&setup->config);
    const char *wrong = tn_config_check(&setup->config);
    if (wrong) {
        fprintf(stderr, "core_micro: %s: %s\n", benchmark->name, wrong);
        exit(1);
    }
    setup->random = 1;
    setup->core = tn_core_new(&setup->config);
    setup->layout = tn_layout(setup->core);
    name_code(setup);
    name_accesses(setup);
    setup->thread = tn_thread_new(setup->core, NULL, 1);
    tn_thread_begin(setup->thread, setup->function[0], STACK_TOP);
    if (benchmark->prepare)
        benchmark->prepare(setup);
}

/* ------------------------------------------------------------------------------------------ accesses */

/* What an engine does for a segment of one instruction that reads once. */
static inline void read_at(struct setup *setup, uint64_t address)
{
    tn_thread *thread = setup->thread;
    thread->clock += 2 * TN_STEP;
    thread->data += 1;
    ((uint64_t *)((char *)thread + setup->layout->counters))[setup->counter]++;
    tn_hot_data(thread, setup->layout, address, setup->read, ACCESS, TN_STEP, false, setup->config.use);
}

static uint64_t run_loop(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        setup->sink += next_random(setup);
    return operations;
}

static uint64_t run_hit_one(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        read_at(setup, HEAP);
    return operations;
}

static uint64_t run_hit(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        read_at(setup, HEAP + (next_random(setup) & 16376));
    return operations;
}

/* Every line of `bytes` in turn, one access each. */
static uint64_t stream(struct setup *setup, uint64_t operations, uint64_t bytes)
{
    for (uint64_t i = 0, offset = 0; i < operations; i++, offset = (offset + 64) & (bytes - 1))
        read_at(setup, HEAP + offset);
    tn_tick(setup->thread);
    return operations;
}

static uint64_t at_random(struct setup *setup, uint64_t operations, uint64_t bytes)
{
    for (uint64_t i = 0; i < operations; i++)
        read_at(setup, HEAP + (next_random(setup) & (bytes - 8)));
    tn_tick(setup->thread);
    return operations;
}

static uint64_t run_l1_stream(struct setup *setup, uint64_t operations)
{
    return stream(setup, operations, 1 << 20);
}

static uint64_t run_l1_random(struct setup *setup, uint64_t operations)
{
    return at_random(setup, operations, 4 << 20);
}

static uint64_t run_ll_stream(struct setup *setup, uint64_t operations)
{
    return stream(setup, operations, 64 << 20);
}

static uint64_t run_ll_random(struct setup *setup, uint64_t operations)
{
    return at_random(setup, operations, 256 << 20);
}

/* Two arrays whose lines have the same place in the way table (and the same set), both in the cache: as in a loop
 * over two big allocations. */
static uint64_t run_alias(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        read_at(setup, HEAP + (i & 1) * (4 << 20) + (i >> 1 & 1023) * 8);
    return operations;
}

/* 8 of 8 words of a line: one miss in eight accesses, as in most real loops. */
static uint64_t run_words(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0, offset = 0; i < operations; i++, offset = (offset + 8) & ((64 << 20) - 1))
        read_at(setup, HEAP + offset);
    tn_tick(setup->thread);
    return operations;
}

static uint64_t run_straddle(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        read_at(setup, HEAP + (next_random(setup) & 15) * 128 + 60);
    return operations;
}

static uint64_t run_wide(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++) {
        setup->thread->clock += 2 * TN_STEP;
        setup->thread->data += 1;
        tn_whole_data(setup->thread, HEAP + (next_random(setup) & 15) * 256, setup->wide);
    }
    return operations;
}

/* ------------------------------------------------------------------------------------------ fetches */

enum { MAX_RUNS = 1 << 14 };
static struct tn_fetch_info fetches[MAX_RUNS];
static uint32_t fetch_ids[MAX_RUNS];

/* One segment of five instructions per line; they run in an order that is neither a stream nor quite random. */
static uint64_t run_fetches(struct setup *setup, uint64_t operations, uint32_t runs)
{
    for (uint32_t i = 0; i < runs; i++) {
        fetches[i] = (struct tn_fetch_info){.instr = setup->site[i % FUNCTIONS][0],
                                            .line = TEXT + 64ull * i,
                                            .back_first = 5 * TN_STEP,
                                            .back_last = TN_STEP,
                                            .touches = 5,
                                            .bytes = 25,
                                            .mask = 0x1ffffff};
        fetch_ids[i] = tn_fetch(setup->core, &fetches[i]);
    }
    for (uint64_t i = 0, at = 0; i < operations; i++, at = (at + 37) & (runs - 1)) {
        setup->thread->clock += 5 * TN_STEP;
        tn_hot_fetch(setup->thread, setup->layout, fetch_ids[at], &fetches[at], setup->config.use);
    }
    tn_tick(setup->thread);
    return operations;
}

static uint64_t run_fetch_hit(struct setup *setup, uint64_t operations)
{
    return run_fetches(setup, operations, 256);
}

static uint64_t run_fetch_miss(struct setup *setup, uint64_t operations)
{
    return run_fetches(setup, operations, MAX_RUNS);
}

/* ------------------------------------------------------------------------------------------ calls */

/* An operation is a call or a return; an instruction or two run in between, as in real programs. */
static inline void work(struct setup *setup)
{
    setup->thread->clock += 3 * TN_STEP;
    setup->thread->data += 1;
}

static inline uint64_t stack_at(uint32_t depth)
{
    return STACK_TOP - (uint64_t)STACK_FRAME * (depth + 1);
}

static inline void call(struct setup *setup, uint32_t from, uint32_t site, uint32_t to, uint32_t depth)
{
    work(setup);
    tn_call(setup->thread, setup->site[from][site], setup->function[to], stack_at(depth),
            address_of(from) + 8 * site + 5);
}

static inline void ret(struct setup *setup, uint32_t from, uint32_t to, uint32_t site, uint32_t depth)
{
    work(setup);
    tn_return(setup->thread, setup->site[from][SITES - 1], stack_at(depth) + 8,
              address_of(to) + 8 * site + 5);
}

static uint64_t run_call_leaf(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i += 2) {
        call(setup, 0, 0, 1, 0);
        ret(setup, 1, 0, 0, 0);
    }
    return operations;
}

/* A loop that calls four functions in turn. */
static uint64_t run_call_four(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i += 2) {
        uint32_t which = (uint32_t)(i >> 1) & 3;
        call(setup, 0, which, 1 + which, 0);
        ret(setup, 1 + which, 0, which, 0);
    }
    return operations;
}

/* An indirect call that goes anywhere: no order that could be guessed. */
static uint64_t run_call_many(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i += 2) {
        uint32_t to = 1 + ((uint32_t)next_random(setup) & 255);
        call(setup, 0, 0, to, 0);
        ret(setup, to, 0, 0, 0);
    }
    return operations;
}

/* A chain of 1000 different functions, down and up. */
static uint64_t run_call_chain(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i += 2000) {
        for (uint32_t d = 0; d < 1000; d++)
            call(setup, d, 0, d + 1, d);
        for (uint32_t d = 1000; d-- > 0;)
            ret(setup, d + 1, d, 0, d);
    }
    return (operations + 1999) / 2000 * 2000;
}

static uint64_t recurse(struct setup *setup, uint64_t operations, uint32_t functions)
{
    for (uint64_t i = 0; i < operations; i += 2000) {
        for (uint32_t d = 0; d < 1000; d++)
            call(setup, 1 + d % functions, 0, 1 + (d + 1) % functions, d);
        for (uint32_t d = 1000; d-- > 0;)
            ret(setup, 1 + (d + 1) % functions, 1 + d % functions, 0, d);
    }
    return (operations + 1999) / 2000 * 2000;
}

static uint64_t run_recursion(struct setup *setup, uint64_t operations)
{
    return recurse(setup, operations, 1);
}

static uint64_t run_recursion_mutual(struct setup *setup, uint64_t operations)
{
    return recurse(setup, operations, 3);
}

/* Walk at random in a tree of calls with `fan` children everywhere, at most `depth` deep. The function of a node
 * depends on its level, so that no function is twice on a path. `miss`: each call also misses in level 1. */
static uint64_t walk(struct setup *setup, uint64_t operations, uint32_t fan, uint32_t limit, bool miss)
{
    uint32_t path[64] = {0}, site[64] = {0}, depth = 0;
    for (uint64_t i = 0; i < operations; i++) {
        if (depth == 0 || (depth < limit && (next_random(setup) & 1))) {
            uint32_t child = (uint32_t)next_random(setup) % fan;
            uint32_t to = 1 + depth * fan + child;
            call(setup, path[depth], child, to, depth);
            site[depth++] = child;
            path[depth] = to;
        } else {
            depth--;
            ret(setup, path[depth + 1], path[depth], site[depth], depth);
        }
        if (miss)
            read_at(setup, HEAP + (next_random(setup) & ((64 << 20) - 8)));
    }
    while (depth-- > 0)
        ret(setup, path[depth + 1], path[depth], site[depth], depth);
    tn_tick(setup->thread);
    return operations;
}

static uint64_t run_tree(struct setup *setup, uint64_t operations)
{
    return walk(setup, operations, 4, 8, false);
}

static uint64_t run_tree_wide(struct setup *setup, uint64_t operations)
{
    return walk(setup, operations, 7, 32, false);
}

static uint64_t run_tree_miss(struct setup *setup, uint64_t operations)
{
    return walk(setup, operations, 7, 32, true);
}

/* ------------------------------------------------------------------------------------------ branches */

static uint64_t run_branch(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        tn_branch_cond(setup->thread, setup->site[i & 255][1], i & 2);
    return operations;
}

static uint64_t run_branch_indirect(struct setup *setup, uint64_t operations)
{
    for (uint64_t i = 0; i < operations; i++)
        tn_branch_indirect(setup->thread, setup->site[i & 255][1], address_of((uint32_t)i & 7));
    return operations;
}

/* ------------------------------------------------------------------------------------------ configurations */

static void without_use(struct tn_config *config)
{
    config->use = false;
}

static void without_paths(struct tn_config *config)
{
    config->paths = 0;
}

static void with_branches(struct tn_config *config)
{
    config->branch_sim = true;
}

static void flat(struct tn_config *config)
{
    config->inclusive = false;
}

static void odd_sets(struct tn_config *config)
{
    config->d1 = (struct tn_geometry){48 << 10, 12, 64};
    config->ll = (struct tn_geometry){12 << 20, 16, 64};
}

static void warm_1m(struct setup *setup)
{
    stream(setup, 1 << 15, 1 << 20);
}

static void warm_4m(struct setup *setup)
{
    stream(setup, 1 << 17, 4 << 20);
}

static void warm_ll(struct setup *setup)
{
    stream(setup, 1 << 20, 64 << 20);
}

static const struct benchmark benchmarks[] = {
    {"loop", "the loop and its random numbers, without the core", NULL, NULL, run_loop, 20000000},
    {"hit.one", "read of the same word, a hit", NULL, NULL, run_hit_one, 50000000},
    {"hit", "reads all over 16 KB, hits", NULL, NULL, run_hit, 50000000},
    {"hit.nouse", "the same with --cacheuse=no", without_use, NULL, run_hit, 50000000},
    {"alias", "two arrays 4 MB apart in turn, hits", NULL, NULL, run_alias, 20000000},
    {"words", "every word of 64 MB: 1 miss in 8", NULL, warm_ll, run_words, 16000000},
    {"l1.stream", "every line of 1 MB: misses L1, hits LL", NULL, warm_1m, run_l1_stream, 5000000},
    {"l1.random", "random lines of 4 MB: misses L1, hits LL", NULL, warm_4m, run_l1_random, 5000000},
    {"l1.nouse", "the same with --cacheuse=no", without_use, warm_4m, run_l1_random, 5000000},
    {"l1.flat", "the same with --inclusive=no", flat, warm_4m, run_l1_random, 5000000},
    {"ll.stream", "every line of 64 MB: misses both", NULL, warm_ll, run_ll_stream, 5000000},
    {"ll.random", "random lines of 256 MB: misses both", NULL, warm_ll, run_ll_random, 5000000},
    {"ll.nouse", "the same with --cacheuse=no", without_use, warm_ll, run_ll_random, 5000000},
    {"ll.odd", "the same, 48 KB 12-way and 12 MB 16-way", odd_sets, warm_ll, run_ll_random, 5000000},
    {"straddle", "reads over two lines, both present", NULL, NULL, run_straddle, 5000000},
    {"wide", "reads of 256 bytes, all present", NULL, NULL, run_wide, 2000000},
    {"fetch.hit", "runs of 5 instructions in 16 KB of code", NULL, NULL, run_fetch_hit, 20000000},
    {"fetch.miss", "runs of 5 instructions in 1 MB of code", NULL, NULL, run_fetch_miss, 5000000},
    {"call.leaf", "calls and returns of one leaf", NULL, NULL, run_call_leaf, 20000000},
    {"call.four", "of four leaves in turn", NULL, NULL, run_call_four, 20000000},
    {"call.many", "of one site to 256 functions", NULL, NULL, run_call_many, 10000000},
    {"call.chain", "1000 deep and back", NULL, NULL, run_call_chain, 10000000},
    {"call.recursion", "the same function 1000 deep", NULL, NULL, run_recursion, 10000000},
    {"call.mutual", "three functions, 1000 deep", NULL, NULL, run_recursion_mutual, 10000000},
    {"tree", "random walk, 4 children, 8 deep", NULL, NULL, run_tree, 10000000},
    {"tree.prune", "the same, --paths=0", without_paths, NULL, run_tree, 10000000},
    {"tree.flat", "the same, --inclusive=no", flat, NULL, run_tree, 10000000},
    {"tree.wide", "random walk, 7 children, 32 deep", NULL, NULL, run_tree_wide, 5000000},
    {"tree.wide.prune", "the same, --paths=0", without_paths, NULL, run_tree_wide, 5000000},
    {"tree.miss", "the same with an LL miss per step", NULL, warm_ll, run_tree_miss, 2000000},
    {"tree.miss.prune", "the same, --paths=0", without_paths, warm_ll, run_tree_miss, 2000000},
    {"branch", "conditional branches of 256 sites", with_branches, NULL, run_branch, 20000000},
    {"branch.indirect", "indirect branches of 256 sites", with_branches, NULL, run_branch_indirect, 20000000},
};

/* ------------------------------------------------------------------------------------------ timing */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of `repeat` runs, in nanoseconds per operation; the statistics of the last. */
static double best(const struct benchmark *benchmark, uint64_t scale, unsigned repeat,
                   struct tn_statistics *statistics)
{
    static struct setup setup;
    double least = 0;
    for (unsigned i = 0; i < repeat; i++) {
        set_up(&setup, benchmark);
        double start = seconds();
        uint64_t done = benchmark->run(&setup, benchmark->operations * scale);
        double each = (seconds() - start) * 1e9 / (double)done;
        if (i == 0 || each < least)
            least = each;
        tn_statistics(setup.core, statistics);
        tn_core_free(setup.core);
    }
    return least;
}

static bool wanted(const char *name, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (strncmp(name, *names, strlen(*names)) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    unsigned long scale = 1, repeat = 3;
    int i;
    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (strncmp(argv[i], "--repeat=", 9) == 0 && (repeat = strtoul(argv[i] + 9, NULL, 10)) > 0)
            continue;
        if (strncmp(argv[i], "--scale=", 8) == 0 && (scale = strtoul(argv[i] + 8, NULL, 10)) > 0)
            continue;
        fprintf(stderr, "usage: core_micro [--repeat=N] [--scale=N] [NAME...]\n");
        return 2;
    }
    printf("%-16s %9s %12s %12s %10s  %s\n", "case", "ns/op", "slow paths", "nodes max", "pruned",
           "an operation");
    for (size_t b = 0; b < sizeof benchmarks / sizeof *benchmarks; b++) {
        if (!wanted(benchmarks[b].name, argv + i))
            continue;
        struct tn_statistics s;
        double each = best(&benchmarks[b], scale, (unsigned)repeat, &s);
        printf("%-16s %9.2f %12llu %12llu %10llu  %s\n", benchmarks[b].name, each,
               (unsigned long long)(s.slow_data + s.slow_fetch), (unsigned long long)s.nodes_max,
               (unsigned long long)s.nodes_pruned, benchmarks[b].what);
        fflush(stdout);
    }
    return 0;
}
