/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.c: see again.h.
 *
 * Pairs are rows of a sheet of their own; one more than there is room for is none.
 */
#include "again.h"

#include <string.h>

static void count(uint64_t *value, bool timed, uint64_t distance)
{
    int power = 0;

    value[0]++;
    if (!timed)
        return;
    value[1]++;
    value[2] += distance;
    while (power < AGAIN_DISTANCES - 1 && distance >> (power + 1))
        power++;
    value[3 + power]++;
}

void again_miss(struct again *again, const char *pair, bool timed, uint64_t distance)
{
    bool full = again->pairs.rows == again->most;

    if (full && !sheet_has(&again->pairs, pair))
        count(again->no_room, timed, distance);
    else
        count(sheet_row(&again->pairs, pair) + SHEET_EVENTS, timed, distance);
}

void again_rows(const struct again *again, const char *no_room, struct sheet *sheet)
{
    for (size_t i = 0; i < again->pairs.rows; i++) {
        const struct sheet_row *row = &again->pairs.row[i];
        char key[AGAIN_PAIR];

        sprintf(key, "%.*s", (int)strcspn(row->key, "|"), row->key);
        sheet_add(sheet, key, row->value + SHEET_EVENTS, 0);
    }
    if (again->no_room[0])
        sheet_add(sheet, no_room, again->no_room, 0);
}

void again_clear(struct again *again)
{
    sheet_clear(&again->pairs);
    memset(again->no_room, 0, sizeof again->no_room);
}
