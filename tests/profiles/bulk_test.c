/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bulk_test: rows written by bulk.c, read back by SQLite, whose integrity check must find nothing.
 *
 * Each test makes an empty table t(id INTEGER PRIMARY KEY, a, b REAL, c TEXT) with SQLite, fills it in bulk, and
 * compares row by row with what it put in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "profile/bulk.h"

static char path[] = "/tmp/tenure-bulk-XXXXXX";

static uint32_t make_table(void)
{
    sqlite3 *db;
    sqlite3_stmt *root;

    truncate(path, 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA page_size = 16384;"
                                  "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema", -1, &root, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(root), SQLITE_ROW);
    uint32_t page = (uint32_t)sqlite3_column_int(root, 0);
    sqlite3_finalize(root);
    sqlite3_close(db);
    return page;
}

/* What row i holds: every size of integer, both signs; whole reals and others; texts up to `longest`. */
static void row(int i, size_t longest, struct tp_cell cells[4], char *text)
{
    uint64_t bits = (uint64_t)i * 0x9E3779B97F4A7C15u >> (i * 7 % 64);
    size_t size = longest ? (size_t)(bits * 31 + (uint64_t)i) % longest : 0;

    memset(text, 'a' + i % 26, size);
    text[size] = '\0';
    cells[0] = (struct tp_cell){.type = TP_CELL_NULL};
    cells[1] = (struct tp_cell){.type = TP_CELL_INTEGER, .integer = i % 2 ? (int64_t)bits : -(int64_t)(bits >> 1)};
    cells[2] = (struct tp_cell){.type = TP_CELL_REAL, .real = i % 3 ? (double)i / 65536 : (double)i};
    cells[3] = (struct tp_cell){.type = TP_CELL_TEXT, .text = text};
    if (i % 5 == 0)
        cells[1 + i / 5 % 3].type = TP_CELL_NULL;
}

static void fill(uint32_t root, int rows, size_t longest, int step)
{
    struct tp_bulk bulk;
    struct tp_bulk_table *table = malloc(sizeof *table);
    char *text = malloc(longest + 1);
    struct tp_cell cells[4];

    assert_true(table && text);
    assert_int_equal(tp_bulk_open(&bulk, path), 0);
    tp_bulk_table(table, root);
    for (int i = 1; i <= rows; i++) {
        row(i, longest, cells, text);
        assert_int_equal(tp_bulk_row(&bulk, table, (int64_t)i * step, cells, 4), 0);
    }
    assert_int_equal(tp_bulk_finish(&bulk, table), 0);
    assert_int_equal(tp_bulk_close(&bulk), 0);
    free(table);
    free(text);
}

static void same_cell(sqlite3_stmt *found, int column, const struct tp_cell *cell)
{
    if (cell->type == TP_CELL_NULL) {
        assert_int_equal(sqlite3_column_type(found, column), SQLITE_NULL);
    } else if (cell->type == TP_CELL_INTEGER) {
        assert_int_equal(sqlite3_column_type(found, column), SQLITE_INTEGER);
        assert_true(sqlite3_column_int64(found, column) == cell->integer);
    } else if (cell->type == TP_CELL_REAL) {
        double real = sqlite3_column_double(found, column);
        assert_int_equal(sqlite3_column_type(found, column), SQLITE_FLOAT);
        assert_memory_equal(&real, &cell->real, sizeof real);
    } else {
        assert_string_equal((const char *)sqlite3_column_text(found, column), cell->text);
    }
}

static void verify(int rows, size_t longest, int step, bool whole)
{
    sqlite3 *db;
    sqlite3_stmt *found;
    char *text = malloc(longest + 1);
    struct tp_cell cells[4];

    assert_non_null(text);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT * FROM t ORDER BY id", -1, &found, NULL), SQLITE_OK);
    for (int i = 1; i <= rows; i++) {
        row(i, longest, cells, text);
        assert_int_equal(sqlite3_step(found), SQLITE_ROW);
        assert_true(sqlite3_column_int64(found, 0) == (int64_t)i * step);
        for (int k = 1; k < 4; k++)
            same_cell(found, k, &cells[k]);
    }
    assert_int_equal(sqlite3_step(found), SQLITE_DONE);
    sqlite3_finalize(found);
    if (whole) {
        assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &found, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(found), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(found, 0), "ok");
        sqlite3_finalize(found);
    }
    assert_int_equal(sqlite3_exec(db, "CREATE INDEX i ON t(a)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(text);
}

static void try_size(int rows, size_t longest, int step)
{
    fill(make_table(), rows, longest, step);
    verify(rows, longest, step, true);
}

static void no_rows(void **state)
{
    (void)state;
    try_size(0, 10, 1);
}

static void one_leaf(void **state)
{
    (void)state;
    try_size(1, 10, 1);
    try_size(200, 30, 3);
}

static void many_leaves(void **state)
{
    (void)state;
    try_size(1000, 100, 1);
    try_size(100000, 40, 70000);
}

static void long_rows(void **state)
{
    (void)state;
    try_size(300, 200000, 1);
    for (size_t longest = 16300; longest < 16420; longest += 7)
        try_size(40, longest, 1);
}

/* More leaves than one interior page can point to. */
static void two_levels(void **state)
{
    (void)state;
    try_size(2500, 32000, 1000000007);
}

/* The file reaches 1 GiB, where SQLite wants a page left out; the file has a hole, so little is written. */
static void beyond_the_lock_page(void **state)
{
    (void)state;
    for (int before = 1; before < 5; before++) {
        uint32_t root = make_table();
        assert_int_equal(truncate(path, (off_t)(65536 - before) * 16384), 0);
        fill(root, 100, 100000, 1);
        verify(100, 100000, 1, false);
    }
}

static void a_full_disk_is_told(void **state)
{
    struct tp_bulk bulk;

    (void)state;
    assert_int_not_equal(tp_bulk_open(&bulk, "/nowhere/at/all"), 0);
    assert_int_not_equal(tp_bulk_close(&bulk), 0);
    assert_int_not_equal(tp_bulk_open(&bulk, "/dev/null"), 0); /* too short to be a database */
    assert_int_not_equal(tp_bulk_close(&bulk), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rows),
        cmocka_unit_test(one_leaf),
        cmocka_unit_test(many_leaves),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(two_levels),
        cmocka_unit_test(beyond_the_lock_page),
        cmocka_unit_test(a_full_disk_is_told),
    };
    int file = mkstemp(path);

    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
