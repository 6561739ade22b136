/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_loops.c: what loops cost, and in which data objects.
 *
 * A loop's self costs are those of the instructions whose innermost loop it is. Inclusive: those of the loops in it,
 * and all that is called from any of them. Unless the function calls itself, no two calls from it overlap, and the sum
 * is exact. If it does, events below two calls count twice: then the sum is cut at the function's own inclusive
 * costs, and marked as an estimate. In data objects: without what is called.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

struct in_data {
    uint64_t key;   /* loop + 1, data object + 1 */
    uint64_t *cost; /* self, then inclusive */
    uint8_t can, can_below;
};

struct loops {
    struct tp_store *store;
    const struct tp_recording *rec;
    size_t width;
    uint64_t *cost;           /* by loop: self, then inclusive */
    uint8_t *can, *can_below; /* by loop */
    bool *calls;
    struct tp_idmap map;      /* of data.at, by key */
    TP_VECTOR(struct in_data) data;
    struct tp_arena arena;
};

static uint64_t *cost_of(const struct loops *l, uint32_t loop)
{
    return l->cost + (size_t)(loop - 1) * 2 * l->width;
}

/* ------------------------------------------------------------------------------------------ adding up */

static struct in_data *data_of(struct loops *l, uint32_t loop, uint32_t data)
{
    uint64_t key = (uint64_t)loop << 32 | data;
    uint32_t index = tp_idmap_find(&l->map, key);

    if (index != TP_NOT_FOUND)
        return &l->data.at[index];
    struct in_data *made = TP_VECTOR_ADD(&l->data);
    if (!made || tp_idmap_add(&l->map, key, (uint32_t)l->data.count - 1))
        return NULL;
    *made = (struct in_data){.key = key, .cost = tp_arena_alloc(&l->arena, 2 * l->width * sizeof *made->cost)};
    return made->cost ? made : NULL;
}

static int add_data(struct loops *l, const struct tp_instr *instr, const struct tp_blob *blob)
{
    for (uint32_t loop = instr->loop; loop; loop = l->rec->loops.at[loop - 1].parent) {
        struct in_data *row = data_of(l, loop, blob->data);
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
        l->can[instr->loop - 1] |= instr->can;
        for (const struct tp_blob *blob = instr->costs; blob; blob = blob->next) {
            tp_blob_add(&l->rec->events, blob, cost_of(l, instr->loop), NULL);
            if (blob->data && add_data(l, instr, blob))
                return -1;
        }
    }
    return 0;
}

static void add_calls(struct loops *l)
{
    for (size_t i = 0; i < l->rec->arcs.count; i++) {
        const struct tp_arc *arc = &l->rec->arcs.at[i];
        uint32_t loop = arc->site ? l->rec->instrs.at[arc->site - 1].loop : 0;
        if (!loop)
            continue;
        tp_blobs_add(&l->rec->events, arc->costs, cost_of(l, loop) + l->width, NULL);
        l->can_below[loop - 1] |= l->rec->contexts.at[arc->callee - 1].can_below;
        l->calls[loop - 1] = true;
    }
}

/* From the last to the first: inner loops are behind the one around them. */
static void add_inner(struct loops *l)
{
    for (uint32_t loop = (uint32_t)l->rec->loops.count; loop > 0; loop--) {
        uint32_t parent = l->rec->loops.at[loop - 1].parent;
        uint64_t *cost = cost_of(l, loop);
        tp_add_row(&l->rec->events, cost + l->width, cost);
        l->can_below[loop - 1] |= l->can[loop - 1];
        if (!parent)
            continue;
        tp_add_row(&l->rec->events, cost_of(l, parent) + l->width, cost + l->width);
        l->can_below[parent - 1] |= l->can_below[loop - 1];
        l->calls[parent - 1] |= l->calls[loop - 1];
    }
}

/* Whether calls from a loop may overlap; then its inclusive costs are no more than the function's. */
static bool loops_overlaps(struct loops *l, uint32_t loop)
{
    const struct tp_from_tree *tree = &l->store->from_tree;
    uint32_t context = l->rec->loops.at[loop - 1].context;
    uint64_t self[TP_MAX_EVENTS] = {0}, most[TP_MAX_EVENTS] = {0}, *incl = cost_of(l, loop) + l->width;
    const struct tp_blob *known = l->rec->contexts.at[context - 1].costs;

    if (!l->calls[loop - 1] || (tree->known && !tree->recurses[context]))
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
    tp_put_row(insert, &l->rec->events, cost_of(l, id), l->can[i]);
    tp_put_row(insert, &l->rec->events, cost_of(l, id) + l->width, l->can_below[i]);
    return tp_insert_row(store, insert);
}

static int loops_by_key(const void *a, const void *b)
{
    return TP_COMPARE(((const struct in_data *)a)->key, ((const struct in_data *)b)->key);
}

static int write_loop_data(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    struct loops *l = insert->user;
    const struct in_data *row = &l->data.at[i];

    TP_PUT(insert, TP_ID(row->key >> 32), TP_ID((uint32_t)row->key));
    tp_put_row(insert, &l->rec->events, row->cost, row->can);
    tp_put_row(insert, &l->rec->events, row->cost + l->width, row->can_below);
    return tp_insert_row(store, insert);
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_loops(struct tp_store *store)
{
    size_t count = store->rec->loops.count;
    struct loops l = {.store = store, .rec = store->rec, .width = store->rec->events.count};

    l.cost = tp_arena_alloc(&l.arena, count * 2 * l.width * sizeof *l.cost + 1);
    l.can = tp_arena_alloc(&l.arena, count + 1);
    l.can_below = tp_arena_alloc(&l.arena, count + 1);
    l.calls = tp_arena_alloc(&l.arena, (count + 1) * sizeof *l.calls);
    int failed = l.cost && l.can && l.can_below && l.calls ? add_instructions(&l) : TP_NO_MEMORY(store->err);
    if (!failed) {
        add_calls(&l);
        add_inner(&l);
        if (l.data.count)
            qsort(l.data.at, l.data.count, sizeof *l.data.at, loops_by_key);
        failed = tp_insert_all(store, "t_loops", count, write_loop, &l) ||
                 tp_insert_all(store, "t_loop_data", l.data.count, write_loop_data, &l);
    }
    tp_idmap_free(&l.map);
    TP_VECTOR_FREE(&l.data);
    tp_arena_free(&l.arena);
    return failed ? -1 : 0;
}
