/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_timeline.c: when the run cost what, as bands of bars; the rows that they are made of in JSON and CSV.
 *
 * A band goes from the first instruction to the last, in equal steps: CELLS or, where the terminal is narrow, fewer.
 * An interval that is longer than a step, or meets two of them, is spread evenly. Under the band of all costs each
 * function has its own; each has bars of a scale of its own, whose highest is full. What is charged when caches are
 * emptied at the end has no place in them, and is told apart.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 60, FEWEST_CELLS = 10, LEVELS = 8, TICKS = 4 };
enum { FULL_BAR_BYTES = 3, LONGEST_BAND = CELLS * FULL_BAR_BYTES + 1 };

struct lane {
    int64_t function;
    double total, cell[CELLS];
    char *name, *place;
};

struct timeline {
    int cells;                  /* of a band */
    double begin, instructions; /* of all */
    double ticks[TICKS + 1];        /* nanoseconds before each quarter of it */
    double late;                    /* charged behind the last instruction */
    struct lane all;
    TP_VECTOR(struct lane) functions;
};

/* Where in the band so many instructions are, in cells; whatever the profile says, it is in it. */
static double place_of(const struct timeline *timeline, double instructions)
{
    int cells = timeline->cells;

    return fmax(0, fmin(cells, (instructions - timeline->begin) / timeline->instructions * cells));
}

/* Adds to each cell its part of `value`, which is that of [start, start + length), in instructions. */
static void spread(const struct timeline *timeline, double *cell, double start, double length, double value)
{
    double from = place_of(timeline, start), to = place_of(timeline, start + length);

    for (int i = (int)from; i < timeline->cells && i < to; i++) {
        double part = fmin(to, i + 1) - fmax(from, i);
        cell[i] += value * part / (to - from);
    }
}

/* As many as leave room for the numbers, and three tenths of the line for names; a band is never cut. */
static int cells_of(const struct report *report)
{
    char number[32];
    int width = term_width(stdout), taken = (int)strlen(term_number(number, (int64_t)report->sort.total)) + 12;
    int room = width - width * 3 / 10 - taken;

    return !term_cuts(stdout) || room > CELLS ? CELLS : room < FEWEST_CELLS ? FEWEST_CELLS : room;
}

/* ------------------------------------------------------------------------------------------ from the profile */

static bool read_all(struct report *report, struct timeline *timeline)
{
    struct query q;

    query_begin(&q, report->profile, "SELECT min(start), max(start + instructions) - min(start) FROM intervals");
    if (query_row(&q)) {
        timeline->begin = query_real(&q, 0);
        timeline->instructions = fmax(query_real(&q, 1), 1);
    }
    if (!query_end(&q))
        return false;
    query_begin(&q, report->profile, "SELECT start, instructions, start_ns, duration_ns, %s FROM intervals",
                report->sort.sql);
    while (query_row(&q)) {
        double start = query_real(&q, 0), length = query_real(&q, 1), value = query_real(&q, 4);
        timeline->all.total += value;
        if (length > 0)
            spread(timeline, timeline->all.cell, start, length, value);
        else
            timeline->late += value;
        for (int i = 0; length > 0 && i <= TICKS; i++) {
            double at = timeline->begin + timeline->instructions * i / TICKS;
            if (start <= at)
                timeline->ticks[i] = query_real(&q, 2) + query_real(&q, 3) * fmin((at - start) / length, 1);
        }
    }
    return query_end(&q);
}

static bool read_functions(struct report *report, struct timeline *timeline)
{
    struct lane *lane = NULL;
    struct query q;

    query_begin(&q, report->profile,
                "SELECT function_id, start, instructions, ifnull(value, 0), function, file || ':' || line FROM "
                "(SELECT interval_id, function_id, function, file, line, %s AS value FROM interval_functions "
                "WHERE function_id NOT IN (SELECT id FROM temp.startup)) "
                "JOIN t_intervals i ON i.id = interval_id ORDER BY 1", report->sort.sql);
    while (query_row(&q)) {
        if (lane == NULL || lane->function != query_int(&q, 0)) {
            lane = term_have(TP_VECTOR_ADD(&timeline->functions));
            *lane = (struct lane){.function = query_int(&q, 0), .name = term_text("%s", query_text(&q, 4)),
                                  .place = term_text("%s", query_text(&q, 5))};
        }
        lane->total += query_real(&q, 3);
        if (query_real(&q, 2) > 0)
            spread(timeline, lane->cell, query_real(&q, 1), query_real(&q, 2), query_real(&q, 3));
    }
    return query_end(&q);
}

static int by_total(const void *a, const void *b)
{
    double x = ((const struct lane *)a)->total, y = ((const struct lane *)b)->total;

    return (x < y) - (x > y);
}

/* ------------------------------------------------------------------------------------------ on the terminal */

/* Bars of eighths; what is not nothing is at least one. */
static void draw_band(char *out, const double *cell, int cells)
{
    static const char *const bars[LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                             "\u2585", "\u2586", "\u2587", "\u2588"};
    char *at = out;
    double highest = 0;

    for (int i = 0; i < cells; i++)
        highest = fmax(highest, cell[i]);
    for (int i = 0; i < cells; i++) {
        int level = cell[i] > 0 && highest > 0 ? (int)ceil(cell[i] / highest * LEVELS) : 0;
        if (level > 0)
            at = stpcpy(at, bars[(level < LEVELS ? level : LEVELS) - 1]);
        else
            *at++ = ' ';
    }
    *at = '\0';
}

static void add_lane(struct report *report, const struct timeline *timeline, struct table *table,
                     const struct lane *lane)
{
    char band[LONGEST_BAND];

    draw_band(band, lane->cell, timeline->cells);
    table_text(table, band);
    table_number(table, lane->total);
    table_number(table, report->sort.total != 0 ? 100 * lane->total / report->sort.total : 0);
    table_text(table, lane->name != NULL ? lane->name : "all");
    if (lane->place != NULL)
        table_tail(table, lane->place);
}

/* "0        10        20 M instructions" under the band. */
static void add_scale(struct table *table, int cells, const double ticks[TICKS + 1], const char *unit)
{
    const int room_for_all = 40;
    const double little = 1e-3;
    char number[32], line[CELLS + (TICKS + 1) * sizeof number + 64] = "  ";
    size_t at = 2;

    for (int i = 0; i <= TICKS; i += cells < room_for_all ? 2 : 1) {
        size_t start = 2 + (size_t)(i * cells / TICKS);
        at += (size_t)snprintf(line + at, sizeof line - at, "%*s%s", (int)(start > at ? start - at : i > 0), "",
                               term_figure(number, ticks[i] < little * ticks[TICKS] ? 0 : ticks[i]));
    }
    snprintf(line + at, sizeof line - at, " %s", unit);
    table_across(table, line);
}

/* Where requests and parts are: a letter under the band for each, and what it stands for below the table. */
static bool add_labels(struct report *report, const struct timeline *timeline, struct table *table, char **legend)
{
    char line[CELLS + 3] = "", text[256], number[32], seconds[32];
    struct query q;
    int count = 0, used = 0;

    memset(line, ' ', CELLS + 2);
    *legend = term_text("%s", "");
    query_begin(&q, report->profile, "SELECT at, ns, label FROM labels ORDER BY at, ns");
    while (query_row(&q)) {
        int cell = (int)fmin(place_of(timeline, query_real(&q, 0)), timeline->cells - 1);
        char letter = (char)('a' + count);
        if (count++ < 26) {
            char *before = *legend;
            if (line[2 + cell] == ' ') /* else they are in one place: the list below says so */
                line[2 + cell] = letter;
            used = 3 + cell > used ? 3 + cell : used;
            term_escape(text, sizeof text, query_text(&q, 2));
            *legend = term_text("%s  %c  %s, at %s instructions, %s s\n", before, letter, text,
                                term_number(number, query_int(&q, 0)), term_figure(seconds, query_real(&q, 1) / 1e9));
            free(before);
        }
    }
    if (count > 26) {
        char *before = *legend;
        *legend = term_text("%s     and %d more: --json lists all\n", before, count - 26);
        free(before);
    }
    line[used] = '\0';
    if (count > 0)
        table_across(table, line);
    return query_end(&q);
}

/* How many functions an interval has at most: where it is as many as are kept, there may have been more. */
static const char most_sql[] =
    "SELECT max(count) FROM (SELECT count(*) AS count FROM interval_functions GROUP BY interval_id)";

static bool print_timeline(struct report *report, struct timeline *timeline)
{
    struct table *table = table_new();
    double threshold = report->threshold >= 0 ? report->threshold : 1.0;
    double instructions[TICKS + 1], seconds[TICKS + 1];
    double scale = timeline->instructions >= 1e9 ? 1e9 : timeline->instructions >= 1e6 ? 1e6 : 1;
    struct column_list columns = {.most = 1};
    char words[200], heading[300], number[32], *legend;
    size_t shown = 0;

    for (int i = 0; i <= TICKS; i++) {
        instructions[i] = (timeline->begin + timeline->instructions * i / TICKS) / scale;
        seconds[i] = timeline->ticks[i] / 1e9;
    }
    table_column(table, TABLE_TEXT, "when", "when", 0);
    column_headings(table, &report->sort, 0, 0);
    table_column(table, TABLE_TEXT, "function", "function", 0);
    add_lane(report, timeline, table, &timeline->all);
    for (; shown < timeline->functions.count && shown < report->limit; shown++) {
        const struct lane *lane = &timeline->functions.at[shown];
        if (lane->total > 0 && lane->total >= threshold * timeline->all.total / 100)
            add_lane(report, timeline, table, lane);
    }
    bool good = add_labels(report, timeline, table, &legend);
    add_scale(table, timeline->cells, instructions,
              scale == 1e9   ? "billion instructions"
              : scale == 1e6 ? "million instructions"
                             : "instructions");
    add_scale(table, timeline->cells, seconds, "seconds of the recording");
    tp_named(report->profile, report->sort.name, words, sizeof words);
    snprintf(heading, sizeof heading, "When the run cost what, by %s", words);
    report_print(report, table, "timeline", heading);
    printf("%s", legend);
    if (timeline->late > 0)
        printf("\n%s of it came when the caches were emptied behind the last instruction: in no bar.\n",
               term_figure(number, timeline->late));
    column_keep(&columns, &report->sort);
    report_legend(report, &columns, false);
    if (query_value(report->profile, most_sql, 0) >= tp_interval_functions)
        printf("  a function lacks what it cost where it is not among the %d that cost most\n", tp_interval_functions);
    report_left_out(report);
    free(columns.at);
    free(legend);
    return good;
}

bool report_timeline(struct report *report, const struct tp_section_group *group)
{
    struct timeline timeline = {.cells = cells_of(report)};

    for (size_t i = 0; report->form != TABLE_TERMINAL && group->sections[i] != NULL; i++) {
        if (!report_table(report, group, group->sections[i]))
            return false;
    }
    if (report->form != TABLE_TERMINAL)
        return true;
    bool good = read_all(report, &timeline) && read_functions(report, &timeline);
    if (timeline.functions.count > 0)
        qsort(timeline.functions.at, timeline.functions.count, sizeof *timeline.functions.at, by_total);
    good = good && print_timeline(report, &timeline);
    for (size_t i = 0; i < timeline.functions.count; i++) {
        free(timeline.functions.at[i].name);
        free(timeline.functions.at[i].place);
    }
    TP_VECTOR_FREE(&timeline.functions);
    return good;
}
