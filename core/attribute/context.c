/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.c: making and finding contexts, and what is derived for them; see context.h.
 *
 * The tree asks for a context when it makes a node, which is rare. What executes asks all the time, for the same few
 * instructions and counters, so that a small direct-mapped table answers nearly always.
 */
#include "context.h"

#include "core/host.h"

enum { RECENT_BITS = 16, RECENT = 1 << RECENT_BITS };

struct tn_contexts *tn_contexts_new(struct tn_code *code, const struct tn_config *config, uint32_t counter_limit)
{
    struct tn_contexts *contexts = tn_host_alloc(sizeof *contexts);
    contexts->code = code;
    contexts->callers = config->separate_callers;
    contexts->counter_limit = counter_limit;
    tn_array_init(&contexts->list, sizeof(uint32_t));
    tn_table_init(&contexts->table);
    tn_array_init(&contexts->counters, sizeof(struct tn_derived));
    tn_array_add(&contexts->counters);
    tn_table_init(&contexts->counter_table);
    contexts->recent_instrs = tn_host_alloc(RECENT * sizeof *contexts->recent_instrs);
    contexts->recent_counters = tn_host_alloc(RECENT * sizeof *contexts->recent_counters);
    return contexts;
}

void tn_contexts_free(struct tn_contexts *contexts)
{
    if (!contexts)
        return;
    tn_array_free(&contexts->list);
    tn_table_free(&contexts->table);
    tn_array_free(&contexts->counters);
    tn_table_free(&contexts->counter_table);
    tn_host_free(contexts->recent_instrs, RECENT * sizeof *contexts->recent_instrs);
    tn_host_free(contexts->recent_counters, RECENT * sizeof *contexts->recent_counters);
    tn_host_free(contexts, sizeof *contexts);
}

size_t tn_contexts_bytes(const struct tn_contexts *contexts)
{
    return tn_array_bytes(&contexts->list) + tn_table_bytes(&contexts->table) + tn_array_bytes(&contexts->counters) +
           tn_table_bytes(&contexts->counter_table) + 2 * RECENT * sizeof(struct tn_derived);
}

/* ------------------------------------------------------------------------------------------ the way up */

/* From a node upwards, function by function. */
struct climb {
    const struct tn_node *node;
    uint32_t function; /* passed last */
};

static const struct tn_node *node_above(const struct tn_node *node)
{
    return node->site ? node->parent : NULL;
}

/* The next function; TN_NONE at the end. */
static uint32_t climb(struct climb *c)
{
    while (c->node && c->node->function == c->function)
        c->node = node_above(c->node);
    return c->function = c->node ? c->node->function : TN_NONE;
}

bool tn_context_same_callers(const struct tn_contexts *contexts, const struct tn_node *node,
                             const struct tn_node *caller)
{
    struct climb there = {node_above(node), node->function}, here = {caller, node->function};
    for (uint32_t i = 0; i < contexts->callers; i++) {
        uint32_t function = climb(&there);
        if (climb(&here) != function)
            return false;
        if (!function)
            break;
    }
    return true;
}

static uint32_t level_below(const struct tn_code *code, const struct tn_node *caller, uint32_t function)
{
    uint32_t most = tn_code_get_function(code, function)->separate_recs;
    const struct tn_node *node = most > 1 ? caller : NULL;
    while (node && node->function != function)
        node = node_above(node);
    uint32_t level = node ? tn_code_get_function(code, node->context)->level + 1 : 1;
    return level > most && most ? most : level;
}

/* ------------------------------------------------------------------------------------------ contexts */

struct context_key {
    uint32_t base, level, n;
    const uint32_t *callers;
};

static bool context_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_contexts *contexts = owner;
    const struct tn_function *entry = tn_code_get_function(contexts->code, id);
    const struct context_key *want = key;
    if (entry->base != want->base || entry->level != want->level || entry->callers != want->n)
        return false;
    for (uint32_t i = 0; i < want->n; i++) {
        if (tn_context_caller(contexts, id, i) != want->callers[i])
            return false;
    }
    return true;
}

static uint32_t context_make(struct tn_contexts *contexts, const struct context_key *key)
{
    struct tn_code *code = contexts->code;
    uint32_t id = code->functions.count;
    struct tn_function *entry = tn_array_add(&code->functions);
    *entry = *tn_code_get_function(code, key->base);
    contexts->made++;
    entry->base = key->base;
    entry->level = key->level;
    entry->callers = key->n;
    entry->first_caller = contexts->list.count;
    for (uint32_t i = 0; i < key->n; i++)
        *(uint32_t *)tn_array_add(&contexts->list) = key->callers[i];
    return id;
}

uint32_t tn_context_below(struct tn_contexts *contexts, const struct tn_node *caller, uint32_t function)
{
    uint32_t callers[TN_MAX_SEPARATE], hash = 0;
    uint32_t most = tn_code_get_function(contexts->code, function)->separate_callers;
    struct climb up = {caller, function};
    struct context_key key = {.base = function, .callers = callers};
    key.level = level_below(contexts->code, caller, function);
    while (key.n < most && climb(&up)) {
        callers[key.n++] = up.function;
        hash = tn_hash(hash, up.function);
    }
    if (key.n == 0 && key.level == 1)
        return function;
    hash = tn_hash((uint64_t)function << 32 | key.level, hash);
    uint32_t id = tn_table_find(&contexts->table, hash, context_equal, contexts, &key);
    if (!id) {
        id = context_make(contexts, &key);
        tn_table_add(&contexts->table, hash, id);
    }
    return id;
}

/* ------------------------------------------------------------------------------------------ derived things */

/* What is near in code has ids that are near, and stays near here. */
static struct tn_derived *recent_slot(struct tn_derived *list, uint32_t of, uint32_t context)
{
    return &list[(of + (context * 0x9e3779b1u >> (32 - RECENT_BITS))) & (RECENT - 1)];
}

/* Whether code of `function` in `context` is anything but itself. */
static bool is_derived(const struct tn_contexts *contexts, uint32_t function, uint32_t context)
{
    return context != function && tn_code_get_function(contexts->code, context)->base == function;
}

uint32_t tn_context_instr(struct tn_contexts *contexts, uint32_t instr, uint32_t context)
{
    struct tn_instr_info info = *tn_code_get_instr(contexts->code, instr);
    if (!is_derived(contexts, info.function, context))
        return instr;
    struct tn_derived *slot = recent_slot(contexts->recent_instrs, instr, context);
    if (slot->of != instr || slot->context != context) {
        info.function = context;
        *slot = (struct tn_derived){instr, context, tn_code_instr(contexts->code, &info)};
    }
    return slot->derived;
}

static uint32_t counter_make(struct tn_contexts *contexts, const struct tn_counter *counter, uint32_t context)
{
    struct tn_code *code = contexts->code;
    if (counter->kind != TN_COUNTER_SEGMENT)
        return tn_code_guarded(code, tn_context_instr(contexts, counter->first, context),
                               counter->kind == TN_COUNTER_WRITE, contexts->counter_limit);
    uint32_t n = counter->n, *instrs = tn_host_alloc(n * sizeof *instrs);
    for (uint32_t i = 0; i < n; i++)
        instrs[i] = tn_context_instr(contexts, tn_code_run(code, counter->first + i), context);
    uint32_t id = tn_code_segment(code, instrs, n, contexts->counter_limit);
    tn_host_free(instrs, n * sizeof *instrs);
    return id;
}

static bool derived_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_contexts *contexts = owner;
    const struct tn_derived *a = tn_array_at(&contexts->counters, id), *b = key;
    return a->of == b->of && a->context == b->context;
}

static uint32_t counter_in(struct tn_contexts *contexts, uint32_t counter, uint32_t context)
{
    const struct tn_counter *of = tn_code_get_counter(contexts->code, counter);
    uint32_t first = of->kind == TN_COUNTER_SEGMENT ? tn_code_run(contexts->code, of->first) : of->first;
    if (!is_derived(contexts, tn_code_get_instr(contexts->code, first)->function, context))
        return counter;
    struct tn_derived key = {.of = counter, .context = context};
    uint32_t hash = tn_hash(counter, context);
    uint32_t id = tn_table_find(&contexts->counter_table, hash, derived_equal, contexts, &key);
    if (!id) {
        key.derived = counter_make(contexts, of, context);
        id = contexts->counters.count;
        *(struct tn_derived *)tn_array_add(&contexts->counters) = key;
        tn_table_add(&contexts->counter_table, hash, id);
    }
    return ((struct tn_derived *)tn_array_at(&contexts->counters, id))->derived;
}

uint32_t tn_context_counter(struct tn_contexts *contexts, uint32_t counter, uint32_t context)
{
    struct tn_derived *slot = recent_slot(contexts->recent_counters, counter, context);
    if (slot->of != counter || slot->context != context)
        *slot = (struct tn_derived){counter, context, counter_in(contexts, counter, context)};
    return slot->derived;
}
