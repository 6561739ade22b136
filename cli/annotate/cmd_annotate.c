/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_annotate.c: options of `tenure annotate`, and its sections in their order.
 *
 * What the profile is of, totals, the two tables of functions, source files, what was not found, and how much of the
 * costs the annotated files have. Costs are computed in profile/annotation/annotation.c; nothing here adds them up.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "tenure_config.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 4096, LABEL = 18 };

/* ------------------------------------------------------------------------------------------ options */

static const char *take_include(void *into, const char *name, const char *value)
{
    struct annotate *an = into;

    (void)name;
    if (an->search.includes == ANNOTATE_MAX_FOLDERS)
        return "too many folders";
    an->folder[an->search.includes++] = an->folders[an->access.folders++] = value;
    return NULL;
}

static const char *take_map(void *into, const char *name, const char *value)
{
    struct annotate *an = into;
    char *equals = strchr(value, '='); /* argv may be written to */

    (void)name;
    if (equals == NULL || equals == value)
        return "must be OLD=NEW, as in /build/src=src";
    if (an->search.maps == ANNOTATE_MAX_FOLDERS)
        return "too many rules";
    *equals = '\0';
    an->map[an->search.maps++] = (struct tp_file_map){value, equals + 1};
    an->folders[an->access.folders++] = equals + 1;
    return NULL;
}

static const char *take_auto(void *into, const char *name, const char *value)
{
    (void)name;
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return "must be yes or no";
    ((struct annotate *)into)->automatic = *value == 'y';
    return NULL;
}

#define AT(member) offsetof(struct annotate, member)
static const struct opt rows[] = {
    {OPT_HEADING, .help = "Columns"},
    {OPT_TEXT, "show", 0, "EVENTS", "these columns, in this order, ',' between: events, ratios\n"
     "(spatialD1, D1rate, ...), each also _incl; all, all_incl", AT(show)},
    COLUMN_DEFINE(AT(defines)),
    GIVEN_WEIGHTS("; also of further events", AT(weights)),
    {OPT_SWITCH, "percentages", 0, "yes|no", "behind each count, that of the total [yes]", AT(percentages)},
    {OPT_HEADING, .help = "Functions"},
    {OPT_TEXT, "sort", 's', "EVENTS", "sort by the first, those equal by the next, ',' between; with\n"
     "a threshold of its own: DLmr:1,DLmw:1 [the first shown]", AT(sort)},
    {OPT_NUMBER, "threshold", 0, "PERCENT", "leave out what has less of the event sorted by [0.1]", AT(threshold)},
    {OPT_HEADING, .help = "Sources"},
    {OPT_TAKE, "auto", 0, "yes|no", "annotate every file of the table [yes, unless SOURCEs are named]", 0, take_auto,
     true},
    {OPT_COUNT, "context", 0, "N", "lines to show around one with costs [8]", AT(context)},
    {OPT_TAKE, "include", 'I', "DIR", "look for sources there, too; may be repeated", 0, take_include},
    {OPT_TAKE, "file-map", 0, "OLD=NEW", "sources below OLD are now below NEW; may be repeated", 0, take_map},
    {OPT_FLAG, "source-anywhere", 0, NULL, SOURCE_ANYWHERE, AT(access.anywhere)},
    {OPT_FLAG, "calls", 0, NULL, "the functions that each line calls, how often, and their costs", AT(calls)},
    {OPT_FLAG, "statements", 0, NULL,
     "beside a statement's last line, what part of the program's\nestimated cost (CEst) it has", AT(statements)},
    {OPT_FLAG, "disassemble", 'd', NULL, "the instructions of each line", AT(disassemble)},
    {OPT_HEADING, .help = "Output"},
    {OPT_FLAG, "json", 0, NULL, "write JSON", AT(json)},
};

/* Names that users of cg_annotate and callgrind_annotate know. */
static const struct opt_foreign foreign[] = {
    {"show-percs", "use --percentages"},
    {"inclusive", "use --show=EVENT_incl"},
    {"annotate", "use --auto"},
    {"diff", "use `tenure diff`, and annotate what it writes"},
    {NULL, NULL},
};

static const struct opt_command command = {
    "annotate",
    "[options] [FILE [SOURCE...]]",
    "Prints source lines with their costs. FILE is a profile or a raw profile; without it, the newest\n"
    "tenure.out.* here. SOURCE is a source file of it: its path, or the end of it; * and ? match.",
    OPT_ROWS(rows),
    .foreign = foreign,
};

/* ------------------------------------------------------------------------------------------ what it is of */

static void print_meta(const struct annotate *an, const char *key, const char *label)
{
    const char *value = tp_meta(an->profile, key);

    if (value != NULL)
        term_labelled(label, LABEL, value);
}

static void print_rows(struct annotate *an, const char *sql, const char *label)
{
    struct query q;

    for (query_begin(&q, an->profile, "%s", sql); query_row(&q); label = "")
        term_labelled(label, LABEL, query_text(&q, 0));
    query_end(&q);
}

/* A list of columns; with thresholds where `keys`. */
static void print_columns(const struct annotate *an, const char *label, size_t count, bool keys)
{
    int width = term_width(stdout), column = LABEL;

    printf("%-*s", LABEL, label);
    for (size_t i = 0; i < count; i++) {
        size_t at = keys ? an->key[i].column : i;
        char text[128];

        if (keys && an->key[i].threshold >= 0)
            snprintf(text, sizeof text, "%s (%g %%)", an->columns.at[at].name, an->key[i].threshold);
        else
            snprintf(text, sizeof text, "%s", an->columns.at[at].name);
        if (column > LABEL && column + 1 + term_columns(text) > width) {
            printf("\n%-*s", LABEL, "");
            column = LABEL;
        }
        printf("%s%s", column > LABEL ? " " : "", text);
        column += 1 + term_columns(text);
    }
    putchar('\n');
}

/* What is annotated, and where sources are looked for. */
static void print_choice(const struct annotate *an)
{
    char text[NAME], number[32];

    for (size_t i = 0; i < an->sources; i++)
        term_labelled(i == 0 ? "Chosen files" : "", LABEL, an->source[i]);
    term_labelled("Auto-annotation", LABEL, an->automatic ? "on" : "off");
    term_labelled("Context", LABEL, term_number(number, (int64_t)an->context));
    for (size_t i = 0; i < an->search.includes; i++)
        term_labelled(i == 0 ? "Include folders" : "", LABEL, an->folder[i]);
    for (size_t i = 0; i < an->search.maps; i++) {
        snprintf(text, sizeof text, "%s is %s", an->map[i].from, an->map[i].to);
        term_labelled(i == 0 ? "File map" : "", LABEL, text);
    }
}

static void print_metadata(struct annotate *an)
{
    char sampled[128];

    annotate_section(an, "Profile");
    term_labelled("File", LABEL, an->file);
    print_meta(an, "diff.baseline", "Baseline");
    print_meta(an, "diff.new", "New");
    print_meta(an, "cmd", "Command");
    print_rows(an, "SELECT sum(recordings) FROM runs HAVING sum(recordings) > 1", "Recordings");
    print_meta(an, "engine", "Engine");
    print_meta(an, "cache.I1", "I1 cache");
    print_meta(an, "cache.D1", "D1 cache");
    print_meta(an, "cache.L2", "L2 cache");
    print_meta(an, "cache.LL", "LL cache");
    print_meta(an, "tlb.I", "TLB of code");
    print_meta(an, "tlb.D", "TLB of data");
    if (column_sampled(an->profile, sampled, sizeof sampled) != NULL)
        term_labelled("Simulated", LABEL, sampled);
    print_rows(an, "SELECT value FROM meta WHERE key LIKE 'import.desc.%' ORDER BY length(key), key", "Description");
    print_meta(an, "import.damage", "Damaged");
    print_rows(an, "SELECT group_concat(name, ' ') FROM events WHERE NOT derived", "Events recorded");
    print_columns(an, "Events shown", an->shown, false);
    print_columns(an, "Sorted by", an->keys, true);
    for (size_t i = 0; i < an->defines.count; i++)
        term_labelled(i == 0 ? "Defined" : "", LABEL, an->defines.text[i]);
    print_choice(an);
    if (an->costs.pruned)
        puts("The call tree is not whole: inclusive costs of functions with several contexts may be too small.");
}

/* ------------------------------------------------------------------------------------------ files by name */

/* `real` is the path of a file that is here, or "". */
static bool matches(const struct tp_annotated_file *file, const char *wanted, const char *real)
{
    const char *const names[] = {file->path, file->place.name};

    if (file->place.path != NULL && strcmp(file->place.path, real) == 0)
        return true;
    for (size_t i = 0; i < 2 && file->path != NULL; i++) {
        const char *rest = names[i];

        for (; rest != NULL; rest = strchr(rest, '/')) {
            rest += *rest == '/' && rest != names[i];
            if (fnmatch(wanted, rest, 0) == 0)
                return true;
            rest += *rest == '/';
        }
    }
    return false;
}

static bool choose(struct annotate *an, const char *wanted)
{
    char real[PATH_MAX];
    bool any = false;

    if (realpath(wanted, real) == NULL)
        *real = '\0';
    for (size_t i = 0; i < an->costs.files.count; i++) {
        if (an->costs.files.at[i].lines == 0 || !matches(&an->costs.files.at[i], wanted, real))
            continue;
        any = true;
        if (an->choice[i] != ANNOTATE_NOT)
            continue;
        an->choice[i] = ANNOTATE_USER;
        an->order[an->chosen++] = (uint32_t)i;
    }
    if (!any)
        term_error("the profile has no costs for a source file %s", wanted);
    return any;
}

/* ------------------------------------------------------------------------------------------ what is annotated */

/* How much of the program's costs the annotated files have. */
static void print_coverage(struct annotate *an)
{
    static const char *const label[] = {"in annotated files", "in files without a text",
                                        "in files that were not chosen", "where no file is known"};
    enum { SHOWN, MISSING, BELOW, UNKNOWN, PARTS };
    struct table *table = annotate_table(an, TABLE_TEXT, "");
    union tp_cell *sum[PARTS];

    for (int part = 0; part < PARTS; part++)
        sum[part] = term_have(tp_annotation_row(&an->costs));
    for (size_t i = 0; i < an->costs.files.count; i++) {
        const struct tp_annotated_file *file = &an->costs.files.at[i];
        int part = file->path == NULL                  ? UNKNOWN
                   : an->choice[i] == ANNOTATE_MISSING ? MISSING
                   : an->choice[i] == ANNOTATE_NOT     ? BELOW
                                                       : SHOWN;

        if (file->lines > 0)
            tp_annotation_add(&an->costs, sum[part], file->cost);
    }
    for (int part = 0; part < PARTS; part++) {
        annotate_cells(an, table, sum[part], ANNOTATE_SELF_ONLY, TP_SAMPLED_LINES);
        table_text(table, label[part]);
    }
    annotate_section(an, "What was annotated");
    annotate_print(an, table);
}

/* ------------------------------------------------------------------------------------------ the command */

static bool annotate(struct annotate *an)
{
    struct tp_error err = {0};

    if (!column_define(an->profile, &an->defines) || !annotate_choose(an))
        return false;
    an->search.directory = tp_meta(an->profile, "directory");
    if (tp_annotation_load(&an->costs, an->profile, an->term, an->terms, &an->search, &err) != 0) {
        term_error("%s", err.message);
        return false;
    }
    an->choice = term_have(calloc(an->costs.files.count + 1, 1));
    an->order = term_have(malloc((an->costs.files.count + 1) * sizeof *an->order));
    for (size_t i = 0; i < an->sources; i++) {
        if (!choose(an, an->source[i]))
            return false;
    }
    if (an->json) {
        annotate_json_begin(an);
    } else {
        struct table *totals = annotate_table(an, TABLE_TEXT, "");

        print_metadata(an);
        annotate_section(an, "Summary");
        annotate_cells(an, totals, an->costs.total, ANNOTATE_ALL, TP_SAMPLED_TOTALS);
        table_text(totals, "PROGRAM TOTALS");
        annotate_print(an, totals);
    }
    annotate_functions(an);
    /* What is loaded only if it is asked for. */
    for (size_t i = 0; i < an->chosen; i++)
        an->costs.files.at[an->order[i]].wanted = true;
    if ((an->disassemble && tp_annotation_instructions(&an->costs, &err) != 0) ||
        (an->statements && tp_annotation_statements(&an->costs, &err) != 0)) {
        term_error("%s", err.message);
        return false;
    }
    if (an->json)
        return annotate_json_sources(an);
    if (!annotate_sources(an))
        return false;
    print_coverage(an);
    return true;
}

int cmd_annotate(int argc, char **argv)
{
    struct annotate an = {.threshold = 0.1, .context = 8, .percentages = true, .automatic = -1};
    int first = opt_parse(&command, &an, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    if (an.disassemble && !TENURE_HAVE_ZYDIS)
        term_error("this tenure was built without Zydis: instructions are shown as bytes");
    if (an.context > INT32_MAX) /* more lines than any file has, but still to be added to */
        an.context = INT32_MAX;
    an.search.include = an.folder;
    an.access.folder = an.folders;
    an.search.map = an.map;
    an.source = argv + first + 1;
    an.sources = first + 1 < argc ? (size_t)(argc - first - 1) : 0;
    if (an.automatic < 0)
        an.automatic = an.sources == 0;
    an.profile = given_open_weighed(first < argc ? argv[first] : NULL, an.weights);
    if (an.profile == NULL)
        return CLI_ERROR;
    an.file = given_name();
    bool good = annotate(&an) && !an.failed;
    annotate_margins_free(&an);
    annotate_instructions_end();
    tp_annotation_free(&an.costs);
    free(an.columns.at);
    free(an.term_of);
    free(an.choice);
    free(an.order);
    free(an.by_address);
    given_close(an.profile);
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}
