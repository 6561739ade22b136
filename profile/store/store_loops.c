/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_loops.c: what loops cost, and in which data objects.
 *
 * A loop's self costs are those of the instructions whose innermost loop it is. Inclusive: those of the loops in it,
 * and all that is called from any of them. Unless the function calls itself, no two calls from it overlap, and the sum
 * is exact. If it does, events below two calls count twice: then the sum is cut at the function's own inclusive
 * costs, and marked as an estimate. In data objects: without what is called.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

struct loops {
    struct tp_store *store;
    const struct tp_recording *rec;
    size_t width;
    struct tp_cost_rows rows; /* of all loops, in their order: self, then inclusive costs */
    struct tp_cost_rows data; /* by loop + 1 << 32 | data object + 1, likewise */
};

static struct tp_cost_row *loop_row(const struct loops *l, uint32_t loop)
{
    return &l->rows.list.at[loop - 1];
}

/* ------------------------------------------------------------------------------------------ adding up */

static int add_data(struct loops *l, const struct tp_instr *instr, const struct tp_blob *blob)
{
    for (uint32_t loop = instr->loop; loop; loop = l->rec->loops.at[loop - 1].parent) {
        struct tp_cost_row *row = tp_cost_row(&l->data, (uint64_t)loop << 32 | blob->data);
        if (!row)
            return TP_NO_MEMORY(l->store->err);
        if (loop == instr->loop) {
            tp_blob_add(&l->rec->events, blob, row->cost, NULL);
            row->can |= instr->can;
        }
        tp_blob_add(&l->rec->events, blob, row->cost + l->width, NULL);
        row->can_below |= instr->can;
    }
    return 0;
}

static int add_instructions(struct loops *l)
{
    for (size_t i = 0; i < l->rec->instrs.count; i++) {
        const struct tp_instr *instr = &l->rec->instrs.at[i];
        if (!instr->loop)
            continue;
        loop_row(l, instr->loop)->can |= instr->can;
        for (const struct tp_blob *blob = instr->costs; blob; blob = blob->next) {
            tp_blob_add(&l->rec->events, blob, loop_row(l, instr->loop)->cost, NULL);
            if (blob->data && add_data(l, instr, blob))
                return -1;
        }
    }
    return 0;
}

/* Calls, then the loops inside: those are behind the one around them, so that goes from the last to the first. */
static void add_calls_and_inner(struct loops *l)
{
    for (size_t i = 0; i < l->rec->arcs.count; i++) {
        const struct tp_arc *arc = &l->rec->arcs.at[i];
        uint32_t loop = arc->site ? l->rec->instrs.at[arc->site - 1].loop : 0;
        if (!loop)
            continue;
        struct tp_cost_row *row = loop_row(l, loop);
        tp_blobs_add(&l->rec->events, arc->costs, row->cost + l->width, NULL);
        row->can_below |= l->rec->contexts.at[arc->callee - 1].can_below;
        row->calls = true;
    }
    for (uint32_t loop = (uint32_t)l->rec->loops.count; loop > 0; loop--) {
        uint32_t around = l->rec->loops.at[loop - 1].parent;
        struct tp_cost_row *row = loop_row(l, loop), *parent = around ? loop_row(l, around) : NULL;
        tp_add_row(&l->rec->events, row->cost + l->width, row->cost);
        row->can_below |= row->can;
        if (!parent)
            continue;
        tp_add_row(&l->rec->events, parent->cost + l->width, row->cost + l->width);
        parent->can_below |= row->can_below;
        parent->calls |= row->calls;
    }
}

/* Whether calls from a loop may overlap; then its inclusive costs are no more than the function's. */
static bool loops_overlaps(struct loops *l, uint32_t loop)
{
    const struct tp_from_tree *tree = &l->store->from_tree;
    uint32_t context = l->rec->loops.at[loop - 1].context;
    uint64_t self[TP_MAX_EVENTS] = {0}, most[TP_MAX_EVENTS] = {0}, *incl = loop_row(l, loop)->cost + l->width;
    const struct tp_blob *known = l->rec->contexts.at[context - 1].costs;

    if (!loop_row(l, loop)->calls || (tree->known && !tree->recurses[context]))
        return false;
    tp_blobs_add(&l->rec->events, known, self, most);
    for (size_t i = 0; known && i < l->width; i++)
        incl[i] = incl[i] < most[i] ? incl[i] : most[i];
    return true;
}

/* ------------------------------------------------------------------------------------------ rows */

static int write_loop(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    struct loops *l = insert->user;
    const struct tp_loop *loop = &l->rec->loops.at[i];
    uint32_t function = l->rec->contexts.at[loop->context - 1].function, id = (uint32_t)i + 1;
    bool estimate = loops_overlaps(l, id);

    TP_PUT(insert, TP_ID(id), TP_ID(loop->parent), TP_ID(loop->context),
           TP_ID(function ? l->rec->functions.at[function - 1].object : 0), TP_INTEGER(loop->address),
           TP_ID(loop->frame ? store->frame_id[loop->frame - 1] : 0), TP_ID(loop->file), TP_ID(loop->line),
           TP_ID(loop->last_line), TP_INTEGER(loop->depth), TP_COUNT(loop->iterations),
           TP_IF(loop->entries != UINT64_MAX, TP_COUNT(loop->entries)), TP_INTEGER(estimate));
    tp_put_self_and_incl(insert, &l->rec->events, loop_row(l, id));
    return tp_insert_row(store, insert);
}

/* Rows of each loop, one after the other. */
static void fold_loop_data(struct loops *l)
{
    struct tp_cost_row *row = l->data.list.at;
    size_t count = l->data.list.count, kept = 0;

    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && row[i + same].key >> 32 == row[i].key >> 32; same++)
            ;
        size_t left = tp_fold_rows(l->store, &l->data, row + i, same);
        memmove(row + kept, row + i, left * sizeof *row);
        kept += left;
    }
    l->data.list.count = kept;
}

static int write_loop_data(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    struct loops *l = insert->user;
    const struct tp_cost_row *row = &l->data.list.at[i];

    TP_PUT(insert, TP_ID(row->key >> 32), TP_ID((uint32_t)row->key));
    tp_put_self_and_incl(insert, &l->rec->events, row);
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_loops(struct tp_store *store)
{
    size_t count = store->rec->loops.count, width = store->rec->events.count;
    struct loops l = {.store = store, .rec = store->rec, .width = width,
                      .rows.width = 2 * width, .data.width = 2 * width};
    int failed = 0;

    for (size_t i = 1; !failed && i <= count; i++)
        failed = tp_cost_row(&l.rows, i) ? 0 : TP_NO_MEMORY(store->err);
    if (!failed && !(failed = add_instructions(&l))) {
        add_calls_and_inner(&l);
        tp_cost_rows_sort(&l.data);
        fold_loop_data(&l);
        failed = tp_insert_all(store, "t_loops", count, write_loop, &l) ||
                 tp_insert_all(store, "t_loop_data", l.data.list.count, write_loop_data, &l);
    }
    tp_cost_rows_free(&l.rows);
    tp_cost_rows_free(&l.data);
    return failed ? -1 : 0;
}
