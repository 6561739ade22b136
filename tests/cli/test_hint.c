/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_hint.c: what is said after a long recording (cli/record/hint.h), against the constants written down there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/record/hint.h"

#include <stdio.h>
#include <string.h>

/* The seconds that are said for a sampled recording; -1: nothing is said. */
static int seconds_said(double seconds, double accesses, double misses)
{
    char text[160];
    const char *said = hint_sampling(seconds, accesses, misses, text, sizeof text), *at;
    int took = 0, would = 0;

    if (said == NULL)
        return -1;
    assert_int_equal(sscanf(said, "this took %d s", &took), 1);
    assert_int_equal(took, (int)(seconds + 0.5));
    at = strstr(said, "--sample=8");
    assert_non_null(at);
    assert_non_null(at = strstr(at, "about "));
    assert_int_equal(sscanf(at, "about %d s", &would), 1);
    return would;
}

static void a_minute(void **state)
{
    (void)state;
    assert_int_equal(seconds_said(59.9, 20e9, 0.2e9), -1);
    /* 7/8 of 20 G accesses of 1.6 ns and 0.2 G misses of 70 ns are 40.25 s */
    assert_int_equal(seconds_said(60, 20e9, 0.2e9), 20);
    assert_int_equal(seconds_said(100, 20e9, 0.2e9), 60);
}

static void what_costs(void **state)
{
    (void)state;
    assert_int_equal(seconds_said(100, 20e9, 0), 72);  /* accesses alone: 28 s */
    assert_int_equal(seconds_said(100, 0, 0.4e9), 76); /* misses alone: 24.5 s */
}

static void no_gain(void **state)
{
    (void)state;
    assert_int_equal(seconds_said(100, 5e9, 0.01e9), -1); /* 7.6 s of 100 */
    assert_int_equal(seconds_said(100, 0, 0), -1);
}

static void slower(void **state)
{
    (void)state;
    assert_int_equal((int)(hint_slower(12, 1e9, 0) + 0.5), 100);
    assert_int_equal((int)(hint_slower(12, 1e9, 13.5e6) + 0.5), 10); /* 0.12 s, and 1.08 s of misses */
    assert_int_equal((int)(hint_slower(0.01, 1e9, 0) + 0.5), 1);
    assert_int_equal((int)(hint_slower(12, 0, 0) + 0.5), 0);
}

static void never_nothing(void **state)
{
    (void)state;
    assert_int_equal(seconds_said(100, 100e9, 2e9), 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute),
        cmocka_unit_test(what_costs),
        cmocka_unit_test(no_gain),
        cmocka_unit_test(slower),
        cmocka_unit_test(never_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
