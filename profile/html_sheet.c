/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sheet.c: see html_sheet.h.
 *
 * Cells of a chunk are gathered first, column by column; then each column is encoded, its predictions made of the
 * cells themselves. Of a tree's inclusive columns only what is still open at each depth is remembered, from chunk
 * to chunk.
 */
#include "profile/html_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/error.h"

enum { DEEPEST = 1 << 20 }; /* of a tree; recursion is folded, so real ones are far from it */

struct cell {
    int64_t value;
    bool null;
};

struct gathered {
    struct cell *cell;     /* of numbers: one per row of the chunk */
    double *real;          /* of reals: the same, as they were read */
    bool inexact;          /* a real that is no multiple of the unit */
    struct tp_bytes sizes, text;
    struct cell *open;     /* TP_BELOW: sums of what is below, by depth */
    size_t depths;
};

struct writing {
    tp_profile *profile;
    struct tp_pack *pack;
    struct tp_sheet *sheet;
    struct gathered *column;
    struct tp_bytes bytes;
    size_t rows; /* in the chunk so far */
};

/* ------------------------------------------------------------------------------------------ gathering */

static void take_real(struct writing *w, struct gathered *g, double value)
{
    double scaled = value * 65536;

    g->real[w->rows] = value;
    g->cell[w->rows].value = fabs(scaled) < 4e18 ? (int64_t)scaled : 0;
    double kept = (double)g->cell[w->rows].value;
    g->inexact |= kept < scaled || kept > scaled;
}

static void take_text(struct gathered *g, sqlite3_stmt *row, int at)
{
    const void *text = sqlite3_column_text(row, at);
    size_t size = text ? (size_t)sqlite3_column_bytes(row, at) : 0;

    tp_bytes_varint(&g->sizes, text ? size + 1 : 0);
    if (text)
        tp_bytes_put(&g->text, text, size);
}

static void take_row(struct writing *w, sqlite3_stmt *row)
{
    for (size_t i = 0; i < w->sheet->columns; i++) {
        struct gathered *g = &w->column[i];
        int at = (int)i;

        if (w->sheet->column[i].kind == TP_TEXT) {
            take_text(g, row, at);
            continue;
        }
        g->cell[w->rows] = (struct cell){0, sqlite3_column_type(row, at) == SQLITE_NULL};
        if (w->sheet->column[i].kind == TP_NUMBER)
            g->cell[w->rows].value = sqlite3_column_int64(row, at);
        else
            take_real(w, g, sqlite3_column_double(row, at));
    }
    w->rows++;
}

/* ------------------------------------------------------------------------------------------ predictions */

static const struct cell *cell_of(const struct writing *w, size_t column, size_t row)
{
    return &w->column[column].cell[row];
}

/* Sums wrap: the reader's do as well. */
static void add(struct cell *sum, const struct cell *c, int64_t factor)
{
    if (c->null)
        return;
    sum->value = (int64_t)((uint64_t)sum->value + (uint64_t)c->value * (uint64_t)factor);
    sum->null = false;
}

static struct cell predict_sum(const struct writing *w, const struct tp_sheet_column *column, size_t row)
{
    struct cell sum = {0, true};

    for (size_t t = 0; t < column->terms; t++)
        add(&sum, cell_of(w, column->term[t].column, row), column->term[t].factor);
    return sum;
}

static struct cell predict_harmonic(const struct writing *w, const struct tp_sheet_column *column, size_t row)
{
    const struct cell *of = cell_of(w, column->term[0].column, row);
    double a = (double)of->value;
    double b = (double)cell_of(w, column->term[1].column, row)->value;
    double value = b > 0 ? floor(65536000.0 * a * a / b) : 0;

    return (struct cell){value < 9e15 ? (int64_t)value : 0, of->null};
}

/* The sum that is open at this depth; NULL without memory. */
static struct cell *open_at(struct gathered *g, int64_t depth)
{
    if (depth < 0 || depth > DEEPEST)
        return NULL;
    if ((size_t)depth >= g->depths) {
        size_t depths = 2 * (size_t)depth + 64;
        struct cell *open = realloc(g->open, depths * sizeof *open);
        if (!open)
            return NULL;
        for (size_t i = g->depths; i < depths; i++)
            open[i] = (struct cell){0, true};
        g->open = open;
        g->depths = depths;
    }
    return &g->open[depth];
}

/* And what the row itself leaves open. -1 without memory, or a depth that cannot be. */
static int predict_below(struct writing *w, size_t i, size_t row, struct cell *predicted)
{
    const struct tp_sheet_column *column = &w->sheet->column[i];
    struct gathered *g = &w->column[i];
    int64_t depth = cell_of(w, column->term[1].column, row)->value;
    struct cell *below = depth < 0 ? NULL : open_at(g, depth + 1);

    if (!below)
        return -1;
    *predicted = *below;
    *below = (struct cell){0, true};
    add(predicted, cell_of(w, column->term[0].column, row), 1);
    add(&g->open[depth], &g->cell[row], 1);
    return 0;
}

static int predict(struct writing *w, size_t i, size_t row, struct cell *predicted)
{
    const struct tp_sheet_column *column = &w->sheet->column[i];

    *predicted = (struct cell){0, false};
    if (column->prediction == TP_PREVIOUS && row)
        add(predicted, cell_of(w, i, row - 1), 1);
    else if (column->prediction == TP_FOLLOWING && row) {
        add(predicted, cell_of(w, i, row - 1), 1);
        add(predicted, cell_of(w, column->term[0].column, row - 1), 1);
    }
    if (column->prediction == TP_SUM)
        *predicted = predict_sum(w, column, row);
    else if (column->prediction == TP_HARMONIC)
        *predicted = predict_harmonic(w, column, row);
    else if (column->prediction == TP_BELOW)
        return predict_below(w, i, row, predicted);
    return 0;
}

/* ------------------------------------------------------------------------------------------ encoding */

static tp_wide code_of(const struct cell *cell, const struct cell *predicted)
{
    if (cell->null)
        return predicted->null ? 0 : 1;
    if (!predicted->null && cell->value == predicted->value)
        return 0;
    int64_t d = (int64_t)((uint64_t)cell->value - (predicted->null ? 0 : (uint64_t)predicted->value));
    return (tp_wide)2 + ((uint64_t)d << 1 ^ (uint64_t)(d >> 63));
}

static int bad_depth(struct writing *w)
{
    return TP_FAIL(w->pack->err, "%s: damaged: the depth of a path", tp_path(w->profile));
}

static int encode_all(struct writing *w, size_t i)
{
    tp_bytes_put(&w->bytes, "\0", 1);
    for (size_t row = 0; row < w->rows; row++) {
        struct cell predicted;
        if (predict(w, i, row, &predicted))
            return bad_depth(w);
        tp_bytes_varint(&w->bytes, code_of(cell_of(w, i, row), &predicted));
    }
    return 0;
}

/* False, with nothing written, if a row that would be left out is not as predicted. */
static bool encode_some(struct writing *w, size_t i)
{
    size_t where = w->sheet->column[i].where;

    tp_bytes_put(&w->bytes, "\3", 1);
    for (size_t row = 0; where && row < w->rows; row++) {
        struct cell predicted;
        predict(w, i, row, &predicted); /* fails for TP_BELOW alone, which has no `where` */
        tp_wide code = code_of(cell_of(w, i, row), &predicted);
        const struct cell *says = cell_of(w, where - 1, row);
        if (!says->null && says->value)
            tp_bytes_varint(&w->bytes, code);
        else if (code)
            where = 0;
    }
    if (!where)
        w->bytes.count = 0;
    return where;
}

static int encode_numbers(struct writing *w, size_t i)
{
    return encode_some(w, i) ? 0 : encode_all(w, i);
}

static int encode_reals(struct writing *w, size_t i)
{
    tp_bytes_put(&w->bytes, "\1", 1);
    for (size_t row = 0; row < w->rows; row++) {
        double value = w->column[i].cell[row].null ? NAN : w->column[i].real[row];
        struct cell predicted; /* only for what it leaves open */
        uint64_t bits;
        uint8_t bytes[8];

        if (predict(w, i, row, &predicted))
            return bad_depth(w);
        memcpy(&bits, &value, sizeof bits);
        for (int k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(bits >> 8 * k);
        tp_bytes_put(&w->bytes, bytes, sizeof bytes);
    }
    return 0;
}

static void encode_texts(struct writing *w, struct gathered *g)
{
    tp_bytes_put(&w->bytes, "\2", 1);
    tp_bytes_put(&w->bytes, g->sizes.at, g->sizes.count);
    tp_bytes_put(&w->bytes, g->text.at, g->text.count);
    w->bytes.failed |= g->sizes.failed || g->text.failed;
    g->sizes.count = g->text.count = 0;
}

static int encode(struct writing *w, size_t i)
{
    if (w->sheet->column[i].kind == TP_TEXT) {
        encode_texts(w, &w->column[i]);
        return 0;
    }
    return w->column[i].inexact ? encode_reals(w, i) : encode_numbers(w, i);
}

static int write_chunk(struct writing *w)
{
    struct tp_sheet *sheet = w->sheet;
    struct tp_block *block = realloc(sheet->block, (sheet->blocks + sheet->columns) * sizeof *block);

    if (!block)
        return TP_NO_MEMORY(w->pack->err);
    sheet->block = block;
    for (size_t i = 0; i < sheet->columns; i++) {
        if (encode(w, i) || tp_pack_block(w->pack, &w->bytes, &sheet->block[sheet->blocks++]))
            return -1;
        w->column[i].inexact = false;
    }
    sheet->rows += w->rows;
    w->rows = 0;
    return 0;
}

/* ------------------------------------------------------------------------------------------ a sheet */

static int make_room(struct writing *w)
{
    w->column = calloc(w->sheet->columns + 1, sizeof *w->column);
    for (size_t i = 0; w->column && i < w->sheet->columns; i++) {
        struct gathered *g = &w->column[i];
        if (w->sheet->column[i].kind == TP_TEXT)
            continue;
        g->cell = calloc(w->sheet->chunk, sizeof *g->cell);
        g->real = calloc(w->sheet->chunk, sizeof *g->real);
        if (!g->cell || !g->real)
            return TP_NO_MEMORY(w->pack->err);
    }
    return w->column ? 0 : TP_NO_MEMORY(w->pack->err);
}

static void free_room(struct writing *w)
{
    for (size_t i = 0; w->column && i < w->sheet->columns; i++) {
        free(w->column[i].cell);
        free(w->column[i].real);
        free(w->column[i].open);
        tp_bytes_free(&w->column[i].sizes);
        tp_bytes_free(&w->column[i].text);
    }
    free(w->column);
    tp_bytes_free(&w->bytes);
}

int tp_sheet_write(tp_profile *profile, struct tp_pack *pack, struct tp_sheet *sheet, char *sql)
{
    struct writing w = {.profile = profile, .pack = pack, .sheet = sheet};
    sqlite3_stmt *statement = tp_query(profile, sql, pack->err);
    int more = statement ? make_room(&w) : -1;

    while (more == 0 && (more = tp_row(profile, statement, pack->err)) == 1) {
        take_row(&w, statement);
        more = w.rows == sheet->chunk ? write_chunk(&w) : 0;
        if (!more)
            continue;
        break;
    }
    if (more == 0 && w.rows)
        more = write_chunk(&w);
    sqlite3_finalize(statement);
    free_room(&w);
    return more;
}

static void describe_prediction(const struct tp_sheet *sheet, const struct tp_sheet_column *column, FILE *out)
{
    static const char *const words[] = {"zero", "previous", "following", "sum", "harmonic", "below"};

    if (column->prediction == TP_ZERO)
        return;
    fprintf(out, ", \"from\": \"%s\", \"terms\": [", words[column->prediction]);
    for (size_t t = 0; t < column->terms; t++) {
        fputs(t ? ", [" : "[", out);
        tp_write_json_text(out, sheet->column[column->term[t].column].name);
        fprintf(out, ", %lld]", (long long)column->term[t].factor);
    }
    putc(']', out);
}

void tp_sheet_describe(const struct tp_sheet *sheet, FILE *out)
{
    static const char *const kinds[] = {"number", "real", "text"};

    fprintf(out, "{\"rows\": %llu, \"chunk\": %zu, \"columns\": [", (unsigned long long)sheet->rows, sheet->chunk);
    for (size_t i = 0; i < sheet->columns; i++) {
        fputs(i ? ",\n{\"name\": " : "\n{\"name\": ", out);
        tp_write_json_text(out, sheet->column[i].name);
        fprintf(out, ", \"kind\": \"%s\"", kinds[sheet->column[i].kind]);
        describe_prediction(sheet, &sheet->column[i], out);
        if (sheet->column[i].where) {
            fputs(", \"where\": ", out);
            tp_write_json_text(out, sheet->column[sheet->column[i].where - 1].name);
        }
        fputs(", \"blocks\": [", out);
        for (size_t k = i; k < sheet->blocks; k += sheet->columns)
            fprintf(out, "%s%llu, %llu", k == i ? "" : ", ", (unsigned long long)sheet->block[k].at,
                    (unsigned long long)sheet->block[k].length);
        fputs("]}", out);
    }
    fputs("]}", out);
}

void tp_sheet_free(struct tp_sheet *sheet)
{
    free(sheet->block);
    sheet->block = NULL;
    sheet->blocks = 0;
}
