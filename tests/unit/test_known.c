/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_known.c: programs whose counts follow by arithmetic. Expected values are the formulas of
 * docs/model.md; nothing here was obtained by running anything.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAIN = KIT_MAIN, UNIT = 1 << 16 }; /* UNIT: AcCost's */

static const uint64_t A = 0x10000000, B = 0x20000000;

static struct kit *start(struct model_cache_config d1, struct model_cache_config ll)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.d1 = d1;
    config.ll = ll;
    k = kit_new(&config);
    kit_begin(k, 0, MAIN);
    return k;
}

static uint64_t read_use(struct kit *k, uint32_t which, int use)
{
    return kit_read_cost(k, MAIN, which, M_D_USE1 + use);
}

/* b[i][j] = a[j][i], 500 x 500 doubles (seed 003). A column of a is 500 lines, 15.6 for each of the 32 sets
 * of 8 ways: each is evicted before the next column wants it. b is written in order, 8 doubles to a line. */
static void transposition(void **state)
{
    enum { N = 500 };
    struct kit *k =
        start((struct model_cache_config){16384, 8, 64}, (struct model_cache_config){8 << 20, 16, 64});

    (void)state;
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t j = 0; j < N; j++) {
            kit_read(k, 0, A + (j * N + i) * 8, 8);
            kit_write(k, 0, B + (i * N + j) * 8, 8);
        }
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DR), N * N);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), N * N);
    assert_int_equal(read_use(k, 0, M_EV), N * N);
    assert_int_equal(read_use(k, 0, M_USE), 8 * N * N);
    assert_int_equal(read_use(k, 0, M_SPLOSS), (64 - 8) * N * N);
    assert_int_equal(read_use(k, 0, M_ACCOST), 1000ull * UNIT * N * N);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR),
                     N * N * 8 / 64); /* all of a stays in the last level */
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_SPLOSS), 0);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_ACCOST), 125ull * UNIT * N * N / 8);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D1MW), N * N * 8 / 64);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D_USE1 + M_SPLOSS), 0);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D_USE1 + M_ACCOST), 125ull * UNIT * N * N / 8);
    kit_free(k);
}

/* The same array read by rows and by columns. Rows of 4096 bytes: a column is one set of 8 ways. */
static void row_and_column_order(void **state)
{
    enum { N = 512 };
    struct kit *k =
        start((struct model_cache_config){32768, 8, 64}, (struct model_cache_config){8 << 20, 16, 64});

    (void)state;
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t j = 0; j < N; j++)
            kit_read(k, 0, A + (i * N + j) * 8, 8);
    for (uint64_t j = 0; j < N; j++)
        for (uint64_t i = 0; i < N; i++)
            kit_read(k, 1, A + (i * N + j) * 8, 8);
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), N * N / 8);
    assert_int_equal(read_use(k, 0, M_SPLOSS), 0);
    assert_int_equal(read_use(k, 0, M_TCH), N * N);
    assert_int_equal(kit_read_cost(k, MAIN, 1, M_D1MR), N * N);
    assert_int_equal(kit_read_cost(k, MAIN, 1, M_DLMR), 0);
    assert_int_equal(read_use(k, 1, M_SPLOSS), 56 * N * N);
    assert_int_equal(read_use(k, 1, M_TCH), N * N);
    kit_free(k);
}

/* Four times along 4096 nodes of 128 bytes, in a fixed random order, reading 8 + 4 bytes of each: 128 nodes
 * for each set used of 8 ways, in the last level 16 for 8. Every first read misses both. */
static void pointer_chase(void **state)
{
    enum { NODES = 4096, ROUNDS = 4 };
    struct kit *k =
        start((struct model_cache_config){32768, 8, 64}, (struct model_cache_config){262144, 8, 64});
    uint32_t order[NODES], seed = 1;

    (void)state;
    for (uint32_t i = 0; i < NODES; i++)
        order[i] = i;
    for (uint32_t i = NODES - 1; i; i--) {
        uint32_t j = (seed = seed * 1103515245 + 12345) % (i + 1), t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < NODES; i++) {
            kit_read(k, 0, A + order[i] * 128, 8);
            kit_read(k, 1, A + order[i] * 128 + 8, 4);
        }
    kit_finish(k);
    for (int level = 0; level < 2; level++) {
        int first = level ? M_D_USEL : M_D_USE1;

        assert_int_equal(kit_read_cost(k, MAIN, 0, level ? M_DLMR : M_D1MR), ROUNDS * NODES);
        assert_int_equal(kit_read_cost(k, MAIN, 1, level ? M_DLMR : M_D1MR), 0);
        assert_int_equal(kit_read_cost(k, MAIN, 0, first + M_TCH), 2 * ROUNDS * NODES);
        assert_int_equal(kit_read_cost(k, MAIN, 0, first + M_USE), 12 * ROUNDS * NODES);
        assert_int_equal(kit_read_cost(k, MAIN, 0, first + M_SPLOSS), 52 * ROUNDS * NODES);
        assert_int_equal(kit_read_cost(k, MAIN, 0, first + M_ACCOST), 500ull * UNIT * ROUNDS * NODES);
    }
    kit_free(k);
}

/* docs/model.md 3: both halves miss; one hits, one misses; both hit. */
static void straddling(void **state)
{
    struct kit *k =
        start((struct model_cache_config){32768, 8, 64}, (struct model_cache_config){1 << 20, 8, 64});

    (void)state;
    kit_read(k, 0, A + 60, 8);  /* lines 0 and 1 */
    kit_read(k, 1, A + 124, 8); /* line 1 is there, line 2 is not */
    kit_read(k, 2, A + 60, 8);
    kit_write(k, 0, A + 256 + 60, 8); /* lines 4 and 5 */
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), 1);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR), 1);
    assert_int_equal(read_use(k, 0, M_EV), 2);
    assert_int_equal(read_use(k, 0, M_TCH), 1 + 1 + 1 + 2);
    assert_int_equal(read_use(k, 0, M_BYT), 4 + 4 + 4 + 8);
    assert_int_equal(read_use(k, 0, M_USE), 4 + (4 + 4));
    assert_int_equal(kit_read_cost(k, MAIN, 1, M_D1MR), 1);
    assert_int_equal(read_use(k, 1, M_EV), 1);
    assert_int_equal(read_use(k, 1, M_SPLOSS), 60);
    assert_int_equal(kit_read_cost(k, MAIN, 2, M_D1MR), 0);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D1MW), 1);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D1MR), 0);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D_USE1 + M_EV), 2);
    kit_free(k);
}

/* The example of docs/model.md 5, and an access wider than its lines. */
static void line_use(void **state)
{
    struct kit *k =
        start((struct model_cache_config){64, 1, 64}, (struct model_cache_config){1 << 20, 8, 64});

    (void)state;
    kit_read(k, 0, A, 8); /* index 1: its fetch has 0 */
    kit_read(k, 0, A, 8);
    kit_write(k, 0, A + 6, 2);
    kit_run(k, 5);
    kit_read(k, 1, A + 64, 200); /* 64 + 64 + 64 + 8 bytes; index 6 + 5 + 1 = 12 */
    kit_finish(k);
    assert_int_equal(read_use(k, 0, M_EV), 1);
    assert_int_equal(read_use(k, 0, M_TCH), 3);
    assert_int_equal(read_use(k, 0, M_BYT), 18);
    assert_int_equal(read_use(k, 0, M_USE), 8);
    assert_int_equal(read_use(k, 0, M_SPLOSS), 56);
    assert_int_equal(read_use(k, 0, M_ACCOST), 21845333);
    assert_int_equal(read_use(k, 0, M_AGE), 12 - 1);
    assert_int_equal(kit_read_cost(k, MAIN, 1, M_D1MR), 1);
    assert_int_equal(read_use(k, 1, M_EV), 4);
    assert_int_equal(read_use(k, 1, M_USE), 200);
    assert_int_equal(read_use(k, 1, M_SPLOSS), 56);
    kit_free(k);
}

/* docs/model.md 6: A's record outlives A's stay in the last level. */
static void record_outlives_line(void **state)
{
    struct pair_config config = kit_config();
    struct kit *k;

    (void)state;
    config.i1 = config.ll = (struct model_cache_config){64, 1, 64};
    k = kit_new(&config);
    kit_begin(k, 0, MAIN);
    kit_read(k, 0, A, 8); /* 0: code; 1: A, which evicts the code's line from the last level */
    kit_call(k, KIT_F);   /* 2: another line of code */
    kit_read(k, 0, A, 8); /* 3: another line of code, which evicts F's last; 4: hit */
    kit_read(k, 1, B, 8); /* 5: hit; 6: evicts A from D1, and A's record ends */
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR), 1);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_TCH), 2);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_EV), 1);
    assert_true(kit_read_cost(k, MAIN, 0, M_D_USEL + M_AGE) == read_use(k, 0, M_AGE));
    assert_int_equal(kit_read_cost(k, KIT_F, 0, M_D1MR), 0);
    kit_free(k);
}

/* Seven branches fill the history with ones, each under an index of its own; two more bring the counter of
 * the last index to 2. */
static void predictable_branch(void **state)
{
    struct kit *k =
        start((struct model_cache_config){64, 1, 64}, (struct model_cache_config){1 << 20, 8, 64});
    enum { N = 1000, HISTORY = 7 };

    (void)state;
    for (int i = 0; i < N; i++)
        kit_branch(k, true);
    for (int i = 0; i < N; i++)
        kit_indirect(k, 0x400000);
    kit_finish(k);
    assert_int_equal(kit_total(k, M_BC), N);
    assert_int_equal(kit_total(k, M_BCM), HISTORY + 2);
    assert_int_equal(kit_total(k, M_BI), N);
    assert_int_equal(kit_total(k, M_BIM), 1);
    kit_free(k);
}

/* Always what is not predicted. */
static void hostile_branch(void **state)
{
    struct kit *k =
        start((struct model_cache_config){64, 1, 64}, (struct model_cache_config){1 << 20, 8, 64});
    struct model_predictor *predictor = calloc(1, sizeof *predictor);
    enum { N = 1000 };

    (void)state;
    for (int i = 0; i < N; i++) {
        struct model_predictor before = *predictor;
        bool taken = model_predict_cond(predictor, kit_branch_address(k), true);

        *predictor = before;
        model_predict_cond(predictor, kit_branch_address(k), taken);
        kit_branch(k, taken);
        kit_indirect(k, i % 2 ? 0x400000 : 0x500000);
    }
    kit_finish(k);
    assert_int_equal(kit_total(k, M_BCM), N);
    assert_int_equal(kit_total(k, M_BIM), N);
    free(predictor);
    kit_free(k);
}

/* The example of docs/model.md, section 2: lines read, one after the other, in a D1 of one set of four ways. */
static void policies(void **state)
{
    static const struct {
        const char *lines;
        uint64_t misses[MODEL_POLICIES];
    } example[] = {
        {"01230412", {[MODEL_LRU] = 7, [MODEL_PLRU] = 6, [MODEL_RRIP] = 7}},
        {"001123456701", {[MODEL_LRU] = 10, [MODEL_PLRU] = 10, [MODEL_RRIP] = 8}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        for (enum model_policy policy = 0; policy < MODEL_POLICIES; policy++) {
            struct kit *k = start((struct model_cache_config){256, 4, 64, policy},
                                  (struct model_cache_config){1 << 20, 8, 64, policy});

            for (const char *line = example[i].lines; *line; line++)
                kit_read(k, 0, A + 64 * (uint64_t)(*line - '0'), 8);
            kit_finish(k);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), example[i].misses[policy]);
            kit_free(k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposition),      cmocka_unit_test(row_and_column_order),
        cmocka_unit_test(pointer_chase),      cmocka_unit_test(straddling),
        cmocka_unit_test(line_use),           cmocka_unit_test(record_outlives_line),
        cmocka_unit_test(predictable_branch), cmocka_unit_test(hostile_branch),
        cmocka_unit_test(policies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
