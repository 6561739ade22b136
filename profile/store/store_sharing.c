/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_sharing.c: whose writes took lines from whom (--coherence=mesi).
 *
 * The recording has a row for each part that a pair occurs in. They are put in order and added up. What was written
 * and touched is kept as granules of a line, and told as ranges of its bytes: for lines of up to 64 bytes the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

enum { GRANULES = 64, RANGES = GRANULES / 2 * 16 }; /* "1008-1023 " and a NUL, for every other granule */

static int by_pair(const void *a, const void *b)
{
    const struct tp_sharing *x = a, *y = b;

    if (x->writer != y->writer)
        return x->writer < y->writer ? -1 : 1;
    if (x->victim != y->victim)
        return x->victim < y->victim ? -1 : 1;
    return x->data < y->data ? -1 : x->data > y->data;
}

/* Equal pairs become one; returns how many there are then. */
static size_t add_up(struct tp_sharing *at, size_t count)
{
    size_t kept = 0;

    if (count)
        qsort(at, count, sizeof *at, by_pair);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_pair(&at[kept - 1], &at[i]) != 0) {
            at[kept++] = at[i];
            continue;
        }
        struct tp_sharing *to = &at[kept - 1];
        to->misses = tp_sum(to->misses, at[i].misses);
        to->falsely = tp_sum(to->falsely, at[i].falsely);
        to->truly = tp_sum(to->truly, at[i].truly);
        to->written |= at[i].written;
        to->touched |= at[i].touched;
    }
    return kept;
}

static unsigned granule_of(const struct tp_recording *rec)
{
    unsigned line = 0;

    for (size_t i = 0; i < rec->meta.count; i++) {
        if (strcmp(rec->meta.at[i].key, "cache.D1") == 0 && sscanf(rec->meta.at[i].value, "%*u,%*u,%u", &line) != 1)
            line = 0;
    }
    return line > GRANULES && line <= 1024 ? line / GRANULES : 1;
}

/* "0-7 16-31" */
static void put_ranges(struct tp_insert *insert, uint64_t granules, unsigned granule, char *text)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < GRANULES; i++) {
        unsigned first = i;

        if (!(granules >> i & 1))
            continue;
        while (i + 1 < GRANULES && granules >> (i + 1) & 1)
            i++;
        used += (size_t)snprintf(text + used, RANGES - used, "%s%u-%u", used ? " " : "", first * granule,
                                 (i + 1) * granule - 1);
    }
    tp_put_text(insert, text[0] ? text : NULL);
}

static int write_pair(struct tp_store *store, struct tp_insert *insert, const struct tp_sharing *pair, unsigned granule)
{
    char *written = tp_arena_alloc(&store->rec->arena, RANGES), *touched = tp_arena_alloc(&store->rec->arena, RANGES);

    if (!written || !touched)
        return TP_NO_MEMORY(store->err);
    tp_put_id(insert, pair->writer ? store->instruction_id[pair->writer - 1] : 0);
    tp_put_id(insert, pair->victim ? store->instruction_id[pair->victim - 1] : 0);
    tp_put_id(insert, pair->data);
    tp_put_count(insert, pair->misses);
    tp_put_count(insert, pair->falsely);
    tp_put_count(insert, pair->truly);
    put_ranges(insert, pair->written, granule, written);
    put_ranges(insert, pair->touched, granule, touched);
    return tp_insert_row(store, insert);
}

int tp_store_sharing(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    unsigned granule = granule_of(rec);
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "t_sharing");

    rec->sharings.count = add_up(rec->sharings.at, rec->sharings.count);
    for (size_t i = 0; !failed && i < rec->sharings.count; i++)
        failed = write_pair(store, &insert, &rec->sharings.at[i], granule);
    return tp_insert_close(store, &insert, failed);
}
