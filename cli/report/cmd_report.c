/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_report.c: options of `tenure report`, the header, and which sections are printed.
 *
 * Without an option that asks for a section: totals, the worst findings, functions. Each section is a file of
 * its own, report_*.c, and one SQL query or few; nothing is computed from sums of arcs.
 */
#include "cli/report/report.h"

#include "cli/base/caches.h"
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/place.h"
#include "cli/base/summary.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/advice/advice.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- for the sections */

/* What goes first where it is narrow: values whose percentage stays (that of what is wasted last), then whole
 * columns from the right. */
void report_heading(struct table *table, const struct column_spec *spec, size_t i)
{
    enum { SORTED_BY = 0, WASTED = 2, FIRST_VALUE = 94, WASTED_VALUE = 65 };
    int place = 10 * (int)i, value = i == WASTED ? WASTED_VALUE : FIRST_VALUE + (int)i;

    column_headings(table, spec, spec->is_ratio || i == SORTED_BY ? place : value, place);
}

void report_headings(const struct report *report, struct table *table)
{
    size_t i;

    for (i = 0; i < report->shown_count; i++)
        report_heading(table, &report->shown[i], i);
}

void report_expressions(const struct report *report, char *out, size_t size)
{
    size_t at = 0, i;

    out[0] = '\0';
    for (i = 0; i < report->shown_count && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, ", %s", report->shown[i].sql);
}

char *report_events(const struct report *report, const char *before, const char *after)
{
    char *text = NULL;
    size_t size, i;
    FILE *sql = open_memstream(&text, &size);

    if (sql == NULL)
        term_no_memory();
    for (i = 0; i < tp_event_count(report->profile); i++) {
        const char *name = tp_event_at(report->profile, i)->name;

        fprintf(sql, ", %s%s%s AS \"%s\"", before, name, after, name);
    }
    if (fclose(sql) != 0)
        term_no_memory();
    return text;
}

double report_least(const struct report *report)
{
    return report->threshold > 0 ? report->threshold * fabs(report->sort.total) / 100 : -1;
}

/* Of a row with a function and a file: a function is called so, or the path of the file ends so (--in). */
#define IS_IN                                                                                         \
    "(function = ?1 OR function GLOB ?1 OR function GLOB ?1 || '(*' OR function GLOB ?1 || '''*' OR " \
    "file = ?1 OR file GLOB ?1 OR file GLOB '*/' || ?1)"
/* A loop also goes by the inlined function that it is in. */
#define IS_INLINED_IN "(inlined = ?1 OR inlined GLOB ?1 OR inlined GLOB ?1 || '(*')"

static const char *is_in(const char *view)
{
    if (strcmp(view, "loops") == 0)
        return "(" IS_IN " OR " IS_INLINED_IN ")";
    if (strcmp(view, "loop_data") == 0)
        return "(" IS_IN " OR loop_id IN (SELECT id FROM loops WHERE " IS_INLINED_IN "))";
    return IS_IN;
}

void report_query(const struct report *report, struct query *q, const char *columns, const char *view,
                  const char *ties)
{
    char expressions[8192];

    report_expressions(report, expressions, sizeof expressions);
    query_begin(q, report->profile,
                "SELECT %s%s FROM %s WHERE %s AND %s(ifnull(%s, 0)) >= %f "
                "ORDER BY %s(%s) DESC NULLS LAST, %s LIMIT %lld",
                columns, expressions, view, report->in != NULL ? is_in(view) : "1", report_size(report),
                report->sort.sql, report_least(report), report_size(report), report->sort.sql, ties,
                (long long)report->limit);
    if (report->in != NULL)
        query_bind_text(q, 1, report->in);
}

static bool any_in(const struct report *report, const char *view)
{
    struct query q;
    bool any;

    query_begin(&q, report->profile, "SELECT 1 FROM %s WHERE %s LIMIT 1", view, is_in(view));
    query_bind_text(&q, 1, report->in);
    any = query_row(&q);
    return query_end(&q) && any;
}

/* Whether --in leaves anything of what is asked for. */
static bool in_known(const struct report *report)
{
    bool of_functions = !report->statements && !report->loops && !report->strides && !report->conflicts &&
                        !report->pairs;

    if (report->in == NULL || (report->statements && any_in(report, "statements")) ||
        (report->loops && any_in(report, "loops")) || (report->strides && any_in(report, "strides")) ||
        (report->conflicts && any_in(report, "conflicts")) ||
        (report->pairs && (any_in(report, "pairs") || any_in(report, "reuses"))) ||
        (of_functions && any_in(report, "functions")))
        return true;
    term_error("nothing of this is in a function or source file called %s; * and ? match, as in '*%s*'", report->in,
               report->in);
    return false;
}

void report_cells(const struct report *report, struct table *table, struct query *q, int at)
{
    size_t i;

    for (i = 0; i < report->shown_count; i++)
        column_cells(table, &report->shown[i], q, at + (int)i, 0);
}

void report_self_columns(const struct report *report, struct report *own, const char *const *usual)
{
    size_t i;

    *own = *report;
    own->shown_count = 0;
    if (report->show == NULL)
        own->shown[own->shown_count++] = report->sort;
    for (; report->show == NULL && *usual != NULL; usual++) {
        struct column_spec *spec = &own->shown[own->shown_count];

        own->shown_count += column_try(report->profile, *usual, spec) && strcmp(spec->name, report->sort.name) != 0;
    }
    for (i = 0; report->show != NULL && i < report->shown_count; i++) {
        if (!report->shown[i].inclusive)
            own->shown[own->shown_count++] = report->shown[i];
    }
}

const char *report_size(const struct report *report)
{
    return report->difference ? "abs" : "";
}

void report_section(struct report *report, struct table *table, const char *key, const char *heading)
{
    if (report->json) {
        fputs(",\n", stdout);
        term_json(stdout, key);
        fputs(": ", stdout);
        table_json(table, stdout);
    } else {
        char safe[4096];

        term_escape(safe, sizeof safe, heading);
        printf("%s%s%s%s\n", report->sections ? "\n" : "", term_style(stdout, TERM_BOLD), safe,
               term_style(stdout, TERM_PLAIN));
        if (table_rows(table) == 0)
            puts("  none");
        else
            table_print(table, stdout, report->show == NULL);
    }
    report->sections++;
    table_free(table);
}

void report_place_columns(struct table *table, const char *title, const char *key)
{
    table_column(table, TABLE_TEXT, NULL, "file", -1);
    table_column(table, TABLE_COUNT, NULL, "line", -1);
    table_column(table, TABLE_TEXT, NULL, "object", -1);
    table_column(table, TABLE_TEXT, title, key, 0);
}

void report_text(struct table *table, struct query *q, int at)
{
    if (query_null(q, at))
        table_null(table);
    else
        table_text(table, query_text(q, at));
}

void report_count(struct table *table, struct query *q, int at)
{
    if (query_null(q, at))
        table_null(table);
    else
        table_count(table, query_int(q, at));
}

void report_place(const struct report *report, struct table *table, struct query *q, int at, bool has_object,
                  const char *name)
{
    char text[512];

    report_text(table, q, at);
    report_count(table, q, at + 1);
    if (has_object)
        report_text(table, q, at + 2);
    else
        table_null(table);
    place_short(report->profile, text, sizeof text, name, query_text(q, at),
                query_null(q, at + 1) ? 0 : query_int(q, at + 1), has_object ? query_text(q, at + 2) : "");
    table_text(table, name);
    table_tail(table, text);
}

void report_brief(const struct report *report, struct table *table, struct query *q, int at)
{
    char place[512];

    place_short(report->profile, place, sizeof place, query_text(q, at), query_text(q, at + 1),
                query_null(q, at + 2) ? 0 : query_int(q, at + 2), "");
    if (query_null(q, at))
        table_null(table);
    else
        table_text(table, report->json || *place == '\0' ? query_text(q, at) : place);
    report_text(table, q, at + 1);
    report_count(table, q, at + 2);
}

void report_range(const struct report *report, struct table *table, struct query *q, int at, const char *name)
{
    char text[512];
    int64_t first = query_null(q, at + 1) ? 0 : query_int(q, at + 1), last = query_int(q, at + 2);
    size_t length;

    place_short(report->profile, text, sizeof text, name, query_text(q, at), first, "");
    length = strlen(text);
    if (first > 0 && last > first)
        snprintf(text + length, sizeof text - length, "-%lld", (long long)last);
    table_text(table, name);
    table_tail(table, text);
}

/* ------------------------------------------------------------------------------------------ options */

static const char *take_define(void *into, const char *name, const char *value)
{
    (void)name;
    return column_defines_add(&((struct report *)into)->defines, value);
}

static const char *check_advice_limits(void *unused, const char *name, const char *value)
{
    static struct tp_error err;

    (void)unused;
    (void)name;
    return tp_advice_limits_check(value, &err) == 0 ? NULL : err.message;
}

static const struct opt rows[] = {
    {OPT_HEADING, NULL, 0, NULL, "What to print (without any: totals, findings, functions)", 0, NULL, false},
    {OPT_TEXT, "function", 'f', "NAME", "one function, its callers and callees; * and ? match",
     offsetof(struct report, function), NULL, false},
    {OPT_TEXT, "callers", 0, "NAME", "the calls to a function", offsetof(struct report, callers), NULL,
     false},
    {OPT_TEXT, "callees", 0, "NAME", "the calls a function makes", offsetof(struct report, callees), NULL,
     false},
    {OPT_FLAG, "tree", 't', NULL, "the call tree", offsetof(struct report, tree), NULL, false},
    {OPT_FLAG, "threads", 0, NULL, "threads, and the functions of each", offsetof(struct report, threads),
     NULL, false},
    {OPT_FLAG, "balance", 0, NULL,
     "how evenly the units of a merge (--keep), or threads, share\neach function: least, mean, most, imbalance",
     offsetof(struct report, balance), NULL, false},
    {OPT_FLAG, "data", 0, NULL, "data structures, and which lines miss in them", offsetof(struct report, data), NULL,
     false},
    {OPT_TEXT, "under", 0, "NAME",
     "what a function and all that it calls cost in data structures;\n* and ? match", offsetof(struct report, under),
     NULL, false},
    {OPT_FLAG, "statements", 0, NULL,
     "statements, their loads and stores (integer, floating point),\nand the data structures that they touch",
     offsetof(struct report, statements), NULL, false},
    {OPT_FLAG, "loops", 0, NULL, "loops, how often they run, and the data structures they walk",
     offsetof(struct report, loops), NULL, false},
    {OPT_FLAG, "strides", 0, NULL, "how far apart the misses of a line are in a data structure",
     offsetof(struct report, strides), NULL, false},
    {OPT_FLAG, "conflicts", 0, NULL, "cold, capacity and conflict misses, and the sets that conflict\n(--patterns=yes)",
     offsetof(struct report, conflicts), NULL, false},
    {OPT_FLAG, "pairs", 0, NULL,
     "who loads lines again, and who had thrown them out; who is the\nfirst to use a line behind its load "
     "(--interdependence=yes)", offsetof(struct report, pairs), NULL, false},
    {OPT_FLAG, "sharing", 0, NULL, "what threads share, truly and falsely (--coherence=mesi)",
     offsetof(struct report, sharing), NULL, false},
    {OPT_TEXT, "fields", 0, "NAME",
     "the fields of a data structure, or of those of a type,\n"
     "and what of each is loaded in vain; * and ? match",
     offsetof(struct report, fields), NULL, false},
    {OPT_FLAG, "advice", 'a', NULL, "what to change, what that would save, and why",
     offsetof(struct report, advice), NULL, false},
    {OPT_HEADING, NULL, 0, NULL, "How", 0, NULL, false},
    {OPT_TEXT, "in", 0, "NAME",
     "functions, statements, loops, strides, conflicts, pairs:\n"
     "only those in a function or a source file; * and ? match",
     offsetof(struct report, in), NULL, false},
    {OPT_TEXT, "sort", 's', "EVENT",
     "sort by an event or ratio, self, or inclusive: EVENT_incl\n"
     "[CEst; of other tools' events the first]",
     offsetof(struct report, sort_name), NULL, false},
    {OPT_TEXT, "show", 0, "EVENTS",
     "these columns only, ',' between: events, and spatialD1,\n"
     "temporalD1, dirtyD1 (or ..I1, ..D2, ..L), I1rate, D1rate, LLrate; each also _incl",
     offsetof(struct report, show), NULL, false},
    {OPT_TEXT, "weights", 0, "EVENT=N,...", "other weights in CEst, as in L1m=12,LLm=180; also of further events",
     offsetof(struct report, weights), given_check_weights, false},
    {OPT_TAKE, "define", 0, "NAME=EXPR", "a column of your own, as in 'mpki=1000 * LLm / Ir'; may be repeated", 0,
     take_define, false},
    {OPT_COUNT, "limit", 'n', "N", "at most N rows of a table [20]", offsetof(struct report, limit), NULL,
     false},
    {OPT_NUMBER, "threshold", 0, "PERCENT", "leave out what has less of the total [tree: 1, advice: 2]",
     offsetof(struct report, threshold), NULL, false},
    {OPT_TEXT, "advice-limits", 0, "NAME=N,...", "other limits of what is worth advice, as in spatial=40",
     offsetof(struct report, advice_limits), check_advice_limits, false},
    {OPT_FLAG, "json", 0, NULL, "write JSON", offsetof(struct report, json), NULL, false},
};

static const struct opt_command command = {
    "report",
    "[options] [FILE]",
    "Prints a profile. FILE is a profile or a raw profile; without it, the newest tenure.out.* here.",
    rows,
    sizeof rows / sizeof rows[0],
    false,
    CLI_USAGE,
};

/* ------------------------------------------------------------------------------------------ columns */

static bool add_shown(struct report *report, const char *name, bool must)
{
    struct column_spec *spec = &report->shown[report->shown_count];
    size_t i;

    if (must ? !column_find(report->profile, name, spec) : !column_try(report->profile, name, spec))
        return !must;
    for (i = 0; i < report->shown_count; i++) {
        if (strcmp(report->shown[i].name, spec->name) == 0)
            return true;
    }
    if (++report->shown_count < REPORT_MAX_SHOWN)
        return true;
    term_error("--show: too many columns, the most is %d", REPORT_MAX_SHOWN - 1);
    return false;
}

static bool add_listed(struct report *report)
{
    const char *at = report->show;

    while (*at != '\0') {
        size_t length = strcspn(at, ",");
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (length > 0 && !add_shown(report, name, true))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

/* The event sorted by, self and inclusive, then what most questions are about. */
static bool choose_columns(struct report *report)
{
    static const char *const usual[] = {"SpLossD1", "spatialD1", "temporalD1", "L1m", "D1rate", "LLm", "Ir"};
    char base[64], inclusive[80];
    size_t i;

    if (!column_find(report->profile, report->sort_name ? report->sort_name : column_usual(report->profile),
                     &report->sort))
        return false;
    if (report->show != NULL)
        return add_listed(report);
    snprintf(base, sizeof base, "%.*s", (int)(strlen(report->sort.name) - (report->sort.inclusive ? 5 : 0)),
             report->sort.name);
    snprintf(inclusive, sizeof inclusive, "%s_incl", base);
    if (!add_shown(report, report->sort.name, true))
        return false;
    if (!query_was_off(report->profile, "inclusive") &&
        !add_shown(report, report->sort.inclusive ? base : inclusive, true))
        return false;
    for (i = 0; i < sizeof usual / sizeof usual[0]; i++)
        add_shown(report, usual[i], false);
    return true;
}

/* -------------------------------------------------------------------------------------- header and totals */

/* "I1 32 KiB, 8-way, ...; D1 ...; LL ... (sysfs)": one line or, where it is narrow, three. */
static void print_caches(const struct report *report)
{
    char key[32], text[1024], cut[1100];
    const char *part, *next, *source[GEOMETRY_LEVELS], *said;
    struct tn_geometry geometry[GEOMETRY_LEVELS] = {0};

    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        snprintf(key, sizeof key, "cache.%s", geometry_name[i]);
        said = tp_meta(report->profile, key);
        if (said == NULL || geometry_parse(said, &geometry[i]) != NULL)
            geometry[i].size = 0;
        source[i] = tp_meta(report->profile, geometry_source_key[i]);
    }
    caches_text(geometry, source, text, sizeof text);
    if (*text == '\0')
        return;
    term_escape(cut, sizeof cut, text);
    if (term_columns(cut) + 10 <= term_width(stdout)) {
        printf("Caches    %s\n", cut);
        return;
    }
    for (part = cut; part != NULL; part = next) {
        next = strstr(part, "; ");
        printf("%-9s %.*s\n", part == cut ? "Caches" : "", next != NULL ? (int)(next - part) : INT_MAX, part);
        next = next != NULL ? next + 2 : NULL;
    }
}

static void print_meta(const struct report *report, const char *title, const char *key)
{
    const char *value = tp_meta(report->profile, key);
    char safe[4096];

    if (value == NULL)
        return;
    term_escape(safe, sizeof safe, value);
    printf("%-9s %s\n", title, safe);
}

static void print_header(const struct report *report)
{
    const char *cmd = tp_meta(report->profile, "cmd"), *engine = tp_meta(report->profile, "engine");
    char safe[4096], cut[4096];

    term_escape(safe, sizeof safe, report->file);
    printf("Profile   %s\n", safe);
    if (cmd != NULL) {
        term_escape(safe, sizeof safe, cmd);
        printf("Command   %s\n", term_fit(cut, sizeof cut, safe, term_width(stdout) - 11, TERM_CUT_END));
    }
    if (!query_was_off(report->profile, "cache-sim"))
        print_caches(report);
    if (engine != NULL) {
        const char *version = tp_meta(report->profile, "engine.version");

        snprintf(cut, sizeof cut, "%s %s", engine, version != NULL ? version : "");
        term_escape(safe, sizeof safe, cut);
        printf("Engine    %s\n", safe);
    }
    print_meta(report, "Runs", "runs");
    print_meta(report, "Baseline", "diff.baseline");
    print_meta(report, "New", "diff.new");
    if (tp_meta(report->profile, "import.damage") != NULL) {
        term_escape(safe, sizeof safe, tp_meta(report->profile, "import.damage"));
        printf("Damaged   %s\n", safe);
    }
}

static void json_meta(struct report *report)
{
    struct query q;
    const char *comma = "";

    fputs("{\"format\": \"tenure-report\", \"version\": 1, \"file\": ", stdout);
    term_json(stdout, report->file);
    fputs(",\n\"meta\": {", stdout);
    query_begin(&q, report->profile, "SELECT key, value FROM meta ORDER BY key");
    while (query_row(&q)) {
        fputs(comma, stdout);
        term_json(stdout, query_text(&q, 0));
        fputs(": ", stdout);
        term_json(stdout, query_text(&q, 1));
        comma = ", ";
    }
    query_end(&q);
    fputs("}", stdout);
}

static const char *json_total(struct report *report, const char *name, const char *comma)
{
    struct column_spec spec;
    struct query q;

    if (!column_try(report->profile, name, &spec) ||
        !query_begin(&q, report->profile, "SELECT %s FROM totals", spec.sql))
        return comma;
    fputs(comma, stdout);
    term_json(stdout, spec.name);
    if (!query_row(&q) || query_null(&q, 0))
        fputs(": null", stdout);
    else if (spec.is_ratio || spec.is_real)
        printf(": %.10g", query_real(&q, 0));
    else
        printf(": %lld", (long long)query_int(&q, 0));
    query_end(&q);
    return ", ";
}

/* Every event, and every ratio that the profile has. */
static void json_totals(struct report *report)
{
    const struct tp_formula *formula;
    const char *comma = "";
    size_t i;

    fputs(",\n\"totals\": {", stdout);
    for (i = 0; i < tp_event_count(report->profile); i++)
        comma = json_total(report, tp_event_at(report->profile, i)->name, comma);
    for (formula = tp_formulas(report->profile); formula != NULL; formula = formula->next)
        comma = json_total(report, formula->name, comma);
    fputs("}", stdout);
}

static bool overview(struct report *report)
{
    if (!report->json && report->difference) {
        print_header(report);
        report->sections++;
    } else if (!report->json) {
        print_header(report);
        putchar('\n');
        if (!summary_findings(report->profile, stdout, ""))
            return false;
        if (tp_event_find(report->profile, "SpLossD1") != NULL)
            putchar('\n');
        if (!summary_totals(report->profile, stdout, ""))
            return false;
        report->sections++;
    }
    return report_functions(report);
}

/* ------------------------------------------------------------------------------------------ the command */

/* Sections whose rows are not of one function and line: --in cannot choose among them. */
static bool asked_for_others(const struct report *report)
{
    return report->function || report->callers || report->callees || report->tree || report->threads ||
           report->balance || report->data || report->under || report->sharing || report->fields || report->advice;
}

/* Sections with columns that the user chooses. */
static bool asked_for_columns(const struct report *report)
{
    return report->function || report->callers || report->callees || report->tree || report->threads ||
           report->balance || report->data || report->under || report->fields || report->statements ||
           report->loops || report->strides || report->conflicts;
}

static bool print(struct report *report)
{
    bool asked = asked_for_others(report) || report->statements || report->loops || report->strides ||
                 report->conflicts || report->pairs;
    /* Nothing is written by halves. */
    bool good = choose_columns(report) && report_calls_known(report) && report_data_known(report) &&
                report_under_known(report) &&
                report_statements_known(report) && report_loops_known(report) && report_patterns_known(report) &&
                report_pairs_known(report) && report_sharing_known(report) && report_fields_known(report) &&
                in_known(report) && report_advice_known(report);

    if (good && report->json) {
        json_meta(report);
        json_totals(report);
    }
    if (good && !asked)
        good = report->in != NULL ? report_functions(report) : overview(report);
    if (good && (report->function || report->callers || report->callees))
        good = report_calls(report);
    if (good && report->tree)
        good = report_tree(report);
    if (good && report->threads)
        good = report_threads(report);
    if (good && report->balance)
        good = report_balance(report);
    if (good && report->data)
        good = report_data(report);
    if (good && report->under)
        good = report_under(report);
    if (good && report->statements)
        good = report_statements(report);
    if (good && report->loops)
        good = report_loops(report);
    if (good && report->strides)
        good = report_strides(report);
    if (good && report->conflicts)
        good = report_conflicts(report);
    if (good && report->pairs)
        good = report_pairs(report);
    if (good && report->sharing)
        good = report_sharing(report);
    if (good && report->fields)
        good = report_fields(report);
    if (good && report->advice)
        good = report_advice(report);
    if (good && report->json)
        puts("\n}");
    return good;
}

int cmd_report(int argc, char **argv)
{
    struct report report = {.limit = 20, .threshold = -1};
    int first = opt_parse(&command, &report, argc, argv);
    bool good;

    if (first < 0)
        return term_finish(-1 - first);
    if (argc - first > 1)
        return opt_misused(&command, "one profile at a time, %s is one too many", argv[first + 1]);
    if (report.advice_limits != NULL && !report.advice)
        return opt_misused(&command, "--advice-limits says what is worth advice: give --advice, too");
    if ((report.sharing || report.pairs) && !asked_for_columns(&report) &&
        (report.sort_name != NULL || report.show != NULL || report.defines.count > 0))
        return opt_misused(&command, "%s has columns of its own: no --sort, --show or --define",
                           report.sharing ? "--sharing" : "--pairs");
    if (report.in != NULL && asked_for_others(&report))
        return opt_misused(&command,
                           "--in is for functions, --statements, --loops, --strides, --conflicts and --pairs alone");
    report.profile = given_open_weighed(first < argc ? argv[first] : NULL, report.weights);
    if (report.profile == NULL)
        return CLI_ERROR;
    report.file = given_name();
    report.difference = tp_meta(report.profile, "diff.new") != NULL;
    good = column_define(report.profile, &report.defines) && print(&report);
    given_close(report.profile);
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}
