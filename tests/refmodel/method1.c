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

#include "again.h"
#include "habit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 16, MAX_FRAMES = 256, MAX_STACKS = 4, MAX_NAME = 256, MAX_ENTRIES = 64 };

struct function {
    uint32_t flags, callers, recs;
};
struct name { /* of a context, or of the callers of one */
    char text[MAX_NAME];
    bool is_context, is_plain; /* is_plain: the function alone */
    uint64_t calls;
};
struct arc {
    uint32_t site, caller, callee; /* contexts */
    uint64_t calls;
};
struct link {
    uint32_t above, arc, function; /* above: 0 and arc: 0 for a root */
    uint32_t context, level;       /* level: of recursion */
    uint32_t path, next_sibling, first_below;
    uint64_t cost[M_EVENTS];
};
struct path {
    uint32_t above, arc, context, callers, thread; /* callers: a name */
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
struct entry { /* the entry of a function with flags, by an activation that is frame `frame` of a stack */
    uint32_t function, stack, frame;
};
struct level {
    struct stack stack[MAX_STACKS];
    uint32_t running;
    struct entry entry[MAX_ENTRIES]; /* one for each function at most */
    uint32_t entries;
};
struct thread {
    struct level *level[MAX_LEVELS];
    uint32_t levels;
    bool collecting;
};
struct self {
    uint32_t thread, instr, context, object, next; /* next: the same instruction in another context or object */
    uint64_t cost[M_EVENTS];
    struct habit *habit; /* NULL: none */
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
    LIST(struct function) function;
    LIST(struct name) name;
    uint32_t most_callers;
    LIST(struct self) self;
    struct sheet shared; /* its rows, of lines that were invalidated */
    struct again again;
    LIST(uint32_t) self_slot[MODEL_MAX_THREADS]; /* by instruction: the first of self */
    struct thread thread[MODEL_MAX_THREADS];
    struct memory_model *memory;
    bool dump_wanted;
    uint32_t epoch;
};

struct method1 *m1_new(uint32_t most_callers, uint32_t most_pairs, struct memory_model *memory)
{
    struct method1 *m = calloc(1, sizeof *m);

    m->most_callers = most_callers;
    m->again.most = most_pairs;
    again_clear(&m->again), sheet_clear(&m->shared);
    m->memory = memory;
    return m;
}

void m1_free(struct method1 *m)
{
    free(m->arc.at), free(m->link.at), free(m->path.at), free(m->alias.at), free(m->function.at), free(m->name.at);
    sheet_clear(&m->shared), free(m->shared.row), free(m->shared.slot);
    again_clear(&m->again), free(m->again.pairs.row), free(m->again.pairs.slot);
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

void m1_charge(void *user, const struct model_payer *payer, int event, uint64_t amount)
{
    struct method1 *m = user;

    if (!payer->pays || payer->epoch != m->epoch)
        return;
    self_of(m, payer->thread, payer->instr, m->link.at[payer->chain].context, payer->object)->cost[event] += amount;
    m->link.at[payer->chain].cost[event] += amount;
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

void m1_missed(void *user, const struct model_payer *payer, const struct model_miss *miss)
{
    struct method1 *m = user;
    struct self *self;

    if (!payer->pays || payer->epoch != m->epoch)
        return;
    self = self_of(m, payer->thread, payer->instr, m->link.at[payer->chain].context, payer->object);
    if (!self->habit)
        self->habit = calloc(1, sizeof *self->habit);
    if (miss->level == 0 && !miss->fetched)
        habit_miss(self->habit, miss->address);
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

static void forget(struct method1 *m)
{
    for (uint32_t i = 1; i <= m->link.count; i++)
        memset(m->link.at[i].cost, 0, sizeof m->link.at[i].cost);
    for (uint32_t i = 1; i <= m->self.count; i++) {
        memset(m->self.at[i].cost, 0, sizeof m->self.at[i].cost);
        if (m->self.at[i].habit)
            habit_clear(m->self.at[i].habit);
    }
    sheet_clear(&m->shared);
    again_clear(&m->again);
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
    forget(m);
    if (m->memory)
        mm_zero(m->memory);
    m->epoch++;
}

/* -------------------------------------------------------------------------------------------------- parts */

static char *print_path(const struct method1 *m, uint32_t path, char *end)
{
    const struct path *p = &m->path.at[path];

    if (!p->above)
        return end + sprintf(end, "t%u%s/%s", p->thread, p->handler ? "h" : "", m->name.at[p->context].text);
    end = print_path(m, p->above, end);
    return end + sprintf(end, "/i%u.%s", m->arc.at[p->arc].site, m->name.at[p->context].text);
}

static char *print_origin(const struct method1 *m, uint32_t path, char *end)
{
    const struct path *p = &m->path.at[path];
    const char *name = m->name.at[p->context].text;

    if (p->above)
        end = print_origin(m, p->above, end);
    if (p->above)
        end += sprintf(end, "/i%u.", m->arc.at[p->arc].site);
    return end + sprintf(end, "%.*s", (int)strcspn(name, "'"), name);
}

void m1_origin(const struct method1 *m, uint32_t thread, uint32_t entered, char *text)
{
    const struct frame *frame = running_frame(m, thread);
    char *end = print_origin(m, m->link.at[frame->link].path, text);

    if (frame->skip_site && entered)
        sprintf(end, "/i%u.f%u", frame->skip_site, entered);
}

static void arc_key(const struct method1 *m, uint32_t arc, char *key)
{
    const struct arc *a = &m->arc.at[arc];

    sprintf(key, "arc i%u %s %s", a->site, m->name.at[a->caller].text, m->name.at[a->callee].text);
}

/* One cost, the whole chain: each distinct arc and context once. */
static void charge_chain(const struct method1 *m, uint32_t last, struct sheet *sheet)
{
    const uint64_t *cost = m->link.at[last].cost;
    char key[2 * MAX_NAME + 32];

    for (uint32_t link = last; link; link = m->link.at[link].above) {
        const struct link *l = &m->link.at[link];
        bool seen_arc = false, seen_context = false;

        for (uint32_t lower = last; lower != link; lower = m->link.at[lower].above) {
            seen_arc |= m->link.at[lower].arc == l->arc;
            seen_context |= m->link.at[lower].context == l->context;
        }
        if (l->arc && !seen_arc) {
            arc_key(m, l->arc, key);
            sheet_add(sheet, key, cost, 0);
        }
        if (!seen_context) {
            sprintf(key, "func %s", m->name.at[l->context].text);
            sheet_add(sheet, key, cost, 0);
        }
    }
    sprintf(key, "func %s self", m->name.at[m->link.at[last].context].text);
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
    for (uint32_t i = 1; i <= m->name.count; i++) {
        if (!m->name.at[i].is_context)
            continue;
        sprintf(key, "func %s", m->name.at[i].text);
        sheet_add(sheet, key, NULL, m->name.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->path.count; i++) {
        strcpy(key, "path ");
        print_path(m, i, key + 5);
        sheet_add(sheet, key, NULL, m->path.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->alias.count; i++) {
        const struct alias *alias = &m->alias.at[i];
        char *end = print_path(m, alias->path, key + sprintf(key, "alias "));

        sprintf(end, "/i%u.%s", m->arc.at[alias->arc].site, m->name.at[m->arc.at[alias->arc].callee].text);
        sheet_add(sheet, key, NULL, alias->calls);
    }
}

void m1_part(struct method1 *m, struct sheet *sheet)
{
    static const uint64_t zero[M_EVENTS];
    uint64_t(*by_path)[M_EVENTS] = calloc(m->path.count + 1, sizeof *by_path);

    sheet_clear(sheet);
    for (uint32_t i = 1; i <= m->self.count; i++) {
        const struct name *context = &m->name.at[m->self.at[i].context];
        static char key[1 << 20];
        char *end;

        if (!memcmp(m->self.at[i].cost, zero, sizeof zero))
            continue;
        sprintf(key, "self t%u i%u%s%s", m->self.at[i].thread, m->self.at[i].instr,
                context->is_plain ? "" : " ", context->is_plain ? "" : context->text);
        sheet_add(sheet, key, m->self.at[i].cost, 0);
        if (m->self.at[i].object) {
            end = key + strlen(key);
            memcpy(key, "data", 4);
            sprintf(end, " %s", mm_name(m->memory, m->self.at[i].object));
            sheet_add(sheet, key, m->self.at[i].cost, 0);
        }
        if (m->self.at[i].habit)
            habit_rows(m->self.at[i].habit, key, sheet);
    }
    if (m->memory)
        mm_part(m->memory, sheet);
    sheet_sum(sheet, &m->shared);
    again_rows(&m->again, sheet);
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
