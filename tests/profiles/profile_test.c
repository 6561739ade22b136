/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_test: the profile library's small parts, each by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/base/error.h"
#include "profile/base/mem.h"
#include "profile/objects/names.h"
#include "profile/objects/symbols_image.h"
#include "profile/raw/events.h"
#include "profile/raw/raw_read.h"
#include "profile/raw/recording.h"

static struct tp_cursor cursor(const void *bytes, size_t size)
{
    return (struct tp_cursor){
        .p = bytes, .begin = bytes, .end = (const uint8_t *)bytes + size, .offset = 100};
}

static void numbers_are_read(void **state)
{
    static const uint8_t bytes[] = {0x00, 0x7f, 0x80, 0x01, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x03, 0x04};
    struct tp_cursor c = cursor(bytes, sizeof bytes);

    (void)state;
    assert_int_equal(tp_get_n(&c), 0);
    assert_int_equal(tp_get_n(&c), 127);
    assert_int_equal(tp_get_n(&c), 128);
    assert_true(tp_get_n(&c) == UINT64_MAX);
    assert_int_equal(tp_get_z(&c), -2);
    assert_int_equal(tp_get_z(&c), 2);
    assert_false(c.bad);
    assert_int_equal(tp_cursor_offset(&c), 100 + sizeof bytes);
    assert_int_equal(tp_get_n(&c), 0);
    assert_true(c.bad);
}

static void bad_numbers_are_refused(void **state)
{
    static const uint8_t beyond[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00};
    struct tp_cursor c = cursor(beyond, sizeof beyond);

    (void)state;
    assert_int_equal(tp_get_n(&c), 0);
    assert_true(c.bad);
    c = cursor(endless, sizeof endless);
    assert_int_equal(tp_get_n(&c), 0);
    assert_true(c.bad);
    c = cursor(endless, 3);
    assert_int_equal(tp_get_n(&c), 0);
    assert_true(c.bad);
}

static void strings_stay_in_their_chunk(void **state)
{
    size_t size;
    struct tp_cursor c = cursor("\3abc\2x", 6);

    (void)state;
    assert_memory_equal(tp_get_s(&c, &size), "abc", 3);
    assert_int_equal(size, 3);
    tp_get_s(&c, &size);
    assert_true(c.bad);
    assert_int_equal(size, 0);
    assert_int_equal(tp_cursor_offset(&c), 104);
}

/* Ids that come in order need no keys; the first that does not changes nothing for them. */
static void ids_in_order_and_then_not(void **state)
{
    struct tp_idmap map = {0};

    (void)state;
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(tp_idmap_add(&map, i, i + 7), 0);
    assert_null(map.keys);
    assert_int_equal(tp_idmap_find(&map, 1001), TP_NOT_FOUND);
    assert_int_equal(tp_idmap_find(&map, 0), TP_NOT_FOUND);
    assert_int_equal(tp_idmap_add(&map, 5000, 5), 0);
    assert_int_equal(tp_idmap_add(&map, 1001, 6), 0);
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(tp_idmap_find(&map, i), i + 7);
    assert_int_equal(tp_idmap_find(&map, 5000), 5);
    assert_int_equal(tp_idmap_find(&map, 1001), 6);
    assert_int_equal(tp_idmap_find(&map, 1002), TP_NOT_FOUND);
    tp_idmap_free(&map);
}

static void ids_find_their_index(void **state)
{
    struct tp_idmap map = {0};

    (void)state;
    assert_int_equal(tp_idmap_find(&map, 1), TP_NOT_FOUND);
    for (uint32_t i = 1; i <= 10000; i++)
        assert_int_equal(tp_idmap_add(&map, i % 2 ? i : (uint64_t)i << 40, i), 0);
    for (uint32_t i = 1; i <= 10000; i++)
        assert_int_equal(tp_idmap_find(&map, i % 2 ? i : (uint64_t)i << 40), i);
    assert_int_equal(tp_idmap_find(&map, 2), TP_NOT_FOUND);
    assert_int_equal(tp_idmap_find(&map, 0), TP_NOT_FOUND);
    tp_idmap_clear(&map);
    assert_int_equal(tp_idmap_find(&map, 1), TP_NOT_FOUND);
    tp_idmap_free(&map);
}

static void an_arena_is_zeroed_again(void **state)
{
    struct tp_arena arena = {0};

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3000; i++) {
            unsigned char *bytes = tp_arena_alloc(&arena, 1001);
            assert_non_null(bytes);
            for (int k = 0; k < 1001; k++)
                assert_int_equal(bytes[k], 0);
            memset(bytes, 0xaa, 1001);
        }
        tp_arena_clear(&arena);
    }
    tp_arena_free(&arena);
}

static void text_becomes_utf8(void **state)
{
    struct tp_arena arena = {0};
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "plain"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7"},
        {"\xff", "\\xff"},
        {"a\xc3", "a\\xc3"},
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* not the shortest form */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond Unicode */
        {"tab\tline\n", "tab\tline\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(tp_clean_text(&arena, cases[i].in, strlen(cases[i].in)), cases[i].out);
    assert_string_equal(tp_clean_text(&arena, "a\0b", 3), "a\\x00b");
    tp_arena_free(&arena);
}

static void names_become_readable(void **state)
{
    struct tp_arena arena = {0};
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"main", "main"},
        {"_ZN4shop3BoxIlE4takeEi", "shop::Box<long>::take(int)"},
        {"_ZNSt6vectorIiSaIiEE9push_backEOi@@GLIBCXX_3.4",
         "std::vector<int, std::allocator<int> >::push_back(int&&)"},
        {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
        {"_ZN67_$LT$small..Sq$LT$$RF$$u5b$u64$u5d$$GT$$u20$as$u20$small..Shape$GT$4area17h883a37dae1ec692aE",
         "<small::Sq<&[u64]> as small::Shape>::area"},
        {"_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h275f65ff63691b56E.llvm.14875726389016894270",
         "core::ptr::drop_in_place<alloc::string::String>"},
        {"_ZN5small4main28_$u7b$$u7b$closure$u7d$$u7d$17hbf1501f1328ebb2eE", "small::main::{{closure}}"},
        {"_RNvCs1234_7mycrate3foo", "mycrate[2c92e]::foo"},
        {"_Znonsense", "_Znonsense"},
        {"_Z", "_Z"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strncmp(cases[i].in, "_R", 2) == 0)
            assert_non_null(strstr(tp_demangle(&arena, cases[i].in), "::foo"));
        else
            assert_string_equal(tp_demangle(&arena, cases[i].in), cases[i].out);
    }
    tp_arena_free(&arena);
}

/* f(x, p<x, x>, p<p<x, x>, p<x, x>>, ...): each argument is twice as long as the one before. */
static void doubling_name(char *name, size_t size, int arguments)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = (size_t)snprintf(name, size, "_Z1f1x1pIS_S_E");

    for (int i = 1; i < arguments; i++)
        n += (size_t)snprintf(name + n, size - n, "S0_IS%c_S%c_E", digits[i], digits[i]);
}

static void a_name_that_explodes_is_left_alone(void **state)
{
    struct tp_arena arena = {0};
    char name[1024];

    (void)state;
    doubling_name(name, sizeof name, 2);
    assert_string_equal(tp_demangle(&arena, name), "f(x, p<x, x>, p<p<x, x>, p<x, x> >)");
    doubling_name(name, sizeof name, 10);
    assert_true(strlen(tp_demangle(&arena, name)) > 10000);
    doubling_name(name, sizeof name, 34);
    assert_ptr_equal(tp_demangle(&arena, name), name);
    char *longest = malloc(70000);
    assert_non_null(longest);
    memset(longest, 'P', 69999);
    memcpy(longest, "_Z1f", 4);
    longest[69999] = '\0';
    assert_ptr_equal(tp_demangle(&arena, longest), longest);
    longest[30000] = '\0';
    assert_non_null(tp_demangle(&arena, longest));
    free(longest);
    tp_arena_free(&arena);
}

static void messages_are_one_printable_line(void **state)
{
    struct tp_error err;
    char path[3000];

    (void)state;
    assert_int_equal(TP_FAIL(&err, "%s: bad", "a\nb\x1b[2J"), -1);
    assert_string_equal(err.message, "a\\x0ab\\x1b[2J: bad");
    assert_non_null(strstr(err.source, "profile_test.c"));
    memset(path, '\n', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    TP_FAIL(&err, "%s", path);
    assert_true(strlen(err.message) < sizeof err.message);
    assert_null(strchr(err.message, '\n'));
}

static void sums_stop_at_the_ends(void **state)
{
    (void)state;
    assert_true(tp_sum(1, 2) == 3);
    assert_true((int64_t)tp_sum(3, (uint64_t)-5) == -2);
    assert_true(tp_sum(INT64_MAX, 1) == INT64_MAX);
    assert_true((int64_t)tp_sum((uint64_t)-INT64_MAX, (uint64_t)-1) == -INT64_MAX);
    assert_true(tp_count(UINT64_MAX) == INT64_MAX);
}

/* This program itself, which is large enough; the copy is cut off while it is open. */
static void what_is_cut_off_is_zero(void **state)
{
    static char bytes[1 << 20];
    char path[] = "/tmp/tenure-image.XXXXXX";
    struct tp_image image;
    uint64_t left;
    int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);

    (void)state;
    for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;)
        assert_int_equal(write(to, bytes, (size_t)n), n);
    assert_int_equal(tp_image_open(&image, path), 0);
    const uint8_t *at = NULL;
    for (uint64_t address = 0; address < 1 << 30; address += 4096) {
        const uint8_t *next = tp_image_at(&image, address, &left);
        at = next && left > 8192 ? next : at;
    }
    assert_non_null(at);
    assert_null(tp_image_cut_off(NULL));
    assert_int_equal(ftruncate(to, 4096), 0);
    assert_int_equal(at[8191], 0);
    assert_non_null(tp_image_cut_off(NULL));
    assert_null(tp_image_cut_off(NULL));
    tp_image_close(&image);
    close(from);
    close(to);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(strings_stay_in_their_chunk),
        cmocka_unit_test(ids_find_their_index),
        cmocka_unit_test(ids_in_order_and_then_not),
        cmocka_unit_test(an_arena_is_zeroed_again),
        cmocka_unit_test(text_becomes_utf8),
        cmocka_unit_test(names_become_readable),
        cmocka_unit_test(what_is_cut_off_is_zero),
        cmocka_unit_test(a_name_that_explodes_is_left_alone),
        cmocka_unit_test(messages_are_one_printable_line),
        cmocka_unit_test(sums_stop_at_the_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
