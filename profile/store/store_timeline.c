/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_timeline.c: when the run cost what.
 *
 * Each part of a recording has up to TN_INTERVALS intervals; here as many neighbours become one as it takes for no more
 * than that in all.
 */
#include <string.h>

#include "core/raw_format.h"
#include "profile/base/error.h"
#include "profile/code/estimate.h"
#include "profile/store/store.h"

struct timeline {
    struct tp_insert functions;
    struct tp_cost_rows all, paid; /* of the interval at hand; paid: by context + 1 */
    size_t joined;                 /* intervals that become one */
    double spent;                  /* cycles before the one at hand */
};

static int add_interval(struct tp_store *store, struct timeline *timeline, const struct tp_interval *interval)
{
    const struct tp_recording *rec = store->rec;
    struct tp_cost_row *all = tp_cost_row(&timeline->all, 1);

    if (!all)
        return TP_NO_MEMORY(store->err);
    tp_blobs_add(&rec->events, interval->costs, all->cost, NULL);
    for (uint32_t i = 0; i < interval->count; i++) {
        const struct tp_payment *payment = &rec->payments.at[interval->first + i];
        struct tp_cost_row *row = tp_cost_row(&timeline->paid, payment->context);
        if (!row)
            return TP_NO_MEMORY(store->err);
        tp_blobs_add(&rec->events, payment->costs, row->cost, NULL);
        tp_estimate_row(rec, payment->context, row->cost);
        row->can = rec->contexts.at[payment->context - 1].can;
    }
    return 0;
}

static int write_interval(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_recording *rec = store->rec;
    struct timeline *timeline = insert->user;
    size_t begin = i * timeline->joined, end = begin + timeline->joined;
    const struct tp_interval *first = &rec->intervals.at[begin];
    uint64_t instructions = 0, took = 0;

    for (; begin < end && begin < rec->intervals.count; begin++) {
        const struct tp_interval *interval = &rec->intervals.at[begin];
        instructions = tp_sum(instructions, interval->instructions);
        took = tp_sum(took, interval->took);
        if (add_interval(store, timeline, interval))
            return -1;
    }
    TP_PUT(insert, TP_INTEGER(i + 1), TP_COUNT(first->begin), TP_INTEGER(instructions), TP_COUNT(first->time),
           TP_INTEGER(took));
    tp_estimate_next(rec, 0, &timeline->spent, timeline->all.list.at[0].cost);
    tp_put_row(insert, &rec->events, timeline->all.list.at[0].cost, store->can);
    tp_cost_rows_sort(&timeline->paid);
    for (size_t k = 0; k < timeline->paid.list.count; k++) {
        const struct tp_cost_row *row = &timeline->paid.list.at[k];
        TP_PUT(&timeline->functions, TP_INTEGER(i + 1), TP_INTEGER(row->key));
        tp_put_row(&timeline->functions, &rec->events, row->cost, row->can);
        if (tp_insert_row(store, &timeline->functions))
            return -1;
    }
    tp_cost_rows_clear(&timeline->all);
    tp_cost_rows_clear(&timeline->paid);
    return tp_insert_row(store, insert);
}

int tp_store_timeline(struct tp_store *store)
{
    size_t count = store->rec->intervals.count, width = store->rec->events.count;
    struct timeline timeline = {.all.width = width, .paid.width = width,
                                .joined = (count + TN_INTERVALS - 1) / TN_INTERVALS};
    size_t rows = count ? (count + timeline.joined - 1) / timeline.joined : 0;
    int failed = tp_insert_open(store, &timeline.functions, "t_interval_functions") ||
                 tp_insert_all(store, "t_intervals", rows, write_interval, &timeline);

    failed = tp_insert_close(store, &timeline.functions, failed);
    tp_cost_rows_free(&timeline.all);
    tp_cost_rows_free(&timeline.paid);
    return failed;
}
