/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.c: see column.h. A ratio is a formula in which `@` stands for the suffix of inclusive columns; it
 * exists in profiles that have all its events, and is NULL where its divisor is 0.
 */
#include "cli/column.h"

#include "cli/opt.h"
#include "cli/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *needs, *formula;
    bool percent;
} ratios[] = {
    {"spatialI1", "UseI1", "100.0 * UseI1@ / nullif(UseI1@ + SpLossI1@, 0)", true},
    {"spatialD1", "UseD1", "100.0 * UseD1@ / nullif(UseD1@ + SpLossD1@, 0)", true},
    {"spatialL", "UseL", "100.0 * UseL@ / nullif(UseL@ + SpLossL@, 0)", true},
    {"temporalI1", "UseI1", "1.0 * BytI1@ / nullif(UseI1@, 0) - 1", false},
    {"temporalD1", "UseD1", "1.0 * BytD1@ / nullif(UseD1@, 0) - 1", false},
    {"temporalL", "UseL", "1.0 * BytL@ / nullif(UseL@, 0) - 1", false},
    {"I1rate", "I1mr", "100.0 * I1mr@ / nullif(Ir@, 0)", true},
    {"D1rate", "D1mr",
     "100.0 * (ifnull(D1mr@, 0) + ifnull(D1mw@, 0)) / nullif(ifnull(Dr@, 0) + ifnull(Dw@, 0), 0)", true},
    {"LLrate", "LLm", "100.0 * LLm@ / nullif(ifnull(Ir@, 0) + ifnull(Dr@, 0) + ifnull(Dw@, 0), 0)", true},
};
enum { RATIOS = sizeof ratios / sizeof ratios[0] };

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
    if (i == RATIOS || tp_event_find(profile, ratios[i].needs) == NULL)
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

bool column_find(tp_profile *profile, const char *name, struct column_spec *out)
{
    const char *names[128], *like;
    size_t count = 0, i;
    char base[48];

    if (column_try(profile, name, out))
        return true;
    for (i = 0; i < tp_event_count(profile) && count < 100; i++)
        names[count++] = tp_event_at(profile, i)->name;
    for (i = 0; i < RATIOS; i++) {
        if (tp_event_find(profile, ratios[i].needs) != NULL)
            names[count++] = ratios[i].name;
    }
    base_name(name, base, sizeof base);
    like = opt_nearest(base, names, count);
    if (like != NULL)
        term_error("this profile has no event %s; did you mean %s?", name, like);
    else
        term_error("this profile has no event %s; `tenure info FILE` lists what it has", name);
    return false;
}

void column_headings(struct table *table, const struct column_spec *spec, int group)
{
    char title[64], key[64];

    if (spec->is_ratio) {
        snprintf(title, sizeof title, "%s%s", spec->name, strncmp(spec->name, "temporal", 8) ? " %" : "");
        table_column(table, TABLE_RATE, title, spec->name, group);
        return;
    }
    table_column(table, spec->is_real ? TABLE_REAL : TABLE_COUNT, spec->name, spec->name, group);
    snprintf(key, sizeof key, "%s_percent", spec->name);
    table_column(table, TABLE_PERCENT, "%", key, group);
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
