/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model_own.h: what the reference model (model.c) remembers.
 */
#ifndef TENURE_REFMODEL_MODEL_OWN_H
#define TENURE_REFMODEL_MODEL_OWN_H

#include "also_model.h"
#include "kinds_model.h"
#include "line_bytes.h"
#include "list_cache.h"
#include "prefetch_model.h"
#include "tlb_model.h"

enum level { LEVEL_1, LEVEL_2, LEVEL_LAST };

/* The time of a line of an access: this many bits for the lines, so far apart that what is prefetched for one has
 * a time of its own in front of it. */
enum { TIME_BITS = 14, TIME_STEP = 8 };

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

/* Who asks, and what it missed on the way: one flag per level. */
struct asking {
    struct model_payer payer[1]; /* in the line that it asks for */
    bool fetched, writes, modifies, past, missed[3];
    uint32_t missed_in[3]; /* the first line's data object, where, and its byte that was asked for; its group */
    uint32_t missed_group[3];
    bool uncounted[3];
    struct model_place missed_where[3];
    uint32_t missed_at[3], at;
    struct model_miss miss[3]; /* and the rest of it */
    int asked[3]; /* the largest event of stack distances; -1: none */
    uint32_t asked_in[3][M_DISTANCES], asked_group[3][M_DISTANCES]; /* of the first line that has each */
    bool prefetching; /* nobody asks: a prefetcher does */
    bool again, otherwise;   /* the first line that missed was invalid; a line missed that was not */
    bool no_page, walked;    /* a page was not in the first TLB; one was in none */
    bool also_missed[MODEL_ALSO_MOST][3]; /* the same as `missed`, of a further machine */
    uint64_t line;           /* that first one */
    struct model_payer in, writer; /* `payer` in it; who made it invalid */
    uint64_t index, own, time; /* own: as the first level counts; time: also of lines of one access; 0: before all */
    uint32_t owner; /* of the caches above the last level */
};

static inline void miss(struct asking *asking, int level, const struct model_miss *miss)
{
    if (!asking->missed[level]) {
        asking->missed_in[level] = asking->payer->object;
        asking->missed_where[level] = asking->payer->place;
        asking->missed_at[level] = asking->at;
        asking->missed_group[level] = asking->payer->group;
        asking->uncounted[level] = asking->payer->uncounted;
        asking->miss[level] = *miss;
    }
    asking->missed[level] = true;
}

/* A level below the first is asked for a line with this event of its stack distance, and those before; -1: none. */
static inline void ask_at(struct asking *asking, int level, int event)
{
    for (int i = asking->asked[level] + 1; i <= event && !asking->prefetching; i++) {
        asking->asked_in[level][i] = asking->payer->object;
        asking->asked_group[level][i] = asking->payer->group;
        asking->asked[level] = i;
    }
}

struct model {
    struct model_config config;
    struct prefetchers below[MODEL_MAX_THREADS], at_d1[MODEL_MAX_THREADS];
    struct cache i1[MODEL_MAX_THREADS], d1[MODEL_MAX_THREADS], l2[MODEL_MAX_THREADS], ll;
    struct also also[MODEL_ALSO_MOST];
    struct tlb itlb[MODEL_MAX_THREADS][2], dtlb[MODEL_MAX_THREADS][2];
    uint64_t clock, own[MODEL_MAX_THREADS]; /* own: with config.parallel */
    bool collecting; /* as the latest access says */
    model_charge *charge;
    model_share *share;
    model_missed *missed;
    void *user;
};

/* A line leaves level 1; of one that is invalid, the tenure has ended. */
void line_end(struct model *model, const struct cache *cache, struct line *line, uint64_t index);
/* The tenure of a record ends unless its line is still there or held. */
void record_end_if_done(struct model *model, struct record *record, uint64_t index);

#endif
