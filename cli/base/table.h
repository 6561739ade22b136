/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h: rows of typed cells, printed for a terminal or written as JSON or CSV.
 *
 * A section of a report fills one table; what it looks like is decided here. On a terminal that is too narrow,
 * groups of columns are left out, and the last column, a name, gets what remains: a name that is too long loses
 * its middle, a source line its end. Another text then gets at most a quarter of the line. A percentage may outlive the
 * value it belongs to, and then takes over its heading.
 */
#ifndef TENURE_CLI_TABLE_H
#define TENURE_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/base/term.h"
#include "profile/base/json.h"

struct table;

enum table_kind {
    TABLE_TEXT,    /* to the left */
    TABLE_SOURCE,  /* a line of a source file; the last column alone */
    TABLE_COUNT,   /* thousands separators */
    TABLE_REAL,    /* one decimal below 1000 */
    TABLE_PERCENT, /* one decimal, or two with a rate */
    TABLE_RATE,
    TABLE_FIGURE,         /* four digits or so, however small (term_figure) */
    TABLE_CHANGE,         /* as TABLE_COUNT, with its sign */
    TABLE_CHANGE_PERCENT, /* as TABLE_PERCENT, with its sign */
};

struct table *table_new(void);
void table_free(struct table *table);
void table_exact(struct table *table); /* its reals are written to JSON and CSV as what reads back equal */

/* `title` is the heading (NULL: not in text), of one line or, with '\n' between, two; `key` the name in JSON and
 * CSV (NULL: not there); both are copied. `group`: columns of equal group go together, the highest number first;
 * 0: the column always stays. */
void table_column(struct table *table, enum table_kind kind, const char *title, const char *key, int group);

/* Another kind for the column with this number, from 0. */
void table_kind(struct table *table, size_t column, enum table_kind kind);

/* The heading of the column made last, where the column before it has been left out. */
void table_heading_alone(struct table *table, const char *title);

/* Cells of the next row, in the columns' order. A column's kind is how its numbers look and to which side they go; a
 * text, or a number in a column of texts, may be in any. */
void table_text(struct table *table, const char *value); /* NULL: as table_null */
void table_number(struct table *table, double value);
void table_count(struct table *table, int64_t value);
void table_null(struct table *table);
void table_unsure(struct table *table); /* people are shown a dot for the number that was made last */
/* Of the last column's cell, which was made last: how many columns it is moved to the right on a terminal; its style
 * there; and what is shown dim behind it where there is room: where to find it. */
void table_indent(struct table *table, int columns);
void table_style(struct table *table, enum term_style style);
void table_tail(struct table *table, const char *text);

/* The next row is one text across all columns, dim: a mark between rows. For a terminal alone. */
void table_across(struct table *table, const char *text);

/* The last column has so many columns of a terminal at least. */
void table_least(struct table *table, int columns);

size_t table_rows(const struct table *table);

/* With headings. `may_drop`: leave out groups that do not fit, and say which. Lines begin with two spaces. */
void table_print(struct table *table, FILE *out, bool may_drop);
void table_json(const struct table *table, struct tp_json *json, const char *name); /* as tp_json_begin */
void table_csv(const struct table *table, FILE *out);

/* A text as code of Markdown. Control characters are escaped already. */
void table_code(FILE *out, const char *text);
enum table_form { TABLE_TERMINAL, TABLE_JSON, TABLE_CSV, TABLE_MARKDOWN /* as GitHub reads it; names are code */ };

/* Prints the table on standard output as one of several, and frees it: under a heading; in JSON as the next member
 * `key` of what `json` writes there, which the other forms do not look at; in CSV without a name, with an empty line
 * between. `first`: nothing was printed before. `may_drop` is table_print's. */
void table_section(struct table *table, enum table_form form, struct tp_json *json, const char *key,
                   const char *heading, bool first, bool may_drop);

#endif
