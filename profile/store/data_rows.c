/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_rows.c: see data_rows.h. Rows are found by number, and those that were met are on a list, so that clearing and
 * writing take no longer than adding did, however many data objects there are.
 */
#include "profile/store/data_rows.h"

#include <stdlib.h>

int tp_data_rows_begin(struct tp_data_rows *rows, const struct tp_recording *rec)
{
    *rows = (struct tp_data_rows){.rec = rec, .row = calloc(rec->data.count + 1, sizeof *rows->row)};
    return rows->row ? 0 : -1;
}

int tp_data_rows_add(struct tp_data_rows *rows, const struct tp_instr *instr)
{
    const struct tp_events *events = &rows->rec->events;

    for (const struct tp_blob *blob = instr->costs; blob; blob = blob->next) {
        if (!blob->data)
            continue;
        struct tp_data_row *row = &rows->row[blob->data - 1];
        if (!row->cost) {
            uint64_t *cost = tp_arena_alloc(&rows->arena, events->count * sizeof *cost);
            uint32_t *met = cost ? TP_VECTOR_ADD(&rows->met) : NULL;
            if (!met)
                return -1;
            *met = blob->data;
            row->cost = cost;
        }
        tp_blob_add(events, blob, row->cost, NULL);
        row->can |= instr->can;
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

void tp_data_rows_sort(struct tp_data_rows *rows)
{
    if (rows->met.count > 1)
        qsort(rows->met.at, rows->met.count, sizeof *rows->met.at, by_number);
}

void tp_data_rows_clear(struct tp_data_rows *rows)
{
    for (size_t i = 0; i < rows->met.count; i++)
        rows->row[rows->met.at[i] - 1] = (struct tp_data_row){0};
    rows->met.count = 0;
    tp_arena_clear(&rows->arena);
}

void tp_data_rows_free(struct tp_data_rows *rows)
{
    free(rows->row);
    TP_VECTOR_FREE(&rows->met);
    tp_arena_free(&rows->arena);
}
