/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tenure_core.h: the only header an engine includes.
 *
 * The core simulates caches and attributes costs; an engine runs the program and tells the core what happens.
 * There is no function per access: an engine emits the hit test itself, from the hot layout below, and calls
 * the core only when something is missed, called, returned from or switched.
 *
 * The life of a program, as an engine sees it
 *
 *   translation   tn_object, tn_function, tn_instr  name what is executed
 *                 tn_segment                        a run of instructions that executes as a whole
 *                 tn_access, tn_fetch               one data access, one run of fetches from one line
 *   execution     at the entry of a segment of I instructions, R reads, W writes, C conditional and J indirect
 *                 branches:
 *                     thread->clock    += (I + R + W) * TN_STEP
 *                     thread->data     += R | W << 32
 *                     thread->branches += C | J << 32                  (with branch_sim)
 *                     counter[segment] += 1                            (or thread->collecting; with contexts
 *                                                                       tn_count does it instead)
 *                 for each fetch run and each data access, in program order: the test in core/cache_hot.h, and
 *                 tn_slow_fetch or tn_slow_data when it fails
 *   control flow  tn_call, tn_return, tn_jump, tn_signal_enter, tn_signal_leave, tn_thread_*
 *   now and then  tn_tick, at least once in 2^25 accesses of a thread
 *
 * Clock and stamps. An access is an instruction fetch or a data access; the clock counts accesses, in steps of
 * TN_STEP. A stamp is `clock - back` with the clock at the end of the segment; the `back` of an access is known
 * at translation. Access k of a segment with n accesses has back = (n - k) * TN_STEP, k counting from 0 in the
 * order fetch, then data accesses, instruction by instruction. Stamps between two steps belong to the second,
 * third, ... line of one access.
 *
 * Names: an id is an index that starts at 1; 0 means none. All sizes are bytes. Nothing here can fail except
 * where said; a broken precondition panics through host.h.
 */
#ifndef TENURE_CORE_H
#define TENURE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of a miss is compiled into few functions, and more than once where a constant argument makes it shorter.
 * What only prefetches has to be so: a compiler leaves out the call of a function that has no effect. */
#define TN_ALWAYS_INLINE static inline __attribute__((always_inline))

#include "raw_format.h"

typedef struct tn_core tn_core;
typedef struct tn_thread tn_thread;
struct tn_ring;
struct tn_config;
struct tn_memory_info;

/* What memory is made of. Types are named by numbers of the engine's own, which go into the profile. */
struct tn_element {
    uint32_t size; /* bytes; 0: not known */
    uint32_t lead; /* bytes in front of the first, in a block of them */
    uint64_t type; /* 0: not known */
};
enum tn_element_answer {
    TN_ELEMENT_UNKNOWN,
    TN_ELEMENT_KNOWN,
    TN_ELEMENT_ABOVE, /* the function that calls hands the block on to who called it */
};

enum {
    TN_STEP_BITS = 10,
    TN_STEP = 1 << TN_STEP_BITS, /* clock units per access; an access touches fewer than TN_STEP lines */
    TN_TOUCH_BITS = 26,          /* tn_way.use: touches below, bytes above */
    TN_MAX_ACCESS = 16000,       /* largest size of one data access */
    TN_NONE = 0,                 /* no id */
    TN_MIN_LINE = 16,
    TN_MAX_LINE = 1024,
    TN_CLASSES = 64,             /* of lines, some of which are sampled */
    TN_OFFSETS = 4096,            /* where elements are not known: of the block's first bytes */
    TN_MAX_SEPARATE = 100, /* callers, and levels of recursion, of a function that can be kept apart (raw_format.h) */
};

/* ------------------------------------------------------------------------------------------ configuration */

/* Which line of a full set leaves (core/access/lru.h, plru.h, rrip.h). */
enum tn_policy { TN_LRU, TN_PLRU, TN_RRIP, TN_POLICIES };

/* What asks for lines ahead (core/access/prefetch.h), in the order in which they do. They are at the first level below
 * level 1, and once more, from TN_PREFETCH_D1 on, at D1. */
enum tn_prefetching {
    TN_STREAM,
    TN_NEXT_LINE,
    TN_ADJACENT,
    TN_STRIDE,
    TN_PREFETCH_D1,
    TN_PREFETCHERS = 2 * TN_PREFETCH_D1
};

struct tn_geometry {
    uint64_t size;  /* bytes; 0 where the level is not simulated (L2 only) */
    uint32_t assoc; /* ways per set */
    uint32_t line;  /* bytes, a power of two, 16 to 1024 */
    enum tn_policy policy;
};

/* A TLB, of a first or second level. */
struct tn_tlb_geometry {
    uint32_t entries; /* pages, 32767 at most; 0 where it is not simulated */
    uint32_t assoc;   /* ways per set; entries: of one set */
};

/* Where the bytes of a data object's blocks are simulated, in place of where they are (docs/model.md, 22). */
struct tn_remap_run {
    uint32_t from, to; /* bytes of an element; `to`: the first behind them */
    uint32_t part;     /* from 0 on, in the order of the runs: the first run is of part 0 */
};
struct tn_remap {
    uint32_t element; /* bytes; 0: what is known of the object, else the bytes of its first block */
    uint32_t runs;    /* none: the element is one. What they leave is the rest */
    uint32_t rest;    /* the part that has the rest behind its runs */
    uint32_t pad;     /* what an element takes in its part becomes a multiple of this, if it is not 0 */
    uint32_t row;     /* bytes of a row of elements that become columns; 0: elements stay in their order */
    uint32_t align;   /* a power of two, which addresses of blocks become a multiple of; 0: as usual */
    bool pool, walk;  /* blocks are packed, as they begin; walk: elements are, in the order of their first reads */
    const char *walker; /* the engine's, for remap_walks */
    struct tn_remap_run run[TN_REMAP_RUNS];
};
/* A data object that has just been made. Texts live until the core returns to the engine. */
struct tn_remap_caller {
    const char *function, *object; /* names, as tn_function and tn_object have them */
};
struct tn_remap_object {
    uint8_t kind;           /* TN_DATA_HEAP or TN_DATA_STATIC */
    const char *name, *file; /* of a static one, as in tn_memory_info */
    uint64_t path; /* tn_remap_path of a heap object's sites, from the innermost on; of a symbol's address and size */
    const struct tn_remap_caller *caller; /* of a heap object: the function that allocates, who called that, ... */
    uint32_t callers;
};
/* Takes the entries of a ring further (core/access/queue.h): foresees, looks up and consumes those that were not yet,
 * up to the numbers given. An engine whose own code leaves vectors alone may compile core/access/lower.c once more with
 * them, its consumer under the name TN_TAKER_FOR, and say in tn_config that this one is to be used. */
typedef void tn_taker(tn_core *core, struct tn_ring *ring, uint64_t foresee, uint64_t look_up, uint64_t consume);

/* A machine besides the recorded one, whose misses are counted in the same run (docs/model.md, 23). Its level-1 caches
 * are those of tn_config, or have lines at least as long; without an L2, that is all zero. */
enum { TN_ALSO_MOST = 4 };
struct tn_also {
    struct tn_geometry i1, d1, l2, ll;
};
/* Whether a further machine's level-1 cache is another one than the recorded one. */
static inline bool tn_also_other(const struct tn_geometry *l1, const struct tn_geometry *recorded)
{
    return l1->size != recorded->size || l1->assoc != recorded->assoc || l1->line != recorded->line ||
           l1->policy != recorded->policy;
}

/* tn_config_default() fills in everything; an engine changes what its options say. */
struct tn_config {
    struct tn_geometry i1, d1, l2, ll;
    /* TLBs of instructions and of data: the first level, and the one behind it. No entries: there is none, or, for
     * instructions, the second one of data is for both. No first level: TLBs are not simulated. */
    struct tn_tlb_geometry itlb[2], dtlb[2];
    struct tn_also also[TN_ALSO_MOST]; /* further machines */
    uint32_t also_count;
    bool physical;         /* sets below level 1 are those of addresses in memory, where pages lie anywhere */
    uint32_t sample;       /* one set in so many is simulated, a power of two; 1: all are */
    uint64_t sample_seed;  /* which ones they are */
    bool cache_sim;        /* simulate caches at all */
    bool branch_sim;       /* simulate the branch predictors of core/attribute/branch.h */
    bool use;              /* collect line use (AcCost, SpLoss, ...) */
    bool inclusive;        /* follow calls, keep the tree */
    bool write_back;       /* count dirty evictions: which bytes of a line were written */
    bool prefetch[TN_PREFETCHERS]; /* which prefetchers there are */
    bool coherence;        /* D1s of threads invalidate each other's lines; not with shared_l1 or parallel */
    bool strides;          /* keep strides between misses of data */
    bool patterns;         /* tell misses apart (cold, capacity, conflict), keep the sets that conflict */
    bool curves;           /* keep stack distances below level 1, where the policy is LRU */
    bool pairs;            /* whose line was used next, thrown out, and loaded again by whom; with patterns */
    uint32_t most_pairs;   /* of a part */
    uint32_t traces;       /* of lines that have left a cache, at least; from 1 on */
    bool shared_l1;        /* one I1 and one D1 for all threads (Callgrind's model) */
    bool timeline;         /* keep what was paid when (attribute/timeline.h) */
    bool data;             /* charge data objects; with inclusive, and the two functions below */
    bool parallel;         /* threads run at the same time; not with shared_l1, nor with contexts */
    bool flush_at_exit;    /* charge the tenures that have not ended when the program ends */
    bool collect_at_start; /* state of collection before the first toggle */
    uint32_t alias_limit;  /* hits that the way table did not lead to, until an access moves to another table */
    uint32_t counter_limit; /* segment counters and guards at most; 0: 8 Mi, with contexts 64 Mi */
    uint32_t prune_slack;  /* nodes over the limit before pruning starts; 0 in tests */
    uint32_t most_unmapped; /* nodes of a path that are walked at most (attribute/path.h); from 1 on, small in tests */
    uint32_t front;        /* bytes in front of each tn_thread that are the engine's; a multiple of the page size */
    uint32_t threads;      /* threads told apart; what later ones cost is added up */
    uint64_t interval;     /* with timeline: instructions from one interval to the next, at least */
    uint64_t paths;        /* nodes kept for the call tree; 0: prune as soon as possible */
    uint32_t most_doublings; /* of this limit, where many times as many were pruned already */
    /* Contexts (docs/attribution.md, section 10): the most callers and levels of recursion that any tn_function_info
     * asks for. 0 and 1, or 0: functions are not kept apart, and counters are the engine's to add to. */
    uint32_t separate_callers, separate_recs;

    /* The function that holds `address`, for a return or jump whose target was not known at translation;
     * TN_NONE if unknown. `user` is handed back. May call tn_object and tn_function, nothing else. */
    uint32_t (*function_at)(void *user, uint64_t address);

    /* With TLBs: how many bits an address has inside its page, 12 to 63; NULL: 12. May call nothing of the core. */
    uint32_t (*page_bits)(void *user, uint64_t address);

    /* With data: what holds `address`, which no block does. *out says OTHER of this one byte. May call nothing of the
     * core. */
    void (*memory_at)(void *user, uint64_t address, struct tn_memory_info *out);
    /* With data, or NULL: what the block is made of that a call returns to `address`. May call nothing of the core. */
    enum tn_element_answer (*element_at)(void *user, uint64_t address, struct tn_element *out);
    /* With data: what the function returns that `thread` returns from now (in tn_return). If `at` is not 0, the word
     * there instead; 0 if the function returns something else than 0. */
    uint64_t (*result)(void *user, tn_thread *thread, uint64_t at);

    /* With data, not with parallel: which of these `remaps`, from 1 on, is for an object; 0: none. */
    const struct tn_remap *remaps;
    uint32_t remap_count;
    uint32_t (*remap_of)(void *user, const struct tn_remap_object *object);
    /* Whether a function of this name is one whose reads count for the remap with this number, which has `walk`. */
    bool (*remap_walks)(void *user, uint32_t which, const char *function);

    /* Parallel engines: from alone(user, true) to alone(user, false) no other thread is in the program's code or in the
     * core. Called where a function that runs asks for something that concerns all threads. */
    void (*alone)(void *user, bool begins);

    /* For tests, NULL otherwise: what thread `thread` has done while its clock was below `clock` comes behind all that
     * this was told of before, and in front of the rest. */
    void (*published)(void *user, uint32_t thread, uint64_t clock);

    /* Parallel engines must say who consumes what misses leave (core/access/queue.h): somebody calls tn_consume,
     * perhaps another thread. A thread that misses asks for it when half of what may wait does, and again and again
     * when it cannot go on (`now`). May call tn_consume only. */
    void (*consume)(void *user, bool now);
    tn_taker *(*taker_for)(const struct tn_config *config); /* which consumer; NULL: the core's own */
    void *user;
};

void tn_config_default(struct tn_config *config);

/* Whether any prefetcher is at the first level below level 1, or at D1. */
static inline bool tn_prefetches_below(const struct tn_config *config)
{
    const bool *is = config->prefetch;
    return is[TN_STREAM] || is[TN_NEXT_LINE] || is[TN_ADJACENT] || is[TN_STRIDE];
}

static inline bool tn_prefetches_d1(const struct tn_config *config)
{
    const bool *is = config->prefetch + TN_PREFETCH_D1;
    return is[TN_STREAM] || is[TN_NEXT_LINE] || is[TN_ADJACENT] || is[TN_STRIDE];
}

static inline bool tn_prefetches(const struct tn_config *config)
{
    return tn_prefetches_below(config) || tn_prefetches_d1(config);
}

/* Whether any level-1 cache of a further machine is another one than the recorded one. */
static inline bool tn_also_any_other(const struct tn_config *config)
{
    for (uint32_t i = 0; i < config->also_count; i++) {
        if (tn_also_other(&config->also[i].i1, &config->i1) || tn_also_other(&config->also[i].d1, &config->d1))
            return true;
    }
    return false;
}

/* Whether any I1, the recorded one or a further machine's, tells a line that was used once from one used again. */
static inline bool tn_any_i1_is_rrip(const struct tn_config *config)
{
    bool any = config->i1.policy == TN_RRIP;
    for (uint32_t i = 0; i < config->also_count; i++)
        any |= config->also[i].i1.policy == TN_RRIP;
    return any;
}

static inline bool tn_has_tlbs(const struct tn_config *config)
{
    return config->itlb[0].entries || config->dtlb[0].entries;
}

/* NULL if the core can simulate `config`, else one line that says what is wrong and what is possible; the text
 * lives as long as the program. */
const char *tn_config_check(const struct tn_config *config);
/* The same of one cache that is there, and of a TLB. */
const char *tn_geometry_check(const struct tn_geometry *geometry);
/* levels: two of them. */
const char *tn_tlb_check(const struct tn_tlb_geometry *levels);

/* ------------------------------------------------------------------------------------------ hot layout */

/* A way of a level-1 cache. Invariants: line is a multiple of the line size, or TN_NO_LINE; or, with pairs in a D1, a
 * multiple | TN_FRESH: nobody has used the line since it was loaded, and the first who does is to call; with TLBs
 * or other level-1 caches of further machines either may have its bit TN_PARKED changed: the line, or its page, has
 * left one of these since it was used last, and who uses it is to call; with prefetchers at D1, its bit TN_UNASKED: a
 * prefetcher has loaded the line, and the first who uses it is to call; with remaps, TN_APART: other bytes of the line
 * are simulated elsewhere, and everybody calls;
 * 0 <= distinct bytes in mask <= bytes in use; stamp is the stamp of the last access.
 * mask: bit i is granule i; a granule is max(1, line / 64) bytes. Bits beyond the line are ignored. */
struct tn_way {
    uint64_t line;
    uint64_t use; /* touches | bytes << TN_TOUCH_BITS since the load, or since the last spill */
    uint64_t mask;
    uint64_t stamp;
};
#define TN_NO_LINE 0x8000000000000000ull /* not canonical: no access ever compares equal */
#define TN_FRESH 0x4000000000000000ull   /* the same, of a line with it */
#define TN_PARKED 0x2000000000000000ull  /* the same, of a line in which this bit is not what it is in the address */
#define TN_UNASKED 0x1000000000000000ull /* the same */
#define TN_APART 0x0800000000000000ull /* the same */
#define TN_MARKS (TN_NO_LINE | TN_FRESH | TN_PARKED | TN_UNASKED | TN_APART)

/* The hot part of a thread; all of it, and the arrays that follow it, are reached from one base register.
 * Only the fields above the line are the engine's to touch. */
struct tn_thread {
    uint64_t clock;      /* accesses so far, in TN_STEP; handed on at thread switches of serial engines */
    uint64_t data;       /* reads + (writes << 32); differences below 2^32 reads are exact */
    uint64_t branches;   /* conditional + (indirect << 32), with branch_sim */
    uint64_t collecting; /* 1 or 0; what a segment counter is to add once collection has been toggled */
    uint64_t user;       /* the engine's own */
    /* -------------------------------------------------------------------------------------------- */
    tn_core *core;
    struct tn_activity *activity; /* call stacks, trees (core/attribute/stack.c) */
    struct tn_running {
        struct tn_node *node;
        struct tn_stack *stack; /* of the level that runs */
        uint32_t skip_site;     /* not TN_NONE: a function is skipped, and this instruction pays */
        uint64_t *skip_extra;   /* with skip_site: of that instruction's centre */
        uint64_t last_clock, last_branches, last_data; /* totals given to nodes so far */
    } running;
    struct tn_l1 *i1, *d1;        /* cold parts of the caches (core/access/cache.c) */
    struct tn_lower *l2;          /* NULL: not simulated */
    struct tn_ring *ring;         /* misses that wait for the consumer (core/access/queue.h); NULL: no caches */
    uint32_t id;
    bool dump_wanted;
    struct tn_tally {
        uint64_t calls, returns, unwinds, jumps, slow_data, slow_fetch;
    } tally; /* what it did, for statistics */
};

/* Where things lie, in bytes from the thread base. A way table (element: uint16_t) is indexed by
 * (address >> line_bits) & table_mask and gives the offset of the way from `origin`, in units of 8 bytes. D1 has
 * TN_TABLES of them, one behind the other: an access begins in the first (tn_access_now). Written: one uint64_t per
 * way, the granules written as in tn_way.mask. Exclusive: one uint64_t per way, with which a write (or a modify)
 * compares its address instead of with tn_way.line; it is that or TN_NO_LINE. */
enum { TN_TABLES = 4 };
struct tn_l1_layout {
    uint32_t table, ways;   /* offsets from the thread base */
    uint32_t origin;        /* another: 0, or `ways` if these are too far from 0 for 16 bits */
    uint32_t tables;        /* way tables */
    uint32_t written;       /* an offset; 0: nothing is written here, or nobody asks what is */
    uint32_t exclusive;     /* an offset; 0: writes, too, compare with tn_way.line */
    uint32_t table_mask;    /* elements - 1 */
    uint32_t line_bits;     /* log2(line size) */
    uint32_t granule_bits;  /* log2(bytes per mask bit): 0 for lines up to 64 */
};

/* What predicts a thread's branches (docs/model.md, section 8). A conditional branch at `address` finds its counter,
 * times four, in counter[tn_branch_counters(address) + history]. That becomes next[counter / 2 + taken], of which bit 8
 * says that the prediction was wrong; history becomes (history + taken) * 2, cut off to a byte. An engine may do this
 * in place of tn_branch_cond, and calls tn_branch_wrong where the prediction was wrong. It may leave out
 * tn_branch_indirect where an indirect branch goes to target[address % TN_INDIRECT_TARGETS]. */
enum { TN_COND_COUNTERS = 16384, TN_INDIRECT_TARGETS = 512 };
struct tn_branch {
    uint8_t history; /* the last seven conditional branches, 1: taken, the latest in bit 1 */
    uint16_t next[8];
    uint8_t counter[TN_COND_COUNTERS];
    uint64_t target[TN_INDIRECT_TARGETS];
};

/* Histories are even: the counters of an odd address lie between those of the one below. */
static inline uint32_t tn_branch_counters(uint64_t address)
{
    return (uint32_t)((address & 126) << 7 | (address & 1));
}

struct tn_layout {
    struct tn_l1_layout i1, d1;
    uint32_t branch;        /* offset of the thread's struct tn_branch, with branch_sim */
    /* What is simulated: lines whose address has a number i in the six bits from class_bits on of which bit i is set. A
     * fetch run or an access that touches no such line is left out. All bits are set if everything is simulated. */
    uint64_t sampled;
    uint32_t class_bits;
    uint32_t counters;      /* offset of counter 0, an array of uint64_t */
    uint32_t counter_limit; /* number of counters the reservation can hold */
    uint64_t thread_bytes;  /* reserved per thread; pages are used as they are touched */
};
const struct tn_layout *tn_layout(const tn_core *core);

static inline bool tn_is_sampled(const struct tn_layout *layout, uint64_t address)
{
    return layout->sampled >> (address >> layout->class_bits & (TN_CLASSES - 1)) & 1;
}

/* What holds [start, end), as far as an engine knows it: the largest such range around the address that was asked for.
 * Texts must live until the core returns to the engine. */
struct tn_memory_info {
    uint64_t start, end;
    uint8_t kind;           /* enum tn_data_kind: STATIC, STACK, FILE, REST or OTHER */
    uint32_t thread;        /* STACK: whose */
    uint64_t address, size; /* STATIC: in the file; of the symbol, 0: it is a section, between symbols */
    const char *name;       /* STATIC: of the symbol, or of the section */
    const char *file;       /* STATIC and FILE */
    struct tn_element element; /* STATIC: of which it is one, or an array; lead is 0 */
};

/* ------------------------------------------------------------------------------------------ life */

/* Make a core for a checked configuration. Nothing is shared between two cores. */
tn_core *tn_core_new(const struct tn_config *config);
void tn_core_free(tn_core *core);

/* Remember a fact for the profile's meta data (command line, engine, geometry source, ...). Copied. */
void tn_meta(tn_core *core, const char *key, const char *value);

/* ------------------------------------------------------------------------------------------ code */

struct tn_object_info {
    const char *path;         /* as the kernel names it, or "[vdso]", "[anon]", ... */
    uint64_t start, size;     /* mapped range in memory */
    int64_t bias;             /* run-time address - address in the file's symbol table */
    const uint8_t *build_id;  /* may be NULL */
    uint32_t build_id_size;
};
uint32_t tn_object(tn_core *core, const struct tn_object_info *info);

enum {
    TN_FN_SKIP = 1,         /* --fn-skip, PLT stubs: costs go to the instruction that called */
    TN_FN_POP_ON_JUMP = 2,  /* the dynamic linker's resolver: what it jumps to was called by its caller */
    TN_FN_TOGGLE = 4,       /* --toggle-collect */
    TN_FN_DUMP_BEFORE = 8,
    TN_FN_DUMP_AFTER = 16,
    TN_FN_ZERO_BEFORE = 32,
    TN_FN_MOVES_STACK = 512, /* Go's: what it jumps to had called it, perhaps on a stack that lies elsewhere now */
    TN_FN_GO_RUNTIME = 1024, /* of Go's runtime, which switches between goroutines anywhere */
    TN_FN_START = 128,      /* the engine's own: --start */
    TN_FN_WARM = 256,       /* and --warm */
    TN_FN_ALLOCATES = 64,   /* the core's own: tn_function_info.allocation says that it returns blocks */
};
/* What a function does to blocks of memory, by the numbers of its arguments, from 1; 0: nothing of the kind. C's first
 * four are followed by Go's first one, which is where C has the result. */
struct tn_allocation {
    uint8_t bytes, count; /* returns a block of this size, or of their product */
    uint8_t old;          /* ends this block: at once, or, if it returns one, instead of it */
    uint8_t at;           /* returns 0, and puts the block's address there */
};
enum { TN_C_ARGUMENTS = 4, TN_GO_ARGUMENT, TN_ARGUMENTS = TN_GO_ARGUMENT };

struct tn_function_info {
    uint32_t object;
    uint64_t start, size; /* run-time address range; size 0 if unknown */
    const char *name;     /* as in the symbol table; NULL or "" if unknown */
    uint32_t flags;       /* TN_FN_* */
    uint16_t separate_callers; /* callers that are kept apart */
    uint16_t separate_recs;    /* levels of recursion that are kept apart; 0 is 1 */
    struct tn_allocation allocation; /* with tn_config.data */
};
/* A new function each time: the caller keeps the map from addresses. */
uint32_t tn_function(tn_core *core, const struct tn_function_info *info);

/* Its name, where it is known only later: what is dumped from now on has it. The text is copied. */
void tn_function_rename(tn_core *core, uint32_t function, const char *name);

/* What was said of it. */
uint32_t tn_function_flags(const tn_core *core, uint32_t function);

/* Whether it is one of those that are skipped and ask for nothing else; may become false, when it is a root. */
bool tn_function_skipped(const tn_core *core, uint32_t function);

/* Whether the function's first instruction, at `address`, is to tell tn_allocates. */
bool tn_function_allocates(const tn_core *core, uint32_t function, uint64_t address);

enum {
    TN_INSTR_COND = 1,     /* conditional branch: Bc */
    TN_INSTR_INDIRECT = 2, /* indirect jump or call, returns excepted: Bi */
    TN_INSTR_CALL = 4,
    TN_INSTR_RETURN = 8,
};
/* Counts are per execution. An instruction whose accesses are guarded counts them in guard counters instead. */
struct tn_instr_info {
    uint64_t address;
    uint32_t function;
    uint8_t length;
    uint8_t flags;
    uint16_t reads, writes; /* a read-modify-write is one read (docs/model.md) */
};
/* Find or make: equal infos give equal ids. The id is the instruction's cost centre. */
uint32_t tn_instr(tn_core *core, const struct tn_instr_info *info);

/* The segment counter of a run of `n` instructions. Find or make: an equal run has the same counter, so that
 * translating again counts on. Panics when tn_layout.counter_limit is reached. */
uint32_t tn_segment(tn_core *core, const uint32_t *instrs, uint32_t n);

/* Counters made so far. An engine that stops in time, with what it has, spares its user the panic. */
uint32_t tn_counters(const tn_core *core);

/* The counter of an access that happens only sometimes: counts one read (or write) of `instr` each. The engine
 * also adds it to thread->data, and TN_STEP to thread->clock, when it happens. */
uint32_t tn_guarded(tn_core *core, uint32_t instr, bool write);

/* With contexts: add thread->collecting to what `counter` is in the context that runs. */
void tn_count(tn_thread *thread, uint32_t counter);

/* TN_WRITE_PAST: a non-temporal store, which goes past the caches where its line is not in D1. kind & TN_WRITE: one of
 * the two that count as writes. */
enum tn_kind { TN_READ, TN_WRITE, TN_MODIFY, TN_WRITE_PAST };
struct tn_access_info {
    uint32_t instr;
    uint32_t back;
    uint16_t size; /* 1 to TN_MAX_ACCESS bytes */
    uint8_t kind;  /* enum tn_kind */
};
uint32_t tn_access(tn_core *core, const struct tn_access_info *info);

/* An access whose lines meet another's in the way table goes on in another table, as another id. What code made from
 * now on should use for access `id`; *table: the offset of its way table from the thread base. */
uint32_t tn_access_now(tn_core *core, uint32_t id, uint32_t *table);

/* The address of an instruction, one of whose accesses has moved to another table since this was last asked; false if
 * there is none. Code made before may be made again, but goes on working. To be asked now and then: until then,
 * no other access moves. */
bool tn_access_moved(tn_core *core, uint64_t *address);

/* A run of fetches from one line by consecutive instructions of one segment. An instruction that straddles two
 * lines ends the run of the first line and begins that of the second; both runs count a touch and the bytes
 * that are theirs. */
struct tn_fetch_info {
    uint64_t line;       /* address of the line */
    uint64_t mask;       /* granules fetched */
    uint32_t instr;      /* the first instruction of the run: it pays for a miss */
    uint32_t back_first; /* of the run's first instruction */
    uint32_t back_last;  /* of its last */
    uint32_t bytes;      /* of code fetched by it */
    uint16_t touches;    /* instructions in the run */
    bool second;         /* the first instruction began in the line before: stamps are one more */
    bool last_second;    /* the run is nothing but that second half */
};
uint32_t tn_fetch(tn_core *core, const struct tn_fetch_info *info);

/* What the hot path adds and stores for a fetch run, from its info (see core/cache_hot.h). */
uint64_t tn_fetch_use(const struct tn_fetch_info *info);
uint32_t tn_fetch_stamp_back(const struct tn_fetch_info *info);

/* ------------------------------------------------------------------------------------------ slow paths */

/* The hit test failed for the data access `id` at `address`. Afterwards the way table leads to a way that takes
 * the hot path's additions (for size <= line), which must follow. */
void tn_slow_data(tn_thread *thread, uint64_t address, uint32_t id);

/* The same access done whole, additions included: for accesses wider than a line, and for guarded ones. */
void tn_whole_data(tn_thread *thread, uint64_t address, uint32_t id);

/* The hit test failed for the fetch run `id`. The additions must follow. */
void tn_slow_fetch(tn_thread *thread, uint32_t id);

/* A fault at `address` has left `segment`, the thread's last, and been tested up to there: what stands behind the
 * instruction at `address` is not counted. That instruction is, as if it had run. Nothing happens if it is the last of
 * the segment or none of it. */
void tn_take_back(tn_thread *thread, uint32_t segment, uint64_t address);
/* The fetches and accesses of a segment up to and including the instruction at `address`; of all of it if it has
 * none there. */
uint32_t tn_accesses_to(const tn_core *core, uint32_t segment, uint64_t address);

/* Branches, with branch_sim: predict, count a misprediction for `instr`, learn; the misprediction alone. */
void tn_branch_cond(tn_thread *thread, uint32_t instr, bool taken);
void tn_branch_wrong(tn_thread *thread, uint32_t instr);
void tn_branch_indirect(tn_thread *thread, uint32_t instr, uint64_t target);

/* ------------------------------------------------------------------------------------------ control flow */

/* `site` called `function`. sp: stack pointer after the return address was pushed. return_address: where a
 * normal return goes. */
void tn_call(tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp, uint64_t return_address);

/* `site` returned to `target`. sp: stack pointer after the return address was popped. */
void tn_return(tn_thread *thread, uint32_t site, uint64_t sp, uint64_t target);

/* `site` jumped (or fell) into `function`, which is not the one that `site` belongs to: a tail call, a longjmp,
 * an exception's landing. sp: stack pointer at the target. */
void tn_jump(tn_thread *thread, uint32_t site, uint32_t function, uint64_t sp);

/* A signal handler begins / has returned. Between the two, costs belong to a tree of its own. sp: stack pointer
 * at the handler's first instruction. */
void tn_signal_enter(tn_thread *thread, uint32_t function, uint64_t sp);
void tn_signal_leave(tn_thread *thread);

/* A thread begins: `parent` may be NULL; `os_id` is what the system calls it. Its first instruction belongs to
 * `function`, with stack pointer `sp`: tn_thread_begin, once that is known. */
tn_thread *tn_thread_new(tn_core *core, tn_thread *parent, uint64_t os_id);
void tn_thread_begin(tn_thread *thread, uint32_t function, uint64_t sp);
/* What the system calls it, where that was not known before it ran. */
void tn_thread_named(tn_thread *thread, uint64_t os_id);
/* The same in mid-run (instrumentation goes on, a thread is attached to): there are callers that nobody has seen.
 * A return to one of them puts it above the first function; until then nothing of this tree is pruned. */
void tn_thread_resume(tn_thread *thread, uint32_t function, uint64_t sp);
/* The thread ended: its costs stay, its caches are empty, its hot memory may serve another thread. */
void tn_thread_end(tn_thread *thread);

/* In a forked child, where of all threads only this one is left: the others' caches are nobody's. */
void tn_thread_alone(tn_thread *thread);

/* The functions that `thread` is in, the one that runs first; behind those of a signal handler, those that it
 * interrupted. Nothing without inclusive costs, or while nothing is simulated. The thread must not run meanwhile. */
void tn_callers(const tn_thread *thread, void (*see)(void *user, const char *function), void *user);

/* Serial engines: `to` runs from now on, not the thread that ran until now. Carries the clock (and, with
 * shared_l1, the caches) over. The first thread of a core runs without it. Parallel engines need not say it. */
void tn_thread_switch(tn_core *core, tn_thread *to);

/* Parallel engines: what the thread has done until now comes before what is published later, by whatever thread. To be
 * called where it may wait for others. */
void tn_publish(tn_thread *thread);

/* Publish up to `most` batches of misses that wait; returns how many. 0: none waits, or somebody else is at it. In a
 * parallel engine, from any thread at any time. */
uint32_t tn_consume(tn_core *core, uint32_t most);
/* Whether any waits. */
bool tn_consume_waits(const tn_core *core);

/* At least once in 2^25 accesses of each thread that runs: keeps the packed counters from overflowing. Cheap
 * when there is nothing to do. */
void tn_tick(tn_thread *thread);

/* Instructions simulated so far: of `thread`, which runs, and of others as far as they have asked, too. Each is to ask
 * at least once in 2^25 accesses, if any does. */
uint64_t tn_instructions(tn_thread *thread);

/* ------------------------------------------------------------------------------------------ when */

/* With timeline: whether an interval ends with so many instructions (tn_instructions). To be asked now and then. */
bool tn_interval_due(tn_core *core, uint64_t instructions);
/* It ends here. In a parallel engine no other thread is in the program's code or in the core. */
void tn_interval(tn_core *core);
/* Notes beside the timeline what has happened, for readers: a part that is written, and collection that is switched,
 * are noted by the core itself; the engine notes the other requests. No other thread is in the core. The text is
 * copied. Nothing happens without tn_config.timeline. */
void tn_label(tn_core *core, const char *text);

/* ------------------------------------------------------------------------------------------ memory */

/* `thread` is about to execute the first instruction of `function`, of which tn_function_allocates says so: behind
 * tn_call or tn_jump, before its accesses. TN_ARGUMENTS arguments. */
void tn_allocates(tn_thread *thread, uint32_t function, const uint64_t *arguments);

/* The program calls [address, address + bytes) by a name: it is a block of the data object of this name, in place of
 * whatever was there. Until it is forgotten, or unmapped. */
void tn_region_named(tn_thread *thread, uint64_t address, uint64_t bytes, const char *name);
void tn_region_forgotten(tn_thread *thread, uint64_t address);

/* [start, start + bytes) was mapped, mapped anew or unmapped, by a system call of `thread`. */
void tn_memory_changed(tn_thread *thread, uint64_t start, uint64_t bytes);
/* Behind that: it is anonymous memory now. */
void tn_memory_mapped(tn_thread *thread, uint64_t start, uint64_t bytes);

/* ------------------------------------------------------------------------------------------ collection */

/* Collection on or off for all threads. A line pays if collection was on when it was loaded. */
void tn_collect(tn_core *core, bool on);
bool tn_collecting(const tn_core *core);

/* Misses of the last level so far, those of sets that are not simulated estimated; while threads run, roughly. */
uint64_t tn_memory_misses(const tn_core *core);
void tn_zero(tn_core *core);

/* Charge all misses that are queued. Before a fork: each page that the child writes would be copied for it. */
void tn_catch_up(tn_core *core);

/* Instrumentation goes off: empty the caches (tenures end), clear the stacks. On again: tn_thread_begin for
 * each thread. */
void tn_instrument_off(tn_core *core);

/* Write a part: everything since the last one. Costs are zero afterwards, caches and stacks go on. Returns 0 or
 * the host's write error. `why` names the cause ("exit", "request", ...). tn_finish also ends the tenures of
 * resident lines (flush_at_exit); after it only tn_core_free may be called. */
int tn_dump(tn_core *core, void *stream, const char *why);
int tn_finish(tn_core *core, void *stream, const char *why);

/* The next part begins a new file: it has a header and all definitions again (a forked child). */
void tn_restart_output(tn_core *core);

/* After a dump was asked for by a TN_FN_DUMP_* function of `thread`, or of one that has ended: true once, then
 * false. The engine calls tn_dump. `thread` may be NULL. */
bool tn_dump_wanted(tn_core *core, tn_thread *thread);

/* ------------------------------------------------------------------------------------------ statistics */

struct tn_statistics {
    uint64_t objects, functions, contexts, instrs, segments, counters, accesses, fetches, arcs;
    uint64_t nodes_now, nodes_max, nodes_made, nodes_pruned;
    uint64_t nodes_average; /* over the entries queued, rounded down */
    uint64_t calls, returns, unwinds, jumps;
    uint64_t slow_data, slow_fetch, moves, queued, records_now, records_max;
    uint64_t data_objects;
    uint64_t shares, cells; /* pairs with costs: of instruction and data object, of call path and data object */
    /* With tn_config.pairs: of a part, at most; misses and lines used again there was no room for, in all. */
    uint64_t pairs, pairs_left_out, reuses, reuses_left_out;
    uint64_t bytes; /* of memory the core has taken and touched, roughly: arenas, not reservations */
};
void tn_statistics(const tn_core *core, struct tn_statistics *out);

#endif
