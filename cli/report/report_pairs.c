/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_pairs.c: who throws out what others need again, and who uses first what others have loaded
 * (--interdependence=yes): data structures, lines of source, statements, and how long ago lines had been used that are
 * loaded again.
 *
 * Rows are sorted by their misses or lines, which are no event: all other columns say whose they are. Instructions of a
 * line are one row. What there was no room for has no names, and is a row as well, so that rows add up.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAST_POWER = 31 }; /* of distances; those that are longer count with it */

#define NO_ROOM "'(there was no room for more)'"

bool report_pairs_known(const struct report *report)
{
    const char *format = tp_meta(report->profile, "import.format"), *kept = tp_meta(report->profile, "interdependence");

    if (!report->pairs ||
        query_value(report->profile, "SELECT EXISTS (SELECT 1 FROM t_pairs) OR EXISTS (SELECT 1 FROM t_reuses)", 0) > 0)
        return true;
    if (format != NULL)
        term_error("--pairs: files of %s do not say who loads lines again", format);
    else if (kept == NULL || query_was_off(report->profile, "interdependence"))
        term_error("--pairs: this profile does not say who loads lines again; record it with --interdependence=yes");
    else
        return true;
    return false;
}

/* ------------------------------------------------------------------------------------------ columns */

/* What each table begins with: a count, and so on. */
static void headings(struct table *table, const char *counted, const char *name)
{
    table_column(table, TABLE_COUNT, counted, name, 0);
    table_column(table, TABLE_PERCENT, "%", "share", 70);
    table_column(table, TABLE_TEXT, "cache", "cache", 0);
    table_column(table, TABLE_COUNT, "accesses\nlater", "mean_distance", 60);
}

/* Of all misses that the report is sorted by, in front of the rest of a row. */
static void columns(const struct report *report, char *sql, size_t size, const char *rest)
{
    snprintf(sql, size, "misses, 100.0 * misses / %f, cache, 1.0 * distance / nullif(timed, 0), %s",
             report->sort.total > 0 ? report->sort.total : 1.0, rest);
}

/* The same of all lines that are used again. */
static void reuse_columns(const struct report *report, char *sql, size_t size, const char *rest)
{
    snprintf(sql, size, "lines, 100.0 * lines / %f, cache, 1.0 * distance / nullif(lines, 0), %s",
             report->sort.total > 0 ? report->sort.total : 1.0, rest);
}

static void cells(struct table *table, struct query *q)
{
    table_count(table, query_int(q, 0));
    table_number(table, query_real(q, 1));
    report_text(table, q, 2);
    if (query_null(q, 3))
        table_null(table);
    else
        table_count(table, llround(fmin(fmax(query_real(q, 3), -9e18), 9e18)));
}

static void loader_headings(struct table *table)
{
    table_column(table, TABLE_TEXT, "loaded by", "loader", 50);
    table_column(table, TABLE_TEXT, NULL, "loader_file", -1);
    table_column(table, TABLE_COUNT, NULL, "loader_line", -1);
}

static void evictor_headings(struct table *table, const char *thrown)
{
    loader_headings(table);
    table_column(table, TABLE_TEXT, thrown, "evictor", 0);
    table_column(table, TABLE_TEXT, NULL, "evictor_file", -1);
    table_column(table, TABLE_COUNT, NULL, "evictor_line", -1);
}

#define LOADED_AGAIN "loaded\nagain", "misses"
#define USED_NEXT "used\nnext", "lines"

/* ------------------------------------------------------------------------------------------ tables */

static bool objects(struct report *report)
{
    char wanted[512];
    struct table *table = table_new();
    struct query q;

    headings(table, LOADED_AGAIN);
    table_column(table, TABLE_TEXT, "thrown out by", "evictor_data", 0);
    table_column(table, TABLE_TEXT, "data structure", "data", 0);
    columns(report, wanted, sizeof wanted, "evictor_data, data");
    report_query(report, &q, wanted, "data_pairs", "data, evictor_data, cache, data_id, evictor_data_id");
    while (query_row(&q)) {
        cells(table, &q);
        report_text(table, &q, 4);
        report_text(table, &q, 5);
    }
    report_section(report, table, "data_pairs", "Data structures that are thrown out and loaded again");
    return query_end(&q);
}

static bool lines(struct report *report)
{
    char wanted[512];
    struct table *table = table_new();
    struct query q;

    headings(table, LOADED_AGAIN);
    evictor_headings(table, "thrown out by");
    table_column(table, TABLE_TEXT, NULL, "evictor_data", -1);
    table_column(table, TABLE_TEXT, "data structure", "data", 65);
    report_place_columns(table, "and again by", "function");
    columns(report, wanted, sizeof wanted,
            "loader, loader_file, loader_line, evictor, evictor_file, evictor_line, evictor_data, data, file, line, "
            "NULL, ifnull(function, " NO_ROOM ")");
    report_query(report, &q, wanted,
                 "(SELECT sum(misses) AS misses, sum(timed) AS timed, sum(distance) AS distance, cache, loader, "
                 "loader_file, loader_line, evictor, evictor_file, evictor_line, evictor_data, function, file, line, "
                 "data FROM pairs GROUP BY cache, loader, loader_file, loader_line, evictor, evictor_file, "
                 "evictor_line, evictor_data_id, function, file, line, data_id)",
                 "file, line, function, data, evictor_file, evictor_line, evictor, evictor_data, loader_file, "
                 "loader_line, loader, cache");
    while (query_row(&q)) {
        cells(table, &q);
        report_brief(report, table, &q, 4);
        report_brief(report, table, &q, 7);
        report_text(table, &q, 10);
        report_text(table, &q, 11);
        report_place(report, table, &q, 12, false, query_text(&q, 15));
    }
    report_section(report, table, "pairs", "Who loads lines again, and who had thrown them out");
    return query_end(&q);
}

static bool distances(struct report *report)
{
    struct table *table = table_new();
    struct query q;

    table_column(table, TABLE_COUNT, LOADED_AGAIN, 0);
    table_column(table, TABLE_PERCENT, "%", "share", 70);
    table_column(table, TABLE_TEXT, "cache", "cache", 0);
    table_column(table, TABLE_COUNT, "accesses\nlater: from", "from", 0);
    table_column(table, TABLE_COUNT, "to", "to", 0);
    query_begin(&q, report->profile,
                "SELECT * FROM (SELECT sum(t.misses) AS misses, 100.0 * sum(t.misses) / %f, p.cache, t.power "
                "FROM t_pair_distances t JOIN t_pairs p ON p.id = t.pair_id GROUP BY p.cache, t.power "
                "HAVING abs(sum(t.misses)) >= %f ORDER BY abs(sum(t.misses)) DESC, p.cache, t.power LIMIT %lld) "
                "ORDER BY cache, power",
                report->sort.total > 0 ? report->sort.total : 1.0, report_least(report), (long long)report->limit);
    while (query_row(&q)) {
        int64_t power = query_int(&q, 3);

        table_count(table, query_int(&q, 0));
        table_number(table, query_real(&q, 1));
        report_text(table, &q, 2);
        power = power < 0 ? 0 : power > LAST_POWER ? LAST_POWER : power;
        table_count(table, power == 0 ? 0 : (int64_t)1 << power);
        if (power == LAST_POWER)
            table_null(table);
        else
            table_count(table, ((int64_t)2 << power) - 1);
    }
    report_section(report, table, "pair_distances",
                   "How long ago the lines were used that are loaded again");
    return query_end(&q);
}

/* ------------------------------------------------------------------------------------------ tables of reuses */

static bool reuse_lines(struct report *report)
{
    char wanted[512];
    struct table *table = table_new();
    struct query q;

    headings(table, USED_NEXT);
    loader_headings(table);
    table_column(table, TABLE_TEXT, "data structure", "data", 65);
    report_place_columns(table, "and used next by", "function");
    reuse_columns(report, wanted, sizeof wanted,
                  "loader, loader_file, loader_line, data, file, line, NULL, ifnull(function, " NO_ROOM ")");
    report_query(report, &q, wanted,
                 "(SELECT sum(lines) AS lines, sum(distance) AS distance, cache, loader, loader_file, loader_line, "
                 "function, file, line, data FROM reuses GROUP BY cache, loader, loader_file, loader_line, function, "
                 "file, line, data_id)",
                 "file, line, function, data, loader_file, loader_line, loader, cache");
    while (query_row(&q)) {
        cells(table, &q);
        report_brief(report, table, &q, 4);
        report_text(table, &q, 7);
        report_place(report, table, &q, 8, false, query_text(&q, 11));
    }
    report_section(report, table, "reuses", "Who uses lines first that others, or they themselves, have loaded");
    return query_end(&q);
}

static bool reuse_statements(struct report *report)
{
    char wanted[512];
    struct table *table = table_new();
    struct query q;

    headings(table, USED_NEXT);
    loader_headings(table);
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "first_line", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_TEXT, "and used next by statement in", "function", 0);
    reuse_columns(report, wanted, sizeof wanted,
                  "loader, loader_file, loader_line, file, first_line, line, ifnull(function, " NO_ROOM ")");
    report_query(report, &q, wanted, "statement_reuses",
                 "file, line, function, loader_file, loader_line, loader, cache");
    while (query_row(&q)) {
        cells(table, &q);
        report_brief(report, table, &q, 4);
        report_text(table, &q, 7);
        report_count(table, &q, 8);
        report_count(table, &q, 9);
        report_range(report, table, &q, 7, query_text(&q, 10));
    }
    report_section(report, table, "statement_reuses", "Whom they profit from, by lines used next");
    return query_end(&q);
}

/* ------------------------------------------------------------------------------------------ sections */

/* A copy of the report, sorted by what pairs, or reuses, count. */
static struct report *sorted_by(const struct report *report, const char *what, const char *sum)
{
    struct report *own = malloc(sizeof *own);

    if (own == NULL)
        term_no_memory();
    *own = *report;
    own->shown_count = 0;
    snprintf(own->sort.name, sizeof own->sort.name, "%s", what);
    snprintf(own->sort.sql, sizeof own->sort.sql, "%s", what);
    own->sort.total = query_value(report->profile, sum, 0);
    return own;
}

static struct report *by_misses(const struct report *report)
{
    return sorted_by(report, "misses", "SELECT total(abs(1.0 * misses)) FROM t_pairs");
}

/* A section of it; there is none of a profile in which no line was used again. */
static bool of_reuses(struct report *report, bool (*section)(struct report *))
{
    struct report *own = sorted_by(report, "lines", "SELECT total(abs(1.0 * lines)) FROM t_reuses");
    bool good = own->sort.total <= 0 || section(own);

    report->sections = own->sections;
    free(own);
    return good;
}

bool report_pairs(struct report *report)
{
    struct report *own = by_misses(report);
    bool good = report->in != NULL || query_was_off(report->profile, "data") || objects(own);

    good = good && lines(own) && (report->in != NULL || distances(own));
    report->sections = own->sections;
    free(own);
    return good && of_reuses(report, reuse_lines);
}

static bool dependence(struct report *report)
{
    char wanted[512];
    struct table *table = table_new();
    struct query q;

    headings(table, LOADED_AGAIN);
    evictor_headings(table, "thrown out by");
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "first_line", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_TEXT, "and again by statement in", "function", 0);
    columns(report, wanted, sizeof wanted,
            "loader, loader_file, loader_line, evictor, evictor_file, evictor_line, file, first_line, line, "
            "ifnull(function, " NO_ROOM ")");
    report_query(report, &q, wanted, "statement_pairs",
                 "file, line, function, evictor_file, evictor_line, evictor, loader_file, loader_line, loader, cache");
    while (query_row(&q)) {
        cells(table, &q);
        report_brief(report, table, &q, 4);
        report_brief(report, table, &q, 7);
        report_text(table, &q, 10);
        report_count(table, &q, 11);
        report_count(table, &q, 12);
        report_range(report, table, &q, 10, query_text(&q, 13));
    }
    report_section(report, table, "statement_pairs", "Whom they depend on, by lines loaded again");
    return query_end(&q);
}

bool report_dependence(struct report *report)
{
    struct report *own = by_misses(report);
    bool good = own->sort.total <= 0 || dependence(own);

    report->sections = own->sections;
    free(own);
    return good && of_reuses(report, reuse_statements);
}
