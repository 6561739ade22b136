/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains.c: see chains.h. A data flow problem, solved by going over the blocks until nothing changes: what comes into a
 * block is what any way brings. Loads only ever get lower, so it ends.
 */
#include "profile/code/chains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGISTERS = 16, /* by their number in an instruction's code */
    SLOTS = 32,     /* of the stack: the first that a function uses */
    VECTORS = 32,
    FIRST_VECTOR = REGISTERS + SLOTS,
    FLAGS = FIRST_VECTOR + VECTORS,
    PLACES = FLAGS + 1,
    MOST = 4,
    LINE = 64,
    SAVED = 1 << 3 | 1 << 4 | 1 << 5 | 0xf << 12,               /* rbx, rsp, rbp, r12 to r15: calls keep them */
    ARGUMENTS = 1 << 7 | 1 << 6 | 1 << 2 | 1 << 1 | 1 << 8 | 1 << 9 /* rdi, rsi, rdx, rcx, r8, r9 */
};

/* Loads: sites + 1 in their order, then those COMPARED, then zeroes. */
struct origins {
    uint32_t load[MOST];
};

/* The mark of a load of whose value an address is not made, but which decides, through flags or vector registers, what
 * address it is. */
#define COMPARED (1u << 31)

struct state {
    struct origins place[PLACES];
};

/* A site and a load of its address. */
struct link {
    uint32_t site, load;
    bool beside, compared;
};

struct chains {
    struct tp_chains *out;
    const struct tp_graph *graph;
    struct state *at; /* by block: what is where when it is entered */
    bool *reached;    /* by block */
    bool *forks;      /* by site: what it loads, of an address that it has loaded itself, is one of several pointers */
    TP_VECTOR(struct link) links; /* by site */
    struct {
        int32_t displacement;
        uint8_t base;
    } slot[SLOTS];
    uint32_t slots;
};

/* ------------------------------------------------------------------------------------------ sets of loads */

static bool add_load(struct origins *to, uint32_t load)
{
    uint32_t i = 0, last;

    while (i < MOST && to->load[i] && to->load[i] < load) {
        if (to->load[i] == (load & ~COMPARED))
            return false;
        i++;
    }
    if (i == MOST || to->load[i] == load)
        return false;
    for (last = i; last < MOST - 1 && to->load[last] && to->load[last] != (load | COMPARED);)
        last++;
    memmove(&to->load[i + 1], &to->load[i], (last - i) * sizeof to->load[0]);
    to->load[i] = load;
    return true;
}

static bool add_origins(struct origins *to, const struct origins *from)
{
    bool changed = false;

    for (uint32_t i = 0; i < MOST && from->load[i]; i++)
        changed |= add_load(to, from->load[i]);
    return changed;
}

static void add_registers(struct origins *to, const struct state *state, uint32_t registers)
{
    for (uint32_t i = 0; i < REGISTERS; i++) {
        if (registers >> i & 1)
            add_origins(to, &state->place[i]);
    }
}

static struct origins compared(const struct origins *from)
{
    struct origins to = {{0}};

    for (uint32_t i = 0; i < MOST && from->load[i]; i++)
        add_load(&to, from->load[i] | COMPARED);
    return to;
}

/* ------------------------------------------------------------------------------------------ instructions */

/* The place of the stack's slot that an instruction reads or writes; PLACES: none that is known. */
static uint32_t slot_of(struct chains *c, const struct tp_decoded *code)
{
    uint32_t i = 0;

    if (!code->in_slot)
        return PLACES;
    while (i < c->slots && (c->slot[i].displacement != code->displacement || c->slot[i].base != code->slot_base))
        i++;
    if (i == SLOTS)
        return PLACES;
    if (i == c->slots) {
        c->slot[i].displacement = code->displacement;
        c->slot[i].base = code->slot_base;
        c->slots++;
    }
    return REGISTERS + i;
}

/* What a call leaves: nothing in registers that it need not keep; and its arguments are those of the beginning, if the
 * function calls itself. */
static bool call(struct chains *c, struct state *state, const struct tp_decoded *code)
{
    struct state *entry = &c->at[c->graph->outside];
    bool changed = false;

    for (uint32_t i = 0; i < REGISTERS; i++) {
        if (code->target == c->graph->start && ARGUMENTS >> i & 1)
            changed |= add_origins(&entry->place[i], &state->place[i]);
        if (!(SAVED >> i & 1))
            state->place[i] = (struct origins){{0}};
    }
    memset(&state->place[FIRST_VECTOR], 0, (PLACES - FIRST_VECTOR) * sizeof *state->place);
    return changed;
}

/* Returns whether what a function begins with has changed. */
static bool execute(struct chains *c, struct state *state, uint32_t site)
{
    const struct tp_decoded *code = &c->graph->code.at[site];
    struct origins value = {{0}};
    uint32_t slot;

    if (code->flow == TP_FLOW_CALL)
        return call(c, state, code);
    slot = code->loads || code->stores ? slot_of(c, code) : PLACES;
    add_registers(&value, state, code->reads);
    for (uint32_t left = (uint32_t)(code->uses >> REGISTERS); left; left &= left - 1)
        add_origins(&value, &state->place[FIRST_VECTOR + __builtin_ctz(left)]);
    if (code->chooses)
        add_origins(&value, &state->place[FLAGS]);
    if (code->loads && slot < PLACES)
        add_origins(&value, &state->place[slot]);
    else if (code->loads)
        add_load(&value, site + 1);
    for (uint32_t i = 0; i < REGISTERS; i++) {
        if (!(code->writes >> i & 1))
            continue;
        if (code->keeps)
            add_origins(&state->place[i], &value);
        else
            state->place[i] = value;
    }
    if (code->stores && slot < PLACES)
        state->place[slot] = value;
    value = compared(&value);
    for (uint32_t left = (uint32_t)(code->sets >> REGISTERS); left; left &= left - 1)
        state->place[FIRST_VECTOR + __builtin_ctz(left)] = value;
    if (code->compares)
        state->place[FLAGS] = value;
    return false;
}

/* ------------------------------------------------------------------------------------------ blocks */

static bool leave(struct chains *c, const struct state *state, uint32_t block)
{
    const struct tp_graph *graph = c->graph;
    bool changed = false;

    for (uint32_t w = graph->first_out.at[block]; w < graph->first_out.at[block + 1]; w++) {
        const struct tp_way *way = &graph->ways.at[w];
        if (!way->count || way->to == graph->outside)
            continue;
        changed |= !c->reached[way->to];
        c->reached[way->to] = true;
        for (uint32_t i = 0; i < PLACES; i++)
            changed |= add_origins(&c->at[way->to].place[i], &state->place[i]);
    }
    return changed;
}

static void solve(struct chains *c)
{
    const struct tp_graph *graph = c->graph;
    bool changed = true;

    c->reached[graph->outside] = true;
    while (changed) {
        changed = leave(c, &c->at[graph->outside], graph->outside);
        for (uint32_t b = 0; b < graph->blocks.count; b++) {
            const struct tp_block *block = &graph->blocks.at[b];
            if (!c->reached[b] || b == graph->outside)
                continue;
            struct state state = c->at[b];
            for (uint32_t i = 0; i < block->sites; i++)
                changed |= execute(c, &state, block->first + i);
            changed |= leave(c, &state, b);
        }
    }
}

static bool is_beside(const struct tp_graph *graph, uint32_t site, uint32_t load)
{
    const struct tp_decoded *a = &graph->code.at[site], *b = &graph->code.at[load];
    int64_t apart = (int64_t)a->displacement - b->displacement;

    return site != load && a->address == b->address && apart < LINE && apart > -LINE;
}

static bool has_load(const struct origins *origins, uint32_t load)
{
    bool is = false;

    for (uint32_t i = 0; i < MOST; i++)
        is |= origins->load[i] == load;
    return is;
}

/* Whether a load's address is what it has loaded itself and an index that is new each time: that is in a register
 * `written` in the block, by something else than a load from a place that stays the same. */
static bool forks(const struct tp_graph *graph, const struct state *state, uint32_t site, uint32_t written)
{
    bool itself = false, index = false;

    for (uint32_t i = 0; i < REGISTERS && graph->code.at[site].loads; i++) {
        const struct origins *origins = &state->place[i];
        if (!(graph->code.at[site].address >> i & 1))
            continue;
        bool is = has_load(origins, site + 1), varies = written >> i & 1;
        for (uint32_t k = 0; k < MOST && origins->load[k]; k++)
            varies &= graph->code.at[(origins->load[k] & ~COMPARED) - 1].address != 0;
        itself |= is;
        index |= !is && varies;
    }
    return itself && index;
}

/* The loads that the branch at the end of a block compares. */
static int guess(struct chains *c, const struct state *state, uint32_t b, const bool *wanted)
{
    const struct tp_graph *graph = c->graph;
    const struct tp_way *ways = &graph->ways.at[graph->first_out.at[b]];
    uint32_t branch = graph->blocks.at[b].first + graph->blocks.at[b].sites - 1;
    const struct origins *flags = &state->place[FLAGS];

    if (graph->code.at[branch].flow != TP_FLOW_BRANCH || graph->first_out.at[b + 1] - graph->first_out.at[b] != 2)
        return 0;
    if (ways[0].count == TP_FLOW_UNKNOWN_COUNT || ways[1].count == TP_FLOW_UNKNOWN_COUNT)
        return 0;
    double one = (double)ways[0].count, other = (double)ways[1].count, wrong = fmin(one, other) / fmax(1, one + other);
    for (uint32_t k = 0; k < MOST && flags->load[k]; k++) {
        uint32_t load = (flags->load[k] & ~COMPARED) - 1;
        if (wanted[load] && !TP_VECTOR_PUSH(&c->out->guesses, (struct tp_guess){branch, load, wrong}))
            return -1;
    }
    return 0;
}

/* The loads of each access, and of each branch. */
static int gather(struct chains *c, const bool *wanted)
{
    const struct tp_graph *graph = c->graph;

    for (uint32_t b = 0; b < graph->blocks.count; b++) {
        struct state state = c->at[b];
        uint32_t written = 0;
        for (uint32_t i = 0; c->reached[b] && i < graph->blocks.at[b].sites; i++) {
            uint32_t site = graph->blocks.at[b].first + i;
            struct origins origins = {{0}};
            add_registers(&origins, &state, graph->code.at[site].address);
            for (uint32_t k = 0; k < MOST && origins.load[k]; k++) {
                uint32_t load = (origins.load[k] & ~COMPARED) - 1;
                struct link link = {site, load, is_beside(graph, site, load), origins.load[k] & COMPARED};
                if (!TP_VECTOR_PUSH(&c->links, link))
                    return -1;
            }
            c->forks[site] = forks(graph, &state, site, written);
            execute(c, &state, site);
            written |= graph->code.at[site].writes;
        }
        if (c->reached[b] && graph->blocks.at[b].sites && guess(c, &state, b, wanted))
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ circles */

/* The first of the links of a site, or where they would be. */
static uint32_t links_first(const struct chains *c, uint32_t site)
{
    uint32_t low = 0, high = (uint32_t)c->links.count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->links.at[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the address of the access at `site` is made, in one step or several, of what it has loaded itself; or, with
 * `compared`, chosen by that. `seen` and `stack` have room for all sites, and `seen` is `mark` where it has been. */
static bool leads_to_itself(const struct chains *c, uint32_t site, bool compared, uint32_t *seen, uint32_t mark,
                            uint32_t *stack)
{
    uint32_t depth = 0;

    stack[depth++] = site;
    while (depth) {
        uint32_t at = stack[--depth];
        for (uint32_t i = links_first(c, at); i < c->links.count && c->links.at[i].site == at; i++) {
            uint32_t load = c->links.at[i].load;
            if (c->links.at[i].compared && !compared)
                continue;
            if (load == site)
                return true;
            if (seen[load] == mark)
                continue;
            seen[load] = mark;
            stack[depth++] = load;
        }
    }
    return false;
}

static int link_order(const void *a, const void *b)
{
    const struct link *x = a, *y = b;

    return x->site != y->site ? TP_COMPARE(x->site, y->site) : TP_COMPARE(x->load, y->load);
}

/* Those of sites that are wanted are told. */
static int find_circles(struct chains *c, const bool *wanted)
{
    uint32_t sites = c->graph->sites, mark = 0;
    uint32_t *seen = calloc(sites, sizeof *seen), *stack = calloc(sites, sizeof *stack);
    bool failed = !seen || !stack;

    if (c->links.count > 0)
        qsort(c->links.at, c->links.count, sizeof *c->links.at, link_order);
    for (uint32_t site = 0; !failed && site < sites; site++) {
        bool follows = false;
        if (!wanted[site])
            continue;
        for (uint32_t i = links_first(c, site); i < c->links.count && c->links.at[i].site == site; i++) {
            const struct link *link = &c->links.at[i];
            struct tp_chain chain = {site, link->load, link->beside, 0};
            if (link->compared)
                continue;
            if (leads_to_itself(c, link->load, false, seen, ++mark, stack)) {
                chain.circular = c->forks[link->load] ? TP_CHAIN_FORKS : TP_CHAIN_FOLLOWS;
                follows = true;
            }
            failed |= !TP_VECTOR_PUSH(&c->out->list, chain);
        }
        if (!follows && leads_to_itself(c, site, true, seen, ++mark, stack))
            failed |= !TP_VECTOR_PUSH(&c->out->list, (struct tp_chain){site, site, false, TP_CHAIN_CHOSEN});
    }
    free(seen);
    free(stack);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_chains_make(struct tp_chains *chains, const struct tp_graph *graph, const bool *wanted)
{
    struct chains c = {.out = chains, .graph = graph, .at = calloc(graph->blocks.count, sizeof *c.at),
                       .reached = calloc(graph->blocks.count, sizeof *c.reached),
                       .forks = calloc(graph->sites, sizeof *c.forks)};
    bool failed = !c.at || !c.reached || !c.forks;

    chains->list.count = chains->guesses.count = 0;
    if (!failed) {
        solve(&c);
        failed = gather(&c, wanted) || find_circles(&c, wanted);
    }
    free(c.at);
    free(c.reached);
    free(c.forks);
    TP_VECTOR_FREE(&c.links);
    return failed ? -1 : 0;
}

void tp_chains_free(struct tp_chains *chains)
{
    TP_VECTOR_FREE(&chains->list);
    TP_VECTOR_FREE(&chains->guesses);
}
