/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c: see table.h. Cells are kept as values; text is made when a table is printed, once to measure and
 * once to write.
 */
#include "cli/table.h"

#include "cli/term.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 128, NAME_MIN = 16 };

struct column {
    enum table_kind kind;
    char *title, *key;
    int group, width;
    bool hidden, dropped;
};

struct cell {
    char *text;
    double number;
    int64_t count;
    int indent;
    bool null, is_count;
};

struct table {
    struct column column[MAX_COLUMNS];
    size_t columns;
    struct cell *cell;
    size_t cells, room;
};

static void *check(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

struct table *table_new(void)
{
    return check(calloc(1, sizeof(struct table)));
}

void table_free(struct table *table)
{
    size_t i;

    for (i = 0; i < table->columns; i++) {
        free(table->column[i].title);
        free(table->column[i].key);
    }
    for (i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    free(table->cell);
    free(table);
}

void table_column(struct table *table, enum table_kind kind, const char *title, const char *key, int group)
{
    struct column *column;

    if (table->columns == MAX_COLUMNS)
        abort();
    column = &table->column[table->columns++];
    column->kind = kind;
    column->title = check(strdup(title != NULL ? title : ""));
    column->hidden = title == NULL;
    column->key = key != NULL ? check(strdup(key)) : NULL;
    column->group = group;
}

static struct cell *next_cell(struct table *table)
{
    if (table->cells == table->room) {
        table->room = table->room * 2 + 256;
        table->cell = check(realloc(table->cell, table->room * sizeof *table->cell));
    }
    memset(&table->cell[table->cells], 0, sizeof *table->cell);
    return &table->cell[table->cells++];
}

void table_text(struct table *table, const char *value)
{
    next_cell(table)->text = check(strdup(value));
}

void table_number(struct table *table, double value)
{
    next_cell(table)->number = value;
}

void table_count(struct table *table, int64_t value)
{
    struct cell *cell = next_cell(table);

    cell->count = value;
    cell->number = (double)value;
    cell->is_count = true;
}

void table_null(struct table *table)
{
    next_cell(table)->null = true;
}

void table_indent(struct table *table, int columns)
{
    table->cell[table->cells - 1].indent = columns;
}

size_t table_rows(const struct table *table)
{
    return table->columns == 0 ? 0 : table->cells / table->columns;
}

/* ------------------------------------------------------------------------------------------ text */

static const char *show(const struct table *table, size_t row, size_t i, char *out, size_t size)
{
    const struct cell *cell = &table->cell[row * table->columns + i];

    if (cell->null)
        return ".";
    switch (table->column[i].kind) {
    case TABLE_TEXT:
        term_escape(out, size, cell->text);
        break;
    case TABLE_COUNT:
        term_number(out, cell->is_count ? cell->count : (int64_t)cell->number);
        break;
    case TABLE_REAL:
        term_real(out, cell->number);
        break;
    case TABLE_PERCENT:
        snprintf(out, size, "%.1f", cell->number);
        break;
    case TABLE_RATE:
        snprintf(out, size, "%.2f", cell->number);
        break;
    }
    return out;
}

static void measure(struct table *table)
{
    char text[4096];
    size_t row, i;

    for (i = 0; i < table->columns; i++) {
        struct column *column = &table->column[i];

        column->dropped = column->hidden;
        if (column->hidden)
            continue;
        column->width = term_columns(column->title);
        for (row = 0; row < table_rows(table); row++) {
            int width = term_columns(show(table, row, i, text, sizeof text)) +
                        table->cell[row * table->columns + i].indent;

            if (width > column->width)
                column->width = width;
        }
    }
}

/* Columns of all but the last, which is the name. */
static int width_before(const struct table *table)
{
    int width = 2;
    size_t i;

    for (i = 0; i + 1 < table->columns; i++) {
        if (!table->column[i].dropped)
            width += table->column[i].width + (i > 0 && table->column[i].kind == TABLE_PERCENT ? 1 : 2);
    }
    return width;
}

/* Leaves out the group with the highest number that is still there; false if none may go. */
static bool drop_group(struct table *table)
{
    int group = 0;
    size_t i;

    for (i = 0; i < table->columns; i++) {
        if (!table->column[i].dropped && table->column[i].group > group)
            group = table->column[i].group;
    }
    for (i = 0; i < table->columns; i++) {
        if (group != 0 && table->column[i].group == group)
            table->column[i].dropped = true;
    }
    return group != 0;
}

static void print_cell(FILE *out, const struct column *column, const char *text, bool first, bool last)
{
    int fill = column->width - term_columns(text);

    if (!first)
        fputs(column->kind == TABLE_PERCENT ? " " : "  ", out);
    if (column->kind != TABLE_TEXT)
        fprintf(out, "%*s", fill, "");
    fputs(text, out);
    if (column->kind == TABLE_TEXT && !last)
        fprintf(out, "%*s", fill, "");
}

/* The last column's text, cut to what is left of the line. */
static void print_name(FILE *out, const char *text, int indent, int room, bool first)
{
    char cut[4096];

    fprintf(out, "%*s%s%s%s\n", indent + (first ? 0 : 2), "", term_style(out, TERM_NAME),
            term_fit(cut, sizeof cut, text, room - indent, false), term_style(out, TERM_PLAIN));
}

static void print_headings(const struct table *table, FILE *out)
{
    size_t i;
    bool first = true;

    fprintf(out, "%s  ", term_style(out, TERM_BOLD));
    for (i = 0; i + 1 < table->columns; i++) {
        if (table->column[i].dropped)
            continue;
        print_cell(out, &table->column[i], table->column[i].title, first, false);
        first = false;
    }
    print_cell(out, &table->column[i], table->column[i].title, first, true);
    fprintf(out, "%s\n", term_style(out, TERM_PLAIN));
}

/* One line, cut like any other. */
static void print_dropped(const struct table *table, FILE *out, int width)
{
    char text[1024] = "", cut[1100];
    size_t at = 0, i;

    for (i = 0; i < table->columns && at + 64 < sizeof text; i++) {
        if (table->column[i].dropped && !table->column[i].hidden && table->column[i].kind != TABLE_PERCENT)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s %.48s", at ? "," : "no room for",
                                   table->column[i].title);
    }
    if (at > 0)
        fprintf(out, "  %s%s%s\n", term_style(out, TERM_DIM),
                term_fit(cut, sizeof cut, text, width - 3, false), term_style(out, TERM_PLAIN));
}

void table_print(struct table *table, FILE *out, bool may_drop)
{
    int width = term_width(out), room, least = width / 5 > NAME_MIN ? width / 5 : NAME_MIN;
    size_t row, i;
    char text[4096];

    measure(table);
    while (may_drop && width_before(table) + 1 + least > width && drop_group(table)) {
    }
    room = term_cuts(out) ? width - width_before(table) - 1 : INT_MAX;
    if (room < least)
        room = least;
    print_headings(table, out);
    for (row = 0; row < table_rows(table); row++) {
        bool first = true;

        fputs("  ", out);
        for (i = 0; i + 1 < table->columns; i++) {
            if (table->column[i].dropped)
                continue;
            print_cell(out, &table->column[i], show(table, row, i, text, sizeof text), first, false);
            first = false;
        }
        if (table->column[i].kind == TABLE_TEXT) {
            print_name(out, show(table, row, i, text, sizeof text),
                       table->cell[row * table->columns + i].indent, room, first);
        } else {
            print_cell(out, &table->column[i], show(table, row, i, text, sizeof text), first, true);
            fputc('\n', out);
        }
    }
    print_dropped(table, out, width);
}

/* ------------------------------------------------------------------------------------------ for scripts */

static void write_number(FILE *out, const struct cell *cell)
{
    if (cell->is_count)
        fprintf(out, "%" PRId64, cell->count);
    else
        fprintf(out, "%.10g", cell->number);
}

void table_json(const struct table *table, FILE *out)
{
    size_t row, i;

    fputc('[', out);
    for (row = 0; row < table_rows(table); row++) {
        const char *comma = "";

        fputs(row ? ",\n  {" : "\n  {", out);
        for (i = 0; i < table->columns; i++) {
            const struct cell *cell = &table->cell[row * table->columns + i];

            if (table->column[i].key == NULL)
                continue;
            fputs(comma, out);
            comma = ", ";
            term_json(out, table->column[i].key);
            fputs(": ", out);
            if (cell->null)
                fputs("null", out);
            else if (cell->text != NULL)
                term_json(out, cell->text);
            else
                write_number(out, cell);
        }
        fputc('}', out);
    }
    fputs(table_rows(table) ? "\n]" : "]", out);
}

/* RFC 4180: quotes where a separator, a quote or a line's end is inside. */
static void write_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void table_csv(const struct table *table, FILE *out)
{
    size_t row, i;

    for (i = 0; i < table->columns; i++) {
        fputs(i ? "," : "", out);
        write_field(out, table->column[i].key);
    }
    fputs("\r\n", out);
    for (row = 0; row < table_rows(table); row++) {
        for (i = 0; i < table->columns; i++) {
            const struct cell *cell = &table->cell[row * table->columns + i];

            fputs(i ? "," : "", out);
            if (cell->text != NULL)
                write_field(out, cell->text);
            else if (!cell->null)
                write_number(out, cell);
        }
        fputs("\r\n", out);
    }
}
