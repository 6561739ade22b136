/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bulk.c: pages of a table b-tree, from left to right.
 *
 * A leaf is filled from both ends: pointers to cells upwards, cells downwards. When the next cell does not fit, the
 * leaf is appended to the file and its number and last rowid are remembered. At the end these become the cells of
 * interior pages, those the cells of interior pages above them, until they fit on one page, which takes the place
 * of the empty root that SQLite made. Nothing refers to a page before its number is known.
 *
 * A row too long for a leaf (a function's name may be) goes on in a chain of overflow pages.
 */
#include "profile/store/bulk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAF = 0x0d,
    INTERIOR = 0x05,
    LEAF_HEADER = 8,
    INTERIOR_HEADER = 12,
    MOST_LOCAL = TP_PAGE - 35,                      /* payload that stays on the leaf */
    LEAST_LOCAL = (TP_PAGE - 12) * 32 / 255 - 23,   /* of a longer one */
    AT_PAGE_COUNT = 28,
    LOCK_PAGE = 0x40000000 / TP_PAGE + 1,           /* never used: SQLite locks bytes of it */
    LONGEST_VARINT = 9,
    INTERIOR_CELL = 4 + LONGEST_VARINT,
};

/* ------------------------------------------------------------------------------------------ bytes */

/* SQLite's varint: big-endian, seven bits a byte, the ninth byte whole. */
static size_t put_varint(uint8_t *p, uint64_t value)
{
    uint8_t reversed[LONGEST_VARINT];
    size_t n = 0;

    if (value < 0x80) {
        p[0] = (uint8_t)value;
        return 1;
    }
    if (value >> 56) {
        p[8] = (uint8_t)value;
        value >>= 8;
        for (int i = 7; i >= 0; i--, value >>= 7)
            p[i] = (uint8_t)(value | 0x80);
        return LONGEST_VARINT;
    }
    for (; value; value >>= 7)
        reversed[n++] = (uint8_t)(value | 0x80);
    reversed[0] &= 0x7f;
    for (size_t i = 0; i < n; i++)
        p[i] = reversed[n - 1 - i];
    return n;
}

/* ------------------------------------------------------------------------------------------ file */

int tp_bulk_failed(struct tp_bulk *bulk, int error)
{
    if (!bulk->error)
        bulk->error = error ? error : EIO;
    return bulk->error;
}

static int failed(struct tp_bulk *bulk)
{
    return tp_bulk_failed(bulk, errno);
}

uint32_t tp_bulk_append(struct tp_bulk *bulk, const uint8_t *page)
{
    static const uint8_t empty[TP_PAGE];

    if (bulk->error)
        return 0;
    errno = 0;
    if (bulk->pages + 1 == LOCK_PAGE) {
        if (fwrite(empty, TP_PAGE, 1, bulk->file) != 1) {
            failed(bulk);
            return 0;
        }
        bulk->pages++;
    }
    if (bulk->pages == UINT32_MAX - 1 || fwrite(page, TP_PAGE, 1, bulk->file) != 1) {
        failed(bulk);
        return 0;
    }
    return ++bulk->pages;
}

int tp_bulk_replace(struct tp_bulk *bulk, uint32_t number, const uint8_t *page)
{
    errno = 0;
    if (bulk->error || fseeko(bulk->file, (off_t)(number - 1) * TP_PAGE, SEEK_SET) ||
        fwrite(page, TP_PAGE, 1, bulk->file) != 1 || fseeko(bulk->file, 0, SEEK_END))
        return failed(bulk);
    return 0;
}

int tp_bulk_open(struct tp_bulk *bulk, const char *path)
{
    off_t size;

    *bulk = (struct tp_bulk){0};
    errno = 0;
    bulk->file = fopen(path, "r+be");
    if (!bulk->file)
        return failed(bulk);
    setvbuf(bulk->file, NULL, _IOFBF, 1 << 20);
    if (fseeko(bulk->file, 0, SEEK_END) || (size = ftello(bulk->file)) < TP_PAGE || size % TP_PAGE)
        return failed(bulk);
    bulk->pages = (uint32_t)(size / TP_PAGE);
    return 0;
}

int tp_bulk_close(struct tp_bulk *bulk)
{
    uint8_t count[4];
    int error;

    tp_put_u32(count, bulk->pages);
    errno = 0;
    if (bulk->file && !bulk->error &&
        (fseeko(bulk->file, AT_PAGE_COUNT, SEEK_SET) || fwrite(count, sizeof count, 1, bulk->file) != 1))
        failed(bulk);
    if (bulk->file && fclose(bulk->file))
        failed(bulk);
    error = bulk->error;
    *bulk = (struct tp_bulk){0};
    return error;
}

/* ------------------------------------------------------------------------------------------ records */

void tp_record_clear(struct tp_record *record)
{
    record->type = record->types;
    record->body = record->bodies;
}

int tp_record_open(struct tp_record *record, size_t columns, const struct tp_stored *stored)
{
    *record = (struct tp_record){.columns = columns, .room = 8 * columns + 8, .stored = stored};
    record->types = calloc(columns + 1, sizeof *record->types);
    record->ends = calloc(columns + 1, sizeof *record->ends);
    record->bodies = malloc(record->room);
    tp_record_clear(record);
    return record->types && record->ends && record->bodies ? 0 : -1;
}

void tp_record_free(struct tp_record *record)
{
    free(record->types);
    free(record->ends);
    free(record->bodies);
    *record = (struct tp_record){0};
}

/* A real that is whole is stored as an integer: SQLite turns it back where the column is REAL. */
void tp_record_real(struct tp_record *record, double value)
{
    int64_t whole = value > -1e14 && value < 1e14 ? (int64_t)value : INT64_MAX;
    uint64_t bits;

    if (whole != INT64_MAX && !((double)whole < value) && !((double)whole > value)) {
        tp_record_integer(record, whole);
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    bits = __builtin_bswap64(bits);
    memcpy(record->body, &bits, sizeof bits);
    record->body += sizeof bits;
    tp_record_end(record, 7);
}

void tp_record_text(struct tp_record *record, const char *text)
{
    size_t size = strlen(text), used = (size_t)(record->body - record->bodies);
    size_t needed = used + size + 8 * record->columns + 8; /* room for numbers in all other columns */

    if (needed > record->room) {
        uint8_t *larger = realloc(record->bodies, 2 * needed);
        if (!larger) {
            record->no_memory = true;
            tp_record_null(record);
            return;
        }
        record->bodies = larger;
        record->body = larger + used;
        record->room = 2 * needed;
    }
    memcpy(record->body, text, size);
    record->body += size;
    tp_record_end(record, (uint32_t)(2 * size + 13));
}

static size_t put_of(const struct tp_record *record, size_t column)
{
    return record->stored ? record->stored[column].put : column;
}

/* Bytes of the record's header, which count themselves: one, or two from 128. */
static size_t header_size(const struct tp_record *record)
{
    size_t size = record->kept + 1;

    for (size_t i = 0; i < record->kept; i++)
        for (uint32_t type = record->types[put_of(record, i)]; type > 127; type >>= 7)
            size++;
    return size + (size > 127);
}

/* What is left out has no bytes: it is NULL or 0. */
size_t tp_record_size(struct tp_record *record)
{
    record->kept = record->columns;
    while (record->stored && record->kept > 1 &&
           record->types[put_of(record, record->kept - 1)] == record->stored[record->kept - 1].absent)
        record->kept--;
    return header_size(record) + (size_t)(record->body - record->bodies);
}

void tp_record_join(const struct tp_record *record, uint8_t *out)
{
    out += put_varint(out, header_size(record));
    for (size_t i = 0; i < record->kept; i++)
        out += put_varint(out, record->types[put_of(record, i)]);
    for (size_t i = 0; i < record->kept; i++) {
        size_t put = put_of(record, i), begin = put ? record->ends[put - 1] : 0;
        for (size_t at = begin; at < record->ends[put]; at++)
            *out++ = record->bodies[at];
    }
}

/* ------------------------------------------------------------------------------------------ pages */

void tp_bulk_table(struct tp_bulk_table *table, uint32_t root)
{
    memset(table, 0, sizeof *table);
    table->root = root;
    table->top = TP_PAGE;
}

static void end_leaf(struct tp_bulk_table *table)
{
    table->leaf[0] = LEAF;
    tp_put_u16(table->leaf + 1, 0);
    tp_put_u16(table->leaf + 3, table->cells);
    tp_put_u16(table->leaf + 5, table->top);
    table->leaf[7] = 0;
}

static int flush_leaf(struct tp_bulk *bulk, struct tp_bulk_table *table)
{
    end_leaf(table);
    struct tp_child *child = TP_VECTOR_ADD(&table->leaves);
    if (!child)
        return tp_bulk_failed(bulk, ENOMEM);
    child->page = tp_bulk_append(bulk, table->leaf);
    child->last = table->last;
    memset(table->leaf, 0, sizeof table->leaf);
    table->cells = 0;
    table->top = TP_PAGE;
    return bulk->error;
}

/* What does not stay on the leaf, as a chain of pages in the order of the file. The first one's number. */
static uint32_t write_overflow(struct tp_bulk *bulk, const uint8_t *data, size_t size)
{
    uint8_t page[TP_PAGE];
    uint32_t first = 0;

    while (size && !bulk->error) {
        size_t now = size < TP_PAGE - 4 ? size : TP_PAGE - 4;
        uint32_t next = bulk->pages + 2; /* after this one, if neither is the lock page */
        next += next == LOCK_PAGE || next - 1 == LOCK_PAGE;
        memset(page, 0, sizeof page);
        tp_put_u32(page, size > now ? next : 0);
        memcpy(page + 4, data, now);
        uint32_t number = tp_bulk_append(bulk, page);
        first = first ? first : number;
        data += now;
        size -= now;
    }
    return first;
}

/* Bytes of a cell that begins the leaf's free end: the leaf is full, a new one begins, or it is there. */
static uint8_t *room_for(struct tp_bulk *bulk, struct tp_bulk_table *table, size_t size, int64_t rowid)
{
    if (LEAF_HEADER + 2 * (table->cells + 1) + size > table->top && flush_leaf(bulk, table))
        return NULL;
    table->top -= (uint32_t)size;
    tp_put_u16(table->leaf + LEAF_HEADER + 2 * table->cells++, table->top);
    table->last = rowid;
    return table->leaf + table->top;
}

/* A record that does not fit on a leaf. */
static int long_row(struct tp_bulk *bulk, struct tp_bulk_table *table, int64_t rowid, const struct tp_record *record,
                    size_t size)
{
    size_t local = LEAST_LOCAL + (size - LEAST_LOCAL) % (TP_PAGE - 4);
    uint8_t head[2 * LONGEST_VARINT], *all = malloc(size), *cell;
    size_t n = put_varint(head, size);

    n += put_varint(head + n, (uint64_t)rowid);
    local = local <= MOST_LOCAL ? local : LEAST_LOCAL;
    if (!all)
        return tp_bulk_failed(bulk, ENOMEM);
    tp_record_join(record, all);
    cell = room_for(bulk, table, n + local + 4, rowid);
    if (cell) {
        memcpy(cell, head, n);
        memcpy(cell + n, all, local);
        tp_put_u32(cell + n + local, write_overflow(bulk, all + local, size - local));
    }
    free(all);
    return bulk->error;
}

int tp_bulk_row(struct tp_bulk *bulk, struct tp_bulk_table *table, int64_t rowid, struct tp_record *record)
{
    size_t size = tp_record_size(record);
    uint8_t head[2 * LONGEST_VARINT], *cell;
    size_t n = put_varint(head, size);

    n += put_varint(head + n, (uint64_t)rowid);
    if (record->no_memory)
        tp_bulk_failed(bulk, ENOMEM);
    if (!bulk->error && size > MOST_LOCAL) {
        long_row(bulk, table, rowid, record, size);
    } else if (!bulk->error && (cell = room_for(bulk, table, n + size, rowid))) {
        memcpy(cell, head, n);
        tp_record_join(record, cell + n);
    }
    tp_record_clear(record);
    return bulk->error;
}

/* Interior page of children[0 .. count - 1]; the last one is the right-most pointer. */
static void make_interior(uint8_t *page, const struct tp_child *children, size_t count)
{
    uint32_t top = TP_PAGE;

    memset(page, 0, TP_PAGE);
    for (size_t i = 0; i + 1 < count; i++) {
        uint8_t cell[INTERIOR_CELL];
        tp_put_u32(cell, children[i].page);
        size_t n = 4 + put_varint(cell + 4, (uint64_t)children[i].last);
        top -= (uint32_t)n;
        memcpy(page + top, cell, n);
        tp_put_u16(page + INTERIOR_HEADER + 2 * i, top);
    }
    page[0] = INTERIOR;
    tp_put_u16(page + 3, (uint32_t)count - 1);
    tp_put_u16(page + 5, top);
    tp_put_u32(page + 8, children[count - 1].page);
}

/* One level up, in place, until one page is enough. An interior page has two children at least. */
static int write_interior(struct tp_bulk *bulk, struct tp_bulk_table *table)
{
    enum { FANOUT = (TP_PAGE - INTERIOR_HEADER) / (INTERIOR_CELL + 2) };
    struct tp_child *children = table->leaves.at;
    size_t count = table->leaves.count;
    uint8_t page[TP_PAGE];

    while (count > FANOUT) {
        size_t above = 0;
        for (size_t i = 0; i < count;) {
            size_t n = count - i > FANOUT ? FANOUT : count - i;
            n -= count - i - n == 1; /* leave no page with one child */
            make_interior(page, children + i, n);
            struct tp_child parent = {tp_bulk_append(bulk, page), children[i + n - 1].last};
            children[above++] = parent;
            i += n;
        }
        count = above;
    }
    make_interior(page, children, count);
    return tp_bulk_replace(bulk, table->root, page);
}

int tp_bulk_finish(struct tp_bulk *bulk, struct tp_bulk_table *table)
{
    if (table->cells && !table->leaves.count) {
        end_leaf(table);
        tp_bulk_replace(bulk, table->root, table->leaf);
    } else if (table->leaves.count) {
        if (table->cells)
            flush_leaf(bulk, table);
        if (!bulk->error)
            write_interior(bulk, table);
    }
    TP_VECTOR_FREE(&table->leaves);
    return bulk->error;
}
