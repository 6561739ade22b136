/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sharing.c: what threads share, truly and falsely (--coherence=mesi).
 *
 * The first table has the data structures whose lines threads take from one another, the second who took them from
 * whom: the line of source that wrote, and the one that missed. Instructions of one line of source are one row; the
 * bytes that are shown are those of the pair that missed most.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <string.h>

bool report_sharing_known(const struct report *report)
{
    const char *format = tp_meta(report->profile, "import.format"), *kept = tp_meta(report->profile, "coherence");

    if (!report->sharing)
        return true;
    if (format != NULL)
        term_error("this profile does not say what threads share; files of %s do not", format);
    else if (kept == NULL || query_was_off(report->profile, "coherence"))
        term_error("this profile does not say what threads share; record it with --coherence=mesi");
    else
        return true;
    return false;
}

static void headings(struct table *table)
{
    table_column(table, TABLE_COUNT, "false\nsharing", "false_sharing", 0);
    table_column(table, TABLE_COUNT, "true\nsharing", "true_sharing", 30);
    table_column(table, TABLE_COUNT, "coherence\nmisses", "misses", 40);
}

static void counts(struct table *table, struct query *q)
{
    table_count(table, query_int(q, 0));
    table_count(table, query_int(q, 1));
    table_count(table, query_int(q, 2));
}

/* Rows that have less than this many misses are left out. */
static double least(const struct report *report)
{
    struct query q;
    double misses = 0;

    query_begin(&q, report->profile, "SELECT ifnull(sum(misses), 0) FROM sharing");
    if (query_row(&q))
        misses = query_real(&q, 0);
    query_end(&q);
    return report->threshold > 0 ? report->threshold * misses / 100 : -1;
}

static bool objects(struct report *report)
{
    struct table *table = table_new();
    struct query q;

    headings(table);
    table_column(table, TABLE_TEXT, NULL, "kind", -1);
    table_column(table, TABLE_COUNT, "bytes", "bytes", 50);
    table_column(table, TABLE_TEXT, "data structure", "data", 50);
    query_begin(&q, report->profile,
                "SELECT sum(s.false_sharing), sum(s.true_sharing), sum(s.misses) AS all_of_it, d.kind, "
                "coalesce(d.size, d.bytes), d.name FROM sharing s LEFT JOIN data_objects d ON d.id = s.data_id "
                "GROUP BY s.data_id HAVING all_of_it >= %f "
                "ORDER BY 1 DESC, all_of_it DESC, d.name, s.data_id LIMIT %lld",
                least(report), (long long)report->limit);
    while (query_row(&q)) {
        counts(table, &q);
        report_text(table, &q, 3);
        if (query_null(&q, 4))
            table_null(table);
        else
            table_count(table, query_int(&q, 4));
        report_text(table, &q, 5);
    }
    report_section(report, table, "shared_data", "What threads share, by false sharing");
    return query_end(&q);
}

static bool pairs(struct report *report)
{
    struct table *table = table_new();
    struct query q;

    headings(table);
    table_column(table, TABLE_TEXT, "written by", "writer", 0);
    table_column(table, TABLE_TEXT, NULL, "writer_file", -1);
    table_column(table, TABLE_COUNT, NULL, "writer_line", -1);
    table_column(table, TABLE_TEXT, "bytes\nwritten", "written", 60);
    table_column(table, TABLE_TEXT, "bytes\ntouched", "touched", 60);
    table_column(table, TABLE_TEXT, "data structure", "data", 50);
    report_place_columns(table, "missed by", "victim");
    query_begin(&q, report->profile,
                "SELECT sum(false_sharing), sum(true_sharing), sum(misses) AS all_of_it, max(misses), "
                "ifnull(writer, 'unknown'), writer_file, writer_line, written, touched, data, "
                "ifnull(victim, 'unknown'), victim_file, victim_line, NULL "
                "FROM sharing GROUP BY writer, writer_file, writer_line, victim, victim_file, victim_line, data_id "
                "HAVING all_of_it >= %f "
                "ORDER BY 1 DESC, all_of_it DESC, writer, writer_line, victim, victim_line, data LIMIT %lld",
                least(report), (long long)report->limit);
    while (query_row(&q)) {
        counts(table, &q);
        report_brief(report, table, &q, 4);
        report_text(table, &q, 7);
        report_text(table, &q, 8);
        report_text(table, &q, 9);
        report_place(report, table, &q, 11, false, query_text(&q, 10));
    }
    report_section(report, table, "sharing", "Who took lines from whom, by false sharing");
    return query_end(&q);
}

bool report_sharing(struct report *report)
{
    const char *engine = tp_meta(report->profile, "engine");
    bool good = objects(report) && pairs(report);

    if (!report->json && engine != NULL && strcmp(engine, "valgrind") == 0)
        puts("\nValgrind's engine gives threads long turns, in which they seldom take lines from one another: see\n"
             "`tenure record --engine=native`");
    return good;
}
