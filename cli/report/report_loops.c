/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_loops.c: loops, how often they run, and the data structures that they walk.
 *
 * A loop's self costs are those of its own instructions, without the loops in it; inclusive, these and what is called.
 * So --sort=CEst finds innermost loops, --sort=CEst_incl whole nests. What a loop walks is shown with the loops in it.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_loops_known(const struct report *report)
{
    if (!report->loops || query_value(report->profile, "SELECT count(*) FROM (SELECT 1 FROM loops LIMIT 1)", 0) > 0)
        return true;
    term_error("this profile has no loops: none was executed, or no object file was there to be read at the import");
    return false;
}

/* The event sorted by, self and inclusive, then what is lost in the whole nest. */
static void choose(const struct report *report, struct report *own)
{
    static const char *const usual[] = {"SpLossD1_incl", "spatialD1_incl", "temporalD1_incl", "D1rate_incl"};
    size_t i;

    *own = *report;
    if (report->show != NULL)
        return;
    own->shown_count = report->shown_count < 2 ? report->shown_count : 2;
    for (i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        struct column_spec *spec = &own->shown[own->shown_count];

        if (!query_was_off(report->profile, "inclusive") && column_try(report->profile, usual[i], spec))
            own->shown_count += strcmp(spec->name, own->shown[0].name) != 0 &&
                                (own->shown_count < 2 || strcmp(spec->name, own->shown[1].name) != 0);
    }
}

static void place_columns(struct table *table)
{
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_COUNT, NULL, "last_line", -1);
    table_column(table, TABLE_TEXT, "loop in", "function", 0);
}

/* From column `at`: file, lines, object, function, inlined. */
static void place_cells(const struct report *report, struct table *table, struct query *q, int at)
{
    int i;

    for (i = 0; i < 3; i++) {
        if (query_null(q, at + i))
            table_null(table);
        else if (i == 0)
            table_text(table, query_text(q, at));
        else
            table_count(table, query_int(q, at + i));
    }
    report_range(report, table, q, at, query_text(q, at + (query_null(q, at + 4) ? 3 : 4)));
}

static void real_or_null(struct table *table, struct query *q, int at)
{
    if (query_null(q, at))
        table_null(table);
    else
        table_number(table, query_real(q, at));
}

static bool loops(struct report *report)
{
    char heading[128];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_COUNT, "entries", "entries", REPORT_CALLS_GROUP);
    table_column(table, TABLE_COUNT, NULL, "iterations", -1);
    table_column(table, TABLE_REAL, "trips", "trip_count", REPORT_CALLS_GROUP);
    table_column(table, TABLE_COUNT, "depth", "depth", REPORT_CALLS_GROUP + 1);
    table_column(table, TABLE_COUNT, NULL, "id", -1);
    table_column(table, TABLE_COUNT, NULL, "parent", -1);
    table_column(table, TABLE_COUNT, NULL, "estimate", -1);
    place_columns(table);
    report_query(report, &q,
                 "entries, iterations, trip_count, depth, id, parent, estimate, file, line, last_line, function, "
                 "inlined",
                 "loops", "file, line, id");
    while (query_row(&q)) {
        int i;

        report_cells(report, table, &q, 12);
        for (i = 0; i < 7; i++) {
            if (query_null(&q, i))
                table_null(table);
            else if (i == 2)
                real_or_null(table, &q, i);
            else
                table_count(table, query_int(&q, i));
        }
        place_cells(report, table, &q, 7);
    }
    snprintf(heading, sizeof heading, "Loops by %s", report->sort.name);
    report_section(report, table, "loops", heading);
    return query_end(&q);
}

/* What they walk, whole nests: sorted by what data structures have, the event's inclusive cost. */
static bool walked(struct report *report)
{
    char heading[128];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_TEXT, "data structure", "data", 0);
    place_columns(table);
    report_query(report, &q, "data, file, line, last_line, function, NULL",
                 "loop_data", "file, line, loop_id, data, data_id");
    while (query_row(&q)) {
        report_cells(report, table, &q, 6);
        table_text(table, query_text(&q, 0));
        place_cells(report, table, &q, 1);
    }
    snprintf(heading, sizeof heading, "Data structures that they walk, by %s", report->sort.name);
    report_section(report, table, "loop_data", heading);
    return query_end(&q);
}

bool report_loops(struct report *report)
{
    struct report *own = malloc(sizeof *own);
    bool good;

    if (own == NULL)
        term_no_memory();
    choose(report, own);
    good = loops(own) && (query_was_off(report->profile, "data") || walked(own));
    report->sections = own->sections;
    free(own);
    return good;
}
