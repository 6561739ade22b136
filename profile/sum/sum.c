/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.c: shapes of tables, rows by key, texts, costs.
 *
 * A row is one piece of an arena: key, other values, where its costs are. Texts are numbers here, and so
 * are references: the row's number in the sum. Then equal keys are equal bytes.
 */
#include "profile/sum/sum.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"

#define NOT_SIMULATED "not simulated"
const struct tp_model_key tp_model[TP_MODEL_KEYS] = {
    {"cache.I1", "I1 (size,ways,line,policy)", NOT_SIMULATED},
    {"cache.D1", "D1 (size,ways,line,policy)", NOT_SIMULATED},
    {"cache.L2", "L2 (size,ways,line,policy)", NOT_SIMULATED},
    {"cache.LL", "LL (size,ways,line,policy)", NOT_SIMULATED},
    {"index", "--index", "virtual"},
    {"prefetch", "--prefetch", "none"},
    {"shared-l1", "--shared-l1", "no"},
    {"coherence", "--coherence", "no"},
    {"write-back", "--write-back", "no"},
    {"machine", "--also", "none"},
    {"sample", "--sample", "1"},
    {"tlb.I", "--itlb", NOT_SIMULATED},
    {"tlb.D", "--dtlb", NOT_SIMULATED},
    {"remap", "--remap", "none"},
};

const char *tp_model_in(const char *value, const char *cache_sim, size_t i)
{
    return value && !(cache_sim && strcmp(cache_sim, "no") == 0) ? value : tp_model[i].absent;
}

const char *tp_model_of(tp_profile *profile, size_t i)
{
    return tp_model_in(tp_meta(profile, tp_model[i].key), tp_meta(profile, "cache-sim"), i);
}

/* ------------------------------------------------------------------------------------------ shapes */

int tp_sum_table(const struct tp_sum *sum, const char *name)
{
    for (int i = 0; i < sum->tables; i++) {
        if (strcmp(sum->shape[i].table->name, name) == 0)
            return i;
    }
    return -1;
}

int tp_sum_field(const struct tp_shape *shape, const char *name)
{
    for (int i = 0; i < shape->fields; i++) {
        if (strcmp(shape->field[i].name, name) == 0)
            return i;
    }
    return -1;
}

int64_t tp_sum_value(const struct tp_sum *sum, int table, int64_t row, const char *column)
{
    int field = row == TP_NONE ? -1 : tp_sum_field(&sum->shape[table], column);

    return field < 0 ? TP_NONE : sum->rows[table].at.at[row][sum->shape[table].field[field].at];
}

const char *tp_sum_text(const struct tp_sum *sum, int table, int64_t row, const char *column)
{
    int64_t value = tp_sum_value(sum, table, row, column);

    return value == TP_NONE ? NULL : sum->texts.at.at[value];
}

/* One column of a table, "name TYPE role>table@column*". */
static bool read_field(const struct tp_sum *sum, struct tp_shape *shape, const char *column)
{
    static const char *const roles[] = {"id", "nth", "key", "above", "group", "any", "sum", "max", "first", "last"};
    struct tp_field *field = &shape->field[shape->fields];
    char role[8], refers[32] = "", relative[32] = "", type[32];
    int length = 0;

    if (sscanf(column, "%31s %31[A-Z ]%7[a-z]%n", field->name, type, role, &length) != 3)
        return false;
    column += length;
    if (sscanf(column, ">%31[a-z_]%n", refers, &length) == 1)
        column += length;
    if (sscanf(column, "@%31[a-z_]%n", relative, &length) == 1)
        column += length;
    field->base = *column == '*';
    field->text = strncmp(type, "TEXT ", 5) == 0;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(roles[i], role) == 0)
            field->role = (enum tp_role)i;
    }
    field->refers = *refers ? tp_sum_table(sum, refers) : -1;
    field->relative_to = *relative ? tp_sum_field(shape, relative) : -1;
    shape->fields++;
    return strcmp(roles[field->role], role) == 0 && (field->refers >= 0 || !*refers) &&
           (field->relative_to >= 0 || !*relative);
}

bool tp_sum_is_key(const struct tp_field *field)
{
    return field->role == TP_ROLE_KEY || field->role == TP_ROLE_ABOVE || field->role == TP_ROLE_GROUP;
}

/* Where in a row each field is: keys first, the place of `nth` behind them. */
static void arrange(struct tp_shape *shape)
{
    shape->id = shape->base = shape->nth = shape->above = -1;
    for (int i = 0; i < shape->fields; i++) {
        struct tp_field *field = &shape->field[i];
        field->at = tp_sum_is_key(field) ? shape->keys++ : -1;
        if (field->role == TP_ROLE_ABOVE)
            shape->above = i;
        if (field->base)
            shape->base = i;
        if (field->role == TP_ROLE_ID || field->role == TP_ROLE_NTH)
            shape->id = i;
    }
    if (shape->id >= 0 && shape->field[shape->id].role == TP_ROLE_NTH)
        shape->nth = shape->keys++;
    shape->width = shape->keys;
    for (int i = 0; i < shape->fields; i++) {
        struct tp_field *field = &shape->field[i];
        if (field->role == TP_ROLE_ANY || field->role == TP_ROLE_MAX)
            field->at = shape->width++;
        if (field->role == TP_ROLE_SUM)
            field->at = shape->sums++;
    }
}

int tp_sum_begin(struct tp_sum *sum, bool by_name, struct tp_error *err)
{
    size_t count;
    const struct tp_table *tables = tp_schema_tables(&count);

    memset(sum, 0, sizeof *sum);
    for (size_t i = 0; i < count; i++) {
        if (strchr(tables[i].columns, '-'))
            continue;
        if (sum->tables == TP_MAX_TABLES)
            return TP_FAIL(err, "the schema has more tables than a merge has room for");
        sum->shape[sum->tables++].table = &tables[i];
    }
    for (int i = 0; i < sum->tables; i++) {
        struct tp_shape *shape = &sum->shape[i];
        for (const char *column = shape->table->columns; *column; column += strspn(column, ", |")) {
            if (shape->fields == TP_MAX_FIELDS || !read_field(sum, shape, column))
                return TP_FAIL(err, "the schema does not say how table %s is merged", shape->table->name);
            column += strcspn(column, ",");
        }
        if (by_name && strcmp(shape->table->name, "t_functions") == 0)
            shape->field[tp_sum_field(shape, "symbol")].role = TP_ROLE_ANY;
        arrange(shape);
    }
    sum->groups.keys = sum->groups.width = 5;
    sum->lanes = 1;
    sum->spill = tp_spill_new(TP_SPILL_LIMIT);
    return sum->spill ? 0 : TP_NO_MEMORY(err);
}

void tp_sum_make_room(struct tp_sum *sum)
{
    for (int i = 0; i < sum->tables; i++) {
        sum->rows[i].keys = (size_t)sum->shape[i].keys;
        sum->rows[i].width = (size_t)sum->shape[i].width + 1 + (size_t)sum->lanes;
    }
}

void tp_sum_free(struct tp_sum *sum)
{
    for (int i = 0; i < sum->tables; i++)
        tp_rows_free(&sum->rows[i]);
    tp_rows_free(&sum->groups);
    tp_spill_free(sum->spill);
    free(sum->formula);
    TP_VECTOR_FREE(&sum->texts.at);
    tp_slots_free(&sum->texts.slots);
    tp_arena_free(&sum->texts.arena);
}

/* ------------------------------------------------------------------------------------------ rows by key */

static bool same_row(const void *things, uint32_t index, const void *key)
{
    const struct tp_rows *rows = things;

    return memcmp(rows->at.at[index], key, rows->keys * sizeof(int64_t)) == 0;
}

int64_t *tp_rows_get(struct tp_rows *rows, const int64_t *key, uint32_t *index, bool *made)
{
    uint64_t hash = rows->keys;

    for (size_t i = 0; i < rows->keys; i++)
        hash = tp_hash(hash, (uint64_t)key[i]);
    struct tp_slot *slot = tp_slots_find(&rows->slots, hash, same_row, rows, key);
    if (!slot)
        return NULL;
    *made = !slot->index;
    if (*made) {
        int64_t *row = tp_arena_alloc(&rows->arena, rows->width * sizeof *row);
        if (!row || !TP_VECTOR_PUSH(&rows->at, row))
            return NULL;
        memcpy(row, key, rows->keys * sizeof *key);
        tp_slots_fill(&rows->slots, slot, rows->at.count);
    }
    *index = slot->index - 1;
    return rows->at.at[*index];
}

void tp_rows_free(struct tp_rows *rows)
{
    TP_VECTOR_FREE(&rows->at);
    tp_slots_free(&rows->slots);
    tp_arena_free(&rows->arena);
}

/* ------------------------------------------------------------------------------------------ texts */

static bool same_text(const void *things, uint32_t index, const void *key)
{
    return strcmp(((const struct tp_texts *)things)->at.at[index], key) == 0;
}

int64_t tp_texts_add(struct tp_texts *texts, const char *text)
{
    struct tp_slot *slot = tp_slots_find(&texts->slots, tp_hash_text(text), same_text, texts, text);

    if (slot && !slot->index) {
        const char *copy = tp_arena_copy(&texts->arena, text, strlen(text));
        if (!copy || !TP_VECTOR_PUSH(&texts->at, copy))
            return TP_NONE;
        tp_slots_fill(&texts->slots, slot, texts->at.count);
    }
    return slot ? slot->index - 1 : TP_NONE;
}

/* ------------------------------------------------------------------------------------------ costs, packed */

/* A row has a word for each lane: where its piece of memory is (spill.h), or 0. A piece is
 *
 *     room           four bytes: of what follows; it stays, so that costs which change little stay in place
 *     present        a bit for each cost that is neither 0 nor NULL
 *     null           a bit for each that is NULL
 *     numbers        of those present, seven bits a byte, the lowest first, the sign in the lowest bit */

enum { BITMAP = (TP_SUM_COSTS + 7) / 8, LONGEST = 10, HEAD = sizeof(uint32_t), SPARE = 8 };
enum { MOST = 2 * BITMAP + TP_SUM_COSTS * LONGEST };

static int64_t *costs_place_of(const struct tp_sum *sum, int table, const int64_t *row, int lane)
{
    return (int64_t *)row + sum->shape[table].width + 1 + lane;
}

static size_t put_number(uint8_t *to, int64_t value)
{
    uint64_t rest = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
    size_t size = 0;

    for (; rest > 0x7f; rest >>= 7)
        to[size++] = (uint8_t)(rest | 0x80);
    to[size++] = (uint8_t)rest;
    return size;
}

static const uint8_t *get_number(const uint8_t *from, int64_t *value)
{
    uint64_t rest = 0;
    unsigned shift = 0;

    for (; *from & 0x80; shift += 7)
        rest |= (uint64_t)(*from++ & 0x7f) << shift;
    rest |= (uint64_t)*from++ << shift;
    *value = (int64_t)(rest >> 1 ^ (0 - (rest & 1)));
    return from;
}

static size_t pack(uint8_t *to, const int64_t *costs, size_t count)
{
    size_t bitmap = (count + 7) / 8, size = 2 * bitmap;

    memset(to, 0, size);
    for (size_t i = 0; i < count; i++) {
        uint8_t bit = (uint8_t)(1u << i % 8);
        if (costs[i] == TP_NONE)
            to[bitmap + i / 8] |= bit;
        else if (costs[i])
            to[i / 8] |= bit, size += put_number(to + size, costs[i]);
    }
    return size;
}

void tp_sum_get(const struct tp_sum *sum, int table, const int64_t *row, int lane, int64_t *costs)
{
    size_t count = tp_sum_costs(sum, table), bitmap = (count + 7) / 8;
    const uint8_t *piece = (const uint8_t *)(uintptr_t)*costs_place_of(sum, table, row, lane);

    memset(costs, 0, count * sizeof *costs);
    if (!piece)
        return;
    piece += HEAD;
    const uint8_t *from = piece + 2 * bitmap;
    for (size_t i = 0; i < count; i++) {
        if (piece[i / 8] >> i % 8 & 1)
            from = get_number(from, &costs[i]);
        else if (piece[bitmap + i / 8] >> i % 8 & 1)
            costs[i] = TP_NONE;
    }
    tp_spill_touch(sum->spill, (size_t)(from - piece));
}

int tp_sum_put(struct tp_sum *sum, int table, int64_t *row, int lane, const int64_t *costs)
{
    uint8_t packed[MOST];
    size_t size = pack(packed, costs, tp_sum_costs(sum, table));
    int64_t *place = costs_place_of(sum, table, row, lane);
    uint8_t *piece = (uint8_t *)(uintptr_t)*place;
    uint32_t room = 0;

    if (piece)
        memcpy(&room, piece, sizeof room);
    if (!piece || room < size) {
        room = (uint32_t)(piece ? size + SPARE : size); /* what has grown once may grow again */
        if (!(piece = tp_spill_alloc(sum->spill, HEAD + room)))
            return -1;
        memcpy(piece, &room, sizeof room);
        *place = (int64_t)(uintptr_t)piece;
    }
    memcpy(piece + HEAD, packed, size);
    tp_spill_touch(sum->spill, HEAD + size);
    return 0;
}

/* ------------------------------------------------------------------------------------------ costs */

int64_t tp_sum_counts(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum) && sum != TP_NONE)
        return sum;
    return a < 0 ? -INT64_MAX : INT64_MAX;
}

static int64_t add_real(int64_t a, int64_t b)
{
    double x, y;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof x);
    return a;
}

double tp_sum_number(const struct tp_sum *sum, size_t column, int64_t cost)
{
    double real;

    memcpy(&real, &cost, sizeof real);
    return cost == TP_NONE ? 0 : sum->events.column[column].real ? real : (double)cost;
}

/* Costs are known unless all of them are NULL. */
static bool is_known(const int64_t *costs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (costs[i] != TP_NONE)
            return true;
    }
    return false;
}

int tp_sum_add_costs(struct tp_sum *sum, int table, int64_t *row, int lane, const int64_t *costs)
{
    int64_t to[TP_SUM_COSTS], *present = tp_sum_present(sum, table, row);
    size_t count = tp_sum_costs(sum, table), events = tp_sum_events(sum, table);

    if (!(*present >> lane & 1)) {
        *present |= (int64_t)1 << lane;
        return tp_sum_put(sum, table, row, lane, costs);
    }
    tp_sum_get(sum, table, row, lane, to);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        size_t event = i % sum->events.count;
        if (i >= events)
            known = true; /* one by one, where they are no events */
        else if (event == 0)
            known = is_known(to + i, sum->events.count) && is_known(costs + i, sum->events.count);
        if (!known)
            to[i] = TP_NONE;
        else if (to[i] == TP_NONE)
            to[i] = costs[i];
        else if (costs[i] != TP_NONE)
            to[i] = i < events && sum->events.column[event].real ? add_real(to[i], costs[i])
                                                                 : tp_sum_counts(to[i], costs[i]);
    }
    return tp_sum_put(sum, table, row, lane, to);
}

/* ------------------------------------------------------------------------------------------ order */

static int compare_rows(const struct tp_sum *sum, int table, int64_t a, int64_t b)
{
    const struct tp_shape *shape = &sum->shape[table];
    const int64_t *x = sum->rows[table].at.at[a], *y = sum->rows[table].at.at[b];
    int order = 0;

    for (int i = 0; i < shape->fields && order == 0; i++) {
        const struct tp_field *field = &shape->field[i];
        if (field->role == TP_ROLE_KEY)
            order = tp_sum_compare_values(sum, field, x[field->at], y[field->at]);
    }
    if (order == 0 && shape->nth >= 0)
        order = x[shape->nth] < y[shape->nth] ? -1 : x[shape->nth] > y[shape->nth];
    return order;
}

int tp_sum_compare_values(const struct tp_sum *sum, const struct tp_field *field, int64_t a, int64_t b)
{
    if (a == b || a == TP_NONE || b == TP_NONE)
        return a == b ? 0 : a == TP_NONE ? 1 : -1;
    if (field->refers >= 0)
        return compare_rows(sum, field->refers, a, b);
    if (field->text)
        return strcmp(sum->texts.at.at[a], sum->texts.at.at[b]);
    return a < b ? -1 : 1;
}
