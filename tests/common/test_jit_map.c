/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_jit_map.c: engine/common/jit_map.h on files that grow, end in the middle, and lie.
 *
 * The file is text or bytes in memory; `random` entries are compared with a table that has one cell per byte.
 */
#include "tests/common/fb_host.h"

#include "engine/common/jit_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct fb_test_host test;
    uint8_t data[1 << 16];
    size_t size;
    char *large; /* instead of data */
    fb_jit *jit;
};

static const void *map_file(void *user, const char *path, size_t *bytes)
{
    struct fixture *x = user;
    assert_string_equal(path, "/tmp/perf-1.map");
    *bytes = x->size;
    x->test.balance += (long)x->size;
    return x->size == 0 ? NULL : x->large ? (const void *)x->large : x->data;
}

static void unmap_file(void *user, const void *memory, size_t bytes)
{
    (void)memory;
    ((struct fixture *)user)->test.balance -= (long)bytes;
}

static int begin(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    fb_test_host(&x->test);
    x->test.host.user = x;
    x->test.host.map = map_file;
    x->test.host.unmap = unmap_file;
    x->jit = fb_jit_open(&x->test.host, "/tmp/perf-1.map");
    *state = x;
    return x->jit ? 0 : -1;
}

static int end(void **state)
{
    struct fixture *x = *state;
    fb_jit_close(x->jit);
    long left = x->test.balance;
    free(x);
    return left ? -1 : 0;
}

static void append(struct fixture *x, const char *text)
{
    memcpy(x->data + x->size, text, strlen(text));
    x->size += strlen(text);
}

static void check(const struct fixture *x, uint64_t address, const char *name, uint64_t start, uint64_t size)
{
    struct fb_function f = {0};
    bool found = fb_jit_lookup(x->jit, address, &f);
    if (!name) {
        assert_false(found);
        return;
    }
    assert_true(found);
    assert_string_equal(f.name, name);
    assert_int_equal(f.start, start);
    assert_int_equal(f.size, size);
}

static void test_lines(void **state)
{
    struct fixture *x = *state;
    assert_false(fb_jit_refresh(x->jit)); /* no file yet */
    append(x, "1000 10 LazyCompile:~f a.js:1\n2000 20 g\n30");
    assert_true(fb_jit_refresh(x->jit));
    check(x, 0x0fff, NULL, 0, 0);
    check(x, 0x100f, "LazyCompile:~f a.js:1", 0x1000, 0x10);
    check(x, 0x1010, NULL, 0, 0);
    check(x, 0x2000, "g", 0x2000, 0x20);
    assert_false(fb_jit_refresh(x->jit));
    append(x, "00 8 h\r\nnonsense\n4000\n4000 10\n4000  10 x\n0x5000 0x1 i\n\n11112222333344445 1 long\n6000 "
              "0 empty\n");
    assert_true(fb_jit_refresh(x->jit));
    check(x, 0x3000, "h", 0x3000, 8);
    check(x, 0x4000, NULL, 0, 0);
    check(x, 0x5000, "i", 0x5000, 1);
    check(x, 0x6000, NULL, 0, 0);
    x->size = 0; /* another program's file, under the same name */
    append(x, "7000 1 j\n");
    assert_true(fb_jit_refresh(x->jit));
    check(x, 0x7000, "j", 0x7000, 1);
    check(x, 0x2000, NULL, 0, 0);
}

static void test_reuse(void **state)
{
    struct fixture *x = *state;
    append(x, "1000 100 a\n1100 100 b\n1080 100 c\n");
    fb_jit_refresh(x->jit);
    check(x, 0x1000, "a", 0x1000, 0x80);
    check(x, 0x1100, "c", 0x1080, 0x100);
    check(x, 0x1180, "b", 0x1180, 0x80);
    append(x, "1010 10 d\nf00 1000 e\n");
    fb_jit_refresh(x->jit);
    check(x, 0x1010, "e", 0xf00, 0x1000);
    append(x, "1000 10 f\n");
    fb_jit_refresh(x->jit);
    check(x, 0x0fff, "e", 0xf00, 0x100);
    check(x, 0x1000, "f", 0x1000, 0x10);
    check(x, 0x1010, "e", 0x1010, 0xef0);
}

static void put(struct fixture *x, const void *bytes, size_t size)
{
    memcpy(x->data + x->size, bytes, size);
    x->size += size;
}

/* A record's header and fields, as 8-byte numbers. */
static void put_record(struct fixture *x, uint32_t id, const uint64_t *fields, size_t n, const char *name)
{
    uint32_t head[4] = {id, (uint32_t)(16 + 8 * n + (name ? strlen(name) + 1 + 4 : 0))};
    put(x, head, sizeof head);
    put(x, fields, 8 * n);
    if (name) {
        put(x, name, strlen(name) + 1);
        put(x, "code", 4);
    }
}

static void test_dump(void **state)
{
    struct fixture *x = *state;
    uint32_t header[10] = {0x4A695444, 1, 40};
    put(x, header, sizeof header);
    put_record(x, 0, (const uint64_t[]){0, 0, 0x1000, 4, 1}, 5, "made");
    size_t whole = x->size;
    put_record(x, 1, (const uint64_t[]){0, 0, 0x1000, 0x2000, 4, 1}, 6, NULL);
    size_t all = x->size;
    for (x->size = 1; x->size < whole; x->size++)
        assert_false(fb_jit_refresh(x->jit));
    x->size = whole;
    assert_true(fb_jit_refresh(x->jit));
    check(x, 0x1003, "made", 0x1000, 4);
    for (x->size = whole; x->size < all; x->size++)
        assert_false(fb_jit_refresh(x->jit));
    x->size = all;
    assert_true(fb_jit_refresh(x->jit));
    check(x, 0x2000, "made", 0x2000, 4);
    put_record(x, 77, (const uint64_t[]){1}, 1, NULL); /* unknown: passed over */
    put_record(x, 0, (const uint64_t[]){0, 0, 0x3000, 4, 1}, 5, "next");
    assert_true(fb_jit_refresh(x->jit));
    check(x, 0x3000, "next", 0x3000, 4);
    put(x, (const uint32_t[4]){0, 3}, 16); /* a length that leads nowhere */
    put_record(x, 0, (const uint64_t[]){0, 0, 0x4000, 4, 1}, 5, "lost");
    assert_false(fb_jit_refresh(x->jit));
    check(x, 0x4000, NULL, 0, 0);
    check(x, 0x3000, "next", 0x3000, 4);
}

static void test_random(void **state)
{
    struct fixture *x = *state;
    enum { CELLS = 512 };
    int cell[CELLS];
    uint64_t seed = 12345;
    memset(cell, -1, sizeof cell);
    for (int i = 0; i < 2000; i++) {
        char line[64];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned start = seed >> 33 & (CELLS - 1), size = 1 + (seed >> 50) % (i % 10 ? 16 : CELLS);
        size = size < CELLS - start ? size : CELLS - start;
        snprintf(line, sizeof line, "%x %x n%d\n", start, size, i);
        x->size = x->size > sizeof x->data - 100 ? 0 : x->size;
        if (x->size == 0)
            memset(cell, -1, sizeof cell);
        append(x, line);
        for (unsigned k = 0; k < size; k++)
            cell[start + k] = i;
        if (i >= 1000 && i % 150) /* many at once */
            continue;
        fb_jit_refresh(x->jit);
        for (unsigned k = 0; k < CELLS; k++) {
            struct fb_function f;
            bool found = fb_jit_lookup(x->jit, k, &f);
            assert_int_equal(found, cell[k] >= 0);
            if (found)
                assert_int_equal(atoi(f.name + 1), cell[k]);
        }
    }
}

/* In falling order. If the time grew with the square of their number, the test would not end within its limit. */
static void test_many(void **state)
{
    struct fixture *x = *state;
    enum { ENTRIES = 400000 };
    size_t begins = 0;
    x->large = malloc((size_t)ENTRIES * 32);
    for (unsigned i = 0; i < ENTRIES; i++)
        begins += (size_t)sprintf(x->large + begins, "%x 8 n%u\n", 0x10000000 - i * 16, i);
    x->size = begins;
    fb_jit_refresh(x->jit);
    check(x, 0x10000000 - 16 * 1000, "n1000", 0x10000000 - 16 * 1000, 8);
    check(x, 0x10000000 - 16 * 1000 + 8, NULL, 0, 0);
    free(x->large);
}

static void test_no_memory(void **state)
{
    struct fixture *x = *state;
    append(x, "1000 10 a\n");
    x->test.limit = 0;
    fb_jit_refresh(x->jit);
    check(x, 0x1000, NULL, 0, 0);
    assert_null(fb_jit_open(&x->test.host, "y"));
    x->test.limit = 1;
    assert_null(fb_jit_open(&x->test.host, "y"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, begin, end),
        cmocka_unit_test_setup_teardown(test_reuse, begin, end),
        cmocka_unit_test_setup_teardown(test_dump, begin, end),
        cmocka_unit_test_setup_teardown(test_random, begin, end),
        cmocka_unit_test_setup_teardown(test_many, begin, end),
        cmocka_unit_test_setup_teardown(test_no_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
