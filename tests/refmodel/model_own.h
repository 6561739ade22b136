/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model_own.h: what the reference model (model.c) remembers.
 */
#ifndef TENURE_REFMODEL_MODEL_OWN_H
#define TENURE_REFMODEL_MODEL_OWN_H

#include "kinds_model.h"
#include "line_bytes.h"
#include "list_cache.h"
#include "prefetch_model.h"
#include "tlb_model.h"

enum level { LEVEL_1, LEVEL_2, LEVEL_LAST };

struct use {
    struct model_payer payer;
    bool fetched, again; /* kind of the loading access; used again behind it */
    uint64_t load, touches, bytes;
    uint8_t *touched, *written; /* one flag per byte of the line */
};

struct record { /* a tenure below level 1 */
    struct use use;
    uint64_t line;
    uint32_t holders;
    bool resident, invalid; /* invalid: only its place in L2 is left */
    bool ahead;             /* prefetched, and not asked for yet */
    enum level level;
    struct record *below; /* the record it was filled from; NULL in the last level */
    uint64_t used;        /* when it was used last (asking.time) */
};

/* docs/model.md, 11. */
enum state { EXCLUSIVE, MODIFIED, SHARED, INVALID };

struct line {
    struct use use;
    uint64_t line, used, index; /* used: as a record's; index: of the access that used it last, by asking.own */
    struct record *record;
    enum state state;
    bool ahead;                 /* as a record's */
    uint8_t *foreign;           /* one flag per byte: others have written it while the line was invalid */
    struct model_payer writer;  /* whose write made it so */
    struct model_payer victim;  /* of a tenure that began with a coherence miss */
    int falsely;                /* the event that this is, if it shares falsely; 0: no such tenure */
};

struct model {
    struct model_config config;
    struct prefetchers below[MODEL_MAX_THREADS], at_d1[MODEL_MAX_THREADS];
    struct cache i1[MODEL_MAX_THREADS], d1[MODEL_MAX_THREADS], l2[MODEL_MAX_THREADS], ll;
    struct tlb itlb[MODEL_MAX_THREADS][2], dtlb[MODEL_MAX_THREADS][2];
    uint64_t clock, own[MODEL_MAX_THREADS]; /* own: with config.parallel */
    bool collecting; /* as the latest access says */
    model_charge *charge;
    model_share *share;
    model_missed *missed;
    void *user;
};

#endif
