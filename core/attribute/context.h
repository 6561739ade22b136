/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h: functions kept apart by who called them and by their level of recursion (docs/attribution.md,
 * section 10).
 *
 * A context is named like a function: by an id of code.functions. A function is its own context as long as it has no
 * callers kept apart and is at level 1; any other context is an entry of its own, whose `base` is the function. So
 * totals, arcs, nodes and the raw profile know one kind of id. Instructions and counters in a context that is not
 * the function itself are derived in the same way: an instruction whose `function` is the context, a counter of such
 * instructions.
 *
 *   context(node) = (function, level, callers), a function of the path above the node alone
 *   callers       = the functions passed on the way up, each once where it follows itself
 *   level         = min(most levels, 1 + that of the nearest node above that runs the function)
 *
 * The way up ends at the root, and at a node that got its parent later (a parent that was missing).
 */
#ifndef TENURE_CORE_CONTEXT_H
#define TENURE_CORE_CONTEXT_H

#include "backdate.h"
#include "code.h"
#include "core/base/table.h"
#include "core/tenure_core.h"

/* `of` (an instruction or a counter) in `context` is `derived`. */
struct tn_derived {
    uint32_t of, context, derived;
};

struct tn_contexts {
    struct tn_code *code;
    uint32_t callers;            /* the most that any function may keep apart */
    uint32_t counter_limit;      /* of the hot layout */
    uint32_t made;               /* contexts that are entries of their own */
    struct tn_array list;        /* uint32_t, callers of contexts, never across a gap */
    struct tn_table table;       /* of derived entries of code.functions */
    struct tn_array counters;    /* struct tn_derived, from 1 */
    struct tn_table counter_table;
    struct tn_derived *recent_instrs, *recent_counters; /* caches, by a hash of what is asked */
};

/* Every function is its only context at first. The caller frees them. */
struct tn_contexts *tn_contexts_new(struct tn_code *code, const struct tn_config *config, uint32_t counter_limit);
/* NULL is allowed. */
void tn_contexts_free(struct tn_contexts *contexts);
size_t tn_contexts_bytes(const struct tn_contexts *contexts);

/* Whether the configuration keeps contexts of a function apart. */
static inline bool tn_contexts_wanted(const struct tn_config *config)
{
    return config->separate_callers > 0 || config->separate_recs > 1;
}

/* The context of `function` when `caller` calls it. */
uint32_t tn_context_below(struct tn_contexts *contexts, const struct tn_node *caller, uint32_t function);

/* Whether the functions above `node` are, as far as any context looks, those that would be above a new node for the
 * same function below `caller`. */
bool tn_context_same_callers(const struct tn_contexts *contexts, const struct tn_node *node,
                             const struct tn_node *caller);

/* The instruction and the counter in a context; themselves where the context is their function, or another's. */
uint32_t tn_context_instr(struct tn_contexts *contexts, uint32_t instr, uint32_t context);
uint32_t tn_context_counter(struct tn_contexts *contexts, uint32_t counter, uint32_t context);

/* Caller `i` of a context, nearest first. */
static inline uint32_t tn_context_caller(const struct tn_contexts *contexts, uint32_t context, uint32_t i)
{
    return *(uint32_t *)tn_array_at(&contexts->list, tn_code_get_function(contexts->code, context)->first_caller + i);
}

#endif
