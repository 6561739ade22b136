/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_predict.c: see html_predict.h. Sums of integers wrap, as the reader's do; quotients are made of doubles, whose
 * every operation has one result that C and browsers agree upon.
 */
#include "profile/html/html_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1 << 20 }; /* of a tree; recursion is folded, so real ones are far from it */

static const struct tp_cell *cell_of(const struct tp_predictor *p, size_t column, size_t row)
{
    return &p->cell[column][row];
}

static void add(struct tp_cell *sum, const struct tp_cell *c, int64_t factor)
{
    if (c->null)
        return;
    sum->value = (int64_t)((uint64_t)sum->value + (uint64_t)c->value * (uint64_t)factor);
    sum->null = false;
}

/* floor(a b / c), 0 where the reader would not have it exactly. */
static int64_t quotient(double a, double b, double c)
{
    double value = floor(a * b / c);

    return fabs(value) < 9e15 ? (int64_t)value : 0;
}

/* ------------------------------------------------------------------------------------------ of the row itself */

static struct tp_cell predict_sum(const struct tp_predictor *p, const struct tp_sheet_column *column, size_t row)
{
    struct tp_cell sum = {0, true};

    for (size_t t = 0; t < column->terms; t++)
        add(&sum, cell_of(p, column->term[t].column, row), column->term[t].factor);
    return sum;
}

static struct tp_cell predict_harmonic(const struct tp_predictor *p, const struct tp_sheet_column *column, size_t row)
{
    const struct tp_cell *of = cell_of(p, column->term[0].column, row);
    double a = (double)of->value;
    double b = (double)cell_of(p, column->term[1].column, row)->value;

    return (struct tp_cell){b > 0 ? quotient(65536000.0 * a, a, b) : 0, of->null};
}

/* ------------------------------------------------------------------------------------------ of a tree */

/* The sum that is open at this depth, up to DEEPEST; NULL without memory. */
static struct tp_cell *open_at(struct tp_predicted *own, int64_t depth)
{
    if ((size_t)depth >= own->depths) {
        size_t depths = 2 * (size_t)depth + 64;
        struct tp_cell *open = realloc(own->open, depths * sizeof *open);
        if (!open)
            return NULL;
        for (size_t i = own->depths; i < depths; i++)
            open[i] = (struct tp_cell){0, true};
        own->open = open;
        own->depths = depths;
    }
    return &own->open[depth];
}

/* And what the row itself leaves open. */
static int predict_below(struct tp_predictor *p, size_t i, size_t row, struct tp_cell *predicted)
{
    const struct tp_sheet_column *column = &p->sheet->column[i];
    struct tp_predicted *own = &p->column[i];
    int64_t depth = cell_of(p, column->term[1].column, row)->value;
    struct tp_cell *below = depth < 0 || depth >= DEEPEST ? NULL : open_at(own, depth + 1);

    if (!below)
        return -1;
    *predicted = *below;
    *below = (struct tp_cell){0, true};
    add(predicted, cell_of(p, column->term[0].column, row), 1);
    add(&own->open[depth], cell_of(p, i, row), 1);
    return 0;
}

/* ------------------------------------------------------------------------------------------ of an id */

static const struct tp_kept_column *total_of(const struct tp_predictor *p, size_t column)
{
    return tp_kept_find(p->sheet->totals, p->sheet->column[column].name);
}

static int64_t *copy_of(const struct tp_predictor *p, size_t column)
{
    size_t size = p->sheet->totals->rows * sizeof(int64_t);
    int64_t *copy = malloc(size + 1);

    if (copy)
        memcpy(copy, total_of(p, column)->value, size);
    return copy;
}

static int64_t minus(int64_t a, const struct tp_cell *b)
{
    return b->null ? a : (int64_t)((uint64_t)a - (uint64_t)b->value);
}

static void predict_share(struct tp_predictor *p, size_t i, size_t row, struct tp_cell *predicted)
{
    static const struct tp_cell one = {1, false};
    const struct tp_sheet_column *column = &p->sheet->column[i];
    const struct tp_cell *of = column->terms ? cell_of(p, column->term[0].column, row) : &one;
    struct tp_predicted *own = &p->column[i];
    uint32_t at = p->row[row];

    *predicted = (struct tp_cell){0, true};
    if (!at--)
        return;
    int64_t left = own->left[at], left_of = own->left_of[at], b = of->null ? 0 : of->value;
    predicted->null = of->null || total_of(p, i)->null[at];
    if (b == left_of)
        predicted->value = left;
    else if (left_of > 0)
        predicted->value = quotient((double)left, (double)b, (double)left_of);
    own->left[at] = minus(left, cell_of(p, i, row));
    own->left_of[at] = minus(left_of, of);
}

static struct tp_cell predict_like(struct tp_predictor *p, size_t i, size_t row)
{
    size_t base = p->sheet->column[i].term[0].column;
    const struct tp_cell *of = cell_of(p, base, row), *cell = cell_of(p, i, row);
    struct tp_cell predicted = {0, of->null};
    uint32_t at = p->row[row];

    if (!at--)
        return predicted;
    if (p->column[i].last[at]) {
        size_t before = p->column[i].last[at] - 1;
        predicted.value = of->null ? 0
                                   : quotient((double)of->value, (double)cell_of(p, i, before)->value,
                                              (double)cell_of(p, base, before)->value);
    }
    if (!cell->null && !of->null && of->value)
        p->column[i].last[at] = (uint32_t)row + 1;
    return predicted;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_predict(struct tp_predictor *p, size_t i, size_t row, struct tp_cell *predicted)
{
    const struct tp_sheet_column *column = &p->sheet->column[i];

    *predicted = (struct tp_cell){0, false};
    switch (column->prediction) {
    case TP_ZERO:
        break;
    case TP_FOLLOWING:
        if (row)
            add(predicted, cell_of(p, column->term[0].column, row - 1), 1);
        /* fall through */
    case TP_PREVIOUS:
        if (row)
            add(predicted, cell_of(p, i, row - 1), 1);
        break;
    case TP_SUM:
        *predicted = predict_sum(p, column, row);
        break;
    case TP_HARMONIC:
        *predicted = predict_harmonic(p, column, row);
        break;
    case TP_BELOW:
        return predict_below(p, i, row, predicted);
    case TP_SHARE:
        predict_share(p, i, row, predicted);
        break;
    case TP_LIKE:
        *predicted = predict_like(p, i, row);
        break;
    }
    return 0;
}

static void find_ids(struct tp_predictor *p, size_t rows)
{
    memset(p->rows, 0, p->sheet->totals->rows * sizeof *p->rows);
    for (size_t row = 0; row < rows; row++) {
        const struct tp_cell *id = cell_of(p, p->sheet->key, row);
        uint32_t at = id->null ? TP_NOT_FOUND : tp_idmap_find(&p->row_of_id, (uint64_t)id->value);
        p->row[row] = at == TP_NOT_FOUND ? 0 : at + 1;
        if (at != TP_NOT_FOUND)
            p->rows[at]++;
    }
}

void tp_predict_chunk(struct tp_predictor *p, size_t rows)
{
    const struct tp_sheet *sheet = p->sheet;

    if (!sheet->totals)
        return;
    find_ids(p, rows);
    for (size_t i = 0; i < sheet->columns; i++) {
        if (p->column[i].last)
            memset(p->column[i].last, 0, sheet->totals->rows * sizeof *p->column[i].last);
        if (p->column[i].left_of && !sheet->column[i].terms)
            memcpy(p->column[i].left_of, p->rows, sheet->totals->rows * sizeof *p->rows);
    }
}

static int open_totals(struct tp_predictor *p)
{
    const struct tp_kept *totals = p->sheet->totals;

    p->row = calloc(p->sheet->chunk, sizeof *p->row);
    p->rows = calloc(totals->rows + 1, sizeof *p->rows);
    if (!p->row || !p->rows)
        return -1;
    for (size_t i = 0; i < totals->rows; i++) {
        uint64_t id = (uint64_t)totals->column[0].value[i];
        if (id && tp_idmap_find(&p->row_of_id, id) == TP_NOT_FOUND && tp_idmap_add(&p->row_of_id, id, (uint32_t)i))
            return -1;
    }
    return 0;
}

static int open_column(struct tp_predictor *p, size_t i)
{
    const struct tp_sheet_column *column = &p->sheet->column[i];
    struct tp_predicted *own = &p->column[i];

    if (column->prediction == TP_SHARE) {
        own->left = copy_of(p, i);
        own->left_of = column->terms ? copy_of(p, column->term[0].column)
                                     : calloc(p->sheet->totals->rows + 1, sizeof *own->left_of);
        return own->left && own->left_of ? 0 : -1;
    }
    if (column->prediction == TP_LIKE)
        own->last = calloc(p->sheet->totals->rows + 1, sizeof *own->last);
    return column->prediction == TP_LIKE && !own->last ? -1 : 0;
}

int tp_predictor_open(struct tp_predictor *p, const struct tp_sheet *sheet)
{
    *p = (struct tp_predictor){.sheet = sheet};
    p->cell = calloc(sheet->columns + 1, sizeof *p->cell);
    p->column = calloc(sheet->columns + 1, sizeof *p->column);
    if (!p->cell || !p->column || (sheet->totals && open_totals(p)))
        return -1;
    for (size_t i = 0; i < sheet->columns; i++) {
        if (sheet->column[i].kind != TP_TEXT && !(p->cell[i] = calloc(sheet->chunk, sizeof *p->cell[i])))
            return -1;
        if (open_column(p, i))
            return -1;
    }
    return 0;
}

void tp_predictor_free(struct tp_predictor *p)
{
    for (size_t i = 0; p->sheet && i < p->sheet->columns; i++) {
        if (p->cell)
            free(p->cell[i]);
        if (!p->column)
            continue;
        free(p->column[i].open);
        free(p->column[i].left);
        free(p->column[i].left_of);
        free(p->column[i].last);
    }
    free(p->cell);
    free(p->column);
    free(p->row);
    free(p->rows);
    tp_idmap_free(&p->row_of_id);
}
