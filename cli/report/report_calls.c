/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_calls.c: who calls a function, and whom it calls.
 *
 * One row per arc, that is per call site and callee, with the arc's inclusive costs: arcs are never summed,
 * because with recursion one event is below several of them. Percentages are of the function's own inclusive
 * cost, so that the calls of a function that does not recurse sum, with its self cost, to 100.
 *
 * A function that is kept apart by callers or recursion is all its contexts, unless one is named. Then each row says
 * which context it belongs to, and percentages are of the program's cost: there is no sum of contexts, one of which may
 * be below another.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chosen {
    char *name;   /* of the function, or of its only context */
    int64_t *ids; /* its contexts, the first has the highest value of what is sorted by */
    size_t count;
};

/* The inclusive form of what is shown. */
static size_t inclusive_columns(const struct report *report, struct column_spec *out)
{
    size_t count = 0, i, j;

    for (i = 0; i < report->shown_count; i++) {
        char name[64];

        snprintf(name, sizeof name, "%s%s", report->shown[i].name, report->shown[i].inclusive ? "" : "_incl");
        if (!column_try(report->profile, name, &out[count]))
            continue;
        for (j = 0; j < count && strcmp(out[j].name, out[count].name) != 0; j++) {
        }
        count += j == count;
    }
    return count;
}

static void expressions_of(const struct column_spec *spec, size_t count, char *out, size_t size)
{
    size_t at = 0, i;

    out[0] = '\0';
    for (i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, ", %s", spec[i].sql);
}

/* The function's own inclusive value of each column, which its calls are percentages of. */
static bool whole(const struct report *report, int64_t id, const struct column_spec *spec, size_t count,
                  double *out)
{
    char expressions[8192];
    struct query q;
    size_t i;

    expressions_of(spec, count, expressions, sizeof expressions);
    query_begin(&q, report->profile, "SELECT id%s FROM functions WHERE id = %lld", expressions,
                (long long)id);
    if (query_row(&q)) {
        for (i = 0; i < count; i++)
            out[i] = query_real(&q, (int)i + 1);
    }
    return query_end(&q);
}

/* The rows of one context; the view's own order is that of the columns. */
static bool arcs_of(struct report *report, struct table *table, const struct chosen *function, size_t context,
                    const struct column_spec *spec, size_t count, bool callers)
{
    double of[REPORT_MAX_SHOWN] = {0};
    char expressions[8192];
    struct query q;
    size_t i;

    if (function->count == 1 && !whole(report, function->ids[context], spec, count, of))
        return false;
    expressions_of(spec, count, expressions, sizeof expressions);
    query_begin(&q, report->profile,
                "SELECT %s, %s, calls, file, line%s FROM arcs WHERE %s_id = %lld "
                "ORDER BY %s(%s) DESC NULLS LAST, calls DESC, id LIMIT %lld",
                callers ? "caller" : "callee", callers ? "callee" : "caller", expressions,
                callers ? "callee" : "caller", (long long)function->ids[context], report_size(report),
                count > 0 ? spec[0].sql : "calls",
                (long long)report->limit - (long long)table_rows(table));
    while (query_row(&q)) {
        for (i = 0; i < count; i++)
            column_cells(table, &spec[i], &q, 5 + (int)i, of[i]);
        table_count(table, query_int(&q, 2));
        if (function->count > 1)
            table_text(table, query_text(&q, 1));
        report_place(report, table, &q, 3, false, query_null(&q, 0) ? "(root)" : query_text(&q, 0));
    }
    return query_end(&q);
}

static bool arcs(struct report *report, const struct chosen *function, bool callers)
{
    struct column_spec spec[REPORT_MAX_SHOWN];
    size_t count = inclusive_columns(report, spec), i;
    char heading[4096], title[32];
    const char *other = callers ? "caller" : "callee";
    struct table *table = table_new();
    bool good = true;

    for (i = 0; i < count; i++)
        report_heading(table, &spec[i], i);
    table_column(table, TABLE_COUNT, "calls", "calls", 0);
    if (function->count > 1)
        table_column(table, TABLE_TEXT, callers ? "callee" : "caller", callers ? "callee" : "caller", 0);
    snprintf(title, sizeof title, "%s, called at", other);
    report_place_columns(table, title, other);
    for (i = 0; good && i < function->count; i++)
        good = arcs_of(report, table, function, i, spec, count, callers);
    snprintf(heading, sizeof heading, "Calls %s %s%s", callers ? "to" : "from", function->name,
             function->count > 1 ? "; % of the program" : "");
    report_section(report, table, callers ? "callers" : "callees", heading);
    return good;
}

/* The function itself: a row for each context, as in the list of functions. */
static bool itself(struct report *report, const struct chosen *function)
{
    char expressions[8192], heading[4096];
    struct table *table = table_new();
    bool good = true;
    struct query q;
    size_t i;

    report_headings(report, table);
    table_column(table, TABLE_COUNT, "calls", "calls", REPORT_CALLS_GROUP);
    report_place_columns(table, "function", "function");
    report_expressions(report, expressions, sizeof expressions);
    for (i = 0; good && i < function->count && table_rows(table) < report->limit; i++) {
        query_begin(&q, report->profile,
                    "SELECT function, file, line, object, calls%s FROM functions WHERE id = %lld", expressions,
                    (long long)function->ids[i]);
        while (query_row(&q)) {
            report_cells(report, table, &q, 5);
            table_count(table, query_int(&q, 4));
            report_place(report, table, &q, 1, true, query_text(&q, 0));
        }
        good = query_end(&q);
    }
    snprintf(heading, sizeof heading, "Function %s", function->name);
    report_section(report, table, "function", heading);
    return good;
}

static void chosen_free(struct chosen *function)
{
    free(function->name);
    free(function->ids);
}

/* What a user's name, ?1, stands for: a function, one of its contexts, or all that match. */
#define MATCHES \
    "(function = ?1 OR symbol = ?1 OR base = ?1 OR function GLOB ?1 OR function GLOB ?1 || '(*' OR " \
    "symbol GLOB ?1 || '''*')"

static bool contexts_of(struct report *report, const char *pattern, int64_t base_id, struct chosen *out)
{
    struct query q;

    query_begin(&q, report->profile,
                "SELECT id, function, base FROM functions WHERE base_id = %lld AND " MATCHES
                " ORDER BY %s(%s) DESC NULLS LAST, id",
                (long long)base_id, report_size(report), report->sort.sql);
    query_bind_text(&q, 1, pattern);
    while (query_row(&q)) {
        out->ids = realloc(out->ids, (out->count + 1) * sizeof *out->ids);
        free(out->name);
        out->name = strdup(query_text(&q, out->count == 0 ? 1 : 2));
        if (out->ids == NULL || out->name == NULL)
            term_no_memory();
        out->ids[out->count++] = query_int(&q, 0);
    }
    return query_end(&q);
}

/* The matching function with the highest value of what is sorted by; an exact name before a pattern. */
static bool choose(struct report *report, const char *pattern, struct chosen *out)
{
    struct query q;
    int64_t base_id;
    bool found;

    *out = (struct chosen){0};
    query_begin(&q, report->profile,
                "SELECT base_id FROM functions WHERE " MATCHES
                " ORDER BY function = ?1 DESC, base = ?1 DESC, %s(%s) DESC NULLS LAST LIMIT 1",
                report_size(report), report->sort.sql);
    query_bind_text(&q, 1, pattern);
    found = query_row(&q);
    base_id = found ? query_int(&q, 0) : 0;
    if (!query_end(&q))
        return false;
    if (!found) {
        term_error("no function of this profile is called %s; * and ? match, as in '*%s*'", pattern, pattern);
        return false;
    }
    if (contexts_of(report, pattern, base_id, out))
        return true;
    chosen_free(out);
    return false;
}

static bool is_there(struct report *report, const char *pattern)
{
    struct chosen function;

    if (pattern == NULL)
        return true;
    if (!choose(report, pattern, &function))
        return false;
    chosen_free(&function);
    return true;
}

bool report_calls_known(struct report *report)
{
    return is_there(report, report->function) && is_there(report, report->callers) &&
           is_there(report, report->callees);
}

static bool one(struct report *report, const char *pattern, bool self, bool callers, bool callees)
{
    struct chosen function;
    bool good;

    if (!choose(report, pattern, &function))
        return false;
    good = !self || itself(report, &function);
    if (good && callers)
        good = arcs(report, &function, true);
    if (good && callees)
        good = arcs(report, &function, false);
    chosen_free(&function);
    return good;
}

bool report_calls(struct report *report)
{
    return (report->function == NULL || one(report, report->function, true, true, true)) &&
           (report->callers == NULL || one(report, report->callers, false, true, false)) &&
           (report->callees == NULL || one(report, report->callees, false, false, true));
}
