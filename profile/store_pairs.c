/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_pairs.c: who had to load lines again, that somebody else had thrown out, and who used first what somebody else
 * had loaded (--interdependence=yes).
 *
 * The recording has one entry for each pair, level, part and pair of threads. They are sorted by what makes a row, and
 * those of one row are added. How long ago a line had been used is a table of its own, with a row per power of two. A
 * reuse is a pair without an evictor.
 */
#include <stdlib.h>

#include "profile/error.h"
#include "profile/store.h"

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

static void add(struct tp_again *to, const struct tp_again *from)
{
    to->misses = tp_sum(to->misses, from->misses);
    to->timed = tp_sum(to->timed, from->timed);
    to->distance = tp_sum(to->distance, from->distance);
    for (size_t i = 0; i < TN_RAW_DISTANCES; i++)
        to->after[i] = tp_sum(to->after[i], from->after[i]);
}

/* Equal pairs become one; returns how many there are then. */
static size_t add_up(struct tp_again *at, size_t count)
{
    size_t kept = 0;

    if (count)
        qsort(at, count, sizeof *at, by_pair);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_pair(&at[kept - 1], &at[i]) != 0)
            at[kept++] = at[i];
        else
            add(&at[kept - 1], &at[i]);
    }
    return kept;
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

    for (size_t i = 0; !failed && i < rec->again.count; i++)
        failed = write_pair(store, &insert, &rec->again.at[i], i + 1);
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

    for (size_t i = 0; !failed && i < rec->reuses.count; i++)
        failed = write_reuse(store, &insert, &rec->reuses.at[i], i + 1);
    return tp_insert_close(store, &insert, failed);
}

static int write_distances(struct tp_store *store, const struct tp_again *again, size_t count, const char *table)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, table);

    for (size_t i = 0; i < count; i++) {
        for (uint64_t power = 0; !failed && power < TN_RAW_DISTANCES; power++) {
            if (!again[i].after[power])
                continue;
            tp_put_count(&insert, i + 1);
            tp_put_count(&insert, power);
            tp_put_count(&insert, again[i].after[power]);
            failed = tp_insert_row(store, &insert);
        }
    }
    return tp_insert_close(store, &insert, failed);
}

int tp_store_pairs(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;

    rec->again.count = add_up(rec->again.at, rec->again.count);
    rec->reuses.count = add_up(rec->reuses.at, rec->reuses.count);
    return write_pairs(store) || write_distances(store, rec->again.at, rec->again.count, "t_pair_distances") ||
                   write_reuses(store) ||
                   write_distances(store, rec->reuses.at, rec->reuses.count, "t_reuse_distances")
               ? -1
               : 0;
}
