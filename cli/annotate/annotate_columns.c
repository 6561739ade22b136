/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_columns.c: which columns there are, what they say of a row, and how rows are ordered and chosen.
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

static int use_term(struct annotate *an, struct tp_term term)
{
    size_t i = 0;

    while (i < an->terms && (an->term[i].event != term.event || an->term[i].inclusive != term.inclusive))
        i++;
    if (i == ANNOTATE_MAX_TERMS)
        return -1;
    if (i == an->terms)
        an->term[an->terms++] = term;
    return (int)i;
}

static bool use_terms(struct annotate *an, struct annotate_column *column)
{
    const struct tp_formula *formula = column->spec.formula;
    size_t count = formula != NULL ? formula->terms : 1, i;

    for (i = 0; i < count; i++) {
        struct tp_term term = {tp_event_find(an->profile, column->spec.event), column->spec.inclusive};
        int at;

        if (formula != NULL)
            term = (struct tp_term){formula->term[i].event, column->spec.inclusive || formula->term[i].inclusive};
        at = use_term(an, term);
        if (at < 0)
            return false;
        column->term[i] = (unsigned)at;
    }
    return true;
}

/* The number of the column with this name, made if it is new; -1 with a line on stderr, -2 without one where there is
 * no such event and `must` is false. */
static int add_column(struct annotate *an, const char *name, bool must)
{
    struct annotate_column *column = &an->column[an->columns];
    size_t i;

    if (an->columns == ANNOTATE_MAX_COLUMNS) {
        term_error("too many columns, the most is %d", ANNOTATE_MAX_COLUMNS);
        return -1;
    }
    if (must && !column_find(an->profile, "this profile", name, &column->spec))
        return -1;
    if (!must && !column_try(an->profile, name, &column->spec))
        return -2;
    for (i = 0; i < an->columns; i++) {
        if (strcmp(an->column[i].spec.name, column->spec.name) == 0)
            return (int)i;
    }
    if (!use_terms(an, column)) {
        term_error("too many events, the most is %d", ANNOTATE_MAX_TERMS);
        return -1;
    }
    return (int)an->columns++;
}

static bool add_all(struct annotate *an, const char *suffix)
{
    char name[300];
    size_t i;

    for (i = 0; i < tp_event_count(an->profile); i++) {
        snprintf(name, sizeof name, "%s%s", tp_event_at(an->profile, i)->name, suffix);
        if (add_column(an, name, false) == -1)
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

        if (all ? !add_all(an, name + strlen("all")) : add_column(an, name, true) < 0)
            return false;
    }
    if (an->columns == 0)
        term_error("--show: name an event, or all");
    return an->columns > 0;
}

/* The event sorted by first, self and inclusive; then what most questions are about. Of a profile of other events:
 * all. */
static bool add_usual(struct annotate *an)
{
    char first[64] = "CEst", name[80];
    size_t i, before;

    if (an->sort != NULL)
        snprintf(first, sizeof first, "%.*s", (int)strcspn(an->sort, ":,"), an->sort);
    if (*first == '\0')
        term_error("--sort: name an event first");
    if (*first == '\0' || add_column(an, first, an->sort != NULL) == -1)
        return false;
    if (an->columns > 0 && !query_was_off(an->profile, "inclusive")) {
        snprintf(name, sizeof name, "%s_incl", first);
        add_column(an, name, false);
    }
    before = an->columns;
    for (i = 0; tp_section_usual[i] != NULL; i++)
        add_column(an, tp_section_usual[i], false);
    return an->columns > before || add_all(an, "");
}

/* One of "Ir", "DLmr:1", which is cut at its colon. */
static bool add_key(struct annotate *an, char *name)
{
    struct annotate_key *key = &an->key[an->keys];
    char *colon = strchr(name, ':'), *end;
    int column;

    if (colon != NULL)
        *colon = '\0';
    if (an->keys == ANNOTATE_MAX_KEYS) {
        term_error("--sort: too many events, the most is %d", ANNOTATE_MAX_KEYS);
        return false;
    }
    column = add_column(an, name, true);
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

/* No cost is more than all there is; only differences are, which may cancel each other out, and ratios. */
static bool thresholds_make_sense(const struct annotate *an)
{
    for (size_t i = 0; i < an->keys; i++) {
        const struct annotate_key *key = &an->key[i];

        if (key->threshold <= 100 || an->column[key->column].spec.is_ratio || tp_meta(an->profile, "diff.new") != NULL)
            continue;
        term_error("a threshold of %g %% of %s would leave out all there is", key->threshold,
                   an->column[key->column].spec.name);
        return false;
    }
    return true;
}

/* With --show and without --sort, what is shown first sorts. */
bool annotate_choose(struct annotate *an)
{
    an->column = calloc(ANNOTATE_MAX_COLUMNS + 1, sizeof *an->column);
    if (an->column == NULL)
        term_no_memory();
    if (!(an->show != NULL ? add_listed(an) : add_usual(an)))
        return false;
    an->shown = an->columns;
    return add_keys(an) && thresholds_make_sense(an);
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
    const struct annotate_column *column = &an->column[i];
    const struct tp_formula *formula = column->spec.formula;
    struct tp_figure term[TP_FORMULA_TERMS], result;
    size_t t;

    if (formula == NULL)
        return value_of(an, column->term[0], cost);
    for (t = 0; t < formula->terms; t++) {
        struct annotate_value value = value_of(an, column->term[t], cost);

        term[t] = (struct tp_figure){value.value, value.known};
    }
    result = tp_formula_value(formula, term);
    return (struct annotate_value){result.known, false, 0, result.value};
}

bool annotate_percent(const struct annotate *an, size_t column, const struct annotate_value *value, double *out)
{
    struct annotate_value total;

    if (an->column[column].spec.is_ratio || !value->known)
        return false;
    total = annotate_value(an, column, an->costs.total);
    if (!total.known || total.value == 0)
        return false;
    *out = 100 * value->value / total.value;
    return true;
}

/* ------------------------------------------------------------------------------------------ order and choice */

static bool reaches(const struct annotate *an, const struct annotate_key *key, const union tp_cell *cost)
{
    struct annotate_value value = annotate_value(an, key->column, cost), total;

    if (key->threshold < 0 || !value.known)
        return false;
    if (an->column[key->column].spec.is_ratio)
        return fabs(value.value) >= key->threshold;
    total = annotate_value(an, key->column, an->costs.total);
    return value.value != 0 && 100 * fabs(value.value) >= key->threshold * (total.known ? fabs(total.value) : 0);
}

bool annotate_reaches(const struct annotate *an, const union tp_cell *cost)
{
    size_t i;

    for (i = 0; i < an->keys; i++) {
        if (reaches(an, &an->key[i], cost))
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
    size_t i;

    for (i = 0; i < an->keys && order == 0; i++)
        order = compare_column(an, an->key[i].column, a, b);
    for (i = 0; i < an->shown && order == 0; i++)
        order = compare_column(an, i, a, b);
    return order;
}
