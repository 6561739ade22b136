/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bulk.h: rows into the tables of an SQLite file that no connection has open, without SQLite.
 *
 * A profile's large tables are written once, by ascending rowid. An INSERT spends most of its time on what that
 * does not need; writing the pages of SQLite's documented file format (sqlite.org/fileformat2.html, sections 1.3
 * to 1.6 and 2.1) takes a quarter of the time.
 *
 * Life: SQLite makes the file with all its tables, empty, and closes it; tp_bulk_open; tp_bulk_table for each table
 * that is to be filled; rows, in any order between tables, ascending within one; tp_bulk_close. Then SQLite opens
 * the file again and makes indices.
 *
 * Rules: no auto-vacuum, no reserved bytes, no indices yet on the tables filled here.
 */
#ifndef TENURE_PROFILE_BULK_H
#define TENURE_PROFILE_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/mem.h"

enum { TP_PAGE = 16384 };

struct tp_cell {
    enum { TP_CELL_NULL, TP_CELL_INTEGER, TP_CELL_REAL, TP_CELL_TEXT } type;
    int64_t integer;
    double real;
    const char *text;
};

struct tp_child { /* of an interior page: all rowids of `page` are at most `last` */
    uint32_t page;
    int64_t last;
};

struct tp_bulk_table {
    uint32_t root;
    TP_VECTOR(struct tp_child) leaves;
    int64_t last;        /* rowid of the last row */
    uint32_t cells, top; /* of the leaf at hand: number of cells, where their bytes begin */
    uint8_t leaf[TP_PAGE];
};

struct tp_bulk {
    FILE *file;
    uint32_t pages; /* of the file so far */
    uint8_t *record; /* the row at hand */
    size_t room;
    int error; /* the first errno; everything after it does nothing */
};

/* 0, or an errno; so for all. tp_bulk_close in any case. */
int tp_bulk_open(struct tp_bulk *bulk, const char *path);
void tp_bulk_table(struct tp_bulk_table *table, uint32_t root);
/* `cells` in the order of the columns; a column that is an INTEGER PRIMARY KEY must be NULL. */
int tp_bulk_row(struct tp_bulk *bulk, struct tp_bulk_table *table, int64_t rowid, const struct tp_cell *cells,
                size_t count);
/* The rows are complete: their interior pages, and the root. Frees what the table holds. */
int tp_bulk_finish(struct tp_bulk *bulk, struct tp_bulk_table *table);
int tp_bulk_close(struct tp_bulk *bulk);

#endif
