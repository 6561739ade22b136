/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_report.c: options of `tenure report`, the header, and which sections are printed.
 *
 * Without an option that asks for a section: what is wrong, totals, functions. What sections there are, and their
 * options, profile/read/sections.h says; nothing is computed from sums of arcs.
 */
#include "cli/report/report.h"

#include "cli/base/caches.h"
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/page.h"
#include "cli/base/summary.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/advice/advice.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ options */

static const char *check_advice_limits(void *unused, const char *name, const char *value)
{
    static struct tp_error err;

    (void)unused;
    (void)name;
    return tp_advice_limits_check(value, &err) == 0 ? NULL : err.message;
}

static const char *check_format(void *unused, const char *name, const char *value)
{
    (void)unused;
    (void)name;
    return strcmp(value, "gcc") == 0 || strcmp(value, "sarif") == 0 ? NULL : "there are gcc and sarif";
}

/* The options behind those that ask for sections. */
static char in_help[512];
#define AT(member) offsetof(struct report, member)
static const struct opt how[] = {
    {OPT_HEADING, .help = "How"},
    {OPT_TEXT, "in", 0, "NAME", in_help, AT(in)},
    {OPT_TEXT, "sort", 's', "EVENT", "sort by an event or ratio, self, or inclusive: EVENT_incl\n"
     "[Time; without it CEst; of other tools' events the first]", AT(sort_name)},
    {OPT_TEXT, "show", 0, "EVENTS", "these columns only, ',' between: events, and spatialD1,\n"
     "temporalD1, dirtyD1 (or ..I1, ..D2, ..L), missD1, I1rate,\n"
     "D1rate, DLrate, LLrate; each also _incl", AT(show)},
    GIVEN_WEIGHTS("; also of further events", AT(weights)),
    {OPT_TEXT, "machine", 0, "NAME", "what it would be on that machine, where `tenure record --also` has\n"
     "counted for it", AT(machine)},
    COLUMN_DEFINE(AT(defines)),
    {OPT_LIMIT, "limit", 'n', "N", "at most N rows of a table, not of the tree [20]", AT(limit)},
    {OPT_NUMBER, "threshold", 0, "PERCENT", "leave out what has less of the total [tree, timeline: 1, advice: 2]",
     AT(threshold)},
    {OPT_TEXT, "advice-limits", 0, "NAME=N,...", "other limits of what is worth advice, as in spatial=40",
     AT(advice_limits), check_advice_limits},
    {OPT_FLAG, "startup", 0, NULL, "functions, lines, loops and paths of the loader and of what\n"
     "runs in front of main, too; JSON and CSV have them always", AT(startup)},
    {OPT_FLAG, "try", 0, NULL, PAGE_TRY, AT(try)},
    {OPT_TEXT, "format", 0, "gcc|sarif", "advice as a compiler's warnings, for editors, or as SARIF\n"
     "2.1.0, for code scanning", AT(code_format), check_format},
    {OPT_FLAG, "json", 0, NULL, "write JSON", AT(json)},
    {OPT_FLAG, "csv", 0, NULL, "write CSV: tables with a header, an empty line between them", AT(csv)},
};

enum { HOW = sizeof how / sizeof how[0] };

static struct opt rows[1 + TP_SECTION_GROUPS + HOW] = {
    {OPT_HEADING, .help = "What to print (without any: findings, totals, functions)"}};

static struct opt_command command = {
    "report",
    "[options] [FILE]",
    "Prints a profile. FILE is a profile or a raw profile; without it, the newest tenure.out.* here.",
    rows,
    1,
    .one_profile = true,
};

/* "functions, --loops and --pairs": the groups among whose rows --in chooses. */
static void name_groups(char *out, size_t size, const char *dashes, const char *before_last)
{
    size_t at = (size_t)snprintf(out, size, "functions"), last = 0;

    for (size_t i = 0; i < tp_section_group_count; i++)
        last = tp_section_groups[i].in != NULL ? i : last;
    for (size_t i = 0; i <= last && at < size; i++) {
        const struct tp_section_group *group = &tp_section_groups[i];

        if (group->in != NULL && group->option != NULL)
            at += (size_t)snprintf(out + at, size - at, "%s%s%s", i == last ? before_last : ", ", dashes,
                                   group->option);
    }
}

static void make_options(void)
{
    char groups[256];

    name_groups(groups, sizeof groups, "", ", ");
    snprintf(in_help, sizeof in_help, "%s:\nonly those in a function or a source file; * and ? match", groups);
    for (size_t i = 0; i < tp_section_group_count; i++) {
        const struct tp_section_group *group = &tp_section_groups[i];
        size_t at = offsetof(struct report, asked) + i * sizeof ((struct report *)NULL)->asked[0];

        if (group->option == NULL)
            continue;
        rows[command.count++] = (struct opt){
            group->value != NULL ? OPT_TEXT : OPT_FLAG, group->option, group->letter, group->value, group->help,
            at + (group->value != NULL ? offsetof(struct report, asked[0].value) - offsetof(struct report, asked) : 0)};
    }
    memcpy(&rows[command.count], how, sizeof how);
    command.count += HOW;
}

/* ------------------------------------------------------------------------------------------ columns */

/* The event sorted by, self and inclusive, then what most questions are about. */
static bool choose_columns(struct report *report)
{
    struct column_list *shown = &report->shown;
    const char *at = report->show;
    char base[64], inclusive[80];

    if (!column_find(report->profile, "this profile",
                     report->sort_name ? report->sort_name : tp_event_usual(report->profile), &report->sort))
        return false;
    if (at != NULL) {
        while (opt_next_word(&at, base, sizeof base)) {
            if (column_add(shown, report->profile, base, true) < 0)
                return false;
        }
        return true;
    }
    snprintf(base, sizeof base, "%.*s", (int)(strlen(report->sort.name) - (report->sort.inclusive ? 5 : 0)),
             report->sort.name);
    snprintf(inclusive, sizeof inclusive, "%s_incl", base);
    column_keep(shown, &report->sort);
    if (!query_was_off(report->profile, "inclusive") &&
        column_add(shown, report->profile, report->sort.inclusive ? base : inclusive, true) < 0)
        return false;
    for (size_t i = 0; tp_section_usual[i] != NULL; i++)
        column_add(shown, report->profile, tp_section_usual[i], false);
    return true;
}

/* -------------------------------------------------------------------------------------- header and totals */

enum { TITLE = 10 };

/* "I1 32 KiB, 8-way, ...; D1 ...; LL ... (sysfs)": one line or, where it is narrow, three. */
static void print_caches(const struct report *report)
{
    char key[32], text[1024], cut[1100];
    const char *next, *source[GEOMETRY_LEVELS], *said;
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
    if (term_columns(cut) + TITLE <= term_width(stdout)) {
        printf("Caches    %s\n", cut);
        return;
    }
    for (const char *part = cut; part != NULL; part = next) {
        next = strstr(part, "; ");
        printf("%-9s %.*s\n", part == cut ? "Caches" : "", next != NULL ? (int)(next - part) : INT_MAX, part);
        next = next != NULL ? next + 2 : NULL;
    }
}

/* "64 pages, 4-way, behind it 1536 pages, 12-way". */
static void tlb_words(const char *text, char *out, size_t size)
{
    struct tn_tlb_geometry levels[2] = {{0}};
    size_t at = 0;

    *out = '\0';
    if (text == NULL || tlb_parse(text, levels) != NULL)
        return;
    for (int i = 0; i < 2 && levels[i].entries > 0; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%u pages, %u-way", i > 0 ? ", behind it " : "",
                               levels[i].entries, levels[i].assoc);
}

static void print_tlbs(const struct report *report)
{
    static const char *const key[] = {"tlb.I", "tlb.D"}, *const what[] = {"of code", "of data"};
    char words[128], text[160];

    for (int i = 0; i < 2; i++) {
        tlb_words(tp_meta(report->profile, key[i]), words, sizeof words);
        snprintf(text, sizeof text, "%s %s", what[i], words);
        if (*words != '\0')
            term_labelled(i == 0 ? "TLBs" : "", TITLE, text);
    }
}

static void print_header(const struct report *report)
{
    static const struct {
        const char *title, *key;
    } last[] = {{"Runs", "runs"}, {"Baseline", "diff.baseline"}, {"New", "diff.new"}, {"Damaged", "import.damage"}};
    const char *cmd = tp_meta(report->profile, "cmd"), *engine = tp_meta(report->profile, "engine");
    char safe[4096], cut[4096];

    term_labelled("Profile", TITLE, report->file);
    if (cmd != NULL) {
        term_escape(safe, sizeof safe, cmd);
        term_labelled("Command", TITLE, term_fit(cut, sizeof cut, safe, term_width(stdout) - TITLE - 1, TERM_CUT_END));
    }
    if (!query_was_off(report->profile, "cache-sim"))
        print_caches(report);
    print_tlbs(report);
    if (column_sampled(report->profile, cut, sizeof cut) != NULL)
        term_labelled("Simulated", TITLE, cut);
    if (engine != NULL) {
        const char *version = tp_meta(report->profile, "engine.version");

        snprintf(cut, sizeof cut, "%s%s%s", engine, version != NULL ? " " : "", version != NULL ? version : "");
        term_labelled("Engine", TITLE, cut);
    }
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        if (tp_meta(report->profile, last[i].key) != NULL)
            term_labelled(last[i].title, TITLE, tp_meta(report->profile, last[i].key));
    }
}

static void json_total(struct report *report, const char *name)
{
    struct column_spec spec;
    struct query q;

    if (!column_try(report->profile, name, &spec) ||
        !query_begin(&q, report->profile, "SELECT %s FROM totals", spec.sql))
        return;
    if (!query_row(&q) || query_null(&q, 0))
        tp_json_text(&report->out, spec.name, NULL);
    else if (spec.is_ratio || spec.is_real)
        tp_json_figure(&report->out, spec.name, query_real(&q, 0));
    else
        tp_json_integer(&report->out, spec.name, query_int(&q, 0));
    query_end(&q);
}

/* What the profile is of, and its totals: every event, and every ratio that it has. */
static void json_header(struct report *report)
{
    query_json_head(report->profile, &report->out, "tenure-report", report->file);
    tp_json_begin(&report->out, "totals", '{', ", ");
    for (size_t i = 0; i < tp_event_count(report->profile); i++)
        json_total(report, tp_event_at(report->profile, i)->name);
    for (const struct tp_formula *formula = tp_formulas(report->profile); formula != NULL; formula = formula->next)
        json_total(report, formula->name);
    tp_json_end(&report->out);
}

/* ------------------------------------------------------------------------------------------ the command */

/* Groups that need more than SQL. */
static const struct {
    const char *option;
    bool (*known)(struct report *);
    bool (*print)(struct report *, const struct tp_section_group *);
} own[] = {
    {"tree", NULL, report_tree},
    {"timeline", NULL, report_timeline},
    {"advice", report_advice_known, report_advice},
};
enum { OWN = sizeof own / sizeof own[0] };

static size_t own_of(const struct tp_section_group *group)
{
    size_t i = 0;

    while (i < OWN && (group->option == NULL || strcmp(own[i].option, group->option) != 0))
        i++;
    return i;
}

static bool is_asked(const struct report *report, size_t group)
{
    return report->asked[group].flag || report->asked[group].value != NULL;
}

/* Whether all that is asked for is there; nothing is written by halves. */
static bool known(struct report *report)
{
    bool any = report->in == NULL, good = true;

    for (size_t i = 0; good && i < tp_section_group_count; i++) {
        if (is_asked(report, i))
            good = report_needs(report, &tp_section_groups[i]) &&
                   (report->in == NULL || report_has_in(report, &tp_section_groups[i], &any));
    }
    if (good && !any) {
        term_error("nothing of this is in a function or source file called %s; * and ? match, as in '*%s*'", report->in,
                   report->in);
        good = false;
    }
    for (size_t i = 0; good && i < tp_section_group_count; i++) {
        size_t at = own_of(&tp_section_groups[i]);

        if (is_asked(report, i) && at < OWN && own[at].known != NULL)
            good = own[at].known(report);
    }
    return good;
}

/* What is printed above the functions if nothing is asked for. */
static bool print_overview(struct report *report)
{
    print_header(report);
    if (!report->difference) {
        putchar('\n');
        if (!summary_verdict(report->profile, stdout, "", report->file))
            return false;
        putchar('\n');
        if (!summary_totals(report->profile, stdout, "") || !summary_lineless(report->profile, stdout, ""))
            return false;
    }
    report->sections++;
    return true;
}

/* Whether it is known how far off the numbers of a group are; advice takes it into account. */
static bool has_margins(const struct tp_section_group *group)
{
    bool has = group->option != NULL && strcmp(group->option, "advice") == 0;

    for (size_t k = 0; group->sections != NULL && group->sections[k] != NULL; k++)
        has |= group->sections[k]->sampled != TP_SAMPLED_NONE;
    return has;
}

/* What stands above the sections that are asked for, where sets were sampled. */
static void print_sampled(const struct report *report)
{
    bool known = false;
    char sampled[128];

    if (column_sampled(report->profile, sampled, sizeof sampled) == NULL)
        return;
    for (size_t i = 0; i < tp_section_group_count; i++)
        known |= is_asked(report, i) && has_margins(&tp_section_groups[i]);
    printf("%s\n%s\n", sampled,
           known ? "" : "How far off is known of functions, lines, calls and data structures, not of these rows.\n");
}

static bool print(struct report *report)
{
    bool asked = false;

    for (size_t i = 0; i < tp_section_group_count; i++)
        asked |= is_asked(report, i);
    for (size_t i = 0; i < tp_section_group_count; i++)
        report->asked[i].flag |= !asked && tp_section_groups[i].option == NULL;
    bool good = choose_columns(report) && known(report) &&
                (report->sort.is_ratio || column_leaves_some(report->profile, report->threshold, "the total"));
    if (good && report->json)
        json_header(report);
    else if (good && report->form == TABLE_TERMINAL && !asked && report->in == NULL)
        good = print_overview(report);
    else if (good && report->form == TABLE_TERMINAL)
        print_sampled(report);
    for (size_t i = 0; good && i < tp_section_group_count; i++) {
        const struct tp_section_group *group = &tp_section_groups[i];
        size_t at = own_of(group);

        if (is_asked(report, i) && at < OWN)
            good = own[at].print(report, group);
        for (size_t k = 0; is_asked(report, i) && at == OWN && good && group->sections[k] != NULL; k++)
            good = report_table(report, group, group->sections[k]);
    }
    if (good && report->json) {
        putchar('\n');
        tp_json_end(&report->out);
        putchar('\n');
    }
    return good;
}

/* What is wrong with options together: 0, or the command's status. An option must have an effect on some of what is
 * asked for. */
static int misused(const struct report *report)
{
    const struct {
        const char *name;
        bool given;
    } given[] = {{"sort", report->sort_name != NULL}, {"show", report->show != NULL},
                 {"define", report->defines.count > 0}, {"limit", report->limit > 0},
                 {"threshold", report->threshold >= 0}};
    enum { GIVEN = sizeof given / sizeof given[0] };
    const char *ignored[GIVEN] = {NULL}; /* by what */
    bool used[GIVEN] = {false}, others = false, advice = false, data = report->json || report->csv;
    size_t asked = 0;
    char groups[256];

    for (size_t i = 0; i < tp_section_group_count; i++) {
        const struct tp_section_group *group = &tp_section_groups[i];

        if (!is_asked(report, i))
            continue;
        asked++;
        others |= group->in == NULL;
        advice |= strcmp(group->option, "advice") == 0;
        for (size_t k = 0; k < GIVEN; k++) {
            if (group->ignores[data] != NULL && strstr(group->ignores[data], given[k].name) != NULL)
                ignored[k] = group->option;
            else
                used[k] = true;
        }
    }
    if (report->json && report->csv)
        return opt_misused(&command, "--json or --csv, not both");
    if (report->csv && advice)
        return opt_misused(&command, "advice is no table: --json, not --csv");
    if (report->code_format != NULL && (!advice || asked > 1 || report->json || report->csv))
        return opt_misused(&command, "--format is for --advice alone, without --json and --csv");
    if (report->advice_limits != NULL && !advice)
        return opt_misused(&command, "--advice-limits says what is worth advice: give --advice, too");
    if (report->try && !advice)
        return opt_misused(&command, "--try tries advice: give --advice, too");
    for (size_t k = 0; k < GIVEN; k++) {
        if (given[k].given && ignored[k] != NULL && !used[k])
            return opt_misused(&command, "--%s has no effect on --%s", given[k].name, ignored[k]);
    }
    name_groups(groups, sizeof groups, "--", " and ");
    if (report->in != NULL && others)
        return opt_misused(&command, "--in is for %s alone", groups);
    return 0;
}

int cmd_report(int argc, char **argv)
{
    struct report report = {.threshold = -1, .shown.most = 31};
    int status;

    make_options();
    int first = opt_parse(&command, &report, argc, argv);
    if (first < 0)
        return term_finish(-1 - first);
    if ((status = misused(&report)) != 0)
        return status;
    report.limit = report.limit > 0 ? report.limit : 20;
    report.profile = given_open_machine(first < argc ? argv[first] : NULL, report.weights, report.machine);
    if (report.profile == NULL)
        return CLI_ERROR;
    report.file = given_name();
    report.form = report.json ? TABLE_JSON : report.csv ? TABLE_CSV : TABLE_TERMINAL;
    report.difference = tp_meta(report.profile, "diff.new") != NULL;
    struct tp_error err;
    bool hide = report.form == TABLE_TERMINAL && !report.startup && report.in == NULL, good = false;
    if (tp_startup(report.profile, hide, &err) != 0)
        term_error("%s", err.message);
    else
        good = column_define(report.profile, &report.defines) &&
               (report.code_format == NULL ? print(&report)
                                           : column_leaves_some(report.profile, report.threshold, "the total") &&
                                                 report_advice_code(&report));
    free(report.shown.at);
    free(report.explained.at);
    given_close(report.profile);
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}
