/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_moves.c: a stack that is copied to other memory while a function runs on it, as Go's runtime does, keeps its
 * activations (docs/attribution.md, section 5); and what only looks so is another stack.
 */
#include "bare.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MAIN, F, G, GROW, COPY, FUNCTIONS };
static const uint64_t first = 0x7fff00000000, system_stack = 0x600000000000, second = 0x500000000000,
                      third = 0x500000100000;

static struct bare b;
static uint32_t function[FUNCTIONS], site[FUNCTIONS];
static char active[256];

static int begin(void **state)
{
    static const char *const names[FUNCTIONS] = {"main", "f", "g", "grow", "copy"};
    struct tn_config config;

    (void)state;
    tn_config_default(&config);
    bare_open(&b, &config);
    for (int i = 0; i < FUNCTIONS; i++) {
        uint64_t start = 0x400000 + 1024 * (uint64_t)i;
        struct tn_function_info info = {b.object, start, 1024, names[i], i == GROW ? TN_FN_MOVES_STACK : 0, 0, 0, {0}};
        function[i] = tn_function(b.core, &info);
        site[i] = bare_instr(&b, function[i], start, 0, 0).id;
    }
    tn_thread_begin(b.thread, function[MAIN], first);
    tn_call(b.thread, site[MAIN], function[F], first - 0x100, 1);
    tn_call(b.thread, site[F], function[GROW], first - 0x200, 2);
    tn_call(b.thread, site[GROW], function[COPY], system_stack, 3);
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_int_equal(tn_finish(b.core, &b.stream, "exit"), 0);
    bare_close(&b);
    return 0;
}

static void see(void *user, const char *name)
{
    (void)user;
    snprintf(active + strlen(active), sizeof active - strlen(active), " %s", name);
}

/* On the running stack. */
static void active_is(const char *expected)
{
    active[0] = '\0';
    tn_callers(b.thread, see, NULL);
    assert_string_equal(active, expected);
}

static void activations_move_with_their_stack(void **state)
{
    (void)state;
    active_is(" copy grow");
    tn_jump(b.thread, site[COPY], function[F], second);
    active_is(" f main");
    tn_call(b.thread, site[F], function[G], second - 0x100, 4);
    active_is(" g f main");
    tn_call(b.thread, site[G], function[GROW], second - 0x200, 5);
    tn_call(b.thread, site[GROW], function[COPY], system_stack, 6);
    tn_jump(b.thread, site[COPY], function[G], third);
    active_is(" g f main");
    tn_return(b.thread, site[G], third + 0x100, 4);
    active_is(" f main");
    tn_return(b.thread, site[F], third + 0x2f8, 1); /* it called g 0x1f8 below its own return address */
    active_is(" main");
}

static void another_function_is_on_another_stack(void **state)
{
    (void)state;
    tn_jump(b.thread, site[COPY], function[G], second);
    active_is(" g");
    tn_jump(b.thread, site[G], function[F], first - 0x1f8);
    active_is(" f main");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(activations_move_with_their_stack, begin, end),
        cmocka_unit_test_setup_teardown(another_function_is_on_another_stack, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
