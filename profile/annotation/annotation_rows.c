/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation_rows.c: see annotation_rows.h. Each view is read once, in the order of its table. Only columns that were
 * asked for are read, and a view's joins that nobody asks for are none.
 */
#include "profile/annotation/annotation_rows.h"

#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"

/* ------------------------------------------------------------------------------------------ cells */

union tp_cell *tp_annotation_row(struct tp_annotation *a)
{
    size_t cells = (1 + a->groups) * a->terms;
    union tp_cell *cell = tp_arena_alloc(&a->arena, (cells ? cells : 1) * sizeof *cell);

    for (size_t i = 0; cell && i < cells; i++)
        cell[i].count = TP_ABSENT;
    return cell;
}

void tp_add_cell(bool real, union tp_cell *to, union tp_cell from)
{
    if (from.count == TP_ABSENT)
        return;
    if (to->count == TP_ABSENT)
        *to = from;
    else if (real)
        to->real += from.real;
    else if (__builtin_add_overflow(to->count, from.count, &to->count))
        to->count = from.count < 0 ? INT64_MIN + 1 : INT64_MAX;
}

bool tp_is_real(const struct tp_annotation *a, size_t i)
{
    return a->term[i % a->terms].event->real;
}

void tp_annotation_add(const struct tp_annotation *a, union tp_cell *to, const union tp_cell *from)
{
    for (size_t i = 0; i < (1 + a->groups) * a->terms; i++)
        tp_add_cell(tp_is_real(a, i), &to[i], from[i]);
}

bool tp_has_inclusive(const struct tp_annotation *a)
{
    for (size_t i = 0; i < a->terms; i++) {
        if (a->term[i].inclusive)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ queries */

static int annotation_rows_take_row(void *user, sqlite3_stmt *row)
{
    struct tp_reading *r = user;
    size_t terms = r->a->terms;

    r->row = row;
    uint32_t group = r->rows->group ? tp_number_at(r, r->rows->group) : 0;

    if (group > r->a->groups || (r->rows->group && !group))
        return 0;
    for (size_t i = 0; i < (1 + r->a->groups) * terms; i++)
        r->cell[i].count = r->rows->grouped && i >= terms ? 0 : TP_ABSENT;
    for (size_t i = 0; i < terms; i++) {
        union tp_cell *cell = &r->cell[group * terms + i];
        int column = r->rows->count + (int)i;
        if (sqlite3_column_type(row, column) == SQLITE_NULL)
            cell->count = TP_ABSENT;
        else if (tp_is_real(r->a, i))
            cell->real = sqlite3_column_double(row, column);
        else
            cell->count = sqlite3_column_int64(row, column);
    }
    return !r->take(r);
}

int tp_read_rows(struct tp_annotation *a, const struct tp_view_rows *rows, bool (*take)(struct tp_reading *),
                 void *user)
{
    struct tp_reading r = {.a = a, .cell = tp_annotation_row(a), .user = user, .rows = rows, .take = take};
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendf(sql, "SELECT %s", rows->columns);
    for (size_t i = 0; i < a->terms; i++) {
        bool inclusive = rows->how == TP_COLUMNS_WHOLE || (rows->how != TP_COLUMNS_PLAIN && a->term[i].inclusive);
        if (rows->how == TP_COLUMNS_NONE || (rows->how == TP_COLUMNS_BELOW && !inclusive))
            sqlite3_str_appendall(sql, ", NULL");
        else
            sqlite3_str_appendf(sql, ", %s\"%w%s\"", rows->table, a->term[i].event->name, inclusive ? "_incl" : "");
    }
    sqlite3_str_appendf(sql, " FROM %s", rows->from);
    char *text = sqlite3_str_finish(sql);
    if (r.cell)
        return tp_each(a->profile, text, annotation_rows_take_row, &r, a->err);
    sqlite3_free(text);
    return TP_NO_MEMORY(a->err);
}

const char *tp_text_at(struct tp_reading *r, int column)
{
    const char *text = tp_text_or_null(r->row, column);

    return text ? tp_arena_copy(&r->a->arena, text, strlen(text)) : NULL;
}

uint32_t tp_number_at(struct tp_reading *r, int column)
{
    int64_t value = sqlite3_column_int64(r->row, column);

    return value < 0 || value > INT32_MAX ? 0 : (uint32_t)value;
}

uint32_t tp_index_at(struct tp_reading *r, int column, const struct tp_idmap *map)
{
    int64_t id = sqlite3_column_int64(r->row, column);

    return id > 0 ? tp_idmap_find(map, (uint64_t)id) : TP_NOT_FOUND;
}

bool tp_remember(struct tp_idmap *map, int64_t id, size_t index)
{
    return id <= 0 || tp_idmap_find(map, (uint64_t)id) != TP_NOT_FOUND ||
           tp_idmap_add(map, (uint64_t)id, (uint32_t)index) == 0;
}
