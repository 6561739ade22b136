/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_deep.c: what only shows in large numbers. Recursion a million deep, direct and mutual, folds into a
 * handful of nodes; a line touched more often than a packed counter can count is counted right; accesses that meet in
 * the way table part.
 */
#include "bare.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { DEPTH = 1000000 };

static uint64_t arc(struct bare *b, uint32_t site, uint32_t caller, uint32_t callee, int column)
{
    char key[64];

    snprintf(key, sizeof key, "arc i%u f%u f%u", site, caller, callee);
    return bare_value(b, key, column);
}

static uint64_t function(struct bare *b, uint32_t f, int column)
{
    char key[64];

    snprintf(key, sizeof key, "func f%u", f);
    return bare_value(b, key, column);
}

/* main calls f[0], which calls f[1 % n], ...: DEPTH activations of n functions in turn; then all return. Each
 * activation executes its call (the last one not) and its return. */
static void recursion(uint32_t n, uint64_t paths)
{
    struct tn_config config;
    struct bare b;
    uint32_t main_id, f[4];
    uint64_t start[4], sp = 0x7fff00000000;
    struct bare_instr first, call[4], ret[4];
    struct tn_statistics statistics;

    tn_config_default(&config);
    config.paths = paths;
    config.prune_slack = 0;
    bare_open(&b, &config);
    first = bare_instr(&b, main_id = bare_function(&b, "main"), 0x400000, 0, 0);
    for (uint32_t i = 0; i < n; i++) {
        start[i] = b.next_address;
        f[i] = bare_function(&b, "f");
        call[i] = bare_instr(&b, f[i], start[i], 0, 0);
        ret[i] = bare_instr(&b, f[i], start[i], 1, 0);
    }
    tn_thread_begin(b.thread, main_id, sp);
    for (uint64_t depth = 0; depth < DEPTH; depth++) {
        const struct bare_instr *site = depth ? &call[(depth - 1) % n] : &first;

        bare_execute(&b, site, 0);
        tn_call(b.thread, site->id, f[depth % n], sp - 16 * (depth + 1), 0x400000 + 4 * depth);
    }
    tn_statistics(b.core, &statistics);
    assert_true(statistics.nodes_max <= 2 + 2 * n * n);
    for (uint64_t depth = DEPTH; depth--;) {
        bare_execute(&b, &ret[depth % n], 0);
        tn_return(b.thread, ret[depth % n].id, sp - 16 * (depth + 1) + 8, 0x400000 + 4 * depth);
    }
    assert_int_equal(tn_finish(b.core, &b.stream, "exit"), 0);
    assert_true(bare_part(&b));
    assert_int_equal(function(&b, main_id, SHEET_EVENTS + M_IR), 2 * DEPTH);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t above =
            i ? 2 * i - 1 + 1 : 0; /* what the activations above the first of f[i] execute, + main's call */

        assert_int_equal(function(&b, f[i], SHEET_CALLS), DEPTH / n);
        assert_int_equal(function(&b, f[i], SHEET_EVENTS + M_IR), 2 * DEPTH - 1 - above);
        assert_int_equal(arc(&b, call[i].id, f[i], f[(i + 1) % n], SHEET_CALLS), DEPTH / n - (i + 1 == n));
        assert_int_equal(arc(&b, call[i].id, f[i], f[(i + 1) % n], SHEET_EVENTS + M_IR),
                         2 * DEPTH - 1 - 2 * (i + 1));
    }
    bare_close(&b);
}

static void direct_recursion(void **state)
{
    (void)state;
    recursion(1, 1000000);
    recursion(1, 0);
}

static void mutual_recursion(void **state)
{
    (void)state;
    recursion(2, 1000000);
    recursion(2, 0);
    recursion(4, 1000000);
    recursion(4, 0);
}

/* main calls each of many functions, over and over: where their nodes are pruned and made again, more are kept, up to
 * four times as many. */
static void many_paths(void **state)
{
    enum { LIMIT = 10, FUNCTIONS = 100, ROUNDS = 20 };
    const uint64_t sp = 0x7fff00000000;
    struct tn_statistics statistics;
    struct bare_instr call, ret[FUNCTIONS];
    uint32_t main_id, f[FUNCTIONS];

    (void)state;
    for (uint32_t doublings = 0; doublings <= 2; doublings++) {
        struct tn_config config;
        struct bare b;
        tn_config_default(&config);
        config.paths = LIMIT;
        config.most_doublings = doublings;
        config.prune_slack = 0;
        bare_open(&b, &config);
        call = bare_instr(&b, main_id = bare_function(&b, "main"), 0x400000, 0, 0);
        for (uint32_t i = 0; i < FUNCTIONS; i++) {
            f[i] = bare_function(&b, "f");
            ret[i] = bare_instr(&b, f[i], b.next_address, 1, 0);
        }
        tn_thread_begin(b.thread, main_id, sp);
        for (uint32_t i = 0; i < ROUNDS * FUNCTIONS; i++) {
            tn_call(b.thread, call.id, f[i % FUNCTIONS], sp - 16, 0x400004); /* no line keeps its node */
            tn_return(b.thread, ret[i % FUNCTIONS].id, sp - 8, 0x400004);
        }
        tn_statistics(b.core, &statistics);
        assert_in_range(statistics.nodes_max, LIMIT << doublings, (LIMIT << doublings) + 2);
        bare_close(&b);
    }
}

/* One line, read N times by one instruction, more than 2^26 touches and 2^28 bytes, with a tick now and
 * then. */
static void many_touches(void **state)
{
    const uint64_t n = (1ull << 27) + 12345;
    struct tn_config config;
    struct bare b;
    struct bare_instr load;
    struct tn_access_info info = {.back = TN_STEP, .size = 8, .kind = TN_READ};
    uint32_t main_id, access;
    char key[64];

    (void)state;
    tn_config_default(&config);
    bare_open(&b, &config);
    load = bare_instr(&b, main_id = bare_function(&b, "main"), 0x400000, 0, 1);
    info.instr = load.id;
    access = tn_access(b.core, &info);
    tn_thread_begin(b.thread, main_id, 0x7fff00000000);
    for (uint64_t i = 0; i < n; i++) {
        bare_execute(&b, &load, 1);
        tn_hot_data(b.thread, b.layout, 0x10000000 + (i & 7) * 8, access, 8, info.back, false, true);
        if ((i & ((1u << 20) - 1)) == 0)
            tn_tick(b.thread);
    }
    assert_int_equal(tn_finish(b.core, &b.stream, "exit"), 0);
    assert_true(bare_part(&b));
    snprintf(key, sizeof key, "self t0 i%u", load.id);
    assert_int_equal(bare_value(&b, key, SHEET_EVENTS + M_IR), n);
    assert_int_equal(bare_value(&b, key, SHEET_EVENTS + M_DR), n);
    assert_int_equal(bare_value(&b, key, SHEET_EVENTS + M_D1MR), 1);
    for (int first = M_D_USE1; first <= M_D_USEL; first += M_D_USEL - M_D_USE1) {
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + first + M_TCH), n);
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + first + M_BYT), 8 * n);
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + first + M_USE), 64);
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + first + M_ACCOST), 65536000 / n);
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + first + M_AGE), 2 * n - 1);
    }
    assert_int_equal(bare_value(&b, key, SHEET_EVENTS + M_I_USE1 + M_TCH), n);
    bare_close(&b);
}

/* What two instructions read has the same place in the way table, but not in the cache: one of them moves to another
 * table, and the slow path is left alone. */
static void aliases(void **state)
{
    enum { ROUNDS = 1000, LIMIT = 10 };
    struct tn_config config;
    struct bare b;
    struct bare_instr load[2];
    struct tn_access_info info = {.back = TN_STEP, .size = 8, .kind = TN_READ};
    struct tn_statistics statistics;
    uint64_t address, moved = 0;
    uint32_t main_id, access[2];

    (void)state;
    tn_config_default(&config);
    config.alias_limit = LIMIT;
    bare_open(&b, &config);
    main_id = bare_function(&b, "main");
    for (uint32_t i = 0; i < 2; i++) {
        load[i] = bare_instr(&b, main_id, 0x400000, i, 1);
        info.instr = load[i].id;
        access[i] = tn_access(b.core, &info);
    }
    tn_thread_begin(b.thread, main_id, 0x7fff00000000);
    for (uint32_t i = 0; i < 2 * ROUNDS; i++) {
        uint32_t table, id = tn_access_now(b.core, access[i & 1], &table);

        bare_execute(&b, &load[i & 1], 1);
        tn_hot_data_in(b.thread, b.layout, table, 0x10000000 + (i & 1) * 0x400000, id, 8, info.back, false, true);
        moved += i > ROUNDS && tn_access_moved(b.core, &address);
    }
    tn_statistics(b.core, &statistics);
    assert_int_equal(moved, 1);
    assert_int_equal(address, 0);
    assert_in_range(statistics.slow_data, 2 * LIMIT, 2 * LIMIT + 4);
    assert_int_equal(tn_finish(b.core, &b.stream, "exit"), 0);
    assert_true(bare_part(&b));
    for (uint32_t i = 0; i < 2; i++) {
        char key[64];

        snprintf(key, sizeof key, "self t0 i%u", load[i].id);
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + M_D1MR), 1);
        assert_int_equal(bare_value(&b, key, SHEET_EVENTS + M_D_USE1 + M_TCH), ROUNDS);
    }
    bare_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_recursion),
        cmocka_unit_test(mutual_recursion), cmocka_unit_test(many_paths),
        cmocka_unit_test(many_touches),
        cmocka_unit_test(aliases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
