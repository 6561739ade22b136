/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_patterns.c: what is recorded of misses beside their number: the strides between them (--strides=yes), what
 * kind they are, and in which sets those are that conflict (--patterns=yes).
 *
 * A row is of one line of source in one data structure: instructions of the line are one. Its costs are those of the
 * instructions that have this stride, or these conflicts, there: so rows of one line with several strides are not to be
 * added up. Costs are self costs; of a fetch, which has no data structure, those of the instruction.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 64 };

static const char *const levels[] = {"I1", "D1", "I2", "D2", "L"};
static const char *const kinds[] = {"Cold", "Cap", "Conf"};
enum { LEVELS = sizeof levels / sizeof levels[0], KINDS = sizeof kinds / sizeof kinds[0] };

/* ------------------------------------------------------------------------------------------ what is there */

/* The event that counts misses of a kind in a cache; false: the profile has none. */
static bool event_of(const struct report *report, size_t level, size_t kind, struct column_spec *spec)
{
    char name[16];

    snprintf(name, sizeof name, "%s%s", kinds[kind], levels[level]);
    return column_try(report->profile, name, spec);
}

static bool tells_apart(const struct report *report)
{
    struct column_spec spec;
    size_t i;

    for (i = 0; i < LEVELS * KINDS; i++) {
        if (event_of(report, i / KINDS, i % KINDS, &spec))
            return true;
    }
    return false;
}

bool report_patterns_known(const struct report *report)
{
    const char *option = report->strides ? "--strides" : "--conflicts";
    const char *format = tp_meta(report->profile, "import.format");

    if (!report->strides && !report->conflicts)
        return true;
    if (format != NULL)
        term_error("%s: files of %s do not say this of misses", option, format);
    else if (report->strides && !tp_keeps_strides(report->profile))
        term_error("%s: this profile has no strides; record it with --strides=yes", option);
    else if (report->conflicts && !tells_apart(report))
        term_error("%s: this profile does not tell misses apart; record it with --patterns=yes", option);
    else if (report->sort.inclusive)
        term_error("%s: lines have self costs only in data structures: --sort by an event without _incl", option);
    else
        return true;
    return false;
}

/* ------------------------------------------------------------------------------------------ rows */

/* Groups of rows `p` (of an instruction in a data structure) with their costs, in parentheses, to be asked as a view
 * is. `own`: what is asked of them, `from`: a table `p`, `key`: what rows of a line and data structure differ in. */
static char *by_line(const struct report *report, const char *own, const char *from, const char *key)
{
    char *text = NULL, *sums = report_events(report, "sum(c.\"", "\")");
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    int of_data;

    if (sql == NULL)
        term_no_memory();
    for (of_data = 1; of_data >= 0; of_data--) {
        fprintf(sql, "%sSELECT c.function, c.file, c.line, %s AS data, p.data_id, %s%s", of_data ? "(" : " UNION ALL ",
                of_data ? "c.data" : "NULL", own, sums);
        fprintf(sql,
                " FROM %s JOIN %s WHERE p.data_id IS %sNULL GROUP BY c.function_id, c.file_id, c.line, p.data_id, %s",
                from,
                of_data ? "instruction_data c ON c.instruction_id = p.instruction_id AND c.data_id = p.data_id"
                        : "instructions c ON c.id = p.instruction_id",
                of_data ? "NOT " : "", key);
    }
    fputc(')', sql);
    if (fclose(sql) != 0)
        term_no_memory();
    free(sums);
    return text;
}

/* ------------------------------------------------------------------------------------------ strides */

static void stride_headings(const struct report *report, struct table *table)
{
    report_headings(report, table);
    table_column(table, TABLE_CHANGE, "stride\nbytes", "stride", 0);
    table_column(table, TABLE_COUNT, "how\noften", "count", 70);
    table_column(table, TABLE_PERCENT, "of all\n%", "share", 0);
    table_column(table, TABLE_COUNT, NULL, "strides", -1);
    table_column(table, TABLE_COUNT, NULL, "lost", -1);
    table_column(table, TABLE_TEXT, "data structure", "data", 60);
    report_place_columns(table, "missed by", "function");
}

static bool strides(const struct report *report, struct table *table)
{
    char *view = by_line(report, "p.stride, sum(p.count) AS count, sum(p.strides) AS strides, sum(p.lost) AS lost",
                         "(SELECT t.instruction_id, t.data_id, t.stride, t.count, s.strides, s.lost FROM t_strides t "
                         "JOIN t_stride_sums s ON s.instruction_id = t.instruction_id AND s.data_id IS t.data_id) p",
                         "p.stride");
    struct query q;

    report_query(report, &q,
                 "stride, count, 100.0 * count / nullif(strides, 0), strides, lost, data, file, line, NULL, function",
                 view, "file, line, data, count DESC, stride");
    while (query_row(&q)) {
        report_cells(report, table, &q, 10);
        table_count(table, query_int(&q, 0));
        table_count(table, query_int(&q, 1));
        if (query_null(&q, 2))
            table_null(table);
        else
            table_number(table, query_real(&q, 2));
        table_count(table, query_int(&q, 3));
        table_count(table, query_int(&q, 4));
        report_text(table, &q, 5);
        report_place(report, table, &q, 6, false, query_text(&q, 9));
    }
    free(view);
    return query_end(&q);
}

bool report_strides(struct report *report)
{
    static const char *const usual[] = {"spatialD1", NULL};
    struct report *own = malloc(sizeof *own);
    struct table *table = table_new();
    char heading[128];
    bool good;

    if (own == NULL)
        term_no_memory();
    report_self_columns(report, own, usual);
    stride_headings(own, table);
    good = strides(own, table);
    snprintf(heading, sizeof heading, "Strides between misses, by %s", own->sort.name);
    report_section(own, table, "strides", heading);
    report->sections = own->sections;
    free(own);
    return good;
}

/* ------------------------------------------------------------------------------------------ kinds of misses */

/* Cold, capacity and conflict misses of the program, a row for each cache. */
static void miss_kinds(struct report *report)
{
    static const char *const titles[] = {"cold", "capacity", "conflicts"};
    struct table *table = table_new();
    size_t i, k;

    for (k = 0; k < KINDS; k++) {
        char key[32];

        table_column(table, TABLE_COUNT, titles[k], titles[k], 40 + (int)k);
        snprintf(key, sizeof key, "%s_percent", titles[k]);
        table_column(table, TABLE_PERCENT, "%", key, 0);
    }
    table_column(table, TABLE_COUNT, "misses", "misses", 30);
    table_column(table, TABLE_TEXT, "cache", "cache", 0);
    for (i = 0; i < LEVELS; i++) {
        struct column_spec spec;
        double count[KINDS] = {0}, all = 0;
        bool known = false;

        for (k = 0; k < KINDS; k++) {
            if (event_of(report, i, k, &spec))
                known = true, all += count[k] = spec.total;
        }
        for (k = 0; known && k < KINDS; k++) {
            table_count(table, (int64_t)count[k]);
            if (all != 0)
                table_number(table, 100 * count[k] / all);
            else
                table_null(table);
        }
        if (known) {
            table_count(table, (int64_t)all);
            table_text(table, levels[i]);
        }
    }
    report_section(report, table, "miss_kinds", "Misses by kind");
}

/* ------------------------------------------------------------------------------------------ conflicts */

/* What the instructions of a row have, sets as bits of a number each, as "0-7 16"; how many there are. */
static unsigned sets_of(const char *masks, char *out, size_t size)
{
    uint64_t all = 0;
    unsigned count = 0, first, last;
    size_t at = 0;

    for (; *masks != '\0'; masks += strcspn(masks, ","), masks += *masks == ',')
        all |= (uint64_t)strtoll(masks, NULL, 10);
    out[0] = '\0';
    for (first = 0; first < SETS && at < size; first = last + 1) {
        last = first;
        if (!(all >> first & 1))
            continue;
        while (last + 1 < SETS && (all >> (last + 1) & 1))
            last++;
        count += last - first + 1;
        at += (size_t)snprintf(out + at, size - at, first == last ? "%s%u" : "%s%u-%u", at ? " " : "", first, last);
    }
    return count;
}

static void conflict_headings(const struct report *report, struct table *table)
{
    report_headings(report, table);
    table_column(table, TABLE_COUNT, "conflicts", "conflicts", 0);
    table_column(table, TABLE_PERCENT, "of misses\n%", "share", 70);
    table_column(table, TABLE_TEXT, "cache", "cache", 0);
    table_column(table, TABLE_COUNT, "sets\nof 64", "set_count", 0);
    table_column(table, TABLE_TEXT, "which", "sets", 65);
    table_column(table, TABLE_TEXT, "data structure", "data", 60);
    report_place_columns(table, "missed by", "function");
}

/* The kinds of misses of the cache of a row. */
static void misses_of_cache(const struct report *report, char *sql, size_t size)
{
    size_t at = (size_t)snprintf(sql, size, "CASE cache"), i, k;
    struct column_spec spec;

    for (i = 0; i < LEVELS; i++) {
        at += (size_t)snprintf(sql + at, size - at, " WHEN '%s' THEN 0", levels[i]);
        for (k = 0; k < KINDS; k++) {
            if (event_of(report, i, k, &spec))
                at += (size_t)snprintf(sql + at, size - at, " + ifnull(\"%s\", 0)", spec.event);
        }
    }
    snprintf(sql + at, size - at, " END");
}

static bool conflicts(const struct report *report, struct table *table)
{
    char columns[1024], misses[768], sets[512];
    char *view = by_line(report, "p.cache, sum(p.misses) AS conflicts, group_concat(p.mask) AS masks",
                         "(SELECT instruction_id, data_id, cache, sum(misses) AS misses, "
                         "sum(CASE WHEN misses THEN 1 << set_bits END) AS mask "
                         "FROM t_conflicts GROUP BY instruction_id, data_id, cache) p",
                         "p.cache");
    struct query q;

    misses_of_cache(report, misses, sizeof misses);
    snprintf(columns, sizeof columns,
             "conflicts, 100.0 * conflicts / nullif(%s, 0), cache, masks, data, file, line, NULL, function", misses);
    report_query(report, &q, columns, view, "conflicts DESC, file, line, function, data, data_id, cache");
    while (query_row(&q)) {
        report_cells(report, table, &q, 9);
        table_count(table, query_int(&q, 0));
        if (query_null(&q, 1))
            table_null(table);
        else
            table_number(table, query_real(&q, 1));
        table_text(table, query_text(&q, 2));
        table_count(table, sets_of(query_text(&q, 3), sets, sizeof sets));
        table_text(table, sets);
        report_text(table, &q, 4);
        report_place(report, table, &q, 5, false, query_text(&q, 8));
    }
    free(view);
    return query_end(&q);
}

/* The sets themselves, those with most conflicts first. */
static bool busy_sets(struct report *report)
{
    struct table *table = table_new();
    struct query q;
    double all = query_value(report->profile, "SELECT sum(abs(misses)) FROM t_conflicts", 0);

    table_column(table, TABLE_COUNT, "conflicts", "conflicts", 0);
    table_column(table, TABLE_PERCENT, "%", "share", 0);
    table_column(table, TABLE_TEXT, "cache", "cache", 0);
    table_column(table, TABLE_COUNT, "set", "set", 0);
    query_begin(&q, report->profile,
                "SELECT sum(misses), 100.0 * sum(misses) / %f, cache, set_bits FROM t_conflicts "
                "GROUP BY cache, set_bits HAVING abs(sum(misses)) >= %f "
                "ORDER BY abs(sum(misses)) DESC, cache, set_bits LIMIT %lld",
                all > 0 ? all : 1.0, report->threshold > 0 ? report->threshold * all / 100 : -1,
                (long long)report->limit);
    while (query_row(&q)) {
        table_count(table, query_int(&q, 0));
        table_number(table, query_real(&q, 1));
        table_text(table, query_text(&q, 2));
        table_count(table, query_int(&q, 3));
    }
    report_section(report, table, "conflict_sets", "Sets in which they conflict (the low six bits of their numbers)");
    return query_end(&q);
}

/* Unasked, by their number: there is no event that has conflicts of all caches. */
static void by_number(const struct report *report, struct report *own)
{
    static const char *const usual[] = {NULL};

    report_self_columns(report, own, usual);
    if (report->sort_name != NULL)
        return;
    own->shown_count = report->show != NULL ? own->shown_count : 0;
    snprintf(own->sort.name, sizeof own->sort.name, "number");
    snprintf(own->sort.sql, sizeof own->sort.sql, "conflicts");
    own->sort.total = query_value(report->profile, "SELECT sum(abs(misses)) FROM t_conflicts", 0);
}

bool report_conflicts(struct report *report)
{
    struct report *own = malloc(sizeof *own);
    struct table *table = table_new();
    char heading[128];
    bool good;

    if (own == NULL)
        term_no_memory();
    by_number(report, own);
    miss_kinds(own);
    conflict_headings(own, table);
    good = conflicts(own, table);
    snprintf(heading, sizeof heading, "Conflict misses, by %s", own->sort.name);
    report_section(own, table, "conflicts", heading);
    if (good && report->in == NULL)
        good = busy_sets(own);
    report->sections = own->sections;
    free(own);
    return good;
}
