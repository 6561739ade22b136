/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_under.c: what a function and all that it calls cost in data structures (--under).
 *
 * A row is a function and a data structure; its costs are inclusive, each event once however deep the recursion. Rows
 * of several functions (or contexts) are never added up: one may be called by another. The columns are those of
 * data structures (report_data.c), under the names of events without _incl.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS_UNDER                                                                                      \
    "(function = ?1 OR function GLOB ?1 OR function GLOB ?1 || '(*' OR function GLOB ?1 || '''*')"

bool report_under_known(const struct report *report)
{
    struct query q;
    bool any;

    if (report->under == NULL)
        return true;
    if (!report_has_data(report))
        return false;
    if (report->sort.inclusive) {
        term_error("all columns of --under are inclusive: --sort by an event without _incl");
        return false;
    }
    query_begin(&q, report->profile, "SELECT 1 FROM function_data WHERE " IS_UNDER " LIMIT 1");
    query_bind_text(&q, 1, report->under);
    any = query_row(&q);
    if (!query_end(&q))
        return false;
    if (!any)
        term_error("no function called %s misses in data structures, nor what it calls; * and ? match, as in '*%s*'",
                   report->under, report->under);
    return any;
}

static bool rows(struct report *data)
{
    char expressions[8192], heading[4096], *events = report_events(data, "\"", "_incl\"");
    struct table *table = table_new();
    struct query q;

    report_headings(data, table);
    table_column(table, TABLE_TEXT, "data structure", "data", 0);
    report_place_columns(table, "under", "function");
    report_expressions(data, expressions, sizeof expressions);
    query_begin(&q, data->profile,
                "SELECT data, function, file, line, NULL%s FROM (SELECT data, data_id, function, file, line%s "
                "FROM function_data WHERE " IS_UNDER ") WHERE %s(ifnull(%s, 0)) >= %f "
                "ORDER BY %s(%s) DESC NULLS LAST, data, function, file, line, data_id LIMIT %lld",
                expressions, events, report_size(data), data->sort.sql, report_least(data), report_size(data),
                data->sort.sql, (long long)data->limit);
    free(events);
    query_bind_text(&q, 1, data->under);
    while (query_row(&q)) {
        report_cells(data, table, &q, 5);
        table_text(table, query_text(&q, 0));
        report_place(data, table, &q, 2, false, query_text(&q, 1));
    }
    snprintf(heading, sizeof heading, "Data structures under %.2000s, inclusive, by %s", data->under, data->sort.name);
    report_section(data, table, "data_under", heading);
    return query_end(&q);
}

bool report_under(struct report *report)
{
    static const char *const usual[] = {"SpLossD1", "spatialD1", "temporalD1", "L1m", "LLm", NULL};
    struct report *data = malloc(sizeof *data);
    bool good;

    if (data == NULL)
        term_no_memory();
    report_self_columns(report, data, usual);
    good = rows(data);
    report->sections = data->sections;
    free(data);
    return good;
}
