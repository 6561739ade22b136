/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coherence.h: the coherence of the threads' D1 caches, by MESI (docs/model.md, section 11).
 *
 * Two words tell the state of the line in a way. Both lie in the thread's memory, where the engine's code reads them:
 *
 *   shared      exclusive[way] == TN_NO_LINE, written[way] == 0
 *   exclusive   exclusive[way] == way.line, written[way] == 0
 *   modified    exclusive[way] == way.line, written[way] != 0: the granules written since no other thread has the line
 *   invalid     way.line == TN_NO_LINE, tn_coherent_way.gone == the line; the way keeps its stamp and its tag
 *
 * A read compares its address with way.line, a write with exclusive[way]. So each needs one comparison, as it does
 * without coherence, and a write to a line that is not exclusive takes the slow path.
 *
 * An L2 knows no states: it has a line or it does not (tn_lower_take removes one). A line that is exclusive or modified
 * in a D1 is in no cache of another thread, at any level.
 *
 * Invalidated copies learn which granules the writer wrote when its line stops being modified. No other thread can have
 * asked for the line before. Everything else happens at misses and upgrades, which look at the same set in the D1 of
 * every other thread.
 *
 * Threads take turns here (config.parallel is false), so the rings of all threads but the running one are empty.
 */
#ifndef TENURE_CORE_COHERENCE_H
#define TENURE_CORE_COHERENCE_H

#include "core/attribute/cost.h"
#include "core/base/arena.h"
#include "core/base/table.h"
#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_entry;
struct tn_lower;

struct tn_coherent_way {
    uint64_t gone;    /* the line that is invalid here; TN_NO_LINE: none is */
    uint64_t foreign; /* granules that others wrote while it was invalid, up to the begin of the tenure here */
    uint64_t before;  /* granules written here in this tenure, until another thread last got the line */
    uint32_t writer;  /* the instruction whose write made it invalid */
    uint32_t pair;    /* the struct tn_sharing that learns how this tenure ends; 0: no coherence miss began it */
    bool wrote;       /* that coherence miss was a write's */
};

/* What coherence keeps for one D1. */
struct tn_coherent {
    struct tn_thread *thread;
    struct tn_coherent *next; /* of the core */
    struct tn_coherent_way way[];
};

/* Instruction `writer` made lines invalid that instruction `victim` then missed, in a data object; and how the tenures
 * ended that these misses began. */
struct tn_sharing {
    uint32_t writer, victim, object;  /* all 0: the sum of those for which there was no room */
    uint64_t misses, falsely, truly;  /* falsely, truly: tenures that ended so */
    uint64_t written, touched;        /* granules written by others, and touched in these tenures */
};
enum { TN_SHARINGS = 1 << 16 };

/* What coherence keeps for a core. */
struct tn_coherence {
    struct tn_coherent *caches;
    struct tn_array sharings; /* struct tn_sharing, from 1 */
    struct tn_table table;
};

/* A write or a miss: what it asks for, and which instruction pays for it. */
struct tn_coherent_access {
    struct tn_thread *thread;
    uint64_t line, stamp;
    uint64_t address; /* of the first byte wanted */
    uint32_t first;   /* way of the line's set */
    uint32_t instr;
    bool writes;      /* reads that write, too */
    struct tn_late *late;
};

struct tn_coherence *tn_coherence_new(void);
/* NULL is allowed. */
void tn_coherence_free(struct tn_coherence *coherence);
size_t tn_coherence_bytes(const struct tn_coherence *coherence);
/* Set all counts to zero. */
void tn_coherence_clear(struct tn_coherence *coherence);

/* Add the thread's D1 to those that are kept coherent, and take it out again. */
void tn_coherent_join(struct tn_thread *thread);
void tn_coherent_leave(struct tn_thread *thread);
/* Forget which lines are invalid in the cache, which has so many lines. */
void tn_coherent_clear(struct tn_coherent *cache, uint32_t lines);

/* The line is in this thread's D1 and shared: take it from all other threads, since it is about to be written. */
void tn_coherent_upgrade(const struct tn_coherent_access *access);

/* The line is not in this thread's D1 and will be loaded next. Returns the way in which it is invalid, or TN_NO_WAY.
 * *alone: no other thread has it then. */
uint32_t tn_coherent_miss(const struct tn_coherent_access *access, bool *alone);

/* The line is not in this thread's D1, and `granules` of it are written past it: take it from all other threads. */
void tn_coherent_pass(const struct tn_coherent_access *access, uint64_t granules);

/* The line in the way, if there is one, is about to leave it. Returns the granules written in its tenure that
 * written[way] does not tell. */
uint64_t tn_coherent_evict(struct tn_thread *thread, uint32_t way);

/* A line comes into a thread's L2: the parts of it that other threads' D1s had exclusively are shared now. */
void tn_coherent_filled(tn_core *core, const struct tn_lower *l2, uint64_t line);

/* To be called after an access of which all lines that missed had been invalid. `access` is the first of these lines,
 * `way` where it was loaded; `wrote`: the miss counts as one of a write. */
void tn_coherent_came_again(const struct tn_coherent_access *access, uint32_t way, bool wrote);

/* The consumer ends a tenure, because of `entry`. `touched`: its granules. `centre`, `node`: counters of its loader;
 * NULL: the tenure began in an older epoch, and its loader does not pay. */
void tn_coherent_end(tn_core *core, struct tn_coherent *cache, const struct tn_entry *entry, uint64_t touched,
                     uint64_t *centre, uint64_t *node);

#endif
