/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_traffic.c: what travels besides misses: lines written back and lines prefetched (docs/model.md, 9 and 10).
 * Expected values are formulas.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAIN = KIT_MAIN, LINE = 64, LINES = 4000 };

static const uint64_t A = 0x10000000, B = 0x20000000;

/* 4 KiB of D1, perhaps 16 KiB of L2, 64 KiB of the last level: 4000 lines go through each of them. */
static struct pair_config small_caches(bool level_2)
{
    struct pair_config config = kit_config();

    config.d1 = (struct model_cache_config){4096, 4, LINE};
    config.l2 = (struct model_cache_config){level_2 ? 16384 : 0, 8, LINE};
    config.ll = (struct model_cache_config){65536, 8, LINE};
    config.write_back = true;
    return config;
}

static struct kit *start(const struct pair_config *config)
{
    struct kit *k = kit_new(config);

    kit_begin(k, 0, MAIN);
    return k;
}

/* Lines written back and bytes changed, of lines that an instruction loaded, at every level there is. */
static void read_wrote(struct kit *k, bool level_2, uint64_t lines, uint64_t bytes)
{
    for (int first = M_D_WB1; first <= M_D_WBL; first += M_WRITES) {
        bool there = first != M_D_WB2 || level_2;

        assert_int_equal(kit_read_cost(k, MAIN, 0, first + M_WB), there ? lines : 0);
        assert_int_equal(kit_read_cost(k, MAIN, 0, first + M_WRT), there ? bytes : 0);
    }
}

static void write_wrote(struct kit *k, bool level_2, uint64_t lines, uint64_t bytes)
{
    for (int first = M_D_WB1; first <= M_D_WBL; first += M_WRITES) {
        bool there = first != M_D_WB2 || level_2;

        assert_int_equal(kit_write_cost(k, MAIN, 0, first + M_WB), there ? lines : 0);
        assert_int_equal(kit_write_cost(k, MAIN, 0, first + M_WRT), there ? bytes : 0);
    }
}

/* Every line of an array goes down once from each level; all of it changed, or 8 bytes of each line. */
static void an_array_is_written_once(void **state)
{
    (void)state;
    for (int level_2 = 0; level_2 < 2; level_2++) {
        for (uint64_t stride = 8; stride <= LINE; stride += LINE - 8) {
            struct pair_config config = small_caches(level_2);
            struct kit *k = start(&config);

            for (uint64_t at = 0; at < LINES * LINE; at += stride)
                kit_write(k, 0, A + at, 8);
            kit_finish(k);
            write_wrote(k, level_2, LINES, LINES * LINE / stride * 8);
            assert_int_equal(kit_inclusive(k, MAIN, M_D_WBL), LINES);
            kit_free(k);
        }
    }
}

/* What is copied from is never dirty; what is copied to goes down whole. */
static void a_copy(void **state)
{
    struct pair_config config = small_caches(true);
    struct kit *k = start(&config);

    (void)state;
    for (uint64_t at = 0; at < LINES * LINE; at += 8) {
        kit_read(k, 0, A + at, 8);
        kit_write(k, 0, B + at, 8);
    }
    kit_finish(k);
    read_wrote(k, true, 0, 0);
    write_wrote(k, true, LINES, LINES * LINE);
    kit_free(k);
}

/* Read, then changed in place: the read brought the line in, and pays. Twice over: each line goes down twice from D1;
 * the last level, which holds all of them, writes each back once, at the end. */
static void an_update_in_place(void **state)
{
    enum { SHORT = 512, ROUNDS = 2 };
    struct pair_config config = small_caches(false);
    struct kit *k = start(&config);

    (void)state;
    for (int round = 0; round < ROUNDS; round++)
        for (uint64_t at = 0; at < SHORT * LINE; at += LINE) {
            kit_read(k, 0, A + at, 8);
            kit_write(k, 0, A + at + 8 * round, 16);
        }
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_WB1 + M_WB), ROUNDS * SHORT);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_WB1 + M_WRT), ROUNDS * SHORT * 16);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_WBL + M_WB), SHORT);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_WBL + M_WRT), SHORT * (16 + 8));
    write_wrote(k, false, 0, 0);
    kit_free(k);
}

static void reading_writes_nothing(void **state)
{
    struct pair_config config = small_caches(true);
    struct kit *k = start(&config);

    (void)state;
    for (uint64_t at = 0; at < LINES * LINE; at += 8)
        kit_read(k, 0, A + at, 8);
    kit_finish(k);
    for (int first = M_D_WB1; first < M_D_WBL + M_WRITES; first++)
        assert_int_equal(kit_total(k, first), 0);
    kit_free(k);
}

/* The example of docs/model.md 9; and a straddling write makes two lines dirty. */
static void the_example(void **state)
{
    struct pair_config config = kit_config();
    struct kit *k;

    (void)state;
    config.ll = (struct model_cache_config){LINE, 1, LINE};
    config.write_back = true;
    k = start(&config);
    kit_write(k, 0, A, 8);
    kit_read(k, 0, A + 32, 8);
    kit_write(k, 1, A + 4, 8);
    kit_read(k, 1, B, 8);
    kit_finish(k);
    write_wrote(k, false, 1, 12);
    assert_int_equal(kit_total(k, M_D_WB1), 1);
    assert_int_equal(kit_total(k, M_D_WBL), 1);
    kit_free(k);

    k = start(&config);
    kit_write(k, 0, A + 60, 8);
    kit_finish(k);
    write_wrote(k, false, 2, 4 + 4);
    kit_free(k);
}

/* A line that a fetch brought into the last level, written through D1. */
static void code_is_written(void **state)
{
    struct pair_config config = small_caches(false);
    struct kit *k = start(&config);
    uint64_t code = kit_branch_address(k) & ~(uint64_t)(LINE - 1);

    (void)state;
    kit_branch(k, true);
    kit_write(k, 0, code, 8);
    kit_finish(k);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_D_WB1), 1);
    assert_int_equal(kit_total(k, M_I_WBL + M_WB), 1);
    assert_int_equal(kit_total(k, M_I_WBL + M_WRT), 8);
    assert_int_equal(kit_total(k, M_D_WBL), 0);
    kit_free(k);
}

/* Write-backs need no line use, and lines that are not charged at the end are not written back then. */
static void alone_and_unfinished(void **state)
{
    struct pair_config config = small_caches(false);
    struct kit *k;

    (void)state;
    config.use = false;
    config.flush_at_exit = false;
    k = start(&config);
    for (uint64_t at = 0; at < LINES * LINE; at += 8)
        kit_write(k, 0, A + at, 8);
    kit_finish(k);
    assert_int_equal(kit_total(k, M_D_WB1), LINES - 4096 / LINE);
    assert_int_equal(kit_total(k, M_D_USE1 + M_EV), 0);
    assert_in_range(kit_total(k, M_D_WBL), LINES - 65536 / LINE, LINES - 65536 / LINE + 8); /* and some for code */
    kit_free(k);
}

/* The example of docs/model.md 10: 64 lines a page, runs that begin anew in each, five lines too many at the end. */
static void a_walk_is_prefetched(void **state)
{
    enum { PAGES = 50, PAGE_LINES = 64, DISTANCE = 5 };
    struct pair_config config = small_caches(false);

    (void)state;
    config.write_back = false;
    config.prefetch[MODEL_STREAM] = true;
    for (int down = 0; down < 2; down++) {
        struct kit *k = start(&config);
        uint64_t bytes = (uint64_t)PAGES * PAGE_LINES * LINE;

        for (uint64_t at = 0; at < bytes; at += 8)
            kit_read(k, 0, down ? A + bytes - 8 - at : A + at, 8);
        kit_finish(k);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), PAGES * PAGE_LINES);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PFL), PAGES * (PAGE_LINES - 2));
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PFL + M_PFU), PAGES * (PAGE_LINES - 2) - DISTANCE);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR), 2 + DISTANCE + (PAGES - 1) * 2);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_EV), PAGES * PAGE_LINES + DISTANCE);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_SPLOSS), DISTANCE * LINE);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USEL + M_TCH), bytes / 8);
        kit_free(k);
    }
}

/* Jumps of two lines are no run; a line read again and again is none either. */
static void no_run_no_prefetch(void **state)
{
    struct pair_config config = small_caches(false);
    struct kit *k;

    (void)state;
    config.prefetch[MODEL_STREAM] = true;
    k = start(&config);
    for (uint64_t line = 0; line < LINES; line += 2)
        kit_read(k, 0, A + line * LINE, 8);
    for (int i = 0; i < 100; i++)
        kit_read(k, 0, A, 8);
    kit_finish(k);
    assert_int_equal(kit_total(k, M_D_PFL), 0);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR), LINES / 2 + 1);
    kit_free(k);
}

/* 64 lines, one after the other: each line but the first is there when it is asked for, or each second one. */
static void neighbours_are_prefetched(void **state)
{
    (void)state;
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        struct pair_config config = small_caches(false);
        struct kit *k;

        config.prefetch[adjacent ? MODEL_ADJACENT : MODEL_NEXT_LINE] = true;
        k = start(&config);
        for (uint64_t line = 0; line < LINES; line++)
            kit_read(k, 0, A + line * LINE, 8);
        kit_finish(k);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR), adjacent ? LINES / 2 : 1);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PFL), adjacent ? LINES / 2 : LINES);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PFL + M_PFU), adjacent ? LINES / 2 : LINES - 1);
        kit_free(k);
    }
}

/* The example of docs/model.md 10, upwards and downwards; and the same below D1, where pages do not matter. */
static void a_stride_is_prefetched(void **state)
{
    enum { PAGES = 20, STRIDE = 256, READS = PAGES * 4096 / STRIDE };

    (void)state;
    for (int below = 0; below < 2; below++) {
        for (int down = 0; down < 2; down++) {
            struct pair_config config = small_caches(false);
            struct kit *k;

            config.prefetch[MODEL_STRIDE + (below ? 0 : MODEL_PREFETCH_D1)] = true;
            k = start(&config);
            for (uint64_t i = 0; i < READS; i++)
                kit_read(k, 0, A + STRIDE * (down ? READS - 1 - i : i), 8);
            kit_finish(k);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), below ? READS : PAGES + 2);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_DLMR), below ? 3 : PAGES + 2);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PF1), below ? 0 : READS - PAGES - 2);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PF1 + M_PFU), below ? 0 : READS - PAGES - 2);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PFL), below ? READS - 2 : READS - PAGES - 2);
            assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PFL + M_PFU), below ? READS - 3 : READS - PAGES - 2);
            kit_free(k);
        }
    }
}

/* A line that is asked for goes on a run, as one that misses does: of a walk through one page, D1 misses the first
 * seven lines, as in the example of docs/model.md 10, with the next line ahead one. What is prefetched and not used is
 * told apart, also where it is in D1. */
static void what_is_asked_for_goes_on(void **state)
{
    (void)state;
    for (int next = 0; next < 2; next++) {
        struct pair_config config = small_caches(false);
        struct kit *k;

        config.prefetch[MODEL_PREFETCH_D1 + (next ? MODEL_NEXT_LINE : MODEL_STREAM)] = true;
        k = start(&config);
        for (uint64_t at = 0; at < 50 * LINE; at += 8)
            kit_read(k, 0, A + at, 8);
        kit_finish(k);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), next ? 1 : 7);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PF1), next ? 50 : 48);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_PF1 + M_PFU), next ? 49 : 43);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USE1 + M_EV), next ? 51 : 55);
        assert_int_equal(kit_read_cost(k, MAIN, 0, M_D_USE1 + M_SPLOSS), (next ? 1 : 5) * LINE);
        kit_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_written_once), cmocka_unit_test(a_copy),
        cmocka_unit_test(an_update_in_place),       cmocka_unit_test(reading_writes_nothing),
        cmocka_unit_test(the_example),              cmocka_unit_test(code_is_written),
        cmocka_unit_test(alone_and_unfinished),     cmocka_unit_test(a_walk_is_prefetched),
        cmocka_unit_test(no_run_no_prefetch),       cmocka_unit_test(neighbours_are_prefetched),
        cmocka_unit_test(a_stride_is_prefetched),   cmocka_unit_test(what_is_asked_for_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
