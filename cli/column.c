/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.c: see column.h. A ratio is a formula in which `@` stands for the suffix of inclusive columns; it
 * exists in profiles that have all its events (one stands for those of its kind), and is NULL where its divisor is 0.
 * Dirty lines are all of one size, which is what is known of them in the tenures that ended: (Use + SpLoss) / Ev.
 */
#include "cli/column.h"

#include "cli/opt.h"
#include "cli/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *needs, *formula, *meaning, *needs_too;
} ratios[] = {
    {"spatialI1", "UseI1", "100.0 * UseI1@ / nullif(UseI1@ + SpLossI1@, 0)",
     "touched part of the bytes loaded into I1"},
    {"spatialD1", "UseD1", "100.0 * UseD1@ / nullif(UseD1@ + SpLossD1@, 0)",
     "touched part of the bytes loaded into D1"},
    {"spatialD2", "UseD2", "100.0 * UseD2@ / nullif(UseD2@ + SpLossD2@, 0)",
     "touched part of the bytes loaded into L2 as data"},
    {"temporalD2", "UseD2", "1.0 * BytD2@ / nullif(UseD2@, 0) - 1",
     "how often a touched byte was touched again in L2"},
    {"spatialL", "UseL", "100.0 * UseL@ / nullif(UseL@ + SpLossL@, 0)",
     "touched part of the bytes loaded into LL"},
    {"temporalI1", "UseI1", "1.0 * BytI1@ / nullif(UseI1@, 0) - 1",
     "how often a touched byte was touched again in I1"},
    {"temporalD1", "UseD1", "1.0 * BytD1@ / nullif(UseD1@, 0) - 1",
     "how often a touched byte was touched again in D1"},
    {"temporalL", "UseL", "1.0 * BytL@ / nullif(UseL@, 0) - 1",
     "how often a touched byte was touched again in LL"},
    {"dirtyD1", "WbD1", "100.0 * WrtD1@ * EvD1@ / nullif(WbD1@ * (UseD1@ + SpLossD1@), 0)",
     "changed part of the bytes written back from D1", "UseD1"},
    {"dirtyD2", "WbD2", "100.0 * WrtD2@ * EvD2@ / nullif(WbD2@ * (UseD2@ + SpLossD2@), 0)",
     "changed part of the bytes written back from L2", "UseD2"},
    {"dirtyL", "WbL", "100.0 * WrtL@ * EvL@ / nullif(WbL@ * (UseL@ + SpLossL@), 0)",
     "changed part of the bytes written back from LL", "UseL"},
    {"I1rate", "I1mr", "100.0 * I1mr@ / nullif(Ir@, 0)", "I1 misses of instruction fetches"},
    {"D1rate", "D1mr",
     "100.0 * (ifnull(D1mr@, 0) + ifnull(D1mw@, 0)) / nullif(ifnull(Dr@, 0) + ifnull(Dw@, 0), 0)",
     "D1 misses of data accesses"},
    {"LLrate", "LLm", "100.0 * LLm@ / nullif(ifnull(Ir@, 0) + ifnull(Dr@, 0) + ifnull(Dw@, 0), 0)",
     "LL misses of all accesses"},
};
enum { RATIOS = sizeof ratios / sizeof ratios[0] };

static bool has_events(tp_profile *profile, size_t ratio)
{
    return tp_event_find(profile, ratios[ratio].needs) != NULL &&
           (ratios[ratio].needs_too == NULL || tp_event_find(profile, ratios[ratio].needs_too) != NULL);
}

/* The name without _incl; true if it had it. */
static bool base_name(const char *name, char *out, size_t size)
{
    size_t length = strlen(name);
    bool inclusive = length > 5 && strcasecmp(name + length - 5, "_incl") == 0;

    snprintf(out, size, "%.*s", (int)(inclusive ? length - 5 : length), name);
    return inclusive;
}

static void expand(const char *formula, const char *suffix, char *out, size_t size)
{
    size_t at = 0;

    for (; *formula != '\0' && at + 8 < size; formula++) {
        if (*formula == '@')
            at += (size_t)snprintf(out + at, size - at, "%s", suffix);
        else
            out[at++] = *formula;
    }
    out[at] = '\0';
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
    out->is_real = event->real;
    snprintf(sql, sizeof sql, "SELECT \"%s\" FROM totals", event->name);
    out->total = query_value(profile, sql, 0);
    return true;
}

static bool find_ratio(tp_profile *profile, const char *base, struct column_spec *out)
{
    size_t i = 0;

    while (i < RATIOS && strcasecmp(ratios[i].name, base) != 0)
        i++;
    if (i == RATIOS || !has_events(profile, i))
        return false;
    snprintf(out->name, sizeof out->name, "%s%s", ratios[i].name, out->inclusive ? "_incl" : "");
    expand(ratios[i].formula, out->inclusive ? "_incl" : "", out->sql, sizeof out->sql);
    out->is_ratio = true;
    return true;
}

bool column_try(tp_profile *profile, const char *name, struct column_spec *out)
{
    char base[48];

    memset(out, 0, sizeof *out);
    out->inclusive = base_name(name, base, sizeof base);
    return find_event(profile, base, out) || find_ratio(profile, base, out);
}

/* The option without which the event would be there; NULL: it would not. */
static const char *why_missing(tp_profile *profile, const char *base)
{
    static const struct {
        const char *begins, *option;
    } simulated[] = {
        {"SpLoss", "cacheuse"},   {"AcCost", "cacheuse"}, {"spatial", "cacheuse"}, {"temporal", "cacheuse"},
        {"Ev", "cacheuse"},       {"Tch", "cacheuse"},    {"Byt", "cacheuse"},     {"Use", "cacheuse"},
        {"Age", "cacheuse"},      {"I1", "cache-sim"},    {"D1", "cache-sim"},     {"L", "cache-sim"},
        {"IL", "cache-sim"},      {"DL", "cache-sim"},    {"SpLoss", "cache-sim"}, {"AcCost", "cache-sim"},
        {"spatial", "cache-sim"}, {"B", "branch-sim"},    {"Wb", "write-back"},    {"Wrt", "write-back"},
        {"dirty", "write-back"},  {"dirty", "cacheuse"},  {"Pf", "prefetch"},
    };
    size_t i;

    for (i = 0; i < sizeof simulated / sizeof simulated[0]; i++) {
        if (strncasecmp(base, simulated[i].begins, strlen(simulated[i].begins)) == 0 &&
            query_was_off(profile, simulated[i].option))
            return simulated[i].option;
    }
    return NULL;
}

bool column_find(tp_profile *profile, const char *name, struct column_spec *out)
{
    const char *names[128], *like, *option;
    size_t count = 0, i;
    char base[48];

    if (column_try(profile, name, out))
        return true;
    for (i = 0; i < tp_event_count(profile) && count < 100; i++)
        names[count++] = tp_event_at(profile, i)->name;
    for (i = 0; i < RATIOS; i++) {
        if (has_events(profile, i))
            names[count++] = ratios[i].name;
    }
    base_name(name, base, sizeof base);
    like = opt_nearest(base, names, count);
    option = why_missing(profile, base);
    if (option != NULL)
        term_error("this profile has no event %s; it was recorded with --%s=%s", name, option,
                   tp_meta(profile, option));
    else if (like != NULL)
        term_error("this profile has no event %s; did you mean %s?", name, like);
    else
        term_error("this profile has no event %s; `tenure info FILE` lists what it has", name);
    return false;
}

/* "bytes", "%", "times", or nothing: a count. */
static const char *unit(const struct column_spec *spec)
{
    static const char *const bytes[] = {"SpLoss", "Byt", "Use", "Wrt"};
    size_t i;

    if (spec->is_ratio)
        return strncmp(spec->name, "temporal", 8) == 0 ? "times" : "%";
    for (i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        if (strncmp(spec->name, bytes[i], strlen(bytes[i])) == 0)
            return "bytes";
    }
    return "";
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

    title_of(spec, unit(spec), title, sizeof title);
    if (spec->is_ratio) {
        table_column(table, strcmp(unit(spec), "%") == 0 ? TABLE_RATE : TABLE_REAL, title, spec->name, group);
        return;
    }
    table_column(table, spec->is_real ? TABLE_REAL : TABLE_COUNT, title, spec->name, group);
    snprintf(key, sizeof key, "%s_percent", spec->name);
    table_column(table, TABLE_PERCENT, "%", key, percent_group);
    title_of(spec, "%", title, sizeof title);
    table_heading_alone(table, title);
}

/* "cycle estimate, Ir + 10 L1m + 100 LLm", as this profile's formula says. */
static const char *estimate(tp_profile *profile)
{
    static char text[512];
    struct query q;

    query_begin(&q, profile, "SELECT replace(formula, ' * ', ' ') FROM events WHERE name = 'CEst'");
    snprintf(text, sizeof text, "cycle estimate, %s", query_row(&q) ? query_text(&q, 0) : "");
    query_end(&q);
    return text;
}

const char *column_meaning(tp_profile *profile, const struct column_spec *spec)
{
    const struct tp_event *event;
    size_t i;

    if (strcmp(spec->event, "CEst") == 0)
        return estimate(profile);
    event = tp_event_find(profile, spec->event);
    if (event != NULL)
        return event->long_name;
    for (i = 0; i < RATIOS; i++) {
        if (strncmp(spec->name, ratios[i].name, strlen(ratios[i].name)) == 0)
            return ratios[i].meaning;
    }
    return "";
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
        table_number(table, 100.0 * value / total);
}
