/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method1.c: see method1.h.
 *
 * A link is one activation on a chain: (link above, arc, function). Equal chains share links, so that a
 * chain is a number; chains are complete, recursion included. Costs lie at the last link of the chain they
 * belong to until the part ends. Folding (attribution.md, 4) is kept apart, in `struct path`, and only names
 * the rows called path.
 */
#include "method1_own.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct method1 *m1_new(uint32_t most_callers, uint32_t most_pairs, struct memory_model *memory)
{
    struct method1 *m = calloc(1, sizeof *m);

    m->most_callers = most_callers;
    m->again.most = m->reuse.most = most_pairs;
    again_clear(&m->again), again_clear(&m->reuse), sheet_clear(&m->shared);
    m->memory = memory;
    return m;
}

void m1_free(struct method1 *m)
{
    free(m->arc.at), free(m->link.at), free(m->path.at), free(m->alias.at), free(m->function.at), free(m->name.at);
    free(m->held.at);
    sheet_clear(&m->shared), free(m->shared.row), free(m->shared.slot);
    again_clear(&m->again), free(m->again.pairs.row), free(m->again.pairs.slot);
    again_clear(&m->reuse), free(m->reuse.pairs.row), free(m->reuse.pairs.slot);
    for (uint32_t i = 1; i <= m->self.count; i++)
        free(m->self.at[i].habit);
    free(m->self.at);
    for (int t = 0; t < MODEL_MAX_THREADS; t++) {
        free(m->self_slot[t].at);
        for (uint32_t l = 0; l < MAX_LEVELS; l++)
            free(m->thread[t].level[l]);
    }
    free(m);
}

static uint32_t find_name(struct method1 *m, const char *text, bool is_context)
{
    uint32_t i;

    for (i = 1; i <= m->name.count; i++)
        if (m->name.at[i].is_context == is_context && !strcmp(m->name.at[i].text, text))
            return i;
    i = LIST_NEW(m->name);
    strcpy(m->name.at[i].text, text);
    m->name.at[i].is_context = is_context;
    m->name.at[i].is_plain = !strchr(text, '\'');
    return i;
}

/* The function alone. */
static uint32_t plain_context(struct method1 *m, uint32_t function)
{
    char text[16];

    sprintf(text, "f%u", function);
    return find_name(m, text, true);
}

void m1_function(struct method1 *m, uint32_t function, uint32_t flags, uint32_t callers, uint32_t recs)
{
    while (m->function.count < function)
        (void)LIST_NEW(m->function);
    m->function.at[function] = (struct function){flags, callers, recs};
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

/* ----------------------------------------------------------------------------------------------- contexts */

/* The activation that called this one, as far as anybody saw: a missing parent that was found later is none. */
static uint32_t seen_caller(const struct method1 *m, uint32_t link)
{
    return m->link.at[link].arc && m->arc.at[m->link.at[link].arc].site ? m->link.at[link].above : 0;
}

/* "'f2'f1": at most `most` callers of `function`, when `above` calls it. */
static void name_callers(const struct method1 *m, uint32_t above, uint32_t function, uint32_t most, char *text)
{
    *text = 0;
    for (uint32_t link = above, last = function; link && most; link = seen_caller(m, link)) {
        if (m->link.at[link].function == last)
            continue;
        last = m->link.at[link].function;
        text += sprintf(text, "'f%u", last);
        most--;
    }
}

static uint32_t level_of_recursion(const struct method1 *m, uint32_t above, uint32_t function)
{
    uint32_t most = m->function.at[function].recs, level = 1;

    for (uint32_t link = above; link; link = seen_caller(m, link))
        if (m->link.at[link].function == function && m->link.at[link].level >= level)
            level = m->link.at[link].level + 1;
    return level <= most ? level : most ? most : 1;
}

static uint32_t context_of_call(struct method1 *m, uint32_t above, uint32_t function, uint32_t level)
{
    char text[MAX_NAME], *end = text + sprintf(text, "f%u", function);

    if (level > 1)
        end += sprintf(end, "'%u", level);
    name_callers(m, above, function, m->function.at[function].callers, end);
    return find_name(m, text, true);
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

static uint32_t path_below(struct method1 *m, uint32_t above, uint32_t arc, uint32_t callers)
{
    uint32_t i;

    for (i = 1; i <= m->path.count; i++)
        if (m->path.at[i].above == above && m->path.at[i].arc == arc)
            return i;
    i = LIST_NEW(m->path);
    m->path.at[i] = (struct path){above,   arc, m->arc.at[arc].callee,
                                  callers, m->path.at[above].thread, m->path.at[above].handler, 0};
    return i;
}

static uint32_t fold(struct method1 *m, uint32_t path, uint32_t arc, uint32_t callers)
{
    if (arc_on_path(m, path, arc)) {
        for (uint32_t end = path;; end = m->path.at[end].above) {
            if (m->path.at[end].context == m->arc.at[arc].callee && m->path.at[end].callers == callers)
                return end;
            if (!same_set_as_above(m, end))
                break;
        }
    }
    return path_below(m, path, arc, callers);
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

static bool is_entered(const struct level *level, uint32_t function)
{
    for (uint32_t i = 0; i < level->entries; i++)
        if (level->entry[i].function == function)
            return true;
    return false;
}

/* `frame` of the running stack begins to run `function`. */
static void at_entry(struct method1 *m, struct thread *t, uint32_t frame, uint32_t function, uint32_t context)
{
    struct level *level = t->level[t->levels - 1];
    uint32_t flags = is_entered(level, function) ? 0 : m->function.at[function].flags & M1_ENTRY;

    if (flags) {
        assert(level->entries < MAX_ENTRIES);
        level->entry[level->entries++] = (struct entry){function, level->running, frame};
    }
    if (flags & M1_ZERO_BEFORE)
        m1_zero(m);
    if (flags & M1_TOGGLE)
        t->collecting = !t->collecting;
    m->name.at[context].calls += t->collecting;
    if (flags & M1_DUMP_BEFORE)
        m->dump_wanted = true;
}

/* The frames of `stack` from number `from` on have ended. */
static void at_exit(struct method1 *m, struct thread *t, uint32_t stack, uint32_t from)
{
    struct level *level = t->level[t->levels - 1];

    for (uint32_t i = level->entries; i-- > 0;) {
        uint32_t flags = m->function.at[level->entry[i].function].flags;

        if (level->entry[i].stack != stack || level->entry[i].frame < from)
            continue;
        if (flags & M1_TOGGLE)
            t->collecting = !t->collecting;
        if (flags & M1_DUMP_AFTER)
            m->dump_wanted = true;
        level->entry[i] = level->entry[--level->entries];
    }
}

/* The chain `above` enters `function` from `site`, in `frame` of the running stack. */
static uint32_t enter(struct method1 *m, struct thread *t, uint32_t above, uint32_t site, uint32_t function,
                      uint32_t frame)
{
    uint32_t level = level_of_recursion(m, above, function), link;
    uint32_t context = context_of_call(m, above, function, level);
    uint32_t arc = find_arc(m, site, m->link.at[above].context, context);
    char callers[MAX_NAME];

    name_callers(m, above, function, m->most_callers, callers);
    at_entry(m, t, frame, function, context);
    for (link = m->link.at[above].first_below; link; link = m->link.at[link].next_sibling)
        if (m->link.at[link].arc == arc)
            break;
    if (!link) {
        link = LIST_NEW(m->link);
        m->link.at[link].above = above;
        m->link.at[link].arc = arc;
        m->link.at[link].function = function;
        m->link.at[link].context = context;
        m->link.at[link].level = level;
        m->link.at[link].path = fold(m, m->link.at[above].path, arc, find_name(m, callers, false));
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

    m->link.at[link].function = function;
    m->link.at[link].context = plain_context(m, function);
    m->link.at[link].level = 1;
    m->path.at[path] = (struct path){0, 0, m->link.at[link].context, find_name(m, "", false), thread, handler, 0};
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
    level->running = level->entries = 0;
    for (int i = 0; i < MAX_STACKS; i++)
        level->stack[i].frames = 0;
    level->stack[0].frame[0] = (struct frame){root, 0};
    level->stack[0].frames = 1;
    at_entry(m, t, 0, function, m->link.at[root].context);
    m->path.at[m->link.at[root].path].calls += t->collecting;
}

static void end_level(struct method1 *m, uint32_t thread)
{
    for (uint32_t stack = 0; stack < MAX_STACKS; stack++)
        at_exit(m, &m->thread[thread], stack, 0);
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
    if (m->function.at[function].flags & M1_SKIP)
        *new = (struct frame){frame->link, site};
    else
        *new = (struct frame){enter(m, &m->thread[thread], frame->link, site, function, stack->frames), 0};
    stack->frames++;
}

void m1_jump(struct method1 *m, uint32_t thread, uint32_t site, uint32_t function)
{
    struct frame *frame = running_frame(m, thread);
    const struct link *link = &m->link.at[frame->link];
    uint32_t above = frame->link;

    if (frame->skip_site) {
        site = frame->skip_site;
    } else if ((m->function.at[link->function].flags & M1_POP_ON_JUMP) && link->above) {
        site = m->arc.at[link->arc].site;
        above = link->above;
    }
    if (m->function.at[function].flags & M1_SKIP)
        *frame = (struct frame){above, site};
    else
        *frame = (struct frame){enter(m, &m->thread[thread], above, site, function, m1_frames(m, thread) - 1), 0};
}

void m1_unwind(struct method1 *m, uint32_t thread, uint32_t frames)
{
    struct stack *stack = running_stack(m, thread);

    assert(stack->frames > frames);
    stack->frames -= frames;
    at_exit(m, &m->thread[thread], running_level(m, thread)->running, stack->frames);
}

void m1_raise(struct method1 *m, uint32_t thread, uint32_t function)
{
    struct stack *stack = running_stack(m, thread);
    uint32_t root = stack->frame[0].link, parent, arc, old_path, new_path;

    m1_unwind(m, thread, stack->frames - 1);
    at_exit(m, &m->thread[thread], 0, 0);
    while (m->link.at[root].above)
        root = m->link.at[root].above;
    parent = new_root(m, thread, m->thread[thread].levels > 1, function);
    arc = find_arc(m, 0, m->link.at[parent].context, m->link.at[root].context);
    m->link.at[root].above = parent;
    m->link.at[root].arc = arc;
    old_path = m->link.at[root].path;
    new_path = m->link.at[parent].path;
    m->path.at[old_path].above = new_path;
    m->path.at[old_path].arc = arc;
    m->arc.at[arc].calls += m->path.at[old_path].calls; /* its beginning was a call, by this arc */
    stack->frame[0] = (struct frame){parent, 0};
}

bool m1_stack(struct method1 *m, uint32_t thread, uint32_t number, uint32_t site, uint32_t function)
{
    struct level *level = running_level(m, thread);
    const struct frame *frame = running_frame(m, thread);
    uint32_t from = frame->link;

    site = frame->skip_site ? frame->skip_site : site;
    level->running = number;
    if (level->stack[number].frames)
        return false;
    level->stack[number].frame[0] = (struct frame){enter(m, &m->thread[thread], from, site, function, 0), 0};
    level->stack[number].frames = 1;
    return true;
}

uint32_t m1_frames(const struct method1 *m, uint32_t thread)
{
    return running_stack(m, thread)->frames;
}

uint32_t m1_running_stack(const struct method1 *m, uint32_t thread)
{
    return running_level(m, thread)->running;
}

uint32_t m1_levels(const struct method1 *m, uint32_t thread)
{
    return m->thread[thread].levels;
}

/* -------------------------------------------------------------------------------------------------- costs */

static struct self *self_of(struct method1 *m, uint32_t thread, uint32_t instr, uint32_t context, uint32_t object)
{
    uint32_t i;

    while (m->self_slot[thread].count < instr)
        (void)LIST_NEW(m->self_slot[thread]);
    for (i = m->self_slot[thread].at[instr]; i; i = m->self.at[i].next)
        if (m->self.at[i].context == context && m->self.at[i].object == object)
            return &m->self.at[i];
    i = LIST_NEW(m->self);
    m->self.at[i].thread = thread;
    m->self.at[i].instr = instr;
    m->self.at[i].context = context;
    m->self.at[i].object = object;
    m->self.at[i].next = m->self_slot[thread].at[instr];
    m->self_slot[thread].at[instr] = i;
    return &m->self.at[i];
}

struct model_payer m1_payer(const struct method1 *m, uint32_t thread, uint32_t instr)
{
    const struct frame *frame = running_frame(m, thread);

    return (struct model_payer){thread, frame->skip_site ? frame->skip_site : instr, frame->link, m->epoch,
                                m->thread[thread].collecting, NULL, 0};
}

static struct held *held_of(struct method1 *m, uint32_t link, uint32_t object)
{
    uint32_t i;

    for (i = m->link.at[link].held; i; i = m->held.at[i].next)
        if (m->held.at[i].object == object)
            return &m->held.at[i];
    i = LIST_NEW(m->held);
    m->held.at[i] = (struct held){.link = link, .object = object, .next = m->link.at[link].held};
    m->link.at[link].held = i;
    return &m->held.at[i];
}

void m1_charge(void *user, const struct model_payer *payer, int event, uint64_t amount)
{
    struct method1 *m = user;

    if (!payer->pays || payer->epoch != m->epoch)
        return;
    self_of(m, payer->thread, payer->instr, m->link.at[payer->chain].context, payer->object)->cost[event] += amount;
    m->link.at[payer->chain].cost[event] += amount;
    if (payer->object)
        held_of(m, payer->chain, payer->object)->cost[event] += amount;
}

static char *print_instr(const struct method1 *m, uint32_t instr, uint32_t context, char *end)
{
    const struct name *name = &m->name.at[context];

    return end + sprintf(end, "i%u%s%s", instr, name->is_plain ? "" : " ", name->is_plain ? "" : name->text);
}

void m1_share(void *user, const struct model_payer *writer, const struct model_payer *victim, enum model_shared what,
              uint64_t written, uint64_t touched)
{
    struct method1 *m = user;
    char key[1 << 12] = "shared ", *end = key + 7;
    uint64_t *value;

    if (!victim->pays || victim->epoch != m->epoch)
        return;
    end = print_instr(m, writer->instr, m->link.at[writer->chain].context, end);
    *end++ = ' ';
    end = print_instr(m, victim->instr, m->link.at[victim->chain].context, end);
    if (victim->object)
        sprintf(end, " %s", mm_name(m->memory, victim->object));
    value = sheet_row(&m->shared, key) + SHEET_EVENTS;
    value[what]++;
    value[3] |= written;
    value[4] |= touched;
}

void m1_charge_at(void *user, const struct model_payer *payer, int event, uint32_t place, uint64_t amount)
{
    struct method1 *m = user;

    if (payer->pays && payer->epoch == m->epoch)
        mm_charge_at(m->memory, payer->object, event, place, amount);
}

/* " i5 in <data object>" or " -"; what else tells it from others goes to `rest`, whose new end is returned. */
static char *print_known(const struct method1 *m, const struct model_payer *payer, bool in, char **key, char *rest)
{
    if (!payer->pays || payer->epoch != m->epoch) {
        *key += sprintf(*key, " -");
        return rest + sprintf(rest, " -");
    }
    *(*key)++ = ' ';
    *key = print_instr(m, payer->instr, m->link.at[payer->chain].context, *key);
    if (in && payer->object)
        *key += sprintf(*key, " in %s", mm_name(m->memory, payer->object));
    return rest + sprintf(rest, " t%u %s %u", payer->thread, payer->fetched ? "fetch" : "data", payer->object);
}

static void load_again(struct method1 *m, const struct model_payer *payer, const struct model_miss *miss)
{
    char pair[AGAIN_PAIR], rest[256], *key = pair, *end = rest;

    key += sprintf(key, "again %d %s", miss->level, miss->fetched ? "fetch" : "data");
    end = print_known(m, &miss->loader, false, &key, end);
    end = print_known(m, &miss->evictor, true, &key, end);
    print_known(m, payer, true, &key, end);
    sprintf(key, "|%s", rest);
    again_miss(&m->again, pair, miss->timed, miss->distance);
}

void m1_reused(void *user, const struct model_payer *payer, const struct model_reuse *reuse)
{
    struct method1 *m = user;
    char pair[AGAIN_PAIR], rest[256], *key = pair, *end = rest;

    if (!payer->pays || payer->epoch != m->epoch || !m->reuse.most)
        return;
    key += sprintf(key, "reuse %d %s", reuse->level, reuse->fetched ? "fetch" : "data");
    end = print_known(m, &reuse->loader, false, &key, end);
    print_known(m, payer, true, &key, end);
    sprintf(key, "|%s", rest);
    again_miss(&m->reuse, pair, true, reuse->distance);
}

void m1_missed(void *user, const struct model_payer *payer, const struct model_miss *miss)
{
    struct method1 *m = user;
    struct self *self;

    if (!payer->pays || payer->epoch != m->epoch)
        return;
    self = self_of(m, payer->thread, payer->instr, m->link.at[payer->chain].context, payer->object);
    if (!self->habit)
        self->habit = calloc(1, sizeof *self->habit);
    if (miss->stride)
        habit_miss(self->habit, &m->seen[miss->owner], miss->address);
    self->habit->set[miss->fetched][miss->level][miss->set % HABIT_SETS] += miss->kind == M_CONF;
    if (m->again.most && (miss->kind == M_CAP || miss->kind == M_CONF) && (miss->level || !miss->fetched))
        load_again(m, payer, miss);
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

void m1_forget(struct method1 *m)
{
    for (uint32_t i = 1; i <= m->link.count; i++)
        memset(m->link.at[i].cost, 0, sizeof m->link.at[i].cost);
    for (uint32_t i = 1; i <= m->held.count; i++)
        memset(m->held.at[i].cost, 0, sizeof m->held.at[i].cost);
    for (uint32_t i = 1; i <= m->self.count; i++) {
        memset(m->self.at[i].cost, 0, sizeof m->self.at[i].cost);
        if (m->self.at[i].habit)
            habit_clear(m->self.at[i].habit);
    }
    sheet_clear(&m->shared);
    again_clear(&m->again);
    again_clear(&m->reuse);
    for (uint32_t i = 1; i <= m->name.count; i++)
        m->name.at[i].calls = 0;
    for (uint32_t i = 1; i <= m->arc.count; i++)
        m->arc.at[i].calls = 0;
    for (uint32_t i = 1; i <= m->path.count; i++)
        m->path.at[i].calls = 0;
    for (uint32_t i = 1; i <= m->alias.count; i++)
        m->alias.at[i].calls = 0;
}

void m1_zero(struct method1 *m)
{
    m1_forget(m);
    if (m->memory)
        mm_zero_all(m->memory);
    m->epoch++;
}
