/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_data.c: data objects, what each instruction pays in each of them, and the paths by which they were allocated.
 *
 * The recording has costs of an instruction in a data object as pieces of the instruction's own. They are added up
 * twice: by (instruction, object), one instruction at a time, and by object. An allocation path's inclusive costs are
 * those of all objects that were allocated at its end or further down; a path comes behind its caller, so adding up
 * from the last to the first is enough.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"
#include "profile/store/store.h"

/* ------------------------------------------------------------------------------------------ instructions */

struct shares {
    struct tp_store *store;
    struct tp_cost_rows objects; /* of all data objects, in their order; can: of those who missed in it */
    struct tp_cost_rows origins; /* of all origins, in their order: self, then inclusive costs */
    struct tp_cost_rows here;    /* of the row at hand, by data object + 1 */
};

/* Of an instruction, and those that share its row. */
static int write_shares(struct tp_store *store, struct tp_insert *insert, size_t index)
{
    struct shares *s = insert->user;
    const struct tp_recording *rec = store->rec;
    int failed = 0;

    for (size_t i = store->first_in_row[index] ? 0 : index + 1; !failed && i; i = store->next_in_row[i - 1])
        failed = tp_cost_rows_add_data(&s->here, &rec->events, &rec->instrs.at[i - 1]) ? TP_NO_MEMORY(store->err) : 0;

    tp_cost_rows_sort(&s->here);
    for (size_t i = 0; !failed && i < s->here.list.count; i++) {
        const struct tp_cost_row *row = &s->here.list.at[i];
        struct tp_cost_row *object = &s->objects.list.at[row->key - 1];
        tp_add_row(&rec->events, object->cost, row->cost);
        object->can |= row->can;
    }
    s->here.list.count = tp_fold_rows(store, &s->here, s->here.list.at, s->here.list.count);
    for (size_t i = 0; !failed && i < s->here.list.count; i++) {
        const struct tp_cost_row *row = &s->here.list.at[i];
        TP_PUT(insert, TP_ID(store->instruction_id[index]), TP_ID(row->key));
        tp_put_row(insert, &rec->events, row->cost, row->can);
        failed = tp_insert_row(store, insert);
    }
    tp_cost_rows_clear(&s->here);
    return failed;
}

/* ------------------------------------------------------------------------------------------ objects */

static int data_write_object(struct tp_store *store, struct tp_insert *insert, size_t index)
{
    struct shares *s = insert->user;
    struct tp_recording *rec = store->rec;
    const struct tp_data *data = &rec->data.at[index];
    bool placed = data->kind == TN_DATA_STATIC && data->size;
    bool blocks = data->kind == TN_DATA_HEAP || data->kind == TN_DATA_NAMED;
    const struct tp_data_name *name = data->name;

    TP_PUT(insert, TP_ID(index + 1), TP_TEXT(name->kind), TP_TEXT(name->name), TP_TEXT(name->allocator),
           TP_TEXT(name->function), TP_ID(name->file), TP_ID(name->line), TP_TEXT(name->symbol), TP_TEXT(data->path),
           TP_IF(data->thread, TP_COUNT(rec->threads.at[data->thread - 1].id)), TP_ID(data->origin),
           TP_IF(placed, TP_INTEGER(data->address)), TP_IF(placed, TP_COUNT(data->size)),
           TP_IF(blocks, TP_COUNT(data->began)), TP_IF(blocks, TP_COUNT(data->ended)),
           TP_IF(blocks, TP_COUNT(data->bytes)), TP_IF(blocks, TP_COUNT(data->largest)), TP_COUNT(data->pages),
           TP_IF(data->element, TP_COUNT(data->element)), TP_TEXT(data->layout ? data->layout->type : NULL));
    tp_put_row(insert, &rec->events, s->objects.list.at[index].cost, s->objects.list.at[index].can);
    return tp_insert_row(store, insert);
}

static int write_object_groups(struct tp_store *store, struct tp_insert *insert, size_t index)
{
    const struct shares *s = insert->user;
    const struct tp_cost_row *row = &s->objects.list.at[index];

    return tp_insert_groups(store, insert, (int64_t)index + 1, row->cost, NULL, row->can, 0);
}

/* ------------------------------------------------------------------------------------------ allocation paths */

static int write_path(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const struct shares *s = insert->user;
    const struct tp_recording *rec = store->rec;
    const struct tp_origin *origin = &rec->origins.at[i];
    const struct tp_instr *site = origin->site ? &rec->instrs.at[origin->site - 1] : NULL;

    TP_PUT(insert, TP_ID(i + 1), TP_ID(origin->caller), TP_TEXT(rec->functions.at[origin->function - 1].name),
           TP_ID(site ? site->file : 0), TP_ID(site ? site->line : 0),
           TP_ID(site ? store->instruction_id[origin->site - 1] : 0));
    tp_put_self_and_incl(insert, &rec->events, &s->origins.list.at[i]);
    return tp_insert_row(store, insert);
}

/* Rows of costs by origin, from those of data objects. */
static void add_up(struct shares *s)
{
    const struct tp_recording *rec = s->store->rec;
    const struct tp_events *events = &rec->events;
    struct tp_cost_row *origins = s->origins.list.at;

    for (size_t i = 0; i < rec->data.count; i++) {
        uint32_t origin = rec->data.at[i].origin;
        if (!origin)
            continue;
        tp_add_row(events, origins[origin - 1].cost, s->objects.list.at[i].cost);
        origins[origin - 1].can |= s->objects.list.at[i].can;
    }
    for (size_t i = rec->origins.count; i-- > 0;) {
        struct tp_cost_row *row = &origins[i];
        struct tp_cost_row *caller = rec->origins.at[i].caller ? &origins[rec->origins.at[i].caller - 1] : NULL;
        tp_add_row(events, row->cost + events->count, row->cost);
        row->can_below |= row->can;
        if (!caller)
            continue;
        tp_add_row(events, caller->cost + events->count, row->cost + events->count);
        caller->can_below |= row->can_below;
    }
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_data(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    size_t width = rec->events.count;
    struct shares s = {.store = store, .objects.width = width, .origins.width = 2 * width, .here.width = width};
    int failed = 0;

    for (size_t i = 1; !failed && i <= rec->data.count; i++)
        failed = tp_cost_row(&s.objects, i) ? 0 : TP_NO_MEMORY(store->err);
    for (size_t i = 1; !failed && i <= rec->origins.count; i++)
        failed = tp_cost_row(&s.origins, i) ? 0 : TP_NO_MEMORY(store->err);
    failed = failed || tp_insert_all(store, "t_instruction_data", rec->instrs.count, write_shares, &s);
    if (!failed) {
        add_up(&s);
        failed = tp_insert_all(store, "t_data", rec->data.count, data_write_object, &s) ||
                 tp_insert_all(store, "t_data_groups", rec->data.count, write_object_groups, &s) ||
                 tp_insert_all(store, "t_data_paths", rec->origins.count, write_path, &s) ||
                 tp_store_offsets(store, &s.objects);
    }
    tp_cost_rows_free(&s.objects);
    tp_cost_rows_free(&s.origins);
    tp_cost_rows_free(&s.here);
    return failed ? -1 : 0;
}
