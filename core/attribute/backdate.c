/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backdate.c: making, finding, folding and pruning use nodes; see backdate.h for what they mean.
 *
 * Most calls go where the ones before them went (stack.c); the rest find their edge in one hash table keyed by
 * (parent, site, function). Whether an arc is on a path is asked only when an edge is new, and the answer is kept in
 * the edge. A question walks up to the nearest node that has a map (path.h), which answers for the rest of the path.
 */
#include "backdate.h"

#include "context.h"
#include "core/access/cache.h"
#include "core/access/queue.h"
#include "core/base/machine.h"
#include "core/host.h"

#include <string.h>

enum {
    FIRST_EDGES = 1024,
    BATCHES = 64,     /* of a full tree, to be pruned one at a time */
    OFTEN = 8,        /* times the limit of a tree: if it has pruned so many nodes, its limit is doubled */
    MOST_VISITS = 16, /* for each node pruned, for that to be worth it */
    MOST_GARBAGE = 64, /* elements of maps, for each node: most are then in maps that no node has */
    MAP_ELEMENTS = 1 << 25,
};

static size_t edge_bytes(uint32_t slots)
{
    return slots * sizeof(uint64_t);
}

void tn_sums_init(struct tn_sums *sums, struct tn_lock *definitions)
{
    sums->definitions = definitions;
    tn_array_init(&sums->arcs, sizeof(struct tn_arc));
    tn_array_add(&sums->arcs);
    tn_table_init(&sums->arc_table);
    tn_array_init(&sums->site_arcs, sizeof(uint32_t));
    tn_array_init(&sums->totals, sizeof(struct tn_function_total));
}

void tn_sums_free(struct tn_sums *sums)
{
    tn_array_free(&sums->arcs);
    tn_table_free(&sums->arc_table);
    tn_array_free(&sums->site_arcs);
    tn_array_free(&sums->totals);
}

size_t tn_sums_bytes(const struct tn_sums *sums)
{
    return tn_array_bytes(&sums->arcs) + tn_table_bytes(&sums->arc_table) + tn_array_bytes(&sums->site_arcs) +
           tn_array_bytes(&sums->totals);
}

void tn_forest_init(struct tn_forest *forest, struct tn_sums *sums, struct tn_cost_pools *pools,
                    struct tn_cells *cells, const struct tn_config *config)
{
    memset(forest, 0, sizeof *forest);
    tn_paths_init(&forest->paths);
    tn_array_init(&forest->shared, sizeof(struct tn_node *));
    tn_array_init(&forest->walked, sizeof(struct tn_node *));
    forest->most_unmapped = config->most_unmapped;
    forest->most_doublings = config->most_doublings;
    forest->sums = sums;
    forest->pools = pools;
    forest->cells = cells;
    tn_pool_init(&forest->nodes, sizeof(struct tn_node));
    tn_pool_init(&forest->more, sizeof(struct tn_node_more));
    forest->edge_slots = FIRST_EDGES;
    forest->edges = tn_host_alloc(edge_bytes(FIRST_EDGES));
}

void tn_forest_limit(struct tn_forest *forest, uint64_t limit, uint32_t slack)
{
    __atomic_store_n(&forest->limit, limit, __ATOMIC_RELAXED);
    __atomic_store_n(&forest->slack, slack, __ATOMIC_RELAXED);
    __atomic_store_n(&forest->prune_at, limit > slack ? limit : slack, __ATOMIC_RELAXED);
}

void tn_forest_free(struct tn_forest *forest)
{
    tn_pool_free(&forest->nodes);
    tn_pool_free(&forest->more);
    tn_paths_free(&forest->paths);
    tn_array_free(&forest->shared);
    tn_array_free(&forest->walked);
    tn_host_free(forest->edges, edge_bytes(forest->edge_slots));
}

size_t tn_forest_bytes(const struct tn_forest *forest)
{
    return forest->nodes.bytes + forest->more.bytes + edge_bytes(forest->edge_slots) +
           tn_array_bytes(&forest->paths.elements.array) + tn_array_bytes(&forest->walked) +
           tn_array_bytes(&forest->shared);
}

static struct tn_function_total *total_of(struct tn_sums *sums, uint32_t context)
{
    if (context >= sums->totals.count)
        sums->totals.count = context + 1;
    return tn_array_force(&sums->totals, context);
}

static struct tn_arc *arc_at(const struct tn_sums *sums, uint32_t id)
{
    return tn_array_at(&sums->arcs, id);
}

/* ------------------------------------------------------------------------------------------ arcs */

static bool arc_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_arc *a = arc_at(owner, id), *b = key;
    return a->site == b->site && a->caller == b->caller && a->callee == b->callee;
}

static uint32_t find_arc(struct tn_sums *sums, const struct tn_arc *key)
{
    uint32_t hash = tn_hash((uint64_t)key->site << 32 | key->callee, key->caller);
    uint32_t id = tn_table_find(&sums->arc_table, hash, arc_equal, sums, key);
    if (!id) {
        id = sums->arcs.count;
        *(struct tn_arc *)tn_array_add(&sums->arcs) = *key;
        tn_table_add(&sums->arc_table, hash, id);
    }
    return id;
}

static uint32_t arc_of(struct tn_sums *sums, uint32_t site, uint32_t caller, uint32_t callee)
{
    struct tn_arc key = {.site = site, .caller = caller, .callee = callee};
    tn_lock_take(sums->definitions);
    uint32_t *last = tn_array_force(&sums->site_arcs, site);
    if (!*last || !arc_equal(sums, *last, &key))
        *last = find_arc(sums, &key);
    uint32_t id = *last;
    tn_lock_give(sums->definitions);
    return id;
}

/* ------------------------------------------------------------------------------------------ all nodes */

/* Every node, in no particular order. */
static struct tn_node *next_node(const struct tn_forest *forest, struct tn_pool_walk *walk)
{
    struct tn_node *node = tn_pool_next(&forest->nodes, walk);
    while (node && !node->id)
        node = tn_pool_next(&forest->nodes, walk);
    return node;
}

/* ------------------------------------------------------------------------------------------ table of edges */

/* Buckets of one host line. A slot is a node's address with bits of its hash above, so that a look-up reads the
 * bucket and the node it finds, nothing else. A full bucket goes on in the next one; what goes from a full one
 * leaves it full. */
enum { BUCKET = 8, GONE = 1 };

struct edge_place {
    uint32_t bucket;
    uint64_t tag; /* never that of an empty slot */
};

static struct edge_place place_of(const struct tn_forest *forest, const struct tn_node *parent, uint32_t site,
                                  uint32_t function)
{
    uint32_t hash = tn_hash((uintptr_t)parent, (uint64_t)site << 32 | function);
    return (struct edge_place){hash & (forest->edge_slots / BUCKET - 1), hash >> 16 | 1};
}

static uint64_t *bucket_at(const struct tn_forest *forest, uint32_t bucket)
{
    return &forest->edges[(bucket & (forest->edge_slots / BUCKET - 1)) * BUCKET];
}

static struct tn_node *node_in(uint64_t slot)
{
    return (struct tn_node *)(uintptr_t)(slot & ((1ull << TN_ADDRESS_BITS) - 1));
}

static bool is_full(const uint64_t *bucket)
{
    bool full = true;
    for (int i = 0; i < BUCKET; i++)
        full &= bucket[i] != 0;
    return full;
}

static void edge_add(struct tn_forest *forest, struct tn_node *node)
{
    struct edge_place place = place_of(forest, node->parent, node->site, node->function);
    if ((uintptr_t)node >> TN_ADDRESS_BITS)
        tn_host_panic("use node: an address has too many bits");
    for (;; place.bucket++) {
        uint64_t *bucket = bucket_at(forest, place.bucket);
        for (int i = 0; i < BUCKET; i++) {
            if (bucket[i] <= GONE) {
                bucket[i] = (uintptr_t)node | place.tag << TN_ADDRESS_BITS;
                return;
            }
        }
    }
}

static void edge_remove(struct tn_forest *forest, const struct tn_node *node)
{
    struct edge_place place = place_of(forest, node->parent, node->site, node->function);
    for (;; place.bucket++) {
        uint64_t *bucket = bucket_at(forest, place.bucket);
        for (int i = 0; i < BUCKET; i++) {
            if (node_in(bucket[i]) == node) {
                bucket[i] = is_full(bucket) ? GONE : 0;
                return;
            }
        }
    }
}

static void edges_grow(struct tn_forest *forest)
{
    uint64_t *old = forest->edges;
    uint32_t slots = forest->edge_slots;
    forest->edge_slots = slots * 2;
    forest->edges = tn_host_alloc(edge_bytes(forest->edge_slots));
    for (uint32_t i = 0; i < slots; i++) {
        if (old[i] > GONE)
            edge_add(forest, node_in(old[i]));
    }
    tn_host_free(old, edge_bytes(slots));
}

struct tn_node *tn_node_find(const struct tn_forest *forest, const struct tn_node *caller, uint32_t site,
                             uint32_t function)
{
    struct edge_place place = place_of(forest, caller, site, function);
    for (;; place.bucket++) {
        const uint64_t *bucket = bucket_at(forest, place.bucket);
        for (int i = 0; i < BUCKET; i++) {
            struct tn_node *node = node_in(bucket[i]);
            if (bucket[i] >> TN_ADDRESS_BITS == place.tag && node->parent == caller && node->site == site &&
                node->function == function)
                return node;
        }
        if (!is_full(bucket))
            return NULL;
    }
}

/* ------------------------------------------------------------------------------------------ making */

static uint64_t filter_of(uint32_t context)
{
    return 1ull << (context * 0x9e3779b1u >> 26);
}

/* Other threads add up how many there are in all trees. */
static void count_nodes(struct tn_forest *forest, int64_t more)
{
    __atomic_store_n(&forest->now, forest->now + (uint64_t)more, __ATOMIC_RELAXED);
}

static uint64_t next_id(struct tn_forest *forest)
{
    return __atomic_add_fetch(&forest->sums->next_node, 1, __ATOMIC_RELAXED);
}

static struct tn_node *node_new(struct tn_forest *forest, uint32_t function, uint32_t context, uint32_t thread)
{
    struct tn_node *node = tn_pool_get(&forest->nodes);
    node->function = function;
    node->context = context;
    node->thread = thread;
    node->id = next_id(forest);
    node->filter = filter_of(context);
    node->unmapped = 1;
    forest->made++;
    count_nodes(forest, 1);
    if (forest->now > forest->max)
        forest->max = forest->now;
    return node;
}

static void node_adopt(struct tn_forest *forest, struct tn_node *parent, struct tn_node *node, uint32_t site)
{
    node->parent = parent;
    node->site = site;
    if (site && forest->contexts)
        site = tn_context_instr(forest->contexts, site, parent->context);
    node->arc = arc_of(forest->sums, site, parent->context, node->context);
    parent->children++;
    if (forest->now > (uint64_t)forest->edge_slots * 5 / 8)
        edges_grow(forest);
    edge_add(forest, node);
}

struct tn_node *tn_forest_root(struct tn_forest *forest, uint32_t function, uint32_t thread, bool handler)
{
    struct tn_node *node = node_new(forest, function, function, thread);
    node->handler = handler;
    node->charges_function = true;
    return node;
}

struct tn_node *tn_forest_shared_root(struct tn_forest *forest, uint32_t function, uint32_t thread, bool handler)
{
    for (uint32_t i = 0; i < forest->shared.count; i++) {
        struct tn_node *root = *(struct tn_node **)tn_array_at(&forest->shared, i);
        if (!root->parent && root->function == function && root->thread == thread && root->handler == handler)
            return root;
    }
    struct tn_node *root = tn_forest_root(forest, function, thread, handler);
    *(struct tn_node **)tn_array_add(&forest->shared) = root;
    return root;
}

/* The path has changed for all nodes, or maps take too much memory: they are made again when paths are asked. */
static void forget_maps(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *node; (node = next_node(forest, &walk));) {
        if (!node->unmapped)
            node->filter = ~0ull;
        node->unmapped = UINT16_MAX;
    }
    tn_paths_free(&forest->paths);
    tn_paths_init(&forest->paths);
}

/* Count how many nodes of the path have no map. If these are too many, the one in their middle gets a map: paths that
 * part from this one below it will share it. */
static void map_path(struct tn_forest *forest, struct tn_node *node)
{
    uint32_t count = 0, half = forest->most_unmapped / 2;
    uint32_t elements = forest->paths.elements.array.count;
    if (elements > MAP_ELEMENTS || elements > MOST_GARBAGE * (forest->now + forest->most_unmapped))
        forget_maps(forest);
    struct tn_node *top = node;
    for (; top && top->unmapped; top = top->parent)
        *(struct tn_node **)tn_array_force(&forest->walked, count++) = top;
    node->unmapped = (uint16_t)count;
    if (count < forest->most_unmapped)
        return;
    uint32_t map = top ? top->map : 0, fresh = forest->paths.elements.array.count;
    while (count > half) {
        struct tn_node *at = *(struct tn_node **)tn_array_at(&forest->walked, --count);
        if (at->charges_arc) {
            map = tn_path_add(&forest->paths, map, tn_path_arc(at->arc), at, fresh);
            map = tn_path_add(&forest->paths, map, tn_path_arc(0), at, fresh);
        }
        map = tn_path_add(&forest->paths, map, tn_path_context(at->context), at, fresh);
        top = at;
    }
    node->unmapped = (uint16_t)half;
    top->unmapped = 0;
    top->map = map;
}

static bool on_path(const struct tn_forest *forest, const struct tn_node *node, uint32_t arc)
{
    while (node && node->unmapped && node->arc != arc)
        node = node->parent;
    return node && (node->unmapped || tn_path_find(&forest->paths, node->map, tn_path_arc(arc)));
}

/* Where a function is its only context, what a call looks at anyway has the answer. */
static bool runs_on_path(const struct tn_forest *forest, const struct tn_node *node, uint32_t context)
{
    if (node->unmapped && !(node->filter & filter_of(context)))
        return false;
    if (!forest->contexts) {
        while (node && node->unmapped && node->function != context)
            node = node->parent;
    } else {
        while (node && node->unmapped && node->context != context)
            node = node->parent;
    }
    return node && (node->unmapped || tn_path_find(&forest->paths, node->map, tn_path_context(context)));
}

/* The nearest node of the path that runs `context`, as long as the nodes passed brought no arc; NULL: there is none. */
static struct tn_node *near_on_path(const struct tn_forest *forest, struct tn_node *node, uint32_t context)
{
    for (; node && node->unmapped; node = node->parent) {
        if (node->context == context)
            return node;
        if (node->charges_arc)
            return NULL;
    }
    if (!node)
        return NULL;
    uint32_t entry = tn_path_find(&forest->paths, node->map, tn_path_context(context));
    return entry > tn_path_find(&forest->paths, node->map, tn_path_arc(0)) ? tn_path_node(&forest->paths, entry) : NULL;
}

/* The nearest ancestor of `caller` (or itself) with the same set of arcs that runs `context`, called by the same
 * functions. The set is the same as long as the nodes passed brought no arc. */
static struct tn_node *same_set(const struct tn_forest *forest, struct tn_node *caller, uint32_t context)
{
    struct tn_node *node = near_on_path(forest, caller, context);
    while (node && forest->contexts && !tn_context_same_callers(forest->contexts, node, caller))
        node = node->charges_arc ? NULL : near_on_path(forest, node->parent, context);
    return node;
}

struct tn_node *tn_node_make(struct tn_forest *forest, struct tn_node *caller, uint32_t site, uint32_t function)
{
    uint32_t context = forest->contexts ? tn_context_below(forest->contexts, caller, function) : function;
    struct tn_node *edge = node_new(forest, function, context, caller->thread);
    node_adopt(forest, caller, edge, site);
    if (caller->unmapped >= forest->most_unmapped)
        map_path(forest, caller);
    edge->open = caller->open;
    edge->unmapped = caller->unmapped < UINT16_MAX ? caller->unmapped + 1 : UINT16_MAX;
    edge->filter |= caller->unmapped ? caller->filter : ~0ull;
    edge->charges_function = !runs_on_path(forest, caller, context);
    edge->charges_arc = edge->charges_function || !on_path(forest, caller, edge->arc); /* an arc brings its callee */
    if (!edge->charges_arc) {
        struct tn_node *target = same_set(forest, caller, context);
        edge->alias = target != NULL;
        if (target)
            edge->target = target;
    }
    return edge;
}

/* ------------------------------------------------------------------------------------------ walking down */

/* Nodes know their parents only. Who goes down lets `recent` and `then` be first child and next sibling for as long
 * as it takes: they are guesses of where calls will lead, and are guessed again. */
static void forget_order(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *node; (node = next_node(forest, &walk));) {
        node->then = NULL;
        if (!node->alias)
            node->recent = NULL;
    }
}

static void link_children(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    forget_order(forest);
    for (struct tn_node *node; (node = next_node(forest, &walk));) {
        if (!node->parent)
            continue;
        node->then = node->parent->recent;
        node->parent->recent = node;
    }
}

static struct tn_node *first_child(const struct tn_node *node)
{
    return node->alias ? NULL : node->recent;
}

/* Under a new parent, nodes that run its context are no longer the first of their paths to do so. All nodes below have
 * moved: those that a part has been written of get a new id, so that what was written stays where it is. */
struct tn_node *tn_forest_parent(struct tn_forest *forest, struct tn_node *root, uint32_t function)
{
    struct tn_node *parent = tn_forest_root(forest, function, root->thread, root->handler);
    parent->open = true;
    __atomic_add_fetch(&forest->sums->raised, 1, __ATOMIC_RELAXED);
    forget_maps(forest);
    node_adopt(forest, parent, root, 0);
    root->charges_arc = true;
    root->handler = false;
    link_children(forest);
    struct tn_node *node = root;
    while (node != parent) {
        node->filter |= parent->filter;
        if (node->defined)
            node->id = next_id(forest);
        node->defined = false;
        if (node->context == parent->context)
            node->charges_function = false;
        if (node->arc == root->arc && node != root)
            node->charges_arc = false;
        if (first_child(node)) {
            node = first_child(node);
            continue;
        }
        while (node != parent && !node->then)
            node = node->parent;
        if (node != parent)
            node = node->then;
    }
    forget_order(forest);
    return parent;
}

/* ------------------------------------------------------------------------------------------ folding */

struct tn_node_more *tn_node_more(struct tn_forest *forest, struct tn_node *node)
{
    if (!node->more)
        node->more = tn_pool_get(&forest->more);
    return node->more;
}

static void drop_more(struct tn_forest *forest, struct tn_node *node)
{
    if (!node->more)
        return;
    tn_costs_drop(forest->pools, &node->more->below);
    tn_pool_put(&forest->more, node->more);
    node->more = NULL;
}

struct tn_costs tn_node_self(const struct tn_forest *forest, const struct tn_node *node)
{
    struct tn_costs self = {.late = {node->late[TN_FETCH], node->late[TN_DATA]}};
    if (forest->cells)
        self.late[TN_DATA] = tn_cells_sum(forest->cells, node->cells);
    tn_ran_add(self.immediate, &node->ran, node->more ? &node->more->branched : NULL);
    return self;
}

/* Set a node's costs to zero, except for its cells. Its late blocks stay. */
static void clear_node(struct tn_forest *forest, struct tn_node *node)
{
    node->calls = 0;
    node->ran = (struct tn_ran){0};
    tn_late_clear(forest->pools, &node->late[TN_FETCH]);
    if (!forest->cells)
        tn_late_clear(forest->pools, &node->late[TN_DATA]);
    drop_more(forest, node);
}

/* Give a node's costs (self and below) to its arc, its function and its parent. They are to be cleared or dropped;
 * what is below may become the parent's as it is. */
static void give_costs(struct tn_forest *forest, struct tn_node *node, const struct tn_costs *self)
{
    struct tn_function_total *total = total_of(forest->sums, node->context);
    struct tn_arc *arc = node->arc ? arc_at(forest->sums, node->arc) : NULL;
    uint64_t calls = tn_node_calls(node);
    total->calls += calls;
    if (arc)
        arc->calls += calls;
    tn_costs_add(forest->pools, &total->self, self);
    const struct tn_costs *all = self;
    if (node->more && !tn_costs_are_zero(forest->pools, &node->more->below)) {
        tn_costs_add(forest->pools, &node->more->below, self);
        all = &node->more->below;
    } else if (tn_costs_are_zero(forest->pools, self)) {
        return;
    }
    if (node->charges_arc)
        tn_costs_add(forest->pools, &arc->inclusive, all);
    if (node->charges_function)
        tn_costs_add(forest->pools, &total->inclusive, all);
    if (!node->parent)
        return;
    if (all == self || node->parent->more) {
        tn_costs_add(forest->pools, &tn_node_more(forest, node->parent)->below, all);
    } else {
        node->parent->more = node->more;
        *node->more = (struct tn_node_more){.below = *all};
        node->more = NULL;
    }
}

/* Below pruned children the tree knows sums only; a fold moves those up, so nothing is approximate afterwards. */
void tn_forest_fold(struct tn_forest *forest, void (*each)(void *user, struct tn_node *node), void *user)
{
    struct tn_pool_walk walk = {0};
    link_children(forest);
    for (struct tn_node *root = next_node(forest, &walk); root; root = next_node(forest, &walk)) {
        struct tn_node *node = root;
        while (!root->parent) {
            if (each)
                each(user, node);
            if (first_child(node)) {
                node = first_child(node);
                continue;
            }
            for (;;) {
                struct tn_costs self = tn_node_self(forest, node);
                give_costs(forest, node, &self);
                clear_node(forest, node);
                node->pruned_below = false;
                if (node == root || node->then)
                    break;
                node = node->parent;
            }
            if (node == root)
                break;
            node = node->then;
        }
    }
    forget_order(forest);
}

void tn_forest_undefine(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *node; (node = next_node(forest, &walk));)
        node->defined = false;
}

void tn_sums_undefine(struct tn_sums *sums)
{
    for (uint32_t i = 1; i < sums->arcs.count; i++)
        arc_at(sums, i)->defined = false;
}

void tn_forest_clear(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *node; (node = next_node(forest, &walk));) {
        node->pruned_below = false;
        clear_node(forest, node);
    }
}

void tn_sums_clear(struct tn_sums *sums, struct tn_cost_pools *pools)
{
    for (uint32_t i = 1; i < sums->arcs.count; i++) {
        struct tn_arc *arc = arc_at(sums, i);
        arc->calls = 0;
        tn_costs_clear(pools, &arc->inclusive);
    }
    for (uint32_t i = 1; i < sums->totals.count; i++) {
        struct tn_function_total *total = tn_array_get(&sums->totals, i);
        if (!total)
            continue;
        total->calls = 0;
        tn_costs_clear(pools, &total->self);
        tn_costs_clear(pools, &total->inclusive);
    }
}

/* ------------------------------------------------------------------------------------------ pruning */

static bool node_prunable(const struct tn_node *node)
{
    return !node->children && !node->live && node->sent == node->seen && !node->pins && node->parent && !node->open;
}

/* Nobody may find the node any more: `recent` of the parent would dangle, `then` of a sibling compares parents. */
static void unlink_node(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node *parent = node->parent;
    edge_remove(forest, node);
    if (parent->recent == node)
        parent->recent = NULL;
    parent->children--;
    node->parent = NULL;
}

/* What a node had in data objects goes to its parent; and to its function, which the tree no longer shows there. */
static void give_cells(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node *parent = node->parent;
    uint64_t function = (uint64_t)node->context << TN_CELL_CONTEXT_SHIFT | TN_CELL_CONTEXT;
    uint32_t *lists[] = {&node->cells, &node->given};
    for (int i = 0; i < 2; i++) {
        if (node->charges_function)
            tn_cells_add(forest->cells, function, &forest->sums->cells, *lists[i]);
        tn_cells_add(forest->cells, (uintptr_t)parent | TN_CELL_GIVEN, &parent->given, *lists[i]);
        tn_cells_drop(forest->cells, lists[i]);
    }
}

/* Nearly all that pruning a node reads and changes is in no cache of the host: it is asked for at once, while the
 * child before which it cannot go is pruned. */
TN_ALWAYS_INLINE void fetch_ahead(const struct tn_forest *forest, const struct tn_node *node)
{
    uintptr_t total = (uintptr_t)total_of(forest->sums, node->context);
    uintptr_t arc = (uintptr_t)arc_at(forest->sums, node->arc);
    uintptr_t parent = (uintptr_t)node->parent, more = (uintptr_t)node->parent->more;
    struct edge_place place = place_of(forest, node->parent, node->site, node->function);
    const uintptr_t lines[] = {total, total + 64, total + 128, arc, arc + 64, parent, parent + 64, more, more + 64,
                               (uintptr_t)bucket_at(forest, place.bucket)};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        __builtin_prefetch((const void *)lines[i], 1);
}

static struct tn_node *prune_one(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node *parent = node->parent;
    if (parent->children == 1 && parent->parent)
        fetch_ahead(forest, parent);
    struct tn_costs self = tn_node_self(forest, node);
    parent->pruned_below |= node->pruned_below || !tn_costs_are_zero(forest->pools, &self);
    give_costs(forest, node, &self);
    if (forest->cells)
        give_cells(forest, node);
    unlink_node(forest, node);
    drop_more(forest, node);
    tn_late_drop(forest->pools, &node->late[TN_FETCH]);
    tn_late_drop(forest->pools, &node->late[TN_DATA]);
    node->id = 0;
    tn_pool_put(&forest->nodes, node);
    count_nodes(forest, -1);
    forest->pruned++;
    return parent;
}

/* Whether a node was called since pruning last looked at it: if so, it gets a second chance. */
static bool in_use(struct tn_node *node)
{
    uint8_t calls = (uint8_t)node->calls;
    bool used = calls != node->last_calls;
    node->last_calls = calls;
    return used;
}

/* Up to one round over all nodes from the hand on; a node that became a leaf goes at once with its last child. As a
 * rule a small batch goes, whose memory the host's caches still hold when new nodes take it. If that takes long,
 * because most nodes are referred to or in use, the next one waits until the tree has grown by an eighth. */
void tn_forest_prune(struct tn_forest *forest)
{
    uint64_t limit = __atomic_load_n(&forest->limit, __ATOMIC_RELAXED) << forest->doublings;
    uint64_t slack = __atomic_load_n(&forest->slack, __ATOMIC_RELAXED);
    if (forest->doublings < forest->most_doublings && forest->pruned - forest->doubled_at > OFTEN * limit) {
        forest->doublings++;
        forest->doubled_at = forest->pruned;
        limit *= 2;
    }
    uint64_t goal = slack ? limit - limit / BATCHES : limit;
    uint64_t before = forest->now, visits = 0;
    for (; visits < before && forest->now > goal; visits++) {
        struct tn_node *node = next_node(forest, &forest->hand);
        if (!node)
            node = next_node(forest, &forest->hand);
        while (forest->now > goal && node_prunable(node) && !(in_use(node) && slack))
            node = prune_one(forest, node);
    }
    bool easy = forest->now <= goal && visits <= MOST_VISITS * (before - forest->now);
    uint64_t next = easy || slack == 0 ? limit : forest->now + forest->now / 8 + slack;
    __atomic_store_n(&forest->prune_at, next, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------------------------ checks */

static void check_node(const struct tn_forest *forest, const struct tn_node *node)
{
    if ((uint16_t)(node->sent - node->seen) > 2 * TN_L1_MAX_LINES + TN_MOST_ENTRIES)
        tn_host_panic("use node: more tenures ended than begun");
    if (node->alias && (node->children || node->pins || node->sent))
        tn_host_panic("use node: an alias is in use");
    if (!node->alias && node->recent && node->recent->parent != node)
        tn_host_panic("use node: the child last called is another's");
    if (node->parent && !node->parent->id)
        tn_host_panic("use node: its parent has gone");
    if (node->parent && tn_node_find(forest, node->parent, node->site, node->function) != node)
        tn_host_panic("use node: its edge is not found");
}

void tn_forest_check(const struct tn_forest *forest)
{
    uint64_t count = 0, children = 0, with_parent = 0;
    struct tn_pool_walk walk = {0};
    for (const struct tn_node *node; (node = next_node(forest, &walk)); count++) {
        check_node(forest, node);
        children += node->children;
        with_parent += node->parent != NULL;
    }
    if (children != with_parent)
        tn_host_panic("use nodes: children are miscounted");
    if (count != forest->now)
        tn_host_panic("use nodes are miscounted");
}
