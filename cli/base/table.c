/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c: see table.h. Cells are kept as values; text is made when a table is printed, once to measure and
 * once to write.
 */
#include "cli/base/table.h"

#include "cli/base/term.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MIN = 16, TAIL_MIN = 16, LINES_OF_HEADING = 2 };

struct column {
    enum table_kind kind;
    char *title, *alone, *key; /* alone: the title without the column before; NULL: the same */
    int group, width, most;    /* of the cells; what a text has at most, 0: all that it needs */
    bool hidden, dropped;
};

struct cell {
    char *text, *tail;
    double number;
    int64_t count;
    int indent;
    bool null, is_count;
};

struct table {
    struct column *column;
    struct cell *cell;
    size_t columns, cells, room;
};

static void *check(void *memory)
{
    if (memory == NULL)
        term_no_memory();
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
        free(table->column[i].alone);
        free(table->column[i].key);
    }
    for (i = 0; i < table->cells; i++) {
        free(table->cell[i].text);
        free(table->cell[i].tail);
    }
    free(table->column);
    free(table->cell);
    free(table);
}

void table_column(struct table *table, enum table_kind kind, const char *title, const char *key, int group)
{
    struct column *column;

    table->column = check(realloc(table->column, (table->columns + 1) * sizeof *table->column));
    column = &table->column[table->columns++];
    *column = (struct column){.kind = kind, .hidden = title == NULL, .group = group};
    column->title = check(strdup(title != NULL ? title : ""));
    column->key = key != NULL ? check(strdup(key)) : NULL;
}

void table_kind(struct table *table, size_t column, enum table_kind kind)
{
    table->column[column].kind = kind;
}

void table_heading_alone(struct table *table, const char *title)
{
    table->column[table->columns - 1].alone = check(strdup(title));
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
    struct cell *cell = next_cell(table);

    cell->null = value == NULL;
    cell->text = value != NULL ? check(strdup(value)) : NULL;
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

void table_tail(struct table *table, const char *text)
{
    free(table->cell[table->cells - 1].tail);
    table->cell[table->cells - 1].tail = check(strdup(text));
}

size_t table_rows(const struct table *table)
{
    return table->columns == 0 ? 0 : table->cells / table->columns;
}

/* ------------------------------------------------------------------------------------------ text */

static void show_count(const struct cell *cell, char *out, size_t size)
{
    if (cell->is_count)
        term_number(out, cell->count);
    else if (fabs(cell->number) < 9e18 && cell->number == trunc(cell->number))
        term_number(out, (int64_t)cell->number);
    else
        snprintf(out, size, "%.2f", cell->number);
}

static const char *show(const struct table *table, size_t row, size_t i, char *out, size_t size)
{
    const struct cell *cell = &table->cell[row * table->columns + i];

    if (cell->null)
        return ".";
    if (cell->text != NULL) {
        term_escape(out, size, cell->text);
        return out;
    }
    switch (table->column[i].kind) {
    case TABLE_CHANGE:
        *out = '+';
        show_count(cell, cell->number > 0 ? out + 1 : out, size - 1);
        break;
    case TABLE_CHANGE_PERCENT:
        snprintf(out, size, "%+.1f", cell->number);
        break;
    case TABLE_REAL:
        term_real(out, cell->number);
        break;
    case TABLE_PERCENT:
        snprintf(out, size, "%.1f", cell->number);
        break;
    case TABLE_TEXT:
    case TABLE_COUNT:
        show_count(cell, out, size);
        break;
    case TABLE_RATE:
        snprintf(out, size, "%.2f", cell->number);
        break;
    }
    return out;
}

/* The column whose percentage this is, or that is dropped before it: its neighbour. */
static bool is_alone(const struct table *table, size_t i)
{
    return table->column[i].alone != NULL && i > 0 && table->column[i - 1].dropped;
}

/* Line 0 or 1 of a heading. A heading of one line is on the lower one. */
static const char *heading(const struct table *table, size_t i, int line, char *out, size_t size)
{
    const char *title = is_alone(table, i) ? table->column[i].alone : table->column[i].title;
    const char *second = strchr(title, '\n');

    if (line == 1)
        snprintf(out, size, "%s", second != NULL ? second + 1 : title);
    else
        snprintf(out, size, "%.*s", second != NULL ? (int)(second - title) : 0, title);
    return out;
}

static int column_width(const struct table *table, size_t i)
{
    int width = table->column[i].width, most = table->column[i].most, line;
    char text[256];

    if (most > 0 && width > most)
        width = most;

    for (line = 0; line < LINES_OF_HEADING; line++) {
        int columns = term_columns(heading(table, i, line, text, sizeof text));

        width = columns > width ? columns : width;
    }
    return width;
}

/* A percentage stands close to its value. */
static int gap_before(const struct table *table, size_t i)
{
    bool percent = table->column[i].kind == TABLE_PERCENT || table->column[i].kind == TABLE_CHANGE_PERCENT;

    return percent && !is_alone(table, i) ? 1 : 2;
}

static void measure(struct table *table)
{
    char text[4096];
    size_t row, i;

    for (i = 0; i < table->columns; i++) {
        struct column *column = &table->column[i];

        column->dropped = column->hidden;
        for (row = 0; row < table_rows(table) && !column->hidden; row++) {
            int width = term_columns(show(table, row, i, text, sizeof text)) +
                        table->cell[row * table->columns + i].indent;

            if (width > column->width)
                column->width = width;
        }
    }
}

/* Columns of all but the last, which is the name, and the gap before that. */
static int width_before(const struct table *table)
{
    int width = 2;
    size_t i;

    for (i = 0; i + 1 < table->columns; i++) {
        if (!table->column[i].dropped)
            width += column_width(table, i) + gap_before(table, i);
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

static void print_cell(const struct table *table, FILE *out, size_t i, const char *text, bool first)
{
    bool last = i + 1 == table->columns;
    char cut[4096];
    int fill;

    if (table->column[i].most > 0)
        text = term_fit_name(cut, sizeof cut, text, column_width(table, i));
    fill = column_width(table, i) - term_columns(text);

    fprintf(out, "%*s", first ? 2 : gap_before(table, i), "");
    if (table->column[i].kind != TABLE_TEXT)
        fprintf(out, "%*s", fill, "");
    fputs(text, out);
    if (table->column[i].kind == TABLE_TEXT && !last)
        fprintf(out, "%*s", fill, "");
}

enum { LONG_NAME = 72 };

/* Columns for the names of the last column, so that the tails begin in one place. Half of the room is the names'
 * whatever the tails are; without cutting it is the longest name, but tails do not wait for very long ones. */
static int name_width(const struct table *table, int room)
{
    int width = table->column[table->columns - 1].width;

    if (room == INT_MAX || width + 2 + TAIL_MIN <= room)
        return width;
    return room * 2 / 3 + 2 + TAIL_MIN <= room ? room * 2 / 3 : room;
}

/* The last column's text, cut to what is left of the line, and what is behind it. */
static void print_name(const struct table *table, FILE *out, size_t row, int room, bool first)
{
    size_t i = table->columns - 1;
    const struct cell *cell = &table->cell[row * table->columns + i];
    int width = cell->tail != NULL ? name_width(table, room) : room, left;
    char text[4096], cut[4096];
    const char *name = show(table, row, i, text, sizeof text);

    if (cell->tail == NULL || *cell->tail == '\0')
        width = room;
    term_fit_name(cut, sizeof cut, name, width - cell->indent);
    fprintf(out, "%*s%s%s%s", cell->indent + (first ? 0 : 2), "", term_style(out, TERM_NAME), cut,
            term_style(out, TERM_PLAIN));
    left = room == INT_MAX ? room : room - width - 2;
    if (width != room && left >= TAIL_MIN) {
        int aligned = room == INT_MAX && width > LONG_NAME ? LONG_NAME : width;
        int blanks = aligned - cell->indent - term_columns(cut);
        fprintf(out, "%*s", (blanks > 0 ? blanks : 0) + 2, "");
        term_escape(text, sizeof text, cell->tail);
        fprintf(out, "%s%s%s", term_style(out, TERM_DIM),
                term_fit(cut, sizeof cut, text, left, TERM_CUT_BEGIN), term_style(out, TERM_PLAIN));
    }
    fputc('\n', out);
}

/* White space is written when something follows, so that no line ends in it. */
static void print_heading_line(const struct table *table, FILE *out, int line)
{
    int blank = 0;
    bool any = false, first = true;
    char text[256];
    size_t i;

    for (i = 0; i < table->columns; i++) {
        int fill;

        if (table->column[i].dropped)
            continue;
        fill = column_width(table, i) - term_columns(heading(table, i, line, text, sizeof text));
        blank += first ? 2 : gap_before(table, i);
        first = false;
        if (table->column[i].kind != TABLE_TEXT)
            blank += fill;
        if (*text != '\0') {
            fprintf(out, "%s%*s%s", any ? "" : term_style(out, TERM_BOLD), blank, "", text);
            blank = 0;
            any = true;
        }
        if (table->column[i].kind == TABLE_TEXT)
            blank += fill;
    }
    if (any)
        fprintf(out, "%s\n", term_style(out, TERM_PLAIN));
}

/* One line, cut like any other. A value whose percentage is there is not missed. */
static void print_dropped(const struct table *table, FILE *out, int width)
{
    char text[1024] = "", cut[1100], title[256];
    size_t at = 0, i;

    for (i = 0; i + 1 < table->columns && at + 300 < sizeof text; i++) {
        const struct column *column = &table->column[i];
        const char *upper = heading(table, i, 0, title, sizeof title);

        if (!column->dropped || column->hidden || column->kind == TABLE_PERCENT)
            continue;
        if (table->column[i + 1].kind == TABLE_PERCENT && !table->column[i + 1].dropped)
            continue;
        if (*upper == '\0')
            heading(table, i, 1, title, sizeof title);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %.48s", at ? "," : "no room for",
                               column->key != NULL ? column->key : title);
    }
    if (at > 0)
        fprintf(out, "  %s%s%s\n", term_style(out, TERM_DIM),
                term_fit(cut, sizeof cut, text, width - 3, TERM_CUT_END), term_style(out, TERM_PLAIN));
}

static void print_row(const struct table *table, FILE *out, size_t row, int room)
{
    bool first = true;
    char text[4096];
    size_t i;

    for (i = 0; i < table->columns; i++) {
        if (table->column[i].dropped)
            continue;
        if (i + 1 == table->columns && table->column[i].kind == TABLE_TEXT) {
            fputs(first ? "  " : "", out);
            print_name(table, out, row, room, first);
            return;
        }
        print_cell(table, out, i, show(table, row, i, text, sizeof text), first);
        first = false;
    }
    fputc('\n', out);
}

/* Columns kept for the last column. Where it is wide, what is behind the names shall be seen. */
static int least_for_name(const struct table *table, int width)
{
    enum { WIDE = 120 };
    bool tail = table->cells > 0 && table->cell[table->cells - 1].tail != NULL;
    int least = tail && width >= WIDE ? width * 3 / 10 : width / 5;

    return least > NAME_MIN ? least : NAME_MIN;
}

/* Texts before the last column, which is a name, get at most so much. */
static void limit_texts(struct table *table, int most)
{
    size_t i;

    for (i = 0; i + 1 < table->columns; i++) {
        if (table->column[i].kind == TABLE_TEXT)
            table->column[i].most = most;
    }
}

void table_print(struct table *table, FILE *out, bool may_drop)
{
    int width = term_width(out), room, least = least_for_name(table, width);
    size_t row;

    measure(table);
    limit_texts(table, may_drop && width_before(table) + 1 + least > width ? width / 4 : 0);
    while (may_drop && width_before(table) + 1 + least > width && drop_group(table)) {
    }
    if (!term_cuts(out))
        limit_texts(table, 0);
    room = term_cuts(out) ? width - width_before(table) - 1 : INT_MAX;
    if (room < least)
        room = least;
    print_heading_line(table, out, 0);
    print_heading_line(table, out, 1);
    for (row = 0; row < table_rows(table); row++)
        print_row(table, out, row, room);
    print_dropped(table, out, width);
}

/* ------------------------------------------------------------------------------------------ for scripts */

void table_json(const struct table *table, struct tp_json *json, const char *name)
{
    size_t row, i;

    tp_json_begin(json, name, '[', ",\n  ");
    for (row = 0; row < table_rows(table); row++) {
        tp_json_begin(json, NULL, '{', ", ");
        for (i = 0; i < table->columns; i++) {
            const struct cell *cell = &table->cell[row * table->columns + i];
            const char *key = table->column[i].key;

            if (key == NULL)
                continue;
            if (cell->null || cell->text != NULL)
                tp_json_text(json, key, cell->text);
            else if (cell->is_count)
                tp_json_integer(json, key, cell->count);
            else
                tp_json_figure(json, key, cell->number);
        }
        tp_json_end(json);
    }
    if (table_rows(table) > 0)
        fputc('\n', json->out);
    tp_json_end(json);
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
    bool any = false;

    for (i = 0; i < table->columns; i++) {
        if (table->column[i].key == NULL)
            continue;
        fputs(any ? "," : "", out);
        write_field(out, table->column[i].key);
        any = true;
    }
    fputs("\r\n", out);
    for (row = 0; row < table_rows(table); row++) {
        any = false;
        for (i = 0; i < table->columns; i++) {
            const struct cell *cell = &table->cell[row * table->columns + i];

            if (table->column[i].key == NULL)
                continue;
            fputs(any ? "," : "", out);
            any = true;
            if (cell->text != NULL)
                write_field(out, cell->text);
            else if (cell->is_count)
                fprintf(out, "%" PRId64, cell->count);
            else if (!cell->null)
                fprintf(out, "%.10g", cell->number);
        }
        fputs("\r\n", out);
    }
}

/* In code nothing has a meaning but backquotes, of which the fence has one more than the text, and, in a table, |. */
static void write_code(FILE *out, const char *text)
{
    size_t longest = 0, run = 0;
    const char *p;

    for (p = text; *p != '\0'; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (run = 0; run <= longest; run++)
        fputc('`', out);
    fputs(longest ? " " : "", out);
    for (p = text; *p != '\0'; p++)
        fputs(*p == '|' ? "\\|" : (char[]){*p, '\0'}, out);
    fputs(longest ? " " : "", out);
    for (run = 0; run <= longest; run++)
        fputc('`', out);
}

/* "CEst\nbaseline" in one line. */
static void write_title(FILE *out, const char *title)
{
    for (; *title != '\0'; title++)
        fputc(*title == '\n' ? ' ' : *title, out);
}

static void write_markdown(const struct table *table, FILE *out)
{
    char text[8192];
    size_t row, i;

    for (i = 0; i < table->columns; i++) {
        if (table->column[i].hidden)
            continue;
        fputs("| ", out);
        write_title(out, table->column[i].title);
        fputc(' ', out);
    }
    fputs("|\n", out);
    for (i = 0; i < table->columns; i++) {
        if (!table->column[i].hidden)
            fputs(table->column[i].kind == TABLE_TEXT ? "|---" : "|---:", out);
    }
    fputs("|\n", out);
    for (row = 0; row < table_rows(table); row++) {
        for (i = 0; i < table->columns; i++) {
            const struct cell *cell = &table->cell[row * table->columns + i];

            if (table->column[i].hidden)
                continue;
            fputs("| ", out);
            show(table, row, i, text, sizeof text);
            if (cell->text != NULL && *text != '\0')
                write_code(out, text);
            else
                fputs(cell->null ? "" : text, out);
            if (cell->tail != NULL && *cell->tail != '\0') {
                term_escape(text, sizeof text, cell->tail);
                fputc(' ', out);
                write_code(out, text);
            }
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}

void table_section(struct table *table, enum table_form form, struct tp_json *json, const char *key,
                   const char *heading, bool first, bool may_drop)
{
    char safe[4096];

    term_escape(safe, sizeof safe, heading);
    fputs(first || form == TABLE_JSON ? "" : form == TABLE_CSV ? "\r\n" : "\n", stdout);
    switch (form) {
    case TABLE_JSON:
        table_json(table, json, key);
        break;
    case TABLE_CSV:
        table_csv(table, stdout);
        break;
    case TABLE_MARKDOWN:
        printf("### %s\n\n", safe);
        if (table_rows(table) > 0)
            write_markdown(table, stdout);
        else
            puts("none");
        break;
    case TABLE_TERMINAL:
        printf("%s%s%s\n", term_style(stdout, TERM_BOLD), safe, term_style(stdout, TERM_PLAIN));
        if (table_rows(table) > 0)
            table_print(table, stdout, may_drop);
        else
            puts("  none");
    }
    table_free(table);
}
