/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_pairs.c: who had to load lines again, that somebody else had thrown out, and who used first what somebody else
 * had loaded (--interdependence=yes).
 *
 * The recording has one entry for each pair, level, part and pair of threads. They are sorted by what makes a row, and
 * those of one row are added as it is written. How long ago a line had been used is a table of its own, with a row per
 * power of two. A reuse is a pair without an evictor.
 */
#include <stdlib.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_pair(const void *a, const void *b)
{
    const struct tp_again *x = a, *y = b;
    int order = compare(x->instr, y->instr);

    order = order ? order : compare(x->data, y->data);
    order = order ? order : compare(x->cache, y->cache);
    order = order ? order : compare(x->evictor, y->evictor);
    order = order ? order : compare(x->evictor_data, y->evictor_data);
    return order ? order : compare(x->loader, y->loader);
}

/* How many, from the first on, are one row. */
static size_t row_at(const struct tp_again *at, size_t count)
{
    size_t same = 1;

    while (same < count && by_pair(&at[0], &at[same]) == 0)
        same++;
    return same;
}

/* The sum of equal pairs, but for their counts by power. */
static struct tp_again sum_of(const struct tp_again *at, size_t count)
{
    struct tp_again sum = at[0];

    for (size_t i = 1; i < count; i++) {
        sum.misses = tp_sum(sum.misses, at[i].misses);
        sum.timed = tp_sum(sum.timed, at[i].timed);
        sum.distance = tp_sum(sum.distance, at[i].distance);
    }
    return sum;
}

static void put_instruction(const struct tp_store *store, struct tp_insert *insert, uint32_t instr)
{
    tp_put_id(insert, instr ? store->instruction_id[instr - 1] : 0);
}

static int write_pair(struct tp_store *store, struct tp_insert *insert, const struct tp_again *again, uint64_t id)
{
    tp_put_count(insert, id);
    put_instruction(store, insert, again->loader);
    put_instruction(store, insert, again->evictor);
    tp_put_id(insert, again->evictor_data);
    put_instruction(store, insert, again->instr);
    tp_put_id(insert, again->data);
    tp_put_text(insert, again->instr ? tp_cache_names[again->cache] : NULL);
    tp_put_count(insert, again->misses);
    tp_put_count(insert, again->timed);
    tp_put_count(insert, again->distance);
    return tp_insert_row(store, insert);
}

static int write_pairs(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_pairs");

    for (size_t i = 0, id = 1, same; !failed && i < rec->again.count; i += same, id++) {
        same = row_at(&rec->again.at[i], rec->again.count - i);
        struct tp_again sum = sum_of(&rec->again.at[i], same);
        failed = write_pair(store, &insert, &sum, id);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_reuse(struct tp_store *store, struct tp_insert *insert, const struct tp_again *reuse, uint64_t id)
{
    tp_put_count(insert, id);
    put_instruction(store, insert, reuse->loader);
    put_instruction(store, insert, reuse->instr);
    tp_put_id(insert, reuse->data);
    tp_put_text(insert, reuse->instr ? tp_cache_names[reuse->cache] : NULL);
    tp_put_count(insert, reuse->misses);
    tp_put_count(insert, reuse->distance);
    return tp_insert_row(store, insert);
}

static int write_reuses(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_reuses");

    for (size_t i = 0, id = 1, same; !failed && i < rec->reuses.count; i += same, id++) {
        same = row_at(&rec->reuses.at[i], rec->reuses.count - i);
        struct tp_again sum = sum_of(&rec->reuses.at[i], same);
        failed = write_reuse(store, &insert, &sum, id);
    }
    return tp_insert_close(store, &insert, failed);
}

static int write_powers(struct tp_store *store, struct tp_insert *insert, const struct tp_again *at, size_t count,
                        uint64_t id)
{
    uint64_t misses[TN_RAW_DISTANCES] = {0};
    int failed = 0;

    for (size_t i = 0; i < count; i++) {
        const struct tp_after *after = store->rec->afters.at + at[i].first_after;
        for (uint32_t k = 0; k < at[i].afters; k++)
            misses[after[k].power] = tp_sum(misses[after[k].power], after[k].misses);
    }
    for (uint64_t power = 0; !failed && power < TN_RAW_DISTANCES; power++) {
        if (!misses[power])
            continue;
        tp_put_count(insert, id);
        tp_put_count(insert, power);
        tp_put_count(insert, misses[power]);
        failed = tp_insert_row(store, insert);
    }
    return failed;
}

static int write_distances(struct tp_store *store, const struct tp_again *again, size_t count, const char *table)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, table);

    for (size_t i = 0, id = 1, same; !failed && i < count; i += same, id++) {
        same = row_at(&again[i], count - i);
        failed = write_powers(store, &insert, &again[i], same, id);
    }
    return tp_insert_close(store, &insert, failed);
}

int tp_store_pairs(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;

    if (rec->again.count)
        qsort(rec->again.at, rec->again.count, sizeof *rec->again.at, by_pair);
    if (rec->reuses.count)
        qsort(rec->reuses.at, rec->reuses.count, sizeof *rec->reuses.at, by_pair);
    return write_pairs(store) || write_distances(store, rec->again.at, rec->again.count, "t_pair_distances") ||
                   write_reuses(store) ||
                   write_distances(store, rec->reuses.at, rec->reuses.count, "t_reuse_distances")
               ? -1
               : 0;
}
