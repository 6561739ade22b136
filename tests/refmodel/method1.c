/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method1.c: see method1.h.
 *
 * A link is one activation on a chain: (link above, arc, function). Equal chains share links, so that a
 * chain is a number; chains are complete, recursion included. Costs lie at the last link of the chain they
 * belong to until the part ends. Folding (attribution.md, 4) is kept apart, in `struct path`, and only names
 * the rows called path.
 */
#include "method1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 16, MAX_FRAMES = 256, MAX_STACKS = 4 };

struct arc {
    uint32_t site, caller, callee;
    uint64_t calls;
};
struct link {
    uint32_t above, arc, function; /* above: 0 and arc: 0 for a root */
    uint32_t path, next_sibling, first_below;
    uint64_t cost[M_EVENTS];
};
struct path {
    uint32_t above, arc, function, thread;
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
struct level {
    struct stack stack[MAX_STACKS];
    uint32_t running;
};
struct thread {
    struct level *level[MAX_LEVELS];
    uint32_t levels;
    bool collecting;
};
struct self {
    uint32_t thread, instr;
    uint64_t cost[M_EVENTS];
};

/* Growing arrays, all with element 0 unused. LIST_NEW: the index of a new, zeroed last element. */
#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        type *at;                                                                                            \
        uint32_t count, room;                                                                                \
    }
#define LIST_NEW(list)                                                                                       \
    ((list).at = list_new((list).at, &(list).count, &(list).room, sizeof *(list).at), (list).count)

static void *list_new(void *at, uint32_t *count, uint32_t *room, size_t size)
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
    LIST(struct arc) arc;
    LIST(struct link) link;
    LIST(struct path) path;
    LIST(struct alias) alias;
    LIST(uint32_t) flags;
    LIST(uint64_t) calls; /* by function */
    LIST(struct self) self;
    LIST(uint32_t) self_slot[MODEL_MAX_THREADS]; /* by instruction: index into self */
    struct thread thread[MODEL_MAX_THREADS];
    bool dump_wanted;
    uint32_t epoch;
};

struct method1 *m1_new(void)
{
    return calloc(1, sizeof(struct method1));
}

void m1_free(struct method1 *m)
{
    free(m->arc.at), free(m->link.at), free(m->path.at), free(m->alias.at), free(m->flags.at),
        free(m->calls.at);
    free(m->self.at);
    for (int t = 0; t < MODEL_MAX_THREADS; t++) {
        free(m->self_slot[t].at);
        for (uint32_t l = 0; l < MAX_LEVELS; l++)
            free(m->thread[t].level[l]);
    }
    free(m);
}

void m1_function(struct method1 *m, uint32_t function, uint32_t flags)
{
    while (m->flags.count < function) {
        (void)LIST_NEW(m->flags);
        (void)LIST_NEW(m->calls);
    }
    m->flags.at[function] = flags;
}

/* ----------------------------------------------------------------------------------------- arcs and links */

static uint32_t find_arc(struct method1 *m, uint32_t site, uint32_t caller, uint32_t callee)
{
    uint32_t i;

    for (i = 1; i <= m->arc.count; i++)
        if (m->arc.at[i].site == site && m->arc.at[i].caller == caller && m->arc.at[i].callee == callee)
            return i;
    i = LIST_NEW(m->arc);
    m->arc.at[i] = (struct arc){site, caller, callee, 0};
    return i;
}

static bool function_on_chain(const struct method1 *m, uint32_t link, uint32_t function)
{
    for (; link; link = m->link.at[link].above)
        if (m->link.at[link].function == function)
            return true;
    return false;
}

/* ----------------------------------------------------------------------------------------- paths (folded) */

static bool arc_on_path(const struct method1 *m, uint32_t path, uint32_t arc)
{
    for (; path; path = m->path.at[path].above)
        if (m->path.at[path].arc == arc)
            return true;
    return false;
}

/* The set of a path's end is that of the path above it if its arc occurs there too. */
static bool same_set_as_above(const struct method1 *m, uint32_t path)
{
    return m->path.at[path].above && arc_on_path(m, m->path.at[path].above, m->path.at[path].arc);
}

static uint32_t path_below(struct method1 *m, uint32_t above, uint32_t arc, uint32_t function)
{
    uint32_t i;

    for (i = 1; i <= m->path.count; i++)
        if (m->path.at[i].above == above && m->path.at[i].arc == arc && m->path.at[i].function == function)
            return i;
    i = LIST_NEW(m->path);
    m->path.at[i] =
        (struct path){above, arc, function, m->path.at[above].thread, m->path.at[above].handler, 0};
    return i;
}

static uint32_t fold(struct method1 *m, uint32_t path, uint32_t arc, uint32_t function)
{
    if (arc_on_path(m, path, arc)) {
        for (uint32_t end = path;; end = m->path.at[end].above) {
            if (m->path.at[end].function == function)
                return end;
            if (!same_set_as_above(m, end))
                break;
        }
    }
    return path_below(m, path, arc, function);
}

static void count_call_of_path(struct method1 *m, uint32_t caller, uint32_t arc, uint32_t path)
{
    uint32_t i;

    if (m->path.at[path].above == caller && m->path.at[path].arc == arc) {
        m->path.at[path].calls++;
        return;
    }
    for (i = 1; i <= m->alias.count; i++)
        if (m->alias.at[i].path == caller && m->alias.at[i].arc == arc)
            break;
    if (i > m->alias.count) {
        i = LIST_NEW(m->alias);
        m->alias.at[i] = (struct alias){caller, arc, 0};
    }
    m->alias.at[i].calls++;
}

/* -------------------------------------------------------------------------------------------- activations */

static struct level *running_level(const struct method1 *m, uint32_t thread)
{
    assert(m->thread[thread].levels);
    return m->thread[thread].level[m->thread[thread].levels - 1];
}

static struct stack *running_stack(const struct method1 *m, uint32_t thread)
{
    struct level *level = running_level(m, thread);

    return &level->stack[level->running];
}

static struct frame *running_frame(const struct method1 *m, uint32_t thread)
{
    struct stack *stack = running_stack(m, thread);

    assert(stack->frames);
    return &stack->frame[stack->frames - 1];
}

static void at_entry(struct method1 *m, struct thread *t, uint32_t above, uint32_t function)
{
    uint32_t flags = function_on_chain(m, above, function) ? 0 : m->flags.at[function];

    if (flags & M1_ZERO_BEFORE)
        m1_zero(m);
    if (flags & M1_TOGGLE)
        t->collecting = !t->collecting;
    m->calls.at[function] += t->collecting;
    if (flags & M1_DUMP_BEFORE)
        m->dump_wanted = true;
}

static void at_exit(struct method1 *m, struct thread *t, uint32_t from, uint32_t to)
{
    for (; from != to; from = m->link.at[from].above) {
        uint32_t function = m->link.at[from].function;

        if (function_on_chain(m, m->link.at[from].above, function))
            continue;
        if (m->flags.at[function] & M1_TOGGLE)
            t->collecting = !t->collecting;
        if (m->flags.at[function] & M1_DUMP_AFTER)
            m->dump_wanted = true;
    }
}

/* The chain `above` enters `function` from `site`. */
static uint32_t enter(struct method1 *m, struct thread *t, uint32_t above, uint32_t site, uint32_t function)
{
    uint32_t arc = find_arc(m, site, m->link.at[above].function, function);
    uint32_t link;

    at_entry(m, t, above, function);
    for (link = m->link.at[above].first_below; link; link = m->link.at[link].next_sibling)
        if (m->link.at[link].arc == arc)
            break;
    if (!link) {
        link = LIST_NEW(m->link);
        m->link.at[link].above = above;
        m->link.at[link].arc = arc;
        m->link.at[link].function = function;
        m->link.at[link].path = fold(m, m->link.at[above].path, arc, function);
        m->link.at[link].next_sibling = m->link.at[above].first_below;
        m->link.at[above].first_below = link;
    }
    m->arc.at[arc].calls += t->collecting;
    if (t->collecting)
        count_call_of_path(m, m->link.at[above].path, arc, m->link.at[link].path);
    return link;
}

static uint32_t new_root(struct method1 *m, uint32_t thread, bool handler, uint32_t function)
{
    uint32_t link = LIST_NEW(m->link), path = LIST_NEW(m->path);

    m->path.at[path] = (struct path){0, 0, function, thread, handler, 0};
    m->link.at[link].function = function;
    m->link.at[link].path = path;
    return link;
}

static void begin_level(struct method1 *m, uint32_t thread, uint32_t function)
{
    struct thread *t = &m->thread[thread];
    uint32_t root = new_root(m, thread, t->levels > 0, function);
    struct level *level;

    assert(t->levels < MAX_LEVELS);
    if (!t->level[t->levels])
        t->level[t->levels] = calloc(1, sizeof *level);
    level = t->level[t->levels++];
    level->running = 0;
    for (int i = 0; i < MAX_STACKS; i++)
        level->stack[i].frames = 0;
    level->stack[0].frame[0] = (struct frame){root, 0};
    level->stack[0].frames = 1;
    at_entry(m, t, 0, function);
    m->path.at[m->link.at[root].path].calls += t->collecting;
}

static void end_level(struct method1 *m, uint32_t thread)
{
    m1_unwind(m, thread, m1_frames(m, thread) - 1);
    at_exit(m, &m->thread[thread], running_frame(m, thread)->link, 0);
    m->thread[thread].levels--;
}

void m1_begin(struct method1 *m, uint32_t thread, uint32_t function)
{
    assert(!m->thread[thread].levels);
    begin_level(m, thread, function);
}

void m1_end(struct method1 *m, uint32_t thread)
{
    while (m->thread[thread].levels)
        end_level(m, thread);
}

void m1_off(struct method1 *m)
{
    for (uint32_t t = 0; t < MODEL_MAX_THREADS; t++)
        m1_end(m, t);
}

void m1_signal_enter(struct method1 *m, uint32_t thread, uint32_t function)
{
    begin_level(m, thread, function);
}

void m1_signal_leave(struct method1 *m, uint32_t thread)
{
    assert(m->thread[thread].levels > 1);
    end_level(m, thread);
}

void m1_call(struct method1 *m, uint32_t thread, uint32_t site, uint32_t function)
{
    struct stack *stack = running_stack(m, thread);
    struct frame *frame = running_frame(m, thread), *new = frame + 1;

    assert(stack->frames < MAX_FRAMES);
    site = frame->skip_site ? frame->skip_site : site;
    if (m->flags.at[function] & M1_SKIP)
        *new = (struct frame){frame->link, site};
    else
        *new = (struct frame){enter(m, &m->thread[thread], frame->link, site, function), 0};
    stack->frames++;
}

void m1_jump(struct method1 *m, uint32_t thread, uint32_t site, uint32_t function)
{
    struct frame *frame = running_frame(m, thread);
    const struct link *link = &m->link.at[frame->link];
    uint32_t above = frame->link;

    if (frame->skip_site) {
        site = frame->skip_site;
    } else if ((m->flags.at[link->function] & M1_POP_ON_JUMP) && link->above) {
        site = m->arc.at[link->arc].site;
        above = link->above;
        at_exit(m, &m->thread[thread], frame->link, above);
    }
    if (m->flags.at[function] & M1_SKIP)
        *frame = (struct frame){above, site};
    else
        *frame = (struct frame){enter(m, &m->thread[thread], above, site, function), 0};
}

void m1_unwind(struct method1 *m, uint32_t thread, uint32_t frames)
{
    struct stack *stack = running_stack(m, thread);

    for (; frames; frames--) {
        assert(stack->frames > 1);
        at_exit(m, &m->thread[thread], stack->frame[stack->frames - 1].link,
                stack->frame[stack->frames - 2].link);
        stack->frames--;
    }
}

void m1_raise(struct method1 *m, uint32_t thread, uint32_t function)
{
    struct stack *stack = running_stack(m, thread);
    uint32_t root = stack->frame[0].link, parent, arc, old_path, new_path;

    m1_unwind(m, thread, stack->frames - 1);
    at_exit(m, &m->thread[thread], root, 0);
    while (m->link.at[root].above)
        root = m->link.at[root].above;
    parent = new_root(m, thread, m->thread[thread].levels > 1, function);
    arc = find_arc(m, 0, function, m->link.at[root].function);
    m->link.at[root].above = parent;
    m->link.at[root].arc = arc;
    old_path = m->link.at[root].path;
    new_path = m->link.at[parent].path;
    m->path.at[old_path].above = new_path;
    m->path.at[old_path].arc = arc;
    m->arc.at[arc].calls += m->path.at[old_path].calls; /* its beginning was a call, by this arc */
    stack->frame[0] = (struct frame){parent, 0};
}

void m1_stack(struct method1 *m, uint32_t thread, uint32_t number, uint32_t site, uint32_t function)
{
    struct level *level = running_level(m, thread);
    uint32_t from = running_frame(m, thread)->link;

    level->running = number;
    if (level->stack[number].frames)
        return;
    level->stack[number].frame[0] = (struct frame){enter(m, &m->thread[thread], from, site, function), 0};
    level->stack[number].frames = 1;
}

uint32_t m1_frames(const struct method1 *m, uint32_t thread)
{
    return running_stack(m, thread)->frames;
}

uint32_t m1_levels(const struct method1 *m, uint32_t thread)
{
    return m->thread[thread].levels;
}

/* -------------------------------------------------------------------------------------------------- costs */

static uint64_t *self_cost(struct method1 *m, uint32_t thread, uint32_t instr)
{
    while (m->self_slot[thread].count < instr)
        (void)LIST_NEW(m->self_slot[thread]);
    if (!m->self_slot[thread].at[instr]) {
        uint32_t i = LIST_NEW(m->self);

        m->self.at[i].thread = thread;
        m->self.at[i].instr = instr;
        m->self_slot[thread].at[instr] = i;
    }
    return m->self.at[m->self_slot[thread].at[instr]].cost;
}

struct model_payer m1_payer(const struct method1 *m, uint32_t thread, uint32_t instr)
{
    const struct frame *frame = running_frame(m, thread);

    return (struct model_payer){thread, frame->skip_site ? frame->skip_site : instr, frame->link, m->epoch,
                                m->thread[thread].collecting};
}

void m1_charge(void *user, const struct model_payer *payer, int event, uint64_t amount)
{
    struct method1 *m = user;

    if (!payer->pays || payer->epoch != m->epoch)
        return;
    self_cost(m, payer->thread, payer->instr)[event] += amount;
    m->link.at[payer->chain].cost[event] += amount;
}

void m1_count(struct method1 *m, uint32_t thread, uint32_t instr, int event, uint64_t amount)
{
    struct model_payer payer = m1_payer(m, thread, instr);

    m1_charge(m, &payer, event, amount);
}

void m1_thread(struct method1 *m, uint32_t thread, bool collecting)
{
    m->thread[thread].collecting = collecting;
}

void m1_collect(struct method1 *m, bool on)
{
    for (int t = 0; t < MODEL_MAX_THREADS; t++)
        m->thread[t].collecting = on;
}

bool m1_collecting(const struct method1 *m, uint32_t thread)
{
    return m->thread[thread].collecting;
}

bool m1_dump_wanted(struct method1 *m)
{
    bool wanted = m->dump_wanted;

    m->dump_wanted = false;
    return wanted;
}

static void forget(struct method1 *m)
{
    for (uint32_t i = 1; i <= m->link.count; i++)
        memset(m->link.at[i].cost, 0, sizeof m->link.at[i].cost);
    for (uint32_t i = 1; i <= m->self.count; i++)
        memset(m->self.at[i].cost, 0, sizeof m->self.at[i].cost);
    for (uint32_t i = 1; i <= m->calls.count; i++)
        m->calls.at[i] = 0;
    for (uint32_t i = 1; i <= m->arc.count; i++)
        m->arc.at[i].calls = 0;
    for (uint32_t i = 1; i <= m->path.count; i++)
        m->path.at[i].calls = 0;
    for (uint32_t i = 1; i <= m->alias.count; i++)
        m->alias.at[i].calls = 0;
}

void m1_zero(struct method1 *m)
{
    forget(m);
    m->epoch++;
}

/* -------------------------------------------------------------------------------------------------- parts */

static char *print_path(const struct method1 *m, uint32_t path, char *end)
{
    const struct path *p = &m->path.at[path];

    if (!p->above)
        return end + sprintf(end, "t%u%s/f%u", p->thread, p->handler ? "h" : "", p->function);
    end = print_path(m, p->above, end);
    return end + sprintf(end, "/i%u.f%u", m->arc.at[p->arc].site, p->function);
}

static void arc_key(const struct method1 *m, uint32_t arc, char *key)
{
    sprintf(key, "arc i%u f%u f%u", m->arc.at[arc].site, m->arc.at[arc].caller, m->arc.at[arc].callee);
}

/* One cost, the whole chain: each distinct arc and function once. */
static void charge_chain(const struct method1 *m, uint32_t last, struct sheet *sheet)
{
    const uint64_t *cost = m->link.at[last].cost;
    char key[64];

    for (uint32_t link = last; link; link = m->link.at[link].above) {
        const struct link *l = &m->link.at[link];
        bool seen_arc = false, seen_function = false;

        for (uint32_t lower = last; lower != link; lower = m->link.at[lower].above) {
            seen_arc |= m->link.at[lower].arc == l->arc;
            seen_function |= m->link.at[lower].function == l->function;
        }
        if (l->arc && !seen_arc) {
            arc_key(m, l->arc, key);
            sheet_add(sheet, key, cost, 0);
        }
        if (!seen_function) {
            sprintf(key, "func f%u", l->function);
            sheet_add(sheet, key, cost, 0);
        }
    }
    sprintf(key, "func f%u self", m->link.at[last].function);
    sheet_add(sheet, key, cost, 0);
    sheet_add(sheet, "total", cost, 0);
}

static void charge_path(const struct method1 *m, uint32_t path, const uint64_t *cost, struct sheet *sheet)
{
    static char key[1 << 20];

    strcpy(key, "path ");
    print_path(m, path, key + 5);
    sheet_add(sheet, key, cost, 0);
    for (; path; path = m->path.at[path].above) {
        strcpy(key, "incl ");
        print_path(m, path, key + 5);
        sheet_add(sheet, key, cost, 0);
    }
}

static void write_calls(const struct method1 *m, struct sheet *sheet)
{
    static char key[1 << 20];

    for (uint32_t i = 1; i <= m->arc.count; i++) {
        arc_key(m, i, key);
        sheet_add(sheet, key, NULL, m->arc.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->calls.count; i++) {
        sprintf(key, "func f%u", i);
        sheet_add(sheet, key, NULL, m->calls.at[i]);
    }
    for (uint32_t i = 1; i <= m->path.count; i++) {
        strcpy(key, "path ");
        print_path(m, i, key + 5);
        sheet_add(sheet, key, NULL, m->path.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->alias.count; i++) {
        const struct alias *alias = &m->alias.at[i];
        char *end = print_path(m, alias->path, key + sprintf(key, "alias "));

        sprintf(end, "/i%u.f%u", m->arc.at[alias->arc].site, m->arc.at[alias->arc].callee);
        sheet_add(sheet, key, NULL, alias->calls);
    }
}

void m1_part(struct method1 *m, struct sheet *sheet)
{
    static const uint64_t zero[M_EVENTS];
    uint64_t(*by_path)[M_EVENTS] = calloc(m->path.count + 1, sizeof *by_path);

    sheet_clear(sheet);
    for (uint32_t i = 1; i <= m->self.count; i++) {
        char key[64];

        if (!memcmp(m->self.at[i].cost, zero, sizeof zero))
            continue;
        sprintf(key, "self t%u i%u", m->self.at[i].thread, m->self.at[i].instr);
        sheet_add(sheet, key, m->self.at[i].cost, 0);
    }
    for (uint32_t i = 1; i <= m->link.count; i++) {
        const uint64_t *cost = m->link.at[i].cost;

        if (!memcmp(cost, zero, sizeof zero))
            continue;
        charge_chain(m, i, sheet);
        for (int e = 0; e < M_EVENTS; e++)
            by_path[m->link.at[i].path][e] += cost[e];
    }
    for (uint32_t i = 1; i <= m->path.count; i++)
        if (memcmp(by_path[i], zero, sizeof zero))
            charge_path(m, i, by_path[i], sheet);
    write_calls(m, sheet);
    free(by_path);
    forget(m);
}
