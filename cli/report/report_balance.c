/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_balance.c: how evenly the units of a merge share the work of each function.
 *
 * Units are what `tenure merge --keep` kept apart: ranks, processes or threads; in a profile that is no such merge, its
 * threads. A unit in which a function did not run counts with 0. Imbalance is by how much the worst unit is above the
 * mean, of the event that the report is sorted by. Ratios have no sum over units, so they cannot be balanced.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>

/* Values by unit: of the merge's units, or of threads. `%s` is the event. */
static const char by_unit[] =
    "SELECT unit_id AS unit, function_id, ifnull(%s, 0) AS value FROM unit_functions";
static const char by_thread[] = "SELECT thread AS unit, function_id, ifnull(%s, 0) AS value FROM thread_functions";

/* SQLite takes `unit` from the row that has the maximum, as it is the only min or max of its query. */
static const char query[] =
    "WITH v AS (%s), n AS (SELECT count(*) AS units FROM %s), "
    "most AS (SELECT function_id, max(value) AS most, unit FROM v GROUP BY function_id), "
    "rest AS (SELECT function_id, min(value) AS least, sum(value) AS total, count(*) AS there FROM v "
    "GROUP BY function_id) "
    "SELECT f.function, f.file, f.line, f.object, "
    "CASE WHEN there < units THEN min(least, 0) ELSE least END, 1.0 * total / units, "
    "CASE WHEN there < units THEN max(most, 0) ELSE most END AS most, "
    "100.0 * (max(most, 0) * units / nullif(1.0 * total, 0) - 1) AS imbalance, unit, total "
    "FROM most JOIN rest USING (function_id) JOIN functions f ON f.id = function_id, n "
    "WHERE total >= %f ORDER BY most - 1.0 * total / units DESC, f.function LIMIT %lld";

/* "rank 3", "rank 3, node7, process 4242", "thread 2": as far as the profile says. */
static void name_of(struct report *report, bool units, int64_t id, char *out, size_t size)
{
    struct query q;

    snprintf(out, size, "thread %lld", (long long)id);
    if (!units)
        return;
    query_begin(&q, report->profile,
                "SELECT coalesce('rank ' || rank, '') || "
                "CASE WHEN rank IS NOT NULL AND pid IS NOT NULL THEN ', ' ELSE '' END || "
                "coalesce(coalesce(host || ', ', '') || 'process ' || pid, '') || "
                "coalesce(CASE WHEN pid IS NOT NULL THEN ', ' ELSE '' END || 'thread ' || thread, '') "
                "FROM units WHERE id = %lld", (long long)id);
    if (query_row(&q))
        snprintf(out, size, "%s", query_text(&q, 0));
    query_end(&q);
}

static void columns(const struct report *report, struct table *table)
{
    enum table_kind kind = report->sort.is_real ? TABLE_REAL : TABLE_COUNT;

    table_column(table, kind, "least", "min", 30);
    table_column(table, TABLE_REAL, "mean", "mean", 0);
    table_column(table, kind, "most", "max", 0);
    table_column(table, TABLE_PERCENT, "imbalance\n%", "imbalance_percent", 0);
    table_column(table, TABLE_TEXT, "most in", "max_unit", 20);
    report_place_columns(table, "function", "function");
}

static void number(struct table *table, const struct report *report, struct query *q, int at)
{
    if (report->sort.is_real)
        table_number(table, query_real(q, at));
    else
        table_count(table, query_int(q, at));
}

bool report_balance(struct report *report)
{
    bool units = query_value(report->profile, "SELECT count(*) FROM units", 0) > 0;
    const char *count = units ? "SELECT count(*) FROM units" : "SELECT count(*) FROM threads";
    double of_units = query_value(report->profile, count, 0);
    double least = report->threshold > 0 ? report->threshold * report->sort.total / 100 : 1;
    char values[sizeof by_unit + sizeof report->sort.sql], heading[160], name[512];
    struct table *table;
    struct query q;

    if (report->sort.is_ratio) {
        term_error("--balance: %s is a ratio; sort by an event", report->sort.name);
        return false;
    }
    if (of_units < 2) {
        term_error("--balance: there is one %s; `tenure merge --keep=rank` (or process, thread) keeps the terms of a "
                   "sum apart", units ? "unit" : "thread");
        return false;
    }
    snprintf(values, sizeof values, units ? by_unit : by_thread, report->sort.sql);
    table = table_new();
    columns(report, table);
    query_begin(&q, report->profile, query, values, units ? "units" : "threads", least, (long long)report->limit);
    while (query_row(&q)) {
        number(table, report, &q, 4);
        table_number(table, query_real(&q, 5));
        number(table, report, &q, 6);
        if (query_null(&q, 7))
            table_null(table);
        else
            table_number(table, query_real(&q, 7));
        name_of(report, units, query_int(&q, 8), name, sizeof name);
        table_text(table, name);
        report_place(report, table, &q, 1, true, query_text(&q, 0));
    }
    snprintf(heading, sizeof heading, "Balance of %s over %.0f %s", report->sort.name, of_units,
             units ? "units" : "threads");
    report_section(report, table, "balance", heading);
    return query_end(&q);
}
