/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * costs_test: costs of a sum are what was put, however large and in whatever order; in memory, in a file that is let go
 * again and again, and where there is no place for a file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/sum/sum.h"

enum { EVENTS = 7, LANES = 3, ROWS = 3000, ROUNDS = 30000 };

static uint64_t state;

static uint64_t next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 16;
}

/* 0 and NULL are frequent, and so are small numbers. */
static int64_t some_cost(void)
{
    switch (next() % 6) {
    case 0: return TP_NONE;
    case 1: return INT64_MAX - (int64_t)(next() % 3);
    case 2: return -INT64_MAX + (int64_t)(next() % 3);
    case 3: return (int64_t)(next() >> next() % 48) * (next() % 2 ? 1 : -1);
    default: return 0;
    }
}

static void make(struct tp_sum *sum, size_t limit)
{
    struct tp_error err;
    char name[8];

    assert_int_equal(tp_sum_begin(sum, false, &err), 0);
    tp_spill_free(sum->spill);
    sum->spill = tp_spill_new(limit);
    assert_non_null(sum->spill);
    for (int i = 0; i < EVENTS; i++) {
        snprintf(name, sizeof name, "E%d", i);
        assert_int_equal(tp_events_add(&sum->events, name, name, false), 0);
    }
    sum->stored = EVENTS;
    sum->lanes = LANES;
    tp_sum_make_room(sum);
}

static int64_t *row_of(struct tp_sum *sum, int table, int64_t number)
{
    int64_t key[TP_MAX_FIELDS] = {number};
    uint32_t index;
    bool made;
    int64_t *row = tp_rows_get(&sum->rows[table], key, &index, &made);

    assert_non_null(row);
    return row;
}

/* `wanted` has the costs of all rows' lanes; 0 at first, as what was never put is. */
static void put_and_get(size_t limit, bool in_file)
{
    struct tp_sum sum;

    state = limit;
    make(&sum, limit);
    int table = tp_sum_table(&sum, "t_functions");
    size_t count = tp_sum_costs(&sum, table);
    int64_t *wanted = calloc((size_t)ROWS * LANES * count, sizeof *wanted), got[TP_SUM_COSTS];
    assert_non_null(wanted);
    for (int round = 0; round < ROUNDS; round++) {
        size_t number = next() % ROWS;
        int lane = (int)(next() % LANES);
        int64_t *costs = wanted + (number * LANES + (size_t)lane) * count;
        for (size_t i = 0; i < count; i++)
            costs[i] = some_cost();
        assert_int_equal(tp_sum_put(&sum, table, row_of(&sum, table, (int64_t)number), lane, costs), 0);
    }
    for (size_t i = 0; i < (size_t)ROWS * LANES; i++) {
        tp_sum_get(&sum, table, row_of(&sum, table, (int64_t)(i / LANES)), (int)(i % LANES), got);
        assert_memory_equal(got, wanted + i * count, count * sizeof *got);
    }
    assert_int_equal(sum.spill->piece.count > 0, in_file);
    free(wanted);
    tp_sum_free(&sum);
}

static void in_memory(void **unused)
{
    (void)unused;
    put_and_get(TP_SPILL_LIMIT, false);
}

static void in_a_file(void **unused)
{
    (void)unused;
    put_and_get(0, true);
    put_and_get(100000, true);
}

/* TMPDIR need not be there. */
static void in_another_folder(void **unused)
{
    (void)unused;
    setenv("TMPDIR", "/nonexistent", 1);
    put_and_get(100000, true);
    unsetenv("TMPDIR");
}

static void without_a_file(void **unused)
{
    struct tp_spill *spill = tp_spill_new(100);
    char *piece[100];

    (void)unused;
    assert_non_null(spill);
    spill->file = -1; /* as where none can be made */
    for (size_t i = 0; i < 100; i++) {
        piece[i] = tp_spill_alloc(spill, 1000);
        assert_non_null(piece[i]);
        assert_int_equal(piece[i][0] | piece[i][999], 0);
        memset(piece[i], (int)i, 1000);
    }
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(piece[i][999], i);
    assert_int_equal(spill->piece.count, 0);
    tp_spill_free(spill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_a_file),
        cmocka_unit_test(in_another_folder),
        cmocka_unit_test(without_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
