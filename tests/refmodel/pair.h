/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair.h: the core and the models side by side. Each function says one thing to both, and checks what can be
 * checked at once; costs are compared whenever a part ends.
 *
 * To the core it speaks as an engine does (core/tenure_core.h): blocks are translated once, into
 * instructions, segments, fetch runs and accesses, and executed through core/cache_hot.h. To the models it
 * speaks of single accesses and of what really happened to the call stack.
 */
#ifndef TENURE_REFMODEL_PAIR_H
#define TENURE_REFMODEL_PAIR_H

#include "method1.h"

enum { PAIR_MAX_INSTRS = 10, PAIR_MAX_ACCESSES = 10 };

struct pair_config {
    struct model_cache_config i1, d1, l2, ll; /* l2.size 0: no such level */
    struct model_tlb_config itlb[2], dtlb[2]; /* no entries: there are none */
    struct model_also_config also[MODEL_ALSO_MOST]; /* further machines */
    uint32_t also_count;
    bool cache_sim, branch_sim, use, inclusive, shared_l1, flush_at_exit, collect_at_start, write_back;
    bool prefetch[MODEL_PREFETCHERS], physical;
    bool parallel, data, coherence, strides, patterns, curves;
    uint32_t sample; /* one set in so many is simulated; 0 and 1: all */
    uint64_t sample_seed;
    uint64_t paths;
    uint32_t most_unmapped; /* nodes of a path without a map */
    uint32_t most_pairs; /* with patterns; 0: none are kept */
    uint32_t traces;     /* of lines that have left; at least 1 */
    uint32_t separate_callers, separate_recs; /* the most of any function */
    uint64_t remap; /* not 0: data objects have remaps, which are drawn from this; with data, not parallel or sampled */
    uint32_t lag; /* not 0: where threads run at the same time, misses are consumed late; how late is drawn from this */
};

struct pair_function {
    uint32_t number; /* the caller's; dense from 0 */
    uint64_t start, size;
    uint32_t flags; /* M1_* */
    uint32_t separate_callers, separate_recs;
    uint8_t allocates[4]; /* struct tn_allocation: bytes, count, old, at */
};
struct pair_access {
    uint8_t kind; /* enum tn_kind */
    bool guarded; /* happens only sometimes */
    uint16_t size;
    uint32_t id, counter;
};
struct pair_instr {
    uint64_t address;
    uint8_t length;
    bool cond, indirect, call, ret;
    uint32_t first, accesses; /* in pair_block.access */
    uint32_t id;              /* the core's, once executed */
};
struct pair_block {
    struct pair_instr instr[PAIR_MAX_INSTRS];
    struct pair_access access[PAIR_MAX_ACCESSES];
    uint32_t instrs, split;               /* side exit before instruction `split`; 0: none */
    struct pair_translation *translation; /* pair's own */
};
/* What one execution does. */
struct pair_run {
    uint64_t address[PAIR_MAX_ACCESSES];
    bool happens[PAIR_MAX_ACCESSES];
    bool taken[2];   /* the side exit; the conditional branch at the end */
    uint64_t target; /* of an indirect branch */
};

struct pair *pair_new(const struct pair_config *config, FILE *out);
void pair_free(struct pair *pair);
const struct pair_config *pair_config(const struct pair *pair);
bool pair_good(const struct pair *pair);
uint64_t pair_accesses(const struct pair *pair);

void pair_function(struct pair *pair, const struct pair_function *function);
void pair_execute(struct pair *pair, uint32_t thread, uint32_t function, struct pair_block *block,
                  const struct pair_run *run);

/* sp as in tenure_core.h; functions by the caller's number; `unseen`: call frames that ended without a word.
 * */
void pair_thread(struct pair *pair, uint32_t thread, uint32_t parent); /* itself: the first thread */
void pair_begin(struct pair *pair, uint32_t thread, uint32_t function, uint64_t sp, bool in_mid_run);
void pair_end(struct pair *pair, uint32_t thread);
void pair_switch(struct pair *pair, uint32_t to);
void pair_off(struct pair *pair); /* pair_begin for each thread must follow */
void pair_call(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp,
               uint64_t return_address, uint32_t unseen);
void pair_return(struct pair *pair, uint32_t thread, uint32_t site, uint64_t sp, uint64_t target,
                 uint32_t frames);
void pair_raise(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp);
void pair_jump(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp);
void pair_longjmp(struct pair *pair, uint32_t thread, uint32_t site, uint32_t function, uint64_t sp,
                  uint32_t handlers, uint32_t frames);
/* A jump to another stack of the level: number 0 is its first. */
void pair_stack(struct pair *pair, uint32_t thread, uint32_t number, uint32_t site, uint32_t function,
                uint64_t sp);
void pair_signal_enter(struct pair *pair, uint32_t thread, uint32_t function, uint64_t sp);
void pair_signal_leave(struct pair *pair, uint32_t thread);

/* With data: `function` has just been entered, with these TN_ARGUMENTS arguments. */
void pair_allocates(struct pair *pair, uint32_t thread, uint32_t function, const uint64_t *arguments);
/* What functions return from now on. */
void pair_result(struct pair *pair, uint64_t result);
/* Pages are changed and, if it is anonymous memory then, mapped. */
void pair_map(struct pair *pair, uint32_t thread, uint64_t start, uint64_t bytes, bool anonymous);

/* Memory gets a name, 0 to 9; no bytes: it loses it. */
void pair_region(struct pair *pair, uint32_t thread, uint64_t address, uint64_t bytes, uint32_t name);

void pair_toggle(struct pair *pair);
void pair_zero(struct pair *pair);
void pair_dump(struct pair *pair);
void pair_finish(struct pair *pair);
/* All threads have ended before pair_finish: with paths = 0 and everything flushed, no node is left but
 * the roots. */
void pair_check_empty(struct pair *pair);

/* The sheet of the part that was compared last, as the core wrote it: for tests of known answers. */
const struct sheet *pair_sheet(const struct pair *pair);
uint32_t pair_function_id(const struct pair *pair, uint32_t number);

#endif
