/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tlb.h: the TLBs, which say where the pages of a thread's addresses are in memory.
 *
 * Fetches have a first level of their own, and so have data; behind each there may be a second one, which both may
 * share. All are LRU. Each line that an access asks for asks the first level for its page, and what is not there the
 * second, where each page that comes in comes in, too.
 *
 * Hits of a level-1 cache make no call, so its TLB learns of them when it needs to, and has at each access the same
 * pages as a list that is told of all:
 *
 *   uses     of a page are the stamps of its lines in the cache, and those of lines that have left, which are noted
 *   victim   is the page with the oldest use that is known, when a look at its lines says that there was no later one
 *   a page that leaves has its lines in the cache parked (TN_PARKED), so that the next use of each makes a call
 *
 * How large a page is, the engine says when it is in neither level.
 */
#ifndef TENURE_CORE_TLB_H
#define TENURE_CORE_TLB_H

#include "core/base/machine.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_TLB_BUCKETS = 256 };

/* The number of a page in pages of its size, and in the low six bits how many bits an offset in it has. 0: none. */
typedef uint64_t tn_page_number;

/* A page in the first level. */
struct tn_tlb_entry {
    tn_page_number page;
    uint64_t stamp; /* of the last use that is known; 0: never filled */
    uint64_t held;  /* bit i: lines of it may be in sets of the cache whose number is i modulo 64 */
    uint16_t next;  /* in its bucket; 0: it is the last */
};

/* The entries of a set are a heap, with one on top that was used before the others as far as is known. */
struct tn_tlb_place {
    uint64_t stamp; /* the entry's, or one that it had before */
    uint64_t entry;
};

/* The second level. */
struct tn_tlb_second {
    uint32_t entries, assoc, sets;
    uint64_t sizes; /* bit b: a page of 2^b bytes has come in */
    tn_page_number *page;
    uint64_t *stamp; /* of the last use; 0: never filled */
};

struct tn_tlb {
    uint32_t entries, assoc, sets; /* of the first level */
    uint32_t ways, lines;          /* of the cache: of a set, and of all */
    bool *parked;                  /* of the cache (tn_l1) */
    uint64_t sizes;                /* bit b: a page of 2^b bytes has come into the first level */
    struct tn_tlb_entry *entry;    /* from 1 on */
    struct tn_tlb_place *heap;     /* assoc for each set */
    uint16_t *of_way;              /* the entry of the line's page; 0: that is not in the first level */
    struct tn_tlb_second own, *second; /* NULL: none; it may be another's */
    uint64_t missed, walked;       /* the accesses that missed last in the first level, and in both: once each */
    uint16_t bucket[TN_TLB_BUCKETS];
};

/* In front of `cache`; the second level is what is behind `other` (NULL: nothing), if it has no entries of its own.
 * The caller frees it. */
struct tn_tlb *tn_tlb_new(const struct tn_tlb_geometry *levels, const struct tn_tlb *other,
                          const struct tn_geometry *cache, bool *parked);
/* NULL is allowed. */
void tn_tlb_free(struct tn_tlb *tlb);
/* Nothing is in it any more, nor behind it. */
void tn_tlb_clear(struct tn_tlb *tlb);

#define TN_NO_WAY (~0u)

/* An access asks for the page of `address`, whose line is in way number `way` of the cache, or comes there, or is in
 * none (TN_NO_WAY). `ways`: of the cache. Returns TN_TLB_MISS and TN_TLB_WALK as far as this is the access's first. */
enum { TN_TLB_MISS = 1, TN_TLB_WALK = 2 };
uint32_t tn_tlb_use(struct tn_tlb *tlb, const struct tn_config *config, struct tn_way *ways, uint64_t address,
                    uint64_t stamp, uint32_t way);

/* The line in way number `index` leaves the cache. */
static inline void tn_tlb_leave(struct tn_tlb *tlb, const struct tn_way *way, uint32_t index)
{
    struct tn_tlb_entry *entry = &tlb->entry[tlb->of_way[index]];
    if (entry->stamp < way->stamp) /* entry 0 is nobody's */
        entry->stamp = way->stamp;
    tlb->of_way[index] = 0;
}

#endif
