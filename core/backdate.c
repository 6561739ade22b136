/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backdate.c: making, finding, folding and pruning use nodes; see backdate.h for what they mean.
 *
 * Edges are found through one hash table keyed by (parent, site, function), unless it is the child last called. Whether an arc is on a path is asked only when an edge is new,
 * by walking up: the walk's length is bounded by the number of arcs, and its answer is kept in the edge.
 */
#include "backdate.h"

#include "context.h"
#include "host.h"

#include <string.h>

enum { FIRST_BUCKETS = 1024 };

static size_t bucket_bytes(uint32_t count)
{
    return (size_t)count * sizeof(struct tn_node *);
}

void tn_forest_init(struct tn_forest *forest, struct tn_cost_pools *pools, uint64_t limit, uint32_t slack)
{
    memset(forest, 0, sizeof *forest);
    forest->pools = pools;
    tn_pool_init(&forest->nodes, sizeof(struct tn_node));
    tn_pool_init(&forest->costs, sizeof(struct tn_costs));
    tn_array_init(&forest->arcs, sizeof(struct tn_arc));
    tn_array_add(&forest->arcs);
    tn_table_init(&forest->arc_table);
    tn_array_init(&forest->totals, sizeof(struct tn_function_total));
    forest->bucket_count = FIRST_BUCKETS;
    forest->buckets = tn_host_alloc(bucket_bytes(FIRST_BUCKETS));
    forest->limit = limit;
    forest->slack = slack;
    forest->prune_at = limit > slack ? limit : slack;
    tn_array_init(&forest->site_arcs, sizeof(uint32_t));
}

void tn_forest_free(struct tn_forest *forest)
{
    tn_pool_free(&forest->nodes);
    tn_pool_free(&forest->costs);
    tn_array_free(&forest->arcs);
    tn_table_free(&forest->arc_table);
    tn_array_free(&forest->totals);
    tn_array_free(&forest->site_arcs);
    tn_host_free(forest->buckets, bucket_bytes(forest->bucket_count));
}

struct tn_function_total *tn_forest_total(struct tn_forest *forest, uint32_t context)
{
    if (context >= forest->totals.count)
        forest->totals.count = context + 1;
    return tn_array_force(&forest->totals, context);
}

static struct tn_arc *arc_at(const struct tn_forest *forest, uint32_t id)
{
    return tn_array_at(&forest->arcs, id);
}

/* ------------------------------------------------------------------------------------------ arcs */

static bool arc_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_arc *a = arc_at(owner, id), *b = key;
    return a->site == b->site && a->caller == b->caller && a->callee == b->callee;
}

static uint32_t arc_of(struct tn_forest *forest, uint32_t site, uint32_t caller, uint32_t callee)
{
    struct tn_arc key = {.site = site, .caller = caller, .callee = callee};
    uint32_t *last = tn_array_force(&forest->site_arcs, site);
    if (*last && arc_equal(forest, *last, &key))
        return *last;
    uint32_t hash = tn_hash((uint64_t)site << 32 | callee, caller);
    uint32_t id = tn_table_find(&forest->arc_table, hash, arc_equal, forest, &key);
    if (!id) {
        id = forest->arcs.count;
        *(struct tn_arc *)tn_array_add(&forest->arcs) = key;
        tn_table_add(&forest->arc_table, hash, id);
    }
    *last = id;
    return id;
}

/* ------------------------------------------------------------------------------------------ all nodes */

/* Every node, in no order that means anything. */
static struct tn_node *next_node(const struct tn_forest *forest, struct tn_pool_walk *walk)
{
    struct tn_node *node = tn_pool_next(&forest->nodes, walk);
    while (node && !node->id)
        node = tn_pool_next(&forest->nodes, walk);
    return node;
}

/* ------------------------------------------------------------------------------------------ hash of edges */

static struct tn_node **bucket_of(const struct tn_forest *forest, const struct tn_node *parent, uint32_t site,
                                  uint32_t function)
{
    uint32_t hash = tn_hash((uintptr_t)parent, (uint64_t)site << 32 | function);
    return &forest->buckets[hash & (forest->bucket_count - 1)];
}

static void hash_add(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node **bucket = bucket_of(forest, node->parent, node->site, node->function);
    node->hash_next = *bucket;
    *bucket = node;
}

static void hash_remove(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node **link = bucket_of(forest, node->parent, node->site, node->function);
    while (*link != node)
        link = &(*link)->hash_next;
    *link = node->hash_next;
}

static void hash_grow(struct tn_forest *forest)
{
    struct tn_node **old = forest->buckets;
    uint32_t count = forest->bucket_count;
    forest->bucket_count = count * 2;
    forest->buckets = tn_host_alloc(bucket_bytes(forest->bucket_count));
    for (uint32_t i = 0; i < count; i++) {
        for (struct tn_node *node = old[i], *next; node; node = next) {
            next = node->hash_next;
            hash_add(forest, node);
        }
    }
    tn_host_free(old, bucket_bytes(count));
}

/* ------------------------------------------------------------------------------------------ making */

static uint64_t filter_of(uint32_t context)
{
    return 1ull << (context * 0x9e3779b1u >> 26);
}

static struct tn_node *node_new(struct tn_forest *forest, uint32_t function, uint32_t context, uint32_t thread)
{
    struct tn_node *node = tn_pool_get(&forest->nodes);
    node->function = function;
    node->context = context;
    node->thread = thread;
    node->id = ++forest->next_id;
    node->target = node;
    node->filter = filter_of(context);
    forest->made++;
    if (++forest->now > forest->max)
        forest->max = forest->now;
    return node;
}

static void adopt(struct tn_forest *forest, struct tn_node *parent, struct tn_node *node, uint32_t site)
{
    node->parent = parent;
    node->site = site;
    if (site && forest->contexts)
        site = tn_context_instr(forest->contexts, site, parent->context);
    node->arc = arc_of(forest, site, parent->context, node->context);
    node->next = parent->first_child;
    if (node->next)
        node->next->prev = node;
    parent->first_child = node;
    parent->children++;
    if (forest->now > forest->bucket_count)
        hash_grow(forest);
    hash_add(forest, node);
}

struct tn_node *tn_forest_root(struct tn_forest *forest, uint32_t function, uint32_t thread, bool handler)
{
    struct tn_node *node = node_new(forest, function, function, thread);
    node->handler = handler;
    node->charges_function = true;
    return node;
}

static bool on_path(const struct tn_node *node, uint32_t arc)
{
    for (; node; node = node->parent) {
        if (node->arc == arc)
            return true;
    }
    return false;
}

static bool runs_on_path(const struct tn_node *node, uint32_t context)
{
    if (!(node->filter & filter_of(context)))
        return false;
    for (; node; node = node->parent) {
        if (node->context == context)
            return true;
    }
    return false;
}

/* The nearest ancestor of `caller` (or itself) with the same set of arcs that runs `context`, called by the same
 * functions. The set is the same as long as the nodes passed brought no arc. */
static struct tn_node *same_set(const struct tn_forest *forest, struct tn_node *caller, uint32_t context)
{
    for (struct tn_node *node = caller; node; node = node->parent) {
        if (node->context == context &&
            (!forest->contexts || tn_context_same_callers(forest->contexts, node, caller)))
            return node;
        if (node->charges_arc)
            return NULL;
    }
    return NULL;
}

struct tn_node *tn_node_make(struct tn_forest *forest, struct tn_node *caller, uint32_t site, uint32_t function)
{
    uint32_t context = forest->contexts ? tn_context_below(forest->contexts, caller, function) : function;
    struct tn_node *edge = node_new(forest, function, context, caller->thread);
    adopt(forest, caller, edge, site);
    edge->open = caller->open;
    edge->filter |= caller->filter;
    edge->charges_function = !runs_on_path(caller, context);
    edge->charges_arc = edge->charges_function || !on_path(caller, edge->arc); /* an arc brings its callee */
    if (!edge->charges_arc) {
        struct tn_node *target = same_set(forest, caller, context);
        if (target)
            edge->target = target;
    }
    return edge;
}

struct tn_node *tn_node_find(const struct tn_forest *forest, const struct tn_node *caller, uint32_t site,
                             uint32_t function)
{
    struct tn_node *node = *bucket_of(forest, caller, site, function);
    while (node && (node->parent != caller || node->site != site || node->function != function))
        node = node->hash_next;
    return node;
}

/* Below a new parent, the nodes that run its context no longer bring it to their paths. */
struct tn_node *tn_forest_parent(struct tn_forest *forest, struct tn_node *root, uint32_t function)
{
    struct tn_node *parent = tn_forest_root(forest, function, root->thread, root->handler);
    parent->open = true;
    adopt(forest, parent, root, 0);
    root->charges_arc = true;
    root->handler = false;
    root->defined = false; /* its place has changed */
    struct tn_node *node = root;
    while (node != parent) {
        node->filter |= parent->filter;
        if (node->context == parent->context)
            node->charges_function = false;
        if (node->arc == root->arc && node != root)
            node->charges_arc = false;
        if (node->first_child) {
            node = node->first_child;
            continue;
        }
        while (node != parent && !node->next)
            node = node->parent;
        if (node != parent)
            node = node->next;
    }
    return parent;
}

/* ------------------------------------------------------------------------------------------ folding */

static void add_below(struct tn_forest *forest, struct tn_node *node, const struct tn_costs *costs)
{
    if (!node->below)
        node->below = tn_pool_get(&forest->costs);
    tn_costs_add(forest->pools, node->below, costs);
}

static void drop_below(struct tn_forest *forest, struct tn_node *node)
{
    if (!node->below)
        return;
    tn_costs_drop(forest->pools, node->below);
    tn_pool_put(&forest->costs, node->below);
    node->below = NULL;
}

struct tn_costs tn_node_self(const struct tn_node *node)
{
    struct tn_costs self = {.late = {node->late[TN_FETCH], node->late[TN_DATA]}};
    tn_ran_add(self.immediate, &node->ran, node->branched);
    return self;
}

static void clear_self(const struct tn_forest *forest, struct tn_node *node)
{
    node->ran = (struct tn_ran){0};
    if (node->branched)
        *node->branched = (struct tn_branched){0};
    for (int stream = 0; stream < TN_STREAMS; stream++)
        tn_late_clear(forest->pools, node->late[stream]);
}

/* Give a node's costs (self and below) to its arc, its function and its parent. */
static void give(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_function_total *total = tn_forest_total(forest, node->context);
    struct tn_arc *arc = node->arc ? arc_at(forest, node->arc) : NULL;
    total->calls += node->calls;
    if (arc)
        arc->calls += node->calls;
    node->calls = 0;
    struct tn_costs self = tn_node_self(node);
    const struct tn_costs *parts[] = {&self, node->below};
    tn_costs_add(forest->pools, &total->self, &self);
    for (int i = 0; i < 2; i++) {
        if (!parts[i] || tn_costs_are_zero(forest->pools, parts[i]))
            continue;
        if (node->charges_arc)
            tn_costs_add(forest->pools, &arc->inclusive, parts[i]);
        if (node->charges_function)
            tn_costs_add(forest->pools, &total->inclusive, parts[i]);
        if (node->parent)
            add_below(forest, node->parent, parts[i]);
    }
    clear_self(forest, node);
    drop_below(forest, node);
}

/* Below pruned children the tree knows sums only; a fold moves those up, so nothing is approximate afterwards. */
void tn_forest_fold(struct tn_forest *forest, void (*each)(void *user, struct tn_node *node), void *user)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *root = next_node(forest, &walk); root; root = next_node(forest, &walk)) {
        struct tn_node *node = root;
        while (!root->parent) {
            if (each)
                each(user, node);
            if (node->first_child) {
                node = node->first_child;
                continue;
            }
            for (;;) {
                give(forest, node);
                node->pruned_below = false;
                if (node == root || node->next)
                    break;
                node = node->parent;
            }
            if (node == root)
                break;
            node = node->next;
        }
    }
}

void tn_forest_undefine(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *node; (node = next_node(forest, &walk));)
        node->defined = false;
    for (uint32_t i = 1; i < forest->arcs.count; i++)
        arc_at(forest, i)->defined = false;
}

void tn_forest_clear(struct tn_forest *forest)
{
    struct tn_pool_walk walk = {0};
    for (struct tn_node *node; (node = next_node(forest, &walk));) {
        node->calls = 0;
        node->pruned_below = false;
        clear_self(forest, node);
        drop_below(forest, node);
    }
    for (uint32_t i = 1; i < forest->arcs.count; i++) {
        struct tn_arc *arc = arc_at(forest, i);
        arc->calls = 0;
        tn_costs_clear(forest->pools, &arc->inclusive);
    }
    for (uint32_t i = 1; i < forest->totals.count; i++) {
        struct tn_function_total *total = tn_array_get(&forest->totals, i);
        if (!total)
            continue;
        total->calls = 0;
        tn_costs_clear(forest->pools, &total->self);
        tn_costs_clear(forest->pools, &total->inclusive);
    }
}

/* ------------------------------------------------------------------------------------------ pruning */

static bool prunable(const struct tn_node *node)
{
    return node->parent && !node->open && !node->pins && !node->children && node->sent == node->seen && !node->live;
}

/* `recent` of the parent must not dangle. */
static void unlink_node(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node *parent = node->parent;
    hash_remove(forest, node);
    if (parent->recent == node)
        parent->recent = NULL;
    if (node->prev)
        node->prev->next = node->next;
    else
        parent->first_child = node->next;
    if (node->next)
        node->next->prev = node->prev;
    parent->children--;
}

static struct tn_node *prune_one(struct tn_forest *forest, struct tn_node *node)
{
    struct tn_node *parent = node->parent;
    struct tn_costs self = tn_node_self(node);
    parent->pruned_below |= node->pruned_below || node->below || !tn_costs_are_zero(forest->pools, &self);
    give(forest, node);
    unlink_node(forest, node);
    tn_late_drop(forest->pools, node->late);
    if (node->branched)
        tn_pool_put(&forest->pools->branched, node->branched);
    node->id = 0;
    node->parent = NULL;
    tn_pool_put(&forest->nodes, node);
    forest->now--;
    forest->pruned++;
    return parent;
}

/* Whether a node was called since pruning looked last: it gets a second chance. */
static bool in_use(const struct tn_forest *forest, struct tn_node *node)
{
    uint8_t calls = (uint8_t)node->calls;
    bool used = calls != node->last_calls && forest->slack > 0;
    node->last_calls = calls;
    return used;
}

/* One round over all nodes from the hand on; a node that became a leaf goes at once with its last child. If a
 * round frees too little, the next one waits until the tree has grown by an eighth. */
void tn_forest_prune(struct tn_forest *forest)
{
    uint64_t goal = forest->slack ? forest->limit - forest->limit / 8 : forest->limit;
    for (uint64_t left = forest->now; left && forest->now > goal; left--) {
        struct tn_node *node = next_node(forest, &forest->hand);
        if (!node)
            node = next_node(forest, &forest->hand);
        while (forest->now > goal && prunable(node) && !in_use(forest, node))
            node = prune_one(forest, node);
    }
    uint64_t grown = forest->now + forest->now / 8 + forest->slack;
    forest->prune_at = forest->slack == 0 || grown < forest->limit ? forest->limit : grown;
}

struct tn_branched *tn_node_branched(struct tn_forest *forest, struct tn_node *node)
{
    if (!node->branched)
        node->branched = tn_pool_get(&forest->pools->branched);
    return node->branched;
}

/* ------------------------------------------------------------------------------------------ checks */

static void check_node(const struct tn_forest *forest, const struct tn_node *node)
{
    uint32_t children = 0;
    for (const struct tn_node *child = node->first_child; child; child = child->next, children++) {
        if (child->parent != node)
            tn_host_panic("use node: a child has another parent");
    }
    if (children != node->children)
        tn_host_panic("use node: children are miscounted");
    if ((int32_t)(node->sent - node->seen) < 0)
        tn_host_panic("use node: more entries seen than sent");
    if (node->target != node && (node->children || node->pins || node->sent))
        tn_host_panic("use node: an alias is in use");
    if (node->recent && node->recent->parent != node)
        tn_host_panic("use node: the child last called is another's");
    if (node->parent && tn_node_find(forest, node->parent, node->site, node->function) != node)
        tn_host_panic("use node: its edge is not found");
}

void tn_forest_check(const struct tn_forest *forest)
{
    uint64_t count = 0;
    struct tn_pool_walk walk = {0};
    for (const struct tn_node *node; (node = next_node(forest, &walk)); count++)
        check_node(forest, node);
    if (count != forest->now)
        tn_host_panic("use nodes are miscounted");
}
