/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also_l1.h: a level-1 cache of a further machine that is another one than the recorded one.
 *
 * Its lines are as long as those of the recorded one, or longer. Hits of the recorded cache make no call, so it learns
 * of them as TLBs do (tlb.h), when it needs to:
 *
 *   uses     of a line are the stamps of its parts in the recorded cache, and of those that have left, which are noted
 *   victim   with LRU the line with the oldest use that is known, when a look at its parts says that there was no later
 *            one; with another policy a look at all lines of the set comes first
 *   a line that leaves has its parts in the recorded cache parked (TN_PARKED): the next use of each makes a call
 *
 * It is asked at each miss of the recorded cache, and at each use of a line there that is parked.
 */
#ifndef TENURE_CORE_ALSO_L1_H
#define TENURE_CORE_ALSO_L1_H

#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

/* Way w of set s has number s * room + w in all arrays; `room` is a multiple of 4. */
struct tn_also_l1 {
    uint64_t sets, set_mask; /* set_mask: sets - 1 if a power of two, else 0 */
    uint32_t assoc, room;    /* ways of a set, and what there is room for */
    enum tn_policy policy;
    uint32_t line_bits, recorded_bits, parts; /* parts: recorded lines in a line */
    uint32_t recorded_lines;
    uint32_t *tag;    /* by way: the low bits of the number of the line */
    uint64_t *number; /* by way: the number of the line and 1; 0: none */
    uint64_t *stamp;  /* by way: of the last use that is known */
    uint64_t *predictions; /* by way, with RRIP (rrip.h); else NULL */
    uint16_t *held;   /* by way, `parts` each: the recorded way and 1; 0: the recorded cache does not hold the part */
    uint32_t *of_way; /* by recorded way: the way that has the line and 1; 0: none */
    bool *parked;     /* of the recorded cache (tn_l1) */
};

/* The caller frees it. */
struct tn_also_l1 *tn_also_l1_new(const struct tn_geometry *geometry, const struct tn_geometry *recorded, bool *parked);
/* NULL is allowed, here and below. */
void tn_also_l1_free(struct tn_also_l1 *l1);
/* It is empty, and so is the recorded cache. */
void tn_also_l1_clear(struct tn_also_l1 *l1);

/* The recorded line that `address` lies in is used, in way number `index` of `ways`. Returns whether it was not
 * there. */
bool tn_also_l1_use(struct tn_also_l1 *l1, struct tn_way *ways, uint64_t address, uint64_t stamp, uint32_t index);
/* The same of a line that comes there in place of the one that is still in the way. */
bool tn_also_l1_load(struct tn_also_l1 *l1, struct tn_way *ways, uint64_t address, uint64_t stamp, uint32_t index);

#endif
