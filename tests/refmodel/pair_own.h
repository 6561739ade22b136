/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair_own.h: the pair itself, for its own files: pair.c, pair_data.c for what concerns data objects, and pair_remap.c
 * for those that are simulated elsewhere.
 */
#ifndef TENURE_REFMODEL_PAIR_OWN_H
#define TENURE_REFMODEL_PAIR_OWN_H

#include "pair.h"

#include "core/tenure_core.h"
#include "host_hosted.h"
#include "raw_simple.h"

enum { MAX_FUNCTIONS = 64, MAX_RUNS = 2 * PAIR_MAX_INSTRS, MAX_ALLOCATING = 1024, LONGEST = 1 << 16 };

struct fetch_run {
    struct tn_fetch_info info;
    uint32_t id, starts; /* with instruction `starts` of the block */
};
struct segment {
    uint32_t counter, first, end; /* instructions of the block */
    uint32_t reads, writes, conds, indirects, accesses;
    uint32_t first_run, end_run;
};
struct pair_translation {
    struct pair_translation *next;
    uint32_t function;
    struct segment segment[2];
    uint32_t segments;
    struct fetch_run run[MAX_RUNS];
    uint32_t runs;
    struct tn_access_info access[PAIR_MAX_ACCESSES];
};

/* Where threads are parallel, accesses come to the model in the order in which the core says that they come. */
struct waiting {
    enum model_kind kind;
    uint64_t address;
    uint32_t size;
    struct model_payer payer;
};
struct line_up {
    struct waiting *list;
    size_t room, done, added; /* accesses of the thread: told to the model, known */
    size_t due;               /* that the core has said are next */
    uint64_t clock_at_start;
};

/* An allocation function that was entered and has not ended: in which frame of which stack of which level. */
struct allocating {
    uint32_t level, stack, frame, function;
    char *object;
    bool told;
    uint64_t bytes, each, old, at, begun;
};

struct pair {
    struct pair_config config;
    struct memory_model *memory; /* NULL without data */
    struct allocating allocating[MODEL_MAX_THREADS][MAX_ALLOCATING];
    uint32_t allocatings[MODEL_MAX_THREADS];
    uint64_t result;
    struct objects_list {
        struct objects_list *next;
        struct model_place *places;
        uint32_t object[];
    } *objects; /* of accesses */
    uint64_t *returns; /* where calls return to, by instruction */
    uint32_t returns_room;
    tn_core *core;
    const struct tn_layout *layout;
    tn_thread *thread[MODEL_MAX_THREADS];
    struct model_predictor predictor[MODEL_MAX_THREADS];
    struct model *model;
    struct method1 *m1;
    struct pair_function function[MAX_FUNCTIONS];
    uint32_t id[MAX_FUNCTIONS], functions, object;
    struct pair_translation *translations;
    struct host_stream stream;
    struct raw_simple *raw;
    struct sheet expected, got;
    bool good;
    size_t bytes_before;
    uint64_t executed, accesses, clock_at_start;
    struct line_up line_up[MODEL_MAX_THREADS];
    uint32_t lag; /* the next draw */
    uint32_t walking; /* number of the function whose instruction accesses memory */
    uint64_t roots; /* of trees: one for each beginning of a thread, one for each handler of a thread */
    bool handled[MODEL_MAX_THREADS][MAX_FUNCTIONS], resumed;
    FILE *out;
    struct pair_remaps *remaps; /* NULL: none */
};

/* pair_data.c: hooks of the core's, and what the running frame of the running level of a thread does. */
void pair_memory_at(void *user, uint64_t address, struct tn_memory_info *out);
uint64_t pair_returned(void *user, tn_thread *thread, uint64_t at);
void pair_tell(uint64_t address, char *name); /* what pair_memory_at says, as a name */
void pair_entered(struct pair *pair, uint32_t thread, uint32_t number);
void pair_returning(struct pair *pair, uint32_t thread);
/* What is in frame `frame` of the running stack or further, in levels deeper than `level`, anywhere, has ended. */
void pair_drop_frames(struct pair *pair, uint32_t thread, uint32_t frame);
void pair_drop_levels(struct pair *pair, uint32_t thread, uint32_t level);
void pair_drop_all(struct pair *pair, uint32_t thread);
enum tn_element_answer pair_element_at(void *user, uint64_t address, struct tn_element *out);
/* An instruction has an id. */
void pair_returns(struct pair *pair, uint32_t instr, uint64_t address);
/* What holds each line of an access, for who pays. */
void pair_objects_at(struct pair *pair, uint64_t address, uint32_t size, struct model_payer *payer);
/* The same, of the line of so many bytes in which this one is; and room for so many lines, as the payer has them. */
void pair_holds(struct pair *pair, uint64_t address, uint32_t line, uint32_t *object, struct model_place *place);
struct objects_list *pair_objects_room(struct pair *pair, uint32_t most, struct model_payer *payer);

/* pair_remap.c. Remaps are drawn, if there are any; those of the core are these. */
void pair_remaps_new(struct pair *pair);
void pair_remaps_free(struct pair *pair);
void pair_remaps_config(struct pair *pair, struct tn_config *config);
/* A block of this object of the heap has begun in the model of memory. */
void pair_remap_block(struct pair *pair, const char *object, uint64_t address, uint64_t bytes);
void pair_remap_access(struct pair *pair, uint32_t thread, enum model_kind kind, uint64_t address, uint32_t size,
                       struct model_payer *payer);
/* Pages of objects that have a remap are rows "pages <object>"; of others nobody knows how many there should be. */
void pair_remap_pages(struct pair *pair, struct sheet *expected, struct sheet *got);

#endif
