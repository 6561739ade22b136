/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_offsets.c: what data objects pay by offset, and by field.
 *
 * The recording has counts by place in a data object. A place is an offset in an element or, where that is not known,
 * in a block; or it is one of two that have no offset. Every place is in one field: a member of the element's type,
 * padding between members, eight bytes where no type is known. So an object's fields sum to the object. By the byte
 * places are stored only where it is known what the object is made of: the rest, in large programs most, would make
 * profiles twice as large and say no more than the fields.
 */
#include "profile/store.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/error.h"
#include "profile/layout.h"

enum { PIECE = 8 };

struct place {
    uint32_t number; /* as in DATA_AT */
    uint64_t *row;
    uint32_t field; /* id */
};

struct offsets {
    struct tp_store *store;
    struct tp_insert *insert;
    TP_VECTOR(struct place) places; /* of the object at hand, ascending */
    struct tp_arena arena;          /* their rows */
    struct tp_idmap fields;         /* of all objects: (object, what field) to id */
    uint32_t field_count;
    const uint8_t *can;
    bool *counted; /* by event: whether it is counted by place */
};

/* ------------------------------------------------------------------------------------------ places */

static int by_place(const void *a, const void *b)
{
    const struct tp_blob *x = *(const struct tp_blob *const *)a, *y = *(const struct tp_blob *const *)b;

    return x->data < y->data ? -1 : x->data > y->data;
}

static int add_place(struct offsets *o, const struct tp_blob *blob)
{
    const struct tp_events *events = &o->store->rec->events;
    struct place *last = o->places.count ? &o->places.at[o->places.count - 1] : NULL;

    if (!last || last->number != blob->data) {
        last = TP_VECTOR_ADD(&o->places);
        if (!last || !(last->row = tp_arena_alloc(&o->arena, events->count * sizeof *last->row + 1)))
            return TP_NO_MEMORY(o->store->err);
        last->number = blob->data;
    }
    tp_blob_add(events, blob, last->row, NULL);
    return 0;
}

/* The places of an object, each part's counts added up. */
static int gather(struct offsets *o, const struct tp_data *data)
{
    const struct tp_blob **sorted;
    size_t count = 0, i = 0;
    int failed = 0;

    o->places.count = 0;
    tp_arena_clear(&o->arena);
    for (const struct tp_blob *blob = data->at; blob; blob = blob->next)
        count++;
    sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return TP_NO_MEMORY(o->store->err);
    for (const struct tp_blob *blob = data->at; blob; blob = blob->next)
        sorted[i++] = blob;
    qsort(sorted, count, sizeof *sorted, by_place);
    for (i = 0; !failed && i < count; i++)
        failed = add_place(o, sorted[i]);
    free(sorted);
    return failed;
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

static uint64_t piece_size(const struct tp_data *data, uint64_t offset)
{
    uint64_t all = data->element ? data->element : data->kind == TN_DATA_STATIC ? data->size : UINT64_MAX;

    return offset + PIECE <= all ? PIECE : all > offset ? all - offset : PIECE;
}

static void put_field(struct offsets *o, const struct tp_data *data, uint32_t number)
{
    static const char *const kinds[] = {"around", "beyond"}, *const names[] = {"(around)", "(beyond)"};
    uint64_t offset = (uint64_t)(number - TN_AT_FIRST) * PIECE;
    char name[32];

    if (number < TN_AT_FIRST) {
        tp_put_text(o->insert, kinds[number]);
        tp_put_text(o->insert, names[number]);
        tp_put_null(o->insert);
        tp_put_null(o->insert);
        tp_put_null(o->insert);
    } else if (data->layout) {
        const struct tp_layout_field *field = &data->layout->field[number - TN_AT_FIRST];
        tp_put_text(o->insert, field->padding ? "padding" : "field");
        tp_put_text(o->insert, field->name);
        tp_put_text(o->insert, field->type);
        tp_put_count(o->insert, field->offset);
        tp_put_count(o->insert, field->size);
    } else {
        snprintf(name, sizeof name, "+%llu", (unsigned long long)offset);
        tp_put_text(o->insert, "bytes");
        tp_put_text(o->insert, tp_arena_copy(&o->store->rec->arena, name, strlen(name) + 1));
        tp_put_null(o->insert);
        tp_put_count(o->insert, offset);
        tp_put_count(o->insert, piece_size(data, offset));
    }
}

static int find_counted(struct offsets *o)
{
    static const char *const counted[] = {"D1mr",   "D1mw",     "DLmr", "DLmw",
                                          "UseD1", "SpLossD1", "UseL", "SpLossL"};
    const struct tp_events *events = &o->store->rec->events;

    o->counted = calloc(events->count + 1, sizeof *o->counted);
    if (!o->counted)
        return TP_NO_MEMORY(o->store->err);
    for (size_t i = 0; i < events->count; i++) {
        for (size_t c = 0; c < sizeof counted / sizeof *counted; c++)
            o->counted[i] |= strcmp(events->column[i].name, counted[c]) == 0;
    }
    return 0;
}

/* What is counted by place is NULL only if the object's accesses cannot cause it; all other events are not known. */
static void put_events(struct offsets *o, const uint64_t *row, uint8_t can)
{
    const struct tp_events *events = &o->store->rec->events;

    for (size_t i = 0; i < events->count; i++) {
        const struct tp_column *column = &events->column[i];
        if (!o->counted[i] || (row[i] == 0 && column->needs && !(column->needs & can)))
            tp_put_null(o->insert);
        else
            tp_put_count(o->insert, row[i]);
    }
}

static int write_field(struct offsets *o, size_t index, uint32_t number, const uint64_t *row)
{
    const struct tp_data *data = &o->store->rec->data.at[index];

    o->field_count++;
    if (tp_idmap_add(&o->fields, (uint64_t)(index + 1) << 32 | number, o->field_count))
        return TP_NO_MEMORY(o->store->err);
    tp_put_id(o->insert, o->field_count);
    tp_put_id(o->insert, (uint32_t)index + 1);
    put_field(o, data, number);
    put_events(o, row, o->can[index]);
    return tp_insert_row(o->store, o->insert);
}

/* The fields of an object: all of its type's, and of others those of which something was counted. */
static int write_fields_of(struct offsets *o, size_t index)
{
    const struct tp_data *data = &o->store->rec->data.at[index];
    const struct tp_events *events = &o->store->rec->events;
    size_t width = events->count, at = 0;
    uint64_t *row = malloc(width * sizeof *row + 1);
    uint32_t first = field_of(data, o->places.at[0].number);
    int failed = row ? 0 : TP_NO_MEMORY(o->store->err);
    uint32_t last = data->layout ? (uint32_t)(TN_AT_FIRST + data->layout->count - 1) : UINT32_MAX;

    if (data->layout && first > TN_AT_FIRST)
        first = TN_AT_FIRST;
    for (uint32_t number = first; !failed && number <= last && (at < o->places.count || data->layout); number++) {
        bool any = data->layout && number >= TN_AT_FIRST;
        memset(row, 0, width * sizeof *row);
        for (; at < o->places.count && field_of(data, o->places.at[at].number) == number; at++, any = true)
            tp_add_row(events, row, o->places.at[at].row);
        if (any)
            failed = write_field(o, index, number, row);
        else if (!data->layout && at < o->places.count)
            number = field_of(data, o->places.at[at].number) - 1;
    }
    free(row);
    return failed;
}

static int write_offsets_of(struct offsets *o, size_t index)
{
    const struct tp_data *data = &o->store->rec->data.at[index];
    int failed = 0;

    for (size_t i = 0; !failed && data->element && i < o->places.count; i++) {
        const struct place *place = &o->places.at[i];
        uint64_t key = (uint64_t)(index + 1) << 32 | field_of(data, place->number);
        tp_put_id(o->insert, (uint32_t)index + 1);
        tp_put_id(o->insert, tp_idmap_find(&o->fields, key));
        if (place->number < TN_AT_FIRST)
            tp_put_null(o->insert);
        else
            tp_put_count(o->insert, place->number - TN_AT_FIRST);
        put_events(o, place->row, o->can[index]);
        failed = tp_insert_row(o->store, o->insert);
    }
    return failed;
}

/* ------------------------------------------------------------------------------------------ all */

static int write_all(struct offsets *o, const char *table, int (*write)(struct offsets *o, size_t index))
{
    struct tp_insert insert;
    int failed = tp_insert_open(o->store, &insert, table);

    o->insert = &insert;
    for (size_t i = 0; !failed && i < o->store->rec->data.count; i++) {
        if (o->store->rec->data.at[i].at)
            failed = gather(o, &o->store->rec->data.at[i]) || write(o, i);
    }
    return tp_insert_close(o->store, &insert, failed);
}

int tp_store_offsets(struct tp_store *store, const uint8_t *can)
{
    struct offsets o = {.store = store, .can = can};
    int failed = find_counted(&o) || write_all(&o, "t_data_fields", write_fields_of) ||
                 write_all(&o, "t_data_offsets", write_offsets_of);

    TP_VECTOR_FREE(&o.places);
    tp_arena_free(&o.arena);
    tp_idmap_free(&o.fields);
    free(o.counted);
    return failed ? -1 : 0;
}
