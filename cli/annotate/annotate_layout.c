/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_layout.c: rows of numbers with a text behind them.
 *
 * Rows are gone through twice, first to measure them: a file may have a million lines, of which nothing is kept.
 * Columns are as wide as what is in them. On a terminal that is too narrow for them and a readable text, percentages
 * go first and then columns from the right, unless --show asked for them; what goes to a file is never cut.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/term.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, TEXT_LEAST = 40, CELL = 64, RULE = 80, LONGEST = 8192 };

/* The number alone, in `out`. */
static void write_number(const struct annotate *an, size_t i, const struct annotate_value *value, char *out)
{
    const struct column_spec *spec = &an->column[i].spec;

    if (!value->known)
        strcpy(out, ".");
    else if (value->is_count)
        term_number(out, value->count);
    else if (spec->is_ratio && strcmp(spec->formula->unit, "%") == 0)
        snprintf(out, CELL, "%.1f%%", value->value);
    else if (spec->is_ratio && *spec->formula->unit == '\0')
        term_figure(out, value->value);
    else
        term_real(out, value->value);
}

/* "(12.3%)"; printf is what most of the time would go to. */
static void write_bracketed(double percent, char *out)
{
    char text[] = "(                %)", *at = text + sizeof text - 3;
    double tenths = percent < 0 ? -10 * percent + 0.5 : 10 * percent + 0.5;
    uint64_t rest;

    if (!(tenths < 1e13)) {
        snprintf(out, CELL, "(%.1f%%)", percent);
        return;
    }
    rest = (uint64_t)tenths;
    *--at = (char)('0' + rest % 10);
    *--at = '.';
    do {
        rest /= 10;
        *--at = (char)('0' + rest % 10);
    } while (rest >= 10);
    if (percent < 0 && tenths >= 1)
        *--at = '-';
    *--at = '(';
    strcpy(out, at);
}

/* The percentage with its brackets; "" if there is none. */
static void write_percent(const struct annotate *an, size_t i, const struct annotate_value *value, char *out)
{
    double percent;

    *out = '\0';
    if (an->percentages && annotate_percent(an, i, value, &percent))
        write_bracketed(percent, out);
}

static void measure(struct annotate *an, const union tp_cell *cost)
{
    size_t i;

    for (i = 0; i < an->shown; i++) {
        struct annotate_value value = annotate_value(an, i, cost);
        char text[CELL];
        int length;

        write_number(an, i, &value, text);
        length = (int)strlen(text);
        if (length > an->column[i].number)
            an->column[i].number = length;
        write_percent(an, i, &value, text);
        length = (int)strlen(text);
        if (length > an->column[i].percent)
            an->column[i].percent = length;
    }
}

/* The width of all cells, after those of the columns. */
static int measure_columns(struct annotate *an)
{
    int all = 0;
    size_t i;

    for (i = 0; i < an->shown; i++) {
        struct annotate_column *column = &an->column[i];
        int name = term_columns(column->spec.name);

        column->width = column->number + (column->percent > 0 ? 1 + column->percent : 0);
        if (column->width < name)
            column->width = name;
        all += column->dropped ? 0 : column->width + GAP;
    }
    return all;
}

static void fit(struct annotate *an)
{
    bool narrow = an->show == NULL && term_cuts(stdout);
    int room = term_width(stdout) - TEXT_LEAST, width = measure_columns(an);
    size_t i;

    for (i = an->shown; narrow && i-- > 0 && width > room; width = measure_columns(an))
        an->column[i].percent = 0;
    for (i = an->shown; narrow && i-- > 1 && width > room; width = measure_columns(an))
        an->column[i].dropped = true;
    an->text_width = term_cuts(stdout) ? term_width(stdout) - width : INT_MAX;
    if (an->text_width < TEXT_LEAST)
        an->text_width = TEXT_LEAST;
    free(an->line);
    an->line = malloc((size_t)width + 1);
    if (an->line == NULL)
        term_no_memory();
}

/* Names the columns that there is no room for, when they are others than in the table before. */
static void print_left_out(struct annotate *an)
{
    char names[sizeof an->left_out] = "";
    size_t at = 0, i;

    for (i = 0; i < an->shown; i++) {
        if (an->column[i].dropped && at < sizeof names)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? ", " : "", an->column[i].spec.name);
    }
    if (*names != '\0' && strcmp(names, an->left_out) != 0)
        printf("  no room for %s; --show has it\n", names);
    strcpy(an->left_out, names);
}

static void heading(struct annotate *an, const char *text)
{
    char *at = an->line;
    size_t i;

    for (i = 0; i < an->shown; i++) {
        int fill = an->column[i].width - term_columns(an->column[i].spec.name);

        if (!an->column[i].dropped)
            at += sprintf(at, "%*s%s%*s", fill, "", an->column[i].spec.name, GAP, "");
    }
    annotate_text(an, TERM_BOLD, TERM_CUT_END, text);
    print_left_out(an);
}

void annotate_table(struct annotate *an, const char *text, annotate_rows *rows, const void *of)
{
    size_t i;

    for (i = 0; i < an->shown; i++) {
        an->column[i].number = 1;
        an->column[i].percent = 0;
        an->column[i].dropped = false;
    }
    an->measuring = true;
    rows(an, of);
    an->measuring = false;
    fit(an);
    heading(an, text);
    rows(an, of);
}

/* `text`, to the right in `width` columns. Returns what is behind it. */
static char *padded(char *at, int width, const char *text)
{
    int length = (int)strlen(text), blanks = width > length ? width - length : 0;

    memset(at, ' ', (size_t)blanks);
    memcpy(at + blanks, text, (size_t)length + 1);
    return at + blanks + length;
}

void annotate_cells(struct annotate *an, const union tp_cell *cost, enum annotate_known known)
{
    char *at = an->line;
    size_t i;

    if (an->measuring) {
        if (cost != NULL)
            measure(an, cost);
        return;
    }
    for (i = 0; i < an->shown; i++) {
        const struct annotate_column *column = &an->column[i];
        int behind = column->percent > 0 ? 1 + column->percent : 0;
        struct annotate_value value = {.known = false};
        char number[CELL], percent[CELL] = "";

        if (column->dropped)
            continue;
        if (cost != NULL)
            value = annotate_value(an, i, cost);
        write_number(an, i, &value, number);
        if (behind > 0)
            write_percent(an, i, &value, percent);
        if (known == (column->spec.inclusive ? ANNOTATE_SELF_ONLY : ANNOTATE_INCLUSIVE_ONLY))
            *number = *percent = '\0';
        at = padded(at, column->width - behind, number);
        at = padded(at, behind, percent);
        at = padded(at, GAP, "");
    }
}

/* Without blanks at the end of the line. */
void annotate_text(const struct annotate *an, enum term_style style, enum term_cut cut, const char *text)
{
    size_t room = 4 * strlen(text) + 8, end;
    char *safe, *shown;

    if (an->measuring)
        return;
    safe = shown = malloc(2 * room);
    if (safe == NULL)
        term_no_memory();
    term_escape(safe, room, text);
    if (an->text_width != INT_MAX)
        shown = term_fit(safe + room, room, safe, an->text_width, cut);
    for (end = strlen(shown); end > 0 && shown[end - 1] == ' ';)
        shown[--end] = '\0';
    for (end = *shown != '\0' ? 0 : strlen(an->line); end > 0 && an->line[end - 1] == ' ';)
        an->line[--end] = '\0';
    if (style == TERM_BOLD)
        printf("%s%s%s%s\n", term_style(stdout, style), an->line, shown, term_style(stdout, TERM_PLAIN));
    else if (style == TERM_PLAIN)
        printf("%s%s\n", an->line, shown);
    else
        printf("%s%s%s%s\n", an->line, term_style(stdout, style), shown, term_style(stdout, TERM_PLAIN));
    free(safe);
}

void annotate_section(struct annotate *an, const char *title)
{
    char safe[LONGEST];
    int width;

    term_escape(safe, sizeof safe, title);
    printf("%s%s== %s ", an->sections++ > 0 ? "\n" : "", term_style(stdout, TERM_BOLD), safe);
    for (width = term_columns(safe) + 4; width < RULE; width++)
        putchar('=');
    printf("%s\n", term_style(stdout, TERM_PLAIN));
}
