/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_try.c: what a remedy would save, simulated before it is written.
 *
 *   choose    pieces of advice by their rank, all of them, or remaps in the user's words
 *   run       each in a recording of its own, made as the profile's was; the program's output goes nowhere
 *   compare   with the profile: what was promised, and what it is
 *
 * The program runs as it is in each; only where the simulation has the data structure differs (docs/model.md, 22).
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "cli/base/words.h"
#include "cli/cli.h"
#include "engine/common/options.h"
#include "profile/advice/advice.h"
#include "profile/advice/advice_try.h"
#include "profile/base/whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRY_VERSION = 1, MOST_REMAPS = 32, MARGIN = 5, LABEL = 11 };
#define OTHERWISE 0.01 /* instructions that a run may have more or less, as a part of all */

struct try {
    const char *out;
    bool json, dry_run;
    const char *remap[MOST_REMAPS];
    size_t remaps;
    tp_profile *profile;
    const char *event;                          /* that is compared: Time, or CEst */
    char folder[PATH_MAX], path[PATH_MAX + 16]; /* of the recordings */
    char **options, **program;                  /* of the profile's recording */
    char **given;                               /* the program, if the user named one; else NULL */
    struct tp_json to;
    bool began, told; /* something was printed; which program runs */
    off_t input;      /* where standard input was at first; -1: it cannot go back */
    struct done {
        char *remap;
        int64_t rank;
        double after;
    } *done; /* what was tried for a piece of advice, and may be the remedy of another one, too */
    size_t dones;
};

/* One run: what was changed, and what that costs. */
struct item {
    int64_t rank; /* of the advice; 0: a remap of the user's */
    char *title;
    const char *why;
    struct tp_try what[MOST_REMAPS];
    size_t whats;
    double promised; /* in percent of the event; with a rank */
    bool tried;
    int64_t same; /* rank of the advice whose remedy was the same; 0: none */
    double before, after, instructions[2];
};

static const char *take_remap(void *into, const char *name, const char *value)
{
    struct try *try = into;

    (void)name;
    if (try->remaps == MOST_REMAPS)
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
    {OPT_TEXT, "out", 'o', "FILE", "keep the profile of the run, of which there is one then", AT(out)},
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

/* ------------------------------------------------------------------------------------------ recording */

/* The words of the command that records with the remaps; NULL behind them. */
static char **recording(const struct try *try, const struct item *item)
{
    const char *engine = tp_meta(try->profile, "engine");
    size_t options = 0, program = 0, at = 0;

    while (try->options[options] != NULL)
        options++;
    while (try->program[program] != NULL)
        program++;
    char **words = term_have(calloc(options + program + item->whats + 8, sizeof *words));
    words[at++] = term_text("tenure");
    words[at++] = term_text("record");
    for (size_t i = 0; i < options; i++)
        words[at++] = term_text("%s", try->options[i]);
    words[at++] =
        term_text("--engine=%s", engine != NULL ? engine : "native"); /* the last of a name counts */
    words[at++] = term_text("--quiet");
    words[at++] = term_text("--out=%s", try->path);
    for (size_t i = 0; i < item->whats; i++)
        words[at++] = term_text("--remap=%s", item->what[i].remap);
    words[at++] = term_text("--");
    for (size_t i = 0; i < program; i++)
        words[at++] = term_text("%s", try->program[i]);
    return words;
}

static void free_words(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
}

/* All of them in one text, freed by the caller. */
static char *words_all(char **words)
{
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    return words_add(term_text("%s", ""), words, count);
}

/* Words that may be of any length, escaped; `to` is a terminal, perhaps. */
static void print_words(FILE *to, const char *before, char **words, const char *behind)
{
    char *text = words_all(words), *safe = term_have(malloc(4 * strlen(text) + 1));

    term_escape(safe, 4 * strlen(text) + 1, text);
    fprintf(to, "%s%s%s\n", before, safe, behind);
    free(safe);
    free(text);
}

/* The folder that the program runs in, as a word of a shell, freed by the caller; NULL: this one. */
static char *folder_of(const struct try *try)
{
    const char *directory = try->given == NULL ? tp_meta(try->profile, "directory") : NULL;

    return directory != NULL ? words_add(term_text("%s", ""), (char *[]){(char *)directory}, 1) : NULL;
}

/* Which program runs, on standard error, before it does. */
static void tell_program(const struct try *try)
{
    char *folder = folder_of(try), *in = folder != NULL ? term_text(" in %s", folder) : term_text("%s", "");
    char *safe = term_have(malloc(4 * strlen(in) + 1));

    term_escape(safe, 4 * strlen(in) + 1, in);
    char *before = term_text("tenure: runs%s: ", safe);
    fflush(stdout);
    print_words(stderr, before, try->program, "");
    free(before);
    free(safe);
    free(in);
    free(folder);
}

/* In the child: does not return. */
static _Noreturn void become(char **words, const char *directory, bool input)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (directory != NULL && chdir(directory) != 0) {
        term_error("cannot go to %s, where the program ran: %s", directory, strerror(errno));
        _exit(CLI_ERROR);
    }
    if (nothing >= 0)
        dup2(nothing, STDOUT_FILENO);
    if (nothing >= 0 && !input)
        dup2(nothing, STDIN_FILENO);
    execv("/proc/self/exe", words);
    term_error("cannot run this program again: %s", strerror(errno));
    _exit(CLI_ERROR);
}

/* Until the recording ends; who asks us to end asks it, too. */
static int wait_for(pid_t child)
{
    int status = 0;
    bool asked = false;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        if (given_stopped() != 0 && !asked)
            kill(child, given_stopped());
        asked |= given_stopped() != 0;
    }
    return status;
}

/* The profile of a run with the remaps; NULL with a line on stderr. */
static tp_profile *record_with(struct try *try, const struct item *item)
{
    const char *directory = try->given == NULL ? tp_meta(try->profile, "directory") : NULL;
    char **words = recording(try, item);
    struct tp_error err = {0};
    /* Each run reads what the first one did; of a pipe, the first one alone has anything. */
    bool input = !try->told || try->input >= 0;

    if (!try->told) {
        tell_program(try);
        try->told = true;
        try->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
    } else if (try->input >= 0) {
        lseek(STDIN_FILENO, try->input, SEEK_SET);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(words, directory, input);
    free_words(words);
    if (child < 0) {
        term_error("cannot start a process: %s", strerror(errno));
        return NULL;
    }
    int status = wait_for(child);
    if (given_stopped() != 0)
        return NULL;
    if (access(try->path, R_OK) != 0) {
        term_error("the recording left no profile: it ended with %s %d",
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        return NULL;
    }
    tp_profile *profile = tp_open(try->path, &err);
    if (profile == NULL)
        term_error("%s", err.message);
    return profile;
}

/* ------------------------------------------------------------------------------------------ comparing */

static double total(tp_profile *profile, const char *event)
{
    char *sql = term_text("SELECT \"%s\" FROM totals", event);
    double value = query_value(profile, sql, NAN);

    free(sql);
    return value;
}

/* Whether both have one estimate of time: the same numbers of `tenure calibrate`. */
static bool same_clock(tp_profile *a, tp_profile *b)
{
    struct query q;
    bool same = true;

    query_begin(&q, a, "SELECT key, value FROM meta WHERE key GLOB 'time.*' AND key != 'time.source'");
    while (query_row(&q)) {
        const char *other = tp_meta(b, query_text(&q, 0));
        same &= other != NULL && strcmp(other, query_text(&q, 1)) == 0;
    }
    return query_end(&q) && same;
}

static bool try_item(struct try *try, struct item *item, tp_profile **with)
{
    *with = record_with(try, item);
    if (*with == NULL)
        return false;
    if (query_value(*with,
                    "SELECT count(*) FROM meta WHERE key GLOB 'unmatched.*' AND value GLOB '--remap=*'",
                    0) > 0) {
        term_error("this run of the program had no such data structure: was it built anew? Record it again");
        return false;
    }
    if (strcmp(try->event, "Time") == 0 && !same_clock(try->profile, *with))
        try->event = "CEst";
    item->before = total(try->profile, try->event);
    item->after = total(*with, try->event);
    item->instructions[0] = total(try->profile, "Ir");
    item->instructions[1] = total(*with, "Ir");
    item->tried = true;
    return true;
}

/* In percent of what there was. */
static double saved(const struct item *item)
{
    return item->before > 0 ? 100 * (item->before - item->after) / item->before : 0;
}

static bool did_otherwise(const struct item *item)
{
    return fabs(item->instructions[1] - item->instructions[0]) > OTHERWISE * item->instructions[0];
}

/* Names, keys and events of what is said of a data structure. */
static const struct {
    const char *words, *event;
} shown[] = {
    {"D1 misses", "coalesce(D1mr, 0) + coalesce(D1mw, 0)"},
    {"LL misses", "coalesce(DLmr, 0) + coalesce(DLmw, 0)"},
    {"bytes never touched", "coalesce(SpLossD1, 0)"},
};

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
    return strcmp(try->event, "Time") == 0 ? "of the estimated time" : "of CEst";
}

static void print_item(const struct try *try, const struct item *item, tp_profile *with)
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
        line("tried", "%5.1f %%  as for %lld", saved(item), (long long)item->same);
        return;
    }
    line("tried", "%5.1f %%  %s: %s instead of %s", saved(item), event_words(try),
         term_number(after, whole(item->after)), term_number(before, whole(item->before)));
    for (size_t i = 0; i < item->whats; i++) {
        char *name = name_of(try->profile, item->what[i].data);
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
            line(k == 0 ? "data" : "", "%s %s instead of %s%s%s", shown[k].words,
                 term_number(after, whole(of_data(with, name, shown[k].event))),
                 term_number(before, whole(of_data(try->profile, name, shown[k].event))),
                 k == 0 ? ", of " : "", k == 0 ? name : "");
        free(name);
    }
    if (did_otherwise(item))
        line("note", "this run had %+.1f %% instructions: it did something else than the recorded one",
             100 * (item->instructions[1] / item->instructions[0] - 1));
}

static void write_item(struct try *try, const struct item *item, tp_profile *with)
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
        char *name = name_of(try->profile, item->what[i].data);
        tp_json_begin(&try->to, NULL, '{', ", ");
        tp_json_text(&try->to, "data", name);
        tp_json_text(&try->to, "words", item->what[i].words);
        tp_json_text(&try->to, "remap", item->what[i].remap);
        for (size_t k = 0; with != NULL && k < sizeof shown / sizeof *shown; k++) {
            tp_json_begin(&try->to, shown[k].words, '{', ", ");
            tp_json_figure(&try->to, "before", of_data(try->profile, name, shown[k].event));
            tp_json_figure(&try->to, "after", of_data(with, name, shown[k].event));
            tp_json_end(&try->to);
        }
        tp_json_end(&try->to);
        free(name);
    }
    tp_json_end(&try->to);
    if (item->tried) {
        tp_json_text(&try->to, "event", try->event);
        tp_json_figure(&try->to, "before", item->before);
        tp_json_figure(&try->to, "after", item->after);
        tp_json_figure(&try->to, "saved", saved(item));
        tp_json_bool(&try->to, "did_otherwise", did_otherwise(item));
        if (item->same > 0)
            tp_json_integer(&try->to, "same_as", item->same);
    }
    tp_json_end(&try->to);
}

/* ------------------------------------------------------------------------------------------ the command */

/* Whether the same was tried before: then that is what it is. */
static bool was_tried(struct try *try, struct item *item)
{
    for (const struct done *done = try->done; item->rank > 0 && done < try->done + try->dones; done++) {
        if (strcmp(done->remap, item->what[0].remap) != 0)
            continue;
        item->before = total(try->profile, try->event);
        item->after = done->after;
        item->same = done->rank;
        item->tried = true;
        return true;
    }
    return false;
}

static void note_tried(struct try *try, const struct item *item)
{
    try->done = term_have(realloc(try->done, (try->dones + 1) * sizeof *try->done));
    try->done[try->dones++] = (struct done){term_text("%s", item->what[0].remap), item->rank, item->after};
}

/* Runs it, if it can be tried, and says what came of it. */
static bool go(struct try *try, struct item *item)
{
    tp_profile *with = NULL;
    bool good = true;

    if (item->whats > 0 && try->dry_run) {
        char **words = recording(try, item), *folder = folder_of(try);
        char *before = folder != NULL ? term_text("(cd %s && ", folder) : term_text("%s", "");
        print_words(stdout, before, words, folder != NULL ? ")" : "");
        free(before);
        free(folder);
        free_words(words);
        return true;
    }
    if (item->whats > 0 && !was_tried(try, item)) {
        good = try_item(try, item, &with);
        if (good)
            note_tried(try, item);
    }
    if (good && try->json)
        write_item(try, item, with);
    else if (good && !try->dry_run)
        print_item(try, item, with);
    try->began = true;
    bool with_profile = with != NULL;
    tp_close(with);
    fflush(stdout);
    if (good && with_profile && try->out != NULL && tp_whole_rename(try->path, try->out) != 0) {
        term_error("cannot rename %s to %s: %s", try->path, try->out, strerror(errno));
        good = false;
    } else if (good && with_profile && try->out != NULL && !try->json) {
        line("compare", "tenure diff --data %s %s", given_name(), try->out);
    }
    unlink(try->path);
    return good;
}

static void forget_item(struct item *item)
{
    for (size_t i = 0; i < MOST_REMAPS; i++)
        tp_try_free(&item->what[i]);
    free(item->title);
    *item = (struct item){0};
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
    struct item item = {.title = term_text("%s", "")};
    struct tp_error err = {0};
    bool good = true;

    for (size_t i = 0; good && i < try->remaps; i++) {
        good = tp_try_named(try->profile, try->remap[i], &item.what[i], &err) == 0;
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
    forget_item(&item);
    return good;
}

/* A piece of advice; `named`: the user asked for it, so it is an error if it cannot be tried. */
static bool try_advice(struct try *try, int64_t rank, bool named)
{
    struct item item = {.rank = rank};
    struct tp_error err = {0};
    struct query q;

    query_begin(&q, try->profile, "SELECT title, share, data FROM temp.advice WHERE id = %lld",
                (long long)rank);
    while (item.title == NULL && query_row(&q)) {
        item.title = term_text("%s%s%s", query_text(&q, 0), query_null(&q, 2) ? "" : ": ", query_text(&q, 2));
        item.promised = query_real(&q, 1);
    }
    bool good = query_end(&q);
    if (good && item.title == NULL) {
        term_error("try: %lld: there is no such piece of advice; `tenure report --advice` numbers them",
                   (long long)rank);
        good = false;
    } else if (good && tp_try_advice(try->profile, rank, &item.what[0], &err) != 0) {
        term_error("%s", err.message);
        good = false;
    }
    item.why = item.what[0].why;
    item.whats = item.what[0].remap != NULL;
    if (good && named && item.whats == 0) {
        term_error("try: %lld. %s cannot be tried: %s", (long long)rank, item.title, item.why);
        good = false;
    }
    good = good && go(try, &item);
    forget_item(&item);
    return good;
}

static bool try_all(struct try *try, char **ranks)
{
    int64_t count = (int64_t)query_value(try->profile, "SELECT count(*) FROM temp.advice", 0);
    bool good = true;

    if (*ranks == NULL && count == 0 && !try->json)
        puts("There is no advice to try.");
    for (int64_t rank = 1; good && *ranks == NULL && rank <= count && given_stopped() == 0; rank++)
        good = try_advice(try, rank, false);
    for (; good && *ranks != NULL && given_stopped() == 0; ranks++) {
        uint64_t rank;
        if (!opt_number(*ranks, NULL, &rank) || rank > INT32_MAX) {
            term_error("try: %s: a piece of advice has a number; `tenure report --advice` shows it", *ranks);
            return false;
        }
        good = try_advice(try, (int64_t)rank, true);
    }
    return good;
}

/* Whether the word is an option that says what is simulated, with its value. */
static bool is_option(const char *word)
{
    for (size_t i = 0; i < options_count; i++) {
        size_t length = strlen(options_table[i].name);
        bool is = strncmp(word, "--", 2) == 0 && strncmp(word + 2, options_table[i].name, length) == 0;
        if (is && word[2 + length] == '=')
            return options_table[i].engines != OPTIONS_HANDLED;
    }
    return false;
}

/* Where the recordings are until they are compared: beside the profile that is kept, or in a folder for such files. */
static bool make_folder(struct try *try)
{
    char *base = try->out != NULL ? term_text("%s", try->out) : NULL, real[PATH_MAX];
    const char *folder = getenv("TMPDIR");

    if (base != NULL) {
        char *slash = strrchr(base, '/');
        folder = slash == NULL ? "." : slash == base ? "/" : (*slash = '\0', base);
    }
    bool found = realpath(folder != NULL && *folder != '\0' ? folder : "/tmp", real) != NULL;
    snprintf(try->folder, sizeof try->folder, "%.4000s/.tenure.try.XXXXXX", found ? real : "");
    if (!found || mkdtemp(try->folder) == NULL) {
        term_error("cannot make a folder in %s: %s", found ? real : folder, strerror(errno));
        *try->folder = '\0';
    }
    free(base);
    snprintf(try->path, sizeof try->path, "%s/profile", try->folder);
    return *try->folder != '\0' && (try->out == NULL || output_allowed(try->out, &output_profile));
}

/* With whatever processes of the program have left there. */
static void remove_folder(const struct try *try)
{
    char *path;
    DIR *folder = opendir(try->folder);

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL; free(path)) {
        path = term_text("%s/%s", try->folder, entry->d_name);
        if (*entry->d_name != '.')
            unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(try->folder);
}

/* How the profile was recorded. */
static bool can_record(struct try *try)
{
    const char *options = tp_meta(try->profile, "record.options"),
               *program = tp_meta(try->profile, "record.program");
    const char *sample = tp_meta(try->profile, "sample");

    if (options == NULL || program == NULL || (*program == '\0' && try->given == NULL)) {
        term_error("%s does not say how it was recorded, so that it cannot be done again: `tenure try` needs a profile "
                   "that this `tenure record` has made, of one run",
                   given_name());
        return false;
    }
    if (sample != NULL && strcmp(sample, "1") != 0) {
        term_error(
            "%s was recorded with --sample=%s: what data costs elsewhere is known only where all sets are "
            "simulated; record it without",
            given_name(), sample);
        return false;
    }
    try->options = words_read(options);
    try->program = try->given != NULL ? try->given : words_read(program);
    for (char **option = try->options; *option != NULL; option++) {
        if (!is_option(*option)) {
            term_error("%s does not say how it was recorded: \"%s\" is no option of a recording",
                       given_name(), *option);
            return false;
        }
    }
    if (try->dry_run) {
        snprintf(try->path, sizeof try->path, "tried.profile");
        return true;
    }
    return make_folder(try);
}

static bool run(struct try *try, char **ranks)
{
    struct tp_error err = {0};
    bool good = can_record(try);

    if (good && try->remaps == 0 && tp_advise(try->profile, NULL, &err) != 0) {
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
    if (*try->folder != '\0')
        remove_folder(try);
    return good;
}

int cmd_try(int argc, char **argv)
{
    struct try try = {.to = {.out = stdout}};
    int words = 0;

    while (words < argc && strcmp(argv[words], "--") != 0)
        words++;
    if (words + 1 < argc)
        try.given = argv + words + 1;
    if (words < argc)
        argv[words] = NULL;
    argc = words;
    int first = opt_parse(&command, &try, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    if (first >= argc)
        return opt_misused(&command, "name a profile that `tenure record` made");
    char **ranks = argv + first + 1;
    if (try.remaps > 0 && *ranks != NULL)
        return opt_misused(&command, "numbers of advice, or --remap, not both");
    if (try.out != NULL && strcmp(try.out, "-") == 0)
        return opt_misused(&command, OPT_NO_STREAM);
    if (try.out != NULL && try.remaps == 0 && (*ranks == NULL || ranks[1] != NULL))
        return opt_misused(&command, "-o keeps the profile of one run: name one piece of advice");
    if (try.json && try.dry_run)
        return opt_misused(&command, "--json or --dry-run, not both");
    try.profile = given_open(argv[first]);
    if (try.profile == NULL)
        return term_finish(CLI_ERROR);
    try.event = tp_timed(try.profile) ? "Time" : "CEst";
    given_hold_signals();
    bool good = run(&try, ranks);
    given_release_signals();
    while (try.dones > 0)
        free(try.done[--try.dones].remap);
    free(try.done);
    free_words(try.options);
    if (try.given == NULL)
        free_words(try.program);
    given_close(try.profile);
    given_end_if_stopped();
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}
