/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_patterns.c: kinds of misses, and strides between them, where they are known beforehand (docs/model.md,
 * sections 14 and 15).
 *
 * Each walk has one reason to miss. The models, which each part is compared with, see to what is in between.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAIN = KIT_MAIN, LINE = 64, SETS = 16, WAYS = 4, LINES = SETS * WAYS, ROUNDS = 10 };

static const uint64_t A = 0x10000000;

/* 4 KiB of D1, a last level that holds everything. */
static struct kit *start(void)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.d1 = (struct model_cache_config){LINES * LINE, WAYS, LINE};
    config.ll = (struct model_cache_config){1 << 20, 16, LINE};
    config.strides = config.patterns = true;
    config.data = false;
    k = kit_new(&config);
    kit_begin(k, 0, MAIN);
    return k;
}

static void kinds_are(struct kit *k, uint64_t cold, uint64_t capacity, uint64_t conflict)
{
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_KIND1 + M_COLD), cold);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_KIND1 + M_CAP), capacity);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_KIND1 + M_CONF), conflict);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), cold + capacity + conflict);
}

/* `rounds` times the same `lines`, `stride` bytes apart. */
static void walk(struct kit *k, uint64_t rounds, uint64_t lines, uint64_t stride)
{
    for (uint64_t round = 0; round < rounds; round++)
        for (uint64_t line = 0; line < lines; line++)
            kit_read(k, 0, A + line * stride, 8);
}

/* What fits is missed once; the last level misses it once in any case. */
static void first_touch(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, LINES, LINE);
    kit_finish(k);
    kinds_are(k, LINES, 0, 0);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_KINDL + M_COLD), LINES);
    kit_free(k);
}

/* Twice as many lines as there is room for, in all sets alike. */
static void too_many_lines(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, 2 * LINES, LINE);
    kit_finish(k);
    kinds_are(k, 2 * LINES, (ROUNDS - 1) * 2 * LINES, 0);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_KINDL + M_CAP), 0);
    kit_free(k);
}

/* Twice as many lines as a set has room for, and all in this one. */
static void a_power_of_two(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, 2 * WAYS, SETS * LINE);
    kit_finish(k);
    kinds_are(k, 2 * WAYS, 0, (ROUNDS - 1) * 2 * WAYS);
    kit_free(k);
}

/* The same, one line longer: in as many sets as there are lines. */
static void padded(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, 2 * WAYS, SETS * LINE + LINE);
    kit_finish(k);
    kinds_are(k, 2 * WAYS, 0, 0);
    kit_free(k);
}

/* Rows of a matrix, walked by columns: the stride is a row's size. What a part says of it: in pair_sheet. */
static void a_column_walk(void **state)
{
    enum { ROWS = 200, ROW = 4096 + 64 };
    struct kit *k = start();
    const struct sheet *sheet;
    bool found = false;

    (void)state;
    walk(k, 1, ROWS, ROW);
    kit_finish(k);
    sheet = pair_sheet(kit_pair(k));
    for (size_t i = 0; i < sheet->rows; i++) {
        long long bytes;

        if (sscanf(sheet->row[i].key, "stride %lld self", &bytes) != 1)
            continue;
        assert_int_equal(bytes, ROW);
        assert_int_equal(sheet->row[i].value[SHEET_EVENTS], ROWS - 1);
        found = true;
    }
    assert_true(found);
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_touch),    cmocka_unit_test(too_many_lines), cmocka_unit_test(a_power_of_two),
        cmocka_unit_test(padded), cmocka_unit_test(a_column_walk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
