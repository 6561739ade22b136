/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_fields.c: the fields of data structures, in the order in which they lie: what of each was loaded and never
 * touched, and where misses arise.
 *
 * A table for each data structure of that name, the one that loses most first. Of a field whose bytes are loaded in
 * vain it is the percentage that tells: 0 % used is dead weight that the others drag along.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <string.h>

/* Of table data_fields: a number's heading, key, kind, what it is of the columns of the view, and its group: what is
 * lost in level 1 stays longest. */
static const struct {
    const char *title, *key;
    enum table_kind kind;
    const char *event, *sql;
    int group;
} numbers[] = {
    {"unused\nbytes", "SpLossD1", TABLE_COUNT, "SpLossD1", "SpLossD1", 3},
    {"loaded\nbytes", "loadedD1", TABLE_COUNT, "SpLossD1", "SpLossD1 + UseD1", 6},
    {"used\n%", "usedD1", TABLE_PERCENT, "SpLossD1", "100.0 * UseD1 / nullif(SpLossD1 + UseD1, 0)", 4},
    {"D1\nmisses", "D1m", TABLE_COUNT, "D1mr", "ifnull(D1mr, 0) + ifnull(D1mw, 0)", 5},
    {"LL unused\nbytes", "SpLossL", TABLE_COUNT, "SpLossL", "SpLossL", 9},
    {"LL used\n%", "usedL", TABLE_PERCENT, "SpLossL", "100.0 * UseL / nullif(SpLossL + UseL, 0)", 8},
    {"LL\nmisses", "DLm", TABLE_COUNT, "DLmr", "ifnull(DLmr, 0) + ifnull(DLmw, 0)", 7},
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], FIXED = 6 };

#define IS_CALLED "(name = ?1 OR name GLOB ?1 OR instr(name, ?1) OR type GLOB ?1)"

bool report_fields_known(const struct report *report)
{
    struct query q;
    bool any = false;

    if (report->fields == NULL)
        return true;
    if (query_was_off(report->profile, "data") || tp_meta(report->profile, "import.format") != NULL) {
        term_error("this profile has no data structures; record without --data=no");
        return false;
    }
    if (!query_begin(&q, report->profile, "SELECT 1 FROM data_objects WHERE " IS_CALLED
                     " AND id IN (SELECT data_id FROM t_data_fields) LIMIT 1"))
        return false;
    query_bind_text(&q, 1, report->fields);
    any = query_row(&q);
    if (!query_end(&q))
        return false;
    if (!any)
        term_error("no data structure with fields is called %s, nor is its type; * and ? match, as in '*%s*'",
                   report->fields, report->fields);
    return any;
}

static void headings(const struct report *report, struct table *table)
{
    size_t i;

    table_column(table, TABLE_TEXT, NULL, "data", -1);
    table_column(table, TABLE_TEXT, NULL, "kind", -1);
    for (i = 0; i < NUMBERS; i++) {
        if (tp_event_find(report->profile, numbers[i].event) != NULL)
            table_column(table, numbers[i].kind, numbers[i].title, numbers[i].key, numbers[i].group);
    }
    table_column(table, TABLE_COUNT, "offset", "offset", 0);
    table_column(table, TABLE_COUNT, "size", "size", 2);
    table_column(table, TABLE_TEXT, NULL, "type", -1);
    table_column(table, TABLE_TEXT, "field", "field", 0);
}

static void cell(struct table *table, struct query *q, int at, enum table_kind kind)
{
    if (query_null(q, at))
        table_null(table);
    else if (kind == TABLE_PERCENT)
        table_number(table, query_real(q, at));
    else if (kind == TABLE_TEXT)
        table_text(table, query_text(q, at));
    else
        table_count(table, query_int(q, at));
}

static bool fill(const struct report *report, struct table *table, int64_t id)
{
    char columns[1024] = "";
    size_t at = 0, i;
    struct query q;
    int next = FIXED;

    for (i = 0; i < NUMBERS; i++) {
        if (tp_event_find(report->profile, numbers[i].event) != NULL)
            at += (size_t)snprintf(columns + at, sizeof columns - at, ", %s", numbers[i].sql);
    }
    query_begin(&q, report->profile,
                "SELECT data, kind, offset, size, type, field%s FROM data_fields WHERE data_id = %lld "
                "ORDER BY offset IS NULL, offset, kind",
                columns, (long long)id);
    while (query_row(&q)) {
        cell(table, &q, 0, TABLE_TEXT);
        cell(table, &q, 1, TABLE_TEXT);
        for (i = 0, next = FIXED; i < NUMBERS; i++) {
            if (tp_event_find(report->profile, numbers[i].event) != NULL)
                cell(table, &q, next++, numbers[i].kind);
        }
        cell(table, &q, 2, TABLE_COUNT);
        cell(table, &q, 3, TABLE_COUNT);
        cell(table, &q, 4, TABLE_TEXT);
        cell(table, &q, 5, TABLE_TEXT);
        table_tail(table, query_text(&q, 4));
    }
    return query_end(&q);
}

bool report_fields(struct report *report)
{
    bool use = tp_event_find(report->profile, "SpLossD1") != NULL;
    const char *by = use ? "SpLossD1" : "ifnull(D1mr, 0) + ifnull(D1mw, 0)";
    struct table *all = table_new();
    struct query q;
    bool good = true;

    headings(report, all);
    query_begin(&q, report->profile,
                "SELECT id, name, element, type, size FROM data_objects WHERE " IS_CALLED
                " AND id IN (SELECT data_id FROM t_data_fields) ORDER BY %s DESC NULLS LAST, id LIMIT %lld",
                by, (long long)report->limit);
    query_bind_text(&q, 1, report->fields);
    while (good && query_row(&q)) {
        struct table *table = report->json ? all : table_new();
        char heading[600], of[300] = "";

        if (!query_null(&q, 2))
            snprintf(of, sizeof of, ": %.200s of %lld bytes each", query_null(&q, 3) ? "elements" : query_text(&q, 3),
                     (long long)query_int(&q, 2));
        snprintf(heading, sizeof heading, "Fields of %.250s%s", query_text(&q, 1), of);
        if (!report->json)
            headings(report, table);
        good = fill(report, table, query_int(&q, 0));
        if (!report->json)
            report_section(report, table, "data_fields", heading);
    }
    if (report->json)
        report_section(report, all, "data_fields", "");
    else
        table_free(all);
    return query_end(&q) && good;
}
