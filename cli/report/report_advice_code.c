/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_advice_code.c: advice as tools that show mistakes in code take it.
 *
 *   gcc     FILE:LINE:COLUMN: warning: ..., and notes with the other places: editors and their problem matchers
 *   sarif   SARIF 2.1.0, one JSON object: code scanning
 *
 * A file's name is as in all of Tenure's output, without the folder that the program was recorded in: below that folder
 * it leads somewhere. Advice on what has no source line names the function; a column is not known, so it is 1.
 */
#include "cli/report/report.h"

#include "cli/base/place.h"
#include "cli/base/term.h"
#include "profile/advice/advice.h"
#include "tenure_config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is about loops or allocations has no line of its own: it is shown at the first of its places that has one. */
#define ITEMS \
    "SELECT a.id, kind, title, fix, a.share AS share, coalesce(a.function, p.function, ''), " \
    "coalesce(a.file, p.file), CASE WHEN a.file IS NULL THEN p.line ELSE a.line END, data, certain, cycles, " \
    "confidence, promised, tried " \
    "FROM temp.advice a LEFT JOIN temp.advice_places p ON p.rowid = (SELECT min(rowid) FROM temp.advice_places " \
    "WHERE advice_id = a.id AND a.file IS NULL AND file <> '') WHERE a.id <= %lld ORDER BY cycles DESC, a.id"
/* But that of the advice itself. */
#define PLACES \
    "SELECT role, function, file, line, last_line FROM temp.advice_places " \
    "WHERE advice_id = %lld AND role <> 'line' GROUP BY role, function, file, line, last_line ORDER BY min(rowid)"

/* "A loop goes through its data in large steps (grid): saves 15.9 % of the time, confidence high; exchange them" */
static void code_message(struct query *q, char *out, size_t size)
{
    const char *data = query_null(q, 8) ? "" : query_text(q, 8);

    char sure[64];

    if (query_null(q, 12))
        snprintf(sure, sizeof sure, "confidence %s", query_text(q, 9));
    else
        snprintf(sure, sizeof sure, "tried (promised %.1f %%)", query_real(q, 12));
    snprintf(out, size, "%s%s%s%s: %s %s%.1f %%%s of %s, %s; %s", query_text(q, 2), *data ? " (" : "", data,
             *data ? ")" : "", query_real(q, 4) < 0 ? "costs" : "saves", advice_at_most(query_text(q, 9)),
             fabs(query_real(q, 4)), query_real(q, 4) < 0 ? " more" : "",
             strcmp(query_text(q, 13), "CEst") == 0 ? "CEst" : "the time", sure, query_text(q, 3));
}

/* ------------------------------------------------------------------------------------------ gcc */

/* FILE:LINE:1, or the function, or nothing that is known. */
static void gcc_line(struct report *report, const char *function, const char *file, int64_t line, const char *rest)
{
    char where[4096] = "", safe[9000];

    if (*file)
        place_file(report->profile, where, sizeof where, file);
    term_escape(safe, sizeof safe, *where ? where : *function ? function : "tenure");
    fputs(safe, stdout);
    if (*where)
        printf(":%lld:1", (long long)(line > 0 ? line : 1));
    term_escape(safe, sizeof safe, rest);
    printf(": %s\n", safe);
}

static bool gcc_notes(struct report *report, int64_t id)
{
    struct query q;
    char text[4096], last[64];

    query_begin(&q, report->profile, PLACES, (long long)id);
    while (query_row(&q)) {
        if (query_null(&q, 2) || *query_text(&q, 2) == '\0')
            continue;
        last[0] = '\0';
        if (query_int(&q, 4) > query_int(&q, 3))
            snprintf(last, sizeof last, " to line %lld", (long long)query_int(&q, 4));
        snprintf(text, sizeof text, "note: %s%s, in %s", query_text(&q, 0), last, query_text(&q, 1));
        gcc_line(report, query_text(&q, 1), query_text(&q, 2), query_int(&q, 3), text);
    }
    return query_end(&q);
}

static bool write_gcc(struct report *report)
{
    struct query q;
    char message[8192], text[8400];
    bool good = true;

    query_begin(&q, report->profile, ITEMS, advice_most(report));
    while (good && query_row(&q)) {
        code_message(&q, message, sizeof message);
        snprintf(text, sizeof text, "warning: %s [tenure-%s]", message, query_text(&q, 1));
        gcc_line(report, query_text(&q, 5), query_null(&q, 6) ? "" : query_text(&q, 6), query_int(&q, 7), text);
        good = gcc_notes(report, query_int(&q, 0));
    }
    return query_end(&q) && good;
}

/* ------------------------------------------------------------------------------------------ SARIF */

/* A path as a relative or a file URI: RFC 3986's unreserved characters and slashes stay. */
static void as_uri(const char *path, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", *path == '/' ? "file://" : "");

    for (; *path != '\0' && at + 4 < size; path++) {
        if (isalnum((unsigned char)*path) || strchr("-._~/", *path) != NULL)
            out[at++] = *path;
        else
            at += (size_t)snprintf(out + at, size - at, "%%%02X", (unsigned char)*path);
    }
    out[at] = '\0';
}

/* One location, an element of the array that is open; `words`: what it is, or NULL. */
static void sarif_location(struct report *report, struct query *q, int function, int64_t last, const char *words)
{
    struct tp_json *out = &report->out;
    char where[4096], uri[3 * sizeof where];

    tp_json_begin(out, NULL, '{', ", ");
    if (!query_null(q, function + 1) && *query_text(q, function + 1)) {
        int64_t line = query_int(q, function + 2);
        place_file(report->profile, where, sizeof where, query_text(q, function + 1));
        as_uri(where, uri, sizeof uri);
        tp_json_begin(out, "physicalLocation", '{', ", ");
        tp_json_begin(out, "artifactLocation", '{', ", ");
        tp_json_text(out, "uri", uri);
        tp_json_end(out);
        tp_json_begin(out, "region", '{', ", ");
        tp_json_integer(out, "startLine", line > 0 ? line : 1);
        if (last > line && line > 0)
            tp_json_integer(out, "endLine", last);
        tp_json_end(out);
        tp_json_end(out);
    }
    tp_json_begin(out, "logicalLocations", '[', ", ");
    tp_json_begin(out, NULL, '{', ", ");
    tp_json_text(out, "fullyQualifiedName", query_text(q, function));
    tp_json_text(out, "kind", "function");
    tp_json_end(out);
    tp_json_end(out);
    if (words != NULL) {
        tp_json_begin(out, "message", '{', ", ");
        tp_json_text(out, "text", words);
        tp_json_end(out);
    }
    tp_json_end(out);
}

static bool sarif_related(struct report *report, int64_t id)
{
    struct query q;

    tp_json_begin(&report->out, "relatedLocations", '[', ", ");
    query_begin(&q, report->profile, PLACES, (long long)id);
    while (query_row(&q))
        sarif_location(report, &q, 1, query_int(&q, 4), query_text(&q, 0));
    tp_json_end(&report->out);
    return query_end(&q);
}

/* The kinds of advice that there is here, as rules. */
static bool sarif_rules(struct report *report)
{
    struct tp_json *out = &report->out;
    struct query q;

    tp_json_begin(out, "rules", '[', ",\n");
    query_begin(&q, report->profile, "SELECT 'tenure-' || kind, title FROM temp.advice GROUP BY kind ORDER BY kind");
    while (query_row(&q)) {
        tp_json_begin(out, NULL, '{', ", ");
        tp_json_text(out, "id", query_text(&q, 0));
        tp_json_begin(out, "shortDescription", '{', ", ");
        tp_json_text(out, "text", query_text(&q, 1));
        tp_json_end(out);
        tp_json_end(out);
    }
    tp_json_end(out);
    return query_end(&q);
}

static bool sarif_results(struct report *report)
{
    struct tp_json *out = &report->out;
    struct query q;
    char text[8192];
    bool good = true;

    tp_json_begin(out, "results", '[', ",\n");
    query_begin(&q, report->profile, ITEMS, advice_most(report));
    while (good && query_row(&q)) {
        tp_json_begin(out, NULL, '{', ", ");
        snprintf(text, sizeof text, "tenure-%s", query_text(&q, 1));
        tp_json_text(out, "ruleId", text);
        tp_json_text(out, "level", "warning");
        code_message(&q, text, sizeof text);
        tp_json_begin(out, "message", '{', ", ");
        tp_json_text(out, "text", text);
        tp_json_end(out);
        tp_json_begin(out, "locations", '[', ", ");
        sarif_location(report, &q, 5, 0, NULL);
        tp_json_end(out);
        good = sarif_related(report, query_int(&q, 0));
        tp_json_begin(out, "properties", '{', ", ");
        query_json(&q, 10, out);
        query_json(&q, 4, out);
        query_json(&q, 11, out);
        tp_json_end(out);
        tp_json_end(out);
    }
    tp_json_end(out);
    return query_end(&q) && good;
}

static bool write_sarif(struct report *report)
{
    struct tp_json *out = &report->out;

    out->out = stdout;
    tp_json_begin(out, NULL, '{', ", ");
    tp_json_text(out, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    tp_json_text(out, "version", "2.1.0");
    tp_json_begin(out, "runs", '[', ", ");
    tp_json_begin(out, NULL, '{', ",\n");
    tp_json_begin(out, "tool", '{', ", ");
    tp_json_begin(out, "driver", '{', ", ");
    tp_json_text(out, "name", "tenure");
    tp_json_text(out, "version", TENURE_VERSION);
    bool good = sarif_rules(report);
    tp_json_end(out);
    tp_json_end(out);
    good = good && sarif_results(report);
    tp_json_end(out);
    tp_json_end(out);
    tp_json_end(out);
    putchar('\n');
    return good;
}

/* ------------------------------------------------------------------------------------------ either */

bool report_advice_code(struct report *report)
{
    return report_advice_known(report) &&
           (strcmp(report->code_format, "gcc") == 0 ? write_gcc(report) : write_sarif(report));
}
