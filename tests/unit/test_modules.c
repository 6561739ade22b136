/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_modules.c: the core's small parts, each alone: arrays, pools, tables, configurations, find-or-make of
 * code, what memory holds. */
#include "../refmodel/host_hosted.h"
#include "core/access/sets.h"
#include "core/attribute/code.h"
#include "core/attribute/objects.h"
#include "core/base/arena.h"
#include "core/base/table.h"
#include "core/core.h"
#include "core/tenure_core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void arrays_do_not_move(void **state)
{
    struct tn_array array;
    size_t before = host_bytes();
    uint64_t *first;

    (void)state;
    tn_array_init(&array, sizeof(uint64_t));
    first = tn_array_add(&array);
    *first = 42;
    for (uint64_t i = 1; i < 100000; i++) {
        uint64_t *element = tn_array_add(&array);

        assert_int_equal(*element, 0);
        *element = i;
    }
    assert_int_equal(array.count, 100000);
    assert_ptr_equal(first, tn_array_at(&array, 0));
    assert_int_equal(*first, 42);
    for (uint32_t i = 1; i < 100000; i++)
        assert_int_equal(*(uint64_t *)tn_array_at(&array, i), i);
    assert_null(tn_array_get(&array, 5000000));
    *(uint64_t *)tn_array_force(&array, 5000000) = 7;
    assert_int_equal(*(uint64_t *)tn_array_get(&array, 5000000), 7);
    assert_int_equal(array.count, 100000);
    tn_array_free(&array);
    assert_int_equal(host_bytes(), before);
}

static void pools_give_zeroes_again(void **state)
{
    struct tn_pool pool;
    size_t before = host_bytes();
    void *element[1000];

    (void)state;
    tn_pool_init(&pool, 40);
    for (int round = 0; round < 3; round++) {
        static const char zero[40];

        for (int i = 0; i < 1000; i++) {
            element[i] = tn_pool_get(&pool);
            assert_memory_equal(element[i], zero, 40);
            memset(element[i], 0xff, 40);
        }
        assert_int_equal(pool.live, 1000);
        for (int i = 0; i < 1000; i++)
            tn_pool_put(&pool, element[i]);
        assert_int_equal(pool.live, 0);
    }
    tn_pool_free(&pool);
    assert_int_equal(host_bytes(), before);
}

static bool equal_key(const void *owner, uint32_t id, const void *key)
{
    return ((const uint64_t *)owner)[id] == *(const uint64_t *)key;
}

static void tables_find_what_was_added(void **state)
{
    enum { N = 50000 };
    struct tn_table table;
    uint64_t *keys = calloc(N + 1, sizeof *keys), absent = 999;
    size_t before = host_bytes();

    (void)state;
    tn_table_init(&table);
    for (uint32_t id = 1; id <= N; id++) {
        keys[id] = id * 4096ull;
        assert_int_equal(tn_table_find(&table, (uint32_t)keys[id] & 1023, equal_key, keys, &absent), 0);
        tn_table_add(&table, id % 7 ? tn_hash(keys[id], 1) : 5, id); /* some of one hash */
        if (id == 5000)
            break;
    }
    for (uint32_t id = 1; id <= 5000; id++)
        assert_int_equal(tn_table_find(&table, id % 7 ? tn_hash(keys[id], 1) : 5, equal_key, keys, &keys[id]),
                         id);
    tn_table_free(&table);
    assert_int_equal(host_bytes(), before);
    free(keys);
}

/* Eight neighbours share a line of slots, whatever else tells them apart; lines are scattered. */
static void near_hashes_keep_neighbours_together(void **state)
{
    enum { LINES = 4096 };
    static uint8_t taken[LINES];
    unsigned apart = 0;

    (void)state;
    for (uint64_t a = 0; a < LINES * 8; a++) {
        uint32_t first = tn_hash_near(a & ~7ull, 0), hash = tn_hash_near(a, a * 77);

        assert_int_equal((first ^ hash) % LINES, a % 8);
        if (a % 8 == 0)
            apart += !taken[first / 8 % LINES]++;
    }
    assert_true(apart > LINES / 2);
    assert_true(tn_hash_near(5, 1) != tn_hash_near(5, 2));
}

static void refused(struct tn_config config, bool good)
{
    const char *fault = tn_config_check(&config);

    assert_int_equal(fault == NULL, good);
    if (fault) {
        assert_true(strlen(fault) > 10);
        assert_null(strchr(fault, '\n'));
    }
}

static void impossible_configurations(void **state)
{
    struct tn_config good, c;

    (void)state;
    tn_config_default(&good);
    refused(good, true);
#define REFUSE(change) (c = good, change, refused(c, false))
#define ACCEPT(change) (c = good, change, refused(c, true))
    REFUSE(c.d1.line = 48);
    REFUSE(c.d1.line = 8);
    REFUSE(c.i1.line = 2048);
    REFUSE(c.ll.assoc = 0);
    REFUSE(c.d1.size = 0);
    REFUSE(c.d1.size = 1000);
    REFUSE((c.i1 = (struct tn_geometry){32768, 8, 128})); /* longer than the last level's */
    REFUSE((c.cache_sim = false, c.branch_sim = false));
    ACCEPT((c.cache_sim = false, c.branch_sim = true));
    ACCEPT((c.d1 = (struct tn_geometry){48 << 10, 12, 64}));
    ACCEPT((c.ll = (struct tn_geometry){6 << 20, 12, 64}));
    ACCEPT((c.ll = (struct tn_geometry){7 * 1024 * 64, 1, 1024}));
    ACCEPT((c.d1 = (struct tn_geometry){16, 1, 16}));
#undef REFUSE
#undef ACCEPT
}

static void code_is_found_again(void **state)
{
    struct tn_config config;
    tn_core *core;
    struct tn_object_info object = {.path = "/x", .start = 0x1000, .size = 0x1000};
    struct tn_function_info function = {0, 0x1000, 64, "f", 0};
    struct tn_instr_info a = {0x1000, 0, 4, 0, 1, 0}, b = {0x1004, 0, 4, 0, 0, 1};
    size_t before = host_bytes();
    uint32_t ids[2], counter;

    (void)state;
    tn_config_default(&config);
    core = tn_core_new(&config);
    function.object = tn_object(core, &object);
    a.function = b.function = tn_function(core, &function);
    assert_true(tn_function(core, &function) != a.function); /* a new one each time */
    ids[0] = tn_instr(core, &a);
    ids[1] = tn_instr(core, &b);
    assert_true(ids[0] && ids[1] && ids[0] != ids[1]);
    assert_int_equal(tn_instr(core, &a), ids[0]);
    a.length = 5;
    assert_true(tn_instr(core, &a) != ids[0]);
    counter = tn_segment(core, ids, 2);
    assert_int_equal(tn_segment(core, ids, 2), counter);
    assert_true(tn_segment(core, ids, 1) != counter);
    assert_int_equal(tn_guarded(core, ids[0], true), tn_guarded(core, ids[0], true));
    assert_true(tn_guarded(core, ids[0], true) != tn_guarded(core, ids[0], false));
    tn_core_free(core);
    assert_int_equal(host_bytes(), before);
}

/* Set and tag of lines beside the multiples of the number of sets, where a reciprocal would first be wrong. */
static void sets_are_divided_exactly(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 5, 7, 4096, 12288, 24575, 61440, 1048575, 1048577, 3145728};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tn_geometry geometry = {.size = counts[i] * 16, .assoc = 1, .line = 16};
        uint64_t last = ((1ull << 44) - 1) / counts[i];
        struct tn_sets sets;
        tn_sets_init(&sets, &geometry, 64);
        for (uint64_t tag = 0; tag < last; tag = tag * 3 + 1) {
            for (uint64_t back = 0; back < 3; back++) {
                uint64_t number = (tag < last / 2 ? tag : last - tag % 5) * counts[i] + 1 - back;
                struct tn_place place;
                tn_sets_split(&sets, number << 4, &place);
                number &= (1ull << 44) - 1;
                assert_int_equal(place.set, number % counts[i]);
                assert_int_equal(place.tag, number / counts[i]);
            }
        }
        tn_sets_free(&sets);
    }
}

static void count_ended(void *user, uint64_t entry, uint64_t address)
{
    (void)address;
    *(uint64_t *)user += tn_entry_object(entry);
}

static void blocks_have_units(void **state)
{
    enum { AT = 0x7fff0000, PAGE = 4096 };
    struct tn_memory memory;
    size_t before = host_bytes();
    uint64_t ended = 0;

    (void)state;
    tn_memory_init(&memory);
    tn_memory_begin(&memory, tn_block_entry(1, 1), AT + 8, 3 * PAGE); /* its last unit is half a unit in the 4th page */
    assert_int_equal(tn_memory_known(&memory, AT), 1);
    assert_int_equal(tn_memory_known(&memory, AT + 3 * PAGE + 15), 1);
    assert_int_equal(tn_memory_known(&memory, AT + 3 * PAGE + 16), 0);
    tn_memory_begin(&memory, tn_block_entry(2, 1), AT + PAGE, 1); /* takes one unit of a whole page */
    tn_memory_fill(&memory, tn_block_entry(3, 0), AT + 3 * PAGE - 16, 64); /* takes nothing from others */
    assert_int_equal(tn_memory_known(&memory, AT + PAGE), 2);
    assert_int_equal(tn_memory_known(&memory, AT + PAGE + 16), 1);
    assert_int_equal(tn_memory_known(&memory, AT + 3 * PAGE - 1), 1);
    assert_int_equal(tn_memory_known(&memory, AT + 3 * PAGE + 16), 3);
    tn_memory_end(&memory, AT + 16); /* no block begins there */
    assert_int_equal(tn_memory_known(&memory, AT), 1);
    tn_memory_end(&memory, AT); /* up to where another's unit is in the way */
    assert_int_equal(tn_memory_known(&memory, AT + PAGE - 1), 0);
    assert_int_equal(tn_memory_known(&memory, AT + PAGE + 16), 1);
    tn_memory_forget(&memory, AT, AT + 4 * PAGE, count_ended, &ended);
    assert_int_equal(ended, 2); /* object 2's block began there; of 1 and 3 no beginning is left */
    assert_int_equal(tn_memory_known(&memory, AT + PAGE + 16), 0);
    tn_memory_free(&memory);
    assert_int_equal(host_bytes(), before);
}

static void regions_are_cut(void **state)
{
    enum { PAGE = 4096 };
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory);
    tn_region_set(&memory, 10 * PAGE, 20 * PAGE, 1);
    tn_region_set(&memory, 13 * PAGE, 15 * PAGE, 2);
    tn_region_set(&memory, 14 * PAGE, 16 * PAGE, 0);
    assert_int_equal(tn_region_at(&memory, 12 * PAGE)->end, 13 * PAGE);
    assert_int_equal(tn_region_at(&memory, 13 * PAGE)->end, 14 * PAGE);
    assert_null(tn_region_at(&memory, 14 * PAGE));
    assert_int_equal(tn_region_at(&memory, 16 * PAGE)->object, 1);
    tn_region_add(&memory, 0, 100 * PAGE, 2, 15 * PAGE); /* what is left between them, with its neighbour */
    assert_int_equal(tn_region_at(&memory, 13 * PAGE)->end, 16 * PAGE);
    tn_region_show(&memory, tn_region_at(&memory, 13 * PAGE), 13 * PAGE);
    assert_int_equal(tn_memory_known(&memory, 15 * PAGE), 2);
    assert_int_equal(tn_memory_known(&memory, 16 * PAGE), 0);
    tn_region_set(&memory, 15 * PAGE, 16 * PAGE, 3); /* what pages were shown is forgotten */
    assert_int_equal(tn_memory_known(&memory, 15 * PAGE), 0);
    tn_memory_free(&memory);
}

static void a_page(void *user, uint64_t address, struct tn_memory_info *out)
{
    (void)user;
    *out = (struct tn_memory_info){
        .start = address & -4096ull, .end = (address & -4096ull) + 4096, .kind = TN_DATA_OTHER};
}

static uint64_t nothing(void *user, tn_thread *thread, uint64_t at)
{
    (void)user, (void)thread, (void)at;
    return 0;
}

/* The kernel's page for vsyscalls, where no program has memory of its own. */
static void the_highest_addresses_are_other(void **state)
{
    const uint64_t kernels = 0xffffffffff600010;
    struct tn_config config;
    uint32_t object;

    (void)state;
    tn_config_default(&config);
    config.data = true;
    config.memory_at = a_page;
    config.result = nothing;
    tn_core *core = tn_core_new(&config);
    object = tn_data_at(core, core->data, kernels, 64).object;
    assert_int_equal(tn_data_object_of(core->data, object)->kind, TN_DATA_OTHER);
    assert_int_equal(tn_data_at(core, core->data, kernels + 8, 64).object, object);
    assert_int_equal(tn_memory_known(&core->data->memory, kernels), 0);
    tn_core_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_do_not_move),         cmocka_unit_test(pools_give_zeroes_again),
        cmocka_unit_test(tables_find_what_was_added),
        cmocka_unit_test(near_hashes_keep_neighbours_together), cmocka_unit_test(impossible_configurations),
        cmocka_unit_test(code_is_found_again),        cmocka_unit_test(sets_are_divided_exactly),
        cmocka_unit_test(blocks_have_units),          cmocka_unit_test(regions_are_cut),
        cmocka_unit_test(the_highest_addresses_are_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
