/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_coherence.c: what two threads do to each other's D1 (docs/model.md, 11). Expected values are formulas.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LEFT = KIT_F, RIGHT = KIT_G, TURNS = 50, ROUNDS = 20 };

static const uint64_t A = 0x10000000;

static struct kit *start(bool coherence, uint64_t d1_size)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.d1 = (struct model_cache_config){d1_size, 2, 64};
    config.ll = (struct model_cache_config){65536, 8, 64};
    config.coherence = coherence;
    k = kit_new(&config);
    kit_begin(k, 0, LEFT);
    kit_begin(k, 1, RIGHT);
    kit_switch(k, 0);
    return k;
}

/* Each thread in turn increments its word ROUNDS times, TURNS turns each: a read and a write. */
static void take_turns(struct kit *k, uint64_t left, uint64_t right)
{
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        uint64_t word = turn % 2 ? right : left;

        kit_switch(k, (uint32_t)turn % 2);
        for (int i = 0; i < ROUNDS; i++) {
            kit_read(k, 0, word, 8);
            kit_write(k, 0, word, 8);
        }
    }
    kit_finish(k);
}

static void counts_are(struct kit *k, int event, uint64_t left, uint64_t right)
{
    assert_int_equal(kit_self(k, LEFT, event), left);
    assert_int_equal(kit_self(k, RIGHT, event), right);
}

/* The first turn of each loads the line; the right one takes it from the left one. Then each turn begins with a miss,
 * of a line that is modified elsewhere, and the first write makes it invalid there. Both words are touched by nobody
 * else. */
static void neighbours_share_falsely(void **state)
{
    struct kit *k = start(true, 4096);

    (void)state;
    take_turns(k, A, A + 8);
    counts_are(k, M_D1MR, TURNS, TURNS);
    counts_are(k, M_D1CR, TURNS - 1, TURNS - 1);
    counts_are(k, M_D1FR, TURNS - 1, TURNS - 1);
    counts_are(k, M_D1CW, 0, 0);
    counts_are(k, M_XFR, TURNS - 1, TURNS);
    counts_are(k, M_UPG, TURNS - 1, TURNS);
    counts_are(k, M_INV, TURNS - 1, TURNS);
    counts_are(k, M_INVD1, TURNS, TURNS - 1);
    kit_free(k);
}

/* The same, but what the other one wrote is what is wanted. */
static void one_word_is_shared_truly(void **state)
{
    struct kit *k = start(true, 4096);

    (void)state;
    take_turns(k, A, A);
    counts_are(k, M_D1CR, TURNS - 1, TURNS - 1);
    counts_are(k, M_D1FR, 0, 0);
    kit_free(k);
}

static void lines_apart_are_not_shared(void **state)
{
    struct kit *k = start(true, 4096);

    (void)state;
    take_turns(k, A, A + 64);
    counts_are(k, M_D1MR, 1, 1);
    for (int event = M_D1CR; event <= M_XFR; event++)
        counts_are(k, event, 0, 0);
    kit_free(k);
}

/* Without it nothing is counted, and misses are those that coherence did not cause. */
static void without_it_nothing_is_seen(void **state)
{
    struct kit *k = start(false, 4096);

    (void)state;
    take_turns(k, A, A + 8);
    counts_are(k, M_D1MR, 1, 1);
    for (int event = M_D1CR; event <= M_XFR; event++)
        counts_are(k, event, 0, 0);
    kit_free(k);
}

/* What turns out at the tenure's end: the line comes for a word of one's own, and then the other's is read, too. */
static void a_later_touch_makes_it_true(void **state)
{
    struct kit *k = start(true, 4096);

    (void)state;
    kit_read(k, 0, A, 8);
    kit_switch(k, 1);
    kit_write(k, 0, A + 8, 8);
    kit_switch(k, 0);
    kit_read(k, 0, A, 8);      /* a coherence miss ... */
    kit_read(k, 1, A + 12, 1); /* ... with which came what was written */
    kit_finish(k);
    counts_are(k, M_D1CR, 1, 0);
    counts_are(k, M_D1FR, 0, 0);
    kit_free(k);
}

/* An invalid line keeps its place: two ways, three lines of one set. What had been thrown out anyhow is no coherence
 * miss. */
static void a_line_that_would_have_left_is_missed_anyhow(void **state)
{
    enum { SETS = 8 };
    struct kit *k = start(true, SETS * 2 * 64);

    (void)state;
    kit_read(k, 0, A, 8);
    kit_switch(k, 1);
    kit_write(k, 0, A, 8);
    kit_switch(k, 0);
    kit_read(k, 1, A + SETS * 64, 8);
    kit_read(k, 1, A + 2 * SETS * 64, 8);
    kit_read(k, 0, A, 8);
    kit_finish(k);
    assert_int_equal(kit_read_cost(k, LEFT, 0, M_D1MR), 2);
    counts_are(k, M_D1CR, 0, 0);
    counts_are(k, M_XFR, 1, 0);
    kit_free(k);
}

/* A write that misses takes the line from all who have it. */
static void a_write_miss(void **state)
{
    struct kit *k = start(true, 4096);

    (void)state;
    kit_read(k, 0, A, 8);
    kit_switch(k, 1);
    kit_write(k, 0, A + 32, 8);
    kit_switch(k, 0);
    kit_write(k, 0, A, 8);
    kit_finish(k);
    counts_are(k, M_D1MW, 1, 1);
    counts_are(k, M_D1CW, 1, 0);
    counts_are(k, M_D1FW, 1, 0);
    counts_are(k, M_INV, 1, 1);
    counts_are(k, M_UPG, 0, 0);
    counts_are(k, M_XFR, 1, 0);
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_share_falsely),
        cmocka_unit_test(one_word_is_shared_truly),
        cmocka_unit_test(lines_apart_are_not_shared),
        cmocka_unit_test(without_it_nothing_is_seen),
        cmocka_unit_test(a_later_touch_makes_it_true),
        cmocka_unit_test(a_line_that_would_have_left_is_missed_anyhow),
        cmocka_unit_test(a_write_miss),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
