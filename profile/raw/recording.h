/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h: a raw profile in memory.
 *
 * Definitions are arrays; what refers to one holds its index + 1, and 0 is none. Costs are lists of blobs (events.h),
 * one or more per part, to be added up when the thing is written.
 *
 * Invariant: every index + 1 is within its array; a node's parent has a smaller index than the node.
 */
#ifndef TENURE_PROFILE_RECORDING_H
#define TENURE_PROFILE_RECORDING_H

#include "profile/base/mem.h"
#include "profile/raw/events.h"

struct tp_object {
    const char *path; /* clean UTF-8, as all text here */
    const char *file; /* as it was recorded, to be opened */
    uint64_t start, size;
    int64_t bias;
    const uint8_t *build_id;
    size_t build_id_size;
    const char *debug_file, *note; /* from symbols.c; may be NULL */
    bool absent;                   /* from there, too: the file is not there, or is another one */
    bool used;                     /* has instructions with costs */
};

struct tp_function {
    uint32_t object; /* + 1 */
    uint64_t start, size, flags;
    const char *symbol; /* NULL: unknown */
    const char *name;   /* demangled; "???" if unknown */
    uint32_t file;      /* + 1; from symbols.c */
    uint32_t line;
    bool is_declared; /* there; else its code begins there, and no more is known */
};

struct tp_context {
    uint32_t function;       /* + 1 */
    uint32_t level, callers; /* of recursion, from 1; how many callers are kept apart */
    const uint32_t *caller;  /* functions + 1, nearest first */
    uint8_t can, can_below; /* TP_CAN_*: what its executed instructions do; and those of all that it calls */
    uint64_t calls;
    struct tp_blob *costs; /* self and inclusive; NULL: none recorded */
    struct tp_blob *held;  /* by data object: what pruned nodes paid */
};

struct tp_instr {
    uint64_t address;
    struct tp_blob *costs;      /* NULL: never executed */
    uint32_t context;           /* + 1 */
    uint32_t file, line, frame; /* file and frame + 1; from symbols.c */
    uint32_t statement, loop;   /* + 1; from statements.c and loops.c */
    uint8_t length, can;
    uint8_t type; /* enum tp_type; from loops.c */
    uint8_t past; /* bytes that it stores past the caches; from loops.c */
    float cycles; /* of an execution that finds its data in level 1; from loops.c, where code is known; else 0 */
    bool calls;   /* the site of an arc */
};
/* What an instruction has in memory. */
enum tp_type { TP_TYPE_UNKNOWN, TP_TYPE_INTEGER, TP_TYPE_FLOATING };

struct tp_frame {                              /* an inlined function's place in an out-of-line one */
    uint32_t parent;                           /* + 1, within this array; 0: the out-of-line function */
    uint32_t context;                          /* + 1 */
    uint32_t file, line, call_file, call_line; /* files + 1 */
    const char *name;
};

/* Lines of a source file that are one statement. */
struct tp_statement {
    uint32_t object, file;      /* + 1 */
    uint32_t line, first_line;  /* it is shown at its last one */
    const char *function;       /* that it is written in */
};

/* A loop of the executed code of a function context. */
struct tp_loop {
    uint32_t parent;          /* + 1, a smaller index; 0: outermost */
    uint32_t context, frame;  /* + 1; frame: the innermost inlined function that all of it is in, or 0 */
    bool framed;              /* the frame is known */
    uint32_t file, line, last_line; /* file + 1; of that function */
    uint32_t depth;           /* 1: outermost */
    uint64_t address;         /* of its head */
    uint64_t iterations;      /* how often its head was executed */
    uint64_t entries;         /* how often it was entered; UINT64_MAX: not known */
};

/* A branch compares what a load has loaded (profile/code/chains.h). */
struct tp_compared_load {
    uint32_t branch, load; /* instructions + 1 */
    double wrong;
};

/* The address of an access is made of what another one has loaded (profile/code/chains.h). */
struct tp_address_load {
    uint32_t instr, load; /* instructions + 1 */
    bool beside;
    uint8_t circular;
};

struct tp_thread {
    uint64_t id, os_id, parent;
    uint64_t *self; /* a row */
};

struct tp_arc {
    uint32_t site, caller, callee; /* + 1 */
    uint64_t calls;
    struct tp_blob *costs;
};

struct tp_node {
    uint32_t parent, arc, context, thread; /* + 1 */
    uint32_t flags;
    uint64_t calls;
    struct tp_blob *costs;
    struct tp_blob *held; /* of them, those by data object */
};

/* An allocation path: its end is `function`, called from `site` in the caller's. */
struct tp_origin {
    uint32_t caller, site, function; /* + 1; the caller has a smaller index */
};

struct tp_data {
    uint8_t kind;            /* enum tn_data_kind */
    uint32_t origin, thread; /* + 1 */
    uint64_t address, size;
    const char *symbol, *path; /* NULL: none */
    uint64_t began, ended, bytes, largest; /* blocks */
    uint64_t pages;          /* touched for the first time in it */
    uint32_t element, lead;                /* bytes; 0: not known */
    uint64_t type;                         /* as the engine was told; 0: not known */
    uint32_t typed_by;                     /* instruction + 1 */
    const struct tp_layout *layout;        /* of an element; NULL: not known */
    struct tp_blob *at;                    /* counts by place */
    bool is_mixed;                         /* made of objects with elements of different types (store_fold.c) */
    struct tp_data_name *name;             /* profile/store/store.h; NULL until it is found */
};

/* Coherence misses: whose write, who missed, in what. */
struct tp_sharing {
    uint32_t writer, victim, data; /* + 1: instrs, data */
    uint64_t misses, falsely, truly, written, touched;
};

/* Strides between the misses of an instruction, in a thread and a part: `count` of them, each counted up to `lost`
 * times less often than it was. */
struct tp_strides {
    uint32_t instr, data; /* + 1 */
    uint64_t count, covered, far, lost; /* covered, far: core/explain/pattern.h */
};
struct tp_stride {
    uint32_t instr, data; /* + 1 */
    int64_t bytes;
    uint64_t count;
};

/* Misses by conflict in sets with these low six bits. `cache`: I1, D1, LL, L2 of fetches and of data. */
enum { TP_CONFLICT_CACHES = 5 };
struct tp_conflicts {
    uint32_t instr, data; /* + 1 */
    uint8_t cache, set;
    uint64_t count;
};

/* Lines that had to be loaded again, in a part: who had loaded them, whose load (in which data object) threw them out,
 * who missed them, in what. 0: not known; of `instr`: there was no room for more. */
struct tp_again {
    uint32_t loader, evictor, evictor_data, instr, data; /* + 1: instrs, data */
    uint8_t cache;                                       /* as tp_conflicts has it */
    uint64_t misses, timed, distance;  /* timed: those of which it is known when the line was used last; accesses */
    uint32_t first_after, afters;      /* of these, in `afters`: by the power of two of how long ago that was */
};

struct tp_after {
    uint64_t misses;
    uint32_t power;
};

struct tp_part {
    uint64_t number;
    const char *why;
    uint64_t *self; /* a row */
};

/* A piece of the run: what it cost, and `count` functions that cost most, from `first` on. */
struct tp_interval {
    uint64_t begin, instructions; /* before it, in it */
    uint64_t time, took;          /* nanoseconds: before it, of it */
    struct tp_blob *costs;
    uint32_t first, count; /* payments */
};
struct tp_payment {
    uint32_t context; /* + 1 */
    struct tp_blob *costs;
};
struct tp_label {
    uint64_t at, time; /* instructions and nanoseconds before it */
    const char *text;
};

struct tp_pair {
    const char *key, *value;
};
struct tp_stat {
    const char *name;
    uint64_t value;
};

/* A sum of events that views have: one that an imported file defines, or, as soon as it is stored, a declared one. */
struct tp_sum_event {
    const char *name, *long_name;
    const char *text;  /* "A + 2 * B" */
    uint64_t *weight;  /* by column */
    bool real;
};

struct tp_recording {
    struct tp_arena arena;
    struct tp_events events;
    struct tp_estimate *estimate; /* from profile/code/estimate.c; NULL: there is none */
    bool no_addresses; /* imported, by line only: instrs are lines, and have no rows */
    TP_VECTOR(struct tp_object) objects;
    TP_VECTOR(struct tp_function) functions;
    TP_VECTOR(struct tp_context) contexts;
    TP_VECTOR(struct tp_instr) instrs;
    TP_VECTOR(struct tp_frame) frames;
    TP_VECTOR(struct tp_statement) statements;
    TP_VECTOR(struct tp_loop) loops;
    TP_VECTOR(struct tp_address_load) address_loads; /* by context and instruction */
    TP_VECTOR(struct tp_compared_load) compared_loads;
    TP_VECTOR(struct tp_thread) threads;
    TP_VECTOR(struct tp_arc) arcs;
    TP_VECTOR(struct tp_node) nodes;
    TP_VECTOR(struct tp_origin) origins;
    TP_VECTOR(struct tp_data) data;
    uint32_t small; /* data object + 1 in which small costs are added up (profile/store/store_fold.c); or 0 */
    TP_VECTOR(struct tp_sharing) sharings;
    TP_VECTOR(struct tp_strides) stride_sums;
    TP_VECTOR(struct tp_stride) strides;
    TP_VECTOR(struct tp_again) again, reuses; /* reuses: lines used first behind their load, all of them timed */
    TP_VECTOR(struct tp_after) afters;
    TP_VECTOR(struct tp_conflicts) conflicts;
    TP_VECTOR(struct tp_part) parts;
    TP_VECTOR(struct tp_interval) intervals;
    TP_VECTOR(struct tp_payment) payments;
    TP_VECTOR(struct tp_label) labels;
    TP_VECTOR(struct tp_pair) meta;
    TP_VECTOR(struct tp_stat) stats;
    TP_VECTOR(const char *) files; /* from symbols.c */
    struct tp_idmap begins; /* lines at which a statement begins, as debug information says; tp_line_key */
    struct tp_idmap loop_lines; /* lines at which a loop begins, as source texts say */
    TP_VECTOR(struct tp_sum_event) formulas;
};

static inline uint64_t tp_line_key(uint32_t file, uint32_t line)
{
    return ((uint64_t)file << 32 | line) + 1;
}

/* Read the whole parts of `raw`. `extent` is tp_raw_scan's answer. Free in any case. */
int tp_recording_read(struct tp_recording *rec, struct tp_raw_file *raw, const struct tp_raw_extent *extent,
                      const struct tp_import_options *options, struct tp_error *err);
void tp_recording_free(struct tp_recording *rec);

/* Makes it the further machine's with this number, of which it has the costs: what it says of caches. 0: it is the
 * recorded one's. `result` gets how many further machines there are, and the name of this one. */
int tp_recording_machine(struct tp_recording *rec, uint32_t number, struct tp_import_result *result,
                         struct tp_error *err);

/* The value of meta `key`, or NULL. */
const char *tp_recording_fact(const struct tp_recording *rec, const char *key);
/* Set it; a later value replaces an earlier one. */
int tp_recording_meta(struct tp_recording *rec, const char *key, const char *value);

/* A copy of `size` bytes as clean UTF-8: bytes that are not, and NUL, as \xNN. */
const char *tp_clean_text(struct tp_arena *arena, const void *bytes, size_t size);

#endif
