/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_tables.c: what `tenure diff` prints: totals, functions, calls, lines and data structures, as text, JSON or
 * markdown.
 *
 * A table is sorted by how large the difference is in the first column's event, whichever its sign. Rows whose
 * difference does not count (there is none, or it is within the spread of the runs) are not listed.
 */
#include "cli/diff/diff.h"

#include "cli/base/opt.h"
#include "cli/base/place.h"
#include "cli/base/table.h"
#include "cli/base/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const usual[] = {"CEst", "Ir", "L1m", "L2m", "LLm", "Tm", "Walk", "Cm", "Bm", "SpLossD1", "SpLossL"};
enum { USUAL = sizeof usual / sizeof usual[0] };

/* ------------------------------------------------------------------------------------------ columns */

struct tp_diff_value diff_value(const struct diff *diff, enum tp_diff_table table, size_t i,
                                const struct diff_column *column)
{
    bool inclusive = (column->inclusive || table == TP_DIFF_ARCS) && table != TP_DIFF_DATA;

    if (column->formula != NULL)
        return tp_diff_formula(diff->diff, table, i, column->formula, inclusive);
    return tp_diff_value(diff->diff, table, i, (size_t)column->event, inclusive);
}

/* Whether a cost with another size of a cache is made of the same events in all profiles: each has them, and caches of
 * the same ways. */
static bool is_alike(const struct diff *diff, const struct tp_formula *formula)
{
    bool alike = true;

    for (int side = 0; side < TP_SIDES; side++) {
        for (size_t i = 0; alike && i < diff->runs[side].count; i++) {
            const struct tp_formula *same = tp_formula_find(diff->runs[side].profile[i], formula->name);
            alike = same != NULL && strcmp(same->text, formula->text) == 0;
        }
    }
    return alike;
}

bool diff_column_of(struct diff *diff, const char *name, struct diff_column *out)
{
    struct column_spec spec;
    bool ignored;

    if (!column_find(diff->names, "the new profile", name, &spec))
        return false;
    *out = (struct diff_column){-1, spec.formula, spec.inclusive, ""};
    snprintf(out->name, sizeof out->name, "%s", spec.name);
    if (spec.formula == NULL) {
        out->event = tp_diff_find(diff->diff, spec.event, &ignored);
        if (out->event < 0)
            term_error("the profiles do not all have the event %s; `tenure info FILE` lists what one has", name);
        return out->event >= 0;
    }
    if (!spec.formula->counts || is_alike(diff, spec.formula))
        return true;
    term_error("%s cannot be compared: not all profiles have this size of the same cache", name);
    return false;
}

static bool add_column(struct diff *diff, const char *name)
{
    struct diff_column column;

    if (!diff_column_of(diff, name, &column))
        return false;
    for (size_t i = 0; i < diff->columns; i++) {
        if (strcmp(diff->column[i].name, column.name) == 0)
            return true;
    }
    if (diff->columns == DIFF_MAX_SHOWN) {
        term_error("--show: too many columns, the most is %d", DIFF_MAX_SHOWN);
        return false;
    }
    diff->column[diff->columns++] = column;
    return true;
}

/* What is sorted by, as in a report, then what was asked for or the usual ones that there are. */
bool diff_choose_columns(struct diff *diff)
{
    const char *at = diff->show, *first = diff->sort;
    bool ignored;
    char name[64];

    if (first == NULL)
        first = tp_event_usual(diff->names);
    if (diff->sort == NULL && tp_diff_find(diff->diff, first, &ignored) < 0) /* not all have it */
        first = tp_diff_find(diff->diff, "CEst", &ignored) >= 0 ? "CEst" : tp_diff_event(diff->diff, 0)->name;
    bool good = add_column(diff, first);
    for (size_t i = 0; good && at == NULL && i < USUAL; i++)
        good = tp_diff_find(diff->diff, usual[i], &ignored) < 0 || add_column(diff, usual[i]);
    while (good && at != NULL && opt_next_word(&at, name, sizeof name))
        good = add_column(diff, name);
    return good;
}

/* ------------------------------------------------------------------------------------------ cells */

static void cell(struct table *table, double value, bool known)
{
    if (!known)
        table_null(table);
    else if (fabs(value) < 9e15 && value == trunc(value))
        table_count(table, (int64_t)value);
    else
        table_number(table, value);
}

/* Both values, their difference, and how much that is of the baseline. */
static void full_headings(struct table *table, const char *name)
{
    static const char *const parts[] = {"baseline", "new", "difference"};
    char title[96], key[96];

    for (size_t i = 0; i < 3; i++) {
        snprintf(title, sizeof title, "%s\n%s", i == 2 ? "" : name, parts[i]);
        snprintf(key, sizeof key, "%s%s%s", name, *name ? "_" : "", parts[i]);
        table_column(table, i == 2 ? TABLE_CHANGE : TABLE_COUNT, title, key, i == 2 ? 0 : 5 - (int)i);
    }
    snprintf(key, sizeof key, "%s%spercent", name, *name ? "_" : "");
    table_column(table, TABLE_CHANGE_PERCENT, "%", key, 0);
}

static void full_cells(struct table *table, const struct tp_diff_value *value)
{
    cell(table, value->side[TP_BASELINE], value->known);
    cell(table, value->side[TP_NEW], value->known);
    cell(table, value->difference, value->known);
    if (value->known && fabs(value->side[TP_BASELINE]) > 0)
        table_number(table, 100 * value->difference / fabs(value->side[TP_BASELINE]));
    else
        table_null(table);
}

/* ------------------------------------------------------------------------------------------ sections */

static void write_section(struct diff *diff, struct table *table, const char *key, const char *heading)
{
    enum table_form form = diff->json ? TABLE_JSON : diff->markdown ? TABLE_MARKDOWN : TABLE_TERMINAL;

    table_section(table, form, &diff->to, key, heading, false, diff->show == NULL);
}

/* But for whether it is inclusive. */
static bool same_event(const struct diff_column *a, const struct diff_column *b)
{
    return a->event == b->event && a->formula == b->formula;
}

/* In JSON every event, else those of the columns. */
static void totals(struct diff *diff)
{
    struct table *table = table_new();
    size_t count = diff->json ? tp_diff_events(diff->diff) : diff->columns;

    full_headings(table, "");
    table_column(table, TABLE_TEXT, "", "within_spread", 0);
    table_column(table, TABLE_TEXT, "event", "event", 0);
    for (size_t i = 0; i < count && tp_diff_rows(diff->diff, TP_DIFF_TOTALS) > 0; i++) {
        struct diff_column all = {.event = (int)i}, *column = diff->json ? &all : &diff->column[i];
        struct tp_diff_value value = diff_value(diff, TP_DIFF_TOTALS, 0, column);
        bool before = false;

        for (size_t k = 0; k < i && !diff->json; k++)
            before |= same_event(&diff->column[k], column);
        if (before)
            continue;
        full_cells(table, &value);
        table_text(table, value.counts || fabs(value.difference) <= 0 ? "" : "within the spread");
        table_text(table, column->formula != NULL ? column->formula->name
                                                  : tp_diff_event(diff->diff, (size_t)column->event)->name);
        table_tail(table, column->formula == NULL ? tp_diff_event(diff->diff, (size_t)column->event)->long_name
                          : column->formula->meaning != NULL ? column->formula->meaning
                                                             : column->formula->text);
    }
    write_section(diff, table, "totals", "Totals");
}

struct listed {
    size_t row;
    double size;
    const char *name;
    int64_t line;
};

static int by_size(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    if (x->size < y->size || x->size > y->size)
        return x->size < y->size ? 1 : -1;
    int names = strcmp(x->name, y->name);
    if (names != 0)
        return names;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->row < y->row ? -1 : 1;
}

struct tally {
    size_t changed, new, gone, within;
};

/* The rows whose difference counts, largest first. Freed by the caller. */
static struct listed *list(struct diff *diff, enum tp_diff_table which, size_t *count, struct tally *tally)
{
    const struct diff_column *by = &diff->column[0];
    size_t rows = tp_diff_rows(diff->diff, which);
    struct listed *listed = term_have(calloc(rows + 1, sizeof *listed));

    *count = 0;
    for (size_t i = 0; i < rows; i++) {
        struct tp_diff_value value = diff_value(diff, which, i, by);
        struct tp_diff_row row;

        tally->within += value.known && !value.counts && fabs(value.difference) > 0;
        if (!value.counts)
            continue;
        tp_diff_row(diff->diff, which, i, &row);
        tally->new += !row.there[TP_BASELINE];
        tally->gone += !row.there[TP_NEW];
        tally->changed += row.there[TP_BASELINE] && row.there[TP_NEW];
        listed[(*count)++] =
            (struct listed){i, fabs(value.difference), row.function != NULL ? row.function : "", row.line};
    }
    qsort(listed, *count, sizeof *listed, by_size);
    return listed;
}

/* Arcs have inclusive costs only, data structures none: an event that is shown both ways is one column of theirs. */
static bool is_column(const struct diff *diff, enum tp_diff_table which, size_t i)
{
    for (size_t k = 0; k < i && (which == TP_DIFF_ARCS || which == TP_DIFF_DATA); k++) {
        if (same_event(&diff->column[k], &diff->column[i]))
            return false;
    }
    return true;
}

/* What a column is called in a table. */
static void name_column(char *out, size_t size, enum tp_diff_table which, const struct diff_column *column)
{
    size_t length = strlen(column->name) - (column->inclusive ? strlen("_incl") : 0);
    bool inclusive = which == TP_DIFF_ARCS || (column->inclusive && which != TP_DIFF_DATA);

    snprintf(out, size, "%.*s%s", (int)length, column->name, inclusive ? "_incl" : "");
}

static void row_headings(const struct diff *diff, struct table *table, enum tp_diff_table which)
{
    for (size_t i = 0; i < diff->columns; i++) {
        char name[80], title[96];

        if (!is_column(diff, which, i))
            continue;
        name_column(name, sizeof name, which, &diff->column[i]);
        if (i == 0) {
            full_headings(table, name);
            continue;
        }
        snprintf(title, sizeof title, "%s\ndiff", name);
        table_column(table, TABLE_CHANGE, title, name, 10 + (int)i);
    }
    table_column(table, TABLE_TEXT, "", "state", 0);
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_TEXT, NULL, "object", -1);
    if (which == TP_DIFF_ARCS)
        table_column(table, TABLE_TEXT, "caller", "caller", 0);
    if (which == TP_DIFF_DATA)
        table_column(table, TABLE_TEXT, "data structure", "data", 0);
    else
        table_column(table, TABLE_TEXT, which == TP_DIFF_ARCS ? "callee, called at" : "function",
                     which == TP_DIFF_ARCS ? "callee" : "function", 0);
}

static void row_cells(const struct diff *diff, struct table *table, enum tp_diff_table which, size_t at)
{
    struct tp_diff_row row;
    char place[512];

    for (size_t i = 0; i < diff->columns; i++) {
        struct tp_diff_value value = diff_value(diff, which, at, &diff->column[i]);

        if (i == 0)
            full_cells(table, &value);
        else if (is_column(diff, which, i))
            cell(table, value.counts ? value.difference : 0, value.known);
    }
    tp_diff_row(diff->diff, which, at, &row);
    table_text(table, !row.there[TP_BASELINE] ? "new" : !row.there[TP_NEW] ? "gone" : "");
    table_text(table, row.file);
    cell(table, (double)row.line, row.line > 0);
    table_text(table, row.object);
    if (which == TP_DIFF_ARCS)
        table_text(table, row.caller != NULL ? row.caller : "(root)");
    table_text(table, row.function != NULL ? row.function : "???");
    if (which == TP_DIFF_DATA)
        return; /* its name says where */
    place_short(diff->names, place, sizeof place, row.function != NULL ? row.function : "",
                row.file != NULL ? row.file : "", row.line, row.object != NULL ? row.object : "");
    table_tail(table, place);
}

static void rows_of(struct diff *diff, enum tp_diff_table which, const char *key, const char *what)
{
    struct tally tally = {0, 0, 0, 0};
    size_t count;
    struct listed *listed = list(diff, which, &count, &tally);
    struct table *table = table_new();
    char heading[256], within[64] = "", by[80];

    row_headings(diff, table, which);
    for (size_t i = 0; i < count && i < diff->limit; i++)
        row_cells(diff, table, which, listed[i].row);
    if (tally.within > 0)
        snprintf(within, sizeof within, ", %zu within the spread of %s", tally.within,
                 tp_diff_sample(diff->diff) > 1 ? "what is estimated" : "the runs");
    name_column(by, sizeof by, which, &diff->column[0]);
    snprintf(heading, sizeof heading, "%s by difference in %s: %zu changed, %zu new, %zu gone%s", what, by,
             tally.changed, tally.new, tally.gone, within);
    write_section(diff, table, key, heading);
    free(listed);
}

/* ------------------------------------------------------------------------------------------ the rest */

static void json_list(struct tp_json *json, const char *key, const struct inputs *inputs)
{
    tp_json_begin(json, key, '[', ", ");
    for (size_t i = 0; i < inputs->count; i++)
        tp_json_text(json, NULL, inputs->name[i]);
    tp_json_end(json);
}

static void json_limit(void *user, const struct diff_limit *limit, const char *where, const struct tp_diff_value *value,
                       bool broken)
{
    struct tp_json *json = user;

    tp_json_begin(json, NULL, '{', ", ");
    tp_json_text(json, "limit", limit->text);
    tp_json_text(json, "where", where);
    tp_json_real(json, "baseline", value->side[TP_BASELINE]);
    tp_json_real(json, "new", value->side[TP_NEW]);
    tp_json_bool(json, "passed", broken);
    tp_json_end(json);
}

static void markdown_limit(void *user, const struct diff_limit *limit, const char *where,
                           const struct tp_diff_value *value, bool broken)
{
    struct table *table = user;

    table_text(table, broken ? "passed" : "kept");
    table_text(table, limit->text);
    table_text(table, where);
    full_cells(table, value);
}

static void write_limits(struct diff *diff)
{
    if (diff->json) {
        tp_json_begin(&diff->to, "limits", '[', ",\n  ");
        diff_limits_each(diff, json_limit, &diff->to);
        fputs(diff->limit_count > 0 ? "\n" : "", stdout);
        tp_json_end(&diff->to);
    } else if (diff->markdown && diff->limit_count > 0) {
        struct table *table = table_new();

        table_column(table, TABLE_TEXT, "", "state", 0);
        table_column(table, TABLE_TEXT, "limit", "limit", 0);
        table_column(table, TABLE_TEXT, "where", "where", 0);
        full_headings(table, "");
        diff_limits_each(diff, markdown_limit, table);
        write_section(diff, table, "limits", "Limits");
    }
}

static void print_side(const char *title, const struct inputs *inputs)
{
    char safe[4096];

    printf("%-9s", title);
    for (size_t i = 0; i < inputs->count; i++) {
        term_escape(safe, sizeof safe, inputs->name[i]);
        printf("%s %s", i ? "," : "", safe);
    }
    putchar('\n');
}

static void begin(struct diff *diff)
{
    const char *note;
    char safe[4096];

    if (diff->json) {
        diff->to.out = stdout;
        tp_json_begin(&diff->to, NULL, '{', ", ");
        tp_json_text(&diff->to, "format", "tenure-diff");
        tp_json_integer(&diff->to, "version", 1);
        json_list(&diff->to, "baseline", &diff->inputs[TP_BASELINE]);
        json_list(&diff->to, "new", &diff->inputs[TP_NEW]);
        tp_json_begin(&diff->to, "notes", '[', ", ");
        for (size_t i = 0; (note = tp_diff_note(diff->diff, i)) != NULL; i++)
            tp_json_text(&diff->to, NULL, note);
        tp_json_end(&diff->to);
        diff->to.open[0].between = ",\n"; /* of what follows each on a line of its own */
        return;
    }
    if (diff->markdown) {
        printf("## Tenure: what changed\n");
    } else {
        print_side("Baseline", &diff->inputs[TP_BASELINE]);
        print_side("New", &diff->inputs[TP_NEW]);
    }
    for (size_t i = 0; (note = tp_diff_note(diff->diff, i)) != NULL; i++) {
        term_escape(safe, sizeof safe, note);
        if (diff->markdown) {
            putchar('\n');
            table_code(stdout, safe);
            putchar('\n');
        } else {
            printf("%-9s %s\n", "Note", safe);
        }
    }
}

void diff_print(struct diff *diff)
{
    begin(diff);
    if (diff->markdown)
        write_limits(diff);
    totals(diff);
    rows_of(diff, TP_DIFF_FUNCTIONS, "functions", "Functions");
    if (diff->arcs)
        rows_of(diff, TP_DIFF_ARCS, "arcs", "Calls");
    if (diff->lines)
        rows_of(diff, TP_DIFF_LINES, "lines", "Lines");
    if (diff->data)
        rows_of(diff, TP_DIFF_DATA, "data_structures", "Data structures");
    if (diff->json) {
        write_limits(diff);
        putchar('\n');
        tp_json_end(&diff->to);
        putchar('\n');
    }
}
