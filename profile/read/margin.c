/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * margin.c: see margin.h.
 */
#include "profile/read/margin.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/opened.h"

enum { GROUPS = TN_SAMPLE_GROUPS };
static const double student = 3.182446; /* 95 %, GROUPS - 1 degrees of freedom */

/* ran: rows have events Ir, Dr and Dw, so it is known how many accesses each made. */
static const struct {
    const char *view, *groups, *is_row, *of;
    bool ran, has_mean;
} kinds[] = {
    [TP_SAMPLED_TOTALS] = {"totals", "total_groups", "?1 IS NOT NULL", "1", false, false},
    [TP_SAMPLED_FUNCTIONS] = {"functions", "function_groups", "id = ?1", "function_id", true, true},
    [TP_SAMPLED_LINES] = {"lines", "line_groups", "id = ?1", "line_id", true, true},
    [TP_SAMPLED_ARCS] = {"arcs", "arc_groups", "id = ?1", "arc_id", true, false},
    [TP_SAMPLED_DATA] = {"data_objects", "data_groups", "id = ?1", "data_id", false, true},
};

struct tp_margin {
    tp_profile *profile;
    enum tp_sampled of;
    struct tp_formula formula;
    bool inclusive;        /* all its terms */
    char *whole;           /* SQL of a formula that counts something, which is then one term; else NULL */
    sqlite3_stmt *row, *groups;
    struct least {
        double count, per_access; /* variance of a term: of any count, and for each of its accesses */
    } least[TP_FORMULA_TERMS];
    unsigned sample;
    bool is_none;
};

unsigned tp_sample(tp_profile *profile)
{
    const char *value = tp_meta(profile, "sample");
    long sample = value ? strtol(value, NULL, 10) : 1;

    return sample > 1 && sample <= TN_RAW_MOST_SAMPLED ? (unsigned)sample : 1;
}

static const char *suffix(const struct tp_margin *margin, size_t term)
{
    return margin->inclusive || margin->formula.term[term].inclusive ? "_incl" : "";
}

/* SQL: a term. */
static char *term_sql(const struct tp_margin *margin, size_t term)
{
    return margin->whole ? sqlite3_mprintf("%s", margin->whole)
                         : sqlite3_mprintf("\"%w%s\"", margin->formula.term[term].event->name, suffix(margin, term));
}

/* SQL: the accesses of a row. */
static char *accesses(const struct tp_margin *margin, size_t term)
{
    if (!kinds[margin->of].ran)
        return sqlite3_mprintf("0");
    return sqlite3_mprintf("(ifnull(\"Ir%s\", 0) + ifnull(\"Dr%s\", 0) + ifnull(\"Dw%s\", 0))", suffix(margin, term),
                           suffix(margin, term), suffix(margin, term));
}

/* How small the variance of a term cannot be: of things together, whose groups tell it. */
static int find_least(struct tp_margin *margin, size_t term, struct tp_error *err)
{
    const char *incl = suffix(margin, term);
    struct least *least = &margin->least[term];
    double seen, all = 0, ran = 0, sample = margin->sample;
    char *own = accesses(margin, term), *event = term_sql(margin, term);

    int failed =
        !own || !event
             ? TP_NO_MEMORY(err)
             : tp_number(margin->profile, sqlite3_mprintf("SELECT count(DISTINCT %s) FROM %s WHERE %s <> 0",
                                                          kinds[margin->of].of, kinds[margin->of].groups, event),
                         0, &seen, err) ||
                   tp_number(margin->profile,
                             sqlite3_mprintf("SELECT sum(v) FROM (SELECT (sum(1.0 * e * e) - 1.0 * sum(e) * sum(e) / "
                                             "%d) * %d / %d AS v FROM (SELECT %s AS id, %s AS e FROM %s) "
                                             "GROUP BY id)",
                                             GROUPS, GROUPS, GROUPS - 1, kinds[margin->of].of, event,
                                             kinds[margin->of].groups),
                             0, &all, err) ||
                   tp_number(margin->profile, sqlite3_mprintf("SELECT sum(%s) FROM %s", own, kinds[margin->of].view), 0,
                             &ran, err);
    sqlite3_free(own);
    sqlite3_free(event);
    least->count = sample * sample;
    if (kinds[margin->of].has_mean && *incl == '\0' && seen > 0)
        least->count = fmax(least->count, all / seen);
    least->per_access = ran > 0 ? all / ran : 0;
    return failed ? -1 : 0;
}

static bool is_immediate(const char *name)
{
#define TN_IMMEDIATE(exact, ...) \
    if (strcmp(name, #exact) == 0) \
        return true;
#include "core/events.inc"
    return false;
}

bool tp_event_is_exact(const struct tp_event *event)
{
    struct tp_weighted_sum sum = {0};

    if (!event->derived)
        return is_immediate(event->name);
    if (!event->formula || tp_weighted_sum_read(&sum, event->formula))
        return false;
    for (size_t i = 0; i < sum.count; i++) {
        if (!is_immediate(sum.term[i].event)) /* no sum of what is counted has parts that are sums */
            return false;
    }
    return true;
}

/* Ask for the terms of a row behind `first`, and behind them for the accesses that each falls to. */
static sqlite3_stmt *ask(struct tp_margin *margin, const char *first, const char *from, const char *where,
                         struct tp_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(margin->profile->db);
    size_t terms = margin->formula.terms;

    sqlite3_str_appendf(sql, "SELECT %s", first);
    for (size_t i = 0; i < terms; i++) {
        char *term = term_sql(margin, i);
        sqlite3_str_appendf(sql, ", %s", term); /* without memory no SQL */
        sqlite3_free(term);
    }
    for (size_t i = 0; i < terms; i++) {
        char *own = accesses(margin, i);
        sqlite3_str_appendf(sql, ", %s", own ? own : "0");
        sqlite3_free(own);
    }
    sqlite3_str_appendf(sql, " FROM %s WHERE %s", from, where);
    return tp_query(margin->profile, sqlite3_str_finish(sql), err);
}

static int prepare(struct tp_margin *margin, struct tp_error *err)
{
    char mine[64];

    margin->is_none = true;
    for (size_t i = 0; i < margin->formula.terms; i++) {
        bool exact = tp_event_is_exact(margin->formula.term[i].event);
        margin->is_none &= exact;
        if (!exact && find_least(margin, i, err))
            return -1;
    }
    snprintf(mine, sizeof mine, "%s = ?1", kinds[margin->of].of);
    margin->row = ask(margin, "0", kinds[margin->of].view, kinds[margin->of].is_row, err);
    margin->groups = margin->row ? ask(margin, "sample_group", kinds[margin->of].groups, mine, err) : NULL;
    return margin->groups ? 0 : -1;
}

/* What counts something is an event as others are: parts of it that go together would be too wide one by one. */
static int whole_of(struct tp_margin *margin, const struct tp_formula *formula, struct tp_error *err)
{
    enum { LONGEST = TP_FORMULA_TERMS * 64 };

    if (!formula || !formula->counts)
        return 0;
    margin->whole = malloc(LONGEST);
    if (!margin->whole)
        return TP_NO_MEMORY(err);
    tp_formula_sql(margin->profile, formula, margin->inclusive, margin->whole, LONGEST);
    return 0;
}

struct tp_margin *tp_margin_new(tp_profile *profile, enum tp_sampled of, const struct tp_formula *formula,
                                const char *event, bool inclusive, struct tp_error *err)
{
    struct tp_margin *margin = calloc(1, sizeof *margin);
    const struct tp_event *found = formula ? NULL : tp_event_find(profile, event);

    if (!margin) {
        TP_NO_MEMORY(err);
        return NULL;
    }
    margin->profile = profile;
    margin->of = of;
    margin->inclusive = inclusive;
    margin->sample = tp_sample(profile);
    for (size_t i = 0; formula && formula->counts && i < formula->terms; i++) {
        /* It is exact if all its terms are. */
        if (!found || tp_event_is_exact(found))
            found = formula->term[i].event;
    }
    if (found) {
        margin->formula.term[0].event = found;
        margin->formula.step[0].what = '$';
        margin->formula.terms = margin->formula.steps = 1;
    } else if (formula) {
        margin->formula = *formula;
    } else {
        TP_FAIL(err, "%s: has no event %s", tp_path(profile), event);
    }
    if ((formula || found) && whole_of(margin, formula, err) == 0 && prepare(margin, err) == 0)
        return margin;
    tp_margin_free(margin);
    return NULL;
}

void tp_margin_free(struct tp_margin *margin)
{
    if (!margin)
        return;
    sqlite3_finalize(margin->row);
    sqlite3_finalize(margin->groups);
    free(margin->whole);
    free(margin);
}

/* Add a row's values of the formula's terms; what is not known adds nothing. */
static void take(const struct tp_margin *margin, sqlite3_stmt *row, struct tp_figure *term)
{
    for (size_t i = 0; i < margin->formula.terms; i++) {
        bool known = sqlite3_column_type(row, (int)i + 1) != SQLITE_NULL;
        term[i].value += known ? sqlite3_column_double(row, (int)i + 1) : 0;
        term[i].known |= known;
    }
}

/* Of an estimate with this variance, where one set in `sample` was simulated. */
static double margin_of(double variance, unsigned sample)
{
    return student * sqrt(variance * (1 - 1.0 / sample));
}

static double sum_of_squares(const double value[GROUPS])
{
    double mean = 0, squares = 0;

    for (int k = 0; k < GROUPS; k++)
        mean += value[k] / GROUPS;
    for (int k = 0; k < GROUPS; k++)
        squares += (value[k] - mean) * (value[k] - mean);
    return squares;
}

/* GROUPS values, each of all but one group: the variance of the value of all. */
static double variance_of(const double value[GROUPS])
{
    return sum_of_squares(value) * (GROUPS - 1) / GROUPS;
}

double tp_margin_of_groups(const double group[GROUPS], double least, unsigned sample)
{
    return margin_of(fmax(least, sum_of_squares(group) * GROUPS / (GROUPS - 1)), sample);
}

int tp_margin_add(struct tp_margin *margin, int64_t id, struct tp_sampled_sum *sum, struct tp_error *err)
{
    int more;

    sqlite3_reset(margin->row);
    sqlite3_reset(margin->groups);
    id = margin->of == TP_SAMPLED_TOTALS ? 1 : id;
    sqlite3_bind_int64(margin->row, 1, id);
    sqlite3_bind_int64(margin->groups, 1, id);
    if ((more = tp_row(margin->profile, margin->row, err)) <= 0)
        return more;
    take(margin, margin->row, sum->all);
    for (size_t i = 0; i < margin->formula.terms; i++)
        sum->ran[i] += sqlite3_column_double(margin->row, (int)(margin->formula.terms + i) + 1);
    while ((more = tp_row(margin->profile, margin->groups, err)) > 0) {
        int64_t group = sqlite3_column_int64(margin->groups, 0);
        if (group >= 1 && group <= GROUPS)
            take(margin, margin->groups, sum->group[group - 1]);
    }
    return more < 0 ? -1 : 0;
}

struct tp_figure tp_margin_of(const struct tp_margin *margin, const struct tp_sampled_sum *sum)
{
    const struct tp_formula *formula = &margin->formula;
    struct tp_figure all[TP_FORMULA_TERMS], without[GROUPS][TP_FORMULA_TERMS];
    double value[GROUPS], variance;

    memcpy(all, sum->all, sizeof all);
    for (int k = 0; k < GROUPS; k++) {
        for (size_t i = 0; i < formula->terms; i++) {
            double sampled = 0;
            for (int j = 0; j < GROUPS; j++)
                sampled += sum->group[j][i].value;
            without[k][i] = all[i];
            without[k][i].value += (sampled - sum->group[k][i].value) * GROUPS / (GROUPS - 1) - sampled;
        }
        struct tp_figure figure = tp_formula_value(formula, without[k]);
        if (!figure.known)
            return (struct tp_figure){0, false};
        value[k] = figure.value;
    }
    variance = variance_of(value);
    for (size_t i = 0; i < formula->terms; i++) { /* what a term's own groups tell too little of */
        double least = fmax(margin->least[i].count, margin->least[i].per_access * sum->ran[i]), known = all[i].value;
        double before = tp_formula_value(formula, all).value;
        for (int k = 0; k < GROUPS; k++)
            value[k] = without[k][i].value;
        all[i].value += sqrt(fmax(0, least - variance_of(value)));
        double off = tp_formula_value(formula, all).value - before;
        all[i].value = known;
        variance += off * off;
    }
    return (struct tp_figure){margin_of(variance, margin->sample), true};
}

int tp_margin_at(struct tp_margin *margin, int64_t id, struct tp_figure *out, struct tp_error *err)
{
    struct tp_sampled_sum sum = {0};
    int status = tp_margin_add(margin, id, &sum, err);

    *out = tp_margin_of(margin, &sum);
    return status;
}

bool tp_margin_is_none(const struct tp_margin *margin)
{
    return margin->is_none;
}
