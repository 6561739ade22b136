/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sheet.c: see html_sheet.h.
 *
 * Cells of a chunk are gathered first, column by column; then each column is encoded, its predictions (html_predict.h)
 * made of the cells themselves.
 */
#include "profile/html/html_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/html/html_predict.h"

struct gathered {
    double *real; /* of reals: one per row of the chunk, as they were read */
    bool inexact; /* a real that is no multiple of the unit */
    struct tp_bytes sizes, text;
};

struct writing {
    tp_profile *profile;
    struct tp_pack *pack;
    struct tp_sheet *sheet;
    struct gathered *column;
    struct tp_predictor predictor; /* has the cells */
    tp_wide *code;                 /* of the column at hand */
    struct tp_bytes bytes;
    size_t rows; /* in the chunk so far */
};

/* ------------------------------------------------------------------------------------------ gathering */

static int64_t take_real(struct writing *w, struct gathered *g, double value)
{
    double scaled = value * 65536;
    int64_t units = fabs(scaled) < 4e18 ? (int64_t)scaled : 0;

    g->real[w->rows] = value;
    g->inexact |= (double)units < scaled || (double)units > scaled;
    return units;
}

static void take_text(struct gathered *g, sqlite3_stmt *row, int at)
{
    const char *text = tp_text_or_null(row, at);
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
        struct tp_cell *cell = &w->predictor.cell[i][w->rows];
        cell->null = sqlite3_column_type(row, at) == SQLITE_NULL;
        cell->value = w->sheet->column[i].kind == TP_NUMBER ? sqlite3_column_int64(row, at)
                                                            : take_real(w, g, sqlite3_column_double(row, at));
    }
    w->rows++;
}

/* ------------------------------------------------------------------------------------------ encoding */

static tp_wide code_of(const struct tp_cell *cell, const struct tp_cell *predicted)
{
    if (cell->null)
        return predicted->null ? 0 : 1;
    if (!predicted->null && cell->value == predicted->value)
        return 0;
    int64_t d = (int64_t)((uint64_t)cell->value - (predicted->null ? 0 : (uint64_t)predicted->value));
    return (tp_wide)2 + ((uint64_t)d << 1 ^ (uint64_t)(d >> 63));
}

/* The codes of a column; those of reals that are written otherwise too, for what a prediction remembers. */
static int find_codes(struct writing *w, size_t i)
{
    for (size_t row = 0; row < w->rows; row++) {
        struct tp_cell predicted;
        if (tp_predict(&w->predictor, i, row, &predicted))
            return TP_FAIL(w->pack->err, "%s: damaged: the depth of a path", tp_path(w->profile));
        w->code[row] = code_of(&w->predictor.cell[i][row], &predicted);
    }
    return 0;
}

static bool is_there(const struct writing *w, size_t where, size_t row)
{
    const struct tp_cell *says = &w->predictor.cell[where - 1][row];

    return !says->null && says->value;
}

/* Whether the rows that would be left out are as predicted. */
static bool may_leave_out(const struct writing *w, size_t where)
{
    for (size_t row = 0; where && row < w->rows; row++) {
        if (w->code[row] && !is_there(w, where, row))
            return false;
    }
    return where;
}

static size_t bytes_of(tp_wide code)
{
    size_t bytes = 1;

    for (; code > 127; code >>= 7)
        bytes++;
    return bytes;
}

/* Rows may sum to nothing that the totals say: then a count alone is shorter than what is wrong with its prediction. */
static bool encode_plain(struct writing *w, size_t i)
{
    static const struct tp_cell zero = {0, false};
    const struct tp_cell *cell = w->predictor.cell[i];
    size_t plain = 0, predicted = 0;

    for (size_t row = 0; row < w->rows; row++) {
        plain += bytes_of(code_of(&cell[row], &zero));
        predicted += bytes_of(w->code[row]);
    }
    if (plain >= predicted)
        return false;
    tp_bytes_put(&w->bytes, "\4", 1);
    for (size_t row = 0; row < w->rows; row++)
        tp_bytes_varint(&w->bytes, code_of(&cell[row], &zero));
    return true;
}

static void encode_numbers(struct writing *w, size_t i)
{
    size_t where = w->sheet->column[i].where;

    if (w->sheet->column[i].prediction == TP_SHARE && encode_plain(w, i))
        return;
    if (!may_leave_out(w, where))
        where = 0;
    tp_bytes_put(&w->bytes, where ? "\3" : "\0", 1);
    for (size_t row = 0; row < w->rows; row++) {
        if (!where || is_there(w, where, row))
            tp_bytes_varint(&w->bytes, w->code[row]);
    }
}

static void encode_reals(struct writing *w, size_t i)
{
    tp_bytes_put(&w->bytes, "\1", 1);
    for (size_t row = 0; row < w->rows; row++) {
        double value = w->predictor.cell[i][row].null ? NAN : w->column[i].real[row];
        uint64_t bits;
        uint8_t bytes[8];

        memcpy(&bits, &value, sizeof bits);
        for (int k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(bits >> 8 * k);
        tp_bytes_put(&w->bytes, bytes, sizeof bytes);
    }
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
    if (find_codes(w, i))
        return -1;
    if (w->column[i].inexact)
        encode_reals(w, i);
    else
        encode_numbers(w, i);
    return 0;
}

/* ------------------------------------------------------------------------------------------ totals for others */

static int keep_column(struct writing *w, struct tp_kept_column *to, size_t i, size_t before)
{
    size_t rows = before + w->rows;
    int64_t *value = realloc(to->value, rows * sizeof *value + 1);
    bool *null = value ? realloc(to->null, rows * sizeof *null + 1) : NULL;

    if (value)
        to->value = value;
    if (!null)
        return -1;
    to->null = null;
    for (size_t row = 0; row < w->rows; row++) {
        const struct tp_cell *cell = &w->predictor.cell[i][row];
        to->null[before + row] = cell->null;
        to->value[before + row] = cell->null ? 0 : cell->value;
    }
    return 0;
}

static int keep_chunk(struct writing *w)
{
    struct tp_kept *keep = w->sheet->keep;
    size_t before = keep ? keep->rows : 0;

    if (keep && !keep->column) {
        keep->name = w->sheet->name;
        keep->column = calloc(w->sheet->columns, sizeof *keep->column);
    }
    if (keep && !keep->column)
        return TP_NO_MEMORY(w->pack->err);
    for (size_t i = 0, k = 0; keep && i < w->sheet->columns; i++) {
        if (w->sheet->column[i].kind == TP_TEXT)
            continue;
        keep->columns = k + 1 > keep->columns ? k + 1 : keep->columns;
        keep->column[k].name = w->sheet->column[i].name;
        if (keep_column(w, &keep->column[k++], i, before))
            return TP_NO_MEMORY(w->pack->err);
        keep->rows = before + w->rows;
    }
    return 0;
}

const struct tp_kept_column *tp_kept_find(const struct tp_kept *kept, const char *name)
{
    for (size_t i = 0; kept && i < kept->columns; i++) {
        if (strcmp(kept->column[i].name, name) == 0)
            return &kept->column[i];
    }
    return NULL;
}

void tp_kept_free(struct tp_kept *kept)
{
    for (size_t i = 0; i < kept->columns; i++) {
        free(kept->column[i].value);
        free(kept->column[i].null);
    }
    free(kept->column);
    *kept = (struct tp_kept){0};
}

/* ------------------------------------------------------------------------------------------ a chunk */

static int write_chunk(struct writing *w)
{
    struct tp_sheet *sheet = w->sheet;
    struct tp_block *block = realloc(sheet->block, (sheet->blocks + sheet->columns) * sizeof *block);

    if (!block)
        return TP_NO_MEMORY(w->pack->err);
    sheet->block = block;
    if (keep_chunk(w))
        return -1;
    tp_predict_chunk(&w->predictor, w->rows);
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
    bool ok = tp_predictor_open(&w->predictor, w->sheet) == 0;

    w->column = calloc(w->sheet->columns + 1, sizeof *w->column);
    w->code = calloc(w->sheet->chunk, sizeof *w->code);
    for (size_t i = 0; w->column && i < w->sheet->columns; i++) {
        if (w->sheet->column[i].kind == TP_REAL)
            ok &= (w->column[i].real = calloc(w->sheet->chunk, sizeof(double))) != NULL;
    }
    return ok && w->column && w->code ? 0 : TP_NO_MEMORY(w->pack->err);
}

static void free_room(struct writing *w)
{
    for (size_t i = 0; w->column && i < w->sheet->columns; i++) {
        free(w->column[i].real);
        tp_bytes_free(&w->column[i].sizes);
        tp_bytes_free(&w->column[i].text);
    }
    free(w->column);
    free(w->code);
    tp_predictor_free(&w->predictor);
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
    static const char *const words[] = {"zero",     "previous", "following", "sum",
                                        "harmonic", "below",    "share",     "like"};

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

    fprintf(out, "{\"rows\": %llu, \"chunk\": %zu, ", (unsigned long long)sheet->rows, sheet->chunk);
    if (sheet->totals && sheet->totals->name) { /* it has none if nothing was put into it */
        fputs("\"totals\": ", out);
        tp_write_json_text(out, sheet->totals->name);
        fputs(", \"key\": ", out);
        tp_write_json_text(out, sheet->column[sheet->key].name);
        fputs(", ", out);
    }
    fputs("\"columns\": [", out);
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
