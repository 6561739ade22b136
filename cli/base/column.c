/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.c: see column.h. What ratios there are, and what they mean, the profile knows (profile/read/formula.h).
 */
#include "cli/base/column.h"

#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "profile/raw/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The name without _incl; true if it had it. */
static bool base_name(const char *name, char *out, size_t size)
{
    size_t length = strlen(name);
    bool inclusive = length > 5 && strcasecmp(name + length - 5, "_incl") == 0;

    snprintf(out, size, "%.*s", (int)(inclusive ? length - 5 : length), name);
    return inclusive;
}

static bool find_event(tp_profile *profile, const char *base, struct column_spec *out)
{
    const struct tp_event *event = tp_event_find(profile, base);
    char sql[128];

    if (event == NULL)
        return false;
    snprintf(out->event, sizeof out->event, "%s", event->name);
    snprintf(out->name, sizeof out->name, "%s%s", event->name, out->inclusive ? "_incl" : "");
    snprintf(out->sql, sizeof out->sql, "\"%s\"", out->name);
    out->unit = event->unit;
    out->is_real = event->real;
    snprintf(sql, sizeof sql, "SELECT \"%s\" FROM totals", event->name);
    out->total = query_value(profile, sql, 0);
    return true;
}

static bool find_formula(tp_profile *profile, const char *base, struct column_spec *out)
{
    const struct tp_formula *formula = tp_formula_find(profile, base);
    char sql[sizeof out->sql], total[sizeof out->sql + 32];

    if (formula == NULL || !tp_formula_sql(profile, formula, out->inclusive, out->sql, sizeof out->sql))
        return false;
    snprintf(out->name, sizeof out->name, "%s%s", formula->name, out->inclusive ? "_incl" : "");
    out->formula = formula;
    out->unit = formula->unit;
    out->is_ratio = !formula->counts;
    if (formula->counts && tp_formula_sql(profile, formula, false, sql, sizeof sql)) {
        snprintf(total, sizeof total, "SELECT %s FROM totals", sql);
        out->total = query_value(profile, total, 0);
    }
    return true;
}

const char *column_take_define(void *into, const char *name, const char *value)
{
    struct column_defines *defines = into;
    static struct tp_error err;

    (void)name;
    if (defines->count == COLUMN_MAX_DEFINES)
        return "too many definitions";
    if (tp_define_check(value, &err) != 0)
        return err.message;
    defines->text[defines->count++] = value;
    return NULL;
}

bool column_define(tp_profile *profile, const struct column_defines *defines)
{
    struct tp_error err = {0};

    for (size_t i = 0; i < defines->count; i++) {
        if (tp_define(profile, defines->text[i], &err) != 0) {
            term_error("--define '%.200s': %s", defines->text[i], err.message);
            return false;
        }
    }
    return true;
}

bool column_try(tp_profile *profile, const char *name, struct column_spec *out)
{
    char base[48];

    memset(out, 0, sizeof *out);
    out->inclusive = base_name(name, base, sizeof base);
    return find_event(profile, base, out) || find_formula(profile, base, out);
}

/* Whether the recording was made without an option as events name it, "--branch-sim=yes". */
static bool was_without(tp_profile *profile, const char *option, size_t length)
{
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)(length > 2 ? strcspn(option + 2, "=") : 0), option + 2);
    if (strcmp(name, "L2") == 0)
        return tp_meta(profile, "import.format") == NULL && tp_meta(profile, "cache.L2") == NULL;
    return query_was_off(profile, name);
}

/* Adds to `out`, with a blank before each, the options without which the event `name`, or what it is made of, was not
 * recorded: " --branch-sim=yes". Nothing if the profile has it, or nobody knows it. */
static void add_missing(tp_profile *profile, const char *name, char *out, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    struct tp_declared event;
    size_t length;

    tp_declared_find(name, &event);
    for (const char *at = event.option; *at != '\0'; at += length + strspn(at + length, " ")) {
        size_t used = strlen(out);
        length = strcspn(at, " ");
        if (was_without(profile, at, length))
            snprintf(out + used, size - used, " %.*s", (int)length, at);
    }
    for (const char *at = event.formula; *out == '\0' && *at != '\0'; at += length + strcspn(at + length, letters)) {
        char part[TP_EVENT_NAME];
        length = strspn(at, letters);
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        if (length > 0 && tp_event_find(profile, part) == NULL)
            add_missing(profile, part, out, size);
    }
}

bool column_find(tp_profile *profile, const char *which, const char *name, struct column_spec *out)
{
    const char *names[160];
    const struct tp_formula *formula;
    size_t count = 0;
    char base[48], missing[128] = "";

    if (column_try(profile, name, out))
        return true;
    for (size_t i = 0; i < tp_event_count(profile) && count < 100; i++)
        names[count++] = tp_event_at(profile, i)->name;
    for (formula = tp_formulas(profile); formula != NULL && count < 160; formula = formula->next)
        names[count++] = formula->name;
    base_name(name, base, sizeof base);
    const char *like = opt_nearest(base, names, count);
    add_missing(profile, base, missing, sizeof missing);
    if (strchr(base, '@') != NULL && query_was_off(profile, "curves")) /* LLm@2M */
        snprintf(missing, sizeof missing, " --curves=yes");
    if (*missing != '\0')
        term_error("%s has no event %s; record it with%s", which, name, missing);
    else if (like != NULL)
        term_error("%s has no event %s; did you mean %s?", which, name, like);
    else
        term_error("%s has no event %s; `tenure info FILE` lists what it has", which, name);
    return false;
}

static size_t find_in(const struct column_list *list, const char *name)
{
    size_t i = 0;

    while (i < list->count && strcmp(list->at[i].name, name) != 0)
        i++;
    return i;
}

bool column_keep(struct column_list *list, const struct column_spec *spec)
{
    bool is_new = find_in(list, spec->name) == list->count;

    if (is_new)
        memcpy(term_have(TP_VECTOR_ADD(list)), spec, sizeof *spec);
    return is_new;
}

int column_add(struct column_list *list, tp_profile *profile, const char *name, bool must)
{
    struct column_spec spec;

    if (must ? !column_find(profile, "this profile", name, &spec) : !column_try(profile, name, &spec))
        return must ? COLUMN_REFUSED : COLUMN_NONE;
    if (find_in(list, spec.name) == list->count && list->count == list->most) {
        term_error("too many columns, the most is %zu", list->most);
        return COLUMN_REFUSED;
    }
    column_keep(list, &spec);
    return (int)find_in(list, spec.name);
}

/* The name above; below it "incl", and what the numbers are. */
static void title_of(const struct column_spec *spec, const char *what, char *out, size_t size)
{
    char base[64];

    base_name(spec->name, base, sizeof base);
    if (spec->inclusive)
        snprintf(out, size, "%s\nincl%s%s", base, *what != '\0' ? " " : "", what);
    else
        snprintf(out, size, "%s%s%s", base, *what != '\0' ? "\n" : "", what);
}

void column_headings(struct table *table, const struct column_spec *spec, int group, int percent_group)
{
    char title[96], key[64];

    title_of(spec, spec->unit, title, sizeof title);
    if (spec->is_ratio) {
        table_column(table, strcmp(spec->unit, "times") == 0 ? TABLE_REAL : TABLE_RATE, title, spec->name, group);
        return;
    }
    table_column(table, spec->is_real ? TABLE_REAL : TABLE_COUNT, title, spec->name, group);
    if (percent_group < 0)
        return;
    snprintf(key, sizeof key, "%s_percent", spec->name);
    table_column(table, TABLE_PERCENT, "%", key, percent_group);
    title_of(spec, "%", title, sizeof title);
    table_heading_alone(table, title);
}

void column_meaning(tp_profile *profile, const struct column_spec *spec, char *out, size_t size)
{
    struct tp_declared declared;
    const char *name = spec->formula != NULL ? spec->formula->name : spec->event;
    const char *words = tp_words_of(profile, name, &declared);
    bool estimate = strcmp(spec->event, "CEst") == 0, own = spec->formula != NULL && spec->formula->meaning == NULL;
    const struct tp_event *event = tp_event_find(profile, name);
    size_t used = (size_t)snprintf(out, size, *declared.level != '\0' ? "%s (%s)" : "%s%s",
                                   own ? spec->formula->text : words, own ? "" : declared.level);

    used += estimate && used < size ? (size_t)snprintf(out + used, size - used, ", ") : 0;
    for (const char *from = estimate && event->formula ? event->formula : ""; *from != '\0' && used + 1 < size;) {
        from += strncmp(from, "* ", 2) == 0 ? 2 : 0; /* the sign is left out */
        out[used++] = *from++;
        out[used] = '\0';
    }
}

void column_cells(struct table *table, const struct column_spec *spec, struct query *q, int at, double total)
{
    double value = query_real(q, at);

    if (total == 0)
        total = spec->total;
    if (query_null(q, at))
        table_null(table);
    else if (spec->is_ratio || spec->is_real)
        table_number(table, value);
    else
        table_count(table, query_int(q, at));
    if (spec->is_ratio)
        return;
    if (query_null(q, at) || total == 0)
        table_null(table);
    else
        table_number(table, value == 0 ? 0 : 100.0 * value / fabs(total)); /* of a difference: with its sign */
}

bool column_leaves_some(tp_profile *profile, double percent, const char *what)
{
    if (percent <= 100 || tp_meta(profile, "diff.new") != NULL)
        return true;
    term_error("a threshold of %g %% of %s would leave out all there is", percent, what);
    return false;
}

const char *column_sampled(tp_profile *profile, char *out, size_t size)
{
    unsigned sample = tp_sample(profile);

    if (sample == 1)
        return NULL;
    snprintf(out, size, "one set of the caches in %u: misses and use of lines are estimates", sample);
    return out;
}

bool column_margin(tp_profile *profile, enum tp_sampled of, const struct column_spec *spec, struct tp_margin **margin)
{
    struct tp_error err = {0};

    *margin = NULL;
    if (tp_sample(profile) == 1)
        return true;
    *margin = tp_margin_new(profile, of, spec->formula, spec->event, spec->inclusive, &err);
    if (*margin == NULL)
        term_error("%s", err.message);
    return *margin != NULL;
}

void column_margin_heading(struct table *table, const struct column_spec *spec, bool keyed, int group)
{
    char key[64];

    snprintf(key, sizeof key, "%s_margin", spec->name);
    if (keyed)
        table_column(table, TABLE_REAL, NULL, key, group);
    table_column(table, TABLE_PERCENT, spec->is_ratio ? "±" : "±\n%", NULL, group);
}

void column_unsure(struct table *table, const struct column_spec *spec, struct tp_figure off, double value)
{
    if (spec->is_ratio && off.known && off.value > fabs(value))
        table_unsure(table);
}

void column_margin_cell(struct table *table, const struct column_spec *spec, struct tp_figure off, double value)
{
    if (off.known && (spec->is_ratio || value != 0))
        table_number(table, spec->is_ratio ? off.value : 100 * off.value / fabs(value));
    else
        table_null(table);
}

bool column_margin_cells(struct table *table, const struct column_spec *spec, struct tp_margin *margin,
                         struct query *q, int at, int64_t id)
{
    struct tp_figure off;
    struct tp_error err = {0};
    double value = query_real(q, at);

    if (tp_margin_at(margin, id, &off, &err) != 0) {
        term_error("%s", err.message);
        return false;
    }
    off.known &= !query_null(q, at);
    column_unsure(table, spec, off, value);
    if (off.known)
        table_number(table, off.value);
    else
        table_null(table);
    column_margin_cell(table, spec, off, value);
    return true;
}
