/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_fold.c: data objects of rare allocation paths, fewer of them.
 *
 * A program that calls deeply allocates by hundreds of thousands of paths, each of which is a data object; tables that
 * have a row for each function, loop or path and data object are then most of a profile. Nearly all of these paths
 * cost nothing that anybody would look for.
 *
 * A path is kept whose blocks, and those of all paths that go on from it, have at least one part in KEPT_PARTS of any
 * event, of the number of blocks, or of their bytes, counted over all data objects. Any other path ends at its nearest
 * caller that is kept. Data objects that end at one path and are called the same are one then: its costs are theirs
 * added up, and a path that is kept has the inclusive costs that it had. An object with less than that part of
 * everything has no costs by field, and neither has one that is made of objects with elements of different types.
 *
 * What a call path, an instruction, a statement or a loop pays in a data object, or a function inclusively, is then
 * also kept only where it is more than next to nothing: one part in TP_ROW_PARTS of any event. What is less is added
 * up, for each of these, in one data object more. Strides that are that rare are not kept.
 *
 * Up to COMPLETE data objects all are left alone, since their tables are small.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"
#include "profile/store/store.h"

enum { KEPT_PARTS = 10000, COMPLETE = 10000 };

struct folding {
    struct tp_recording *rec;
    size_t width;       /* shares of an object, or a path: in each event, in blocks, in bytes */
    float *of_data;     /* by data object */
    float *of_path;     /* by path, with all that go on from it */
    uint32_t *path_at;  /* by path + 1: the nearest that is kept + 1, itself or a caller */
    uint32_t *data_to;  /* by data object + 1: what has become of it + 1 */
};

/* ------------------------------------------------------------------------------------------ shares */

/* Costs of all data objects, then what part each has of their sum. */
static void find_shares(struct folding *f)
{
    const struct tp_recording *rec = f->rec;
    double sum[TP_MAX_EVENTS + 2] = {0};

    for (size_t i = 0; i < rec->instrs.count; i++) {
        for (const struct tp_blob *blob = rec->instrs.at[i].costs; blob; blob = blob->next) {
            uint64_t row[TP_MAX_EVENTS];
            if (!blob->data)
                continue;
            tp_clear_row(&rec->events, row);
            tp_blob_add(&rec->events, blob, row, NULL);
            for (size_t k = 0; k < rec->events.count; k++)
                f->of_data[(blob->data - 1) * f->width + k] += (float)row[k];
        }
    }
    for (size_t i = 0; i < rec->data.count; i++) {
        float *own = f->of_data + i * f->width;
        own[f->width - 2] = (float)rec->data.at[i].began;
        own[f->width - 1] = (float)rec->data.at[i].bytes;
        for (size_t k = 0; k < f->width; k++)
            sum[k] += (double)own[k];
    }
    for (size_t i = 0; i < rec->data.count * f->width; i++)
        f->of_data[i] = sum[i % f->width] > 0 ? (float)((double)f->of_data[i] / sum[i % f->width]) : 0;
}

static bool is_kept(const struct folding *f, const float *share)
{
    for (size_t k = 0; k < f->width; k++) {
        if (share[k] >= 1.f / KEPT_PARTS)
            return true;
    }
    return false;
}

/* Which paths are kept. A caller has at least the shares of what it calls, so it is kept if one of these is. */
static void choose_paths(struct folding *f)
{
    const struct tp_recording *rec = f->rec;

    for (size_t i = 0; i < rec->data.count; i++) {
        uint32_t path = rec->data.at[i].origin;
        for (size_t k = 0; path && k < f->width; k++)
            f->of_path[(path - 1) * f->width + k] += f->of_data[i * f->width + k];
    }
    for (size_t i = rec->origins.count; i-- > 0;) {
        uint32_t caller = rec->origins.at[i].caller;
        for (size_t k = 0; caller && k < f->width; k++)
            f->of_path[(caller - 1) * f->width + k] += f->of_path[i * f->width + k];
    }
    for (size_t i = 0; i < rec->origins.count; i++) {
        uint32_t caller = rec->origins.at[i].caller;
        bool kept = !caller || is_kept(f, f->of_path + i * f->width);
        f->path_at[i + 1] = kept ? (uint32_t)i + 1 : f->path_at[caller];
    }
}

/* ------------------------------------------------------------------------------------------ objects */

/* Whether two data objects end at one path and are called the same. */
static bool fold_same(const void *things, uint32_t index, const void *key)
{
    const struct tp_data *a = (const struct tp_data *)things + index, *b = key;

    return a->origin == b->origin && a->kind == b->kind && strcmp(a->name->name, b->name->name) == 0;
}

static bool is_same_type(const struct tp_data *a, const struct tp_data *b)
{
    if (a->element != b->element || a->lead != b->lead || !a->layout != !b->layout)
        return false;
    return !a->layout || (a->layout->count == b->layout->count && strcmp(a->layout->type, b->layout->type) == 0);
}

/* Among elements of different types costs have no place: such an object has none by field, whatever is added later. */
static void add_object(struct tp_data *to, struct tp_data *from)
{
    struct tp_blob **end = &to->at;

    if (to->is_mixed || !is_same_type(to, from)) {
        to->is_mixed = true;
        to->element = to->lead = 0;
        to->layout = NULL;
        to->at = from->at = NULL;
    }
    to->began = tp_sum(to->began, from->began);
    to->pages = tp_sum(to->pages, from->pages);
    to->ended = tp_sum(to->ended, from->ended);
    to->bytes = tp_sum(to->bytes, from->bytes);
    to->largest = to->largest > from->largest ? to->largest : from->largest;
    if (!from->at)
        return;
    struct tp_blob *rest = to->at;
    for (*end = from->at; *end; end = &(*end)->next)
        ;
    *end = rest;
}

/* Those that are left move up in the array, and their shares with them. */
static int fold_objects(struct folding *f)
{
    struct tp_recording *rec = f->rec;
    struct tp_slots slots = {0};
    uint32_t count = 0;

    for (size_t i = 0; i < rec->data.count; i++) {
        struct tp_data data = rec->data.at[i];
        struct tp_slot *slot = NULL;
        float *share = f->of_data + i * f->width;
        if (data.origin) {
            data.origin = f->path_at[data.origin];
            uint64_t hash = tp_hash(tp_hash_text(data.name->name), data.origin);
            slot = tp_slots_find(&slots, hash, fold_same, rec->data.at, &data);
            if (!slot) {
                tp_slots_free(&slots);
                return -1;
            }
        }
        if (slot && slot->index) {
            add_object(&rec->data.at[slot->index - 1], &data);
            for (size_t k = 0; k < f->width; k++)
                f->of_data[(slot->index - 1) * f->width + k] += share[k];
            f->data_to[i + 1] = slot->index;
        } else {
            memmove(f->of_data + count * f->width, share, f->width * sizeof *share);
            rec->data.at[count++] = data;
            f->data_to[i + 1] = slot ? tp_slots_fill(&slots, slot, count) : count;
        }
    }
    rec->data.count = count;
    for (size_t i = 0; i < count; i++) {
        if (!is_kept(f, f->of_data + i * f->width))
            rec->data.at[i].at = NULL;
    }
    tp_slots_free(&slots);
    return 0;
}

/* ------------------------------------------------------------------------------------------ references */

static void point(struct tp_blob *blob, const uint32_t *to)
{
    for (; blob; blob = blob->next)
        blob->data = to[blob->data];
}

/* Whatever refers to a data object. */
static void point_all(struct tp_recording *rec, const uint32_t *to)
{
    for (size_t i = 0; i < rec->instrs.count; i++)
        point(rec->instrs.at[i].costs, to);
    for (size_t i = 0; i < rec->nodes.count; i++)
        point(rec->nodes.at[i].held, to);
    for (size_t i = 0; i < rec->contexts.count; i++)
        point(rec->contexts.at[i].held, to);
    for (size_t i = 0; i < rec->sharings.count; i++)
        rec->sharings.at[i].data = to[rec->sharings.at[i].data];
    for (size_t i = 0; i < rec->stride_sums.count; i++)
        rec->stride_sums.at[i].data = to[rec->stride_sums.at[i].data];
    for (size_t i = 0; i < rec->strides.count; i++)
        rec->strides.at[i].data = to[rec->strides.at[i].data];
    for (size_t i = 0; i < rec->conflicts.count; i++)
        rec->conflicts.at[i].data = to[rec->conflicts.at[i].data];
    for (size_t i = 0; i < rec->again.count + rec->reuses.count; i++) {
        struct tp_again *again =
            i < rec->again.count ? &rec->again.at[i] : &rec->reuses.at[i - rec->again.count];
        again->data = to[again->data];
        again->evictor_data = to[again->evictor_data];
    }
}

/* Paths that are left move up in the array; path_at becomes where they are then, + 1. */
static void drop_paths(struct folding *f)
{
    struct tp_recording *rec = f->rec;
    uint32_t count = 0;

    for (uint32_t i = 0; i < rec->origins.count; i++) {
        struct tp_origin path = rec->origins.at[i];
        if (f->path_at[i + 1] != i + 1)
            continue;
        path.caller = path.caller ? f->path_at[path.caller] : 0;
        rec->origins.at[count++] = path;
        f->path_at[i + 1] = count;
    }
    rec->origins.count = count;
    for (size_t i = 0; i < rec->data.count; i++)
        rec->data.at[i].origin = rec->data.at[i].origin ? f->path_at[rec->data.at[i].origin] : 0;
}

/* ------------------------------------------------------------------------------------------ small costs */

/* A data object that has no costs of its own, and no block. */
static int add_small(struct tp_recording *rec)
{
    static struct tp_data_name name = {.kind = "folded", .name = "small costs, added up"};

    if (!TP_VECTOR_PUSH(&rec->data, (struct tp_data){.kind = TN_DATA_OTHER, .name = &name}))
        return -1;
    rec->small = (uint32_t)rec->data.count;
    return 0;
}

/* The object of small costs is the last one, so its row is. */
size_t tp_fold_rows(const struct tp_store *store, const struct tp_cost_rows *rows, struct tp_cost_row *first,
                    size_t count)
{
    size_t kept = 0, width = store->rec->events.count;
    struct tp_cost_row small = {0};

    if (!store->rec->small)
        return count;
    for (size_t i = 0; i < count; i++) {
        struct tp_cost_row row = first[i];
        bool is_kept = false;
        for (size_t k = 0; !is_kept && k < rows->width; k++)
            is_kept = row.cost[k] > store->total[k % width] / TP_ROW_PARTS;
        if (is_kept) {
            first[kept++] = row;
            continue;
        }
        if (!small.cost) {
            small = row;
            small.key = (row.key >> 32 << 32) | store->rec->small;
            continue;
        }
        for (size_t at = 0; at < rows->width; at += width)
            tp_add_row(&store->rec->events, small.cost + at, row.cost + at);
        small.can |= row.can;
        small.can_below |= row.can_below;
    }
    if (small.cost)
        first[kept++] = small;
    return kept;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_fold_data(struct tp_recording *rec, struct tp_error *err)
{
    struct folding f = {.rec = rec, .width = rec->events.count + 2};

    if (rec->data.count <= COMPLETE)
        return 0;
    f.of_data = calloc(rec->data.count, f.width * sizeof *f.of_data);
    f.of_path = calloc(rec->origins.count + 1, f.width * sizeof *f.of_path);
    f.path_at = calloc(rec->origins.count + 1, sizeof *f.path_at);
    f.data_to = calloc(rec->data.count + 1, sizeof *f.data_to);
    int failed = f.of_data && f.of_path && f.path_at && f.data_to ? 0 : -1;
    if (!failed) {
        find_shares(&f);
        choose_paths(&f);
        failed = fold_objects(&f);
    }
    if (!failed) {
        point_all(rec, f.data_to);
        drop_paths(&f);
        failed = add_small(rec);
    }
    free(f.of_data);
    free(f.of_path);
    free(f.path_at);
    free(f.data_to);
    return failed ? TP_NO_MEMORY(err) : 0;
}
