/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_consumer.c: misses consumed by another thread: the same raw profile, byte for byte, as when the thread that
 * misses consumes them. Three threads of a parallel engine take turns. Either few paths are kept, so that pruning waits
 * often; or all, and batches are offered early now and then, as before system calls. One consumer takes as little as it
 * may, as late as it may. At last the threads run at the same time, and queue as many misses as by turns: that shows
 * data races (test 'consumer, races').
 */
#include "core/access/queue.h"
#include "core/cache_hot.h"
#include "host_hosted.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ACCESSES = 21000, INSTRS = 64, FUNCTIONS = 16, SIZE = 8, SPAN = 1 << 20, TURN = 1000, THREADS = 3 };
enum { WIDEST = TN_MAX_ACCESS }; /* of the first instruction: it misses as many lines as there can be */

struct run {
    tn_core *core;
    tn_thread *thread[THREADS];
    uint32_t function[FUNCTIONS], site[FUNCTIONS], access[INSTRS], segment[INSTRS];
    uint32_t depth[THREADS];
    enum consumer { HERE, APART, LAZY, TOGETHER } consumer;
    bool early; /* batches are offered early, all paths are kept */
    uint64_t random[THREADS], queued;
    bool over;
};

/* Each thread executes the same whenever it is its turn. */
static uint32_t draw(struct run *run, uint32_t t, uint32_t below)
{
    run->random[t] = run->random[t] * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(run->random[t] >> 33) % below;
}

static void ask(void *user, bool now)
{
    struct run *run = user;

    if (run->consumer == HERE || (now && run->consumer != APART))
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
    return instr ? SIZE : WIDEST;
}

static void start_thread(struct run *run, uint32_t t)
{
    run->thread[t] = tn_thread_new(run->core, t ? run->thread[0] : NULL, t + 1);
    tn_thread_begin(run->thread[t], run->function[0], 1 << 20);
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
    for (uint32_t t = 0; t < THREADS - (run->consumer == TOGETHER); t++)
        start_thread(run, t);
}

/* A call, a return, a system call, or nothing of the kind. */
static void move(struct run *run, uint32_t t)
{
    uint32_t what = draw(run, t, 64), f = draw(run, t, FUNCTIONS);

    if (what < 4 && run->depth[t] < 30)
        tn_call(run->thread[t], run->site[f], run->function[draw(run, t, FUNCTIONS)],
                (1 << 20) - 16 * ++run->depth[t], 7);
    else if (what >= 4 && what < 8 && run->depth[t] > 0)
        tn_return(run->thread[t], run->site[f], (1 << 20) - 16 * run->depth[t]-- + 8, 7);
    else if (what == 8 && run->early && draw(run, t, 24) == 0)
        tn_publish(run->thread[t]);
}

static void execute(struct run *run, uint32_t t, uint32_t accesses)
{
    const struct tn_layout *layout = tn_layout(run->core);

    for (uint32_t i = 0; i < accesses; i++) {
        uint32_t instr = draw(run, t, INSTRS);
        run->thread[t]->clock += 2 * TN_STEP;
        run->thread[t]->data += 1;
        ((uint64_t *)((char *)run->thread[t] + layout->counters))[run->segment[instr]]++;
        tn_hot_data(run->thread[t], layout, 0x100000 + draw(run, t, SPAN), run->access[instr], size_of(instr), TN_STEP,
                    false, true);
        move(run, t);
    }
}

static void by_turns(struct run *run)
{
    for (uint32_t i = 0; i < ACCESSES / TURN; i++)
        execute(run, i % THREADS, TURN);
}

static void *second(void *user)
{
    execute(user, 1, ACCESSES / THREADS);
    return NULL;
}

static void *third(void *user)
{
    execute(user, 2, ACCESSES / THREADS);
    return NULL;
}

/* The third is made while the second runs. */
static void together(struct run *run)
{
    pthread_t other[2];

    assert_int_equal(pthread_create(&other[0], NULL, second, run), 0);
    execute(run, 0, TURN);
    start_thread(run, 2);
    assert_int_equal(pthread_create(&other[1], NULL, third, run), 0);
    execute(run, 0, ACCESSES / THREADS - TURN);
    pthread_join(other[0], NULL);
    pthread_join(other[1], NULL);
}

static struct host_stream profile(enum consumer who, bool early, uint64_t *queued)
{
    struct run run = {.consumer = who, .early = early, .random = {1, 2, 3}};
    struct host_stream stream = {0};
    pthread_t other;
    bool apart = who == APART || who == TOGETHER;

    start(&run);
    if (apart)
        assert_int_equal(pthread_create(&other, NULL, consumer, &run), 0);
    if (who == TOGETHER)
        together(&run);
    else
        by_turns(&run);
    *queued = tn_queued(run.core);
    assert_int_equal(tn_finish(run.core, &stream, "exit"), 0);
    __atomic_store_n(&run.over, true, __ATOMIC_RELEASE);
    if (apart)
        pthread_join(other, NULL);
    tn_core_free(run.core);
    return stream;
}

static void same_profiles(bool early)
{
    uint64_t queued, others;
    struct host_stream here = profile(HERE, early, &queued);

    assert_true(here.size > 10000 && queued > ACCESSES);
    for (enum consumer who = APART; who <= TOGETHER; who++) {
        struct host_stream other = profile(who, early, &others);
        assert_int_equal(queued, others);
        if (who != TOGETHER) {
            assert_int_equal(here.size, other.size);
            assert_memory_equal(here.data, other.data, here.size);
        }
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
