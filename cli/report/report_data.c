/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_data.c: data structures, and what misses in them.
 *
 * A data structure has no inclusive costs and executes nothing; so its columns are others than a function's: misses and
 * the use of the lines that were loaded for it. The second table has the source lines whose accesses missed in it, for
 * those of the first: a line may be there more than once, once for each data structure.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_has_data(const struct report *report)
{
    const char *format = tp_meta(report->profile, "import.format");

    if (format != NULL)
        term_error("this profile has no data structures; files of %s know none", format);
    else if (query_was_off(report->profile, "data"))
        term_error("this profile has no data structures; it was recorded with --data=no, "
                   "--inclusive=no, or without caches");
    else
        return true;
    return false;
}

bool report_data_known(const struct report *report)
{
    if (!report->data)
        return true;
    if (!report_has_data(report))
        return false;
    if (report->sort.inclusive)
        term_error("data structures have no inclusive costs: --sort by an event without _incl");
    return !report->sort.inclusive;
}

/* Whether a data structure has been used, as far as what was simulated tells. */
static const char *used(const struct report *data, char *condition, size_t size)
{
    static const char *const signs[] = {"TchD1", "D1mr", "D1mw"};
    size_t at = (size_t)snprintf(condition, size, "blocks <> 0"), i;

    for (i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (tp_event_find(data->profile, signs[i]) != NULL)
            at += (size_t)snprintf(condition + at, size - at, " OR %s <> 0", signs[i]);
    }
    return condition;
}

static bool objects(struct report *data)
{
    char expressions[8192], heading[128], condition[128];
    struct table *table = table_new();
    struct query q;
    int i;

    report_headings(data, table);
    table_column(table, TABLE_COUNT, "blocks", "blocks", REPORT_CALLS_GROUP);
    table_column(table, TABLE_COUNT, NULL, "freed", -1);
    table_column(table, TABLE_COUNT, NULL, "largest", -1);
    table_column(table, TABLE_COUNT, "bytes", "bytes", REPORT_CALLS_GROUP + 1);
    table_column(table, TABLE_TEXT, NULL, "kind", -1);
    table_column(table, TABLE_TEXT, NULL, "function", -1);
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_TEXT, "data structure", "data", 0);
    report_expressions(data, expressions, sizeof expressions);
    query_begin(&q, data->profile,
                "SELECT blocks, freed, largest, coalesce(size, bytes), kind, function, file, line, name%s "
                "FROM data_objects WHERE %s(ifnull(%s, 0)) >= %f AND (%s) "
                "ORDER BY %s(%s) DESC NULLS LAST, name, id LIMIT %lld",
                expressions, report_size(data), data->sort.sql, report_least(data),
                used(data, condition, sizeof condition),
                report_size(data), data->sort.sql, (long long)data->limit);
    while (query_row(&q)) {
        report_cells(data, table, &q, 9);
        for (i = 0; i < 4; i++)
            report_count(table, &q, i);
        for (i = 4; i < 7; i++)
            report_text(table, &q, i);
        report_count(table, &q, 7);
        table_text(table, query_text(&q, 8));
    }
    snprintf(heading, sizeof heading, "Data structures by %s", data->sort.name);
    report_section(data, table, "data_structures", heading);
    return query_end(&q);
}

static bool lines(struct report *data)
{
    char expressions[8192], heading[128], *sum = report_events(data, "sum(\"", "\")");
    struct table *table = table_new();
    struct query q;

    report_headings(data, table);
    table_column(table, TABLE_TEXT, "data structure", "data", 0);
    report_place_columns(table, "missed by", "function");
    report_expressions(data, expressions, sizeof expressions);
    query_begin(&q, data->profile,
                "SELECT data, function, file, line, NULL%s FROM "
                "(SELECT data, data_id, function, function_id, file, line%s FROM instruction_data "
                "GROUP BY data_id, function_id, file, line) WHERE %s(ifnull(%s, 0)) >= %f "
                "ORDER BY %s(%s) DESC NULLS LAST, data, function, file, line LIMIT %lld",
                expressions, sum, report_size(data), data->sort.sql, report_least(data), report_size(data),
                data->sort.sql,
                (long long)data->limit);
    free(sum);
    while (query_row(&q)) {
        report_cells(data, table, &q, 5);
        table_text(table, query_text(&q, 0));
        report_place(data, table, &q, 2, false, query_text(&q, 1));
    }
    snprintf(heading, sizeof heading, "What misses in them, by %s", data->sort.name);
    report_section(data, table, "data_lines", heading);
    return query_end(&q);
}

bool report_data(struct report *report)
{
    static const char *const usual[] = {"SpLossD1", "spatialD1", "temporalD1", "missD1", "L1m", "LLm", NULL};
    struct report *data = malloc(sizeof *data);
    bool good;

    if (data == NULL)
        term_no_memory();
    report_self_columns(report, data, usual);
    good = objects(data) && lines(data);
    report->sections = data->sections;
    free(data);
    return good;
}
