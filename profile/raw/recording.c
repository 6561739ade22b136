/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.c: records of a raw profile into a struct tp_recording.
 *
 * One function per record type. Each reads its fields, looks up what they refer to, and checks both; the first
 * thing that is wrong ends the import with its offset. A definition that is repeated must say the same.
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
    struct tp_error *err;
    struct tp_idmap objects, functions, contexts, instrs, threads, arcs, nodes, origins, data;
    uint64_t id;                  /* of the definition at hand */
    uint32_t known;               /* its index; TP_NOT_FOUND for a new one */
    uint64_t chunks;              /* of the current part */
    uint32_t self_thread, self_instr; /* + 1; of the last SELF of the part */
    uint64_t *part_row;           /* self costs of the current part; made with its first cost */
    uint64_t seen[TP_MAX_EVENTS]; /* all costs of any kind: which events occur */
    uint64_t row[TP_MAX_EVENTS];  /* of the record at hand */
};

/* ------------------------------------------------------------------------------------------ helpers */

static int damaged(struct decoder *d, const char *what)
{
    return TP_FAIL(d->err, "%s: damaged at offset %" PRIu64 ": %s", d->path, tp_cursor_offset(&d->c), what);
}

static int no_memory(struct decoder *d)
{
    return TP_FAIL(d->err, "%s: out of memory at offset %" PRIu64, d->path, tp_cursor_offset(&d->c));
}

/* Index + 1 of what the id in the file stands for; 0 for id 0. */
static int refer(struct decoder *d, const struct tp_idmap *map, bool zero_is_fine, const char *what,
                 uint32_t *out)
{
    uint64_t id = tp_get_n(&d->c);

    *out = 0;
    if (d->c.bad)
        return damaged(d, "a record is cut short");
    if (id == 0)
        return zero_is_fine ? 0 : damaged(d, what);
    uint32_t index = tp_idmap_find(map, id);
    if (index == TP_NOT_FOUND)
        return damaged(d, what);
    *out = index + 1;
    return 0;
}

/* The id that a definition begins with. */
static int recording_define(struct decoder *d, const struct tp_idmap *map)
{
    d->id = tp_get_n(&d->c);
    if (d->c.bad || d->id == 0)
        return damaged(d, "a definition without id");
    d->known = tp_idmap_find(map, d->id);
    return 0;
}

/* Keep a definition in a list of the recording, and its id in the map of the same name. 0, or -1: no memory. */
#define ADD(d, list, thing)                                                                                  \
    (TP_VECTOR_PUSH(&(d)->rec->list, thing) &&                                                               \
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

static const char *text(struct decoder *d)
{
    size_t size;
    const uint8_t *bytes = tp_get_s(&d->c, &size);

    return tp_clean_text(&d->rec->arena, bytes, size);
}

static uint64_t *recording_new_row(struct decoder *d)
{
    return tp_arena_alloc(&d->rec->arena, sizeof(uint64_t) * TP_MAX_EVENTS);
}

/* Keep the bytes from `from` up to the cursor. */
static int recording_keep(struct decoder *d, struct tp_blob **list, const uint8_t *from, enum tp_form form,
                          uint32_t thread, uint32_t data)
{
    size_t size = (size_t)(d->c.p - from);

    if (d->c.bad)
        return damaged(d, "costs that do not fit the events");
    struct tp_blob *blob = tp_arena_alloc(&d->rec->arena, sizeof *blob + size);
    if (!blob)
        return no_memory(d);
    *blob = (struct tp_blob){
        .next = *list, .thread = thread, .data = data, .size = (uint32_t)size, .form = (uint8_t)form};
    memcpy(blob->bytes, from, size);
    *list = blob;
    return 0;
}

static int need_events(struct decoder *d)
{
    return d->rec->events.count ? 0 : damaged(d, "costs before the list of events");
}

/* ------------------------------------------------------------------------------------------ facts */

int tp_recording_meta(struct tp_recording *rec, const char *key, const char *value)
{
    struct tp_pair *pair = NULL;

    for (size_t i = 0; i < rec->meta.count && !pair; i++) {
        if (strcmp(rec->meta.at[i].key, key) == 0)
            pair = &rec->meta.at[i];
    }
    if (!pair && !(pair = TP_VECTOR_ADD(&rec->meta)))
        return -1;
    pair->key = tp_clean_text(&rec->arena, key, strlen(key));
    pair->value = tp_clean_text(&rec->arena, value, strlen(value));
    return pair->key && pair->value ? 0 : -1;
}

static int read_meta(struct decoder *d)
{
    const char *key = text(d), *value = text(d);

    if (d->c.bad)
        return damaged(d, "a META record is cut short");
    if (d->rec->meta.count > 10000)
        return damaged(d, "more META records than make sense");
    return !key || !value || tp_recording_meta(d->rec, key, value) ? no_memory(d) : 0;
}

static int read_stat(struct decoder *d)
{
    const char *name = text(d);
    uint64_t value = tp_get_n(&d->c);
    struct tp_stat *stat = NULL;

    if (d->c.bad)
        return damaged(d, "a STAT record is cut short");
    if (!name)
        return no_memory(d);
    if (d->rec->stats.count > 10000)
        return damaged(d, "more STAT records than make sense");
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

    return tp_events_read(&d->rec->events, &d->c, &what) ? damaged(d, what) : 0;
}

/* ------------------------------------------------------------------------------------------ definitions */

static int recording_read_object(struct decoder *d)
{
    struct tp_object o = {0};
    size_t path_size;

    if (recording_define(d, &d->objects))
        return -1;
    const uint8_t *path = tp_get_s(&d->c, &path_size);
    o.start = tp_get_n(&d->c);
    o.size = tp_get_n(&d->c);
    o.bias = tp_get_z(&d->c);
    const uint8_t *build_id = tp_get_s(&d->c, &o.build_id_size);
    if (d->c.bad || o.build_id_size > 64)
        return damaged(d, "an OBJECT record is cut short or its build-id too long");
    if (d->known != TP_NOT_FOUND)
        return 0;
    o.path = tp_clean_text(&d->rec->arena, path, path_size);
    o.file = tp_arena_copy(&d->rec->arena, path, path_size);
    o.build_id = (uint8_t *)tp_arena_copy(&d->rec->arena, build_id, o.build_id_size);
    return o.path && o.file && o.build_id ? ADD(d, objects, o) : no_memory(d);
}

static int read_function(struct decoder *d)
{
    struct tp_function f = {0};

    if (recording_define(d, &d->functions) ||
        refer(d, &d->objects, true, "a function in no object", &f.object))
        return -1;
    f.start = tp_get_n(&d->c);
    f.size = tp_get_n(&d->c);
    f.flags = tp_get_n(&d->c);
    f.symbol = text(d);
    if (d->c.bad)
        return damaged(d, "a FUNCTION record is cut short");
    if (d->known != TP_NOT_FOUND)
        return 0;
    if (!f.symbol)
        return no_memory(d);
    if (!*f.symbol)
        f.symbol = NULL;
    f.name = f.symbol ? f.symbol : "???";
    return ADD(d, functions, f);
}

static int read_callers(struct decoder *d, struct tp_context *x)
{
    uint32_t *caller = x->callers ? tp_arena_alloc(&d->rec->arena, x->callers * sizeof *caller) : NULL;

    if (x->callers && !caller)
        return no_memory(d);
    for (uint32_t i = 0; i < x->callers; i++) {
        if (refer(d, &d->functions, false, "a context of an unknown caller", &caller[i]))
            return -1;
    }
    x->caller = caller;
    return 0;
}

static int read_context(struct decoder *d)
{
    struct tp_context x = {0};

    if (recording_define(d, &d->contexts) ||
        refer(d, &d->functions, true, "a context of an unknown function", &x.function))
        return -1;
    x.level = (uint32_t)limited(d, UINT32_MAX);
    x.callers = (uint32_t)limited(d, TN_RAW_MAX_CALLERS);
    if (d->c.bad)
        return damaged(d, "a CONTEXT record is cut short");
    if (read_callers(d, &x))
        return -1;
    if (d->known != TP_NOT_FOUND)
        return 0;
    return ADD(d, contexts, x);
}

enum { INSTR_CONDITIONAL = 1, INSTR_INDIRECT = 2 }; /* TN_INSTR_COND, TN_INSTR_INDIRECT of the core */

static int read_instr(struct decoder *d)
{
    struct tp_instr x = {0};

    if (recording_define(d, &d->instrs))
        return -1;
    x.address = tp_get_n(&d->c);
    x.length = (uint8_t)limited(d, UINT8_MAX);
    if (refer(d, &d->contexts, false, "an instruction in no function", &x.context))
        return -1;
    uint64_t flags = tp_get_n(&d->c), reads = tp_get_n(&d->c), writes = tp_get_n(&d->c);
    if (d->c.bad)
        return damaged(d, "an INSTR record is cut short");
    x.can = (uint8_t)((reads ? TP_CAN_READ : 0) | (writes ? TP_CAN_WRITE : 0) |
                      (flags & INSTR_CONDITIONAL ? TP_CAN_BRANCH : 0) |
                      (flags & INSTR_INDIRECT ? TP_CAN_INDIRECT : 0));
    if (d->known != TP_NOT_FOUND)
        return 0;
    return ADD(d, instrs, x);
}

static int read_thread(struct decoder *d)
{
    struct tp_thread t = {0};

    if (recording_define(d, &d->threads))
        return -1;
    t.os_id = tp_get_n(&d->c);
    t.parent = tp_get_n(&d->c);
    if (d->c.bad)
        return damaged(d, "a THREAD record is cut short");
    if (d->known != TP_NOT_FOUND)
        return 0;
    t.id = d->id;
    t.self = recording_new_row(d);
    return t.self ? ADD(d, threads, t) : no_memory(d);
}

static int read_arc(struct decoder *d)
{
    struct tp_arc a = {0};

    if (recording_define(d, &d->arcs) ||
        refer(d, &d->instrs, true, "an arc from an unknown site", &a.site) ||
        refer(d, &d->contexts, true, "an arc from an unknown caller", &a.caller) ||
        refer(d, &d->contexts, false, "an arc to an unknown callee", &a.callee))
        return -1;
    if (d->known != TP_NOT_FOUND)
        return 0;
    if (a.site)
        d->rec->instrs.at[a.site - 1].calls = true;
    return ADD(d, arcs, a);
}

static int read_origin(struct decoder *d)
{
    struct tp_origin o = {0};

    if (recording_define(d, &d->origins) ||
        refer(d, &d->origins, true, "an allocation path below an unknown one", &o.caller) ||
        refer(d, &d->instrs, true, "an allocation path from an unknown site", &o.site) ||
        refer(d, &d->functions, false, "an allocation path to an unknown function", &o.function))
        return -1;
    if (d->known != TP_NOT_FOUND)
        return 0;
    return ADD(d, origins, o);
}

static int read_data(struct decoder *d)
{
    struct tp_data x = {0};

    if (recording_define(d, &d->data))
        return -1;
    x.kind = (uint8_t)limited(d, TN_DATA_KINDS - 1);
    if (refer(d, &d->origins, true, "a data object of an unknown allocation path", &x.origin) ||
        refer(d, &d->threads, true, "the stack of an unknown thread", &x.thread))
        return -1;
    x.address = tp_get_n(&d->c);
    x.size = tp_get_n(&d->c);
    x.symbol = text(d);
    x.path = text(d);
    x.element = (uint32_t)limited(d, TN_LARGEST_ELEMENT);
    x.lead = (uint32_t)limited(d, TN_LARGEST_ELEMENT);
    x.type = tp_get_n(&d->c);
    if (refer(d, &d->instrs, true, "a data object with a type from an unknown call", &x.typed_by))
        return -1;
    if (d->c.bad || x.kind == 0)
        return damaged(d, "a DATA record is cut short, or of no kind");
    if (d->known != TP_NOT_FOUND)
        return 0;
    if (!x.symbol || !x.path)
        return no_memory(d);
    x.symbol = *x.symbol ? x.symbol : NULL;
    x.path = *x.path ? x.path : NULL;
    return ADD(d, data, x);
}

static int read_data_blocks(struct decoder *d)
{
    uint32_t data = 0;

    if (refer(d, &d->data, false, "blocks of an unknown data object", &data))
        return -1;
    struct tp_data *x = &d->rec->data.at[data - 1];
    x->began = tp_sum(x->began, tp_count(tp_get_n(&d->c)));
    x->ended = tp_sum(x->ended, tp_count(tp_get_n(&d->c)));
    x->bytes = tp_sum(x->bytes, tp_count(tp_get_n(&d->c)));
    uint64_t largest = tp_count(tp_get_n(&d->c));
    x->largest = largest > x->largest ? largest : x->largest;
    return d->c.bad ? damaged(d, "a DATA_BLOCKS record is cut short") : 0;
}

static int read_sharing(struct decoder *d)
{
    struct tp_sharing x = {0};

    if (refer(d, &d->instrs, true, "a line lost to an unknown instruction", &x.writer) ||
        refer(d, &d->instrs, true, "a line lost by an unknown instruction", &x.victim) ||
        refer(d, &d->data, true, "a line lost in an unknown data object", &x.data))
        return -1;
    x.misses = tp_get_n(&d->c);
    x.falsely = tp_get_n(&d->c);
    x.truly = tp_get_n(&d->c);
    x.written = tp_get_n(&d->c);
    x.touched = tp_get_n(&d->c);
    if (d->c.bad)
        return damaged(d, "a SHARING record is cut short");
    return TP_VECTOR_PUSH(&d->rec->sharings, x) ? 0 : no_memory(d);
}

/* ------------------------------------------------------------------------------------------ costs */

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
    uint32_t data = 0;

    if (need_events(d) || refer(d, &d->data, false, "costs at a place of an unknown data object", &data))
        return -1;
    uint32_t place = (uint32_t)limited(d, TN_AT_FIRST + TN_LARGEST_ELEMENT);
    const uint8_t *from = d->c.p;
    tp_add_late(&d->rec->events, &d->c, true, NULL);
    return recording_keep(d, &d->rec->data.at[data - 1].at, from, TP_FORM_DATA, 0, place);
}

/* The second SELF of an instruction in a thread is what it pays for others. */
static enum tp_form form_of_self(struct decoder *d, uint32_t thread, uint32_t instr)
{
    bool second = d->self_thread == thread && d->self_instr == instr;

    d->self_thread = thread;
    d->self_instr = instr;
    return second ? TP_FORM_SKIPPED : TP_FORM_IMMEDIATE;
}

static int read_instr_costs(struct decoder *d, bool late)
{
    uint32_t thread = 0, instr = 0, data = 0;
    enum tp_form form;

    if (need_events(d) || refer(d, &d->threads, false, "costs of an unknown thread", &thread) ||
        refer(d, &d->instrs, false, "costs of an unknown instruction", &instr))
        return -1;
    if (late)
        form = limited(d, 1) ? TP_FORM_DATA : TP_FORM_FETCH;
    else
        form = form_of_self(d, thread, instr);
    if (late && refer(d, &d->data, true, "costs in an unknown data object", &data))
        return -1;
    const uint8_t *from = d->c.p;
    memset(d->row, 0, d->rec->events.count * sizeof *d->row);
    if (late)
        tp_add_late(&d->rec->events, &d->c, form == TP_FORM_DATA, d->row);
    else
        tp_add_immediate(&d->rec->events, &d->c, d->row);
    if (!d->c.bad && all_zero(d))
        return 0; /* a skipped function's instruction: somebody else has paid */
    if (recording_keep(d, &d->rec->instrs.at[instr - 1].costs, from, form, thread, data))
        return -1;
    if (!d->part_row && !(d->part_row = recording_new_row(d)))
        return no_memory(d);
    tp_add_row(&d->rec->events, d->part_row, d->row);
    tp_add_row(&d->rec->events, d->rec->threads.at[thread - 1].self, d->row);
    tp_add_row(&d->rec->events, d->seen, d->row);
    return 0;
}

static int read_self(struct decoder *d)
{
    return read_instr_costs(d, false);
}

static int read_late(struct decoder *d)
{
    return read_instr_costs(d, true);
}

/* What STRIDES and SETS begin with, as LATE does. *kind: 0 fetches, 1 data. */
static int read_payer(struct decoder *d, uint32_t *instr, uint64_t *kind, uint32_t *data)
{
    uint32_t thread = 0;

    if (refer(d, &d->threads, false, "misses of an unknown thread", &thread) ||
        refer(d, &d->instrs, false, "misses of an unknown instruction", instr))
        return -1;
    *kind = limited(d, 1);
    return refer(d, &d->data, true, "misses in an unknown data object", data);
}

static int read_strides(struct decoder *d)
{
    struct tp_strides sum = {0};
    uint64_t kind = 0;

    if (read_payer(d, &sum.instr, &kind, &sum.data))
        return -1;
    sum.count = tp_get_n(&d->c);
    sum.lost = tp_get_n(&d->c);
    if (!TP_VECTOR_PUSH(&d->rec->stride_sums, sum))
        return no_memory(d);
    for (uint64_t kept = limited(d, TN_RAW_MAX_STRIDES); kept && !d->c.bad; kept--) {
        struct tp_stride stride = {.instr = sum.instr, .data = sum.data, .bytes = tp_get_z(&d->c)};
        stride.count = tp_get_n(&d->c);
        if (!TP_VECTOR_PUSH(&d->rec->strides, stride))
            return no_memory(d);
    }
    return d->c.bad || kind != 1 ? damaged(d, "a STRIDES record is cut short, or of fetches") : 0;
}

/* Caches by level, of fetches and of data. */
static const uint8_t cache_of[3][2] = {{0, 1}, {2, 2}, {3, 4}};

static int read_sets(struct decoder *d)
{
    struct tp_conflicts conflicts = {0};
    uint64_t kind = 0;

    if (read_payer(d, &conflicts.instr, &kind, &conflicts.data))
        return -1;
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
    return d->c.bad ? damaged(d, "a SETS record is cut short, or of an unknown level") : 0;
}

/* A PAIR, or a REUSE, which is one without an evictor. */
static int read_again(struct decoder *d, bool pair)
{
    struct tp_again again = {.first_after = (uint32_t)d->rec->afters.count};

    if (refer(d, &d->instrs, true, "a line loaded by an unknown instruction", &again.loader) ||
        (pair && refer(d, &d->instrs, true, "a line thrown out by an unknown instruction", &again.evictor)) ||
        (pair && refer(d, &d->data, true, "a line thrown out by an unknown data object", &again.evictor_data)) ||
        refer(d, &d->instrs, true, "a line used again by an unknown instruction", &again.instr))
        return -1;
    uint64_t kind = limited(d, 1);
    if (refer(d, &d->data, true, "a line used again in an unknown data object", &again.data))
        return -1;
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
    if (d->c.bad)
        return damaged(d, "a PAIR or REUSE record is cut short, or of an unknown level");
    bool kept = pair ? TP_VECTOR_PUSH(&d->rec->again, again) : TP_VECTOR_PUSH(&d->rec->reuses, again);
    return kept ? 0 : no_memory(d);
}

static int read_pair(struct decoder *d)
{
    return read_again(d, true);
}

static int read_reuse(struct decoder *d)
{
    return read_again(d, false);
}

/* Nothing is kept of what is nothing: a part has all nodes, also those in which it counted nothing. */
static int read_node_costs(struct decoder *d, struct tp_blob **costs)
{
    const uint8_t *from = d->c.p;

    memset(d->row, 0, d->rec->events.count * sizeof *d->row);
    tp_add_costs(&d->rec->events, &d->c, d->row);
    tp_add_row(&d->rec->events, d->seen, d->row);
    return !d->c.bad && all_zero(d) ? 0 : recording_keep(d, costs, from, TP_FORM_COSTS, 0, 0);
}

static int read_node(struct decoder *d)
{
    struct tp_node n = {0};

    if (need_events(d) || recording_define(d, &d->nodes) ||
        refer(d, &d->nodes, true, "a node below an unknown one", &n.parent) ||
        refer(d, &d->arcs, true, "a node of an unknown arc", &n.arc) ||
        refer(d, &d->contexts, true, "a node of an unknown function", &n.context) ||
        refer(d, &d->threads, true, "a node of an unknown thread", &n.thread))
        return -1;
    n.flags = (uint32_t)limited(d, UINT32_MAX);
    n.calls = tp_count(tp_get_n(&d->c));
    if (d->known == TP_NOT_FOUND)
        return ADD(d, nodes, n) ? -1 : read_node_costs(d, &d->rec->nodes.at[d->rec->nodes.count - 1].costs);
    struct tp_node *old = &d->rec->nodes.at[d->known];
    if (old->parent != n.parent || old->arc != n.arc || old->context != n.context || old->thread != n.thread)
        return damaged(d, "a node that has moved in the tree");
    old->calls = tp_sum(old->calls, n.calls);
    old->flags |= n.flags;
    return read_node_costs(d, &old->costs);
}

static int read_arc_cost(struct decoder *d)
{
    uint32_t arc = 0;

    if (need_events(d) || refer(d, &d->arcs, false, "costs of an unknown arc", &arc))
        return -1;
    struct tp_arc *a = &d->rec->arcs.at[arc - 1];
    a->calls = tp_sum(a->calls, tp_count(tp_get_n(&d->c)));
    const uint8_t *from = d->c.p;
    tp_add_costs(&d->rec->events, &d->c, d->seen);
    return recording_keep(d, &a->costs, from, TP_FORM_COSTS, 0, 0);
}

static int read_func_cost(struct decoder *d)
{
    uint32_t context = 0;

    if (need_events(d) || refer(d, &d->contexts, false, "costs of an unknown function", &context))
        return -1;
    struct tp_context *x = &d->rec->contexts.at[context - 1];
    x->calls = tp_sum(x->calls, tp_count(tp_get_n(&d->c)));
    const uint8_t *from = d->c.p;
    tp_add_costs(&d->rec->events, &d->c, d->seen);
    tp_add_costs(&d->rec->events, &d->c, d->seen);
    return recording_keep(d, &x->costs, from, TP_FORM_SELF_AND_INCL, 0, 0);
}

static int read_held(struct decoder *d, struct tp_blob **held)
{
    uint32_t data = 0;

    if (refer(d, &d->data, false, "costs in an unknown data object", &data))
        return -1;
    const uint8_t *from = d->c.p;
    tp_add_late(&d->rec->events, &d->c, true, NULL);
    return recording_keep(d, held, from, TP_FORM_DATA, 0, data);
}

static int read_node_data(struct decoder *d)
{
    uint32_t node = 0;

    if (need_events(d) || refer(d, &d->nodes, false, "costs of an unknown node", &node))
        return -1;
    return read_held(d, &d->rec->nodes.at[node - 1].held);
}

static int read_func_data(struct decoder *d)
{
    uint32_t context = 0;

    if (need_events(d) || refer(d, &d->contexts, false, "costs of an unknown function", &context))
        return -1;
    return read_held(d, &d->rec->contexts.at[context - 1].held);
}

static int read_end(struct decoder *d)
{
    struct tp_part part = {.self = d->part_row};

    part.number = tp_get_n(&d->c);
    part.why = text(d);
    uint64_t chunks = tp_get_n(&d->c);

    if (d->c.bad)
        return damaged(d, "an END record is cut short");
    if (chunks != d->chunks - 1)
        return damaged(d, "a part has lost chunks");
    if (!part.self)
        part.self = recording_new_row(d);
    if (!part.why || !part.self || !TP_VECTOR_PUSH(&d->rec->parts, part))
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
    [TN_RAW_SELF] = read_self,               [TN_RAW_LATE] = read_late,
    [TN_RAW_NODE] = read_node,               [TN_RAW_ARC_COST] = read_arc_cost,
    [TN_RAW_FUNC_COST] = read_func_cost,     [TN_RAW_STAT] = read_stat,
    [TN_RAW_END] = read_end,                 [TN_RAW_ORIGIN] = read_origin,
    [TN_RAW_DATA] = read_data,               [TN_RAW_DATA_BLOCKS] = read_data_blocks,
    [TN_RAW_SHARING] = read_sharing,         [TN_RAW_DATA_AT] = read_data_at,
    [TN_RAW_STRIDES] = read_strides,         [TN_RAW_SETS] = read_sets,
    [TN_RAW_PAIR] = read_pair,               [TN_RAW_REUSE] = read_reuse,
    [TN_RAW_NODE_DATA] = read_node_data,     [TN_RAW_FUNC_DATA] = read_func_data,
};

static int read_chunk(struct decoder *d, const struct tp_raw_chunk *chunk)
{
    d->c = tp_cursor_of(chunk);
    d->chunks++;
    if (chunk->type >= sizeof readers / sizeof *readers)
        return damaged(d, "a chunk of unknown type");
    if (chunk->type == TN_RAW_END && chunk->size == 0)
        return damaged(d, "an empty END");
    while (d->c.p < d->c.end) {
        if (readers[chunk->type](d))
            return -1;
        if (chunk->type == TN_RAW_END && d->c.p < d->c.end)
            return damaged(d, "something after END in its chunk");
    }
    return 0;
}

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
        if (read_chunk(d, &chunk))
            return -1;
    }
    return 0;
}

/* A row that was made with the file's columns, to those that stay. */
static void keep_columns(uint64_t *row, size_t count, const uint8_t *kept)
{
    uint64_t before[TP_MAX_EVENTS];

    memcpy(before, row, count * sizeof *row);
    for (size_t i = 0; i < count; i++) {
        if (kept[i] != TP_DROPPED)
            row[kept[i]] = before[i];
    }
}

static void arrange_events(struct decoder *d)
{
    struct tp_recording *rec = d->rec;
    size_t count = rec->events.count;
    uint8_t kept[TP_MAX_EVENTS];

    tp_events_arrange(&rec->events, d->seen, kept);
    for (size_t i = 0; i < rec->parts.count; i++)
        keep_columns(rec->parts.at[i].self, count, kept);
    for (size_t i = 0; i < rec->threads.count; i++)
        keep_columns(rec->threads.at[i].self, count, kept);
}

int tp_recording_read(struct tp_recording *rec, struct tp_raw_file *raw, const struct tp_raw_extent *extent,
                      const struct tp_import_options *options, struct tp_error *err)
{
    struct decoder d = {.rec = rec, .path = raw->path, .err = err};
    struct tp_idmap *const maps[] = {&d.objects, &d.functions, &d.contexts, &d.instrs,
                                     &d.threads, &d.arcs,      &d.nodes,    &d.origins, &d.data};

    *rec = (struct tp_recording){0};
    int failed = tp_raw_rewind(raw, err) || read_chunks(&d, raw, extent, options);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        tp_idmap_free(maps[i]);
    if (!failed && !rec->events.count)
        return TP_FAIL(err, "%s: has no list of events, nothing can be read from it", raw->path);
    if (!failed)
        arrange_events(&d);
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
    TP_VECTOR_FREE(&rec->meta);
    TP_VECTOR_FREE(&rec->stats);
    TP_VECTOR_FREE(&rec->files);
    tp_idmap_free(&rec->begins);
    tp_idmap_free(&rec->loop_lines);
    TP_VECTOR_FREE(&rec->formulas);
    tp_arena_free(&rec->arena);
}
