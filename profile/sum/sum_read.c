/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum_read.c: one profile into the sum.
 *
 * A table is read after those that it refers to; each of its rows finds its natural key, and by that its row of the
 * sum. What the profile calls a row by (its id) is remembered until the profile has been read, in a map for each table.
 *
 * The file may say anything: a reference to a row that is not there is refused, and so is whatever SQLite refuses.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/sum/sum.h"

/* What the profile calls the rows of a table: id -> place -> row of the sum, and the row's own base of addresses. */
struct known {
    struct tp_idmap map;
    TP_VECTOR(struct place) at;
    bool read;
};
struct place {
    uint32_t row;
    int64_t base;
};

struct reader {
    struct tp_sum *sum;
    tp_profile *profile;
    const struct tp_sum_source *sources;
    const struct tp_sum_lens *lens;
    struct known known[TP_MAX_TABLES];
    struct tp_rows seen[TP_MAX_TABLES]; /* with `nth`: how many rows had this key */
    struct tp_idmap groups;             /* base_id -> row of sum->groups */
    struct tp_rows grouped;             /* how many groups had this key */
    int64_t *costs;
    struct tp_error *err;
};

/* ------------------------------------------------------------------------------------------ values */

static int broken(struct reader *r, int table, const char *what)
{
    return TP_FAIL(r->err, "%s: table %s: %s; the file is damaged", tp_path(r->profile),
                   r->sum->shape[table].table->name, what);
}

static int read_reference(struct reader *r, int table, const struct tp_field *field, int64_t id, int64_t *value,
                          int64_t *base)
{
    const struct known *known = &r->known[field->refers];
    uint32_t place = tp_idmap_find(&known->map, (uint64_t)id);

    if (place == TP_NOT_FOUND) {
        char what[128];
        snprintf(what, sizeof what, "%s refers to row %lld of %s, which is not there", field->name, (long long)id,
                 r->sum->shape[field->refers].table->name);
        return broken(r, table, what);
    }
    *value = known->at.at[place].row;
    *base = known->at.at[place].base;
    return 0;
}

/* All fields of the row at hand into value[], by field. base[]: of what is referred to. */
static int read_fields(struct reader *r, int table, sqlite3_stmt *statement, int64_t *value)
{
    const struct tp_shape *shape = &r->sum->shape[table];
    int64_t base[TP_MAX_FIELDS] = {0};

    for (int i = 0; i < shape->fields; i++) {
        const struct tp_field *field = &shape->field[i];
        value[i] = TP_NONE;
        if (sqlite3_column_type(statement, i) == SQLITE_NULL)
            continue;
        if (field->text) {
            const char *text = tp_text_or_null(statement, i);
            if (text && r->lens->rewrite)
                text = r->lens->rewrite(r->lens->user, shape->table->name, field->name, text);
            value[i] = text ? tp_texts_add(&r->sum->texts, text) : TP_NONE;
            if (value[i] == TP_NONE)
                return TP_NO_MEMORY(r->err);
            continue;
        }
        value[i] = sqlite3_column_int64(statement, i);
        if (field->refers >= 0 && field->role != TP_ROLE_FIRST && field->role != TP_ROLE_LAST &&
            read_reference(r, table, field, value[i], &value[i], &base[i]))
            return -1;
        if (field->relative_to >= 0)
            value[i] = (int64_t)((uint64_t)value[i] - (uint64_t)base[field->relative_to]);
    }
    return 0;
}

/* Where rows with one key are told apart by their order: how many there were before. -1: out of memory. */
static int64_t sum_read_place_of(struct tp_rows *seen, const int64_t *key, size_t keys)
{
    uint32_t index;
    bool made;

    seen->keys = keys;
    seen->width = keys + 1;
    int64_t *row = tp_rows_get(seen, key, &index, &made);
    return row ? row[keys]++ : -1;
}

/* A name in the symbol table without the context behind it. */
static int64_t bare_symbol(struct reader *r, int64_t symbol, int64_t context)
{
    const char *text = symbol == TP_NONE ? "" : r->sum->texts.at.at[symbol];
    const char *end = *text ? strchr(text + 1, '\'') : NULL;

    if (symbol == TP_NONE || context == TP_NONE || !end)
        return symbol;
    char *copy = strndup(text, (size_t)(end - text));
    int64_t bare = copy ? tp_texts_add(&r->sum->texts, copy) : TP_NONE;
    free(copy);
    return bare;
}

/* base_id of a function into the number of its group. The same in all contexts of a function. */
static int find_group(struct reader *r, int table, int64_t *value)
{
    const struct tp_shape *shape = &r->sum->shape[table];
    int id = tp_sum_field(shape, "base_id"), object = tp_sum_field(shape, "object_id");
    int objects = shape->field[object].refers;
    uint32_t known = value[id] == TP_NONE ? TP_NOT_FOUND : tp_idmap_find(&r->groups, (uint64_t)value[id]);
    int64_t base_id = value[id];
    bool made;

    if (known != TP_NOT_FOUND) {
        value[id] = known;
        return 0;
    }
    int64_t symbol = value[tp_sum_field(shape, "symbol")];
    int64_t key[5] = {value[tp_sum_field(shape, "base")],
                      bare_symbol(r, symbol, value[tp_sum_field(shape, "context")]),
                      tp_sum_value(r->sum, objects, value[object], "path"),
                      value[tp_sum_field(shape, "file_id")], 0};
    if (symbol != TP_NONE && key[1] == TP_NONE)
        return TP_NO_MEMORY(r->err);
    if (r->lens->group && r->lens->group(r->lens->user, r->sum, key))
        return TP_NO_MEMORY(r->err);
    key[4] = sum_read_place_of(&r->grouped, key, 4);
    if (key[4] < 0 || !tp_rows_get(&r->sum->groups, key, &known, &made))
        return TP_NO_MEMORY(r->err);
    value[id] = known;
    return base_id != TP_NONE && base_id != 0 && tp_idmap_add(&r->groups, (uint64_t)base_id, known)
               ? TP_NO_MEMORY(r->err)
               : 0;
}

/* ------------------------------------------------------------------------------------------ rows */

/* The largest value of a field `max`; of the fields `any` the smallest tuple. */
static void put_values(const struct reader *r, const struct tp_shape *shape, const int64_t *value, int64_t *row,
                       bool made)
{
    int order = made ? -1 : 0;

    for (int i = 0; i < shape->fields && order == 0; i++) {
        const struct tp_field *field = &shape->field[i];
        if (field->role == TP_ROLE_ANY)
            order = tp_sum_compare_values(r->sum, field, value[i], row[field->at]);
    }
    for (int i = 0; i < shape->fields; i++) {
        const struct tp_field *field = &shape->field[i];
        if (field->role == TP_ROLE_MAX && (made || row[field->at] < value[i])) /* TP_NONE is the smallest */
            row[field->at] = value[i];
        else if (field->role == TP_ROLE_ANY && order < 0)
            row[field->at] = value[i];
    }
}

static int remember(struct reader *r, int table, int64_t id, uint32_t row, int64_t base)
{
    struct known *known = &r->known[table];

    if (id == TP_NONE || id == 0)
        return broken(r, table, "a row without an id");
    struct place *place = TP_VECTOR_ADD(&known->at);
    if (!place || tp_idmap_add(&known->map, (uint64_t)id, (uint32_t)known->at.count - 1))
        return TP_NO_MEMORY(r->err);
    *place = (struct place){row, base};
    return 0;
}

/* The weighted sum of events that were read, or derived before; NULL if all are. */
static int64_t derived(const struct tp_sum *sum, const struct tp_weighted_sum *formula, const int64_t *costs, bool real)
{
    double total = 0;
    int64_t count = TP_NONE;

    for (size_t i = 0; i < formula->count; i++) {
        int64_t cost = costs[formula->term[i].column], product;
        double value = tp_sum_number(sum, formula->term[i].column, cost);
        if (cost == TP_NONE)
            continue;
        total += (double)formula->term[i].weight * value;
        if (__builtin_mul_overflow((int64_t)formula->term[i].weight, cost, &product))
            product = cost < 0 ? -INT64_MAX : INT64_MAX;
        count = count == TP_NONE ? product : tp_sum_counts(count, product);
    }
    if (real && count != TP_NONE)
        memcpy(&count, &total, sizeof count);
    return count;
}

/* The events, self and inclusive, then the columns `sum`. */
static void read_costs(struct reader *r, int table, sqlite3_stmt *statement, const int64_t *value)
{
    const struct tp_sum *sum = r->sum;
    const struct tp_shape *shape = &sum->shape[table];
    size_t events = tp_sum_events(sum, table);
    int column = shape->fields;

    for (size_t kind = 0; kind < events; kind += sum->events.count) {
        for (size_t i = 0; i < sum->stored; i++, column++) {
            int64_t *cost = &r->costs[kind + i];
            *cost = TP_NONE;
            if (sqlite3_column_type(statement, column) == SQLITE_NULL)
                continue;
            if (sum->events.column[i].real) {
                double real = sqlite3_column_double(statement, column);
                memcpy(cost, &real, sizeof real);
            } else {
                *cost = sqlite3_column_int64(statement, column);
            }
        }
        for (size_t i = sum->stored; i < sum->events.count; i++)
            r->costs[kind + i] =
                derived(sum, &sum->formula[i - sum->stored], r->costs + kind, sum->events.column[i].real);
    }
    for (int i = 0; i < shape->fields; i++) {
        if (shape->field[i].role == TP_ROLE_SUM)
            r->costs[events + (size_t)shape->field[i].at] = value[i];
    }
}

static int read_row(struct reader *r, int table, sqlite3_stmt *statement)
{
    const struct tp_shape *shape = &r->sum->shape[table];
    int64_t value[TP_MAX_FIELDS], key[TP_MAX_FIELDS + 1], base = 0;
    uint32_t index;
    bool made;

    if (read_fields(r, table, statement, value))
        return -1;
    if (r->lens->adjust)
        r->lens->adjust(r->lens->user, r->sum, table, value);
    if (shape->base >= 0 && sqlite3_column_type(statement, shape->base) != SQLITE_NULL)
        base = sqlite3_column_int64(statement, shape->base);
    for (int i = 0; i < shape->fields; i++) {
        if (shape->field[i].role == TP_ROLE_GROUP && find_group(r, table, value))
            return -1;
    }
    for (int i = 0; i < shape->fields; i++) {
        if (tp_sum_is_key(&shape->field[i]))
            key[shape->field[i].at] = value[i];
    }
    if (shape->nth >= 0 && (key[shape->nth] = sum_read_place_of(&r->seen[table], key, (size_t)shape->nth)) < 0)
        return TP_NO_MEMORY(r->err);
    int64_t *row = tp_rows_get(&r->sum->rows[table], key, &index, &made);
    if (!row)
        return TP_NO_MEMORY(r->err);
    put_values(r, shape, value, row, made);
    read_costs(r, table, statement, value);
    if (tp_sum_add_costs(r->sum, table, row, r->sum->lane, r->costs))
        return TP_NO_MEMORY(r->err);
    return shape->id >= 0 ? remember(r, table, value[shape->id], index, base) : 0;
}

/* ------------------------------------------------------------------------------------------ tables */

static void sum_read_add_column(sqlite3_str *sql, const char *name, const char *suffix)
{
    sqlite3_str_appendf(sql, "%st.\"%w%s\"", sqlite3_str_length(sql) ? ", " : "SELECT ", name, suffix);
}

static void sum_read_add_events(sqlite3_str *sql, const struct tp_sum *sum, const char *suffix)
{
    for (size_t i = 0; i < sum->stored; i++)
        sum_read_add_column(sql, sum->events.column[i].name, suffix);
}

/* Fields first, so that column i is field i. */
static char *sum_read_query_of(const struct reader *r, int table)
{
    const struct tp_shape *shape = &r->sum->shape[table];
    const struct tp_sum_source *source = r->sources;
    sqlite3_str *sql = sqlite3_str_new(NULL);

    while (source->table && strcmp(source->table, shape->table->name) != 0)
        source++;
    for (int i = 0; i < shape->fields; i++)
        sum_read_add_column(sql, shape->field[i].name, "");
    if (shape->table->events & TP_SELF_EVENTS)
        sum_read_add_events(sql, r->sum, "");
    if (shape->table->events & TP_INCL_EVENTS)
        sum_read_add_events(sql, r->sum, "_incl");
    sqlite3_str_appendf(sql, " FROM %s t", source->table ? source->from : shape->table->name);
    if (shape->table->order)
        sqlite3_str_appendf(sql, " ORDER BY %s", shape->table->order);
    else if (shape->id >= 0)
        sqlite3_str_appendf(sql, " ORDER BY t.id%s", shape->above >= 0 ? " DESC" : "");
    return sqlite3_str_finish(sql);
}

struct reading {
    struct reader *reader;
    int table;
};

static int sum_read_take_row(void *user, sqlite3_stmt *row)
{
    const struct reading *reading = user;

    return read_row(reading->reader, reading->table, row);
}

/* Those that it refers to, then itself. */
static int read_table(struct reader *r, int table)
{
    const struct tp_shape *shape = &r->sum->shape[table];

    if (r->known[table].read || r->sum->skip[table])
        return 0;
    r->known[table].read = true;
    for (int i = 0; i < shape->fields; i++) {
        const struct tp_field *field = &shape->field[i];
        if (field->refers < 0 || field->role == TP_ROLE_FIRST || field->role == TP_ROLE_LAST)
            continue;
        if (read_table(r, field->refers))
            return -1;
    }
    return tp_each(r->profile, sum_read_query_of(r, table), sum_read_take_row, &(struct reading){r, table}, r->err);
}

/* ------------------------------------------------------------------------------------------ threads */

/* Until now there was one thread, and all costs were its own: the tables by thread get them. */
static int copy_to_thread(struct reader *r, const char *from, const char *to, int64_t thread)
{
    struct tp_sum *sum = r->sum;
    int source = tp_sum_table(sum, from), target = tp_sum_table(sum, to);
    const struct tp_shape *shape = &sum->shape[target];

    for (size_t i = 0; i < sum->rows[source].at.count; i++) {
        int64_t key[2], *row, *of = sum->rows[source].at.at[i];
        uint32_t index;
        bool made;
        for (int k = 0; k < 2; k++)
            key[shape->field[k].at] = shape->field[k].refers == source ? (int64_t)i : thread;
        if (!(row = tp_rows_get(&sum->rows[target], key, &index, &made)))
            return TP_NO_MEMORY(r->err);
        for (int lane = 0; lane < sum->lanes; lane++) { /* both tables have the same events; `to` has no sums */
            if (!(*tp_sum_present(sum, source, of) >> lane & 1))
                continue;
            tp_sum_get(sum, source, of, lane, r->costs);
            if (tp_sum_add_costs(sum, target, row, lane, r->costs))
                return TP_NO_MEMORY(r->err);
        }
        *tp_sum_present(sum, target, row) = *tp_sum_present(sum, source, of);
    }
    return 0;
}

static int read_threads(struct reader *r)
{
    struct tp_sum *sum = r->sum;
    int table = tp_sum_table(sum, "threads");
    size_t before = sum->rows[table].at.count;

    if (read_table(r, table))
        return -1;
    if (sum->by_thread || sum->rows[table].at.count < 2)
        return 0;
    sum->by_thread = true;
    if (!before)
        return 0;
    int64_t first = sum->rows[table].at.at[0][0];
    return copy_to_thread(r, "t_instructions", "t_self", first) ||
                   copy_to_thread(r, "t_functions", "t_thread_functions", first)
               ? -1
               : 0;
}

int tp_sum_read(struct tp_sum *sum, tp_profile *profile, const struct tp_sum_source *sources,
                const struct tp_sum_lens *lens, struct tp_error *err)
{
    struct reader r = {.sum = sum, .profile = profile, .sources = sources, .lens = lens, .err = err};

    r.costs = calloc(2 * sum->events.count + TP_MAX_FIELDS, sizeof *r.costs);
    int failed = !r.costs ? TP_NO_MEMORY(err) : read_threads(&r);
    for (int i = 0; !failed && i < sum->tables; i++) {
        const char *name = sum->shape[i].table->name;
        if (sum->by_thread || (strcmp(name, "t_self") != 0 && strcmp(name, "t_thread_functions") != 0))
            failed = read_table(&r, i);
    }
    for (int i = 0; i < sum->tables; i++) {
        tp_idmap_free(&r.known[i].map);
        TP_VECTOR_FREE(&r.known[i].at);
        tp_rows_free(&r.seen[i]);
    }
    tp_idmap_free(&r.groups);
    tp_rows_free(&r.grouped);
    free(r.costs);
    return failed ? -1 : 0;
}
