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
 * the file again and makes what other indices there are to be.
 *
 * Nothing but store_insert.c, bulk.c and bulk_index.c knows of this. All three files may go, and every table be filled
 * by INSERT, once that makes `tenure import` no more than half as slow again. With SQLite 3.40 the import of a
 * compiler's recording (40 MB, 600,000 instructions) takes 2.3 s of CPU with it and 6.3 s without.
 *
 * Rules: no auto-vacuum, no reserved bytes; an index that a table filled here has already is filled here as well.
 */
#ifndef TENURE_PROFILE_BULK_H
#define TENURE_PROFILE_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/base/big.h"
#include "profile/base/mem.h"

enum { TP_PAGE = 16384 };

/* A column as it is stored. A row ends behind its last column that differs from what it is where a row ends before it.
 * So columns that seldom do are stored last, in whatever order values are put. */
struct tp_stored {
    uint16_t put; /* which of the values of a row, in the order in which they are put */
    uint8_t absent; /* what it is where the row ends before: TP_ABSENT_* */
};
enum { TP_ABSENT_NULL = 0, TP_ABSENT_ZERO = 8 }; /* SQLite's types of these */

/* A row in the making, as SQLite has it: the types of its values, and their bytes. A value for each column, in order;
 * NULL for one that is an INTEGER PRIMARY KEY. */
struct tp_record {
    uint32_t *types, *type; /* type: where the next one goes */
    uint32_t *ends;         /* of each value's bytes in `bodies` */
    uint8_t *bodies, *body;
    size_t columns, room; /* room: of bodies */
    size_t kept;          /* of the columns as they are stored, once tp_record_size was asked */
    const struct tp_stored *stored; /* NULL: all columns as they are put */
    bool no_memory;
};
/* `stored`: kept by the caller. -1: out of memory; free in any case. */
int tp_record_open(struct tp_record *record, size_t columns, const struct tp_stored *stored);
void tp_record_free(struct tp_record *record);
void tp_record_real(struct tp_record *record, double value);
void tp_record_text(struct tp_record *record, const char *text); /* copied */

/* As it is stored: its bytes, and how many, which is to be asked first. */
size_t tp_record_size(struct tp_record *record);
void tp_record_join(const struct tp_record *record, uint8_t *out);
void tp_record_clear(struct tp_record *record);

/* A value whose bytes are there. */
static inline void tp_record_end(struct tp_record *record, uint32_t type)
{
    record->ends[record->type - record->types] = (uint32_t)(record->body - record->bodies);
    *record->type++ = type;
}

static inline void tp_record_null(struct tp_record *record)
{
    tp_record_end(record, 0);
}

/* In as few bytes as SQLite has types for; 0 and 1 have types of their own and no bytes. */
static inline void tp_record_integer(struct tp_record *record, int64_t value)
{
    static const uint8_t size[] = {0, 1, 2, 3, 4, 6, 6, 8, 8}, type[] = {0, 1, 2, 3, 4, 5, 5, 6, 6};

    if (value == 0 || value == 1) {
        tp_record_end(record, (uint32_t)(8 + value));
        return;
    }
    uint64_t magnitude = value < 0 ? ~(uint64_t)value : (uint64_t)value;
    int bytes = (72 - __builtin_clzll(magnitude | 1)) / 8; /* with the sign's bit */
    uint64_t first = __builtin_bswap64((uint64_t)value << (64 - 8 * size[bytes]));
    __builtin_memcpy(record->body, &first, sizeof first); /* there is room for eight */
    record->body += size[bytes];
    tp_record_end(record, type[bytes]);
}

/* Keys of an index of one column of numbers, in the order of rowids. */
#define TP_NULL_KEY INT64_MIN
struct tp_key {
    int64_t value, rowid;
};
struct tp_bulk_index {
    uint32_t root;
    TP_VECTOR(struct tp_key) keys;
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
    int error; /* the first errno; everything after it does nothing */
};

/* 0, or an errno; so for all. tp_bulk_close in any case. */
int tp_bulk_open(struct tp_bulk *bulk, const char *path);
void tp_bulk_table(struct tp_bulk_table *table, uint32_t root);
/* Write the record, which is empty then. */
int tp_bulk_row(struct tp_bulk *bulk, struct tp_bulk_table *table, int64_t rowid, struct tp_record *record);
/* The rows are complete: their interior pages, and the root. Frees what the table holds. */
int tp_bulk_finish(struct tp_bulk *bulk, struct tp_bulk_table *table);
/* bulk_index.c: put the keys in order, write them, and free them. */
int tp_bulk_index(struct tp_bulk *bulk, struct tp_bulk_index *index);
int tp_bulk_close(struct tp_bulk *bulk);

/* For bulk_index.c: a page at the end of the file (its number, or 0), or in another's place. */
uint32_t tp_bulk_append(struct tp_bulk *bulk, const uint8_t *page);
int tp_bulk_replace(struct tp_bulk *bulk, uint32_t number, const uint8_t *page);
int tp_bulk_failed(struct tp_bulk *bulk, int error);

#endif
