/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tlb_model.h: the TLBs of docs/model.md, section 20, as lists of pages in the order of their last use
 * (core/access/tlb.h is what they are compared with).
 */
#ifndef TENURE_REFMODEL_TLB_MODEL_H
#define TENURE_REFMODEL_TLB_MODEL_H

#include "model.h"

#include <stdlib.h>
#include <string.h>

/* A set is an array of pages, the one used last in front; 0: none. Page addresses have 1 added, for that. */
struct tlb {
    uint32_t entries, assoc;
    uint64_t *page;
};

static inline void tlb_init(struct tlb *tlb, const struct model_tlb_config *config)
{
    tlb->entries = config->entries;
    tlb->assoc = config->assoc;
    tlb->page = calloc(tlb->entries + 1, sizeof *tlb->page);
}

static inline void tlb_empty(struct tlb *tlb)
{
    memset(tlb->page, 0, tlb->entries * sizeof *tlb->page);
}

/* Pages are larger in every other 16 KB. */
static inline uint32_t tlb_page_bits(uint64_t address)
{
    return address >> 14 & 1 ? 14 : 12;
}

/* The page of the address becomes the one used last. False: it was not there. */
static inline bool tlb_use(struct tlb *tlb, uint64_t address)
{
    uint64_t number = address >> tlb_page_bits(address), page = (number << tlb_page_bits(address)) + 1;
    uint64_t *set = tlb->page + number % (tlb->entries / tlb->assoc) * tlb->assoc;
    uint32_t at = 0;

    while (at < tlb->assoc - 1 && set[at] != page)
        at++;
    bool there = set[at] == page;
    memmove(set + 1, set, at * sizeof *set);
    set[0] = page;
    return there;
}

#endif
