/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_statements.c: statements; their loads and stores, integer and floating point; the data structures they touch.
 *
 * A statement has no inclusive costs, and neither has what it touches. Each table is sorted by itself: the second one
 * has the most expensive kind of access in the program first, whichever statement it is of.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>

bool report_statements_known(const struct report *report)
{
    if (!report->statements)
        return true;
    if (query_value(report->profile, "SELECT count(*) FROM (SELECT 1 FROM statements LIMIT 1)", 0) == 0)
        term_error("this profile has no statements: no source line is known of anything that was executed");
    else if (report->sort.inclusive)
        term_error("statements have no inclusive costs: --sort by an event without _incl");
    else
        return true;
    return false;
}

/* A file and a range of lines, in JSON columns of their own; in text behind the name, "file.c:12-14". */
static void place_columns(struct table *table)
{
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "first_line", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_TEXT, "statement in", "function", 0);
}

static void place_cells(const struct report *report, struct table *table, struct query *q, int at)
{
    table_text(table, query_text(q, at));
    table_count(table, query_int(q, at + 1));
    table_count(table, query_int(q, at + 2));
    report_range(report, table, q, at, query_text(q, at + 3));
}

static bool statements(struct report *report)
{
    char heading[128];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    place_columns(table);
    report_query(report, &q, "file, first_line, line, function", "statements", "file, line, id");
    while (query_row(&q)) {
        report_cells(report, table, &q, 4);
        place_cells(report, table, &q, 0);
    }
    snprintf(heading, sizeof heading, "Statements by %s", report->sort.name);
    report_section(report, table, "statements", heading);
    return query_end(&q);
}

static bool accesses(struct report *report)
{
    char heading[128];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_TEXT, "type", "type", 0);
    table_column(table, TABLE_TEXT, "access", "access", 0);
    place_columns(table);
    report_query(report, &q, "ifnull(type, '?'), access, file, first_line, line, function",
                 "statement_accesses", "file, line, statement_id, access, type");
    while (query_row(&q)) {
        report_cells(report, table, &q, 6);
        table_text(table, query_text(&q, 0));
        table_text(table, query_text(&q, 1));
        place_cells(report, table, &q, 2);
    }
    snprintf(heading, sizeof heading, "Their loads and stores, by %s", report->sort.name);
    report_section(report, table, "statement_accesses", heading);
    return query_end(&q);
}

static bool touched(struct report *report)
{
    char heading[128];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_TEXT, "data structure", "data", 0);
    place_columns(table);
    report_query(report, &q, "data, file, first_line, line, function",
                 "statement_data", "file, line, statement_id, data, data_id");
    while (query_row(&q)) {
        report_cells(report, table, &q, 5);
        table_text(table, query_text(&q, 0));
        place_cells(report, table, &q, 1);
    }
    snprintf(heading, sizeof heading, "Data structures that they touch, by %s", report->sort.name);
    report_section(report, table, "statement_data", heading);
    return query_end(&q);
}

bool report_statements(struct report *report)
{
    static const char *const usual[] = {"SpLossD1", "spatialD1", "temporalD1", "D1rate", "LLrate", NULL};
    static const char *const of_data[] = {"SpLossD1", "spatialD1", "temporalD1", "missD1", "L1m", "LLm", NULL};
    struct report *own = malloc(sizeof *own);
    bool good;

    if (own == NULL)
        term_no_memory();
    report_self_columns(report, own, usual);
    good = statements(own) && accesses(own);
    if (good && !query_was_off(report->profile, "data") && tp_meta(report->profile, "import.format") == NULL) {
        size_t sections = own->sections;

        report_self_columns(report, own, of_data);
        own->sections = sections;
        good = touched(own);
    }
    good = good && report_dependence(own);
    report->sections = own->sections;
    free(own);
    return good;
}
