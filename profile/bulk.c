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
#include "profile/bulk.h"

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

static void put_u16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static void put_u32(uint8_t *p, uint32_t value)
{
    put_u16(p, value >> 16);
    put_u16(p + 2, value);
}

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

static int failed(struct tp_bulk *bulk)
{
    if (!bulk->error)
        bulk->error = errno ? errno : EIO;
    return bulk->error;
}

/* Append a page; its number, or 0. */
static uint32_t append(struct tp_bulk *bulk, const uint8_t *page)
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

static int replace(struct tp_bulk *bulk, uint32_t number, const uint8_t *page)
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

    put_u32(count, bulk->pages);
    errno = 0;
    if (bulk->file && !bulk->error &&
        (fseeko(bulk->file, AT_PAGE_COUNT, SEEK_SET) || fwrite(count, sizeof count, 1, bulk->file) != 1))
        failed(bulk);
    if (bulk->file && fclose(bulk->file))
        failed(bulk);
    free(bulk->record);
    error = bulk->error;
    *bulk = (struct tp_bulk){0};
    return error;
}

/* ------------------------------------------------------------------------------------------ records */

/* Bytes of an integer's body, and its serial type; 0 and 1 have types of their own and no body. */
static size_t integer_size(int64_t value, uint8_t *type)
{
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8};

    if (value == 0 || value == 1) {
        *type = (uint8_t)(8 + value);
        return 0;
    }
    uint64_t magnitude = value < 0 ? ~(uint64_t)value : (uint64_t)value;
    *type = 1;
    while (*type < 6 && magnitude >> (8 * sizes[*type] - 1))
        ++*type;
    return sizes[*type];
}

static uint8_t *put_body(uint8_t *p, uint64_t value, size_t size)
{
    for (size_t i = size; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
    return p + size;
}

/* The value of a real that is stored as an integer: SQLite turns it back where the column is REAL. */
static bool is_whole(double real, int64_t *value)
{
    if (!(real > -1e14 && real < 1e14))
        return false;
    *value = (int64_t)real;
    return !((double)*value < real) && !((double)*value > real);
}

static size_t text_bytes(const struct tp_cell *cells, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += cells[i].type == TP_CELL_TEXT ? strlen(cells[i].text) : 0;
    return bytes;
}

/* Write the record into bulk->record: header and body, built apart and joined. Its size, or 0. */
static size_t make_record(struct tp_bulk *bulk, const struct tp_cell *cells, size_t count)
{
    size_t most = count * (LONGEST_VARINT + 8) + 2 * LONGEST_VARINT, text = text_bytes(cells, count);

    if (2 * most + text > bulk->room) {
        uint8_t *larger = realloc(bulk->record, 2 * (2 * most + text));
        if (!larger) {
            errno = ENOMEM;
            failed(bulk);
            return 0;
        }
        bulk->record = larger;
        bulk->room = 2 * (2 * most + text);
    }
    uint8_t *head = bulk->record + LONGEST_VARINT, *types = head, *body = head + most, *start = body;
    for (size_t i = 0; i < count; i++) {
        int64_t whole = cells[i].integer;
        size_t size;
        switch (cells[i].type) {
        case TP_CELL_NULL:
            *types++ = 0;
            break;
        case TP_CELL_REAL:
            if (!is_whole(cells[i].real, &whole)) {
                uint64_t bits;
                memcpy(&bits, &cells[i].real, sizeof bits);
                *types++ = 7;
                body = put_body(body, bits, 8);
                break;
            }
            /* fall through */
        case TP_CELL_INTEGER:
            size = integer_size(whole, types);
            types++;
            body = put_body(body, (uint64_t)whole, size);
            break;
        case TP_CELL_TEXT:
            size = strlen(cells[i].text);
            types += put_varint(types, 2 * (uint64_t)size + 13);
            memcpy(body, cells[i].text, size);
            body += size;
            break;
        }
    }
    /* The header's size counts itself: one byte, or two from 128. */
    size_t header = (size_t)(types - head) + 1;
    header += header > 127;
    uint8_t length[LONGEST_VARINT];
    size_t n = put_varint(length, header);
    memmove(bulk->record + n, head, (size_t)(types - head));
    memcpy(bulk->record, length, n);
    memmove(bulk->record + header, start, (size_t)(body - start));
    return header + (size_t)(body - start);
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
    put_u16(table->leaf + 1, 0);
    put_u16(table->leaf + 3, table->cells);
    put_u16(table->leaf + 5, table->top);
    table->leaf[7] = 0;
}

static int flush_leaf(struct tp_bulk *bulk, struct tp_bulk_table *table)
{
    end_leaf(table);
    struct tp_child *child = TP_VECTOR_ADD(&table->leaves);
    if (!child) {
        errno = ENOMEM;
        return failed(bulk);
    }
    child->page = append(bulk, table->leaf);
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
        put_u32(page, size > now ? next : 0);
        memcpy(page + 4, data, now);
        uint32_t number = append(bulk, page);
        first = first ? first : number;
        data += now;
        size -= now;
    }
    return first;
}

int tp_bulk_row(struct tp_bulk *bulk, struct tp_bulk_table *table, int64_t rowid, const struct tp_cell *cells,
                size_t count)
{
    uint8_t head[2 * LONGEST_VARINT];
    size_t size = bulk->error ? 0 : make_record(bulk, cells, count), local = size, spilled = 0;

    if (!size)
        return bulk->error;
    if (size > MOST_LOCAL) {
        local = LEAST_LOCAL + (size - LEAST_LOCAL) % (TP_PAGE - 4);
        local = local <= MOST_LOCAL ? local : LEAST_LOCAL;
        spilled = 4;
    }
    size_t n = put_varint(head, size);
    n += put_varint(head + n, (uint64_t)rowid);
    if (LEAF_HEADER + 2 * (table->cells + 1) + n + local + spilled > table->top && flush_leaf(bulk, table))
        return bulk->error;
    if (spilled) {
        uint32_t first = write_overflow(bulk, bulk->record + local, size - local);
        put_u32(table->leaf + table->top - 4, first);
    }
    table->top -= (uint32_t)(n + local + spilled);
    memcpy(table->leaf + table->top, head, n);
    memcpy(table->leaf + table->top + n, bulk->record, local);
    put_u16(table->leaf + LEAF_HEADER + 2 * table->cells++, table->top);
    table->last = rowid;
    return bulk->error;
}

/* Interior page of children[0 .. count - 1]; the last one is the right-most pointer. */
static void make_interior(uint8_t *page, const struct tp_child *children, size_t count)
{
    uint32_t top = TP_PAGE;

    memset(page, 0, TP_PAGE);
    for (size_t i = 0; i + 1 < count; i++) {
        uint8_t cell[INTERIOR_CELL];
        put_u32(cell, children[i].page);
        size_t n = 4 + put_varint(cell + 4, (uint64_t)children[i].last);
        top -= (uint32_t)n;
        memcpy(page + top, cell, n);
        put_u16(page + INTERIOR_HEADER + 2 * i, top);
    }
    page[0] = INTERIOR;
    put_u16(page + 3, (uint32_t)count - 1);
    put_u16(page + 5, top);
    put_u32(page + 8, children[count - 1].page);
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
            struct tp_child parent = {append(bulk, page), children[i + n - 1].last};
            children[above++] = parent;
            i += n;
        }
        count = above;
    }
    make_interior(page, children, count);
    return replace(bulk, table->root, page);
}

int tp_bulk_finish(struct tp_bulk *bulk, struct tp_bulk_table *table)
{
    if (table->cells && !table->leaves.count) {
        end_leaf(table);
        replace(bulk, table->root, table->leaf);
    } else if (table->leaves.count) {
        if (table->cells)
            flush_leaf(bulk, table);
        if (!bulk->error)
            write_interior(bulk, table);
    }
    TP_VECTOR_FREE(&table->leaves);
    return bulk->error;
}
