/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.c: records of a raw profile into a struct tp_recording.
 *
 * One function per record type. Each reads its fields and looks up what they refer to; then it asks whether all of
 * them were good. The first field that is wrong stops the cursor there, so that the import ends with its offset. A
 * definition that is repeated must say the same.
 */
#include "profile/raw/recording.h"

#include <inttypes.h>
#include <string.h>

#include "profile/base/error.h"

enum { REPORT_EVERY = 64 }; /* chunks between two reports of progress */

struct decoder {
    struct tp_recording *rec;
    struct tp_cursor c;
    const char *path;
    uint32_t machine; /* that is meant: 0: the recorded one */
    struct tp_error *err;
    struct tp_idmap objects, functions, contexts, instrs, threads, arcs, nodes, origins, data;
    uint32_t type;                /* of the record at hand */
    const char *wrong;            /* with it; NULL: nothing so far, or (c.bad) it is cut short */
    bool no_memory;               /* for a text of it */
    uint64_t id;                  /* of the definition at hand */
    uint32_t known;               /* its index; TP_NOT_FOUND for a new one */
    uint64_t chunks;              /* of the current part */
    uint32_t self_thread, self_instr; /* + 1; of the last SELF of the part */
    uint64_t *part_row;           /* self costs of the current part; made with its first cost */
    uint64_t seen[TP_MAX_EVENTS]; /* which events occur: sums of all costs; self costs come at the end, from threads */
    uint64_t row[TP_MAX_EVENTS];  /* of the record at hand */
};

/* ------------------------------------------------------------------------------------------ fields */

static int damaged(struct decoder *d, const char *what)
{
    return TP_FAIL(d->err, "%s: damaged at offset %" PRIu64 ": %s", d->path, tp_cursor_offset(&d->c), what);
}

static int no_memory(struct decoder *d)
{
    return TP_FAIL(d->err, "%s: out of memory at offset %" PRIu64, d->path, tp_cursor_offset(&d->c));
}

/* The record at hand says something that cannot be: all that follows reads as 0, and the cursor stays here. */
static void recording_refuse(struct decoder *d, const char *what)
{
    if (!d->c.bad)
        d->wrong = what;
    d->c.bad = true;
}

/* Whether the fields that were read are good. -1: no; `cut_short`: what is said if they end too early. */
static int check(struct decoder *d, const char *cut_short)
{
    if (d->c.bad)
        return damaged(d, d->wrong ? d->wrong : cut_short);
    return d->no_memory ? no_memory(d) : 0;
}

/* Index + 1 of what the id in the file stands for; 0 for id 0. `what` is wrong if it stands for nothing. */
static uint32_t refer(struct decoder *d, const struct tp_idmap *map, const char *what)
{
    uint64_t id = tp_get_n(&d->c);
    uint32_t index = id ? tp_idmap_find(map, id) : TP_NOT_FOUND;

    if (index != TP_NOT_FOUND)
        return index + 1;
    if (id)
        recording_refuse(d, what);
    return 0;
}

/* The same where id 0 is wrong, too. So it is 0 only if the record is not good. */
static uint32_t need(struct decoder *d, const struct tp_idmap *map, const char *what)
{
    uint32_t index = refer(d, map, what);

    if (!index)
        recording_refuse(d, what);
    return index;
}

/* The id that a definition begins with. */
static void recording_define(struct decoder *d, const struct tp_idmap *map)
{
    d->id = tp_get_n(&d->c);
    if (!d->id)
        recording_refuse(d, "a definition without id");
    d->known = tp_idmap_find(map, d->id);
}

/* The definition has been read: if it is good and new, it is kept in a list of the recording, and its id in the map of
 * the same name. 0 or -1. */
#define DEFINE(d, list, thing, cut_short)                                                                    \
    (check(d, cut_short)            ? -1                                                                     \
     : (d)->known != TP_NOT_FOUND   ? 0                                                                      \
     : TP_VECTOR_PUSH(&(d)->rec->list, thing) &&                                                             \
             !tp_idmap_add(&(d)->list, (d)->id, (uint32_t)(d)->rec->list.count - 1)                          \
         ? 0                                                                                                 \
         : no_memory(d))

static uint64_t limited(struct decoder *d, uint64_t limit)
{
    uint64_t n = tp_get_n(&d->c);

    if (n > limit)
        d->c.bad = true;
    return n;
}

/* "" if there is no memory. */
static const char *text(struct decoder *d)
{
    size_t size;
    const uint8_t *bytes = tp_get_s(&d->c, &size);
    const char *clean = tp_clean_text(&d->rec->arena, bytes, size);

    d->no_memory |= !clean;
    return clean ? clean : "";
}

/* The same, NULL for an empty one. */
static const char *text_or_null(struct decoder *d)
{
    const char *read = text(d);

    return *read ? read : NULL;
}

static uint64_t *recording_new_row(struct decoder *d)
{
    return tp_arena_alloc(&d->rec->arena, sizeof(uint64_t) * TP_MAX_EVENTS);
}

/* Keep the bytes from `from` up to the cursor, which are good. */
static int recording_keep(struct decoder *d, struct tp_blob **list, const uint8_t *from, enum tp_form form,
                          uint32_t thread, uint32_t data)
{
    size_t size = (size_t)(d->c.p - from);
    struct tp_blob *blob = tp_arena_alloc(&d->rec->arena, sizeof *blob + size);

    if (!blob)
        return no_memory(d);
    *blob = (struct tp_blob){
        .next = *list, .thread = thread, .data = data, .size = (uint32_t)size, .form = (uint8_t)form};
    memcpy(blob->bytes, from, size);
    *list = blob;
    return 0;
}

/* ------------------------------------------------------------------------------------------ facts */

static struct tp_pair *find_pair(const struct tp_recording *rec, const char *key)
{
    for (size_t i = 0; i < rec->meta.count; i++) {
        if (strcmp(rec->meta.at[i].key, key) == 0)
            return &rec->meta.at[i];
    }
    return NULL;
}

const char *tp_recording_fact(const struct tp_recording *rec, const char *key)
{
    const struct tp_pair *pair = find_pair(rec, key);

    return pair ? pair->value : NULL;
}

int tp_recording_meta(struct tp_recording *rec, const char *key, const char *value)
{
    struct tp_pair *pair = find_pair(rec, key);

    if (!pair && !(pair = TP_VECTOR_ADD(&rec->meta)))
        return -1;
    pair->key = tp_clean_text(&rec->arena, key, strlen(key));
    pair->value = tp_clean_text(&rec->arena, value, strlen(value));
    return pair->key && pair->value ? 0 : -1;
}

static int read_meta(struct decoder *d)
{
    const char *key = text(d), *value = text(d);

    if (d->rec->meta.count > 10000)
        recording_refuse(d, "more META records than make sense");
    if (check(d, "a META record is cut short"))
        return -1;
    return tp_recording_meta(d->rec, key, value) ? no_memory(d) : 0;
}

static int read_stat(struct decoder *d)
{
    const char *name = text(d);
    uint64_t value = tp_get_n(&d->c);
    struct tp_stat *stat = NULL;

    if (d->rec->stats.count > 10000)
        recording_refuse(d, "more STAT records than make sense");
    if (check(d, "a STAT record is cut short"))
        return -1;
    for (size_t i = 0; i < d->rec->stats.count && !stat; i++) {
        if (strcmp(d->rec->stats.at[i].name, name) == 0)
            stat = &d->rec->stats.at[i];
    }
    if (!stat && !(stat = TP_VECTOR_ADD(&d->rec->stats)))
        return no_memory(d);
    *stat = (struct tp_stat){name, value};
    return 0;
}

static int recording_read_events(struct decoder *d)
{
    const char *what = "";

    return tp_events_read(&d->rec->events, &d->c, d->machine, &what) ? damaged(d, what) : 0;
}

/* ------------------------------------------------------------------------------------------ definitions */

static int recording_read_object(struct decoder *d)
{
    struct tp_object o = {0};
    size_t size;

    recording_define(d, &d->objects);
    const uint8_t *path = tp_get_s(&d->c, &size);
    o.path = tp_clean_text(&d->rec->arena, path, size);
    o.file = tp_arena_copy(&d->rec->arena, path, size);
    o.start = tp_get_n(&d->c);
    o.size = tp_get_n(&d->c);
    o.bias = tp_get_z(&d->c);
    const uint8_t *build_id = tp_get_s(&d->c, &o.build_id_size);
    if (o.build_id_size > 64)
        recording_refuse(d, "an OBJECT record with a build-id that is too long");
    o.build_id = (uint8_t *)tp_arena_copy(&d->rec->arena, build_id, o.build_id_size);
    d->no_memory |= !o.path || !o.file || !o.build_id;
    return DEFINE(d, objects, o, "an OBJECT record is cut short");
}

static int read_function(struct decoder *d)
{
    struct tp_function f = {0};

    recording_define(d, &d->functions);
    f.object = refer(d, &d->objects, "a function in no object");
    f.start = tp_get_n(&d->c);
    f.size = tp_get_n(&d->c);
    f.flags = tp_get_n(&d->c);
    f.symbol = text_or_null(d);
    f.name = f.symbol ? f.symbol : "???";
    return DEFINE(d, functions, f, "a FUNCTION record is cut short");
}

static int read_context(struct decoder *d)
{
    struct tp_context x = {0};

    recording_define(d, &d->contexts);
    x.function = refer(d, &d->functions, "a context of an unknown function");
    x.level = (uint32_t)limited(d, UINT32_MAX);
    x.callers = (uint32_t)limited(d, TN_RAW_MAX_CALLERS);
    if (check(d, "a CONTEXT record is cut short"))
        return -1;
    uint32_t *caller = x.callers ? tp_arena_alloc(&d->rec->arena, x.callers * sizeof *caller) : NULL;
    d->no_memory |= x.callers && !caller;
    for (uint32_t i = 0; caller && i < x.callers; i++)
        caller[i] = need(d, &d->functions, "a context of an unknown caller");
    x.caller = caller;
    return DEFINE(d, contexts, x, "a CONTEXT record is cut short");
}

enum { INSTR_CONDITIONAL = 1, INSTR_INDIRECT = 2 }; /* TN_INSTR_COND, TN_INSTR_INDIRECT of the core */

static int read_instr(struct decoder *d)
{
    struct tp_instr x = {0};

    recording_define(d, &d->instrs);
    x.address = tp_get_n(&d->c);
    x.length = (uint8_t)limited(d, UINT8_MAX);
    x.context = need(d, &d->contexts, "an instruction in no function");
    uint64_t flags = tp_get_n(&d->c), reads = tp_get_n(&d->c), writes = tp_get_n(&d->c);
    x.can = (uint8_t)((reads ? TP_CAN_READ : 0) | (writes ? TP_CAN_WRITE : 0) |
                      (flags & INSTR_CONDITIONAL ? TP_CAN_BRANCH : 0) |
                      (flags & INSTR_INDIRECT ? TP_CAN_INDIRECT : 0));
    return DEFINE(d, instrs, x, "an INSTR record is cut short");
}

static int read_thread(struct decoder *d)
{
    struct tp_thread t = {0};

    recording_define(d, &d->threads);
    t.id = d->id;
    t.os_id = tp_get_n(&d->c);
    t.parent = tp_get_n(&d->c);
    t.self = recording_new_row(d);
    d->no_memory |= !t.self;
    return DEFINE(d, threads, t, "a THREAD record is cut short");
}

static int read_arc(struct decoder *d)
{
    struct tp_arc a = {0};

    recording_define(d, &d->arcs);
    a.site = refer(d, &d->instrs, "an arc from an unknown site");
    a.caller = refer(d, &d->contexts, "an arc from an unknown caller");
    a.callee = need(d, &d->contexts, "an arc to an unknown callee");
    if (a.site && d->known == TP_NOT_FOUND)
        d->rec->instrs.at[a.site - 1].calls = true;
    return DEFINE(d, arcs, a, "an ARC record is cut short");
}

static int read_origin(struct decoder *d)
{
    struct tp_origin o = {0};

    recording_define(d, &d->origins);
    o.caller = refer(d, &d->origins, "an allocation path below an unknown one");
    o.site = refer(d, &d->instrs, "an allocation path from an unknown site");
    o.function = need(d, &d->functions, "an allocation path to an unknown function");
    return DEFINE(d, origins, o, "an ORIGIN record is cut short");
}

static int read_data(struct decoder *d)
{
    struct tp_data x = {0};

    recording_define(d, &d->data);
    x.kind = (uint8_t)limited(d, TN_DATA_KINDS - 1);
    x.origin = refer(d, &d->origins, "a data object of an unknown allocation path");
    x.thread = refer(d, &d->threads, "the stack of an unknown thread");
    x.address = tp_get_n(&d->c);
    x.size = tp_get_n(&d->c);
    x.symbol = text_or_null(d);
    x.path = text_or_null(d);
    x.element = (uint32_t)limited(d, TN_LARGEST_ELEMENT);
    x.lead = (uint32_t)limited(d, TN_LARGEST_ELEMENT);
    x.type = tp_get_n(&d->c);
    x.typed_by = refer(d, &d->instrs, "a data object with a type from an unknown call");
    if (x.kind == 0)
        recording_refuse(d, "a data object of no kind");
    return DEFINE(d, data, x, "a DATA record is cut short");
}

static int read_data_blocks(struct decoder *d)
{
    uint32_t data = need(d, &d->data, "blocks of an unknown data object");
    uint64_t began = tp_count(tp_get_n(&d->c)), ended = tp_count(tp_get_n(&d->c));
    uint64_t bytes = tp_count(tp_get_n(&d->c)), largest = tp_count(tp_get_n(&d->c)), pages = tp_count(tp_get_n(&d->c));

    if (check(d, "a DATA_BLOCKS record is cut short"))
        return -1;
    struct tp_data *x = &d->rec->data.at[data - 1];
    x->began = tp_sum(x->began, began);
    x->ended = tp_sum(x->ended, ended);
    x->bytes = tp_sum(x->bytes, bytes);
    x->largest = largest > x->largest ? largest : x->largest;
    x->pages = tp_sum(x->pages, pages);
    return 0;
}

static int read_sharing(struct decoder *d)
{
    struct tp_sharing x = {0};

    x.writer = refer(d, &d->instrs, "a line lost to an unknown instruction");
    x.victim = refer(d, &d->instrs, "a line lost by an unknown instruction");
    x.data = refer(d, &d->data, "a line lost in an unknown data object");
    x.misses = tp_get_n(&d->c);
    x.falsely = tp_get_n(&d->c);
    x.truly = tp_get_n(&d->c);
    x.written = tp_get_n(&d->c);
    x.touched = tp_get_n(&d->c);
    if (check(d, "a SHARING record is cut short"))
        return -1;
    return TP_VECTOR_PUSH(&d->rec->sharings, x) ? 0 : no_memory(d);
}

/* ------------------------------------------------------------------------------------------ costs */

static const char unfit[] = "costs that do not fit the events";

static void need_events(struct decoder *d)
{
    if (!d->rec->events.count)
        recording_refuse(d, "costs before the list of events");
}

static bool all_zero(const struct decoder *d)
{
    for (size_t i = 0; i < d->rec->events.count; i++) {
        if (d->row[i])
            return false;
    }
    return true;
}

static int read_data_at(struct decoder *d)
{
    need_events(d);
    uint32_t data = need(d, &d->data, "costs at a place of an unknown data object");
    uint32_t place = (uint32_t)limited(d, TN_AT_FIRST + TN_LARGEST_ELEMENT);
    const uint8_t *from = d->c.p;
    tp_add_late(&d->rec->events, &d->c, true, d->machine ? NULL : d->seen);
    if (d->machine) /* they have misses and use of the recorded machine alone */
        return check(d, unfit);
    return check(d, unfit) || recording_keep(d, &d->rec->data.at[data - 1].at, from, TP_FORM_DATA, 0, place);
}

/* A SELF or a LATE. The second SELF of an instruction in a thread is what it pays for others. */
static int read_instr_costs(struct decoder *d)
{
    bool late = d->type == TN_RAW_LATE;

    need_events(d);
    uint32_t thread = need(d, &d->threads, "costs of an unknown thread");
    uint32_t instr = need(d, &d->instrs, "costs of an unknown instruction");
    enum tp_form form = d->self_thread == thread && d->self_instr == instr ? TP_FORM_SKIPPED : TP_FORM_IMMEDIATE;
    if (late) {
        form = limited(d, 1) ? TP_FORM_DATA : TP_FORM_FETCH;
    } else {
        d->self_thread = thread;
        d->self_instr = instr;
    }
    uint32_t data = late ? refer(d, &d->data, "costs in an unknown data object") : 0;
    const uint8_t *from = d->c.p;
    memset(d->row, 0, d->rec->events.count * sizeof *d->row);
    if (late)
        tp_add_late(&d->rec->events, &d->c, form == TP_FORM_DATA, d->row);
    else
        tp_add_immediate(&d->rec->events, &d->c, d->row);
    if (check(d, unfit))
        return -1;
    if (all_zero(d))
        return 0; /* a skipped function's instruction: somebody else has paid */
    if (recording_keep(d, &d->rec->instrs.at[instr - 1].costs, from, form, thread, data))
        return -1;
    if (!d->part_row && !(d->part_row = recording_new_row(d)))
        return no_memory(d);
    tp_add_row(&d->rec->events, d->part_row, d->row);
    tp_add_row(&d->rec->events, d->rec->threads.at[thread - 1].self, d->row);
    return 0;
}

/* What STRIDES and SETS begin with, as LATE does: the instruction. *kind: 0 fetches, 1 data. */
static uint32_t read_payer(struct decoder *d, uint64_t *kind, uint32_t *data)
{
    need(d, &d->threads, "misses of an unknown thread");
    uint32_t instr = need(d, &d->instrs, "misses of an unknown instruction");
    *kind = limited(d, 1);
    *data = refer(d, &d->data, "misses in an unknown data object");
    return instr;
}

static int read_strides(struct decoder *d)
{
    struct tp_strides sum = {0};
    uint64_t kind;

    sum.instr = read_payer(d, &kind, &sum.data);
    sum.count = tp_get_n(&d->c);
    sum.covered = tp_get_n(&d->c);
    sum.far = tp_get_n(&d->c);
    sum.lost = tp_get_n(&d->c);
    if (!TP_VECTOR_PUSH(&d->rec->stride_sums, sum))
        return no_memory(d);
    for (uint64_t kept = limited(d, TN_RAW_MAX_STRIDES); kept && !d->c.bad; kept--) {
        struct tp_stride stride = {.instr = sum.instr, .data = sum.data, .bytes = tp_get_z(&d->c)};
        stride.count = tp_get_n(&d->c);
        if (!TP_VECTOR_PUSH(&d->rec->strides, stride))
            return no_memory(d);
    }
    if (kind != 1)
        recording_refuse(d, "a STRIDES record of fetches");
    return check(d, "a STRIDES record is cut short");
}

/* Caches by level, of fetches and of data. */
static const uint8_t cache_of[3][2] = {{0, 1}, {2, 2}, {3, 4}};

static int read_sets(struct decoder *d)
{
    struct tp_conflicts conflicts = {0};
    uint64_t kind;

    conflicts.instr = read_payer(d, &kind, &conflicts.data);
    uint64_t level = limited(d, 2), bits = tp_get_n(&d->c);
    if (!d->c.bad)
        conflicts.cache = cache_of[level][kind];
    for (; bits && !d->c.bad; bits >>= 1, conflicts.set++) {
        if (!(bits & 1))
            continue;
        conflicts.count = tp_get_n(&d->c);
        if (!TP_VECTOR_PUSH(&d->rec->conflicts, conflicts))
            return no_memory(d);
    }
    return check(d, "a SETS record is cut short, or of an unknown level");
}

/* A PAIR, or a REUSE, which is one without an evictor. */
static int read_again(struct decoder *d)
{
    struct tp_again again = {.first_after = (uint32_t)d->rec->afters.count};
    bool pair = d->type == TN_RAW_PAIR;

    again.loader = refer(d, &d->instrs, "a line loaded by an unknown instruction");
    again.evictor = pair ? refer(d, &d->instrs, "a line thrown out by an unknown instruction") : 0;
    again.evictor_data = pair ? refer(d, &d->data, "a line thrown out by an unknown data object") : 0;
    again.instr = refer(d, &d->instrs, "a line used again by an unknown instruction");
    uint64_t kind = limited(d, 1);
    again.data = refer(d, &d->data, "a line used again in an unknown data object");
    uint64_t level = limited(d, 2);
    again.cache = again.instr && !d->c.bad ? cache_of[level][kind] : 0;
    again.misses = tp_get_n(&d->c);
    again.timed = pair ? tp_get_n(&d->c) : again.misses;
    again.distance = tp_get_n(&d->c);
    uint64_t bits = limited(d, (1ull << TN_RAW_DISTANCES) - 1);
    for (; bits && !d->c.bad; bits &= bits - 1, again.afters++) {
        if (!TP_VECTOR_PUSH(&d->rec->afters,
                            (struct tp_after){tp_get_n(&d->c), (uint32_t)__builtin_ctzll(bits)}))
            return no_memory(d);
    }
    if (check(d, "a PAIR or REUSE record is cut short, or of an unknown level"))
        return -1;
    bool kept = pair ? TP_VECTOR_PUSH(&d->rec->again, again) : TP_VECTOR_PUSH(&d->rec->reuses, again);
    return kept ? 0 : no_memory(d);
}

/* Nothing is kept of what is nothing: a part has all nodes, also those in which it counted nothing. */
static int read_node(struct decoder *d)
{
    struct tp_node n = {0};

    need_events(d);
    recording_define(d, &d->nodes);
    n.parent = refer(d, &d->nodes, "a node below an unknown one");
    n.arc = refer(d, &d->arcs, "a node of an unknown arc");
    n.context = refer(d, &d->contexts, "a node of an unknown function");
    n.thread = refer(d, &d->threads, "a node of an unknown thread");
    n.flags = (uint32_t)limited(d, UINT32_MAX);
    n.calls = tp_count(tp_get_n(&d->c));
    bool is_new = d->known == TP_NOT_FOUND;
    if (DEFINE(d, nodes, n, "a NODE record is cut short"))
        return -1;
    struct tp_node *node = &d->rec->nodes.at[is_new ? d->rec->nodes.count - 1 : d->known];
    if (node->parent != n.parent || node->arc != n.arc || node->context != n.context || node->thread != n.thread)
        return damaged(d, "a node that has moved in the tree");
    if (!is_new) {
        node->calls = tp_sum(node->calls, n.calls);
        node->flags |= n.flags;
    }
    const uint8_t *from = d->c.p;
    memset(d->row, 0, d->rec->events.count * sizeof *d->row);
    tp_add_costs(&d->rec->events, &d->c, d->row);
    tp_add_row(&d->rec->events, d->seen, d->row);
    if (check(d, unfit))
        return -1;
    return all_zero(d) ? 0 : recording_keep(d, &node->costs, from, TP_FORM_COSTS, 0, 0);
}

static int read_arc_cost(struct decoder *d)
{
    need_events(d);
    uint32_t arc = need(d, &d->arcs, "costs of an unknown arc");
    uint64_t calls = tp_count(tp_get_n(&d->c));
    const uint8_t *from = d->c.p;
    tp_add_costs(&d->rec->events, &d->c, d->seen);
    if (check(d, unfit))
        return -1;
    struct tp_arc *a = &d->rec->arcs.at[arc - 1];
    a->calls = tp_sum(a->calls, calls);
    return recording_keep(d, &a->costs, from, TP_FORM_COSTS, 0, 0);
}

static int read_func_cost(struct decoder *d)
{
    need_events(d);
    uint32_t context = need(d, &d->contexts, "costs of an unknown function");
    uint64_t calls = tp_count(tp_get_n(&d->c));
    const uint8_t *from = d->c.p;
    tp_add_costs(&d->rec->events, &d->c, d->seen);
    tp_add_costs(&d->rec->events, &d->c, d->seen);
    if (check(d, unfit))
        return -1;
    struct tp_context *x = &d->rec->contexts.at[context - 1];
    x->calls = tp_sum(x->calls, calls);
    return recording_keep(d, &x->costs, from, TP_FORM_SELF_AND_INCL, 0, 0);
}

/* A NODE_DATA or a FUNC_DATA: what is paid in a data object. */
static int read_held(struct decoder *d)
{
    bool of_node = d->type == TN_RAW_NODE_DATA;

    need_events(d);
    uint32_t payer = of_node ? need(d, &d->nodes, "costs of an unknown node")
                             : need(d, &d->contexts, "costs of an unknown function");
    uint32_t data = need(d, &d->data, "costs in an unknown data object");
    const uint8_t *from = d->c.p;
    tp_add_late(&d->rec->events, &d->c, true, d->seen);
    if (check(d, unfit))
        return -1;
    return recording_keep(d, of_node ? &d->rec->nodes.at[payer - 1].held : &d->rec->contexts.at[payer - 1].held, from,
                          TP_FORM_DATA, 0, data);
}

/* The costs of an interval, or of a function in it. */
static int keep_paid(struct decoder *d, struct tp_blob **costs)
{
    const uint8_t *from = d->c.p;

    tp_add_costs(&d->rec->events, &d->c, d->seen);
    return check(d, unfit) || recording_keep(d, costs, from, TP_FORM_COSTS, 0, 0);
}

static int read_interval(struct decoder *d)
{
    struct tp_interval x = {.first = (uint32_t)d->rec->payments.count};

    need_events(d);
    x.begin = tp_get_n(&d->c);
    x.instructions = tp_count(tp_get_n(&d->c));
    x.time = tp_get_n(&d->c);
    x.took = tp_count(tp_get_n(&d->c));
    x.count = (uint32_t)limited(d, TN_WORST);
    if (check(d, "an INTERVAL record is cut short") || keep_paid(d, &x.costs))
        return -1;
    for (uint32_t i = 0; i < x.count; i++) {
        struct tp_payment payment = {.context = need(d, &d->contexts, "an interval of an unknown function")};
        if (check(d, "an INTERVAL record is cut short") || keep_paid(d, &payment.costs))
            return -1;
        if (!TP_VECTOR_PUSH(&d->rec->payments, payment))
            return no_memory(d);
    }
    return TP_VECTOR_PUSH(&d->rec->intervals, x) ? 0 : no_memory(d);
}

static int read_label(struct decoder *d)
{
    struct tp_label x = {.at = tp_get_n(&d->c), .time = tp_get_n(&d->c)};

    x.text = text(d);
    if (check(d, "a LABEL record is cut short"))
        return -1;
    return TP_VECTOR_PUSH(&d->rec->labels, x) ? 0 : no_memory(d);
}

static int read_end(struct decoder *d)
{
    struct tp_part part = {.self = d->part_row, .number = tp_get_n(&d->c)};

    part.why = text(d);
    if (tp_get_n(&d->c) != d->chunks - 1)
        recording_refuse(d, "a part has lost chunks");
    if (check(d, "an END record is cut short"))
        return -1;
    if (!part.self)
        part.self = recording_new_row(d);
    if (!part.self || !TP_VECTOR_PUSH(&d->rec->parts, part))
        return no_memory(d);
    d->part_row = NULL;
    d->chunks = 0;
    d->self_instr = 0;
    return 0;
}

/* ------------------------------------------------------------------------------------------ chunks */

static int (*const readers[])(struct decoder *) = {
    [TN_RAW_META] = read_meta,               [TN_RAW_EVENTS] = recording_read_events,
    [TN_RAW_OBJECT] = recording_read_object, [TN_RAW_FUNCTION] = read_function,
    [TN_RAW_CONTEXT] = read_context,         [TN_RAW_INSTR] = read_instr,
    [TN_RAW_THREAD] = read_thread,           [TN_RAW_ARC] = read_arc,
    [TN_RAW_SELF] = read_instr_costs,        [TN_RAW_LATE] = read_instr_costs,
    [TN_RAW_NODE] = read_node,               [TN_RAW_ARC_COST] = read_arc_cost,
    [TN_RAW_FUNC_COST] = read_func_cost,     [TN_RAW_STAT] = read_stat,
    [TN_RAW_END] = read_end,                 [TN_RAW_ORIGIN] = read_origin,
    [TN_RAW_DATA] = read_data,               [TN_RAW_DATA_BLOCKS] = read_data_blocks,
    [TN_RAW_SHARING] = read_sharing,         [TN_RAW_DATA_AT] = read_data_at,
    [TN_RAW_STRIDES] = read_strides,         [TN_RAW_SETS] = read_sets,
    [TN_RAW_PAIR] = read_again,              [TN_RAW_REUSE] = read_again,
    [TN_RAW_NODE_DATA] = read_held,          [TN_RAW_FUNC_DATA] = read_held,
    [TN_RAW_INTERVAL] = read_interval,       [TN_RAW_LABEL] = read_label,
};

static int read_chunks(struct decoder *d, struct tp_raw_file *raw, const struct tp_raw_extent *extent,
                       const struct tp_import_options *options)
{
    struct tp_raw_chunk chunk;

    for (uint64_t i = 0; raw->offset < extent->end; i++) {
        if (options->progress && i % REPORT_EVERY == 0 &&
            !options->progress(options->user, "reading", raw->offset, extent->end))
            return TP_GIVEN_UP(d->err);
        int more = tp_raw_next(raw, &chunk, d->err);
        if (more < 0)
            return -1;
        if (more == 0)
            return TP_FAIL(d->err, "%s: has become shorter while it was read", raw->path);
        d->c = tp_cursor_of(&chunk);
        d->type = chunk.type;
        d->chunks++;
        if (chunk.type >= sizeof readers / sizeof *readers)
            return damaged(d, "a chunk of unknown type");
        if (chunk.type == TN_RAW_END && chunk.size == 0)
            return damaged(d, "an empty END");
        while (d->c.p < d->c.end) {
            if (readers[chunk.type](d))
                return -1;
            if (chunk.type == TN_RAW_END && d->c.p < d->c.end)
                return damaged(d, "something after END in its chunk");
        }
    }
    return 0;
}

/* A row that was made with the file's columns, to those that stay. */
static void keep_columns(uint64_t *row, size_t count, const uint16_t *kept)
{
    uint64_t before[TP_MAX_EVENTS];

    memcpy(before, row, count * sizeof *row);
    for (size_t i = 0; i < count; i++) {
        if (kept[i] != TP_DROPPED)
            row[kept[i]] = before[i];
    }
}

int tp_recording_read(struct tp_recording *rec, struct tp_raw_file *raw, const struct tp_raw_extent *extent,
                      const struct tp_import_options *options, struct tp_error *err)
{
    struct decoder d = {.rec = rec, .path = raw->path, .machine = options->machine, .err = err};
    struct tp_idmap *const maps[] = {&d.objects, &d.functions, &d.contexts, &d.instrs,
                                     &d.threads, &d.arcs,      &d.nodes,    &d.origins, &d.data};

    *rec = (struct tp_recording){0};
    int failed = tp_raw_rewind(raw, err) || read_chunks(&d, raw, extent, options);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        tp_idmap_free(maps[i]);
    if (!failed && !rec->events.count)
        return TP_FAIL(err, "%s: has no list of events, nothing can be read from it", raw->path);
    if (!failed) {
        size_t count = rec->events.count;
        uint16_t kept[TP_MAX_EVENTS];
        for (size_t i = 0; i < rec->threads.count; i++)
            tp_add_row(&rec->events, d.seen, rec->threads.at[i].self);
        tp_events_arrange(&rec->events, d.seen, kept);
        for (size_t i = 0; i < rec->parts.count; i++)
            keep_columns(rec->parts.at[i].self, count, kept);
        for (size_t i = 0; i < rec->threads.count; i++)
            keep_columns(rec->threads.at[i].self, count, kept);
    }
    return failed ? -1 : 0;
}

void tp_recording_free(struct tp_recording *rec)
{
    TP_VECTOR_FREE(&rec->objects);
    TP_VECTOR_FREE(&rec->functions);
    TP_VECTOR_FREE(&rec->contexts);
    TP_VECTOR_FREE(&rec->instrs);
    TP_VECTOR_FREE(&rec->frames);
    TP_VECTOR_FREE(&rec->statements);
    TP_VECTOR_FREE(&rec->loops);
    TP_VECTOR_FREE(&rec->address_loads);
    TP_VECTOR_FREE(&rec->compared_loads);
    TP_VECTOR_FREE(&rec->threads);
    TP_VECTOR_FREE(&rec->arcs);
    TP_VECTOR_FREE(&rec->nodes);
    TP_VECTOR_FREE(&rec->origins);
    TP_VECTOR_FREE(&rec->data);
    TP_VECTOR_FREE(&rec->sharings);
    TP_VECTOR_FREE(&rec->stride_sums);
    TP_VECTOR_FREE(&rec->strides);
    TP_VECTOR_FREE(&rec->again);
    TP_VECTOR_FREE(&rec->reuses);
    TP_VECTOR_FREE(&rec->afters);
    TP_VECTOR_FREE(&rec->conflicts);
    TP_VECTOR_FREE(&rec->parts);
    TP_VECTOR_FREE(&rec->intervals);
    TP_VECTOR_FREE(&rec->payments);
    TP_VECTOR_FREE(&rec->labels);
    TP_VECTOR_FREE(&rec->meta);
    TP_VECTOR_FREE(&rec->stats);
    TP_VECTOR_FREE(&rec->files);
    tp_idmap_free(&rec->begins);
    tp_idmap_free(&rec->loop_lines);
    TP_VECTOR_FREE(&rec->formulas);
    tp_arena_free(&rec->arena);
}
