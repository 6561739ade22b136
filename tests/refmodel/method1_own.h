/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method1_own.h: what method1.c keeps, for its own files: method1.c, which follows the program, and method1_part.c,
 * which writes a part down.
 *
 * Lists have their first element at 1; 0 is none.
 */
#ifndef TENURE_REFMODEL_METHOD1_OWN_H
#define TENURE_REFMODEL_METHOD1_OWN_H

#include "again.h"
#include "habit.h"
#include "method1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 16, MAX_FRAMES = 256, MAX_STACKS = 4, MAX_NAME = 256, MAX_ENTRIES = 64 };

struct function {
    uint32_t flags, callers, recs;
};
struct name { /* of a context, or of the callers of one */
    char text[MAX_NAME];
    bool is_context, is_plain; /* is_plain: the function alone */
    uint64_t calls;
};
struct arc {
    uint32_t site, caller, callee; /* contexts */
    uint64_t calls;
};
struct link {
    uint32_t above, arc, function; /* above: 0 and arc: 0 for a root */
    uint32_t context, level;       /* level: of recursion */
    uint32_t path, next_sibling, first_below;
    uint32_t held; /* the first of its costs in data objects */
    uint64_t cost[M_EVENTS];
};
struct held { /* what a chain costs in a data object */
    uint32_t link, object, next;
    uint64_t cost[M_EVENTS];
};
struct path {
    uint32_t above, arc, context, callers, thread; /* callers: a name */
    bool handler;
    uint64_t calls;
};
struct alias {
    uint32_t path, arc;
    uint64_t calls;
};
struct frame {
    uint32_t link;
    uint32_t skip_site; /* not 0: a skipped function runs, entered from here */
};
struct stack {
    struct frame frame[MAX_FRAMES];
    uint32_t frames; /* 0: never seen */
};
struct entry { /* the entry of a function with flags, by an activation that is frame `frame` of a stack */
    uint32_t function, stack, frame;
};
struct level {
    struct stack stack[MAX_STACKS];
    uint32_t running;
    struct entry entry[MAX_ENTRIES]; /* one for each function at most */
    uint32_t entries;
};
struct thread {
    struct level *level[MAX_LEVELS];
    uint32_t levels;
    bool collecting;
};
struct self {
    uint32_t thread, instr, context, object, next; /* next: the same instruction in another context or object */
    uint64_t cost[M_EVENTS];
    struct habit *habit; /* NULL: none */
};

/* Growing arrays, all with element 0 unused. LIST_NEW: the index of a new, zeroed last element. */
#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        type *at;                                                                                            \
        uint32_t count, room;                                                                                \
    }
#define LIST_NEW(list)                                                                                       \
    ((list).at = list_new((list).at, &(list).count, &(list).room, sizeof *(list).at), (list).count)

static inline void *list_new(void *at, uint32_t *count, uint32_t *room, size_t size)
{
    if (*count + 1 >= *room) {
        *room = *room ? *room * 2 : 64;
        at = realloc(at, *room * size);
    }
    ++*count;
    memset((char *)at + *count * size, 0, size);
    return at;
}

struct method1 {
    struct habit_seen seen[MODEL_MAX_THREADS]; /* by owner of a level-1 cache */
    LIST(struct arc) arc;
    LIST(struct link) link;
    LIST(struct held) held;
    LIST(struct path) path;
    LIST(struct alias) alias;
    LIST(struct function) function;
    LIST(struct name) name;
    uint32_t most_callers;
    LIST(struct self) self;
    struct sheet shared; /* its rows, of lines that were invalidated */
    struct again again, reuse;
    LIST(uint32_t) self_slot[MODEL_MAX_THREADS]; /* by instruction: the first of self */
    struct thread thread[MODEL_MAX_THREADS];
    struct memory_model *memory;
    bool dump_wanted;
    uint32_t epoch;
};

static inline struct level *running_level(const struct method1 *m, uint32_t thread)
{
    assert(m->thread[thread].levels);
    return m->thread[thread].level[m->thread[thread].levels - 1];
}

static inline struct stack *running_stack(const struct method1 *m, uint32_t thread)
{
    struct level *level = running_level(m, thread);

    return &level->stack[level->running];
}

static inline struct frame *running_frame(const struct method1 *m, uint32_t thread)
{
    struct stack *stack = running_stack(m, thread);

    assert(stack->frames);
    return &stack->frame[stack->frames - 1];
}

/* All that the part has so far. */
void m1_forget(struct method1 *m);

#endif
