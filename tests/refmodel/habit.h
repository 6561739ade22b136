/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * habit.h: what is kept of the misses of one who pays, besides their number: docs/model.md, sections 14 and 15.
 *
 * Strides between successive misses, of which a few are kept, and the sets in which conflicts happened.
 */
#ifndef TENURE_REFMODEL_HABIT_H
#define TENURE_REFMODEL_HABIT_H

#include "sheet.h"

enum { HABIT_STRIDES = 4, HABIT_SETS = 64, HABIT_LEVELS = 3 };
struct habit {
    bool missed;
    uint64_t last, strides, covered, far, lost;
    struct habit_stride {
        int64_t bytes;
        uint64_t count;
    } kept[HABIT_STRIDES];
    uint64_t set[2][HABIT_LEVELS][HABIT_SETS]; /* conflicts: of data, of fetches */
};

/* The last miss of a cache in each of the pages that it missed in last. */
struct habit_seen {
    uint64_t last[64];
};

void habit_miss(struct habit *habit, struct habit_seen *seen, uint64_t address);
/* As rows: "strides <who>", "stride <bytes> <who>", "set <level> <low bits> <fetch or data> <who>". */
void habit_rows(const struct habit *habit, const char *who, struct sheet *sheet);
/* Counts are zero again. */
void habit_clear(struct habit *habit);

#endif
