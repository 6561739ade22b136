/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_table.c: a section of a report, from its descriptor (profile/read/sections.h).
 *
 * A table begins with columns of events: those that the user asked for or, unasked, the usual ones, of which a narrow
 * terminal shows the first. The section's own columns follow; the last one is a name, and behind it, dim, is where the
 * thing lies. In JSON nothing is left out, and the place has columns of its own.
 */
#include "cli/report/report.h"

#include "cli/base/place.h"
#include "cli/base/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* columns: those that may be shown, and the section's usual ones */

/* A section while it is made. */
struct drawn {
    const struct report *report;
    const struct tp_section_group *group;
    const struct tp_section *section;
    struct column_list columns; /* of events */
    size_t place[MOST];         /* of a column, in the order of leaving out */
    double whole[MOST];         /* what its percentages are of; 0: the program's total */
    struct tp_margin *margin[MOST]; /* of a column, how far it may be off; NULL: everything was simulated */
    const char *by; /* SQL: what rows are ordered by */
    bool counted;   /* it is no event, but the section's own */
    double total;   /* of it */
    int64_t id;     /* of the row of `each` */
    const char *name;
};

/* ------------------------------------------------------------------------------------------ what is filled in */

/* What stands for $word. */
static void write_word(FILE *out, const struct drawn *d, const char *word, size_t length, bool sql)
{
    const struct report *report = d->report;
    const struct column_spec *sort = &report->sort;
    const char *format = tp_meta(report->profile, "import.format");
    char total[64], id[32], limit[32], by[200];
    const struct {
        const char *word, *text;
    } texts[] = {
        {"sort", sql ? sort->sql : by},
        {"by", sql ? d->by : d->counted ? "number" : by},
        {"size", report->difference ? "abs" : ""},
        {"total", total},
        {"limit", limit},
        {"strides", tp_keeps_strides(report->profile) ? "1" : "0"},
        {"inclusive", sort->inclusive ? "1" : "0"},
        {"ratio", sort->is_ratio ? "1" : "0"},
        {"id", id},
        {"name", d->name != NULL ? d->name : ""},
        {"option", d->group->option},
        {"file", report->file},
        {"format", format != NULL ? format : ""},
    };
    size_t i;

    tp_named(report->profile, sort->name, by, sizeof by);
    snprintf(total, sizeof total, "%f", d->total > 0 ? d->total : 1.0);
    snprintf(id, sizeof id, "%lld", (long long)d->id);
    snprintf(limit, sizeof limit, "%lld", (long long)report->limit);
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strlen(texts[i].word) == length && strncmp(texts[i].word, word, length) == 0)
            fputs(texts[i].text, out);
    }
    for (i = 0; i < d->columns.count && length == strlen("columns") && strncmp(word, "columns", length) == 0; i++)
        fprintf(out, ", %s", d->columns.at[i].sql);
}

/* For each event ", SQL AS event". */
static void write_events(FILE *out, tp_profile *profile, const char *sql, size_t length)
{
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const char *name = tp_event_at(profile, i)->name;

        fputs(", ", out);
        for (size_t k = 0; k < length; k++)
            fputs(sql[k] == '%' ? name : (char[]){sql[k], '\0'}, out);
        fprintf(out, " AS \"%s\"", name);
    }
}

/* "EVENT" or "EVENT|SQL". */
static void write_event(FILE *out, tp_profile *profile, const char *text, size_t length)
{
    const char *bar = memchr(text, '|', length);
    size_t name_length = bar != NULL ? (size_t)(bar - text) : length;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)name_length, text);
    if (tp_event_find(profile, name) != NULL)
        fprintf(out, bar != NULL ? "\"%s\"" : "ifnull(\"%s\", 0)", name);
    else
        fprintf(out, "%.*s", bar != NULL ? (int)(length - name_length - 1) : 1, bar != NULL ? bar + 1 : "0");
}

static char *filled_in(const struct drawn *d, const char *text, bool sql)
{
    char *result = NULL;
    size_t size, length;
    FILE *out = term_have(open_memstream(&result, &size));

    for (; *text != '\0'; text += length) {
        length = strcspn(text, sql ? "$[{" : "$");
        fprintf(out, "%.*s", (int)length, text);
        text += length;
        length = 0;
        if (*text == '$') {
            length = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz");
            write_word(out, d, text + 1, length - 1, sql);
        } else if (*text != '\0') {
            length = 1 + strcspn(text, *text == '[' ? "]" : "}");
            (*text == '[' ? write_events : write_event)(out, d->report->profile, text + 1, length - 2);
        }
    }
    if (fclose(out) != 0 || result == NULL)
        term_no_memory();
    return result;
}

/* Asks what the descriptor says. */
static bool ask(const struct drawn *d, struct query *q, const char *text)
{
    char *sql = filled_in(d, text, true);
    bool good = query_begin(q, d->report->profile, "%s", sql);
    const char *value = d->report->asked[d->group - tp_section_groups].value;
    const char *parameter = d->report->in != NULL ? d->report->in : value;

    if (good && parameter != NULL)
        query_bind_text(q, 1, parameter);
    free(sql);
    return good;
}

static bool ask_number(const struct drawn *d, const char *text, double *out)
{
    struct query q;

    *out = 0;
    if (ask(d, &q, text) && query_row(&q))
        *out = query_real(&q, 0);
    return query_end(&q);
}

bool report_needs(const struct report *report, const struct tp_section_group *group)
{
    struct drawn d = {.report = report, .group = group, .name = report->asked[group - tp_section_groups].value};
    double there;

    for (const struct tp_section_need *need = group->needs; need->sql != NULL; need++) {
        char *words;

        if (!ask_number(&d, need->sql, &there))
            return false;
        if (there > 0)
            continue;
        words = filled_in(&d, need->refusal, false);
        term_error("%s", words);
        free(words);
        return false;
    }
    return true;
}

bool report_has_in(const struct report *report, const struct tp_section_group *group, bool *any)
{
    struct drawn d = {.report = report, .group = group};
    const struct tp_section *const *section = group->sections;
    char sql[2048];
    double there;

    while ((*section)->in == NULL)
        section++;
    snprintf(sql, sizeof sql, "SELECT EXISTS (SELECT 1 FROM %s WHERE %s)", group->in, (*section)->in);
    bool good = ask_number(&d, sql, &there);
    *any |= there > 0;
    return good;
}

/* ------------------------------------------------------------------------------------------ columns */

/* Makes it the next column unless it is one already. */
static void keep_column(struct drawn *d, const struct column_spec *spec, size_t place)
{
    if (column_keep(&d->columns, spec))
        d->place[d->columns.count - 1] = place;
}

static void choose_columns(struct drawn *d)
{
    const struct report *report = d->report;
    const struct tp_section *section = d->section;
    size_t keep = section->events == TP_EVENTS_NONE ? 0 : report->shown.count, first;
    struct column_spec spec;
    char name[64];

    if (section->usual != NULL && report->show == NULL) {
        first = d->counted ? 0 : section->events == TP_EVENTS_SELF ? 1 : 2;
        keep = keep < first ? keep : first;
    }
    for (size_t i = 0; i < keep; i++) {
        const struct column_spec *shown = &report->shown.at[i];

        snprintf(name, sizeof name, "%s%s", shown->name, shown->inclusive ? "" : "_incl");
        if (section->events == TP_EVENTS_INCLUSIVE && column_try(report->profile, name, &spec))
            keep_column(d, &spec, d->columns.count);
        else if (section->events == TP_EVENTS_SHOWN || (section->events == TP_EVENTS_SELF && !shown->inclusive))
            keep_column(d, shown, i);
    }
    for (size_t i = 0; section->usual != NULL && report->show == NULL && section->usual[i] != NULL; i++) {
        if (column_try(report->profile, section->usual[i], &spec) &&
            !(spec.inclusive && query_was_off(report->profile, "inclusive")))
            keep_column(d, &spec, d->columns.count);
    }
}

static bool choose_order(struct drawn *d)
{
    const struct report *report = d->report;
    const struct tp_section *section = d->section;

    d->counted = section->by != NULL && (section->events == TP_EVENTS_NONE || report->sort_name == NULL);
    choose_columns(d);
    d->by = d->counted ? section->by : report->sort.sql;
    d->total = report->sort.total;
    if (section->events == TP_EVENTS_INCLUSIVE) {
        d->by = d->columns.count > 0 ? d->columns.at[0].sql : "calls";
        d->total = d->columns.count > 0 ? d->columns.at[0].total : 0;
    }
    return !d->counted || section->total == NULL || ask_number(d, section->total, &d->total);
}

/* What goes first where it is narrow: values whose percentage stays (that of what is wasted last), then whole
 * columns from the right. */
static void event_headings(const struct drawn *d, struct table *table)
{
    enum { SORTED_BY = 0, WASTED = 2, FIRST_VALUE = 94, WASTED_VALUE = 65 };

    for (size_t i = 0; i < d->columns.count; i++) {
        const struct column_spec *spec = &d->columns.at[i];
        int place = 10 * (int)d->place[i];
        int value = d->place[i] == WASTED ? WASTED_VALUE : FIRST_VALUE + (int)d->place[i];

        column_headings(table, spec, spec->is_ratio || d->place[i] == SORTED_BY ? place : value, place);
        if (d->margin[i] != NULL)
            column_margin_heading(table, spec, true, spec->is_ratio || d->place[i] == SORTED_BY ? place : value);
    }
}

static bool has_column(const struct report *report, const struct tp_section_column *column)
{
    return column->event == NULL || tp_event_find(report->profile, column->event) != NULL;
}

void report_columns(const struct report *report, struct table *table, const struct tp_section *section)
{
    static const enum table_kind kinds[] = {
        [TP_COLUMN_TEXT] = TABLE_TEXT,       [TP_COLUMN_COUNT] = TABLE_COUNT,   [TP_COLUMN_REAL] = TABLE_REAL,
        [TP_COLUMN_PERCENT] = TABLE_PERCENT, [TP_COLUMN_CHANGE] = TABLE_CHANGE, [TP_COLUMN_BRIEF] = TABLE_TEXT,
        [TP_COLUMN_SETS] = TABLE_TEXT,       [TP_COLUMN_SET_COUNT] = TABLE_COUNT};

    for (const struct tp_section_column *column = section->columns; column->key != NULL; column++) {
        enum table_kind kind = column->kind != TP_COLUMN_AS_SORTED ? kinds[column->kind]
                               : report->sort.is_real              ? TABLE_REAL
                                                                   : TABLE_COUNT;

        if (has_column(report, column))
            table_column(table, kind, column->title, column->key, column->group);
    }
}

/* ------------------------------------------------------------------------------------------ cells */

/* What the instructions of a row have, sets as bits of a number each, as "0-7 16"; how many there are. */
static unsigned sets_of(const char *masks, char *out, size_t size)
{
    enum { SETS = 64 };
    uint64_t all = 0;
    unsigned count = 0, last;
    size_t at = 0;

    for (; *masks != '\0'; masks += strcspn(masks, ","), masks += *masks == ',')
        all |= (uint64_t)strtoll(masks, NULL, 10);
    out[0] = '\0';
    for (unsigned first = 0; first < SETS && at < size; first = last + 1) {
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

/* The cell of a column that is column `at` of the row. */
static void cell(const struct report *report, struct table *table, struct query *q, enum tp_column_kind kind, int at)
{
    char text[512];
    unsigned sets;

    if (kind == TP_COLUMN_BRIEF && report->form == TABLE_TERMINAL && !query_null(q, at)) {
        place_short(report->profile, text, sizeof text, query_text(q, at), query_text(q, at + 1),
                    query_int(q, at + 2), "");
        table_text(table, *text == '\0' ? query_text(q, at) : text);
    } else if ((kind == TP_COLUMN_SETS || kind == TP_COLUMN_SET_COUNT) && !query_null(q, at)) {
        sets = sets_of(query_text(q, at), text, sizeof text);
        if (kind == TP_COLUMN_SETS)
            table_text(table, text);
        else
            table_count(table, sets);
    } else {
        query_cell(table, q->statement, at);
    }
}

/* Behind the name, which is column `at` of the row and comes behind its place. */
static void place_tail(const struct report *report, struct table *table, struct query *q, enum tp_section_place place,
                       int at)
{
    char text[512];
    size_t length;

    if (place == TP_PLACE_TYPE) {
        table_tail(table, query_text(q, at - 1));
    } else if (place != TP_PLACE_NONE) {
        int64_t line = query_int(q, at - 2), last = place == TP_PLACE_RANGE ? query_int(q, at - 1) : 0;

        place_short(report->profile, text, sizeof text, query_text(q, at), query_text(q, at - 3), line,
                    place == TP_PLACE_POINT ? query_text(q, at - 1) : "");
        length = strlen(text);
        if (line > 0 && last > line)
            snprintf(text + length, sizeof text - length, "-%lld", (long long)last);
        table_tail(table, text);
    }
}

/* Margins are shown. */
static bool samples(const struct drawn *d)
{
    return d->columns.count > 0 && d->margin[0] != NULL;
}

/* What a row has at least of that by which they are sorted: so many percent of the total, of a ratio so much itself. */
static double least_of(const struct drawn *d)
{
    double threshold = d->report->threshold;
    bool by_ratio = d->report->sort.is_ratio && !d->counted && d->section->events != TP_EVENTS_INCLUSIVE;

    return threshold <= 0 ? -1 : by_ratio ? threshold : threshold * fabs(d->total) / 100;
}

/* The query for the rows: the section's own columns, then those of events. */
static char *rows_sql(const struct drawn *d)
{
    const struct report *report = d->report;
    const struct tp_section *section = d->section;
    const char *comma = "";
    char *sql = NULL;
    size_t size;
    FILE *out = term_have(open_memstream(&sql, &size));

    fputs(section->again != NULL ? "SELECT * FROM (SELECT " : "SELECT ", out);
    for (const struct tp_section_column *column = section->columns; column->key != NULL; column++) {
        if (!has_column(report, column))
            continue;
        if (column->sql != NULL)
            fprintf(out, "%s%s", comma, column->sql);
        else
            fprintf(out, "%s\"%s\"", comma, column->key);
        comma = ", ";
    }
    fprintf(out, "$columns%s FROM %s WHERE %s AND %s", samples(d) ? ", id" : "", section->from,
            section->where != NULL ? section->where : "1", report->in != NULL ? section->in : "1");
    if (section->function != NULL)
        fprintf(out, " AND ifnull(%s, 0) NOT IN (SELECT id FROM temp.startup)", section->function);
    if (section->rows == TP_ROWS_LARGE)
        fprintf(out, " AND $size(ifnull($by, 0)) >= %f", least_of(d));
    if (section->order != NULL)
        fprintf(out, " ORDER BY %s", section->order);
    else if (section->ties != NULL)
        fprintf(out, " ORDER BY $size($by) DESC NULLS LAST, %s", section->ties);
    if (section->rows != TP_ROWS_ALL)
        fputs(" LIMIT $limit", out);
    if (section->again != NULL)
        fprintf(out, ") ORDER BY %s", section->again);
    if (fclose(out) != 0 || sql == NULL)
        term_no_memory();
    return sql;
}

/* What percentages of the section's rows are of. */
static bool ask_whole(struct drawn *d)
{
    struct query q;
    char sql[256];

    snprintf(sql, sizeof sql, "SELECT 0$columns FROM %s", d->section->of);
    if (ask(d, &q, sql) && query_row(&q)) {
        for (size_t i = 0; i < d->columns.count; i++)
            d->whole[i] = query_real(&q, (int)i + 1);
    }
    return query_end(&q);
}

static bool fill(struct drawn *d, struct table *table)
{
    const struct tp_section *section = d->section;
    const struct tp_section_column *column;
    int own = 0, at;
    struct query q;

    if (section->of != NULL && !ask_whole(d))
        return false;
    for (column = section->columns; column->key != NULL; column++)
        own += has_column(d->report, column);
    char *sql = rows_sql(d);
    ask(d, &q, sql);
    free(sql);
    while (query_row(&q)) {
        for (size_t i = 0; i < d->columns.count; i++) {
            column_cells(table, &d->columns.at[i], &q, own + (int)i, d->whole[i]);
            if (samples(d) && !column_margin_cells(table, &d->columns.at[i], d->margin[i], &q, own + (int)i,
                                                   query_int(&q, own + (int)d->columns.count)))
                q.failed = true;
        }
        for (at = 0, column = section->columns; column->key != NULL; column++) {
            if (!has_column(d->report, column))
                continue;
            if (at + 1 == own && section->place != TP_PLACE_NONE) /* without a name there is still its place */
                table_text(table, query_text(&q, at));
            else
                cell(d->report, table, &q, column->kind, at);
            at++;
        }
        place_tail(d->report, table, &q, section->place, own - 1);
    }
    return query_end(&q);
}

/* ------------------------------------------------------------------------------------------ below a table */

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

void report_legend(struct report *report, const struct column_list *columns, bool sampled)
{
    bool incl = false;
    int column = 0;

    fputs(term_style(stdout, TERM_DIM), stdout);
    for (size_t i = 0; i < columns->count; i++) {
        struct column_spec spec = columns->at[i];
        char meaning[400], text[512], safe[2 * sizeof text];

        incl |= spec.inclusive;
        snprintf(spec.name, sizeof spec.name, "%s", spec.formula != NULL ? spec.formula->name : spec.event);
        column_meaning(report->profile, &spec, meaning, sizeof meaning);
        if (*meaning == '\0' || !column_keep(&report->explained, &spec))
            continue;
        snprintf(text, sizeof text, "%s: %s", spec.name, meaning);
        term_escape(safe, sizeof safe, text);
        column = wrapped(column, safe);
    }
    if (sampled && !report->explained_margins)
        column = wrapped(column, "±: holds in 95 of 100 recordings that simulate other sets");
    if (incl && !report->explained_incl)
        column = wrapped(column, "incl: with all that was called");
    report->explained_margins |= sampled;
    report->explained_incl |= incl;
    printf("%s%s", term_style(stdout, TERM_PLAIN), column > 0 ? "\n" : "");
}

void report_left_out(struct report *report)
{
    const struct column_spec *sort = &report->sort;
    char share[80] = "", number[32];
    struct query q;

    if (report->told_startup)
        return;
    report->told_startup = true;
    query_begin(&q, report->profile, "SELECT count(*), sum(\"%w\") FROM functions JOIN temp.startup USING (id)",
                sort->formula != NULL ? "calls" : sort->event);
    if (query_row(&q) && query_int(&q, 0) > 0) {
        if (sort->formula == NULL && sort->total > 0)
            snprintf(share, sizeof share, " with %s %% of %s",
                     term_tenths(number, 100 * query_real(&q, 1) / sort->total), sort->event);
        printf("%s  left out: the loader and start-up, %lld functions%s; --startup shows them%s\n",
               term_style(stdout, TERM_DIM), (long long)query_int(&q, 0), share, term_style(stdout, TERM_PLAIN));
    }
    query_end(&q);
}

/* ------------------------------------------------------------------------------------------ the section */

void report_print(struct report *report, struct table *table, const char *key, const char *heading)
{
    table_section(table, report->form, &report->out, key, heading, report->sections++ == 0, report->show == NULL);
}

static struct table *begin(const struct drawn *d)
{
    struct table *table = table_new();

    event_headings(d, table);
    report_columns(d->report, table, d->section);
    return table;
}

static void end(struct report *report, const struct drawn *d, struct table *table)
{
    char *key = filled_in(d, d->section->key, false), *title = filled_in(d, d->section->title, false);
    bool any = table_rows(table) > 0;

    report_print(report, table, key, title);
    free(key);
    free(title);
    if (report->form == TABLE_TERMINAL && any)
        report_legend(report, &d->columns, samples(d));
    if (d->section->function != NULL)
        report_left_out(report);
}

/* A table for each row of a query. In JSON those of one key are one. */
static bool draw_each(struct report *report, struct drawn *d)
{
    bool one = report->form != TABLE_TERMINAL && strchr(d->section->key, '$') == NULL, good = true;
    struct table *table = NULL;
    struct query q;

    ask(d, &q, d->section->each);
    while (good && query_row(&q)) {
        d->id = query_int(&q, 0);
        d->name = query_text(&q, 1);
        table = table != NULL ? table : begin(d);
        good = fill(d, table);
        if (!one) {
            end(report, d, table);
            table = NULL;
        }
    }
    d->name = NULL; /* it was the row's */
    if (table != NULL)
        end(report, d, table);
    return query_end(&q) && good;
}

bool report_table(struct report *report, const struct tp_section_group *group, const struct tp_section *section)
{
    struct drawn *d = term_have(calloc(1, sizeof *d));
    double there = 1;

    d->report = report;
    d->group = group;
    d->section = section;
    d->name = report->asked[group - tp_section_groups].value;
    bool good = (section->there == NULL || ask_number(d, section->there, &there)) && choose_order(d);
    for (size_t i = 0; good && section->sampled != TP_SAMPLED_NONE && i < d->columns.count; i++)
        good = column_margin(report->profile, section->sampled, &d->columns.at[i], &d->margin[i]);
    if (good && there > 0 && (report->in == NULL || section->in != NULL)) {
        if (section->each != NULL) {
            good = draw_each(report, d);
        } else {
            struct table *table = begin(d);

            good = fill(d, table);
            end(report, d, table);
        }
        if (good && report->form == TABLE_TERMINAL && section->note != NULL &&
            ask_number(d, section->note_if, &there) && there > 0)
            printf("\n%s\n", section->note);
    }
    for (size_t i = 0; i < d->columns.count; i++)
        tp_margin_free(d->margin[i]);
    free(d->columns.at);
    free(d);
    return good;
}
