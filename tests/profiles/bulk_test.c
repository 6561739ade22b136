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

#include "profile/store/bulk.h"

struct cell {
    enum { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT } type;
    int64_t integer;
    double real;
    const char *text;
};

static char path[] = "/tmp/tenure-bulk-XXXXXX";

static uint32_t make_table(void)
{
    sqlite3 *db;
    sqlite3_stmt *root;

    assert_int_equal(truncate(path, 0), 0);
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
static void row(int i, size_t longest, struct cell cells[4], char *text)
{
    uint64_t bits = (uint64_t)i * 0x9E3779B97F4A7C15u >> (i * 7 % 64);
    size_t size = longest ? (size_t)(bits * 31 + (uint64_t)i) % longest : 0;

    memset(text, 'a' + i % 26, size);
    text[size] = '\0';
    cells[0] = (struct cell){.type = CELL_NULL};
    cells[1] = (struct cell){.type = CELL_INTEGER, .integer = i % 2 ? (int64_t)bits : -(int64_t)(bits >> 1)};
    cells[2] = (struct cell){.type = CELL_REAL, .real = i % 3 ? (double)i / 65536 : (double)i};
    cells[3] = (struct cell){.type = CELL_TEXT, .text = text};
    if (i % 5 == 0)
        cells[1 + i / 5 % 3].type = CELL_NULL;
}

static void put(struct tp_record *record, const struct cell *cell)
{
    if (cell->type == CELL_NULL)
        tp_record_null(record);
    else if (cell->type == CELL_INTEGER)
        tp_record_integer(record, cell->integer);
    else if (cell->type == CELL_REAL)
        tp_record_real(record, cell->real);
    else
        tp_record_text(record, cell->text);
}

static void fill(uint32_t root, int rows, size_t longest, int step)
{
    struct tp_bulk bulk;
    struct tp_bulk_table *table = malloc(sizeof *table);
    char *text = malloc(longest + 1);
    struct tp_record record;
    struct cell cells[4];

    assert_true(table && text);
    assert_int_equal(tp_record_open(&record, 4, NULL), 0);
    assert_int_equal(tp_bulk_open(&bulk, path), 0);
    tp_bulk_table(table, root);
    for (int i = 1; i <= rows; i++) {
        row(i, longest, cells, text);
        for (int k = 0; k < 4; k++)
            put(&record, &cells[k]);
        assert_int_equal(tp_bulk_row(&bulk, table, (int64_t)i * step, &record), 0);
    }
    assert_int_equal(tp_bulk_finish(&bulk, table), 0);
    assert_int_equal(tp_bulk_close(&bulk), 0);
    tp_record_free(&record);
    free(table);
    free(text);
}

static void same_cell(sqlite3_stmt *found, int column, const struct cell *cell)
{
    if (cell->type == CELL_NULL) {
        assert_int_equal(sqlite3_column_type(found, column), SQLITE_NULL);
    } else if (cell->type == CELL_INTEGER) {
        assert_int_equal(sqlite3_column_type(found, column), SQLITE_INTEGER);
        assert_true(sqlite3_column_int64(found, column) == cell->integer);
    } else if (cell->type == CELL_REAL) {
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
    struct cell cells[4];

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

/* ------------------------------------------------------------------------------------------ indices */

/* Values of the column of row i, in the order of rowids: ids, ascending or not; numbers of any size; NULL. */
static int64_t ascending(int i)
{
    return i / 3;
}
static int64_t scattered(int i)
{
    return i % 7 == 0 ? TP_NULL_KEY : (int64_t)((uint64_t)i * 2654435761u % 5000);
}
static int64_t any_number(int i)
{
    return i % 11 == 0 ? TP_NULL_KEY : (int64_t)((uint64_t)i * 0x9E3779B97F4A7C15u) >> (i * 5 % 64);
}

static uint32_t make_index(uint32_t *index)
{
    sqlite3 *db;
    sqlite3_stmt *root;
    uint32_t table = make_table();

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE INDEX i ON t(a)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'i'", -1, &root, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(root), SQLITE_ROW);
    *index = (uint32_t)sqlite3_column_int(root, 0);
    sqlite3_finalize(root);
    sqlite3_close(db);
    return table;
}

static void fill_both(int rows, int64_t (*value)(int i))
{
    struct tp_bulk bulk;
    struct tp_bulk_table *table = malloc(sizeof *table);
    struct tp_bulk_index index = {0};
    struct tp_record record;
    uint32_t root = make_index(&index.root);

    assert_non_null(table);
    assert_int_equal(tp_record_open(&record, 4, NULL), 0);
    assert_int_equal(tp_bulk_open(&bulk, path), 0);
    tp_bulk_table(table, root);
    for (int i = 1; i <= rows; i++) {
        struct tp_key *key = TP_VECTOR_ADD(&index.keys);
        struct cell cell = {.type = value(i) == TP_NULL_KEY ? CELL_NULL : CELL_INTEGER, .integer = value(i)};
        assert_non_null(key);
        *key = (struct tp_key){value(i), i};
        tp_record_null(&record);
        put(&record, &cell);
        tp_record_null(&record);
        tp_record_null(&record);
        assert_int_equal(tp_bulk_row(&bulk, table, i, &record), 0);
    }
    assert_int_equal(tp_bulk_finish(&bulk, table), 0);
    assert_int_equal(tp_bulk_index(&bulk, &index), 0);
    assert_int_equal(tp_bulk_close(&bulk), 0);
    tp_record_free(&record);
    free(table);
}

/* SQLite's check looks for each row in each index, and for each key in the table, in order. */
static void try_index(int rows, int64_t (*value)(int i))
{
    sqlite3 *db;
    sqlite3_stmt *found;

    fill_both(rows, value);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &found, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(found), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(found, 0), "ok");
    sqlite3_finalize(found);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM t INDEXED BY i WHERE a IS NOT NULL OR a IS NULL", -1,
                                        &found, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(found), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(found, 0), rows);
    sqlite3_finalize(found);
    sqlite3_close(db);
}

static void indices(void **state)
{
    (void)state;
    int64_t (*const values[])(int i) = {ascending, scattered, any_number};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        for (int rows = 0; rows < 3; rows++)
            try_index(rows, values[v]);
        try_index(100000, values[v]);
    }
}

/* The last key of all is the first for which there is no room: on a leaf, and on a page above. */
static void the_last_key_goes_up(void **state)
{
    (void)state;
    for (int rows = 1680; rows < 1710; rows++)
        try_index(rows, ascending);
    for (int rows = 1680; rows < 1710; rows++)
        try_index(rows, scattered);
}

/* Leaves enough for two pages above them. */
static void two_levels_of_an_index(void **state)
{
    (void)state;
    try_index(2600000, ascending);
    try_index(1416000, ascending); /* the last key goes up from the first of two pages above leaves */
}

/* Put: id, a, c, d, b; stored in the order of the table. */
static const struct tp_stored in_order[] = {{0, TP_ABSENT_NULL}, {1, TP_ABSENT_NULL}, {4, TP_ABSENT_ZERO},
                                            {2, TP_ABSENT_NULL}, {3, TP_ABSENT_ZERO}};
enum { STORED = sizeof in_order / sizeof *in_order };

static void absent_row(int i, struct cell cells[STORED])
{
    for (int k = 0; k < STORED; k++) {
        cells[k].type = i >> 2 * k & 1 ? CELL_INTEGER : CELL_NULL;
        cells[k].integer = i >> (2 * k + 1) & 1 ? k : 0;
    }
    cells[0] = (struct cell){.type = CELL_NULL};
}

/* Rows end behind the last column that is not what it is where a row ends before it, and read as they were put. */
static void rows_that_end_early(void **state)
{
    enum { ROWS = 1 << 2 * STORED };
    static const int in_table[STORED] = {0, 1, 3, 4, 2}; /* by place in a row as it is put */
    struct tp_bulk bulk;
    struct tp_bulk_table *table = malloc(sizeof *table);
    struct tp_record record;
    struct cell cells[STORED];
    sqlite3 *db;
    sqlite3_stmt *found;
    uint32_t root = make_table();

    (void)state;
    assert_non_null(table);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA writable_schema = 1;"
                                  "UPDATE sqlite_schema SET sql = 'CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, "
                                  "b REAL DEFAULT 0, c TEXT, d INTEGER DEFAULT 0)'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(tp_record_open(&record, STORED, in_order), 0);
    assert_int_equal(tp_bulk_open(&bulk, path), 0);
    tp_bulk_table(table, root);
    for (int i = 0; i < ROWS; i++) {
        size_t kept = STORED;
        absent_row(i, cells);
        for (int k = 0; k < STORED; k++)
            put(&record, &cells[k]);
        while (kept > 1) {
            const struct cell *last = &cells[in_order[kept - 1].put];
            if (in_order[kept - 1].absent == TP_ABSENT_NULL ? last->type != CELL_NULL
                                                            : last->type == CELL_NULL || last->integer)
                break;
            kept--;
        }
        size_t size = 1 + kept;
        for (size_t k = 0; k < kept; k++)
            size += cells[in_order[k].put].type != CELL_NULL && cells[in_order[k].put].integer > 1;
        assert_int_equal(tp_record_size(&record), size);
        assert_int_equal(tp_bulk_row(&bulk, table, i + 1, &record), 0);
    }
    assert_int_equal(tp_bulk_finish(&bulk, table), 0);
    assert_int_equal(tp_bulk_close(&bulk), 0);
    tp_record_free(&record);
    free(table);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(
                         db, "SELECT id, a, CAST(b AS INTEGER), CAST(c AS INTEGER), d FROM t ORDER BY id", -1, &found,
                         NULL),
                     SQLITE_OK);
    for (int i = 0; i < ROWS; i++) {
        absent_row(i, cells);
        assert_int_equal(sqlite3_step(found), SQLITE_ROW);
        for (int k = 1; k < STORED; k++)
            same_cell(found, in_table[k], &cells[k]);
    }
    assert_int_equal(sqlite3_step(found), SQLITE_DONE);
    sqlite3_finalize(found);
    sqlite3_close(db);
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
        cmocka_unit_test(indices),
        cmocka_unit_test(the_last_key_goes_up),
        cmocka_unit_test(two_levels_of_an_index),
        cmocka_unit_test(rows_that_end_early),
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
