/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_diff.c: options of `tenure diff`, which profiles are on which side, and how it ends.
 *
 * Two profiles are a baseline and what is new. Of several runs, those before `--` (or given by --baseline) are the
 * baseline's.
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/page.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/diff/diff.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ options */

/* Expressions follow one another; each is checked on its own, so that what is wrong is told of the right one. */
static const char *take_expression(void *into, const char *name, const char *value)
{
    char **to = into, *before = *to;
    static struct tp_error err;
    struct tp_rename *rename = tp_rename_new(value, &err);

    (void)name;
    if (rename == NULL)
        return err.message;
    tp_rename_free(rename);
    *to = term_text("%s%s%s", before != NULL ? before : "", before != NULL ? ";" : "", value);
    free(before);
    return NULL;
}

static const char *take_limit(void *into, const char *name, const char *value)
{
    static struct tp_error err;
    struct diff *diff = into;

    (void)name;
    diff->limits = term_have(realloc(diff->limits, (diff->limit_count + 1) * sizeof *diff->limits));
    struct diff_limit *limit = &diff->limits[diff->limit_count];
    memset(limit, 0, sizeof *limit);
    limit->text = value;
    if (tp_limit_read(&limit->limit, value, &err) != 0)
        return err.message;
    diff->limit_count++;
    return NULL;
}

#define AT(member) offsetof(struct diff, member)
static const struct opt rows[] = {
    {OPT_HEADING, .help = "What to compare"},
    {OPT_TAKE, "baseline", 'b', "FILE", "a run of the baseline; may be repeated; @LIST: those named in it",
     AT(inputs[TP_BASELINE]), inputs_take},
    {OPT_TAKE, "mod-filename", 0, "s/OLD/NEW/", "change names of source files and objects before comparing",
     AT(filename), take_expression},
    {OPT_TAKE, "mod-funcname", 0, "s/OLD/NEW/",
     "the same for functions; extended regular expressions,\nflags g and i, \\1 and & in NEW; may be repeated",
     AT(funcname), take_expression},
    GIVEN_WEIGHTS("", AT(weights)),
    COLUMN_DEFINE(AT(defines)),
    {OPT_HEADING, .help = "What to print"},
    {OPT_TEXT, "sort", 's', "EVENT", "sort by the difference in an event, self, or EVENT_incl\n"
     "[Time; without it CEst]", AT(sort)},
    {OPT_TEXT, "show", 0, "EVENTS", "differences in these events too, ',' between", AT(show)},
    {OPT_FLAG, "arcs", 0, NULL, "calls too", AT(arcs)},
    {OPT_FLAG, "lines", 0, NULL, "source lines too, where the sources match", AT(lines)},
    {OPT_FLAG, "data", 0, NULL, "data structures too", AT(data)},
    {OPT_LIMIT, "limit", 'n', "N", "at most N rows of a table [20]", AT(limit)},
    {OPT_FLAG, "json", 0, NULL, "write JSON", AT(json)},
    {OPT_FLAG, "markdown", 0, NULL, "write Markdown, for a comment or a summary on GitHub", AT(markdown)},
    {OPT_TEXT, "out", 'o', "FILE", "write the differences as a profile, too", AT(out)},
    {OPT_TEXT, "html", 0, "FILE", "write a page that shows both sides and the differences, too", AT(html)},
    {OPT_FLAG, "source-anywhere", 0, NULL, SOURCE_ANYWHERE, AT(source_anywhere)},
    {OPT_HEADING, .help = "Limits (status 3 if one is passed)"},
    {OPT_TAKE, "fail-on", 0, "LIMIT", "EVENT@FUNCTION>+5%, or >+1000 (growth), >1000, >2% (of the\n"
     "total); EVENT@total; EVENT@data:NAME, a data structure; also\n"
     "< >= <=; a ratio or a defined column as an event; may be\n"
     "repeated", 0, take_limit},
};

static const struct opt_command command = {
    "diff",
    "[options] BASELINE NEW | BASELINE... -- NEW... | --baseline=FILE ... NEW...",
    "Compares profiles: totals, functions, calls, lines and data structures. With several runs on a side a\n"
    "difference counts only if it is outside their spread. Each is a profile or a raw profile; @LIST stands for\n"
    "those named in LIST.",
    OPT_ROWS(rows),
};

/* ------------------------------------------------------------------------------------------ sides */

/* `before` are the operands in front of `--`, `behind` those after it. */
static void take_sides(struct diff *diff, char **before, char **behind)
{
    struct inputs *baseline = &diff->inputs[TP_BASELINE], *new = &diff->inputs[TP_NEW];
    bool named = baseline->count > 0;
    size_t operands = 0;

    while (before[operands] != NULL)
        operands++;
    for (size_t i = 0; i < operands; i++)
        inputs_add(named || (behind == NULL && operands == 2 && i == 1) ? new : baseline, before[i]);
    for (; behind != NULL && *behind != NULL; behind++)
        inputs_add(new, *behind);
}

static tp_profile **open_all(struct diff *diff, enum tp_diff_side side)
{
    const struct inputs *inputs = &diff->inputs[side];
    tp_profile **profile = term_have(calloc(inputs->count + 1, sizeof *profile));

    for (size_t i = 0; i < inputs->count && !diff->unopened; i++) {
        profile[i] = given_open_weighed(inputs->name[i], diff->weights);
        if (profile[i] != NULL && !column_define(profile[i], &diff->defines)) {
            given_close(profile[i]);
            profile[i] = NULL;
        }
        diff->unopened = profile[i] == NULL;
    }
    return profile;
}

static void close_all(tp_profile **profile)
{
    for (size_t i = 0; profile[i] != NULL; i++)
        given_close(profile[i]);
    free(profile);
}

/* A recording is not given away for its difference to another. */
static bool may_write(const struct diff *diff)
{
    for (int side = 0; diff->out != NULL && side < TP_SIDES; side++) {
        if (inputs_have(&diff->inputs[side], diff->out)) {
            term_error("%s is one of the profiles: it is not written over; name another file with -o", diff->out);
            return false;
        }
    }
    return (diff->out == NULL || output_allowed(diff->out, &output_profile)) &&
           (diff->html == NULL || output_allowed(diff->html, &page_kind));
}

/* ------------------------------------------------------------------------------------------ the command */

/* Both sides and the differences as one page. */
static bool write_page(struct diff *diff)
{
    const struct page_options options = {.sides = true, .source_anywhere = diff->source_anywhere};
    const char *folder = getenv("TMPDIR");
    struct tp_html_result result;
    struct tp_error err = {0};
    int status = CLI_ERROR;

    if (diff->html == NULL)
        return true;
    given_hold_signals();
    tp_profile *profile = tp_diff_open(diff->diff, folder != NULL && *folder != '\0' ? folder : "/tmp", &err);
    given_release_signals();
    if (profile == NULL || (diff->weights != NULL && tp_weigh(profile, diff->weights, &err) != 0))
        term_error("%s", err.message);
    else if (!given_stopped())
        status = page_write(profile, &options, diff->html, 0666, &result);
    tp_close(profile);
    return status == CLI_GOOD;
}

/* Whether both sides have data structures, if any are asked for. */
static bool data_known(const struct diff *diff)
{
    static const char *const names[] = {"baseline has", "new profiles have"};
    bool asked = diff->data, there[TP_SIDES] = {false, false};
    struct tp_diff_row row;

    for (size_t i = 0; i < diff->limit_count; i++)
        asked |= diff->limits[i].limit.data;
    for (size_t i = 0; i < tp_diff_rows(diff->diff, TP_DIFF_DATA); i++) {
        tp_diff_row(diff->diff, TP_DIFF_DATA, i, &row);
        for (int side = 0; side < TP_SIDES; side++)
            there[side] |= row.there[side];
    }
    for (int side = 0; asked && side < TP_SIDES; side++) {
        if (!there[side]) {
            term_error("the %s no data structures: recorded with --data=no, --inclusive=no or without caches, or of a "
                       "format that knows none", names[side]);
            return false;
        }
    }
    return true;
}

/* What is written needs more of the profiles than what is printed. */
static bool write_whole(struct diff *diff, const struct tp_diff_runs runs[TP_SIDES], struct tp_diff_options *options)
{
    struct tp_error err = {0};
    bool good = true;

    if (diff->out == NULL && diff->html == NULL)
        return true;
    tp_diff_free(diff->diff);
    options->whole = true;
    diff->diff = tp_diff_make(runs, options, &err);
    if (diff->diff != NULL && diff->out != NULL) {
        given_hold_signals();
        good = tp_diff_write(diff->diff, diff->out, &err) == 0;
        given_release_signals();
    }
    if (diff->diff == NULL || !good)
        term_error("%s", err.message);
    return diff->diff != NULL && good && write_page(diff);
}

static int compare(struct diff *diff, const struct tp_diff_runs runs[TP_SIDES], struct tp_diff_options *options)
{
    if (!diff_choose_columns(diff) || !data_known(diff) || !diff_limits_known(diff))
        return CLI_ERROR;
    diff_print(diff);
    fflush(stdout);
    bool kept = diff_limits_kept(diff);
    if (!write_whole(diff, runs, options))
        return CLI_ERROR;
    return kept ? CLI_GOOD : CLI_LIMIT;
}

static int run(struct diff *diff)
{
    tp_profile **baseline = open_all(diff, TP_BASELINE), **new = open_all(diff, TP_NEW);
    struct tp_diff_runs runs[TP_SIDES] = {{baseline, diff->inputs[TP_BASELINE].count},
                                          {new, diff->inputs[TP_NEW].count}};
    struct tp_error err = {0};
    struct tp_diff_options options = {
        .filename = diff->filename != NULL ? tp_rename_new(diff->filename, &err) : NULL,
        .funcname = diff->funcname != NULL ? tp_rename_new(diff->funcname, &err) : NULL,
    };
    int status = CLI_ERROR;

    if (baseline[runs[TP_BASELINE].count - 1] != NULL && new[runs[TP_NEW].count - 1] != NULL) {
        diff->runs = runs;
        diff->names = new[0];
        diff->diff = tp_diff_make(runs, &options, &err);
        if (diff->diff == NULL)
            term_error("%s", err.message);
        else
            status = compare(diff, runs, &options);
    }
    tp_diff_free(diff->diff);
    tp_rename_free((struct tp_rename *)options.filename);
    tp_rename_free((struct tp_rename *)options.funcname);
    close_all(baseline);
    close_all(new);
    given_end_if_stopped();
    return status;
}

static void forget(struct diff *diff)
{
    for (size_t i = 0; i < diff->limit_count; i++)
        tp_limit_free(&diff->limits[i].limit);
    free(diff->limits);
    free(diff->filename);
    free(diff->funcname);
    inputs_free(&diff->inputs[TP_BASELINE]);
    inputs_free(&diff->inputs[TP_NEW]);
}

int cmd_diff(int argc, char **argv)
{
    struct diff diff = {.limit = 20};
    char **behind = NULL;
    int words = 0, status = CLI_ERROR;

    while (words < argc && strcmp(argv[words], "--") != 0)
        words++;
    if (words < argc) {
        behind = argv + words + 1;
        argv[words] = NULL;
    }
    int first = opt_parse(&command, &diff, words, argv);
    if (first < 0) {
        forget(&diff);
        return term_finish(-1 - first);
    }
    take_sides(&diff, argv + first, behind);
    if (diff.json && diff.markdown)
        status = opt_misused(&command, "--json or --markdown, not both");
    else if (diff.out != NULL && strcmp(diff.out, "-") == 0)
        status = opt_misused(&command, OPT_NO_STREAM);
    else if (diff.html != NULL && strcmp(diff.html, "-") == 0)
        status = opt_misused(&command, "the comparison goes to standard output; give --html a file");
    else if (diff.inputs[TP_BASELINE].failed || diff.inputs[TP_NEW].failed)
        status = CLI_ERROR;
    else if (diff.inputs[TP_BASELINE].count == 0 || diff.inputs[TP_NEW].count == 0)
        status = opt_misused(&command, "name a baseline and something new; of several runs, BASELINE... -- NEW...");
    else if ((diff.html == NULL || page_is_there()) && may_write(&diff))
        status = run(&diff);
    forget(&diff);
    return term_finish(status);
}
