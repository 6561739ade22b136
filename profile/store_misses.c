/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_misses.c: what is known of misses besides their number: the strides between them, and the sets in which they
 * conflicted.
 *
 * The recording has one entry per thread and part. They are sorted by what makes a row, and those of one row are added.
 */
#include <stdlib.h>

#include "profile/error.h"
#include "profile/store.h"

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* ------------------------------------------------------------------------------------------ strides */

static int by_payer(const void *a, const void *b)
{
    const struct tp_strides *x = a, *y = b;
    int order = compare(x->instr, y->instr);

    return order ? order : compare(x->data, y->data);
}

static int by_stride(const void *a, const void *b)
{
    const struct tp_stride *x = a, *y = b;
    int order = compare(x->instr, y->instr);

    order = order ? order : compare(x->data, y->data);
    return order ? order : compare(x->bytes, y->bytes);
}

static int write_payers(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_stride_sums");

    if (rec->stride_sums.count)
        qsort(rec->stride_sums.at, rec->stride_sums.count, sizeof *rec->stride_sums.at, by_payer);
    for (size_t i = 0, next; !failed && i < rec->stride_sums.count; i = next) {
        struct tp_strides sum = rec->stride_sums.at[i];
        for (next = i + 1; next < rec->stride_sums.count && !by_payer(&sum, &rec->stride_sums.at[next]); next++) {
            sum.count = tp_sum(sum.count, rec->stride_sums.at[next].count);
            sum.lost = tp_sum(sum.lost, rec->stride_sums.at[next].lost);
        }
        tp_put_id(&insert, store->instruction_id[sum.instr - 1]);
        tp_put_id(&insert, sum.data);
        tp_put_count(&insert, sum.count);
        tp_put_count(&insert, sum.lost);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_strides(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_strides");

    if (rec->strides.count)
        qsort(rec->strides.at, rec->strides.count, sizeof *rec->strides.at, by_stride);
    for (size_t i = 0, next; !failed && i < rec->strides.count; i = next) {
        struct tp_stride sum = rec->strides.at[i];
        for (next = i + 1; next < rec->strides.count && !by_stride(&sum, &rec->strides.at[next]); next++)
            sum.count = tp_sum(sum.count, rec->strides.at[next].count);
        tp_put_id(&insert, store->instruction_id[sum.instr - 1]);
        tp_put_id(&insert, sum.data);
        tp_put_integer(&insert, sum.bytes);
        tp_put_count(&insert, sum.count);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
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

static int write_sets(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_conflicts");

    if (rec->conflicts.count)
        qsort(rec->conflicts.at, rec->conflicts.count, sizeof *rec->conflicts.at, by_set);
    for (size_t i = 0, next; !failed && i < rec->conflicts.count; i = next) {
        struct tp_conflicts sum = rec->conflicts.at[i];
        for (next = i + 1; next < rec->conflicts.count && !by_set(&sum, &rec->conflicts.at[next]); next++)
            sum.count = tp_sum(sum.count, rec->conflicts.at[next].count);
        tp_put_id(&insert, store->instruction_id[sum.instr - 1]);
        tp_put_id(&insert, sum.data);
        tp_put_text(&insert, tp_cache_names[sum.cache]);
        tp_put_count(&insert, sum.set);
        tp_put_count(&insert, sum.count);
        failed = tp_insert_row(store, &insert);
    }
    return tp_insert_close(store, &insert, failed);
}

int tp_store_misses(struct tp_store *store)
{
    return write_payers(store) || write_strides(store) || write_sets(store) ? -1 : 0;
}
