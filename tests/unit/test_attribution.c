/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_attribution.c: the numbered examples of docs/attribution.md, as they stand there. Tables: (function,
 * calls, self, inclusive) and (caller, callee, calls, inclusive). Each runs with all call paths kept and
 * with none.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MAIN = KIT_MAIN, F = KIT_F, G = KIT_G, L = KIT_L, H = KIT_H, P = KIT_P };

static struct kit *start(void **state)
{
    struct pair_config config = kit_config();

    config.paths = *(const uint64_t *)*state;
    return kit_new(&config);
}

static void example_1(struct kit *k, bool dump)
{
    kit_begin(k, 0, MAIN);
    kit_run(k, 2);
    kit_call(k, F);
    kit_run(k, 2);
    if (dump)
        return;
    kit_run(k, 1);
    kit_return(k);
    kit_run(k, 1);
    kit_finish(k);
}

static void a_call(void **state)
{
    struct kit *k = start(state);

    example_1(k, false);
    kit_function_is(k, MAIN, 1, 4, 8);
    kit_function_is(k, F, 1, 4, 4);
    kit_arc_is(k, MAIN, F, 1, 4);
    kit_free(k);
}

static void a_line_pays_where_it_was_loaded(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    kit_call(k, F);
    kit_call(k, G);
    kit_read(k, 0, 0x1000, 8);
    kit_return(k);
    kit_return(k);
    kit_read(k, 0, 0x2000, 8);
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, G, 0, M_D_USE1 + M_SPLOSS), 56);
    assert_int_equal(kit_self(k, G, M_D_USE1 + M_SPLOSS), 56);
    assert_int_equal(kit_self(k, F, M_D_USE1 + M_SPLOSS), 0);
    assert_int_equal(kit_inclusive(k, G, M_D_USE1 + M_SPLOSS), 56);
    assert_int_equal(kit_inclusive(k, F, M_D_USE1 + M_SPLOSS), 56);
    assert_int_equal(kit_inclusive(k, MAIN, M_D_USE1 + M_SPLOSS), 112);
    assert_int_equal(kit_self(k, MAIN, M_D_USE1 + M_SPLOSS), 56);
    assert_int_equal(kit_arc(k, MAIN, F, M_D_USE1 + M_SPLOSS), 56);
    assert_int_equal(kit_arc(k, F, G, M_D_USE1 + M_SPLOSS), 56);
    kit_free(k);
}

static void direct_recursion(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    for (int i = 0; i < 4; i++) {
        kit_call(k, F);
        kit_run(k, 2);
    }
    for (int i = 0; i < 4; i++)
        kit_return(k);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 1, 16);
    kit_function_is(k, F, 4, 15, 15);
    kit_arc_is(k, MAIN, F, 1, 15);
    kit_arc_is(k, F, F, 3, 11);
    kit_free(k);
}

static void mutual_recursion(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    for (int i = 0; i < 4; i++) {
        kit_run(k, 1);
        kit_call(k, i % 2 ? G : F);
    }
    kit_run(k, 1);
    for (int i = 0; i < 4; i++)
        kit_return(k);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 2, 13);
    kit_function_is(k, F, 2, 6, 11);
    kit_function_is(k, G, 2, 5, 8);
    kit_arc_is(k, MAIN, F, 1, 11);
    kit_arc_is(k, F, G, 2, 8);
    kit_arc_is(k, G, F, 1, 5);
    kit_free(k);
}

static void tail_call(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    kit_run(k, 1);
    kit_call(k, F);
    kit_run(k, 2);
    kit_jump(k, G);
    kit_run(k, 3);
    kit_return(k);
    kit_run(k, 1);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 3, 10);
    kit_function_is(k, F, 1, 3, 7);
    kit_function_is(k, G, 1, 4, 4);
    kit_arc_is(k, MAIN, F, 1, 7);
    kit_arc_is(k, F, G, 1, 4);
    kit_free(k);
}

static void longjmp_out(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    kit_run(k, 1);
    kit_call(k, F);
    kit_run(k, 1);
    kit_call(k, G);
    kit_run(k, 2);
    kit_call(k, L);
    kit_run(k, 1);
    kit_longjmp(k, 3);
    kit_run(k, 2);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 4, 11);
    kit_function_is(k, F, 1, 2, 7);
    kit_function_is(k, G, 1, 3, 5);
    kit_function_is(k, L, 1, 2, 2);
    kit_arc_is(k, MAIN, F, 1, 7);
    kit_arc_is(k, F, G, 1, 5);
    kit_arc_is(k, G, L, 1, 2);
    kit_arc_is(k, L, MAIN, 0, 0);
    kit_free(k);
}

static void coroutine(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    kit_run(k, 1);
    kit_stack(k, 1, G);
    kit_run(k, 2);
    kit_stack(k, 0, MAIN);
    kit_run(k, 1);
    kit_stack(k, 1, G);
    kit_run(k, 1);
    kit_stack(k, 0, MAIN);
    kit_run(k, 1);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 5, 10);
    kit_function_is(k, G, 1, 5, 5);
    kit_arc_is(k, MAIN, G, 1, 5);
    kit_arc_is(k, G, MAIN, 0, 0);
    kit_free(k);
}

static void signal_handler(void **state)
{
    struct kit *k = start(state);

    kit_begin(k, 0, MAIN);
    kit_run(k, 1);
    kit_call(k, F);
    kit_run(k, 2);
    kit_signal(k, H);
    kit_run(k, 1);
    kit_call(k, F);
    kit_run(k, 3);
    kit_return(k);
    kit_signal_return(k);
    kit_run(k, 1);
    kit_return(k);
    kit_run(k, 1);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 3, 7);
    kit_function_is(k, F, 2, 8, 8);
    kit_function_is(k, H, 1, 3, 7);
    kit_arc_is(k, MAIN, F, 1, 4);
    kit_arc_is(k, H, F, 1, 4);
    assert_int_equal(kit_total(k, M_IR), 14);
    kit_free(k);
}

static void missing_parent(void **state)
{
    struct kit *k = start(state);

    kit_resume(k, 0, G);
    kit_run(k, 3);
    kit_return_above(k, F);
    kit_run(k, 2);
    kit_finish(k);
    kit_function_is(k, F, 0, 2, 6);
    kit_function_is(k, G, 1, 4, 4);
    kit_unknown_arc_is(k, F, G, 1, 4);
    kit_free(k);
}

static void skipped_stub(void **state)
{
    struct kit *k = start(state);

    kit_function(k, MAIN, 0);
    kit_function(k, P, M1_SKIP);
    kit_begin(k, 0, MAIN);
    kit_run(k, 1);
    kit_call(k, P);
    kit_run(k, 1);
    kit_jump(k, F);
    kit_run(k, 2);
    kit_return(k);
    kit_run(k, 1);
    kit_finish(k);
    kit_function_is(k, MAIN, 1, 5, 8);
    kit_function_is(k, F, 1, 3, 3);
    kit_function_is(k, P, 0, 0, 0);
    kit_arc_is(k, MAIN, F, 1, 3);
    kit_free(k);
}

static void dump_in_a_call(void **state)
{
    struct kit *k = start(state);

    example_1(k, true);
    kit_dump(k);
    kit_function_is(k, MAIN, 1, 3, 5);
    kit_function_is(k, F, 1, 2, 2);
    kit_arc_is(k, MAIN, F, 1, 2);
    kit_run(k, 1);
    kit_return(k);
    kit_run(k, 1);
    kit_finish(k);
    kit_function_is(k, MAIN, 0, 1, 3);
    kit_function_is(k, F, 0, 2, 2);
    kit_arc_is(k, MAIN, F, 0, 2);
    kit_free(k);
}

static void toggle(void **state)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.paths = *(const uint64_t *)*state;
    config.collect_at_start = false;
    k = kit_new(&config);
    kit_function(k, F, M1_TOGGLE);
    example_1(k, false);
    kit_function_is(k, F, 1, 4, 4);
    kit_function_is(k, MAIN, 0, 0, 4);
    kit_arc_is(k, MAIN, F, 1, 4);
    kit_free(k);
}

static void toggled_coroutine(void **state)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.paths = *(const uint64_t *)*state;
    config.collect_at_start = false;
    k = kit_new(&config);
    kit_function(k, F, M1_TOGGLE);
    kit_begin(k, 0, MAIN);
    kit_run(k, 1);
    kit_call(k, F);
    kit_run(k, 1);
    kit_stack(k, 1, G);
    kit_run(k, 2);
    kit_stack(k, 0, F);
    kit_return(k);
    kit_run(k, 1);
    kit_stack(k, 1, G);
    kit_run(k, 1);
    kit_stack(k, 0, MAIN);
    kit_finish(k);
    kit_function_is(k, F, 1, 3, 6);
    kit_function_is(k, G, 1, 3, 3);
    kit_function_is(k, MAIN, 0, 0, 6);
    kit_arc_is(k, MAIN, F, 1, 6);
    kit_arc_is(k, F, G, 1, 3);
    kit_free(k);
}

static void contexts(void **state)
{
    struct pair_config config = kit_config();
    struct kit_context main_ = {MAIN, 1, KIT_FUNCTIONS}, f = {F, 1, MAIN}, f2 = {F, 2, MAIN}, gf = {G, 1, F},
                       gm = {G, 1, MAIN};
    struct kit *k;

    config.paths = *(const uint64_t *)*state;
    config.separate_callers = 1;
    config.separate_recs = 2;
    k = kit_new(&config);
    kit_begin(k, 0, MAIN);
    for (int i = 0; i < 3; i++) {
        if (i < 2)
            kit_call(k, F);
        kit_call(k, G);
        kit_run(k, 1);
        kit_return(k);
        if (i == 1) {
            kit_return(k);
            kit_return(k);
        }
    }
    kit_finish(k);
    kit_context_is(k, main_, 1, 2, 13);
    kit_context_is(k, f, 1, 3, 9);
    kit_context_is(k, f2, 1, 2, 4);
    kit_context_is(k, gf, 2, 4, 4);
    kit_context_is(k, gm, 1, 2, 2);
    kit_context_arc_is(k, main_, f, 1, 9);
    kit_context_arc_is(k, f, gf, 1, 2);
    kit_context_arc_is(k, f, f2, 1, 4);
    kit_context_arc_is(k, f2, gf, 1, 2);
    kit_context_arc_is(k, main_, gm, 1, 2);
    assert_int_equal(kit_context_runs(k, gf), 2);
    assert_int_equal(kit_context_runs(k, gm), 1);
    kit_free(k);
}

/* One example, with both policies. */
#define BOTH(test)                                                                                           \
    {#test ", paths kept", test, NULL, NULL, &kept},                                                         \
    {                                                                                                        \
#test ", paths pruned", test, NULL, NULL, &pruned                                                    \
    }

int main(void)
{
    static uint64_t kept = 1000000, pruned = 0;
    const struct CMUnitTest tests[] = {
        BOTH(a_call),           BOTH(a_line_pays_where_it_was_loaded),
        BOTH(direct_recursion), BOTH(mutual_recursion),
        BOTH(tail_call),        BOTH(longjmp_out),
        BOTH(coroutine),        BOTH(signal_handler),
        BOTH(missing_parent),   BOTH(skipped_stub),
        BOTH(dump_in_a_call),   BOTH(toggle),
        BOTH(contexts),         BOTH(toggled_coroutine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
