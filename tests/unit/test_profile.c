/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_profile.c: the raw profile as the core writes it. Its parts sum to the undivided run; a full disk is
 * reported; every cut and every changed byte is noticed by the simple reader.
 */
#include "bare.h"
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A program with calls, reuse and conflicts; `parts` dumps on the way. Adds up what the core wrote. */
static void program(int parts, struct sheet *sum)
{
    struct pair_config config = kit_config();
    struct kit *k;
    uint32_t seed = 7;

    config.d1 = (struct model_cache_config){1024, 2, 64};
    config.ll = (struct model_cache_config){8192, 4, 64};
    k = kit_new(&config);
    kit_begin(k, 0, KIT_MAIN);
    for (int i = 0; i < 3000; i++) {
        uint32_t what = (seed = seed * 1103515245 + 12345) >> 16;

        if (parts && i % (3000 / parts) == 50) {
            kit_dump(k);
            sheet_sum(sum, pair_sheet(kit_pair(k)));
        }
        kit_call(k, what % 2 ? KIT_F : KIT_G);
        kit_read(k, 0, 0x1000 + what % 16384, 8);
        if (what % 3 == 0) {
            kit_call(k, KIT_L);
            kit_write(k, 1, 0x1000 + what % 5000, 4);
            kit_return(k);
        }
        kit_return(k);
    }
    kit_finish(k);
    sheet_sum(sum, pair_sheet(kit_pair(k)));
    kit_free(k);
}

static void parts_sum_to_the_undivided_run(void **state)
{
    struct sheet whole, divided;

    (void)state;
    memset(&whole, 0, sizeof whole);
    memset(&divided, 0, sizeof divided);
    program(0, &whole);
    program(13, &divided);
    assert_true(whole.rows > 20);
    assert_int_equal(sheet_compare(&whole, &divided, "", stderr, 10), 0);
    sheet_clear(&whole), free(whole.row), free(whole.slot);
    sheet_clear(&divided), free(divided.row), free(divided.slot);
}

static void small_run(struct bare *b)
{
    struct tn_config config;
    struct bare_instr i;
    uint32_t main_id;

    tn_config_default(&config);
    bare_open(b, &config);
    main_id = bare_function(b, "main");
    i = bare_instr(b, main_id, 0x400000, 0, 0);
    tn_thread_begin(b->thread, main_id, 0x7fff00000000);
    for (int n = 0; n < 100; n++)
        bare_execute(b, &i, 0);
}

static void full_disk(void **state)
{
    struct bare b;

    (void)state;
    for (size_t limit = 1; limit < 400; limit += 40) {
        small_run(&b);
        b.stream.limit = limit;
        assert_int_equal(tn_finish(b.core, &b.stream, "exit"), HOST_DISK_FULL);
        assert_true(b.stream.size <= limit);
        bare_close(&b);
    }
}

static bool readable(const uint8_t *data, size_t size)
{
    struct raw_simple *raw = raw_simple_open(data, size);
    struct sheet sheet;
    bool good;

    memset(&sheet, 0, sizeof sheet);
    good = raw_simple_part(raw, &sheet) && !raw_simple_part(raw, &sheet) && !raw_simple_fault(raw);
    raw_simple_close(raw);
    sheet_clear(&sheet);
    free(sheet.row), free(sheet.slot);
    return good;
}

static void damage_is_noticed(void **state)
{
    struct bare b;

    (void)state;
    small_run(&b);
    assert_int_equal(tn_finish(b.core, &b.stream, "exit"), 0);
    assert_true(readable(b.stream.data, b.stream.size));
    for (size_t size = 0; size < b.stream.size; size++)
        assert_false(readable(b.stream.data, size));
    for (size_t i = 0; i < b.stream.size; i++) {
        b.stream.data[i] ^= 0x10;
        assert_false(readable(b.stream.data, b.stream.size));
        b.stream.data[i] ^= 0x10;
    }
    bare_close(&b);
}

/* Nothing is shared: two cores at once, executed in turns, give what each gives alone. */
static void two_cores(void **state)
{
    struct bare one, other, alone;

    (void)state;
    small_run(&one);
    small_run(&alone);
    small_run(&other);
    assert_int_equal(tn_finish(one.core, &one.stream, "exit"), 0);
    assert_int_equal(tn_finish(other.core, &other.stream, "exit"), 0);
    assert_int_equal(tn_finish(alone.core, &alone.stream, "exit"), 0);
    assert_int_equal(one.stream.size, alone.stream.size);
    assert_memory_equal(one.stream.data, alone.stream.data, one.stream.size);
    assert_memory_equal(one.stream.data, other.stream.data, one.stream.size);
    bare_close(&one);
    bare_close(&other);
    bare_close(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_to_the_undivided_run),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(two_cores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
