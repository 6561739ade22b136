/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sheet.c: see html_sheet.h.
 *
 * Cells of a chunk are gathered first, column by column; then each column is encoded. `where` is, of the columns that
 * allow it, the one that is 0 in most rows. `minus` is what makes the differences smallest in some of the rows: all of
 * them would take longer than to deflate them.
 */
#include "profile/html/html_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"

enum { TRIED_ROWS = 128 };
enum { DEEPEST = 1 << 20 }; /* row of a tree; recursion is folded, so real ones are far from it */
static const int64_t limit = (int64_t)1 << 50;

struct gathered {
    int64_t *value; /* one per row of the chunk; 0 where it is NULL. Reals: in units */
    bool *null;
    double *real; /* one per row of the chunk, as they were read */
    bool exact;   /* in `value`; so it is written as counts, and others may refer to it */
    size_t there; /* rows that are neither 0 nor NULL */
    struct tp_bytes sizes, text;
};

struct writing {
    tp_profile *profile;
    struct tp_pack *pack;
    struct tp_sheet *sheet;
    struct gathered *column;
    size_t depth;  /* the column + 1 with the depth of rows, or 0 */
    int64_t *open; /* by depth: the sum of rows that wait for the one that is above them */
    /* of the column at hand: */
    int64_t *below; /* by row of a tree, the sum of those directly below; else 0 */
    uint32_t *row;  /* the rows that are there */
    size_t count;
    struct tp_bytes bytes;
    size_t rows; /* in the chunk so far */
};

/* ------------------------------------------------------------------------------------------ gathering */

/* A cell of the chunk's next row. */
static void take_cell(struct writing *w, size_t i, sqlite3_stmt *row)
{
    struct gathered *g = &w->column[i];

    if (w->sheet->column[i].kind == TP_TEXT) {
        const char *text = tp_text_or_null(row, (int)i);
        size_t size = text ? (size_t)sqlite3_column_bytes(row, (int)i) : 0;
        tp_bytes_varint(&g->sizes, text ? size + 1 : 0);
        if (text)
            tp_bytes_put(&g->text, text, size);
        return;
    }
    bool null = sqlite3_column_type(row, (int)i) == SQLITE_NULL;
    double units = null ? 0 : sqlite3_column_double(row, (int)i);
    g->null[w->rows] = null;
    g->real[w->rows] = units;
    if (w->sheet->column[i].kind == TP_REAL)
        units *= 65536;
    bool fits = units >= -(double)limit && units < (double)limit;
    int64_t value = fits ? (int64_t)units : 0;
    bool whole = fits && !((double)value < units) && !((double)value > units);
    g->exact &= whole;
    g->value[w->rows] = whole ? value : 0;
    g->there += g->value[w->rows] != 0;
}

/* ------------------------------------------------------------------------------------------ encoding */

static bool refers(const struct writing *w, size_t to)
{
    return w->sheet->column[to].kind != TP_TEXT && w->column[to].exact;
}

/* Whether a column is 0 or NULL in every row in which this one is, as that one is. */
static bool may_leave_out(const struct writing *w, const struct gathered *g, const struct gathered *where)
{
    for (size_t row = 0; row < w->rows; row++) {
        if (!where->value[row] && (g->value[row] || g->null[row] != where->null[row]))
            return false;
    }
    return true;
}

/* The column + 1, or 0; and the rows that are there. */
static size_t choose_where(struct writing *w, size_t i)
{
    size_t where = 0, count = w->rows;

    for (size_t to = 0; to < i; to++) {
        if (refers(w, to) && w->column[to].there < count && w->column[to].there >= w->column[i].there &&
            may_leave_out(w, &w->column[i], &w->column[to])) {
            where = to + 1;
            count = w->column[to].there;
        }
    }
    w->count = 0;
    for (uint32_t row = 0; row < w->rows; row++) {
        if (!where || w->column[where - 1].value[row])
            w->row[w->count++] = row;
    }
    return where;
}

/* Of the k-th row that is there. */
static uint64_t code_of(const struct writing *w, size_t i, size_t minus, size_t k)
{
    const struct gathered *g = &w->column[i];
    uint32_t row = w->row[k];
    int64_t base = minus > 1 ? w->column[minus - 2].value[row] : minus && k ? g->value[w->row[k - 1]] : 0;
    int64_t d = g->value[row] - base - w->below[row];

    return g->null[row] ? 0 : 1 + ((uint64_t)d << 1 ^ (uint64_t)(d >> 63));
}

/* In eighths of a byte, more or less: deflate makes little of what is often the same. */
static uint64_t cost_of(const struct writing *w, size_t i, size_t minus)
{
    uint64_t cost = 0;

    for (size_t k = 0; k < w->count; k += 1 + w->count / TRIED_ROWS) {
        uint64_t code = code_of(w, i, minus, k);
        cost++;
        for (; code > 1; code >>= 7)
            cost += 7;
    }
    return cost;
}

static size_t choose_minus(const struct writing *w, size_t i, uint64_t *least)
{
    size_t minus = 0;

    *least = cost_of(w, i, 0);
    for (size_t m = 1; m < i + 2; m++) {
        uint64_t cost = m == 1 || refers(w, m - 2) ? cost_of(w, i, m) : *least;
        if (cost < *least) {
            *least = cost;
            minus = m;
        }
    }
    return minus;
}

/* Sums of the rows directly below; none where they are too large. */
static int sum_below(struct writing *w, const struct gathered *g)
{
    const struct gathered *depth = &w->column[w->depth - 1];
    bool small = true;

    for (size_t row = 0; row < w->rows; row++) {
        if (!depth->exact || depth->value[row] < 0 || depth->value[row] >= DEEPEST)
            return TP_FAIL(w->pack->err, "%s: damaged: the depth of a path", tp_path(w->profile));
        w->open[depth->value[row]] = w->open[depth->value[row] + 1] = 0;
    }
    for (size_t row = 0; row < w->rows; row++) {
        int64_t *open = &w->open[depth->value[row]];
        w->below[row] = open[1];
        open[1] = 0;
        open[0] += g->value[row];
        small &= open[0] > -2 * limit && open[0] < 2 * limit;
    }
    if (!small)
        memset(w->below, 0, w->rows * sizeof *w->below);
    return 0;
}

static int encode_counts(struct writing *w, size_t i)
{
    uint64_t least, least_of_tree;
    size_t where = choose_where(w, i), minus = choose_minus(w, i, &least);

    if (w->depth && i >= w->depth) {
        if (sum_below(w, &w->column[i]))
            return -1;
        size_t minus_of_tree = choose_minus(w, i, &least_of_tree);
        if (least_of_tree < least) {
            minus = minus_of_tree;
            tp_bytes_put(&w->bytes, "\3", 1);
            tp_bytes_varint(&w->bytes, w->depth - 1);
        } else
            memset(w->below, 0, w->rows * sizeof *w->below);
    }
    if (!w->bytes.count)
        tp_bytes_put(&w->bytes, "\0", 1);
    tp_bytes_varint(&w->bytes, minus);
    tp_bytes_varint(&w->bytes, where);
    for (size_t k = 0; k < w->count; k++)
        tp_bytes_varint(&w->bytes, code_of(w, i, minus, k));
    memset(w->below, 0, w->rows * sizeof *w->below);
    return 0;
}

static void encode_doubles(struct writing *w, const struct gathered *g)
{
    tp_bytes_put(&w->bytes, "\1", 1);
    for (size_t row = 0; row < w->rows; row++) {
        double value = g->null[row] ? NAN : g->real[row];
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

static int write_chunk(struct writing *w)
{
    struct tp_sheet *sheet = w->sheet;
    struct tp_block *block = realloc(sheet->block, (sheet->blocks + sheet->columns) * sizeof *block);

    if (!block)
        return TP_NO_MEMORY(w->pack->err);
    sheet->block = block;
    for (size_t i = 0; i < sheet->columns; i++) {
        int failed = 0;
        if (sheet->column[i].kind == TP_TEXT)
            encode_texts(w, &w->column[i]);
        else if (w->column[i].exact)
            failed = encode_counts(w, i);
        else
            encode_doubles(w, &w->column[i]);
        if (failed || tp_pack_block(w->pack, &w->bytes, &sheet->block[sheet->blocks++]))
            return -1;
    }
    for (size_t i = 0; i < sheet->columns; i++) {
        w->column[i].exact = true;
        w->column[i].there = 0;
    }
    sheet->rows += w->rows;
    w->rows = 0;
    return 0;
}

/* ------------------------------------------------------------------------------------------ a sheet */

/* Most sheets are shorter than a chunk: only what must be zero is touched here. */
static int make_room(struct writing *w)
{
    size_t rows = w->sheet->chunk;
    bool ok = (w->row = malloc(rows * sizeof *w->row)) && (w->below = calloc(rows, sizeof *w->below)) &&
              (w->column = calloc(w->sheet->columns + 1, sizeof *w->column));

    for (size_t i = 0; ok && i < w->sheet->columns; i++) {
        struct gathered *g = &w->column[i];
        g->exact = true;
        if (w->sheet->column[i].depth) {
            w->depth = i + 1;
            ok = (w->open = calloc(DEEPEST + 1, sizeof *w->open));
        }
        if (w->sheet->column[i].kind != TP_TEXT)
            ok = ok && (g->value = malloc(rows * sizeof *g->value)) &&
                 (g->null = malloc(rows * sizeof *g->null)) && (g->real = malloc(rows * sizeof *g->real));
    }
    return ok ? 0 : TP_NO_MEMORY(w->pack->err);
}

int tp_sheet_write(tp_profile *profile, struct tp_pack *pack, struct tp_sheet *sheet, char *sql)
{
    struct writing w = {.profile = profile, .pack = pack, .sheet = sheet};
    sqlite3_stmt *statement = tp_query(profile, sql, pack->err);

    for (size_t i = 0; statement && i < sheet->columns; i++) {
        const char *declared = sqlite3_column_decltype(statement, (int)i);
        if (declared && strcmp(declared, "TEXT") == 0)
            sheet->column[i].kind = TP_TEXT;
    }
    int more = statement ? make_room(&w) : -1;
    while (more == 0 && (more = tp_row(profile, statement, pack->err)) == 1) {
        for (size_t i = 0; i < sheet->columns; i++)
            take_cell(&w, i, statement);
        w.rows++;
        more = w.rows == sheet->chunk ? write_chunk(&w) : 0;
    }
    if (more == 0 && w.rows)
        more = write_chunk(&w);
    sqlite3_finalize(statement);
    for (size_t i = 0; w.column && i < sheet->columns; i++) {
        free(w.column[i].value);
        free(w.column[i].null);
        free(w.column[i].real);
        tp_bytes_free(&w.column[i].sizes);
        tp_bytes_free(&w.column[i].text);
    }
    free(w.column);
    free(w.row);
    free(w.below);
    free(w.open);
    tp_bytes_free(&w.bytes);
    return more;
}

void tp_sheet_describe(const struct tp_sheet *sheet, FILE *out)
{
    static const char *const kinds[] = {"number", "real", "text"};

    fprintf(out, "{\"rows\": %llu, \"chunk\": %zu, \"columns\": [", (unsigned long long)sheet->rows,
            sheet->chunk);
    for (size_t i = 0; i < sheet->columns; i++) {
        fputs(i ? ",\n{\"name\": " : "\n{\"name\": ", out);
        tp_write_json_text(out, sheet->column[i].name);
        fprintf(out, ", \"kind\": \"%s\", \"blocks\": [", kinds[sheet->column[i].kind]);
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
