/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_functions.c: functions, by any event.
 *
 * One row per function context. Behind the name is where the function is, below the table what its columns mean:
 * this is the first table that a new user sees.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events that are named as everywhere, such as Ir, are not explained. */
static bool wants_meaning(const struct report *report, size_t i)
{
    static const char *const ours[] = {"CEst", "SpLoss", "AcCost", "spatial", "temporal"};
    const struct column_spec *spec = &report->shown[i];
    size_t k;

    if (i > 0 && spec->inclusive && strcmp(spec->event, report->shown[i - 1].event) == 0)
        return false;
    for (k = 0; k < sizeof ours / sizeof ours[0]; k++) {
        if (strncmp(spec->name, ours[k], strlen(ours[k])) == 0)
            return true;
    }
    return false;
}

/* Writes `text` behind what is on the line, or on a new one; returns the column reached. */
static int wrapped(int column, const char *text)
{
    int length = (int)strlen(text);

    if (column == 0) {
        fputs("  ", stdout);
        column = 2;
    } else if (column + 2 + length < term_width(stdout)) {
        fputs("; ", stdout);
        column += 2;
    } else {
        fputs(";\n  ", stdout);
        column = 2;
    }
    fputs(text, stdout);
    return column + length;
}

/* What the columns mean. */
static void legend(const struct report *report)
{
    bool incl = false;
    int column = 0;
    size_t i;

    fputs(term_style(stdout, TERM_DIM), stdout);
    for (i = 0; i < report->shown_count; i++) {
        const struct column_spec *spec = &report->shown[i];
        char text[256];

        incl |= spec->inclusive;
        if (!wants_meaning(report, i))
            continue;
        snprintf(text, sizeof text, "%s: %s", spec->is_ratio ? spec->name : spec->event,
                 column_meaning(report->profile, spec));
        column = wrapped(column, text);
    }
    if (incl)
        column = wrapped(column, "incl: with all that was called");
    printf("%s%s", term_style(stdout, TERM_PLAIN), column > 0 ? "\n" : "");
}

bool report_functions(struct report *report)
{
    char heading[128];
    struct table *table = table_new();
    struct query q;

    report_headings(report, table);
    table_column(table, TABLE_COUNT, "calls", "calls", REPORT_CALLS_GROUP);
    report_place_columns(table, "function", "function");
    report_query(report, &q, "function, file, line, object, calls", "functions", "function");
    while (query_row(&q)) {
        report_cells(report, table, &q, 5);
        table_count(table, query_int(&q, 4));
        report_place(report, table, &q, 1, true, query_text(&q, 0));
    }
    snprintf(heading, sizeof heading, "Functions by %s", report->sort.name);
    report_section(report, table, "functions", heading);
    if (!report->json)
        legend(report);
    return query_end(&q);
}
