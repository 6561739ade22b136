/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_misses.c: what is known of misses besides their number: the strides between them (--strides=yes), the sets in
 * which they conflicted (--patterns=yes), whose writes took lines from whom (--coherence=mesi), and who had to load
 * lines again that somebody else had thrown out, or used first what somebody else had loaded (--interdependence=yes);
 * and which loads the addresses are made of.
 *
 * The recording has pieces of all these: one for each part and thread in which they occurred, and each instruction, of
 * those that share a row. The pieces of a table are sorted by what makes a row; those of one row come one after the
 * other then, and are added up as it is written.
 *
 * How long ago a line had been used is a table of its own, with a row per power of two. A reuse is a pair without an
 * evictor.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

/* The next row, of `count` pieces from `pieces` on. */
typedef int misses_write(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count);

/* Pieces, `count` of them of `size` bytes from `at` on, into the rows of a table. */
static int misses_table(struct tp_store *store, const char *table, void *at, size_t count, size_t size,
                        int (*compare)(const void *a, const void *b), misses_write *write)
{
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, table);
    uint64_t id = 1; /* of the row */

    insert.user = &id;
    if (count)
        qsort(at, count, size, compare);
    for (size_t i = 0, same; !failed && i < count; i += same, id++) {
        const char *first = (const char *)at + i * size;
        for (same = 1; i + same < count && compare(first, first + same * size) == 0; same++)
            ;
        failed = write(store, &insert, first, same);
    }
    return tp_insert_close(store, &insert, failed);
}

/* The row of an instruction; 0: none, or not known. */
static uint32_t row_of_instruction(const struct tp_store *store, uint32_t instr)
{
    return instr ? store->instruction_id[instr - 1] : 0;
}

/* ------------------------------------------------------------------------------------------ strides and sets */

static const char *const cache_names[TP_CONFLICT_CACHES] = {"I1", "D1", "L", "I2", "D2"};

static int by_payer(const void *a, const void *b)
{
    const struct tp_strides *x = a, *y = b;
    int order = TP_COMPARE(x->instr, y->instr);

    return order ? order : TP_COMPARE(x->data, y->data);
}

/* Where data objects were folded, those are left out that are rare among all. */
static bool is_rare(const struct tp_store *store, uint64_t strides)
{
    return store->rec->small && strides <= store->strides / TP_ROW_PARTS;
}

static int write_stride_sum(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    const struct tp_strides *x = pieces;
    uint64_t strides = 0, covered = 0, far = 0, lost = 0;

    for (size_t i = 0; i < count; i++) {
        strides = tp_sum(strides, x[i].count);
        covered = tp_sum(covered, x[i].covered);
        far = tp_sum(far, x[i].far);
        lost = tp_sum(lost, x[i].lost);
    }
    if (is_rare(store, strides))
        return 0;
    TP_PUT(insert, TP_ID(row_of_instruction(store, x->instr)), TP_ID(x->data), TP_COUNT(strides), TP_COUNT(covered),
           TP_COUNT(far), TP_COUNT(lost));
    return tp_insert_row(store, insert);
}

static int by_stride(const void *a, const void *b)
{
    const struct tp_stride *x = a, *y = b;
    int order = TP_COMPARE(x->instr, y->instr);

    order = order ? order : TP_COMPARE(x->data, y->data);
    return order ? order : TP_COMPARE(x->bytes, y->bytes);
}

static int write_stride(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    const struct tp_stride *x = pieces;
    uint64_t times = 0;

    for (size_t i = 0; i < count; i++)
        times = tp_sum(times, x[i].count);
    if (is_rare(store, times))
        return 0;
    TP_PUT(insert, TP_ID(row_of_instruction(store, x->instr)), TP_ID(x->data), TP_INTEGER(x->bytes), TP_COUNT(times));
    return tp_insert_row(store, insert);
}

static int by_set(const void *a, const void *b)
{
    const struct tp_conflicts *x = a, *y = b;
    int order = TP_COMPARE(x->instr, y->instr);

    order = order ? order : TP_COMPARE(x->data, y->data);
    order = order ? order : TP_COMPARE(x->cache, y->cache);
    return order ? order : TP_COMPARE(x->set, y->set);
}

static int write_set(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    const struct tp_conflicts *x = pieces;
    uint64_t misses = 0;

    for (size_t i = 0; i < count; i++)
        misses = tp_sum(misses, x[i].count);
    TP_PUT(insert, TP_ID(row_of_instruction(store, x->instr)), TP_ID(x->data), TP_TEXT(cache_names[x->cache]),
           TP_COUNT(x->set), TP_COUNT(misses));
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ sharing */

enum { GRANULES = 64, RANGES = GRANULES / 2 * 16 }; /* "1008-1023 " and a NUL, for every other granule */

static int by_writer(const void *a, const void *b)
{
    const struct tp_sharing *x = a, *y = b;
    int order = TP_COMPARE(x->writer, y->writer);

    order = order ? order : TP_COMPARE(x->victim, y->victim);
    return order ? order : TP_COMPARE(x->data, y->data);
}

static unsigned granule_of(const struct tp_recording *rec)
{
    const char *cache = tp_recording_fact(rec, "cache.D1");
    unsigned line = 0;

    if (!cache || sscanf(cache, "%*u,%*u,%u", &line) != 1)
        return 1;
    return line > GRANULES && line <= 1024 ? line / GRANULES : 1;
}

/* Granules of a line as ranges of its bytes, "0-7 16-31"; for lines of up to 64 bytes a granule is a byte. */
static const char *ranges_of(uint64_t granules, unsigned granule, char text[RANGES])
{
    size_t used = 0;

    for (unsigned i = 0; i < GRANULES; i++) {
        unsigned first = i;

        if (!(granules >> i & 1))
            continue;
        while (i + 1 < GRANULES && granules >> (i + 1) & 1)
            i++;
        used += (size_t)snprintf(text + used, RANGES - used, "%s%u-%u", used ? " " : "", first * granule,
                                 (i + 1) * granule - 1);
    }
    return used ? text : NULL;
}

static int write_sharing(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    const struct tp_sharing *x = pieces;
    struct tp_sharing sum = {0};
    unsigned granule = granule_of(store->rec);
    char written[RANGES], touched[RANGES];

    for (size_t i = 0; i < count; i++) {
        sum.misses = tp_sum(sum.misses, x[i].misses);
        sum.falsely = tp_sum(sum.falsely, x[i].falsely);
        sum.truly = tp_sum(sum.truly, x[i].truly);
        sum.written |= x[i].written;
        sum.touched |= x[i].touched;
    }
    TP_PUT(insert, TP_ID(row_of_instruction(store, x->writer)), TP_ID(row_of_instruction(store, x->victim)),
           TP_ID(x->data), TP_COUNT(sum.misses), TP_COUNT(sum.falsely), TP_COUNT(sum.truly),
           TP_TEXT(ranges_of(sum.written, granule, written)), TP_TEXT(ranges_of(sum.touched, granule, touched)));
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ pairs and reuses */

static int by_pair(const void *a, const void *b)
{
    const struct tp_again *x = a, *y = b;
    int order = TP_COMPARE(x->instr, y->instr);

    order = order ? order : TP_COMPARE(x->data, y->data);
    order = order ? order : TP_COMPARE(x->cache, y->cache);
    order = order ? order : TP_COMPARE(x->evictor, y->evictor);
    order = order ? order : TP_COMPARE(x->evictor_data, y->evictor_data);
    return order ? order : TP_COMPARE(x->loader, y->loader);
}

static int write_again(struct tp_store *store, struct tp_insert *insert, const struct tp_again *x, size_t count,
                       bool pair)
{
    uint32_t loader = row_of_instruction(store, x->loader), evictor = row_of_instruction(store, x->evictor),
             instruction = row_of_instruction(store, x->instr);
    uint64_t misses = 0, timed = 0, distance = 0;

    for (size_t i = 0; i < count; i++) {
        misses = tp_sum(misses, x[i].misses);
        timed = tp_sum(timed, x[i].timed);
        distance = tp_sum(distance, x[i].distance);
    }
    TP_PUT(insert, TP_COUNT(*(const uint64_t *)insert->user), TP_ID(loader));
    if (pair)
        TP_PUT(insert, TP_ID(evictor), TP_ID(x->evictor_data));
    TP_PUT(insert, TP_ID(instruction), TP_ID(x->data), TP_TEXT(x->instr ? cache_names[x->cache] : NULL),
           TP_COUNT(misses));
    if (pair)
        TP_PUT(insert, TP_COUNT(timed));
    TP_PUT(insert, TP_COUNT(distance));
    return tp_insert_row(store, insert);
}

static int write_pair(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    return write_again(store, insert, pieces, count, true);
}

static int write_reuse(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    return write_again(store, insert, pieces, count, false);
}

static int write_distances(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    const struct tp_again *x = pieces;
    uint64_t misses[TN_RAW_DISTANCES] = {0};
    int failed = 0;

    for (size_t i = 0; i < count; i++) {
        const struct tp_after *after = store->rec->afters.at + x[i].first_after;
        for (uint32_t k = 0; k < x[i].afters; k++)
            misses[after[k].power] = tp_sum(misses[after[k].power], after[k].misses);
    }
    for (uint64_t power = 0; !failed && power < TN_RAW_DISTANCES; power++) {
        if (!misses[power])
            continue;
        TP_PUT(insert, TP_COUNT(*(const uint64_t *)insert->user), TP_COUNT(power), TP_COUNT(misses[power]));
        failed = tp_insert_row(store, insert);
    }
    return failed;
}

/* ------------------------------------------------------------------------------------------ all */

#define TABLE(name, pieces, compare, write)                                                                   \
    misses_table(store, name, (pieces).at, (pieces).count, sizeof *(pieces).at, compare, write)

/* An instruction + 1, or 0, becomes the first one of its row. */
static void to_first(const struct tp_store *store, uint32_t *instr)
{
    if (*instr && store->first_in_row[*instr - 1])
        *instr = store->first_in_row[*instr - 1];
}

int tp_store_sharing(struct tp_store *store)
{
    for (size_t i = 0; i < store->rec->sharings.count; i++) {
        to_first(store, &store->rec->sharings.at[i].writer);
        to_first(store, &store->rec->sharings.at[i].victim);
    }
    return TABLE("t_sharing", store->rec->sharings, by_writer, write_sharing);
}

/* ------------------------------------------------------------------------------------------ chains */

static int by_address_load(const void *a, const void *b)
{
    const struct tp_address_load *x = a, *y = b;
    int order = TP_COMPARE(x->instr, y->instr);

    return order ? order : TP_COMPARE(x->load, y->load);
}

static int write_address_load(struct tp_store *store, struct tp_insert *insert, const void *pieces, size_t count)
{
    const struct tp_address_load *x = pieces;
    uint8_t circular = 0;

    for (size_t i = 0; i < count; i++)
        circular = x[i].circular > circular ? x[i].circular : circular;
    TP_PUT(insert, TP_ID(row_of_instruction(store, x->instr)), TP_ID(row_of_instruction(store, x->load)),
           TP_INTEGER(circular));
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_misses(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;

    for (size_t i = 0; i < rec->stride_sums.count; i++) {
        store->strides = tp_sum(store->strides, rec->stride_sums.at[i].count);
        to_first(store, &rec->stride_sums.at[i].instr);
    }
    for (size_t i = 0; i < rec->strides.count; i++)
        to_first(store, &rec->strides.at[i].instr);
    for (size_t i = 0; i < rec->conflicts.count; i++)
        to_first(store, &rec->conflicts.at[i].instr);
    for (size_t i = 0; i < rec->again.count + rec->reuses.count; i++) {
        struct tp_again *again = i < rec->again.count ? &rec->again.at[i] : &rec->reuses.at[i - rec->again.count];
        to_first(store, &again->loader);
        to_first(store, &again->evictor);
        to_first(store, &again->instr);
    }
    for (size_t i = 0; i < rec->address_loads.count; i++) {
        to_first(store, &rec->address_loads.at[i].instr);
        to_first(store, &rec->address_loads.at[i].load);
    }
    return TABLE("t_stride_sums", rec->stride_sums, by_payer, write_stride_sum) ||
                   TABLE("t_strides", rec->strides, by_stride, write_stride) ||
                   TABLE("t_conflicts", rec->conflicts, by_set, write_set) ||
                   TABLE("t_pairs", rec->again, by_pair, write_pair) ||
                   TABLE("t_pair_distances", rec->again, by_pair, write_distances) ||
                   TABLE("t_reuses", rec->reuses, by_pair, write_reuse) ||
                   TABLE("t_reuse_distances", rec->reuses, by_pair, write_distances) ||
                   TABLE("t_address_loads", rec->address_loads, by_address_load, write_address_load)
               ? -1
               : 0;
}
