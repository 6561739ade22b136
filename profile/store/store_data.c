/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_data.c: data objects, what each instruction pays in each of them, and the paths by which they were allocated.
 *
 * The recording has costs of an instruction in a data object as pieces of the instruction's own. They are added up
 * twice: by (instruction, object), one instruction at a time, and by object. An allocation path's inclusive costs are
 * those of all objects that were allocated at its end or further down; a path comes behind its caller, so adding up
 * from the last to the first is enough.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"
#include "profile/store/data_name.h"
#include "profile/store/data_rows.h"
#include "profile/store/store.h"

struct shares {
    struct tp_store *store;
    size_t width;
    uint64_t *objects; /* rows, by data object */
    uint8_t *can;      /* of those who missed in it */
    struct tp_data_rows here; /* of the instruction at hand */
};

/* ------------------------------------------------------------------------------------------ instructions */

static int write_shares_of(struct shares *s, struct tp_insert *insert, size_t index)
{
    const struct tp_recording *rec = s->store->rec;
    const struct tp_instr *instr = &rec->instrs.at[index];
    int failed = tp_data_rows_add(&s->here, instr) ? TP_NO_MEMORY(s->store->err) : 0;

    tp_data_rows_sort(&s->here);
    for (size_t i = 0; !failed && i < s->here.met.count; i++) {
        uint32_t data = s->here.met.at[i];
        const uint64_t *row = s->here.row[data - 1].cost;
        tp_add_row(&rec->events, s->objects + (data - 1) * s->width, row);
        s->can[data - 1] |= instr->can;
        tp_put_id(insert, s->store->instruction_id[index]);
        tp_put_id(insert, data);
        tp_put_row(insert, &rec->events, row, instr->can);
        failed = tp_insert_row(s->store, insert);
    }
    tp_data_rows_clear(&s->here);
    return failed;
}

static int write_shares(struct shares *s)
{
    struct tp_insert insert;
    int failed = tp_insert_open(s->store, &insert, "t_instruction_data");

    for (size_t i = 0; !failed && i < s->store->rec->instrs.count; i++)
        failed = write_shares_of(s, &insert, i);
    return tp_insert_close(s->store, &insert, failed);
}

/* ------------------------------------------------------------------------------------------ objects */

static void put_blocks(struct tp_insert *insert, const struct tp_data *data)
{
    const uint64_t counts[] = {data->began, data->ended, data->bytes, data->largest};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (data->kind == TN_DATA_HEAP || data->kind == TN_DATA_NAMED)
            tp_put_count(insert, counts[i]);
        else
            tp_put_null(insert);
    }
}

static int write_object(struct shares *s, struct tp_insert *insert, size_t index)
{
    struct tp_recording *rec = s->store->rec;
    const struct tp_data *data = &rec->data.at[index];
    bool is_static = data->kind == TN_DATA_STATIC;
    struct tp_data_name name;

    if (tp_data_name(rec, data, &name))
        return TP_NO_MEMORY(s->store->err);
    tp_put_id(insert, (uint32_t)index + 1);
    tp_put_text(insert, name.kind);
    tp_put_text(insert, name.name);
    tp_put_text(insert, name.allocator);
    tp_put_text(insert, name.function);
    tp_put_id(insert, name.file);
    tp_put_id(insert, name.line);
    tp_put_text(insert, name.symbol);
    tp_put_text(insert, data->path);
    if (data->thread)
        tp_put_count(insert, rec->threads.at[data->thread - 1].id);
    else
        tp_put_null(insert);
    tp_put_id(insert, data->origin);
    if (is_static && data->size)
        tp_put_integer(insert, (int64_t)data->address);
    else
        tp_put_null(insert);
    if (is_static && data->size)
        tp_put_count(insert, data->size);
    else
        tp_put_null(insert);
    put_blocks(insert, data);
    if (data->element)
        tp_put_count(insert, data->element);
    else
        tp_put_null(insert);
    tp_put_text(insert, data->layout ? data->layout->type : NULL);
    tp_put_row(insert, &rec->events, s->objects + index * s->width, s->can[index]);
    return tp_insert_row(s->store, insert);
}

static int write_objects(struct shares *s)
{
    struct tp_insert insert;
    int failed = tp_insert_open(s->store, &insert, "t_data");

    for (size_t i = 0; !failed && i < s->store->rec->data.count; i++)
        failed = write_object(s, &insert, i);
    return tp_insert_close(s->store, &insert, failed);
}

/* ------------------------------------------------------------------------------------------ allocation paths */

struct path_rows {
    uint64_t *self, *incl; /* rows, by origin */
    uint8_t *can, *can_below;
};

static void add_up(const struct shares *s, struct path_rows *paths)
{
    const struct tp_recording *rec = s->store->rec;

    for (size_t i = 0; i < rec->data.count; i++) {
        uint32_t origin = rec->data.at[i].origin;
        if (!origin)
            continue;
        tp_add_row(&rec->events, paths->self + (origin - 1) * s->width, s->objects + i * s->width);
        paths->can[origin - 1] |= s->can[i];
    }
    for (size_t i = rec->origins.count; i-- > 0;) {
        uint32_t caller = rec->origins.at[i].caller;
        tp_add_row(&rec->events, paths->incl + i * s->width, paths->self + i * s->width);
        paths->can_below[i] |= paths->can[i];
        if (!caller)
            continue;
        tp_add_row(&rec->events, paths->incl + (caller - 1) * s->width, paths->incl + i * s->width);
        paths->can_below[caller - 1] |= paths->can_below[i];
    }
}

static int write_path(const struct shares *s, struct tp_insert *insert, const struct path_rows *paths, size_t i)
{
    const struct tp_recording *rec = s->store->rec;
    const struct tp_origin *origin = &rec->origins.at[i];
    const struct tp_instr *site = origin->site ? &rec->instrs.at[origin->site - 1] : NULL;

    tp_put_id(insert, (uint32_t)i + 1);
    tp_put_id(insert, origin->caller);
    tp_put_text(insert, rec->functions.at[origin->function - 1].name);
    tp_put_id(insert, site ? site->file : 0);
    tp_put_id(insert, site ? site->line : 0);
    tp_put_id(insert, site ? s->store->instruction_id[origin->site - 1] : 0);
    tp_put_row(insert, &rec->events, paths->self + i * s->width, paths->can[i]);
    tp_put_row(insert, &rec->events, paths->incl + i * s->width, paths->can_below[i]);
    return tp_insert_row(s->store, insert);
}

static int write_paths(struct shares *s)
{
    size_t count = s->store->rec->origins.count;
    struct path_rows paths = {
        .self = calloc(count * s->width + 1, sizeof *paths.self),
        .incl = calloc(count * s->width + 1, sizeof *paths.incl),
        .can = calloc(count + 1, sizeof *paths.can),
        .can_below = calloc(count + 1, sizeof *paths.can_below),
    };
    bool ok = paths.self && paths.incl && paths.can && paths.can_below;
    struct tp_insert insert;
    int failed = ok ? tp_insert_open(s->store, &insert, "t_data_paths") : TP_NO_MEMORY(s->store->err);

    if (ok) {
        add_up(s, &paths);
        for (size_t i = 0; !failed && i < count; i++)
            failed = write_path(s, &insert, &paths, i);
        failed = tp_insert_close(s->store, &insert, failed);
    }
    free(paths.self);
    free(paths.incl);
    free(paths.can);
    free(paths.can_below);
    return failed;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_data(struct tp_store *store)
{
    size_t count = store->rec->data.count;
    struct shares s = {.store = store, .width = store->rec->events.count};

    s.objects = calloc(count * s.width + 1, sizeof *s.objects);
    s.can = calloc(count + 1, sizeof *s.can);
    bool ok = !tp_data_rows_begin(&s.here, store->rec) && s.objects && s.can;
    int failed = ok ? write_shares(&s) || write_objects(&s) || write_paths(&s) ||
                                                    tp_store_offsets(store, s.can)
                                              : TP_NO_MEMORY(store->err);
    free(s.objects);
    free(s.can);
    tp_data_rows_free(&s.here);
    return failed ? -1 : 0;
}
