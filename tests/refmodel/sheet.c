/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet.c: see sheet.h. A hash table of rows with linear probing; keys are owned. */
#include "sheet.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const char *key)
{
    uint64_t h = 1469598103934665603ull;

    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 1099511628211ull;
    return h ^ h >> 29;
}

void sheet_clear(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->rows; i++)
        free(sheet->row[i].key);
    sheet->rows = 0;
    if (sheet->slots)
        memset(sheet->slot, 0, sheet->slots * sizeof *sheet->slot);
}

static size_t find(const struct sheet *sheet, const char *key)
{
    size_t at = hash(key) & (sheet->slots - 1);

    while (sheet->slot[at] && strcmp(sheet->row[sheet->slot[at] - 1].key, key))
        at = (at + 1) & (sheet->slots - 1);
    return at;
}

static void grow(struct sheet *sheet)
{
    sheet->room = sheet->room ? sheet->room * 2 : 256;
    sheet->row = realloc(sheet->row, sheet->room * sizeof *sheet->row);
    free(sheet->slot);
    sheet->slots = sheet->room * 2;
    sheet->slot = calloc(sheet->slots, sizeof *sheet->slot);
    for (size_t i = 0; i < sheet->rows; i++)
        sheet->slot[find(sheet, sheet->row[i].key)] = (uint32_t)i + 1;
}

bool sheet_has(const struct sheet *sheet, const char *key)
{
    return sheet->slots && sheet->slot[find(sheet, key)];
}

uint64_t *sheet_row(struct sheet *sheet, const char *key)
{
    size_t at;

    if (sheet->rows == sheet->room)
        grow(sheet);
    at = find(sheet, key);
    if (!sheet->slot[at]) {
        struct sheet_row *row = &sheet->row[sheet->rows++];

        memset(row, 0, sizeof *row);
        row->key = strdup(key);
        sheet->slot[at] = (uint32_t)sheet->rows;
    }
    return sheet->row[sheet->slot[at] - 1].value;
}

void sheet_add(struct sheet *sheet, const char *key, const uint64_t *cost, uint64_t calls)
{
    uint64_t *value = sheet_row(sheet, key);

    value[SHEET_CALLS] += calls;
    for (int i = 0; cost && i < M_EVENTS; i++)
        value[SHEET_EVENTS + i] += cost[i];
}

void sheet_sum(struct sheet *into, const struct sheet *from)
{
    for (size_t i = 0; i < from->rows; i++)
        sheet_add(into, from->row[i].key, from->row[i].value + SHEET_EVENTS, from->row[i].value[SHEET_CALLS]);
}

static unsigned compare_row(const char *key, const uint64_t *expected, const uint64_t *got, FILE *out,
                            bool print)
{
    static const uint64_t zero[SHEET_COLUMNS];

    expected = expected ? expected : zero;
    got = got ? got : zero;
    if (!memcmp(expected, got, sizeof zero))
        return 0;
    if (print) {
        fprintf(out, "  %s:", key);
        for (int i = 0, printed = 0; i < SHEET_COLUMNS && printed < 6; i++)
            if (expected[i] != got[i] && ++printed)
                fprintf(out, " %s expected %llu got %llu;", i ? model_event_name(i - SHEET_EVENTS) : "calls",
                        (unsigned long long)expected[i], (unsigned long long)got[i]);
        fputc('\n', out);
    }
    return 1;
}

static const uint64_t *value_of(const struct sheet *sheet, const char *key)
{
    size_t at = sheet->slots ? find(sheet, key) : 0;

    return sheet->slots && sheet->slot[at] ? sheet->row[sheet->slot[at] - 1].value : NULL;
}

static bool skipped(const char *key, const char *skip)
{
    for (; skip && *skip; skip += strlen(skip) + 1)
        if (!strncmp(key, skip, strlen(skip)))
            return true;
    return false;
}

unsigned sheet_compare(const struct sheet *expected, const struct sheet *got, const char *skip, FILE *out,
                       unsigned limit)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < expected->rows; i++) {
        const struct sheet_row *row = &expected->row[i];

        if (!skipped(row->key, skip))
            wrong += compare_row(row->key, row->value, value_of(got, row->key), out, wrong < limit);
    }
    for (size_t i = 0; i < got->rows; i++) {
        const struct sheet_row *row = &got->row[i];

        if (!skipped(row->key, skip) && !value_of(expected, row->key))
            wrong += compare_row(row->key, NULL, row->value, out, wrong < limit);
    }
    return wrong;
}
