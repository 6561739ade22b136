/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_misses.c: what is known of misses besides their number: the strides between them, and the sets in which they
 * conflicted.
 *
 * The recording has one entry per thread and part. They are sorted by what makes a row, and those of one row are added.
 */
#include <stdlib.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

/* One table: what is in it, in which order, and how two pieces of one row become one. */
struct kind {
    const char *table;
    size_t size;
    int (*compare)(const void *a, const void *b);
    void (*add)(void *sum, const void *piece);
    void (*put)(struct tp_store *store, struct tp_insert *insert, const void *row);
};

/* Pieces, `count` of them from `at` on, are sorted. */
static int write_sums(struct tp_store *store, const struct kind *kind, void *at, size_t count)
{
    char *piece = at, *end = count ? piece + count * kind->size : piece;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, kind->table);

    if (count)
        qsort(at, count, kind->size, kind->compare);
    while (!failed && piece < end) {
        void *sum = piece;
        for (piece += kind->size; piece < end && !kind->compare(sum, piece); piece += kind->size)
            kind->add(sum, piece);
        kind->put(store, &insert, sum);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static void put_payer(struct tp_store *store, struct tp_insert *insert, uint32_t instr, uint32_t data)
{
    tp_put_id(insert, store->instruction_id[instr - 1]);
    tp_put_id(insert, data);
}

/* ------------------------------------------------------------------------------------------ strides */

static int by_payer(const void *a, const void *b)
{
    const struct tp_strides *x = a, *y = b;
    int order = compare(x->instr, y->instr);

    return order ? order : compare(x->data, y->data);
}

static void add_strides(void *sum, const void *piece)
{
    struct tp_strides *x = sum;
    const struct tp_strides *y = piece;

    x->count = tp_sum(x->count, y->count);
    x->lost = tp_sum(x->lost, y->lost);
}

static void put_strides(struct tp_store *store, struct tp_insert *insert, const void *row)
{
    const struct tp_strides *x = row;

    put_payer(store, insert, x->instr, x->data);
    tp_put_count(insert, x->count);
    tp_put_count(insert, x->lost);
}

static int by_stride(const void *a, const void *b)
{
    const struct tp_stride *x = a, *y = b;
    int order = compare(x->instr, y->instr);

    order = order ? order : compare(x->data, y->data);
    return order ? order : compare(x->bytes, y->bytes);
}

static void add_stride(void *sum, const void *piece)
{
    struct tp_stride *x = sum;

    x->count = tp_sum(x->count, ((const struct tp_stride *)piece)->count);
}

static void put_stride(struct tp_store *store, struct tp_insert *insert, const void *row)
{
    const struct tp_stride *x = row;

    put_payer(store, insert, x->instr, x->data);
    tp_put_integer(insert, x->bytes);
    tp_put_count(insert, x->count);
}

/* ------------------------------------------------------------------------------------------ sets */

const char *const tp_cache_names[TP_CONFLICT_CACHES] = {"I1", "D1", "L", "I2", "D2"};

static int by_set(const void *a, const void *b)
{
    const struct tp_conflicts *x = a, *y = b;
    int order = compare(x->instr, y->instr);

    order = order ? order : compare(x->data, y->data);
    order = order ? order : compare(x->cache, y->cache);
    return order ? order : compare(x->set, y->set);
}

static void add_set(void *sum, const void *piece)
{
    struct tp_conflicts *x = sum;

    x->count = tp_sum(x->count, ((const struct tp_conflicts *)piece)->count);
}

static void put_set(struct tp_store *store, struct tp_insert *insert, const void *row)
{
    const struct tp_conflicts *x = row;

    put_payer(store, insert, x->instr, x->data);
    tp_put_text(insert, tp_cache_names[x->cache]);
    tp_put_count(insert, x->set);
    tp_put_count(insert, x->count);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_misses(struct tp_store *store)
{
    static const struct kind sums = {"t_stride_sums", sizeof(struct tp_strides), by_payer, add_strides, put_strides};
    static const struct kind strides = {"t_strides", sizeof(struct tp_stride), by_stride, add_stride, put_stride};
    static const struct kind sets = {"t_conflicts", sizeof(struct tp_conflicts), by_set, add_set, put_set};
    struct tp_recording *rec = store->rec;

    return write_sums(store, &sums, rec->stride_sums.at, rec->stride_sums.count) ||
                   write_sums(store, &strides, rec->strides.at, rec->strides.count) ||
                   write_sums(store, &sets, rec->conflicts.at, rec->conflicts.count)
               ? -1
               : 0;
}
