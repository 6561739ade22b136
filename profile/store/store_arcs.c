/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_arcs.c: arcs, and which events can occur below whom.
 *
 * An event can occur in a function's inclusive costs if it can in its own instructions or, over any chain of
 * arcs, in a callee's. That is a fixed point: whenever a callee learns something its callers are told. A context
 * learns at most four things, so each arc is looked at no more often than that.
 */
#include "profile/base/error.h"
#include "profile/store/store.h"

static uint32_t arcs_caller_of(const struct tp_recording *rec, const struct tp_arc *arc)
{
    return arc->caller || !arc->site ? arc->caller : rec->instrs.at[arc->site - 1].context;
}

struct callers {
    uint32_t *list, *first; /* callers of each context: list[first[i]] to list[first[i + 1]] */
    uint32_t *waiting;      /* contexts whose callers have not been told */
    uint8_t *is_waiting;
};

int tp_store_possible(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    size_t count = rec->contexts.count;
    struct tp_arena arena = {0};
    struct callers callers = {
        .list = tp_arena_alloc(&arena, (rec->arcs.count + 1) * sizeof *callers.list),
        .first = tp_arena_alloc(&arena, (count + 2) * sizeof *callers.first),
        .waiting = tp_arena_alloc(&arena, (count + 1) * sizeof *callers.waiting),
        .is_waiting = tp_arena_alloc(&arena, (count + 1) * sizeof *callers.is_waiting),
    };
    bool ok = callers.list && callers.first && callers.waiting && callers.is_waiting;

    for (size_t i = 0; i < rec->instrs.count; i++) {
        const struct tp_instr *instr = &rec->instrs.at[i];
        if (!instr->costs)
            continue;
        struct tp_context *context = &rec->contexts.at[instr->context - 1];
        context->can |= instr->can;
        context->can_below |= instr->can;
        store->can |= instr->can;
    }
    if (ok) {
        uint32_t *first = callers.first;
        for (size_t i = 0; i < rec->arcs.count; i++)
            first[rec->arcs.at[i].callee]++;
        for (size_t i = 1; i < rec->contexts.count + 2; i++)
            first[i] += first[i - 1];
        for (size_t i = 0; i < rec->arcs.count; i++)
            callers.list[--first[rec->arcs.at[i].callee]] = arcs_caller_of(rec, &rec->arcs.at[i]);
        size_t left = 0; /* contexts that wait */
        for (size_t i = 1; i <= rec->contexts.count; i++) {
            callers.waiting[left++] = (uint32_t)i;
            callers.is_waiting[i] = 1;
        }
        while (left) {
            uint32_t callee = callers.waiting[--left];
            callers.is_waiting[callee] = 0;
            for (uint32_t i = callers.first[callee]; i < callers.first[callee + 1]; i++) {
                uint32_t caller = callers.list[i];
                uint8_t news = rec->contexts.at[callee - 1].can_below;
                if (!caller ||
                    (rec->contexts.at[caller - 1].can_below | news) == rec->contexts.at[caller - 1].can_below)
                    continue;
                rec->contexts.at[caller - 1].can_below |= news;
                if (!callers.is_waiting[caller])
                    callers.waiting[left++] = caller;
                callers.is_waiting[caller] = 1;
            }
        }
    }
    tp_arena_free(&arena);
    return ok ? 0 : TP_NO_MEMORY(store->err);
}

static int write_arc(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_recording *rec = store->rec;
    const struct tp_arc *arc = &rec->arcs.at[i];
    const struct tp_instr *site = arc->site ? &rec->instrs.at[arc->site - 1] : NULL;
    uint64_t row[TP_MAX_EVENTS];

    if (!arc->calls && !arc->costs)
        return 0;
    tp_clear_row(&rec->events, row);
    tp_blobs_add(&rec->events, arc->costs, row, NULL);
    TP_PUT(insert, TP_ID(i + 1), TP_ID(arcs_caller_of(rec, arc)), TP_ID(arc->callee),
           TP_ID(site ? store->instruction_id[arc->site - 1] : 0),
           TP_IF(site && !rec->no_addresses, TP_INTEGER(site->address)), TP_ID(site ? site->file : 0),
           TP_ID(site ? site->line : 0), TP_INTEGER(arc->calls));
    tp_put_row(insert, &rec->events, row, rec->contexts.at[arc->callee - 1].can_below);
    return tp_insert_row(store, insert);
}

static int write_arc_groups(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct tp_recording *rec = store->rec;
    const struct tp_arc *arc = &rec->arcs.at[i];
    uint64_t row[TP_MAX_EVENTS];

    tp_clear_row(&rec->events, row);
    tp_blobs_add(&rec->events, arc->costs, row, NULL);
    return tp_insert_groups(store, insert, (int64_t)i + 1, NULL, row, 0, rec->contexts.at[arc->callee - 1].can_below);
}

int tp_store_arcs(struct tp_store *store)
{
    size_t sampled = store->rec->events.groups > 1 ? store->rec->arcs.count : 0;

    return tp_insert_all(store, "t_arcs", store->rec->arcs.count, write_arc, NULL) ||
           tp_insert_all(store, "t_arc_groups", sampled, write_arc_groups, NULL);
}
