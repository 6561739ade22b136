/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_advice.c: what to change, what that would save, and why.
 *
 * The library finds and ranks it (profile/advice/advice.h); here it is only shown: one paragraph for each piece of
 * advice, with its places, its evidence and the remedy; in JSON the same, with a version of its own and the limits that
 * held.
 */
#include "cli/report/report.h"

#include "cli/base/place.h"
#include "cli/base/term.h"
#include "cli/record/trial.h"
#include "profile/advice/advice.h"
#include "profile/base/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ADVICE_VERSION = 2, MARGIN = 6, LABEL = 11 };

/* ------------------------------------------------------------------------------------------ text */

/* Words behind a label, in as many lines as the terminal needs. */
static void print_words(const char *label, const char *words)
{
    int width = term_width(stdout) - MARGIN - LABEL, room = width;

    printf("%*s%s%-*s%s", MARGIN, "", term_style(stdout, TERM_DIM), LABEL, label,
           term_style(stdout, TERM_PLAIN));
    while (*words) {
        size_t length = strcspn(words, " ");
        if ((int)length + 1 > room && room < width) {
            printf("\n%*s", MARGIN + LABEL, "");
            room = width;
        }
        printf("%s%.*s", room < width ? " " : "", (int)length, words);
        room -= (int)length + (room < width);
        words += length + strspn(words + length, " ");
    }
    putchar('\n');
}

/* A name behind a label, in one line. */
static void print_name(const char *label, const char *name)
{
    char safe[9000];

    term_escape(safe, sizeof safe, name);
    printf("%*s%s%-*s%s%s\n", MARGIN, "", term_style(stdout, TERM_DIM), LABEL, label, term_style(stdout, TERM_PLAIN),
           safe);
}

/* Bytes for people: three digits or so. */
static void bytes(char *out, size_t size, double value)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    size_t u = 0;

    while (value >= 1000 && u + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        u++;
    }
    snprintf(out, size, "%.*f %s", u && value < 100 ? 1 : 0, value, units[u]);
}

static bool print_evidence(struct report *report, int64_t id)
{
    const char *label = "because";
    struct query q;
    char number[32], names[2048], text[4096];

    query_begin(&q, report->profile,
                "SELECT value, unit, words, text FROM temp.advice_evidence WHERE advice_id = %lld ORDER BY rowid",
                (long long)id);
    while (query_row(&q)) {
        double value = query_real(&q, 0);
        const char *unit = query_text(&q, 1);
        bool percent = strcmp(unit, "%") == 0;
        int length = 0;

        /* A number with its unit, as in "22.2 %", "60,000 blocks". */
        if (!percent && value == (double)(int64_t)value)
            term_number(number, (int64_t)value);
        else if (percent || value >= 10)
            snprintf(number, sizeof number, "%.1f", value);
        else
            term_figure(number, value);
        if (!query_null(&q, 0))
            length = snprintf(text, sizeof text, "%s%s%.30s ", number, *unit ? " " : "", unit);
        term_escape(names, sizeof names, query_text(&q, 3));
        snprintf(text + length, sizeof text - (size_t)length, "%s%s%s", query_text(&q, 2), *names ? ": " : "", names);
        print_words(label, text);
        label = "";
    }
    return query_end(&q);
}

static bool print_places(struct report *report, int64_t id)
{
    struct query q;

    query_begin(&q, report->profile,
                "SELECT role, function, file, line, last_line, share, object FROM temp.advice_places WHERE "
                "advice_id = %lld "
                "ORDER BY rowid",
                (long long)id);
    while (query_row(&q)) {
        char where[4096], text[9000], last[32] = "", share[32] = "";

        place_long(report->profile, where, sizeof where, query_text(&q, 1), query_text(&q, 2), query_int(&q, 3),
                   query_text(&q, 6));
        if (query_int(&q, 4) > query_int(&q, 3))
            snprintf(last, sizeof last, "-%lld", (long long)query_int(&q, 4));
        if (!query_null(&q, 5))
            snprintf(share, sizeof share, "  %.1f %%", query_real(&q, 5));
        snprintf(text, sizeof text, "%s%s%s%s%s", query_text(&q, 1), *where ? "  " : "", where, last, share);
        print_name(query_text(&q, 0), text);
    }
    return query_end(&q);
}

const char *advice_at_most(const char *certain)
{
    return strcmp(certain, "high") == 0 || strcmp(certain, "tried") == 0 ? "" : "up to ";
}

/* ": 12.3 MB less into D1, 4.5 MB from memory", as far as it is less. */
static void print_tried(const char *event, double saved, double promised, double level1, double memory)
{
    char number[32], text[400];
    int length = snprintf(text, sizeof text, "%s %.1f %% of %s (promised %.1f %%)", saved < 0 ? "costs" : "saves",
                          fabs(saved), strcmp(event, "Time") == 0 ? "the estimated time" : event, promised);

    if (saved < 0)
        length += snprintf(text + length, sizeof text - (size_t)length, ", which is more");
    const double less[2] = {level1, memory};
    static const char *const where[2] = {"into D1", "from memory"};
    for (int i = 0; i < 2; i++) {
        if (less[i] <= 0)
            continue;
        bytes(number, sizeof number, less[i]);
        length += snprintf(text + length, sizeof text - (size_t)length, ", %s less %s", number, where[i]);
    }
    print_words("tried", text);
}

/* id, title, fix, cycles, share, bytes, memory_bytes, certain, data, tried, promised */
static bool print_one(struct report *report, struct query *q)
{
    char number[32], level1[32], memory[32], text[160];
    int64_t id = query_int(q, 0);

    printf("\n%3lld. %s%s%s  %5.1f %%  %s%s%s\n", (long long)id, term_style(stdout, TERM_HOT),
           term_number(number, query_int(q, 3)), term_style(stdout, TERM_PLAIN), query_real(q, 4),
           term_style(stdout, TERM_BOLD), query_text(q, 1), term_style(stdout, TERM_PLAIN));
    if (!query_null(q, 8))
        print_name("data", query_text(q, 8));
    if (!print_places(report, id) || !print_evidence(report, id))
        return false;
    bytes(level1, sizeof level1, query_real(q, 5));
    bytes(memory, sizeof memory, query_real(q, 6));
    const char *most = advice_at_most(query_text(q, 7));
    if (!query_null(q, 9)) {
        print_tried(query_text(q, 9), query_real(q, 4), query_real(q, 10), query_real(q, 5), query_real(q, 6));
        print_words("remedy", query_text(q, 2));
        return true;
    }
    if (query_real(q, 6) > 0)
        snprintf(text, sizeof text, "%s%s into D1, %s from memory; confidence: %s", most, level1, memory,
                 query_text(q, 7));
    else if (query_real(q, 5) > 0)
        snprintf(text, sizeof text, "%s%s into D1; confidence: %s", most, level1, query_text(q, 7));
    else
        snprintf(text, sizeof text, "what is counted above; confidence: %s", query_text(q, 7));
    print_words("saves", text);
    print_words("remedy", query_text(q, 2));
    return true;
}

/* What could not be looked for, by the option that it needs. */
static bool print_silent(struct report *report)
{
    struct query q;
    char text[512];

    query_begin(&q, report->profile,
                "SELECT record, group_concat(kind, ', ') FROM temp.advice_silent GROUP BY record ORDER BY"
                " min(rowid)");
    while (query_row(&q)) {
        snprintf(text, sizeof text, "%s: needs %s", query_text(&q, 1), query_text(&q, 0));
        printf("%sNot looked for: %s%s\n", term_style(stdout, TERM_DIM), text, term_style(stdout, TERM_PLAIN));
    }
    return query_end(&q);
}

static bool print_all(struct report *report, struct query *q)
{
    double least =
        query_value(report->profile, "SELECT value FROM temp.advice_limits WHERE name = 'share'", 0);
    const char *of = tp_timed(report->profile) ? "the estimated time" : "CEst";
    bool good = true, any = false;

    printf("%s", report->sections ? "\n" : "");
    while (good && query_row(q)) {
        if (!any)
            printf("%sAdvice%s by what it would save of %s, down to %g %%\n", term_style(stdout, TERM_BOLD),
                   term_style(stdout, TERM_PLAIN), of, least);
        any = true;
        good = print_one(report, q);
    }
    if (!any)
        printf("No advice: nothing was found that would save %g %% of %s\n", least, of);
    if (any)
        putchar('\n');
    return good && print_silent(report);
}

/* ------------------------------------------------------------------------------------------ JSON */

/* An array of the query's rows. */
static bool advice_json_list(struct report *report, const char *key, const char *sql, int64_t id)
{
    struct query q;

    tp_json_begin(&report->out, key, '[', ", ");
    query_begin(&q, report->profile, sql, (long long)id);
    while (query_row(&q)) {
        tp_json_begin(&report->out, NULL, '{', ", ");
        for (int i = 0; i < sqlite3_column_count(q.statement); i++)
            query_json(&q, i, &report->out);
        tp_json_end(&report->out);
    }
    tp_json_end(&report->out);
    return query_end(&q);
}

/* Of a row the columns behind those that text needs. */
static bool advice_json(struct report *report, struct query *q)
{
    tp_json_begin(&report->out, "advice", '{', ", ");
    tp_json_integer(&report->out, "version", ADVICE_VERSION);
    bool good = advice_json_list(report, "limits", "SELECT name, value, unit, words FROM temp.advice_limits", 0) &&
                advice_json_list(report, "silent", "SELECT kind, record FROM temp.advice_silent", 0);
    tp_json_begin(&report->out, "items", '[', ",\n");
    while (good && query_row(q)) {
        tp_json_begin(&report->out, NULL, '{', ", ");
        for (int i = 11; i < sqlite3_column_count(q->statement); i++)
            query_json(q, i, &report->out);
        good = advice_json_list(report, "places",
                                "SELECT role, function, file, line, last_line, share, object FROM temp.advice_places "
                                "WHERE advice_id = %lld ORDER BY rowid",
                                query_int(q, 0)) &&
               advice_json_list(report, "evidence",
                                "SELECT key, value, unit, words, text FROM temp.advice_evidence WHERE advice_id = %lld "
                                "ORDER BY rowid",
                                query_int(q, 0));
        tp_json_end(&report->out);
    }
    tp_json_end(&report->out);
    tp_json_end(&report->out);
    return good;
}

/* ------------------------------------------------------------------------------------------ the section */

bool report_advice_known(struct report *report)
{
    const char *format = tp_meta(report->profile, "import.format");
    char limits[1024] = "";
    struct tp_error err;

    if (report->threshold >= 0)
        snprintf(limits, sizeof limits, "share=%.15g,", report->threshold);
    size_t used = strlen(limits);
    if (report->advice_limits != NULL)
        used += (size_t)snprintf(limits + used, sizeof limits - used, "%s", report->advice_limits);
    if (used >= sizeof limits)
        term_error("--advice-limits: more than %zu characters", sizeof limits / 2);
    else if (report->difference)
        term_error("there is no advice on a difference; ask for it on the profiles");
    else if (format != NULL)
        term_error("there is no advice on a file of %s: it does not say enough; record the program", format);
    else if (tp_event_find(report->profile, "CEst") == NULL)
        term_error("there is no advice on this profile: it has no cycle estimate (CEst)");
    else if (tp_advise(report->profile, limits, &err) != 0)
        term_error("%s", err.message);
    else
        return !report->try || trial_advice(report->profile, report->weights, report->limit);
    return false;
}

long long advice_most(const struct report *report)
{
    return report->limit < INT64_MAX ? (long long)report->limit : INT64_MAX;
}

bool report_advice(struct report *report, const struct tp_section_group *group)
{
    struct query q;

    (void)group;
    query_begin(&q, report->profile,
                "SELECT id, title, fix, cycles, share, bytes, memory_bytes, certain, data, tried, promised, "
                "id AS rank, kind, title, function, "
                "file, line, data, cest, cest_share, cycles, share, bytes, memory_bytes, confidence, certain, tried, "
                "promised, remap, fix "
                "FROM temp.advice WHERE id <= %lld ORDER BY cycles DESC, id",
                advice_most(report));
    bool good = report->json ? advice_json(report, &q) : print_all(report, &q);
    report->sections++;
    return query_end(&q) && good;
}
