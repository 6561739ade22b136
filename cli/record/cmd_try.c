/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_try.c: what a remedy would save, simulated before it is written.
 *
 *   choose    pieces of advice by their rank, all of them, or remaps in the user's words
 *   run       each in a recording of its own (trial.h)
 *   compare   with the profile: what was promised, and what it is
 *
 * The program runs as it is in each; only where the simulation has the data structure differs (docs/model.md, 22).
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/trial.h"
#include "engine/common/options.h"
#include "profile/advice/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRY_VERSION = 1, MARGIN = 5, LABEL = 11 };

struct try {
    struct trial trial;
    bool json, dry_run;
    const char *remap[TRIAL_REMAPS];
    size_t remaps;
    struct tp_json to;
    bool began; /* something was printed */
};

static const char *take_remap(void *into, const char *name, const char *value)
{
    struct try *try = into;

    (void)name;
    if (try->remaps == TRIAL_REMAPS)
        return "there may be 32 of them";
    try->remap[try->remaps++] = value;
    return NULL;
}

#define AT(member) offsetof(struct try, member)
static const struct opt rows[] = {
    {OPT_TAKE, "remap", 0, "REMAP",
     "try this, in the profile's names, as in \"split orders: x,y | rest\";\n"
     "may be repeated: all of them together, in one run",
     0, take_remap},
    {OPT_TEXT, "out", 'o', "FILE", "keep the profile of the run, of which there is one then", AT(trial.out)},
    {OPT_FLAG, "dry-run", 0, NULL, "print the commands that would record, and run nothing", AT(dry_run)},
    {OPT_FLAG, "json", 0, NULL, "write JSON", AT(json)},
};

static const struct opt_command command = {
    "try",
    "[options] PROFILE [N...] [-- PROGRAM ARGS...]",
    "Runs the recorded program again, or PROGRAM, and simulates it as if the remedy of a piece of advice had\n"
    "been written: N as `tenure report --advice` numbers it, or all that can be tried. What the program prints\n"
    "is not shown. It runs as it is; only its data is simulated elsewhere.",
    OPT_ROWS(rows),
};

/* Names, keys and events of what is said of a data structure. */
static const struct {
    const char *words, *event;
} shown[] = {
    {"D1 misses", "D1mr + D1mw"},
    {"LL misses", "DLmr + DLmw"},
    {"bytes never touched", "SpLossD1"}, /* the last: not with --cacheuse=no */
};

static size_t shown_of(const struct try *try)
{
    return sizeof shown / sizeof *shown - (tp_event_find(try->trial.profile, "SpLossD1") == NULL);
}

static double of_data(tp_profile *profile, const char *name, const char *expression)
{
    struct query q;
    double value = 0;

    query_begin(&q, profile, "SELECT %s FROM data_objects WHERE name = ?", expression);
    query_bind_text(&q, 1, name);
    while (query_row(&q))
        value += query_real(&q, 0);
    return query_end(&q) ? value : NAN;
}

/* A number of a profile, which may be anything. */
static int64_t whole(double value)
{
    return value >= 0 && value < 9e18 ? (int64_t)value : 0;
}

static char *name_of(tp_profile *profile, int64_t data)
{
    struct query q;
    char *name = NULL;

    query_begin(&q, profile, "SELECT name FROM data_objects WHERE id = %lld", (long long)data);
    while (name == NULL && query_row(&q))
        name = term_text("%s", query_text(&q, 0));
    query_end(&q);
    return name != NULL ? name : term_text("???");
}

/* ------------------------------------------------------------------------------------------ telling */

static void line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(const char *label, const char *format, ...)
{
    char text[4096], safe[9000];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    term_escape(safe, sizeof safe, text);
    printf("%*s%s%-*s%s%s\n", MARGIN, "", term_style(stdout, TERM_DIM), LABEL, label,
           term_style(stdout, TERM_PLAIN), safe);
}

static const char *event_words(const struct try *try)
{
    return strcmp(try->trial.event, "Time") == 0 ? "of the estimated time" : "of CEst";
}

static void print_item(const struct try *try, const struct trial_item *item)
{
    char before[32], after[32], safe[9000];

    term_escape(safe, sizeof safe, item->title);
    printf("%s", try->began ? "\n" : "");
    if (item->rank > 0)
        printf("%3lld. %s%s%s\n", (long long)item->rank, term_style(stdout, TERM_BOLD), safe,
               term_style(stdout, TERM_PLAIN));
    for (size_t i = 0; i < item->whats; i++)
        line(i == 0 ? "remap" : "", "%s", item->what[i].words);
    if (!item->tried) {
        line("not tried", "%s", item->why);
        return;
    }
    if (item->rank > 0)
        line("promised", "%5.1f %%", item->promised);
    if (item->same > 0) {
        line("tried", "%5.1f %%  as for %lld", item->saved, (long long)item->same);
        return;
    }
    line("tried", "%5.1f %%  %s: %s instead of %s", item->saved, event_words(try),
         term_number(after, whole(item->costs.after)), term_number(before, whole(item->before)));
    for (size_t i = 0; i < item->whats; i++) {
        char *name = name_of(try->trial.profile, item->what[i].data);
        for (size_t k = 0; k < shown_of(try); k++)
            line(k == 0 ? "data" : "", "%s %s instead of %s%s%s", shown[k].words,
                 term_number(after, whole(of_data(item->with, name, shown[k].event))),
                 term_number(before, whole(of_data(try->trial.profile, name, shown[k].event))),
                 k == 0 ? ", of " : "", k == 0 ? name : "");
        free(name);
    }
    if (item->costs.otherwise != 0)
        line("note", "this run had %+.1f %% instructions: it did something else than the recorded one",
             item->costs.otherwise);
}

static void write_item(struct try *try, const struct trial_item *item)
{
    tp_json_begin(&try->to, NULL, '{', ", ");
    if (item->rank > 0) {
        tp_json_integer(&try->to, "rank", item->rank);
        tp_json_text(&try->to, "title", item->title);
        tp_json_figure(&try->to, "promised", item->promised);
    }
    tp_json_text(&try->to, "why_not", item->tried ? NULL : item->why);
    tp_json_begin(&try->to, "remaps", '[', ", ");
    for (size_t i = 0; i < item->whats; i++) {
        char *name = name_of(try->trial.profile, item->what[i].data);
        tp_json_begin(&try->to, NULL, '{', ", ");
        tp_json_text(&try->to, "data", name);
        tp_json_text(&try->to, "words", item->what[i].words);
        tp_json_text(&try->to, "remap", item->what[i].remap);
        for (size_t k = 0; item->with != NULL && k < shown_of(try); k++) {
            tp_json_begin(&try->to, shown[k].words, '{', ", ");
            tp_json_figure(&try->to, "before", of_data(try->trial.profile, name, shown[k].event));
            tp_json_figure(&try->to, "after", of_data(item->with, name, shown[k].event));
            tp_json_end(&try->to);
        }
        tp_json_end(&try->to);
        free(name);
    }
    tp_json_end(&try->to);
    if (item->tried) {
        tp_json_text(&try->to, "event", try->trial.event);
        tp_json_figure(&try->to, "before", item->before);
        tp_json_figure(&try->to, "after", item->costs.after);
        tp_json_figure(&try->to, "saved", item->saved);
        tp_json_bool(&try->to, "did_otherwise", item->costs.otherwise != 0);
        if (item->same > 0)
            tp_json_integer(&try->to, "same_as", item->same);
    }
    tp_json_end(&try->to);
}

/* ------------------------------------------------------------------------------------------ the command */

/* Runs it, if it can be tried, and says what came of it. */
static bool go(struct try *try, struct trial_item *item)
{
    if (item->whats > 0 && try->dry_run) {
        trial_print_command(&try->trial, item);
        return true;
    }
    if (!trial_run(&try->trial, item))
        return false;
    if (try->json)
        write_item(try, item);
    else if (!try->dry_run)
        print_item(try, item);
    if (item->with != NULL && try->trial.out != NULL && !try->json)
        line("compare", "tenure diff --data %s %s", given_name(), try->trial.out);
    try->began = true;
    fflush(stdout);
    return true;
}

static void *allocate(size_t bytes)
{
    return term_have(calloc(1, bytes));
}

/* Whether a recording will take it: asked before anything runs. */
static bool may_remap(const char *given, const char *remap)
{
    static struct engine_options options = {.is_native = true, .allocate = allocate};
    char *argument = term_text("--remap=%s", remap); /* the options keep it */
    const char *wrong;

    options_take(&options, argument, &wrong);
    if (wrong != NULL)
        term_error("try: --remap=%s: %s", given, wrong);
    return wrong == NULL;
}

/* What the user gave, all in one run. */
static bool try_remaps(struct try *try)
{
    struct trial_item item = {.title = term_text("%s", "")};
    struct tp_error err = {0};
    bool good = true;

    for (size_t i = 0; good && i < try->remaps; i++) {
        good = tp_try_named(try->trial.profile, try->remap[i], &item.what[i], &err) == 0;
        if (good && item.what[i].remap == NULL) {
            term_error("try: --remap=%s: %s", try->remap[i], item.what[i].why);
            good = false;
        } else if (!good) {
            term_error("try: --remap: %s", err.message);
        }
        good = good && may_remap(try->remap[i], item.what[i].remap);
        item.whats += good;
    }
    good = good && go(try, &item);
    trial_forget(&item);
    return good;
}

/* A piece of advice; `named`: the user asked for it, so it is an error if it cannot be tried. */
static bool try_advice(struct try *try, int64_t rank, bool named)
{
    struct trial_item item;
    bool good = trial_take(&try->trial, rank, &item);

    if (good && named && item.whats == 0) {
        term_error("try: %lld. %s cannot be tried: %s", (long long)rank, item.title, item.why);
        good = false;
    }
    good = good && go(try, &item);
    trial_forget(&item);
    return good;
}

static bool try_all(struct try *try, char **ranks)
{
    struct query q;
    int64_t count = 0;

    if (query_begin(&q, try->trial.profile, "SELECT count(*) FROM temp.advice") && query_row(&q))
        count = query_int(&q, 0);
    bool good = query_end(&q);
    if (good && given_unsound() == NULL && *ranks == NULL && count == 0 && !try->json)
        puts("There is no advice to try.");
    for (int64_t rank = 1; good && *ranks == NULL && rank <= count && given_stopped() == 0; rank++)
        good = try_advice(try, rank, false);
    for (; good && *ranks != NULL && given_stopped() == 0; ranks++)
        good = try_advice(try, strtoll(*ranks, NULL, 10), true);
    return good;
}

static bool run(struct try *try, char **ranks)
{
    struct tp_error err = {0};
    bool good = trial_begin(&try->trial, try->dry_run);

    if (good && try->remaps == 0 && tp_advise(try->trial.profile, NULL, &err) != 0) {
        term_error("%s", err.message);
        good = false;
    }
    if (good && try->json) {
        tp_json_begin(&try->to, NULL, '{', ", ");
        tp_json_text(&try->to, "format", "tenure-try");
        tp_json_integer(&try->to, "version", TRY_VERSION);
        tp_json_text(&try->to, "file", given_name());
        tp_json_begin(&try->to, "items", '[', ",\n ");
    }
    if (good)
        good = try->remaps > 0 ? try_remaps(try) : try_all(try, ranks);
    while (try->json && try->to.depth > 0)
        tp_json_end(&try->to);
    if (try->json)
        putchar('\n');
    trial_end(&try->trial);
    if (good && given_unsound() != NULL) {
        term_error("%s", given_unsound());
        good = false;
    }
    return good;
}

int cmd_try(int argc, char **argv)
{
    struct try try = {.to = {.out = stdout}};
    int words = 0;

    while (words < argc && strcmp(argv[words], "--") != 0)
        words++;
    if (words + 1 < argc)
        try.trial.given = argv + words + 1;
    if (words < argc)
        argv[words] = NULL;
    argc = words;
    int first = opt_parse(&command, &try, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    if (first >= argc)
        return opt_misused(&command, "name a profile that `tenure record` made");
    char **ranks = argv + first + 1;
    for (char **at = ranks; *at != NULL; at++) {
        if (strlen(*at) > 9 || (*at)[strspn(*at, "0123456789")] != '\0')
            return opt_misused(&command, "%s: a piece of advice has a number; `tenure report --advice` shows it", *at);
    }
    if (try.remaps > 0 && *ranks != NULL)
        return opt_misused(&command, "numbers of advice, or --remap, not both");
    if (try.trial.out != NULL && strcmp(try.trial.out, "-") == 0)
        return opt_misused(&command, OPT_NO_STREAM);
    if (try.trial.out != NULL && try.remaps == 0 && (*ranks == NULL || ranks[1] != NULL))
        return opt_misused(&command, "-o keeps the profile of one run: name one piece of advice");
    if (try.json && try.dry_run)
        return opt_misused(&command, "--json or --dry-run, not both");
    try.trial.profile = given_open(argv[first]);
    if (try.trial.profile == NULL)
        return term_finish(CLI_ERROR);
    given_hold_signals();
    bool good = run(&try, ranks);
    given_release_signals();
    given_close(try.trial.profile);
    given_end_if_stopped();
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}
