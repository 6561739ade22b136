/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h: the reference model of docs/model.md, slow and obvious.
 *
 * It simulates one access at a time: caches are lists of lines in the order of their last use, each line has
 * one flag per byte, nothing is packed, deferred or remembered elsewhere. It is written from docs/model.md
 * alone and knows nothing of the core; where the two differ, one of them is wrong.
 *
 * Who pays is not its business: each access comes with a payer, the model hands payers back with what they
 * owe.
 */
#ifndef TENURE_REFMODEL_MODEL_H
#define TENURE_REFMODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_ALSO_MOST = 4 }; /* further machines */

/* Every event, flat: what a cost vector is indexed by. */
enum {
    M_IR,
    M_DR,
    M_DW,
    M_BC,
    M_BCM,
    M_BI,
    M_BIM,
    M_I1MR,
    M_ILMR,   /* misses of fetches */
    M_I_USE1, /* use at level 1 of lines loaded by fetches: M_USES of them */
    M_I_USEL = M_I_USE1 + 7,
    M_I2MR = M_I_USEL + 7,
    M_I_USE2,
    M_I_WB2 = M_I_USE2 + 7, /* write-backs: M_WRITES of them */
    M_I_WBL = M_I_WB2 + 2,
    M_I_PF2 = M_I_WBL + 2, /* lines prefetched, and those of them used */
    M_I_PFL = M_I_PF2 + 2,
    M_I_KIND1 = M_I_PFL + 2, /* misses by kind: M_KINDS of them */
    M_I_KIND2 = M_I_KIND1 + 3,
    M_I_KINDL = M_I_KIND2 + 3,
    M_I_DIST2 = M_I_KINDL + 3, /* stack distances: M_DISTANCES of them */
    M_I_DISTL = M_I_DIST2 + 12,
    M_ITMR = M_I_DISTL + 12, /* TLBs: misses, page walks */
    M_ITWR,
    M_I_ALSO, /* of each further machine, misses of I1, L2, and LL */
    M_D1MR = M_I_ALSO + 3 * MODEL_ALSO_MOST,
    M_DLMR,
    M_D1MW,
    M_DLMW,
    M_D_USE1,
    M_D_USEL = M_D_USE1 + 7,
    M_D2MR = M_D_USEL + 7,
    M_D2MW,
    M_D_USE2,
    M_D_WB1 = M_D_USE2 + 7,
    M_D_WB2 = M_D_WB1 + 2,
    M_D_WBL = M_D_WB2 + 2,
    M_D_PF1 = M_D_WBL + 2,
    M_D_PF2 = M_D_PF1 + 2,
    M_D_PFL = M_D_PF2 + 2,
    M_D1CR = M_D_PFL + 2, /* coherence */
    M_D1CW,
    M_D1FR,
    M_D1FW,
    M_INVD1,
    M_INV,
    M_UPG,
    M_XFR,
    M_DTMR, /* TLBs */
    M_DTMW,
    M_DTWR,
    M_DTWW,
    M_D_KIND1,
    M_D_KIND2 = M_D_KIND1 + 3,
    M_D_KINDL = M_D_KIND2 + 3,
    M_D_DIST2 = M_D_KINDL + 3,
    M_D_DISTL = M_D_DIST2 + 12,
    M_D_ALSO = M_D_DISTL + 12, /* of each further machine, read misses of D1, L2, and LL, and the same of writes */
    M_EVENTS = M_D_ALSO + 6 * MODEL_ALSO_MOST,
    M_IMMEDIATE = M_I1MR, /* events below are immediate */
};
enum { M_ACCOST, M_SPLOSS, M_EV, M_TCH, M_BYT, M_USE, M_AGE, M_USES };
enum { M_WB, M_WRT, M_WRITES };
enum { M_PF, M_PFU };
enum { M_COLD, M_CAP, M_CONF, M_KINDS };
enum { M_DISTANCES = 12 };

const char *model_event_name(int event); /* as in the raw profile */

enum model_policy { MODEL_LRU, MODEL_PLRU, MODEL_RRIP, MODEL_POLICIES };

struct model_cache_config {
    uint64_t size;
    uint32_t assoc, line;
    enum model_policy policy;
};
struct model_tlb_config {
    uint32_t entries, assoc; /* entries 0: there is none */
};
/* A machine besides the recorded one: level-1 caches are the recorded ones, or others; l2.size 0: no such level. */
struct model_also_config {
    struct model_cache_config i1, d1, l2, ll;
};
/* At the first level below level 1; and once more, behind these, at D1. */
enum {
    MODEL_STREAM,
    MODEL_NEXT_LINE,
    MODEL_ADJACENT,
    MODEL_STRIDE,
    MODEL_PREFETCH_D1,
    MODEL_PREFETCHERS = 2 * MODEL_PREFETCH_D1
};
struct model_payer;
struct model_reuse;
struct model_config {
    struct model_cache_config i1, d1, l2, ll; /* l2.size 0: no such level */
    struct model_tlb_config itlb[2], dtlb[2]; /* the second of instructions has no entries: that of data is for both */
    struct model_also_config also[MODEL_ALSO_MOST]; /* not with sample, coherence, prefetch, shared_l1 or patterns */
    uint32_t also_count;
    bool physical; /* sets of the levels below the first */
    bool shared_l1, flush_at_exit, use, write_back, coherence, strides, patterns, curves;
    bool prefetch[MODEL_PREFETCHERS];
    uint32_t sample;      /* one set in so many is simulated; 0 and 1: all */
    uint64_t sample_seed; /* which they are */
    bool level1_whole;    /* level 1 simulates all sets nevertheless, and the others count nowhere */
    uint32_t traces; /* of lines that have left a cache, at least */
    bool parallel; /* the first level's time is that of its thread */
    /* Of a line that is used first since its load; NULL: nobody asks. */
    void (*reused)(void *user, const struct model_payer *payer, const struct model_reuse *reuse);
    /* What is charged to the byte that is at `place` of a data object (raw_format.h, DATA_AT); NULL: nobody asks. */
    void (*charge_at)(void *user, const struct model_payer *payer, int event, uint32_t place, uint64_t amount);
    bool
        callgrind; /* as `callgrind --cacheuse=yes`, see model.c; one thread, no l2, lines of 32 bytes or more */
};

enum model_kind { MODEL_FETCH, MODEL_READ, MODEL_WRITE, MODEL_MODIFY, MODEL_WRITE_PAST };

/* Where a line is in its data object: at offset `start` of a block, which has its bytes [from, to). `element`: bytes of
 * what the block is made of behind the first `lead`; 0: not known. Or `at`: the place of each of its bytes
 * (raw_format.h, DATA_AT). */
struct model_place {
    bool known;
    int64_t start;
    uint32_t from, to, element, lead;
    const uint32_t *at; /* else NULL */
};

/* Who made an access. `pays`: collection is on. What it is charged is for `charge` to decide. `objects`: what holds the
 * first byte touched in each line of each of its spans, in their order; NULL: nobody asks. `places`: where these lines
 * are. `object`, `place`: when charged, those of the line; `fetched`: it was a fetch. `address`: of the instruction;
 * 0 where nothing is prefetched. */
struct model_payer {
    uint32_t thread, instr, chain, epoch;
    bool pays;
    const uint32_t *objects;
    const struct model_place *places;
    uint32_t object;
    struct model_place place;
    bool fetched;
    uint32_t group; /* of sampled sets, in which the line is; of a line that level 1 alone simulates: */
    bool uncounted;
    uint64_t address;
};

/* What an event counts, by its group, so that sums tell groups apart: modulo 2^64. */
enum { MODEL_GROUPS = 4 };
extern const uint64_t model_group_weight[MODEL_GROUPS];
/* docs/model.md, 2 and 17: bytes from which on bits of an address are neither of its place in a page nor say whether
 * it is simulated. */
uint64_t model_sample_end(const struct model_config *config);
/* docs/model.md, 17: whether level 1 simulates the line at this address; and whether it counts, and in which group. */
bool model_is_simulated(const struct model_config *config, uint64_t address, struct model_payer *payer);

typedef void model_charge(void *user, const struct model_payer *payer, int event, uint64_t amount);

/* With coherence: what `victim` missed in `object` since `writer` had written to the line (MISSED); how the tenure
 * ended that began with it, and the bytes of the line that others had written and that were touched in it, as
 * granules. */
enum model_shared { MODEL_MISSED, MODEL_SHARED_FALSELY, MODEL_SHARED_TRULY };
typedef void model_share(void *user, const struct model_payer *writer, const struct model_payer *victim,
                         enum model_shared what, uint64_t written, uint64_t touched);

/* With `reused`: a line that is used first since `loader` loaded it, so many accesses ago, in D1, or asked for below.
 */
struct model_reuse {
    int level; /* as in a miss */
    bool fetched;
    uint64_t distance;
    struct model_payer loader;
};

/* A miss of `level` (0: the first, 1: the last, 2) in `set`, at the first byte of its line
 * that was wanted. `kind`: -1 if the line was there, but another thread's write had made it invalid. */
struct model_miss {
    int level, kind;                /* kind: 0 without patterns */
    uint32_t owner;                 /* of the level-1 cache */
    bool stride;                    /* of data at level 1, and strides are kept */
    bool fetched, timed;            /* timed: it is known when the line was used last: so many accesses ago */
    uint64_t set, address, distance;
    struct model_payer loader, evictor; /* of a line that is loaded again, if that is known */
};
typedef void model_missed(void *user, const struct model_payer *payer, const struct model_miss *miss);

enum { MODEL_MAX_THREADS = 16 };

/* `share`: only with coherence, `missed`: each miss. */
struct model *model_new(const struct model_config *config, model_charge *charge, model_share *share,
                        model_missed *missed, void *user);
void model_free(struct model *model);

/* One fetch or one data access by a thread, 0 to MODEL_MAX_THREADS - 1: misses and ended tenures are
 * charged. */
void model_access(struct model *model, uint32_t thread, enum model_kind kind, uint64_t address, uint32_t size,
                  const struct model_payer *payer);
/* The same of one access of several spans, each of them line by line: together they are one access. */
struct model_span {
    uint64_t address;
    uint32_t size;
};
void model_access_spans(struct model *model, uint32_t thread, enum model_kind kind, const struct model_span *spans,
                        uint32_t count, const struct model_payer *payer);
uint64_t model_clock(const struct model *model); /* accesses so far */

void model_thread_end(struct model *model, uint32_t thread);
void model_empty(struct model *model); /* instrumentation off: every tenure ends */
void model_finish(struct model *model);

/* Branch predictors of one thread (docs/model.md, 8). Return whether the branch was mispredicted. */
struct model_predictor {
    uint8_t counter[16384];
    uint64_t target[512];
    uint32_t history;
};
bool model_predict_cond(struct model_predictor *predictor, uint64_t address, bool taken);
bool model_predict_indirect(struct model_predictor *predictor, uint64_t address, uint64_t target);

#endif
