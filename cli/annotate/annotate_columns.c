/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_columns.c: which columns there are, what they say of a row, and how rows are ordered, chosen and printed.
 *
 * Names are looked up once, when options are read; a formula's value is computed where it is asked for. A profile may
 * be a difference, with counts below 0: amounts count for order and thresholds, not signs.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "profile/read/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a term, which is added if it is new; ANNOTATE_MAX_TERMS: there is no room, an error was printed. */
static unsigned use_term(struct annotate *an, struct tp_term term)
{
    unsigned at = 0;

    while (at < an->terms && (an->term[at].event != term.event || an->term[at].inclusive != term.inclusive))
        at++;
    if (at == ANNOTATE_MAX_TERMS)
        term_error("too many events, the most is %d", ANNOTATE_MAX_TERMS);
    else if (at == an->terms)
        an->term[an->terms++] = term;
    return at;
}

/* Accesses, which margins ask for. */
static bool use_accesses(struct annotate *an)
{
    static const char *const names[] = {"Ir", "Dr", "Dw"};
    bool inclusive = false, good = true;

    for (size_t t = 0; t < an->terms; t++)
        inclusive |= an->term[t].inclusive;
    for (int incl = 0; incl <= inclusive; incl++) {
        for (int i = 0; i < 3; i++) {
            const struct tp_event *event = tp_event_find(an->profile, names[i]);

            an->ran_of[incl][i] = ANNOTATE_MAX_TERMS;
            if (event != NULL)
                good &= (an->ran_of[incl][i] = use_term(an, (struct tp_term){event, incl})) < ANNOTATE_MAX_TERMS;
        }
    }
    return good;
}

/* The terms that the columns are made of, each once. */
static bool use_terms(struct annotate *an)
{
    an->term_of = term_have(calloc(an->columns.count + 1, sizeof *an->term_of));
    for (size_t c = 0; c < an->columns.count; c++) {
        const struct column_spec *spec = &an->columns.at[c];
        size_t count = spec->formula != NULL ? spec->formula->terms : 1;

        for (size_t i = 0; i < count; i++) {
            struct tp_term term = {tp_event_find(an->profile, spec->event), spec->inclusive};

            if (spec->formula != NULL)
                term = (struct tp_term){spec->formula->term[i].event,
                                        spec->inclusive || spec->formula->term[i].inclusive};
            an->term_of[c][i] = use_term(an, term);
            if (an->term_of[c][i] == ANNOTATE_MAX_TERMS)
                return false;
        }
    }
    return tp_sample(an->profile) == 1 || use_accesses(an);
}

static bool add_all(struct annotate *an, const char *suffix)
{
    char name[300];

    for (size_t i = 0; i < tp_event_count(an->profile); i++) {
        snprintf(name, sizeof name, "%s%s", tp_event_at(an->profile, i)->name, suffix);
        if (column_add(&an->columns, an->profile, name, false) == COLUMN_REFUSED)
            return false;
    }
    return true;
}

static bool add_listed(struct annotate *an)
{
    const char *at = an->show;
    char name[300];

    while (opt_next_word(&at, name, sizeof name)) {
        bool all = strcmp(name, "all") == 0 || strcmp(name, "all_incl") == 0;

        if (all ? !add_all(an, name + strlen("all")) : column_add(&an->columns, an->profile, name, true) < 0)
            return false;
    }
    if (an->columns.count == 0)
        term_error("--show: name an event, or all");
    return an->columns.count > 0;
}

/* The event sorted by first, as in a report, self and inclusive; then what most questions are about. Of a profile of
 * other events: all. */
static bool add_usual(struct annotate *an)
{
    char first[64], name[80];

    snprintf(first, sizeof first, "%s", tp_timed(an->profile) ? "Time" : "CEst");
    if (an->sort != NULL)
        snprintf(first, sizeof first, "%.*s", (int)strcspn(an->sort, ":,"), an->sort);
    if (*first == '\0')
        term_error("--sort: name an event first");
    if (*first == '\0' || column_add(&an->columns, an->profile, first, an->sort != NULL) == COLUMN_REFUSED)
        return false;
    if (an->columns.count > 0 && !query_was_off(an->profile, "inclusive")) {
        snprintf(name, sizeof name, "%s_incl", first);
        column_add(&an->columns, an->profile, name, false);
    }
    size_t before = an->columns.count;
    for (size_t i = 0; tp_section_usual[i] != NULL; i++)
        column_add(&an->columns, an->profile, tp_section_usual[i], false);
    return an->columns.count > before || add_all(an, "");
}

/* One of "Ir", "DLmr:1", which is cut at its colon. */
static bool add_key(struct annotate *an, char *name)
{
    struct annotate_key *key = &an->key[an->keys];
    char *colon = strchr(name, ':'), *end;

    if (colon != NULL)
        *colon = '\0';
    if (an->keys == ANNOTATE_MAX_KEYS) {
        term_error("--sort: too many events, the most is %d", ANNOTATE_MAX_KEYS);
        return false;
    }
    int column = column_add(&an->columns, an->profile, name, true);
    if (column < 0)
        return false;
    *key = (struct annotate_key){(unsigned)column, an->keys++ == 0 ? an->threshold : -1};
    if (colon == NULL)
        return true;
    key->threshold = strtod(colon + 1, &end);
    if (end != colon + 1 && *end == '\0' && key->threshold >= 0 && isfinite(key->threshold))
        return true;
    term_error("--sort: the threshold of %s must be a percentage, as in DLmr:1", name);
    return false;
}

static bool add_keys(struct annotate *an)
{
    const char *at = an->sort;
    char name[300];

    if (at == NULL) {
        an->key[an->keys++] = (struct annotate_key){0, an->threshold};
        return true;
    }
    while (opt_next_word(&at, name, sizeof name)) {
        if (!add_key(an, name))
            return false;
    }
    if (an->keys == 0)
        term_error("--sort: name an event");
    return an->keys > 0;
}

static bool thresholds_make_sense(const struct annotate *an)
{
    for (size_t i = 0; i < an->keys; i++) {
        const struct annotate_key *key = &an->key[i];

        const struct column_spec *spec = &an->columns.at[key->column];

        if (!spec->is_ratio && !column_leaves_some(an->profile, key->threshold, spec->name))
            return false;
    }
    return true;
}

/* With --show and without --sort, what is shown first sorts. */
bool annotate_choose(struct annotate *an)
{
    an->columns.most = ANNOTATE_MAX_COLUMNS;
    if (!(an->show != NULL ? add_listed(an) : add_usual(an)))
        return false;
    an->shown = an->columns.count;
    return add_keys(an) && thresholds_make_sense(an) && use_terms(an);
}

/* ------------------------------------------------------------------------------------------ values */

static struct annotate_value value_of(const struct annotate *an, unsigned term, const union tp_cell *cost)
{
    union tp_cell cell = cost[term];
    struct annotate_value value = {cell.count != TP_ABSENT, !an->term[term].event->real, 0, 0};

    if (value.known && value.is_count)
        value.value = (double)(value.count = cell.count);
    else if (value.known)
        value.value = cell.real;
    return value;
}

struct annotate_value annotate_value(const struct annotate *an, size_t i, const union tp_cell *cost)
{
    const struct tp_formula *formula = an->columns.at[i].formula;
    struct tp_figure term[TP_FORMULA_TERMS];

    if (formula == NULL)
        return value_of(an, an->term_of[i][0], cost);
    for (size_t t = 0; t < formula->terms; t++) {
        struct annotate_value value = value_of(an, an->term_of[i][t], cost);

        term[t] = (struct tp_figure){value.value, value.known};
    }
    struct tp_figure result = tp_formula_value(formula, term);
    return (struct annotate_value){result.known, formula->counts, (int64_t)result.value, result.value};
}

/* ------------------------------------------------------------------------------------------ margins */

static struct tp_margin *margin_in(struct annotate *an, size_t column, enum tp_sampled of)
{
    if (an->margin == NULL)
        an->margin = term_have(calloc(an->columns.count + 1, sizeof *an->margin));
    struct tp_margin **margin = &an->margin[column][of - 1];
    if (*margin == NULL && !an->failed)
        an->failed = !column_margin(an->profile, of, &an->columns.at[column], margin);
    return *margin;
}

/* Whether a column of margins stands beside that one. */
static bool has_margin(struct annotate *an, size_t column)
{
    const struct tp_margin *margin = an->costs.groups > 0 ? margin_in(an, column, TP_SAMPLED_TOTALS) : NULL;

    return margin != NULL && !tp_margin_is_none(margin);
}

struct tp_figure annotate_margin(struct annotate *an, size_t column, enum tp_sampled of, const union tp_cell *cost)
{
    const struct column_spec *spec = &an->columns.at[column];
    struct tp_margin *margin = of == TP_SAMPLED_NONE ? NULL : margin_in(an, column, of);
    struct tp_sampled_sum sum = {0};

    for (size_t i = 0; i < (spec->formula != NULL ? spec->formula->terms : 1); i++) {
        unsigned term = an->term_of[column][i];

        for (size_t g = 0; g <= an->costs.groups; g++) {
            struct annotate_value value = value_of(an, term, cost + g * an->terms);

            *(g == 0 ? &sum.all[i] : &sum.group[g - 1][i]) = (struct tp_figure){value.value, value.known};
            if (g > 0 && !value.known && sum.all[i].known)
                margin = NULL;
        }
        for (int a = 0; a < 3; a++) {
            unsigned ran = an->ran_of[an->term[term].inclusive][a];

            if (ran < an->terms)
                sum.ran[i] += value_of(an, ran, cost).value;
        }
    }
    return margin != NULL ? tp_margin_of(margin, &sum) : (struct tp_figure){0, false};
}

void annotate_margins_free(struct annotate *an)
{
    for (size_t i = 0; an->margin != NULL && i < an->columns.count; i++) {
        for (size_t of = 0; of < TP_SAMPLED_DATA; of++)
            tp_margin_free(an->margin[i][of]);
    }
    free(an->margin);
}

/* ------------------------------------------------------------------------------------------ tables */

/* Where it is narrow percentages go first, and then columns from the right. */
struct table *annotate_table(struct annotate *an, enum table_kind kind, const char *heading)
{
    enum { TEXT_LEAST = 40 };
    struct table *table = table_new();
    size_t at = 0;

    for (size_t i = 0; i < an->shown; i++) {
        const struct column_spec *spec = &an->columns.at[i];

        column_headings(table, spec, (int)i, an->percentages ? ANNOTATE_MAX_COLUMNS + (int)i : -1);
        if (spec->is_ratio && *spec->unit == '\0')
            table_kind(table, at, TABLE_FIGURE);
        at += an->percentages && !spec->is_ratio ? 2 : 1;
        if (!has_margin(an, i))
            continue;
        column_margin_heading(table, spec, false, (int)i);
        at++;
    }
    if (an->statements && kind == TABLE_SOURCE)
        table_column(table, TABLE_REAL, "cost", NULL, 0);
    table_column(table, kind, heading, NULL, 0);
    table_least(table, TEXT_LEAST);
    return table;
}

static void annotate_cell(struct annotate *an, struct table *table, size_t i, const union tp_cell *cost, bool blank)
{
    const struct column_spec *spec = &an->columns.at[i];
    struct annotate_value value = {.known = false}, total = {.known = false};

    if (cost != NULL)
        value = annotate_value(an, i, cost);
    if (blank)
        table_text(table, "");
    else if (!value.known)
        table_null(table);
    else if (value.is_count)
        table_count(table, value.count);
    else
        table_number(table, value.value);
    if (!an->percentages || spec->is_ratio)
        return;
    if (!blank && value.known)
        total = annotate_value(an, i, an->costs.total);
    if (total.known && total.value != 0)
        table_number(table, value.value == 0 ? 0 : 100 * value.value / fabs(total.value)); /* as column.c has it */
    else
        table_text(table, "");
}

void annotate_cells(struct annotate *an, struct table *table, const union tp_cell *cost, enum annotate_known known,
                    enum tp_sampled of)
{
    for (size_t i = 0; i < an->shown; i++) {
        const struct column_spec *spec = &an->columns.at[i];
        bool blank = known == (spec->inclusive ? ANNOTATE_SELF_ONLY : ANNOTATE_INCLUSIVE_ONLY);

        annotate_cell(an, table, i, cost, blank);
        if (!has_margin(an, i))
            continue;
        struct annotate_value value = cost != NULL ? annotate_value(an, i, cost) : (struct annotate_value){0};
        struct tp_figure off = {0, false};
        if (!blank && value.known)
            off = annotate_margin(an, i, of, cost);
        column_unsure(table, spec, off, value.value);
        column_margin_cell(table, spec, off, value.value);
    }
}

void annotate_print(const struct annotate *an, struct table *table)
{
    table_print(table, stdout, an->show == NULL && term_cuts(stdout));
    table_free(table);
}

void annotate_section(struct annotate *an, const char *title)
{
    enum { LONGEST = 8192, RULE = 80 };
    char safe[LONGEST];

    term_escape(safe, sizeof safe, title);
    printf("%s%s== %s ", an->sections++ > 0 ? "\n" : "", term_style(stdout, TERM_BOLD), safe);
    for (int width = term_columns(safe) + 4; width < RULE; width++)
        putchar('=');
    printf("%s\n", term_style(stdout, TERM_PLAIN));
}

/* ------------------------------------------------------------------------------------------ order and choice */

bool annotate_reaches(const struct annotate *an, const union tp_cell *cost)
{
    for (size_t i = 0; i < an->keys; i++) {
        const struct annotate_key *key = &an->key[i];
        struct annotate_value value = annotate_value(an, key->column, cost), total;

        if (key->threshold < 0 || !value.known)
            continue;
        if (an->columns.at[key->column].is_ratio) {
            if (fabs(value.value) >= key->threshold)
                return true;
            continue;
        }
        total = annotate_value(an, key->column, an->costs.total);
        if (value.value != 0 && 100 * fabs(value.value) >= key->threshold * (total.known ? fabs(total.value) : 0))
            return true;
    }
    return false;
}

static int compare_column(const struct annotate *an, size_t column, const union tp_cell *a, const union tp_cell *b)
{
    struct annotate_value x = annotate_value(an, column, a), y = annotate_value(an, column, b);

    if (!x.known || !y.known)
        return (int)y.known - (int)x.known;
    return fabs(x.value) > fabs(y.value) ? -1 : fabs(x.value) < fabs(y.value);
}

int annotate_compare(const struct annotate *an, const union tp_cell *a, const union tp_cell *b)
{
    int order = 0;

    for (size_t i = 0; i < an->keys && order == 0; i++)
        order = compare_column(an, an->key[i].column, a, b);
    for (size_t i = 0; i < an->shown && order == 0; i++)
        order = compare_column(an, i, a, b);
    return order;
}
