/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob.c: see blob.h. Blobs were checked when they were read: what is decoded here is whole.
 */
#include "profile/raw/blob.h"

#include <string.h>

static void add_words(const struct tp_events *events, const uint8_t *bytes, uint64_t *row)
{
    for (size_t i = 0; i < events->count; i++) {
        uint64_t value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        row[i] = tp_sum(row[i], value);
    }
}

void tp_blob_add(const struct tp_events *events, const struct tp_blob *blob, uint64_t *row, uint64_t *incl)
{
    struct tp_cursor c = {.p = blob->bytes, .begin = blob->bytes, .end = blob->bytes + blob->size};

    switch ((enum tp_form)blob->form) {
    case TP_FORM_IMMEDIATE:
    case TP_FORM_SKIPPED:
        tp_add_immediate(events, &c, row);
        break;
    case TP_FORM_FETCH:
        tp_add_late(events, &c, 0, row);
        break;
    case TP_FORM_DATA:
        tp_add_late(events, &c, 1, row);
        break;
    case TP_FORM_COSTS:
        tp_add_costs(events, &c, row);
        break;
    case TP_FORM_SELF_AND_INCL:
        tp_add_costs(events, &c, row);
        tp_add_costs(events, &c, incl);
        break;
    case TP_FORM_ROW:
        add_words(events, blob->bytes, row);
        break;
    case TP_FORM_ROWS:
        add_words(events, blob->bytes, row);
        add_words(events, blob->bytes + events->count * sizeof *row, incl);
        break;
    }
}

void tp_blobs_add(const struct tp_events *events, const struct tp_blob *blobs, uint64_t *row, uint64_t *incl)
{
    for (; blobs; blobs = blobs->next)
        tp_blob_add(events, blobs, row, incl);
}

uint64_t tp_own_count(const struct tp_events *events, const struct tp_blob *blobs, const char *event)
{
    uint64_t sum = 0;

    for (const struct tp_blob *blob = blobs; blob; blob = blob->next) {
        struct tp_cursor c = {.p = blob->bytes, .begin = blob->bytes, .end = blob->bytes + blob->size};
        for (size_t i = 0; blob->form == TP_FORM_IMMEDIATE && i < events->immediates; i++) {
            uint64_t n = tp_get_n(&c);
            uint8_t column = events->immediate_column[i];
            if (column < events->count && strcmp(events->column[column].name, event) == 0) {
                sum = tp_sum(sum, n);
                break;
            }
        }
    }
    return sum;
}
