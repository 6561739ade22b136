/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_consumer.c: misses consumed by another thread: the same raw profile, byte for byte, as when the thread that
 * misses consumes them. Two threads of a parallel engine take turns. Either few paths are kept, so that pruning waits
 * often; or all, and batches are offered early now and then, as before system calls. One consumer takes as little as it
 * may, as late as it may.
 */
#include "core/cache_hot.h"
#include "host_hosted.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ACCESSES = 50000, INSTRS = 64, FUNCTIONS = 16, SIZE = 8, SPAN = 1 << 20, TURN = 1000, THREADS = 2 };
enum { WIDE = 16, WIDEST = TN_MAX_ACCESS }; /* instructions with accesses that miss as many lines as there can be */

struct run {
    tn_core *core;
    tn_thread *thread[THREADS];
    uint32_t function[FUNCTIONS], site[FUNCTIONS], access[INSTRS], segment[INSTRS];
    uint32_t depth[THREADS];
    enum consumer { HERE, APART, LAZY } consumer;
    bool early; /* batches are offered early, all paths are kept */
    uint64_t random;
    bool over;
};

static uint32_t draw(struct run *run, uint32_t below)
{
    run->random = run->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(run->random >> 33) % below;
}

static void ask(void *user, bool now)
{
    struct run *run = user;

    if (run->consumer == HERE || (now && run->consumer == LAZY))
        tn_consume(run->core, run->consumer == HERE ? 64 : 1);
    else if (now)
        sched_yield();
}

static void *consumer(void *user)
{
    struct run *run = user;

    while (!__atomic_load_n(&run->over, __ATOMIC_ACQUIRE)) {
        if (tn_consume(run->core, 3) == 0)
            sched_yield();
    }
    return NULL;
}

static uint16_t size_of(uint32_t instr)
{
    return instr % WIDE ? SIZE : WIDEST;
}

static void start(struct run *run)
{
    struct tn_config config;
    struct tn_object_info object = {.path = "/test", .start = 0x1000, .size = 0x100000};

    tn_config_default(&config);
    config.i1 = config.d1 = (struct tn_geometry){1024, 2, 64};
    config.ll = (struct tn_geometry){65536, 4, 64};
    config.paths = run->early ? ACCESSES : 40;
    config.prune_slack = 0;
    config.parallel = true;
    config.consume = ask;
    config.user = run;
    run->core = tn_core_new(&config);
    uint32_t id = tn_object(run->core, &object);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        struct tn_function_info function = {.object = id, .start = 0x1000 + i * 0x100, .size = 0x100, .name = "f"};
        run->function[i] = tn_function(run->core, &function);
    }
    for (uint32_t i = 0; i < INSTRS; i++) {
        struct tn_instr_info instr = {
            .address = 0x1000 + i * 0x40, .function = run->function[i / 4], .length = 4, .reads = 1};
        uint32_t site = tn_instr(run->core, &instr);
        struct tn_access_info access = {.instr = site, .back = TN_STEP, .size = size_of(i), .kind = TN_READ};
        run->segment[i] = tn_segment(run->core, &site, 1);
        run->access[i] = tn_access(run->core, &access);
        run->site[i / 4] = site;
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        run->thread[t] = tn_thread_new(run->core, t ? run->thread[0] : NULL, t + 1);
        tn_thread_begin(run->thread[t], run->function[0], 1 << 20);
    }
}

/* A call, a return, a system call, or nothing of the kind. */
static void move(struct run *run, uint32_t t)
{
    uint32_t what = draw(run, 64), f = draw(run, FUNCTIONS);

    if (what < 4 && run->depth[t] < 30)
        tn_call(run->thread[t], run->site[f], run->function[draw(run, FUNCTIONS)], (1 << 20) - 16 * ++run->depth[t], 7);
    else if (what >= 4 && what < 8 && run->depth[t] > 0)
        tn_return(run->thread[t], run->site[f], (1 << 20) - 16 * run->depth[t]-- + 8, 7);
    else if (what == 8 && run->early && draw(run, 24) == 0)
        tn_publish(run->thread[t]);
}

static void execute(struct run *run)
{
    const struct tn_layout *layout = tn_layout(run->core);
    uint32_t t = THREADS - 1;

    for (uint32_t i = 0; i < ACCESSES; i++) {
        if (i % TURN == 0)
            t = (t + 1) % THREADS;
        uint32_t instr = draw(run, INSTRS);
        run->thread[t]->clock += 2 * TN_STEP;
        run->thread[t]->data += 1;
        ((uint64_t *)((char *)run->thread[t] + layout->counters))[run->segment[instr]]++;
        tn_hot_data(run->thread[t], layout, 0x100000 + draw(run, SPAN), run->access[instr], size_of(instr), TN_STEP,
                    false, true);
        move(run, t);
    }
}

static struct host_stream profile(enum consumer who, bool early)
{
    struct run run = {.consumer = who, .early = early, .random = 1};
    struct host_stream stream = {0};
    pthread_t other;

    start(&run);
    if (who == APART)
        assert_int_equal(pthread_create(&other, NULL, consumer, &run), 0);
    execute(&run);
    assert_int_equal(tn_finish(run.core, &stream, "exit"), 0);
    __atomic_store_n(&run.over, true, __ATOMIC_RELEASE);
    if (who == APART)
        pthread_join(other, NULL);
    tn_core_free(run.core);
    return stream;
}

static void same_profiles(bool early)
{
    struct host_stream here = profile(HERE, early);

    assert_true(here.size > 10000);
    for (enum consumer who = APART; who <= LAZY; who++) {
        struct host_stream other = profile(who, early);
        assert_int_equal(here.size, other.size);
        assert_memory_equal(here.data, other.data, here.size);
        free(other.data);
    }
    free(here.data);
}

static void same_when_pruned(void **state)
{
    (void)state;
    same_profiles(false);
}

static void same_when_offered_early(void **state)
{
    (void)state;
    same_profiles(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_when_pruned), cmocka_unit_test(same_when_offered_early)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
