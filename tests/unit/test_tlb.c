/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_tlb.c: misses of TLBs, and page walks, where they are known beforehand (docs/model.md, section 20).
 *
 * D1 holds all lines, so that only the first access to each calls by itself: what the TLBs miss later is found out only
 * if what a page leaves behind in D1 calls, too.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAIN = KIT_MAIN, PAGE = 4096, HELD = 4, BEHIND = 8, ROUNDS = 10 };

static const uint64_t A = 0x10000000; /* pages of 4 KB up to 16 KB from here, larger ones up to 32 KB, and so on */

/* 4 pages, and 8 behind; D1 of 512 lines. */
static struct kit *start(void)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.d1 = (struct model_cache_config){32 << 10, 8, 64};
    config.ll = (struct model_cache_config){1 << 20, 16, 64};
    config.itlb[0] = (struct model_tlb_config){HELD, HELD};
    config.dtlb[0] = (struct model_tlb_config){HELD, HELD};
    config.dtlb[1] = (struct model_tlb_config){BEHIND, BEHIND};
    config.data = false;
    k = kit_new(&config);
    kit_begin(k, 0, MAIN);
    return k;
}

/* Number `i` of pages of 4 KB, and a line in it that is in a set of its own. */
static uint64_t in_page(uint64_t i)
{
    return A + i / 4 * 8 * PAGE + i % 4 * PAGE + i * 64;
}

static void walk(struct kit *k, uint64_t rounds, uint64_t pages)
{
    for (uint64_t round = 0; round < rounds; round++)
        for (uint64_t i = 0; i < pages; i++)
            kit_read(k, 0, in_page(i), 8);
}

static void counts_are(struct kit *k, uint64_t lines, uint64_t missed, uint64_t walked)
{
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_D1MR), lines);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DTMR), missed);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DTWR), walked);
    kit_free(k);
}

static void what_fits_is_missed_once(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, HELD);
    counts_are(k, HELD, HELD, HELD);
}

/* With LRU the page that comes next has always just left. */
static void one_page_too_many(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, HELD + 1);
    counts_are(k, HELD + 1, ROUNDS * (HELD + 1), HELD + 1);
}

static void too_many_for_both(void **state)
{
    struct kit *k = start();

    (void)state;
    walk(k, ROUNDS, BEHIND + 1);
    counts_are(k, BEHIND + 1, ROUNDS * (BEHIND + 1), ROUNDS * (BEHIND + 1));
}

/* Hits of D1, of which nobody tells the TLB, keep the page: the others take turns in what is left. */
static void hits_count_as_uses(void **state)
{
    struct kit *k = start();

    (void)state;
    for (uint64_t i = 0; i < ROUNDS * HELD; i++) {
        kit_read(k, 1, in_page(0), 8);
        kit_read(k, 0, in_page(1 + i % HELD), 8);
    }
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 1, M_DTMR), 1);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DTMR), ROUNDS * HELD);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DTWR), HELD);
    kit_free(k);
}

/* One access, two pages: it misses once. */
static void an_access_misses_once(void **state)
{
    struct kit *k = start();

    (void)state;
    kit_read(k, 0, A + PAGE - 4, 8);
    kit_write(k, 0, A + 3 * PAGE - 4, 8);
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DTMR), 1);
    assert_int_equal(kit_read_cost(k, MAIN, 0, M_DTWR), 1);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_DTMW), 1);
    assert_int_equal(kit_write_cost(k, MAIN, 0, M_DTWW), 1);
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_missed_once), cmocka_unit_test(one_page_too_many),
        cmocka_unit_test(too_many_for_both),        cmocka_unit_test(hits_count_as_uses),
        cmocka_unit_test(an_access_misses_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
