/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also.h: further machines, of which one run counts the misses (docs/model.md, section 23). What is done with the
 * lines that they are asked for is in also_take.h.
 *
 * They are asked for the lines that miss the recorded level-1 caches, which stand in the rings (queue.h), before the
 * consumer takes these. Of a line that their L2 and LL have, only its place is known: nobody uses it, and nothing is
 * charged but misses.
 *
 * A level-1 cache that is another one than the recorded one (also_l1.h) the thread asks itself: with the entry goes
 * which machines miss.
 */
#ifndef TENURE_CORE_ALSO_H
#define TENURE_CORE_ALSO_H

#include "core/attribute/cost.h"
#include "core/tenure_core.h"
#include "queue.h"
#include "sets.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_ALSO_1, TN_ALSO_2, TN_ALSO_LL, TN_ALSO_LEVELS };
_Static_assert(TN_ALSO_EVENTS == TN_ALSO_LEVELS * (TN_LATE_WRITE_MISS + 1), "a level's misses: of reads, of writes");

struct tn_machine {
    struct tn_sets l2, *ll;
    bool has_l2, other[TN_STREAMS]; /* other: its level 1 is not the recorded one */
    uint64_t missed[TN_STREAMS][TN_ALSO_LEVELS]; /* index of the last access that missed: it misses once */
    struct tn_asked {
        struct tn_place place; /* of the line in LL */
        uint64_t at;           /* number of the entry */
        uint32_t missed;       /* a bit for each level that misses; that of LL: it is still to be asked */
    } asked[TN_AHEAD];         /* in their order, those of entries that miss a level and are not charged */
    uint64_t first, behind;    /* numbers of the first one, and behind the last */
};

/* Level-1 caches and L2s of a thread on all further machines. */
struct tn_also_caches {
    uint32_t count;
    struct tn_machine machine[];
};

/* The last levels of all further machines; NULL: there are none. */
struct tn_also_last {
    uint32_t count;
    struct tn_sets sets[TN_ALSO_MOST];
};

struct tn_also_last *tn_also_last_new(const struct tn_config *config);
/* NULL is allowed, here and below. */
void tn_also_last_free(struct tn_also_last *last);
/* They are empty: as new, since most of a large cache never had a line. */
void tn_also_last_clear(struct tn_also_last *last, const struct tn_config *config);

struct tn_also_caches *tn_also_new(const struct tn_config *config, struct tn_also_last *last);
void tn_also_free(struct tn_also_caches *caches);

#endif
