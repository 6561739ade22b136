/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backdate.h: the tree of use nodes, which carries every inclusive cost. It is that of Weidendorfer and Breitbart,
 * "Inclusive Cost Attribution for Cache Use Profiling" (ICCS 2016), section 3.
 *
 * A node stands for the set of arcs on its path and the function that runs. It collects *self* costs: of the
 * instructions executed while it was the running node, and, late, of the cache lines loaded meanwhile. Inclusive
 * costs are sums over subtrees, given on when a node is pruned or the tree is folded for a dump:
 *
 *   inclusive(node)  = self(node) + below(node) + sum of inclusive(child)
 *   cost(arc)        = sum of inclusive(node) over nodes that bring the arc to their path   (charges_arc)
 *   cost(context)    = sum of inclusive(node) over nodes that bring the context             (charges_function)
 *
 * so each event is counted once per arc and once per context, however deep the recursion. A call over an arc
 * that is on the path already adds nothing to the set: it leads to the ancestor of the same set that runs the
 * callee, through an *alias* (a node that only counts calls), or to a new child that charges no arc.
 *
 * Each node has two owners (access/queue.h). The thread's half: place in the tree, pins, sent, immediate costs. The
 * consumer's half: seen, live, late costs. A node may go when
 *
 *   pins == 0 and children == 0 and sent == seen and live == 0
 *
 *   pins   what will come back to it and is not a descendant (stack.h)
 *   sent   lines of level 1 that it loaded, pages that it missed; seen: those whose tenures have ended, or that were
 *          charged (both modulo 2^16, and fewer are resident or in the thread's ring)
 *   live   records of the levels below that will charge it
 */
#ifndef TENURE_CORE_BACKDATE_H
#define TENURE_CORE_BACKDATE_H

#include "cell.h"
#include "core/base/arena.h"
#include "core/base/lock.h"
#include "core/base/table.h"
#include "cost.h"
#include "path.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_node {
    /* 64 bytes that a call looks at, and that are added to when another node runs next */
    uint32_t site, function; /* the edge from the parent: calling instruction, function that runs */
    struct tn_node *parent;
    union {
        struct tn_node *recent; /* the child last called, of those that are plain */
        struct tn_node *target; /* of an alias, which has no children: the ancestor that runs instead */
    };
    struct tn_node *then; /* the sibling called next, last time; may have gone since, and be another of its parent's */
    struct tn_ran ran;
    uint32_t calls; /* modulo 2^32 */
    uint32_t alias : 1;
    uint32_t plain : 1; /* its function asks for nothing special, and may be entered without a look at its flags */
    uint32_t open : 1;  /* its root may get a parent yet: not pruned */
    uint32_t charges_arc : 1, charges_function : 1, handler : 1, defined : 1, pruned_below : 1;
    uint32_t last_calls : 8; /* low bits of calls when pruning last looked: it is not in use if they are the same */
    uint16_t sent;
    /* 64 for the consumer (late, live, seen), and for making and pruning */
    union {
        struct tn_late late[TN_STREAMS];
        struct { /* with data objects (cell.h) */
            struct tn_late fetched;
            uint32_t cells, given; /* lists: its own, and those that pruned descendants gave */
        };
    };
    uint32_t live;
    uint16_t seen;
    uint16_t unmapped; /* nodes of the path, up to the nearest one with a map, or more; 0: this node has one (path.h) */
    uint32_t pins, children;
    uint64_t id : 38, thread : 26; /* id: among all ever made, 0 once pruned; thread: any of a tn_array */
    uint32_t arc;
    uint32_t context; /* of the function; the function itself unless contexts are kept apart (context.h) */
    union {
        uint64_t filter; /* one bit per context on the path; a clear bit says that it is not there */
        uint32_t map;    /* of a node that has one */
    };
    struct tn_node_more *more; /* NULL: all zero */
};

/* The rest of a node, which few nodes need. */
struct tn_node_more {
    uint64_t calls; /* in units of 2^32 */
    struct tn_branched branched;
    struct tn_costs below; /* given by pruned children */
    uint32_t allocates;    /* the data object of blocks allocated here; 0: not known */
    uint32_t raised;       /* the sums', when that was found out */
};

/* An arc (JCC): a calling instruction in a caller's context, a callee's context. */
struct tn_arc {
    uint32_t site, caller, callee;
    bool defined;
    uint64_t calls;
    struct tn_costs inclusive;
};

/* Totals of a function (context), filled by folding. */
struct tn_function_total {
    uint64_t calls;
    struct tn_costs self, inclusive;
};

struct tn_contexts;

/* What all trees of a core add up to: ids of arcs, behind the lock for definitions, and costs, behind that for
 * late ones. */
struct tn_sums {
    struct tn_lock *definitions;
    struct tn_array arcs; /* struct tn_arc, id from 1 */
    struct tn_table arc_table;
    struct tn_array site_arcs; /* uint32_t by site: the arc last made or found from there */
    struct tn_array totals;    /* struct tn_function_total by context; sparse */
    uint32_t cells;            /* a list: of contexts, what pruned nodes had in data objects */
    uint64_t next_node;        /* id */
    uint32_t raised;           /* how often a root has got a parent */
};

/* Trees: all of a core, or those of one thread at a time. Who takes over from a thread that has ended adds his. */
struct tn_forest {
    struct tn_cost_pools *pools;
    struct tn_cells *cells; /* NULL: data objects are not charged */
    struct tn_contexts *contexts; /* NULL: a function is its only context */
    struct tn_pool nodes, more;
    struct tn_sums *sums;
    struct tn_paths paths;
    struct tn_array shared; /* struct tn_node *: roots of threads that are added up */
    struct tn_array walked; /* struct tn_node *: of a path that gets a map */
    uint32_t most_unmapped; /* nodes of a path before it gets a map */
    uint64_t *edges;     /* the table of edges (backdate.c) */
    uint32_t edge_slots; /* a power of two */
    struct tn_pool_walk hand;  /* where pruning looks next */
    uint64_t limit, slack, prune_at; /* become others while the owner runs, when there is one more thread */
    uint32_t doublings, most_doublings; /* of the limit */
    uint64_t doubled_at;                /* how many were pruned then */
    struct tn_thread *owner;   /* the one thread whose trees grow here; NULL: all do */
    struct tn_forest *next;    /* all of a core */
    uint64_t check_after;      /* steps, in debug builds (tn_check) */
    /* statistics */
    uint64_t now, max, made, pruned;
};

void tn_sums_init(struct tn_sums *sums, struct tn_lock *definitions);
void tn_sums_free(struct tn_sums *sums);
/* Forget that arcs were written to the raw profile. */
void tn_sums_undefine(struct tn_sums *sums);
/* Set all costs, of arcs and functions, to zero. */
void tn_sums_clear(struct tn_sums *sums, struct tn_cost_pools *pools);
size_t tn_sums_bytes(const struct tn_sums *sums);
/* How often a root has got a parent: paths are others since. */
static inline uint32_t tn_sums_raised(const struct tn_sums *sums)
{
    return __atomic_load_n(&sums->raised, __ATOMIC_RELAXED);
}

void tn_forest_init(struct tn_forest *forest, struct tn_sums *sums, struct tn_cost_pools *pools,
                    struct tn_cells *cells, const struct tn_config *config);
/* Set how many nodes it may keep at first. */
void tn_forest_limit(struct tn_forest *forest, uint64_t limit, uint32_t slack);
void tn_forest_free(struct tn_forest *forest);

/* A new root that runs `function`, unpinned. */
struct tn_node *tn_forest_root(struct tn_forest *forest, uint32_t function, uint32_t thread, bool handler);

/* The same, but the one that there is already for other threads of the row `thread`. */
struct tn_node *tn_forest_shared_root(struct tn_forest *forest, uint32_t function, uint32_t thread, bool handler);

/* The edge from `caller` over (site, function); NULL if there is none. */
struct tn_node *tn_node_find(const struct tn_forest *forest, const struct tn_node *caller, uint32_t site,
                             uint32_t function);
/* Make the edge from `caller` over (site, function). */
struct tn_node *tn_node_make(struct tn_forest *forest, struct tn_node *caller, uint32_t site, uint32_t function);

/* Put a root that runs `function` above `root`: a return went past the known bottom of a stack. Returns it. */
struct tn_node *tn_forest_parent(struct tn_forest *forest, struct tn_node *root, uint32_t function);

/* Prune what the policy asks for, but nothing that is pinned. */
void tn_forest_prune(struct tn_forest *forest);

/* Give all costs to arcs and functions; nodes stay, with costs of zero, but for their cells. `each` is called for every
 * node before its costs go, parents before children. */
void tn_forest_fold(struct tn_forest *forest, void (*each)(void *user, struct tn_node *node), void *user);

/* The rest of a node, made if there is none. */
struct tn_node_more *tn_node_more(struct tn_forest *forest, struct tn_node *node);

static inline void tn_node_called(struct tn_forest *forest, struct tn_node *node)
{
    if (++node->calls == 0)
        tn_node_more(forest, node)->calls++;
}

static inline uint64_t tn_node_calls(const struct tn_node *node)
{
    return node->calls + (node->more ? node->more->calls << 32 : 0);
}

/* The node that a call over `edge` leads to: the edge itself, or an ancestor of it. */
static inline struct tn_node *tn_node_target(struct tn_node *edge)
{
    return edge->alias ? edge->target : edge;
}

size_t tn_forest_bytes(const struct tn_forest *forest);

/* Forget that nodes were written to the raw profile. */
void tn_forest_undefine(struct tn_forest *forest);

/* Set all nodes' costs to zero, except for their cells. */
void tn_forest_clear(struct tn_forest *forest);

/* The self costs of a node; the late blocks are the node's, or, with data objects, good until the next one is asked
 * for. */
struct tn_costs tn_node_self(const struct tn_forest *forest, const struct tn_node *node);

/* The late costs of a node in a data object. */
static inline struct tn_cell *tn_node_cell(struct tn_cells *cells, struct tn_node *node, uint32_t object)
{
    return tn_cell_of(cells, (uintptr_t)node, object, &node->cells);
}

/* Panics if an invariant above does not hold (debug builds, tests). */
void tn_forest_check(const struct tn_forest *forest);

#endif
