/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c: see table.h. Cells are kept as values; text is made when a table is printed, once to measure and
 * once to write.
 */
#include "cli/base/table.h"

#include "profile/base/mem.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MIN = 16, TAIL_MIN = 16, LINES_OF_HEADING = 2 };

struct column {
    enum table_kind kind;
    const char *title, *alone, *key; /* alone: the title without the column before; NULL: the same */
    int group, width, most;          /* of the cells; what a text has at most, 0: all that it needs */
    int shown;                       /* with the heading, once it is known what is left out */
    double low, high;                /* of the counts and percentages that were measured */
    bool hidden, dropped;
};

enum content { NOTHING, TEXT, NUMBER, COUNT, UNSURE /* a number that people are not shown */ };

union value {
    const char *text;
    double number;
    int64_t count;
};

struct cell {
    enum content content;
    union value value;
};

struct row {
    size_t first; /* cell */
    const char *tail;
    int indent;
    enum term_style style;
    bool across; /* it has one cell */
};

struct table {
    TP_VECTOR(struct column) columns;
    TP_VECTOR(struct row) rows;
    union value *value;    /* of all cells; and what each is, enum content: there may be millions */
    uint8_t *content;
    size_t cells, cells_room;
    size_t missing;        /* cells of the last row */
    int least;             /* columns of the last column */
    bool exact;            /* reals are written as what reads back equal */
    struct tp_arena texts; /* of all of these */
    char *text, *cut;      /* one that is being printed, and what fits */
    size_t room;           /* for each of both */
    char number[512];
};

/* `text`, escaped. Good until the next text is shown. */
static const char *escaped(struct table *table, const char *text)
{
    size_t room = 4 * strlen(text) + sizeof table->number; /* \xNN for each byte */

    if (room > table->room) {
        table->text = term_have(realloc(table->text, room));
        table->cut = term_have(realloc(table->cut, room));
        table->room = room;
    }
    term_escape(table->text, table->room, text);
    return table->text;
}

struct table *table_new(void)
{
    struct table *table = term_have(calloc(1, sizeof *table));

    table->least = NAME_MIN;
    escaped(table, ""); /* there is room for a number from now on */
    return table;
}

void table_free(struct table *table)
{
    TP_VECTOR_FREE(&table->columns);
    TP_VECTOR_FREE(&table->rows);
    free(table->value);
    free(table->content);
    tp_arena_free(&table->texts);
    free(table->text);
    free(table->cut);
    free(table);
}

void table_exact(struct table *table)
{
    table->exact = true;
}

static const char *copy(struct table *table, const char *text)
{
    if (text == NULL || *text == '\0')
        return text != NULL ? "" : NULL;
    return term_have(tp_arena_copy(&table->texts, text, strlen(text)));
}

void table_column(struct table *table, enum table_kind kind, const char *title, const char *key, int group)
{
    struct column *column = term_have(TP_VECTOR_ADD(&table->columns));

    *column = (struct column){.kind = kind, .hidden = title == NULL, .group = group};
    column->title = copy(table, title != NULL ? title : "");
    column->key = copy(table, key);
}

void table_kind(struct table *table, size_t column, enum table_kind kind)
{
    table->columns.at[column].kind = kind;
}

void table_heading_alone(struct table *table, const char *title)
{
    table->columns.at[table->columns.count - 1].alone = copy(table, title);
}

static struct row *next_row(struct table *table)
{
    struct row *row = term_have(TP_VECTOR_ADD(&table->rows));
    bool source = table->columns.at[table->columns.count - 1].kind == TABLE_SOURCE;

    *row = (struct row){.first = table->cells, .style = source ? TERM_PLAIN : TERM_NAME};
    return row;
}

static void add_cell(struct table *table, enum content content, union value value)
{
    if (table->cells == table->cells_room) {
        table->cells_room = table->cells_room * 2 + 256;
        table->value = term_have(realloc(table->value, table->cells_room * sizeof *table->value));
        table->content = term_have(realloc(table->content, table->cells_room));
    }
    if (table->missing == 0) {
        next_row(table);
        table->missing = table->columns.count;
    }
    table->missing--;
    table->value[table->cells] = value;
    table->content[table->cells++] = (uint8_t)content;
}

void table_text(struct table *table, const char *value)
{
    add_cell(table, value != NULL ? TEXT : NOTHING, (union value){.text = copy(table, value)});
}

void table_number(struct table *table, double value)
{
    add_cell(table, NUMBER, (union value){.number = value});
}

void table_unsure(struct table *table)
{
    if (table->content[table->cells - 1] == NUMBER)
        table->content[table->cells - 1] = UNSURE;
}

void table_count(struct table *table, int64_t value)
{
    add_cell(table, COUNT, (union value){.count = value});
}

void table_null(struct table *table)
{
    table_text(table, NULL);
}

void table_across(struct table *table, const char *text)
{
    next_row(table)->across = true;
    table->missing = 1;
    table_text(table, text);
}

static struct row *last_row(struct table *table)
{
    return &table->rows.at[table->rows.count - 1];
}

void table_indent(struct table *table, int columns)
{
    last_row(table)->indent = columns;
}

void table_style(struct table *table, enum term_style style)
{
    last_row(table)->style = style;
}

void table_tail(struct table *table, const char *text)
{
    last_row(table)->tail = copy(table, text);
}

void table_least(struct table *table, int columns)
{
    table->least = columns;
}

size_t table_rows(const struct table *table)
{
    return table->rows.count;
}

/* ------------------------------------------------------------------------------------------ text */

static struct cell cell_at(const struct table *table, size_t row, size_t i)
{
    size_t at = table->rows.at[row].first + i;

    return (struct cell){table->content[at], table->value[at]};
}

/* As JSON and CSV have it. */
static struct cell written_at(const struct table *table, size_t row, size_t i)
{
    struct cell cell = cell_at(table, row, i);

    cell.content = cell.content == UNSURE ? NUMBER : cell.content;
    return cell;
}

static void show_count(struct cell cell, char *out, size_t size)
{
    if (cell.content == COUNT)
        term_number(out, cell.value.count);
    else if (fabs(cell.value.number) < 9e18 && cell.value.number == trunc(cell.value.number))
        term_number(out, (int64_t)cell.value.number);
    else
        snprintf(out, size, "%.2f", cell.value.number);
}

static const char *show(struct table *table, size_t row, size_t i)
{
    struct cell cell = cell_at(table, row, i);
    double number = cell.content == COUNT ? (double)cell.value.count : cell.value.number;
    char *out = table->number;
    size_t size = sizeof table->number;

    if (cell.content == NOTHING || cell.content == UNSURE)
        return ".";
    if (cell.content == TEXT)
        return escaped(table, cell.value.text);
    switch (table->columns.at[i].kind) {
    case TABLE_CHANGE:
        *out = '+';
        show_count(cell, number > 0 ? out + 1 : out, size - 1);
        break;
    case TABLE_CHANGE_PERCENT:
        snprintf(out, size, "%+.1f", number);
        break;
    case TABLE_REAL:
        term_real(out, number);
        break;
    case TABLE_PERCENT:
        term_tenths(out, number);
        break;
    case TABLE_TEXT:
    case TABLE_SOURCE:
    case TABLE_COUNT:
        show_count(cell, out, size);
        break;
    case TABLE_RATE:
        snprintf(out, size, "%.2f", number);
        break;
    case TABLE_FIGURE:
        term_figure(out, number);
        break;
    }
    return out;
}

/* The column whose percentage this is, or that is dropped before it: its neighbour. */
static bool is_alone(const struct table *table, size_t i)
{
    return table->columns.at[i].alone != NULL && i > 0 && table->columns.at[i - 1].dropped;
}

/* Line 0 or 1 of a heading. A heading of one line is on the lower one. */
static const char *heading(const struct table *table, size_t i, int line, char *out, size_t size)
{
    const char *title = is_alone(table, i) ? table->columns.at[i].alone : table->columns.at[i].title;
    const char *second = strchr(title, '\n');

    if (line == 1)
        snprintf(out, size, "%s", second != NULL ? second + 1 : title);
    else
        snprintf(out, size, "%.*s", second != NULL ? (int)(second - title) : 0, title);
    return out;
}

static int column_width(const struct table *table, size_t i)
{
    int width = table->columns.at[i].width, most = table->columns.at[i].most;
    char text[256];

    if (most > 0 && width > most)
        width = most;
    for (int line = 0; line < LINES_OF_HEADING; line++) {
        int columns = term_columns(heading(table, i, line, text, sizeof text));

        width = columns > width ? columns : width;
    }
    return width;
}

/* A percentage stands close to its value. */
static int gap_before(const struct table *table, size_t i)
{
    bool percent = table->columns.at[i].kind == TABLE_PERCENT || table->columns.at[i].kind == TABLE_CHANGE_PERCENT;

    return percent && !is_alone(table, i) ? 1 : 2;
}

/* How wide a line of source text is nobody asks. */
static void measure(struct table *table)
{
    for (size_t i = 0; i < table->columns.count; i++)
        table->columns.at[i].dropped = table->columns.at[i].hidden;
    for (size_t row = 0; row < table->rows.count; row++) {
        for (size_t i = 0; i < table->columns.count && !table->rows.at[row].across; i++) {
            struct column *column = &table->columns.at[i];
            struct cell cell = cell_at(table, row, i);
            int indent = i + 1 == table->columns.count ? table->rows.at[row].indent : 0, width;

            if (column->hidden || column->kind == TABLE_SOURCE)
                continue;
            /* A number is no wider than one that is farther from 0. That saves half the time of a long table. */
            if (cell.content == COUNT || (cell.content == NUMBER && column->kind == TABLE_PERCENT)) {
                double number = cell.content == COUNT ? (double)cell.value.count : cell.value.number;

                if (column->width > 0 && number > column->low && number < column->high)
                    continue;
                if (isfinite(number)) { /* the others are short */
                    column->low = number < column->low ? number : column->low;
                    column->high = number > column->high ? number : column->high;
                }
            }
            width = term_columns(show(table, row, i)) + indent;
            if (width > column->width)
                column->width = width;
        }
    }
}

/* Columns of all but the last, which is the name, and the gap before that. */
static int width_before(const struct table *table)
{
    int width = 2;

    for (size_t i = 0; i + 1 < table->columns.count; i++) {
        if (!table->columns.at[i].dropped)
            width += column_width(table, i) + gap_before(table, i);
    }
    return width;
}

/* Leaves out the group with the highest number that is still there; false if none may go. */
static bool drop_group(struct table *table)
{
    int group = 0;

    for (size_t i = 0; i < table->columns.count; i++) {
        if (!table->columns.at[i].dropped && table->columns.at[i].group > group)
            group = table->columns.at[i].group;
    }
    for (size_t i = 0; i < table->columns.count; i++) {
        if (group != 0 && table->columns.at[i].group == group)
            table->columns.at[i].dropped = true;
    }
    return group != 0;
}

enum { LONG_NAME = 72 };

/* Columns for the names of the last column, so that the tails begin in one place. Half of the room is the names'
 * whatever the tails are; without cutting it is the longest name, but tails do not wait for very long ones. */
static int name_width(const struct table *table, int room)
{
    int width = table->columns.at[table->columns.count - 1].width;

    if (room == INT_MAX || width + 2 + TAIL_MIN <= room)
        return width;
    return room * 2 / 3 + 2 + TAIL_MIN <= room ? room * 2 / 3 : room;
}

/* As printf does with "%*s%s", which takes several times as long. */
static void print_behind(FILE *out, int blank, const char *text)
{
    char piece[512];
    size_t length = strlen(text);

    if ((size_t)blank + length > sizeof piece) {
        fprintf(out, "%*s%s", blank, "", text);
        return;
    }
    memset(piece, ' ', (size_t)blank);
    memcpy(piece + blank, text, length);
    fwrite_unlocked(piece, 1, (size_t)blank + length, out);
}

/* Behind `blank` columns: the last column's text, cut to what is left of the line, and what is behind it. */
static void print_name(struct table *table, FILE *out, size_t at, int room, int blank)
{
    const struct row *row = &table->rows.at[at];
    bool source = table->columns.at[table->columns.count - 1].kind == TABLE_SOURCE;
    bool tail = row->tail != NULL && *row->tail != '\0';
    int width = tail ? name_width(table, room) : room, left = room == INT_MAX ? room : room - width - 2;
    const char *name = show(table, at, table->columns.count - 1);

    if (source) {
        size_t end = strlen(term_fit(table->cut, table->room, name, width - row->indent, TERM_CUT_END));

        while (end > 0 && table->cut[end - 1] == ' ')
            table->cut[--end] = '\0';
        blank = end > 0 ? blank : 0;
    } else {
        term_fit_name(table->cut, table->room, name, width - row->indent);
    }
    print_behind(out, blank + (blank > 0 ? row->indent : 0),
                 row->style != TERM_PLAIN ? term_style(out, row->style) : "");
    print_behind(out, 0, table->cut);
    if (row->style != TERM_PLAIN)
        fputs(term_style(out, TERM_PLAIN), out);
    if (width != room && left >= TAIL_MIN) {
        int aligned = room == INT_MAX && width > LONG_NAME ? LONG_NAME : width;
        int blanks = aligned - row->indent - term_columns(table->cut);

        fprintf(out, "%*s", (blanks > 0 ? blanks : 0) + 2, "");
        escaped(table, row->tail);
        fprintf(out, "%s%s%s", term_style(out, TERM_DIM),
                term_fit(table->cut, table->room, table->text, left, TERM_CUT_BEGIN), term_style(out, TERM_PLAIN));
    }
    fputc('\n', out);
}

/* White space is written when something follows, so that no line ends in it. */
static void print_heading_line(const struct table *table, FILE *out, int line)
{
    int blank = 0;
    bool any = false, first = true;
    char text[256];

    for (size_t i = 0; i < table->columns.count; i++) {
        const struct column *column = &table->columns.at[i];
        int fill;

        if (column->dropped)
            continue;
        fill = column->shown - term_columns(heading(table, i, line, text, sizeof text));
        blank += first ? 2 : gap_before(table, i);
        first = false;
        if (column->kind > TABLE_SOURCE)
            blank += fill;
        if (*text != '\0') {
            fprintf(out, "%s%*s%s", any ? "" : term_style(out, TERM_BOLD), blank, "", text);
            blank = 0;
            any = true;
        }
        if (column->kind <= TABLE_SOURCE)
            blank += fill;
    }
    if (any)
        fprintf(out, "%s\n", term_style(out, TERM_PLAIN));
}

/* One line, cut like any other. A value whose percentage is there is not missed. A column that is called as --show has
 * it has this name, any other its heading. */
static void print_dropped(const struct table *table, FILE *out, int width)
{
    char text[1024] = "", cut[1100], upper[256], lower[256];
    size_t at = 0;

    for (size_t i = 0; i + 1 < table->columns.count && at + 300 < sizeof text; i++) {
        const struct column *column = &table->columns.at[i];

        if (!column->dropped || column->hidden || column->kind == TABLE_PERCENT)
            continue;
        if (column[1].kind == TABLE_PERCENT && !column[1].dropped)
            continue;
        heading(table, i, 0, upper, sizeof upper);
        heading(table, i, 1, lower, sizeof lower);
        const char *first = *upper != '\0' ? upper : lower;
        bool same = column->key != NULL && strncmp(column->key, first, strlen(first)) == 0;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %.48s%s%.48s", at ? "," : "no room for",
                               same ? column->key : upper, same || *upper == '\0' ? "" : " ", same ? "" : lower);
    }
    if (at > 0)
        fprintf(out, "  %s%s%s\n", term_style(out, TERM_DIM),
                term_fit(cut, sizeof cut, text, width - 3, TERM_CUT_END), term_style(out, TERM_PLAIN));
}

static void print_row(struct table *table, FILE *out, size_t row, int room)
{
    bool first = true;
    int blank = 0;

    if (table->rows.at[row].across) {
        fprintf(out, "%s%s%s\n", term_style(out, TERM_DIM), show(table, row, 0), term_style(out, TERM_PLAIN));
        return;
    }
    for (size_t i = 0; i < table->columns.count; i++) {
        const struct column *column = &table->columns.at[i];
        const char *text;
        int fill;

        if (column->dropped)
            continue;
        blank += first ? 2 : gap_before(table, i);
        first = false;
        if (i + 1 == table->columns.count && column->kind <= TABLE_SOURCE) {
            print_name(table, out, row, room, blank);
            return;
        }
        text = show(table, row, i);
        if (column->most > 0)
            text = term_fit_name(table->cut, table->room, text, column->shown);
        fill = column->shown - term_columns(text);
        if (column->kind != TABLE_TEXT)
            blank += fill;
        if (*text != '\0') {
            print_behind(out, blank, text);
            blank = 0;
        }
        if (column->kind == TABLE_TEXT)
            blank += fill;
    }
    fputc('\n', out);
}

/* Columns kept for the last column. Where it is wide, what is behind the names shall be seen. */
static int least_for_name(const struct table *table, int width)
{
    enum { WIDE = 120 };
    bool tail = table->rows.count > 0 && table->rows.at[table->rows.count - 1].tail != NULL;
    int least = tail && width >= WIDE ? width * 3 / 10 : width / 5;

    return least > table->least ? least : table->least;
}

/* Texts before the last column, which is a name, get at most so much. */
static void limit_texts(struct table *table, int most)
{
    for (size_t i = 0; i + 1 < table->columns.count; i++) {
        if (table->columns.at[i].kind == TABLE_TEXT)
            table->columns.at[i].most = most;
    }
}

void table_print(struct table *table, FILE *out, bool may_drop)
{
    int width = term_width(out), least = least_for_name(table, width);

    measure(table);
    limit_texts(table, may_drop && width_before(table) + 1 + least > width ? width / 4 : 0);
    while (may_drop && width_before(table) + 1 + least > width && drop_group(table)) {
    }
    if (!term_cuts(out))
        limit_texts(table, 0);
    int room = term_cuts(out) ? width - width_before(table) - 1 : INT_MAX;
    if (room < least)
        room = least;
    for (size_t i = 0; i < table->columns.count; i++)
        table->columns.at[i].shown = column_width(table, i);
    print_heading_line(table, out, 0);
    print_heading_line(table, out, 1);
    for (size_t row = 0; row < table->rows.count; row++)
        print_row(table, out, row, room);
    print_dropped(table, out, width);
}

/* ------------------------------------------------------------------------------------------ for scripts */

void table_json(const struct table *table, struct tp_json *json, const char *name)
{
    tp_json_begin(json, name, '[', ",\n  ");
    for (size_t row = 0; row < table->rows.count; row++) {
        tp_json_begin(json, NULL, '{', ", ");
        for (size_t i = 0; i < table->columns.count; i++) {
            struct cell cell = written_at(table, row, i);
            const char *key = table->columns.at[i].key;

            if (key == NULL)
                continue;
            if (cell.content == NUMBER && table->exact && isfinite(cell.value.number))
                tp_json_real(json, key, cell.value.number);
            else if (cell.content == NUMBER)
                tp_json_figure(json, key, cell.value.number);
            else if (cell.content == COUNT)
                tp_json_integer(json, key, cell.value.count);
            else
                tp_json_text(json, key, cell.content == TEXT ? cell.value.text : NULL);
        }
        tp_json_end(json);
    }
    if (table->rows.count > 0)
        fputc('\n', json->out);
    tp_json_end(json);
}

void table_csv(const struct table *table, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < table->columns.count; i++) {
        if (table->columns.at[i].key == NULL)
            continue;
        fputs(any ? "," : "", out);
        tp_write_csv_text(out, table->columns.at[i].key);
        any = true;
    }
    fputs("\r\n", out);
    for (size_t row = 0; row < table->rows.count; row++) {
        any = false;
        for (size_t i = 0; i < table->columns.count; i++) {
            struct cell cell = written_at(table, row, i);

            if (table->columns.at[i].key == NULL)
                continue;
            fputs(any ? "," : "", out);
            any = true;
            if (cell.content == TEXT)
                tp_write_csv_text(out, cell.value.text);
            else if (cell.content == COUNT)
                fprintf(out, "%" PRId64, cell.value.count);
            else if (cell.content == NUMBER && table->exact)
                tp_write_real(out, cell.value.number);
            else if (cell.content == NUMBER)
                fprintf(out, "%.10g", cell.value.number);
        }
        fputs("\r\n", out);
    }
}

/* In code nothing has a meaning but backquotes, of which the fence has one more than the text, and, in a table, |. */
void table_code(FILE *out, const char *text)
{
    size_t longest = 0, run = 0;

    for (const char *p = text; *p != '\0'; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (run = 0; run <= longest; run++)
        fputc('`', out);
    fputs(longest ? " " : "", out);
    for (const char *p = text; *p != '\0'; p++)
        fputs(*p == '|' ? "\\|" : (char[]){*p, '\0'}, out);
    fputs(longest ? " " : "", out);
    for (run = 0; run <= longest; run++)
        fputc('`', out);
}

static void write_markdown(struct table *table, FILE *out)
{
    for (size_t i = 0; i < table->columns.count; i++) {
        if (table->columns.at[i].hidden)
            continue;
        fputs("| ", out);
        for (const char *p = table->columns.at[i].title; *p != '\0'; p++)
            fputc(*p == '\n' ? ' ' : *p, out); /* "CEst\nbaseline" in one line */
        fputc(' ', out);
    }
    fputs("|\n", out);
    for (size_t i = 0; i < table->columns.count; i++) {
        if (!table->columns.at[i].hidden)
            fputs(table->columns.at[i].kind == TABLE_TEXT ? "|---" : "|---:", out);
    }
    fputs("|\n", out);
    for (size_t row = 0; row < table->rows.count; row++) {
        const char *tail = table->rows.at[row].tail;

        for (size_t i = 0; i < table->columns.count; i++) {
            enum content content = cell_at(table, row, i).content;
            const char *text = show(table, row, i);

            if (table->columns.at[i].hidden)
                continue;
            fputs("| ", out);
            if (content == TEXT && *text != '\0')
                table_code(out, text);
            else
                fputs(content == NOTHING ? "" : text, out);
            if (i + 1 == table->columns.count && tail != NULL && *tail != '\0') {
                fputc(' ', out);
                table_code(out, escaped(table, tail));
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
        if (table->rows.count > 0)
            write_markdown(table, stdout);
        else
            puts("none");
        break;
    case TABLE_TERMINAL:
        printf("%s%s%s\n", term_style(stdout, TERM_BOLD), safe, term_style(stdout, TERM_PLAIN));
        if (table->rows.count > 0)
            table_print(table, stdout, may_drop);
        else
            puts("  none");
    }
    table_free(table);
}
