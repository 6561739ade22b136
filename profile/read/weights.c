/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weights.c: the cycle estimate: other weights, and where its cycles go.
 *
 * A profile holds CEst's formula (table `events`), a sum of weighted events, and views that compute it. Other weights
 * change that sum for one connection: temporary views of the same names, over the profile's own, have it in place of
 * CEst and CEst_incl; the event (tp_event_find, table events) has the new formula. The file stays as it is, and every
 * reader that asks for a view by its name sees the new estimate.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/raw/events.h"
#include "profile/read/formula.h"
#include "profile/read/opened.h"

static int set(struct tp_weighted_sum *sum, const char *event, size_t length, long weight)
{
    size_t i = 0;

    while (i < sum->count &&
           (strlen(sum->term[i].event) != length || strncmp(sum->term[i].event, event, length) != 0))
        i++;
    if (i == TP_WEIGHTED_TERMS)
        return -1;
    if (i == sum->count)
        snprintf(sum->term[sum->count++].event, sizeof sum->term[i].event, "%.*s", (int)length, event);
    sum->term[i].weight = weight;
    return 0;
}

int tp_weighted_sum_read(struct tp_weighted_sum *sum, const char *text)
{
    struct tp_addend term;

    while (*text) {
        if (!tp_addend_next(&text, &term) || set(sum, term.event, term.length, (long)term.weight))
            return -1;
    }
    return sum->count ? 0 : -1;
}

/* Weights, "L1m=12,LLm=180", over what the formula says. Without a profile they are only looked at. */
static int weights_read(struct tp_weighted_sum *sum, tp_profile *profile, const char *text, struct tp_error *err)
{
    for (char *end; *text; text = end + (*end == ',')) {
        char name[48];
        size_t length = strcspn(text, "=,");
        const char *number = text + length + 1;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        if (text[length] != '=' || !length)
            return TP_FAIL(err, "weights are EVENT=NUMBER with ',' between, as in L1m=12,LLm=180");
        long weight = strtol(number, &end, 10);
        if (*number < '0' || *number > '9' || weight > TP_LARGEST_WEIGHT || (*end && *end != ','))
            return TP_FAIL(err, "the weight of %s must be a whole number from 0 to %d", name, TP_LARGEST_WEIGHT);
        if (!profile)
            continue;
        const struct tp_event *event = tp_event_find(profile, name);
        if (!event)
            return TP_FAIL(err, "this profile has no event '%s' to give a weight to", name);
        if (event->real || strcmp(event->name, "CEst") == 0)
            return TP_FAIL(err, "%s cannot be a term of CEst; counts can", event->name);
        if (set(sum, event->name, strlen(event->name), weight))
            return TP_FAIL(err, "more than %d weights", TP_WEIGHTED_TERMS);
    }
    return 0;
}

int tp_weights_check(const char *weights, struct tp_error *err)
{
    return weights_read(NULL, NULL, weights, err);
}

struct cover {
    tp_profile *profile;
    const struct tp_weighted_sum *sum;
    struct tp_error *err;
    sqlite3_str *columns; /* of the view at hand, as they are to be */
    bool wanted;          /* CEst is among them */
};

static int cover_column(void *user, sqlite3_stmt *row)
{
    struct cover *c = user;
    const char *name = tp_text(row, 0);

    sqlite3_str_appendall(c->columns, sqlite3_str_length(c->columns) ? ", " : "");
    if (strcmp(name, "CEst") == 0 || strcmp(name, "CEst_incl") == 0) {
        c->wanted = true;
        /* Terms that can be absent count 0; Ir cannot, and is NULL only where nothing is known. */
        for (size_t i = 0; i < c->sum->count; i++) {
            bool always = strcmp(c->sum->term[i].event, "Ir") == 0;
            sqlite3_str_appendf(c->columns, always ? "%s%d * \"%w%s\"" : "%s%d * coalesce(\"%w%s\", 0)", i ? " + " : "",
                                (int)c->sum->term[i].weight, c->sum->term[i].event, name + 4);
        }
        sqlite3_str_appendall(c->columns, " AS ");
    }
    sqlite3_str_appendf(c->columns, "\"%w\"", name);
    return 0;
}

/* A temporary view over a view; one without CEst is left alone. */
static int cover_view(void *user, sqlite3_stmt *row)
{
    struct cover *c = user;
    const char *view = tp_text(row, 0);

    c->columns = sqlite3_str_new(NULL);
    c->wanted = false;
    int failed = tp_each(c->profile, sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q, 'main')", view),
                         cover_column, c, c->err);
    char *columns = sqlite3_str_finish(c->columns);
    if (!failed && c->wanted)
        failed = tp_execute(c->profile,
                            columns ? sqlite3_mprintf("CREATE TEMP VIEW \"%w\" AS SELECT %s FROM main.\"%w\"", view,
                                                      columns, view)
                                    : NULL,
                            "cannot set weights", c->err);
    sqlite3_free(columns);
    return failed;
}

void tp_time_words(const tp_profile *profile, const char *event, char *out, size_t size)
{
#define TN_TIME(event, words) {#event, words},
    static const struct {
        const char *event, *words;
    } known[] = {
#include "core/events.inc"
    };

    tp_named(profile, event, out, size);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].event, event) == 0)
            snprintf(out, size, "%s", known[i].words);
    }
}

bool tp_timed(const tp_profile *profile)
{
    return !profile->weighed && tp_event_find(profile, "Time");
}

/* -1 cycles: it has no such part. */
static int time_part(tp_profile *profile, const char *part, double *cycles, struct tp_error *err)
{
    return tp_number(profile, sqlite3_mprintf("SELECT cycles FROM time_parts WHERE part = %Q", part), -1, cycles, err);
}

int tp_time_parts(tp_profile *profile, struct tp_time_part part[TP_WEIGHTED_TERMS], size_t *count,
                  struct tp_error *err)
{
    struct tp_weighted_sum sum = {0};
    const struct tp_event *estimate = tp_event_find(profile, "CEst");
    bool timed = tp_timed(profile);

    *count = 0;
    if (!estimate || !estimate->formula || tp_weighted_sum_read(&sum, estimate->formula) || sum.count < 2)
        return 0;
    for (size_t i = 0; i < sum.count; i++) {
        struct tp_time_part *x = &part[i];
        *x = (struct tp_time_part){.event = tp_event_find(profile, sum.term[i].event)};
        if (!x->event)
            return 0;
        tp_time_words(profile, x->event->name, x->words, sizeof x->words);
        if (timed && time_part(profile, x->event->name, &x->cycles, err))
            return -1;
        if (timed && strcmp(x->event->name, "LLm") == 0 &&
            (time_part(profile, "pointers", &x->pointers, err) || time_part(profile, "pages", &x->pages, err)))
            return -1;
        timed &= x->cycles >= 0;
    }
    for (size_t i = 0; i < sum.count; i++) {
        struct tp_time_part *x = &part[i];
        x->timed = timed;
        if (timed)
            continue;
        x->pointers = x->pages = 0;
        if (tp_number(profile, sqlite3_mprintf("SELECT %d * \"%w\" FROM totals", (int)sum.term[i].weight,
                                               x->event->name),
                      0, &x->cycles, err))
            return -1;
    }
    *count = sum.count;
    return 0;
}

int tp_time(tp_profile *profile, char *out, size_t size, struct tp_error *err)
{
    struct tp_time_part part[TP_WEIGHTED_TERMS];
    size_t count, at = 0;
    double all = 0;

    *out = '\0';
    if (tp_time_parts(profile, part, &count, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        all += part[i].cycles;
    for (size_t i = 0; i < count && all > 0 && at < size; i++) {
        if (part[i].cycles < 0.005 * all)
            continue;
        at += (size_t)snprintf(out + at, size - at, "%s%.0f %% %s", at ? ", " : "", round(100 * part[i].cycles / all),
                               part[i].words);
        double waiting = round(100 * part[i].pointers / all), pages = round(100 * part[i].pages / all);
        if ((waiting || pages) && at < size)
            at += (size_t)snprintf(out + at, size - at, " (");
        if (waiting && at < size)
            at += (size_t)snprintf(out + at, size - at, "%.0f %% waiting for pointers%s", waiting, pages ? ", " : ")");
        if (pages && at < size)
            at += (size_t)snprintf(out + at, size - at, "%.0f %% new pages)", pages);
    }
    return 0;
}

int tp_weigh(tp_profile *profile, const char *weights, struct tp_error *err)
{
    struct tp_weighted_sum sum = {0};
    const struct tp_event *estimate = tp_event_find(profile, "CEst");

    if (!estimate || !estimate->formula || tp_weighted_sum_read(&sum, estimate->formula))
        return TP_FAIL(err, "this profile has no cycle estimate");
    if (weights_read(&sum, profile, weights, err))
        return -1;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < sum.count; i++) {
        sqlite3_str_appendall(text, i ? " + " : "");
        if (sum.term[i].weight != 1)
            sqlite3_str_appendf(text, "%d * ", (int)sum.term[i].weight);
        sqlite3_str_appendall(text, sum.term[i].event);
    }
    char *made = sqlite3_str_finish(text);
    const char *sum_text = made ? tp_arena_copy(&profile->arena, made, strlen(made)) : NULL;
    sqlite3_free(made);
    if (!sum_text)
        return TP_NO_MEMORY(err);
    profile->events.at[estimate - profile->events.at].formula = sum_text;
    profile->weighed = true;
    struct cover c = {.profile = profile, .sum = &sum, .err = err};
    return tp_each(profile, sqlite3_mprintf("SELECT name FROM main.sqlite_master WHERE type = 'view'"), cover_view,
                   &c, err) ||
                   tp_execute(profile,
                              sqlite3_mprintf("CREATE TEMP TABLE events AS SELECT name, title, long_name, category, "
                                              "unit, derived, CAST(CASE name WHEN 'CEst' THEN %Q ELSE formula END "
                                              "AS TEXT) AS formula, type, option FROM main.events ORDER BY rowid",
                                              sum_text),
                              "cannot set weights", err) ||
                   tp_define_estimates(profile, err)
               ? -1
               : 0;
}
