/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_simple.c: see raw_simple.h.
 *
 * Definitions are kept for the whole file in arrays by id. Faults are remembered, the first one only; after
 * one every value read is 0 and every loop ends because the chunk is at its end.
 */
#include "raw_simple.h"

#include "core/raw_format.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 2 * TN_RAW_MAX_SLOTS + 16, MAX_STATS = 128, BUCKETS = 1024, LONGEST_NAME = 2048 };

struct definition { /* of any kind; the members by kind, `seen` for all */
    bool seen;
    uint64_t a, b, c, d;
    char *name; /* of a context */
};
struct definitions {
    struct definition *at;
    size_t room;
};
struct raw_simple {
    const uint8_t *data;
    size_t size, at;           /* of the file */
    const uint8_t *next, *end; /* of the chunk being read */
    const char *fault;
    struct definitions context, arc, thread, function, instr, node, origin, held;
    int immediate[MAX_NAMES], fetch[MAX_NAMES], access[MAX_NAMES]; /* model event, or -1 */
    uint64_t immediates, fetches, accesses;
    bool have_events;
    unsigned intervals; /* of the part */
    uint64_t groups; /* of sampled sets */
    uint64_t paid[M_EVENTS], timed[M_EVENTS]; /* of the part: by instructions; in intervals */
    uint64_t parts;
    uint64_t by_address[BUCKETS]; /* instructions, linked through d */
    char stat_name[MAX_STATS][48];
    uint64_t stat[MAX_STATS];
    unsigned stats;
};

static void fail(struct raw_simple *raw, const char *what)
{
    if (!raw->fault)
        raw->fault = what;
    raw->next = raw->end;
}

const char *raw_simple_fault(const struct raw_simple *raw)
{
    return raw->fault;
}

/* ------------------------------------------------------------------------------------------------- values */

static uint64_t get_n(struct raw_simple *raw)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte;

        if (raw->next >= raw->end) {
            fail(raw, "record ends early");
            return 0;
        }
        byte = *raw->next++;
        if (shift == 63 && byte > 1)
            fail(raw, "number too large");
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    fail(raw, "number too long");
    return 0;
}

static void get_string(struct raw_simple *raw, char *into, size_t room)
{
    uint64_t length = get_n(raw);

    into[0] = 0;
    if (length > (uint64_t)(raw->end - raw->next)) {
        fail(raw, "string ends early");
        return;
    }
    if (room > length) {
        memcpy(into, raw->next, length);
        into[length] = 0;
    }
    raw->next += length;
}

static struct definition *definition(struct raw_simple *raw, struct definitions *list, uint64_t id,
                                     bool define)
{
    static struct definition none;

    if (id > RAW_SIMPLE_NODES) /* of a node that the model's core has made */
        id -= RAW_SIMPLE_NODES;
    if (id == 0 || id > 10000000 || (!define && (id >= list->room || !list->at[id].seen))) {
        fail(raw, "undefined id");
        none = (struct definition){false, 0, 0, 0, 0, NULL};
        return &none;
    }
    if (id >= list->room) {
        size_t room = list->room;

        list->room = id * 2 + 64;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        memset(list->at + room, 0, (list->room - room) * sizeof *list->at);
    }
    return &list->at[id];
}

/* -------------------------------------------------------------------------------------------------- costs */

/* The sum of a slot's groups, each with its weight. */
static uint64_t get_groups(struct raw_simple *raw)
{
    uint64_t bits = get_n(raw), sum = 0;

    if (bits >> raw->groups)
        fail(raw, "a group that does not exist");
    for (uint64_t group = 0; group < raw->groups; group++)
        sum += bits >> group & 1 ? get_n(raw) * model_group_weight[group] : 0;
    return sum;
}

static void get_costs(struct raw_simple *raw, const int *event, uint64_t count, bool sparse, uint64_t *cost)
{
    uint64_t bits = sparse && !count ? get_n(raw) : ~0ull;

    for (uint64_t i = 0; i < count; i++) {
        if (sparse && i % 64 == 0)
            bits = get_n(raw);
        uint64_t value = !(bits >> i % 64 & 1) ? 0 : sparse && raw->groups > 1 ? get_groups(raw) : get_n(raw);

        if (value && event[i] < 0)
            fail(raw, "cost of a slot without a name");
        else if (event[i] >= 0)
            cost[event[i]] += value;
    }
    if (sparse && count % 64 && bits >> count % 64)
        fail(raw, "cost of a slot that does not exist");
}

static void get_all_costs(struct raw_simple *raw, uint64_t *cost)
{
    memset(cost, 0, M_EVENTS * sizeof *cost);
    get_costs(raw, raw->immediate, raw->immediates, false, cost);
    get_costs(raw, raw->fetch, raw->fetches, true, cost);
    get_costs(raw, raw->access, raw->accesses, true, cost);
}

static uint64_t get_names(struct raw_simple *raw, int *event, int first, int limit)
{
    uint64_t count = get_n(raw);

    if (count > TN_RAW_MAX_SLOTS)
        fail(raw, "too many events");
    for (uint64_t i = 0; i < count && !raw->fault; i++) {
        char name[64];

        get_string(raw, name, sizeof name);
        event[i] = -1;
        for (int e = first; e < limit; e++)
            if (!strcmp(name, model_event_name(e)))
                event[i] = e;
        if (event[i] < 0 && strcmp(name, "-"))
            fail(raw, "unknown event");
    }
    return raw->fault ? 0 : count;
}

/* ------------------------------------------------------------------------------------------------ records */

static const char *context_name(struct raw_simple *raw, uint64_t context)
{
    const char *name = definition(raw, &raw->context, context, false)->name;

    return name ? name : "";
}

static bool is_plain(struct raw_simple *raw, uint64_t context)
{
    return !strchr(context_name(raw, context), '\'');
}

/* The instruction itself, of one that is kept apart by context: the one at its address whose context is plain. */
static unsigned instr_itself(struct raw_simple *raw, uint64_t instr)
{
    const struct definition *d = definition(raw, &raw->instr, instr, false);
    uint64_t other = is_plain(raw, d->c) ? 0 : raw->by_address[d->a % BUCKETS];

    for (; other && !raw->fault; other = raw->instr.at[other].d) {
        const struct definition *o = &raw->instr.at[other];

        if (o->a == d->a && o->b == d->b && is_plain(raw, o->c))
            return (unsigned)other;
    }
    return (unsigned)instr;
}

static uint64_t thread_os_id(struct raw_simple *raw, uint64_t thread)
{
    return definition(raw, &raw->thread, thread, false)->a;
}

static char *print_origin(struct raw_simple *raw, uint64_t id, char *end)
{
    const struct definition *origin = definition(raw, &raw->origin, id, false);

    if (raw->fault)
        return end;
    if (!origin->a)
        return end + sprintf(end, "f%u", (unsigned)origin->c);
    end = print_origin(raw, origin->a, end);
    return end + sprintf(end, "/i%u.f%u", origin->b ? instr_itself(raw, origin->b) : 0, (unsigned)origin->c);
}

static void print_data(struct raw_simple *raw, uint64_t id, char *end)
{
    static const char *const kind[TN_DATA_KINDS] = {"",       "heap ", "mapping ", "static ",
                                                    "stack ", "file ", "rest",     "other", "named "};
    const struct definition *data = definition(raw, &raw->held, id, false);

    if (raw->fault)
        return;
    end += sprintf(end, "%s", kind[data->a]);
    if (data->b)
        end = print_origin(raw, data->b, end);
    if (data->c)
        end += sprintf(end, "t%u", (unsigned)thread_os_id(raw, data->c));
    if (data->name)
        sprintf(end, "%s", data->name);
}

static void read_origin(struct raw_simple *raw)
{
    struct definition *origin = definition(raw, &raw->origin, get_n(raw), true);

    origin->seen = true;
    origin->a = get_n(raw);
    origin->b = get_n(raw);
    origin->c = get_n(raw);
    definition(raw, &raw->function, origin->c, false);
}

static void skip_numbers(struct raw_simple *raw, int count);

/* "name file" */
static void read_data(struct raw_simple *raw)
{
    char name[2048], file[2048], both[4100];
    struct definition *data = definition(raw, &raw->held, get_n(raw), true);

    if (data->seen)
        fail(raw, "defined twice");
    data->seen = true;
    data->a = get_n(raw);
    data->b = get_n(raw);
    data->c = get_n(raw);
    if (data->a == 0 || data->a >= TN_DATA_KINDS)
        fail(raw, "no kind of data object");
    get_n(raw);
    get_n(raw);
    get_string(raw, name, sizeof name);
    get_string(raw, file, sizeof file);
    skip_numbers(raw, 4);
    sprintf(both, "%s%s%s", name, *name && *file ? " " : "", file);
    data->name = strdup(both);
}

static void read_blocks(struct raw_simple *raw, struct sheet *sheet)
{
    static char key[1 << 20] = "blocks ";
    uint64_t data = get_n(raw), began = get_n(raw), cost[M_EVENTS] = {0}, pages;
    static const uint64_t no_cost[M_EVENTS];

    for (int i = 0; i < 3; i++)
        cost[i] = get_n(raw);
    pages = get_n(raw);
    print_data(raw, data, key + 7);
    if (began || cost[0])
        sheet_add(sheet, key, cost, began);
    memcpy(key, " pages", 6); /* those of objects without a remap: tests/unit/test_memory.c */
    if (pages)
        sheet_add(sheet, key + 1, no_cost, pages);
    memcpy(key, "blocks", 6);
}

static char *print_instr(struct raw_simple *raw, uint64_t instr, char *end)
{
    const struct definition *d = definition(raw, &raw->instr, instr, false);

    if (raw->fault)
        return end;
    return end + sprintf(end, "i%u%s%s", instr_itself(raw, instr), is_plain(raw, d->c) ? "" : " ",
                         is_plain(raw, d->c) ? "" : context_name(raw, d->c));
}

static void read_sharing(struct raw_simple *raw, struct sheet *sheet)
{
    static char key[1 << 20] = "shared ";
    uint64_t writer = get_n(raw), victim = get_n(raw), data = get_n(raw), cost[M_EVENTS] = {0};
    char *end = print_instr(raw, writer, key + 7);

    *end++ = ' ';
    end = print_instr(raw, victim, end);
    for (int i = 0; i < 5; i++)
        cost[i] = get_n(raw);
    if (data)
        *end++ = ' ';
    *end = 0;
    if (data)
        print_data(raw, data, end);
    sheet_add(sheet, key, cost, 0);
}

static void read_at(struct raw_simple *raw, struct sheet *sheet)
{
    static char key[1 << 20] = "at ";
    uint64_t data = get_n(raw), place = get_n(raw), cost[M_EVENTS] = {0};

    get_costs(raw, raw->access, raw->accesses, true, cost);
    print_data(raw, data, key + 3);
    sprintf(key + strlen(key), " %u", (unsigned)place);
    sheet_add(sheet, key, cost, 0);
}

static char *print_known(struct raw_simple *raw, uint64_t instr, uint64_t data, char *end)
{
    *end++ = ' ';
    end = instr ? print_instr(raw, instr, end) : end + sprintf(end, "-");
    if (data && !raw->fault) {
        end += sprintf(end, " in ");
        print_data(raw, data, end);
        end += strlen(end);
    }
    return end;
}

static void read_pair(struct raw_simple *raw, struct sheet *sheet)
{
    static char key[1 << 20];
    uint64_t loader = get_n(raw), evictor = get_n(raw), its = get_n(raw), instr = get_n(raw), kind = get_n(raw);
    uint64_t data = get_n(raw), level = get_n(raw), cost[M_EVENTS] = {0}, bits;
    char *end = key + sprintf(key, "again %u %s", (unsigned)level, kind == 0 && instr ? "fetch" : "data");

    end = print_known(raw, loader, 0, end);
    end = print_known(raw, evictor, its, end);
    end = print_known(raw, instr, data, end);
    *end = 0;
    for (int i = 0; i < 3; i++)
        cost[i] = get_n(raw);
    bits = get_n(raw);
    for (unsigned i = 0; i < TN_RAW_DISTANCES && !raw->fault; i++)
        if (bits >> i & 1)
            cost[3 + i] = get_n(raw);
    sheet_add(sheet, key, cost, 0);
}

static void read_reuse(struct raw_simple *raw, struct sheet *sheet)
{
    static char key[1 << 20];
    uint64_t loader = get_n(raw), instr = get_n(raw), kind = get_n(raw), data = get_n(raw), level = get_n(raw);
    uint64_t cost[M_EVENTS] = {0}, bits;
    char *end = key + sprintf(key, "reuse %u %s", (unsigned)level, kind == 0 && instr ? "fetch" : "data");

    end = print_known(raw, loader, 0, end);
    end = print_known(raw, instr, data, end);
    *end = 0;
    cost[0] = cost[1] = get_n(raw);
    cost[2] = get_n(raw);
    bits = get_n(raw);
    for (unsigned i = 0; i < TN_RAW_DISTANCES && !raw->fault; i++)
        if (bits >> i & 1)
            cost[3 + i] = get_n(raw);
    sheet_add(sheet, key, cost, 0);
}

static void read_self(struct raw_simple *raw, struct sheet *sheet, bool late)
{
    static char key[1 << 20];
    uint64_t thread = thread_os_id(raw, get_n(raw)), instr = get_n(raw), kind = late ? get_n(raw) : 0;
    uint64_t data = late ? get_n(raw) : 0, cost[M_EVENTS] = {0};
    const struct definition *d = definition(raw, &raw->instr, instr, false);

    if (!late)
        get_costs(raw, raw->immediate, raw->immediates, false, cost);
    else if (kind == 0)
        get_costs(raw, raw->fetch, raw->fetches, true, cost);
    else if (kind == 1)
        get_costs(raw, raw->access, raw->accesses, true, cost);
    else
        fail(raw, "unknown kind");
    if (raw->fault)
        return;
    sprintf(key, "self t%u i%u%s%s", (unsigned)thread, instr_itself(raw, instr), is_plain(raw, d->c) ? "" : " ",
            is_plain(raw, d->c) ? "" : context_name(raw, d->c));
    sheet_add(sheet, key, cost, 0);
    sheet_add(sheet, "total", cost, 0);
    for (int i = 0; i < M_EVENTS; i++)
        raw->paid[i] += cost[i];
    if (!data)
        return;
    if (kind != 1)
        fail(raw, "a fetch from a data object");
    memcpy(key, "data", 4);
    strcat(key, " ");
    print_data(raw, data, key + strlen(key));
    sheet_add(sheet, key, cost, 0);
}

/* The key that method 1 has for it. */
static void print_payer(struct raw_simple *raw, uint64_t thread, uint64_t instr, uint64_t data, char *key)
{
    const struct definition *d = definition(raw, &raw->instr, instr, false);
    bool plain = is_plain(raw, d->c);

    sprintf(key, "%s t%u i%u%s%s", data ? "data" : "self", (unsigned)thread_os_id(raw, thread),
            instr_itself(raw, instr), plain ? "" : " ", plain ? "" : context_name(raw, d->c));
    if (data)
        print_data(raw, data, strcat(key, " ") + strlen(key));
}

static void read_strides(struct raw_simple *raw, struct sheet *sheet)
{
    static char who[1 << 20], key[(1 << 20) + 100];
    uint64_t thread = get_n(raw), instr = get_n(raw), kind = get_n(raw), data = get_n(raw);
    uint64_t strides = get_n(raw), covered = get_n(raw), far = get_n(raw), lost = get_n(raw), kept = get_n(raw);
    uint64_t cost[M_EVENTS] = {strides, lost, covered, far};

    if (kind != 1)
        fail(raw, "strides of fetches");
    print_payer(raw, thread, instr, data, who);
    sprintf(key, "strides %s", who);
    sheet_add(sheet, key, cost, 0);
    cost[1] = cost[2] = cost[3] = 0;
    for (; kept && !raw->fault; kept--) {
        uint64_t zigzag = get_n(raw);

        sprintf(key, "stride %lld %s", (long long)(zigzag >> 1 ^ -(zigzag & 1)), who);
        cost[0] = get_n(raw);
        sheet_add(sheet, key, cost, 0);
    }
}

static void read_sets(struct raw_simple *raw, struct sheet *sheet)
{
    static char who[1 << 20], key[(1 << 20) + 100];
    uint64_t thread = get_n(raw), instr = get_n(raw), kind = get_n(raw), data = get_n(raw), level = get_n(raw);
    uint64_t bits = get_n(raw), cost[M_EVENTS] = {0};

    print_payer(raw, thread, instr, data, who);
    for (unsigned set = 0; set < 64 && !raw->fault; set++) {
        if (!(bits >> set & 1))
            continue;
        cost[0] = get_n(raw);
        sprintf(key, "set %u %u %s %s", (unsigned)level, set, kind == 0 ? "fetch" : "data", who);
        sheet_add(sheet, key, cost, 0);
    }
}

static char *print_node(struct raw_simple *raw, uint64_t id, char *end)
{
    const struct definition *node = definition(raw, &raw->node, id, false);
    const struct definition *arc;

    if (raw->fault)
        return end;
    if (!node->a)
        return end + sprintf(end, "t%u%s/%s", (unsigned)thread_os_id(raw, node->d & 0xffffffff),
                             node->d >> 32 & TN_RAW_NODE_HANDLER ? "h" : "", context_name(raw, node->c));
    end = print_node(raw, node->a, end);
    arc = definition(raw, &raw->arc, node->b, false);
    return end + sprintf(end, "/i%u.%s", arc->a ? instr_itself(raw, arc->a) : 0, context_name(raw, node->c));
}

static void read_node(struct raw_simple *raw, struct sheet *sheet)
{
    static char key[1 << 20];
    uint64_t id = get_n(raw), parent = get_n(raw), arc = get_n(raw), context = get_n(raw),
             thread = get_n(raw);
    uint64_t flags = get_n(raw), calls = get_n(raw), cost[M_EVENTS];
    struct definition *node;

    get_all_costs(raw, cost);
    if (parent)
        definition(raw, &raw->node, parent, false);
    node = definition(raw, &raw->node, id, true);
    *node = (struct definition){true, parent, arc, context, thread | flags << 32, NULL};
    strcpy(key, flags & TN_RAW_NODE_ALIAS ? "alias " : "path ");
    print_node(raw, id, key + strlen(key));
    sheet_add(sheet, key, cost, calls);
    for (; node->a && !(flags & TN_RAW_NODE_ALIAS) && !raw->fault;
         node = definition(raw, &raw->node, id, false)) {
        strcpy(key, "incl ");
        print_node(raw, id, key + 5);
        sheet_add(sheet, key, cost, 0);
        id = node->a;
    }
    if (!(flags & TN_RAW_NODE_ALIAS) && !raw->fault) {
        strcpy(key, "incl ");
        print_node(raw, id, key + 5);
        sheet_add(sheet, key, cost, 0);
    }
}

static void add_under(struct raw_simple *raw, uint64_t context, uint64_t data, const uint64_t *cost,
                      struct sheet *sheet)
{
    static char key[1 << 20];

    print_data(raw, data, key + sprintf(key, "under %s ", context_name(raw, context)));
    sheet_add(sheet, key, cost, 0);
}

/* Of a node, which all contexts on its path pay once; or of those pruned, by context. */
static void read_cell(struct raw_simple *raw, struct sheet *sheet, bool pruned)
{
    static char key[1 << 20];
    uint64_t owner = get_n(raw), data = get_n(raw), cost[M_EVENTS] = {0};
    char *end;

    get_costs(raw, raw->access, raw->accesses, true, cost);
    if (pruned) {
        add_under(raw, owner, data, cost, sheet);
        return;
    }
    end = print_node(raw, owner, key + sprintf(key, "cell "));
    *end++ = ' ';
    print_data(raw, data, end);
    sheet_add(sheet, key, cost, 0);
    for (uint64_t id = owner; id && !raw->fault; id = definition(raw, &raw->node, id, false)->a) {
        uint64_t context = definition(raw, &raw->node, id, false)->c, lower = owner;

        while (lower != id && definition(raw, &raw->node, lower, false)->c != context)
            lower = definition(raw, &raw->node, lower, false)->a;
        if (lower == id)
            add_under(raw, context, data, cost, sheet);
    }
}

static void read_arc_cost(struct raw_simple *raw, struct sheet *sheet)
{
    const struct definition *arc = definition(raw, &raw->arc, get_n(raw), false);
    uint64_t calls = get_n(raw), cost[M_EVENTS];
    char key[2 * LONGEST_NAME + 32];

    get_all_costs(raw, cost);
    if (raw->fault)
        return;
    sprintf(key, "arc i%u %s %s", arc->a ? instr_itself(raw, arc->a) : 0, context_name(raw, arc->b),
            context_name(raw, arc->c));
    sheet_add(sheet, key, cost, calls);
}

static void read_func_cost(struct raw_simple *raw, struct sheet *sheet)
{
    uint64_t context = get_n(raw), calls = get_n(raw), cost[M_EVENTS];
    char key[LONGEST_NAME + 32];

    get_all_costs(raw, cost);
    sprintf(key, "func %s self", context_name(raw, context));
    sheet_add(sheet, key, cost, 0);
    get_all_costs(raw, cost);
    sprintf(key, "func %s", context_name(raw, context));
    sheet_add(sheet, key, cost, calls);
}

static void skip_numbers(struct raw_simple *raw, int count)
{
    while (count--)
        get_n(raw);
}

/* What follows the id: function, level, callers. */
static void read_context(struct raw_simple *raw, struct definition *context)
{
    char name[LONGEST_NAME], *end = name;
    uint64_t level, callers;

    context->a = get_n(raw);
    level = get_n(raw);
    callers = get_n(raw);
    if (level == 0 || callers > 100)
        fail(raw, "no such context");
    end += sprintf(end, "f%u", (unsigned)context->a);
    if (level > 1)
        end += sprintf(end, "'%u", (unsigned)level);
    while (!raw->fault && callers--) {
        uint64_t caller = get_n(raw);

        definition(raw, &raw->function, caller, false);
        end += sprintf(end, "'f%u", (unsigned)caller);
    }
    definition(raw, &raw->function, context->a, false);
    context->name = strdup(name);
}

static void read_instr(struct raw_simple *raw, struct definition *instr, uint64_t id)
{
    instr->a = get_n(raw);
    instr->b = get_n(raw);
    instr->c = get_n(raw);
    instr->d = raw->by_address[instr->a % BUCKETS];
    raw->by_address[instr->a % BUCKETS] = id;
    skip_numbers(raw, 3);
}

static void read_code(struct raw_simple *raw, uint32_t type)
{
    char text[4096];
    uint64_t id;
    struct definition *d;

    if (type == TN_RAW_META) {
        get_string(raw, text, sizeof text);
        get_string(raw, text, sizeof text);
        return;
    }
    id = get_n(raw);
    if (type == TN_RAW_OBJECT) {
        get_string(raw, text, sizeof text);
        skip_numbers(raw, 3);
        get_string(raw, text, sizeof text);
        return;
    }
    d = definition(raw,
                   type == TN_RAW_FUNCTION  ? &raw->function
                   : type == TN_RAW_CONTEXT ? &raw->context
                   : type == TN_RAW_INSTR   ? &raw->instr
                   : type == TN_RAW_THREAD  ? &raw->thread
                                            : &raw->arc,
                   id, true);
    if (d->seen)
        fail(raw, "defined twice");
    d->seen = true;
    if (type == TN_RAW_CONTEXT || type == TN_RAW_INSTR) {
        if (type == TN_RAW_CONTEXT)
            read_context(raw, d);
        else
            read_instr(raw, d, id);
        return;
    }
    d->a = get_n(raw);
    d->b = get_n(raw);
    if (type == TN_RAW_THREAD)
        return;
    d->c = get_n(raw);
    if (type == TN_RAW_FUNCTION) {
        d->d = get_n(raw);
        get_string(raw, text, sizeof text);
    }
}

/* No function costs more than all, and all of them no more either. */
static void read_interval(struct raw_simple *raw)
{
    uint64_t all[M_EVENTS] = {0}, functions[M_EVENTS] = {0}, count;

    skip_numbers(raw, 4);
    count = get_n(raw);
    if (count > TN_WORST)
        fail(raw, "too many functions in an interval");
    get_all_costs(raw, all);
    while (!raw->fault && count--) {
        definition(raw, &raw->context, get_n(raw), false);
        get_all_costs(raw, functions);
    }
    for (int i = 0; i < M_EVENTS; i++) {
        if (raw->groups == 1 && functions[i] > all[i]) /* groups are weighed: their sums mean nothing */
            fail(raw, "functions cost more than their interval");
        raw->timed[i] += all[i];
    }
    if (++raw->intervals > TN_INTERVALS)
        fail(raw, "too many intervals");
}

static void read_stat(struct raw_simple *raw)
{
    char name[48];
    uint64_t value;
    unsigned i;

    get_string(raw, name, sizeof name);
    value = get_n(raw);
    for (i = 0; i < raw->stats && strcmp(raw->stat_name[i], name); i++)
        ;
    if (i == MAX_STATS)
        return;
    raw->stats = i == raw->stats ? i + 1 : raw->stats;
    strcpy(raw->stat_name[i], name);
    raw->stat[i] = value;
}

uint64_t raw_simple_stat(const struct raw_simple *raw, const char *name)
{
    for (unsigned i = 0; i < raw->stats; i++)
        if (!strcmp(raw->stat_name[i], name))
            return raw->stat[i];
    return ~0ull;
}

static void read_record(struct raw_simple *raw, uint32_t type, struct sheet *sheet)
{
    if (type == TN_RAW_EVENTS) {
        raw->immediates = get_names(raw, raw->immediate, 0, M_IMMEDIATE);
        raw->fetches = get_names(raw, raw->fetch, M_I1MR, M_D1MR);
        raw->accesses = get_names(raw, raw->access, M_D1MR, M_EVENTS);
        if (get_n(raw) == 0 || (raw->groups = get_n(raw)) > MODEL_GROUPS)
            fail(raw, "groups of sampled sets");
        raw->have_events = true;
    } else if (type >= TN_RAW_META && type <= TN_RAW_ARC) {
        read_code(raw, type);
    } else if (type == TN_RAW_STAT) {
        read_stat(raw);
    } else if (!raw->have_events) {
        fail(raw, "costs before EVENTS");
    } else if (type == TN_RAW_SELF || type == TN_RAW_LATE) {
        read_self(raw, sheet, type == TN_RAW_LATE);
    } else if (type == TN_RAW_NODE) {
        read_node(raw, sheet);
    } else if (type == TN_RAW_ARC_COST) {
        read_arc_cost(raw, sheet);
    } else if (type == TN_RAW_NODE_DATA || type == TN_RAW_FUNC_DATA) {
        read_cell(raw, sheet, type == TN_RAW_FUNC_DATA);
    } else if (type == TN_RAW_FUNC_COST) {
        read_func_cost(raw, sheet);
    } else if (type == TN_RAW_ORIGIN) {
        read_origin(raw);
    } else if (type == TN_RAW_DATA) {
        read_data(raw);
    } else if (type == TN_RAW_STRIDES) {
        read_strides(raw, sheet);
    } else if (type == TN_RAW_PAIR) {
        read_pair(raw, sheet);
    } else if (type == TN_RAW_REUSE) {
        read_reuse(raw, sheet);
    } else if (type == TN_RAW_SETS) {
        read_sets(raw, sheet);
    } else if (type == TN_RAW_DATA_BLOCKS) {
        read_blocks(raw, sheet);
    } else if (type == TN_RAW_SHARING) {
        read_sharing(raw, sheet);
    } else if (type == TN_RAW_INTERVAL) {
        read_interval(raw);
    } else if (type == TN_RAW_LABEL) {
        char text[LONGEST_NAME];

        skip_numbers(raw, 2);
        get_string(raw, text, sizeof text);
    } else if (type == TN_RAW_DATA_AT) {
        read_at(raw, sheet);
    } else {
        fail(raw, "unknown chunk type");
    }
}

/* ------------------------------------------------------------------------------------------------- chunks */

static uint32_t u32_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t crc32_of(const uint8_t *p, size_t size)
{
    uint32_t crc = ~0u;

    while (size--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

struct raw_simple *raw_simple_open(const uint8_t *data, size_t size)
{
    struct raw_simple *raw = calloc(1, sizeof *raw);

    raw->data = data;
    raw->size = size;
    if (size < 16 || memcmp(data, TN_RAW_MAGIC, 8))
        fail(raw, "not a raw profile");
    else if (u32_at(data + 8) != TN_RAW_VERSION || u32_at(data + 12) != 0)
        fail(raw, "another version");
    raw->at = 16;
    return raw;
}

void raw_simple_more(struct raw_simple *raw, const uint8_t *data, size_t size)
{
    raw->data = data;
    raw->size = size;
}

void raw_simple_close(struct raw_simple *raw)
{
    for (size_t i = 0; i < raw->context.room; i++)
        free(raw->context.at[i].name);
    free(raw->context.at), free(raw->arc.at), free(raw->thread.at), free(raw->function.at),
        free(raw->instr.at);
    for (size_t i = 0; i < raw->held.room; i++)
        free(raw->held.at[i].name);
    free(raw->node.at), free(raw->origin.at), free(raw->held.at);
    free(raw);
}

static void read_end(struct raw_simple *raw, uint64_t chunks)
{
    char why[256];

    if (get_n(raw) != ++raw->parts)
        fail(raw, "part out of order");
    get_string(raw, why, sizeof why);
    if (get_n(raw) != chunks)
        fail(raw, "part lacks chunks");
    if (raw->intervals > 0 && memcmp(raw->paid, raw->timed, sizeof raw->paid) != 0)
        fail(raw, "intervals do not add up to the part");
    memset(raw->paid, 0, sizeof raw->paid);
    memset(raw->timed, 0, sizeof raw->timed);
    raw->intervals = 0;
}

bool raw_simple_part(struct raw_simple *raw, struct sheet *sheet)
{
    sheet_clear(sheet);
    for (uint64_t chunks = 0; !raw->fault && raw->at < raw->size; chunks++) {
        const uint8_t *head = raw->data + raw->at;
        uint32_t type, bytes;

        if (raw->size - raw->at < 16) {
            fail(raw, "chunk header ends early");
            break;
        }
        type = u32_at(head);
        bytes = u32_at(head + 4);
        if (raw->size - raw->at - 16 < bytes || u32_at(head + 12) != 0) {
            fail(raw, "chunk ends early");
            break;
        }
        raw->next = head + 16;
        raw->end = raw->next + bytes;
        if (crc32_of(raw->next, bytes) != u32_at(head + 8))
            fail(raw, "checksum");
        raw->at += 16 + bytes;
        if (type == TN_RAW_END) {
            read_end(raw, chunks);
            return !raw->fault;
        }
        while (raw->next < raw->end)
            read_record(raw, type, sheet);
    }
    return false;
}
