/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bulk_index.c: pages of an index b-tree, from left to right.
 *
 * An index has each key once: where a leaf is full, the next key goes up, between that leaf and the one that begins
 * behind it. On a page above it is a cell, with the page to its left; where that page is full, the next cell's key goes
 * up in turn, and its page becomes the page's right-most one. So leaves and interior pages are filled alike, a level at
 * a time, until one page is enough, which takes the place of the empty root. No page is left without a cell: if the
 * last key of all were to go up, the one before it does.
 *
 * Rows come by rowid, and most columns that have an index hold ids of a table of about as many rows: keys are put in
 * order by counting.
 */
#include "profile/store/bulk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAF = 0x0a,
    INTERIOR = 0x02,
    LEAF_HEADER = 8,
    INTERIOR_HEADER = 12,
    CHILD = 4,
    LARGEST_CELL = CHILD + 1 + 3 + 2 * 8, /* payload's size, record's header, two numbers */
};

/* ------------------------------------------------------------------------------------------ order */

/* The place of a value among counters; NULL is in front of all. */
static size_t index_place_of(int64_t value)
{
    return value == TP_NULL_KEY ? 0 : (size_t)value + 1;
}

/* Whether `most` counters are enough: as many are needed. */
static bool are_ids(const struct tp_key *keys, size_t count, size_t most, size_t *needed)
{
    *needed = 1;
    for (size_t i = 0; i < count; i++) {
        if (keys[i].value != TP_NULL_KEY && (keys[i].value < 0 || (uint64_t)keys[i].value >= most))
            return false;
        if (index_place_of(keys[i].value) >= *needed)
            *needed = index_place_of(keys[i].value) + 1;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    const struct tp_key *x = a, *y = b;
    int order = TP_COMPARE(x->value, y->value);

    return order ? order : TP_COMPARE(x->rowid, y->rowid);
}

static int put_in_order(struct tp_bulk_index *index)
{
    size_t count = index->keys.count, in_order = 1, needed, before = 0;
    struct tp_key *keys = index->keys.at;

    while (in_order < count && keys[in_order].value >= keys[in_order - 1].value)
        in_order++;
    if (in_order >= count)
        return 0;
    if (!are_ids(keys, count, 8 * count + 65536, &needed)) {
        qsort(keys, count, sizeof *keys, by_value);
        return 0;
    }
    size_t *first = calloc(needed, sizeof *first);
    struct tp_key *sorted = malloc(count * sizeof *sorted);
    for (size_t i = 0; first && sorted && i < count; i++)
        first[index_place_of(keys[i].value)]++;
    for (size_t i = 0; first && i < needed; i++) {
        size_t here = first[i];
        first[i] = before;
        before += here;
    }
    for (size_t i = 0; first && sorted && i < count; i++)
        sorted[first[index_place_of(keys[i].value)]++] = keys[i];
    if (first && sorted)
        memcpy(keys, sorted, count * sizeof *keys);
    int failed = first && sorted ? 0 : -1;
    free(first);
    free(sorted);
    return failed;
}

/* ------------------------------------------------------------------------------------------ pages */

struct entry {
    uint32_t child; /* the page to the left; leaves have none */
    struct tp_key key;
};

struct level {
    struct tp_bulk *bulk;
    struct tp_record record;
    bool leaves;
    uint8_t page[TP_PAGE];
    uint32_t cells, top, last; /* last: bytes of the cell put last */
};

static void begin_page(struct level *l)
{
    memset(l->page, 0, sizeof l->page);
    l->cells = 0;
    l->top = TP_PAGE;
}

static void end_page(struct level *l, uint32_t right)
{
    l->page[0] = l->leaves ? LEAF : INTERIOR;
    tp_put_u16(l->page + 3, l->cells);
    tp_put_u16(l->page + 5, l->top);
    if (!l->leaves)
        tp_put_u32(l->page + 8, right);
}

/* False: there is no room. */
static bool put_entry(struct level *l, const struct entry *entry)
{
    uint8_t cell[LARGEST_CELL];
    uint32_t header = l->leaves ? LEAF_HEADER : INTERIOR_HEADER, n = 0;

    if (entry->key.value == TP_NULL_KEY)
        tp_record_null(&l->record);
    else
        tp_record_integer(&l->record, entry->key.value);
    tp_record_integer(&l->record, entry->key.rowid);
    if (!l->leaves) {
        tp_put_u32(cell, entry->child);
        n = CHILD;
    }
    cell[n] = (uint8_t)tp_record_size(&l->record); /* a varint of one byte */
    tp_record_join(&l->record, cell + n + 1);
    n += 1 + cell[n];
    tp_record_clear(&l->record);
    if (header + 2 * (l->cells + 1) + n > l->top)
        return false;
    l->top -= n;
    l->last = n;
    memcpy(l->page + l->top, cell, n);
    tp_put_u16(l->page + header + 2 * l->cells++, l->top);
    return true;
}

/* All full pages of a level; the last one stays. Entries of the level above take the place of those of this one: their
 * number. */
static size_t write_full(struct level *l, struct entry *entries, size_t count)
{
    size_t above = 0;

    begin_page(l);
    for (size_t i = 0; i < count && !l->bulk->error; i++) {
        if (put_entry(l, &entries[i]))
            continue;
        if (i + 1 == count) {
            /* The entry that was put last is none of this page. */
            uint32_t header = l->leaves ? LEAF_HEADER : INTERIOR_HEADER;
            memset(l->page + l->top, 0, l->last);
            l->top += l->last;
            tp_put_u16(l->page + header + 2 * --l->cells, 0);
            i--;
        }
        struct entry up = {.key = entries[i].key};
        end_page(l, entries[i].child);
        up.child = tp_bulk_append(l->bulk, l->page);
        entries[above++] = up;
        begin_page(l);
    }
    return above;
}

int tp_bulk_index(struct tp_bulk *bulk, struct tp_bulk_index *index)
{
    size_t count = index->keys.count;
    struct entry *entries = malloc((count + 1) * sizeof *entries);
    struct level *level = calloc(1, sizeof *level);
    bool ok = entries && level && !tp_record_open(&level->record, 2, NULL) && !put_in_order(index);

    for (size_t i = 0; ok && i < count; i++)
        entries[i] = (struct entry){.key = index->keys.at[i]};
    if (ok && count) {
        uint32_t right = 0;
        level->bulk = bulk;
        for (level->leaves = true; count && !bulk->error; level->leaves = false) {
            count = write_full(level, entries, count);
            end_page(level, right);
            if (count)
                right = tp_bulk_append(bulk, level->page);
            else
                tp_bulk_replace(bulk, index->root, level->page);
        }
    }
    if (!ok)
        tp_bulk_failed(bulk, ENOMEM);
    if (level)
        tp_record_free(&level->record);
    free(level);
    free(entries);
    TP_VECTOR_FREE(&index->keys);
    return bulk->error;
}
