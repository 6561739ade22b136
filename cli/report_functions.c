/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_functions.c: functions, by any event. One row per function context; the last columns say where it
 * is.
 */
#include "cli/report.h"

#include "cli/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_functions(struct report *report)
{
    char expressions[8192], heading[128], name[4096];
    double least = report->threshold > 0 ? report->threshold * report->sort.total / 100 : -1;
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_COUNT, "calls", "calls", REPORT_CALLS_GROUP);
    report_place_columns(table, "where");
    table_column(table, TABLE_TEXT, "function", "function", 0);
    report_expressions(report, expressions, sizeof expressions);
    query_begin(&q, report->profile,
                "SELECT function, context, file, line, object, calls%s FROM functions "
                "WHERE ifnull(%s, 0) >= %f ORDER BY %s DESC NULLS LAST, function LIMIT %lld",
                expressions, report->sort.sql, least, report->sort.sql, (long long)report->limit);
    while (query_row(&q)) {
        report_cells(report, table, &q, 6);
        table_count(table, query_int(&q, 5));
        report_place(table, &q, 2, true);
        snprintf(name, sizeof name, "%s%s", query_text(&q, 0), query_text(&q, 1));
        table_text(table, name);
    }
    snprintf(heading, sizeof heading, "Functions by %s", report->sort.name);
    report_section(report, table, "functions", heading);
    return query_end(&q);
}
