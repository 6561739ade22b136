/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_threads.c: threads side by side, and the functions of each.
 *
 * A thread's own costs are the sum of the self costs of its functions. Ratios are made of sums, never averaged.
 * Inclusive costs come from the call tree and are missing where that was pruned (--paths).
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool threads(struct report *report)
{
    char expressions[8192] = "", name[64];
    struct table *table = table_new();
    char *sums = report_events(report, "sum(\"", "\")");
    size_t at = 0, i;
    struct query q;

    for (i = 0; i < report->shown_count; i++) {
        if (report->shown[i].inclusive)
            continue;
        report_heading(table, &report->shown[i], i);
        at += (size_t)snprintf(expressions + at, sizeof expressions - at, ", %s", report->shown[i].sql);
    }
    table_column(table, TABLE_TEXT, "thread", "thread", 0);
    query_begin(&q, report->profile,
                "SELECT own_id, own_os_id%s FROM "
                "(SELECT id AS own_id, os_id AS own_os_id FROM threads) LEFT JOIN "
                "(SELECT thread%s FROM thread_functions GROUP BY thread) ON thread = own_id "
                "ORDER BY own_id LIMIT %lld",
                expressions, sums, (long long)report->limit);
    free(sums);
    while (query_row(&q)) {
        int column = 2;

        for (i = 0; i < report->shown_count; i++) {
            if (!report->shown[i].inclusive)
                column_cells(table, &report->shown[i], &q, column++, 0);
        }
        snprintf(name, sizeof name, "%lld (system's id %lld)", (long long)query_int(&q, 0),
                 (long long)query_int(&q, 1));
        table_text(table, name);
    }
    report_section(report, table, "threads", "Threads");
    return query_end(&q);
}

static bool functions_of(struct report *report, int64_t thread)
{
    char expressions[8192], heading[128], key[64];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_TEXT, "function", "function", 0);
    report_expressions(report, expressions, sizeof expressions);
    query_begin(&q, report->profile,
                "SELECT function%s FROM thread_functions WHERE thread = %lld "
                "ORDER BY %s(%s) DESC NULLS LAST, function LIMIT %lld",
                expressions, (long long)thread, report_size(report), report->sort.sql, (long long)report->limit);
    while (query_row(&q)) {
        report_cells(report, table, &q, 1);
        table_text(table, query_text(&q, 0));
    }
    snprintf(heading, sizeof heading, "Functions of thread %lld by %s", (long long)thread, report->sort.name);
    snprintf(key, sizeof key, "thread_%lld", (long long)thread);
    report_section(report, table, key, heading);
    return query_end(&q);
}

bool report_threads(struct report *report)
{
    struct query q;
    bool good = threads(report);

    if (!good)
        return false;
    query_begin(&q, report->profile, "SELECT id FROM threads ORDER BY id LIMIT %lld",
                (long long)report->limit);
    while (good && query_row(&q))
        good = functions_of(report, query_int(&q, 0));
    return query_end(&q) && good;
}
