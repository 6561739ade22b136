/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_offsets.c: what data objects pay by offset, and by field.
 *
 * The recording has counts by place in a data object. A place is an offset in an element or, where that is not known,
 * a piece of a block; or it is one of two that have no offset. Every place is in one field: a member of the element's
 * type, padding between members, eight bytes where no type is known. So an object's fields sum to the object. By the
 * byte places are stored only where it is known what the object is made of. An object's places ascend, and so do its
 * fields: both tables are written in one go.
 *
 * Where data objects were folded (store_fold.c), bytes of no type that follow each other, even with others between them
 * of which nothing was counted, are one field while they have no more than one part in TP_ROW_PARTS of any count.
 */
#include "profile/store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/objects/layout.h"

enum { PIECE = TN_AT_PIECE, NO_FIELD = UINT32_MAX, UNCOUNTED = UINT8_MAX };

/* What is counted by place; all other events are not known there. */
static const char *const counted[] = {"D1mr", "D1mw", "DLmr", "DLmw", "UseD1", "SpLossD1", "UseL", "SpLossL"};
enum { COUNTED = sizeof counted / sizeof *counted };

static uint8_t which_count(const char *event)
{
    uint8_t which = 0;

    while (which < COUNTED && strcmp(counted[which], event) != 0)
        which++;
    return which < COUNTED ? which : UNCOUNTED;
}

bool tp_counted_by_place(const char *event)
{
    return which_count(event) != UNCOUNTED;
}

struct place {
    uint32_t number; /* as in DATA_AT */
    uint64_t count[COUNTED];
};

struct offsets {
    struct tp_store *store;
    struct tp_insert fields, offsets;
    TP_VECTOR(const struct tp_blob *) blobs; /* of the object at hand, by place */
    TP_VECTOR(struct place) places;          /* likewise, each part's counts added up */
    uint8_t of_event[TP_MAX_EVENTS];         /* which count a column is, or UNCOUNTED */
    uint64_t least[COUNTED];                 /* what bytes have at most that are one field with others */
    uint32_t field;                          /* id of the last one */
    struct field {
        uint32_t first, last; /* numbers; of all but bytes these are the same */
        uint64_t count[COUNTED];
    } at_hand;                /* the last one, if it is not written yet */
    bool has_field;
    const struct tp_cost_rows *objects;
};

/* ------------------------------------------------------------------------------------------ places */

static int offsets_by_place(const void *a, const void *b)
{
    const struct tp_blob *x = *(const struct tp_blob *const *)a, *y = *(const struct tp_blob *const *)b;

    return TP_COMPARE(x->data, y->data);
}

/* A part has the places of an object in order, and a list of blobs is in the order in which they came, backwards. */
static int sort_blobs(struct offsets *o, const struct tp_data *data)
{
    bool in_order = true;

    o->blobs.count = 0;
    for (const struct tp_blob *blob = data->at; blob; blob = blob->next) {
        if (!TP_VECTOR_PUSH(&o->blobs, blob))
            return TP_NO_MEMORY(o->store->err);
        in_order &= !blob->next || blob->next->data <= blob->data;
    }
    for (size_t i = 0, k = o->blobs.count; i + 1 < k; i++) {
        const struct tp_blob *other = o->blobs.at[--k];
        o->blobs.at[k] = o->blobs.at[i];
        o->blobs.at[i] = other;
    }
    if (!in_order)
        qsort(o->blobs.at, o->blobs.count, sizeof *o->blobs.at, offsets_by_place);
    return 0;
}

static int offsets_gather(struct offsets *o, const struct tp_data *data)
{
    const struct tp_events *events = &o->store->rec->events;
    uint64_t row[TP_MAX_EVENTS];

    o->places.count = 0;
    if (sort_blobs(o, data))
        return -1;
    for (size_t i = 0; i < o->blobs.count; i++) {
        const struct tp_blob *blob = o->blobs.at[i];
        struct place *last = o->places.count ? &o->places.at[o->places.count - 1] : NULL;
        if (!last || last->number != blob->data) {
            last = TP_VECTOR_ADD(&o->places);
            if (!last)
                return TP_NO_MEMORY(o->store->err);
            *last = (struct place){.number = blob->data};
        }
        memset(row, 0, events->count * sizeof *row);
        tp_blob_add(events, blob, row, NULL);
        for (size_t k = 0; k < events->count; k++) {
            if (o->of_event[k] != UNCOUNTED)
                last->count[o->of_event[k]] = tp_sum(last->count[o->of_event[k]], row[k]);
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ fields */

/* Of a place, by number of the field in the layout from 2 on; 0 and 1: those without an offset. */
static uint32_t field_of(const struct tp_data *data, uint32_t place)
{
    uint64_t offset = place - TN_AT_FIRST;
    size_t low = 0, high = data->layout ? data->layout->count : 0;

    if (place < TN_AT_FIRST)
        return place;
    if (!high)
        return (uint32_t)(TN_AT_FIRST + offset / PIECE);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (data->layout->field[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)(TN_AT_FIRST + low);
}

static void offsets_put_field(struct offsets *o, const struct tp_data *data, const struct field *at)
{
    static const char *const kinds[] = {"around", "beyond"}, *const names[] = {"(around)", "(beyond)"};
    struct tp_insert *insert = &o->fields;
    uint32_t number = at->first;

    if (number < TN_AT_FIRST) {
        TP_PUT(insert, TP_TEXT(kinds[number]), TP_TEXT(names[number]), TP_NULL, TP_NULL, TP_NULL);
    } else if (data->layout) {
        const struct tp_layout_field *field = &data->layout->field[number - TN_AT_FIRST];
        TP_PUT(insert, TP_TEXT(field->padding ? "padding" : "field"), TP_TEXT(field->name), TP_TEXT(field->type),
               TP_COUNT(field->offset), TP_COUNT(field->size));
    } else { /* no type is known */
        uint64_t offset = (uint64_t)(number - TN_AT_FIRST) * PIECE;
        uint64_t end = (uint64_t)(at->last - TN_AT_FIRST + 1) * PIECE;
        uint64_t all = data->element ? data->element : data->kind == TN_DATA_STATIC ? data->size : UINT64_MAX;
        uint64_t size = end > all && all > offset ? all - offset : end - offset;
        char name[24];
        snprintf(name, sizeof name, "+%" PRIu64, offset);
        TP_PUT(insert, TP_TEXT("bytes"), TP_TEXT(name), TP_NULL, TP_COUNT(offset), TP_COUNT(size));
    }
}

/* A count is NULL only if the object's accesses cannot cause it. */
static void put_counts(const struct offsets *o, struct tp_insert *insert, const uint64_t *count, uint8_t can)
{
    const struct tp_events *events = &o->store->rec->events;

    for (size_t i = 0; i < tp_events_shown(events); i++) {
        const struct tp_column *column = &events->column[i];
        uint8_t which = o->of_event[i];
        bool absent = which == UNCOUNTED || (count[which] == 0 && column->needs && !(column->needs & can));
        TP_PUT(insert, TP_IF(!absent, TP_COUNT(count[which])));
    }
}

/* The field at hand, after which there is none. */
static int write_field(struct offsets *o, size_t index)
{
    if (!o->has_field)
        return 0;
    o->has_field = false;
    TP_PUT(&o->fields, TP_ID(o->field), TP_ID(index + 1));
    offsets_put_field(o, &o->store->rec->data.at[index], &o->at_hand);
    put_counts(o, &o->fields, o->at_hand.count, o->objects->list.at[index].can);
    return tp_insert_row(o->store, &o->fields);
}

/* Whether a field behind the one at hand is one with it. */
static bool is_of_field(const struct offsets *o, const struct tp_data *data, const struct field *next)
{
    bool rare = o->has_field && o->store->rec->small && !data->layout && o->at_hand.first >= TN_AT_FIRST;

    for (size_t i = 0; rare && i < COUNTED; i++)
        rare = tp_sum(o->at_hand.count[i], next->count[i]) <= o->least[i];
    return rare;
}

/* The next field, whose places are those from *at on, as many as are in it. */
static int take_field(struct offsets *o, size_t index, uint32_t number, size_t *at)
{
    const struct tp_data *data = &o->store->rec->data.at[index];
    struct field next = {.first = number, .last = number};
    size_t first = *at;
    int failed = 0;

    for (; *at < o->places.count && field_of(data, o->places.at[*at].number) == number; ++*at) {
        for (size_t i = 0; i < COUNTED; i++)
            next.count[i] = tp_sum(next.count[i], o->places.at[*at].count[i]);
    }
    if (is_of_field(o, data, &next)) {
        o->at_hand.last = number;
        for (size_t i = 0; i < COUNTED; i++)
            o->at_hand.count[i] = tp_sum(o->at_hand.count[i], next.count[i]);
    } else {
        failed = write_field(o, index);
        o->at_hand = next;
        o->has_field = true;
        o->field++;
    }
    for (size_t i = first; !failed && data->element && i < *at; i++) {
        const struct place *place = &o->places.at[i];
        TP_PUT(&o->offsets, TP_ID(index + 1), TP_ID(o->field),
               TP_IF(place->number >= TN_AT_FIRST, TP_INTEGER(place->number - TN_AT_FIRST)));
        put_counts(o, &o->offsets, place->count, o->objects->list.at[index].can);
        failed = tp_insert_row(o->store, &o->offsets);
    }
    return failed;
}

/* The first field from `from` on that is to be written: all of the type's are, of others those of which something was
 * counted. `at`: the first place that is in none so far. */
static uint32_t next_field(const struct offsets *o, const struct tp_data *data, uint32_t from, size_t at)
{
    uint32_t met = at < o->places.count ? field_of(data, o->places.at[at].number) : NO_FIELD;

    if (!data->layout || met < TN_AT_FIRST)
        return met;
    from = from < TN_AT_FIRST ? TN_AT_FIRST : from;
    return from - TN_AT_FIRST < data->layout->count ? from : NO_FIELD;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_offsets(struct tp_store *store, const struct tp_cost_rows *objects)
{
    const struct tp_events *events = &store->rec->events;
    struct offsets o = {.store = store, .objects = objects};
    int failed = tp_insert_open(store, &o.fields, "t_data_fields") ||
                 tp_insert_open(store, &o.offsets, "t_data_offsets");

    for (size_t i = 0; i < events->count; i++) {
        o.of_event[i] = which_count(events->column[i].name);
        if (o.of_event[i] != UNCOUNTED)
            o.least[o.of_event[i]] = store->total[i] / TP_ROW_PARTS;
    }
    for (size_t i = 0; !failed && i < store->rec->data.count; i++) {
        const struct tp_data *data = &store->rec->data.at[i];
        size_t at = 0;
        if (!data->at)
            continue;
        failed = offsets_gather(&o, data);
        for (uint32_t from = 0; !failed && (from = next_field(&o, data, from, at)) != NO_FIELD; from++)
            failed = take_field(&o, i, from, &at);
        failed = failed || write_field(&o, i);
    }
    failed = tp_insert_close(store, &o.fields, failed);
    failed = tp_insert_close(store, &o.offsets, failed);
    TP_VECTOR_FREE(&o.blobs);
    TP_VECTOR_FREE(&o.places);
    return failed ? -1 : 0;
}
