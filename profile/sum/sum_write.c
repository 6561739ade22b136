/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum_write.c: the sum as a profile.
 *
 * Rows have their ids in the order in which they came, but for two kinds of tables: a tree (role `above`) is numbered
 * in post-order, and a table of which another one names ranges (roles `first` and `last`: the instructions of a
 * function) by what it belongs to and then by address.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/sum/sum.h"

struct writer {
    struct tp_sum *sum;
    int lane;
    const tp_sum_meta *meta;
    const char *more; /* SQL that adds to table `meta`; NULL: nothing does */
    struct tp_store *store;
    uint32_t *id[TP_MAX_TABLES];    /* by row */
    uint32_t *order[TP_MAX_TABLES]; /* rows by id; NULL: as they are */
    int owner[TP_MAX_TABLES];       /* field that ranges go by, or -1 */
    int64_t costs[TP_SUM_COSTS];    /* of the row at hand */
};

/* ------------------------------------------------------------------------------------------ values */

/* What addresses of this row are relative to: an object's bias, an instruction's address. */
static uint64_t address_of(const struct writer *w, int table, int64_t row, const struct tp_field *field)
{
    const struct tp_shape *shape = &w->sum->shape[table];
    int64_t value = w->sum->rows[table].at.at[row][field->at];
    uint64_t base = 0;

    if (value == TP_NONE)
        return 0;
    if (field->relative_to >= 0) {
        const struct tp_field *by = &shape->field[field->relative_to];
        int64_t other = w->sum->rows[table].at.at[row][by->at];
        int of = w->sum->shape[by->refers].base;
        if (other != TP_NONE && of >= 0)
            base = address_of(w, by->refers, other, &w->sum->shape[by->refers].field[of]);
    }
    return (uint64_t)value + base;
}

static uint32_t rows_of(const struct writer *w, int table)
{
    return (uint32_t)w->sum->rows[table].at.count;
}

static uint32_t row_at(const struct writer *w, int table, uint32_t place)
{
    return w->order[table] ? w->order[table][place] : place;
}

/* ------------------------------------------------------------------------------------------ ids */

/* Parents before their children in the order of rows, as they were read; here children come first. */
static int number_tree(struct writer *w, int table, int field)
{
    uint32_t count = rows_of(w, table), last = 0;
    uint32_t *child = calloc(2 * (size_t)count + 2, sizeof *child), *sibling = child ? child + count + 1 : NULL;
    int at = w->sum->shape[table].field[field].at;

    if (!child)
        return TP_NO_MEMORY(w->store->err);
    for (uint32_t row = count; row-- > 0;) { /* lists of children, + 1; list 0 is that of roots */
        int64_t parent = w->sum->rows[table].at.at[row][at];
        uint32_t *list = &child[parent == TP_NONE ? 0 : parent + 1];
        sibling[row] = *list;
        *list = row + 1;
    }
    for (uint32_t row = child[0]; row;) {
        while (child[row]) { /* down to a leaf; what has been gone down is gone */
            uint32_t below = child[row];
            child[row] = 0;
            row = below;
        }
        w->order[table][last++] = row - 1;
        int64_t parent = w->sum->rows[table].at.at[row - 1][at];
        row = sibling[row - 1] ? sibling[row - 1] : parent == TP_NONE ? 0 : (uint32_t)parent + 1;
    }
    free(child);
    return 0;
}

struct sorted {
    int64_t owner;
    uint64_t address;
    uint32_t row;
};

static int by_owner(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int order = TP_COMPARE(x->owner, y->owner);

    order = order ? order : TP_COMPARE(x->address, y->address);
    return order ? order : TP_COMPARE(x->row, y->row);
}

static int number_ranges(struct writer *w, int table, int owner)
{
    const struct tp_shape *shape = &w->sum->shape[table];
    struct sorted *sorted = calloc((size_t)rows_of(w, table) + 1, sizeof *sorted);

    if (!sorted)
        return TP_NO_MEMORY(w->store->err);
    for (uint32_t row = 0; row < rows_of(w, table); row++)
        sorted[row] = (struct sorted){w->sum->rows[table].at.at[row][shape->field[owner].at],
                                      shape->base < 0 ? 0 : address_of(w, table, row, &shape->field[shape->base]), row};
    qsort(sorted, rows_of(w, table), sizeof *sorted, by_owner);
    for (uint32_t i = 0; i < rows_of(w, table); i++)
        w->order[table][i] = sorted[i].row;
    free(sorted);
    return 0;
}

/* The field of `table` that refers to a table with ranges of it; -1: none has. */
static int owner_of(const struct tp_sum *sum, int table)
{
    for (int i = 0; i < sum->tables; i++) {
        for (int k = 0; k < sum->shape[i].fields; k++) {
            const struct tp_field *field = &sum->shape[i].field[k];
            if (field->role != TP_ROLE_FIRST || field->refers != table)
                continue;
            for (int f = 0; f < sum->shape[table].fields; f++) {
                if (sum->shape[table].field[f].refers == i)
                    return f;
            }
        }
    }
    return -1;
}

static int sum_write_number(struct writer *w, int table)
{
    const struct tp_shape *shape = &w->sum->shape[table];
    uint32_t count = rows_of(w, table);
    int failed = 0;

    w->owner[table] = owner_of(w->sum, table);
    w->id[table] = calloc((size_t)count + 1, sizeof **w->id);
    if (shape->above >= 0 || w->owner[table] >= 0)
        w->order[table] = calloc((size_t)count + 1, sizeof **w->order);
    if (!w->id[table] || ((shape->above >= 0 || w->owner[table] >= 0) && !w->order[table]))
        return TP_NO_MEMORY(w->store->err);
    if (shape->above >= 0)
        failed = number_tree(w, table, shape->above);
    else if (w->owner[table] >= 0)
        failed = number_ranges(w, table, w->owner[table]);
    for (uint32_t i = 0; !failed && i < count; i++)
        w->id[table][row_at(w, table, i)] = i + 1;
    return failed;
}

/* ------------------------------------------------------------------------------------------ rows */

/* The first of a table's rows, in the order of ids, whose owner is not below `row`. */
static uint32_t first_of(const struct writer *w, int table, int64_t row)
{
    int at = w->sum->shape[table].field[w->owner[table]].at;
    uint32_t low = 0, high = rows_of(w, table);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->sum->rows[table].at.at[row_at(w, table, middle)][at] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void sum_write_put_field(const struct writer *w, struct tp_insert *insert, int table, int f, uint32_t row)
{
    const struct tp_field *field = &w->sum->shape[table].field[f];

    if (field->role == TP_ROLE_ID || field->role == TP_ROLE_NTH) {
        tp_put_id(insert, w->id[table][row]);
        return;
    }
    if (field->role == TP_ROLE_FIRST || field->role == TP_ROLE_LAST) {
        uint32_t first = first_of(w, field->refers, row), end = first_of(w, field->refers, (int64_t)row + 1);
        tp_put_id(insert, first == end ? 0 : field->role == TP_ROLE_FIRST ? first + 1 : end);
        return;
    }
    int64_t *values = w->sum->rows[table].at.at[row], value = values[field->at];
    if (field->role == TP_ROLE_SUM)
        value = w->costs[tp_sum_events(w->sum, table) + (size_t)field->at];
    if (value == TP_NONE)
        tp_put_null(insert);
    else if (field->role == TP_ROLE_GROUP)
        tp_put_integer(insert, value + 1);
    else if (field->text)
        tp_put_text(insert, w->sum->texts.at.at[value]);
    else if (field->refers >= 0)
        tp_put_id(insert, w->id[field->refers][value]);
    else if (field->relative_to >= 0)
        tp_put_integer(insert, (int64_t)address_of(w, table, row, field));
    else
        tp_put_integer(insert, value);
}

static void put_costs(const struct writer *w, struct tp_insert *insert, int table)
{
    const struct tp_sum *sum = w->sum;
    const int64_t *costs = w->costs;
    size_t count = tp_sum_events(sum, table);

    for (size_t i = 0; i < count; i++) {
        size_t event = i % sum->events.count;
        double real;
        if (event >= sum->stored)
            continue;
        memcpy(&real, &costs[i], sizeof real);
        if (costs[i] == TP_NONE)
            tp_put_null(insert);
        else if (sum->events.column[event].real)
            tp_put_real(insert, real);
        else
            tp_put_integer(insert, costs[i]);
    }
}

static int sum_write_table(struct writer *w, int table)
{
    struct tp_insert insert;
    int failed = tp_insert_open(w->store, &insert, w->sum->shape[table].table->name);

    for (uint32_t i = 0; !failed && i < rows_of(w, table); i++) {
        uint32_t row = row_at(w, table, i);
        tp_sum_get(w->sum, table, w->sum->rows[table].at.at[row], w->lane, w->costs);
        for (int f = 0; f < w->sum->shape[table].fields; f++)
            sum_write_put_field(w, &insert, table, f, row);
        put_costs(w, &insert, table);
        failed = tp_insert_row(w->store, &insert);
    }
    return tp_insert_close(w->store, &insert, failed);
}

/* ------------------------------------------------------------------------------------------ all */

static int write_tables(struct tp_store *store, void *user, bool large)
{
    struct writer *w = user;
    int failed = 0;

    w->store = store;
    for (int i = 0; !failed && i < w->sum->tables; i++) {
        if ((strncmp(w->sum->shape[i].table->name, "t_", 2) == 0) == large)
            failed = sum_write_table(w, i);
    }
    return failed;
}

static int write_large(struct tp_store *store, void *user)
{
    return write_tables(store, user, true);
}

static int sum_write_meta(struct tp_store *store, struct tp_insert *insert, size_t i)
{
    const tp_sum_meta *meta = insert->user;

    TP_PUT(insert, TP_TEXT(meta->at[i].key), TP_TEXT(meta->at[i].value));
    return tp_insert_row(store, insert);
}

static int sum_write_rest(struct tp_store *store, void *user)
{
    const struct writer *w = user;

    return tp_insert_all(store, "meta", w->meta->count, sum_write_meta, (void *)(uintptr_t)w->meta) ||
                   write_tables(store, user, false) || (w->more && tp_store_sql(store, w->more, "meta"))
               ? -1
               : 0;
}

int tp_sum_write(struct tp_sum *sum, int lane, const char *path, const tp_sum_meta *meta, const char *more,
                 struct tp_error *err)
{
    static const struct tp_import_options options;
    struct tp_recording *rec = calloc(1, sizeof *rec);
    struct tp_store store = {.path = path, .rec = rec, .options = &options, .err = err, .has_units = sum->by_unit};
    struct writer w = {.sum = sum, .lane = lane, .meta = meta, .more = more, .store = &store};
    int failed = rec ? 0 : TP_NO_MEMORY(err);

    if (rec) {
        rec->events = sum->events;
        rec->events.count = sum->stored;
        rec->threads.count = sum->rows[tp_sum_table(sum, "threads")].at.count; /* which views there are */
    }
    for (int i = 0; !failed && i < sum->tables; i++)
        failed = sum_write_number(&w, i);
    if (!failed)
        failed = tp_store_make(&store, write_large, sum_write_rest, &w);
    for (int i = 0; i < sum->tables; i++) {
        free(w.id[i]);
        free(w.order[i]);
    }
    if (rec) {
        TP_VECTOR_FREE(&rec->formulas); /* tp_store_make has declared sums there */
        tp_arena_free(&rec->arena);
    }
    free(rec);
    return failed ? -1 : 0;
}
