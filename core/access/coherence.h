/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coherence.h: D1s of threads that are kept coherent (docs/model.md, section 11).
 *
 * The state of a line is told by two words of its way, both in the thread's memory where the engine's code is:
 *
 *   shared      exclusive[way] == TN_NO_LINE, written[way] == 0
 *   exclusive   exclusive[way] == way.line, written[way] == 0
 *   modified    exclusive[way] == way.line, written[way] != 0: granules written since nobody else has the line
 *   invalid     way.line == TN_NO_LINE, tn_coherent_way.gone == the line; the way keeps its stamp and its tag
 *
 * A read compares its address with way.line, a write with exclusive[way]: so both have one comparison, and a write to
 * a line that is not exclusive takes the slow path. Nothing else is added to a hit.
 *
 * An L2 has no states: it has a line, or has it no more (tn_lower_take). No other thread has, at any level, what is
 * exclusive or modified in a D1.
 *
 * What a line's own thread has written is told to those who had to give it up when the line stops being modified: there
 * is nobody before who could ask. All else happens at misses and upgrades, which look into the D1s of all other
 * threads: their sets are the same.
 *
 * Threads take turns (config.parallel is false), so that the other rings are empty.
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
    uint64_t foreign; /* granules that others have written while it was; of a tenure: until that began */
    uint64_t before;  /* granules written here in this tenure, until others got the line last */
    uint32_t writer;  /* the instruction whose write made it invalid */
    uint32_t pair;    /* of a tenure that a coherence miss began: who is to be told how it ends. 0: another */
    bool wrote;       /* that miss was a write's */
};

/* What belongs to a D1. */
struct tn_coherent {
    struct tn_thread *thread;
    struct tn_coherent *next; /* of the core */
    struct tn_coherent_way way[];
};

/* Whose writes made whose lines invalid, in which data object, and how the tenures ended that began when these were
 * missed. */
struct tn_sharing {
    uint32_t writer, victim, object;  /* instructions; all 0: whatever there was no room for */
    uint64_t misses, falsely, truly;  /* the latter: tenures that ended */
    uint64_t written, touched;        /* granules: by others; in those tenures */
};
enum { TN_SHARINGS = 1 << 16 };

/* Of a core. */
struct tn_coherence {
    struct tn_coherent *caches;
    struct tn_array sharings; /* struct tn_sharing, from 1 */
    struct tn_table table;
};

/* A write or a miss: who, and whose costs they are. */
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
/* All counts are zero. */
void tn_coherence_clear(struct tn_coherence *coherence);

/* The thread's D1 is one of those. */
void tn_coherent_join(struct tn_thread *thread);
void tn_coherent_leave(struct tn_thread *thread);
/* Nothing is invalid in it any more. */
void tn_coherent_clear(struct tn_coherent *cache, uint32_t lines);

/* The line is here and shared: from now on it is nobody else's. */
void tn_coherent_upgrade(const struct tn_coherent_access *access);

/* The line is not here: before it is loaded. Returns the way in which it is invalid, or TN_NO_WAY. *alone: nobody else
 * has it then. */
#define TN_NO_WAY (~0u)
uint32_t tn_coherent_miss(const struct tn_coherent_access *access, bool *alone);

/* What is in the way, if anything, is about to leave it. Returns what was written there besides written[way]. */
uint64_t tn_coherent_evict(struct tn_thread *thread, uint32_t way);

/* A line comes into a thread's L2: nobody has what it holds exclusively any more. */
void tn_coherent_filled(tn_core *core, const struct tn_lower *l2, uint64_t line);

/* Behind an access of which all lines that missed had been invalid. `access` is the first of them, `way` where it was
 * loaded; `wrote`: it was a write, as far as misses are concerned. */
void tn_coherent_came_again(const struct tn_coherent_access *access, uint32_t way, bool wrote);

/* A tenure ends, by `entry`: the consumer's. `touched`: its granules. `centre`, `node`: counters of who loaded it;
 * NULL: of an older epoch. */
void tn_coherent_end(tn_core *core, struct tn_coherent *cache, const struct tn_entry *entry, uint64_t touched,
                     uint64_t *centre, uint64_t *node);

#endif
