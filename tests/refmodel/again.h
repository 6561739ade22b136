/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h: lines that had to be loaded again, by pairs: docs/model.md, section 16.
 *
 * A pair is a text: its row's key in a part's sheet, '|', and whatever else tells it from other pairs of the same key.
 */
#ifndef TENURE_REFMODEL_AGAIN_H
#define TENURE_REFMODEL_AGAIN_H

#include "sheet.h"

#include <stdbool.h>

enum { AGAIN_DISTANCES = 32, AGAIN_PAIR = 1 << 12 };
struct again { /* zeroes but for `most`: there are no pairs */
    struct sheet pairs;
    uint32_t most;
    uint64_t no_room[M_EVENTS];
};

/* A miss of a pair of less than AGAIN_PAIR bytes; the line was used last `distance` accesses ago, if that is known. */
void again_miss(struct again *again, const char *pair, bool timed, uint64_t distance);
/* `no_room`: the key of what there was no room for. */
void again_rows(const struct again *again, const char *no_room, struct sheet *sheet);
/* There are none again. */
void again_clear(struct again *again);

#endif
