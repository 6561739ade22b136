/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial.c: see trial.h.
 */
#include "cli/record/trial.h"

#include "cli/base/given.h"
#include "cli/base/output.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "cli/base/words.h"
#include "cli/cli.h"
#include "engine/common/options.h"
#include "profile/base/whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHERWISE 0.01 /* instructions that a run of the same work may have more or less, as a part of all */

/* ------------------------------------------------------------------------------------------ recording */

/* The words of the command that records with the remaps; NULL behind them. */
static char **recording(const struct trial *trial, const struct trial_item *item)
{
    const char *engine = tp_meta(trial->profile, "engine");
    size_t options = 0, program = 0, at = 0;

    while (trial->options[options] != NULL)
        options++;
    while (trial->program[program] != NULL)
        program++;
    char **words = term_have(calloc(options + program + item->whats + 8, sizeof *words));
    words[at++] = term_text("tenure");
    words[at++] = term_text("record");
    for (size_t i = 0; i < options; i++)
        words[at++] = term_text("%s", trial->options[i]);
    words[at++] =
        term_text("--engine=%s", engine != NULL ? engine : "native"); /* the last of a name counts */
    words[at++] = term_text("--quiet");
    words[at++] = term_text("--out=%s", trial->path);
    for (size_t i = 0; i < item->whats; i++)
        words[at++] = term_text("--remap=%s", item->what[i].remap);
    words[at++] = term_text("--");
    for (size_t i = 0; i < program; i++)
        words[at++] = term_text("%s", trial->program[i]);
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
static char *folder_of(const struct trial *trial)
{
    const char *directory = trial->given == NULL ? tp_meta(trial->profile, "directory") : NULL;

    return directory != NULL ? words_add(term_text("%s", ""), (char *[]){(char *)directory}, 1) : NULL;
}

/* Which program runs, on standard error, before it does. */
static void tell_program(const struct trial *trial)
{
    char *folder = folder_of(trial), *in = folder != NULL ? term_text(" in %s", folder) : term_text("%s", "");
    char *safe = term_have(malloc(4 * strlen(in) + 1));

    term_escape(safe, 4 * strlen(in) + 1, in);
    char *before = term_text("tenure: runs%s: ", safe);
    fflush(stdout);
    print_words(stderr, before, trial->program, "");
    free(before);
    free(safe);
    free(in);
    free(folder);
}

/* In the child, whose signals are held: does not return. */
static _Noreturn void become(char **words, const char *directory, bool input, const sigset_t *mask)
{
    given_release_signals();
    sigprocmask(SIG_SETMASK, mask, NULL);
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

/* Until the recording ends. */
static int wait_for(pid_t child)
{
    siginfo_t info;
    int status = 0;

    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    given_pass_signals(0); /* before its number may be another process's */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* The profile of a run with the remaps; NULL with a line on stderr. */
static tp_profile *record_with(struct trial *trial, const struct trial_item *item)
{
    const char *directory = trial->given == NULL ? tp_meta(trial->profile, "directory") : NULL;
    char **words = recording(trial, item);
    struct tp_error err = {0};
    /* Each run reads what the first one did; of a pipe, the first one alone has anything. */
    bool input = !trial->told || trial->input >= 0;

    if (!trial->told) {
        tell_program(trial);
        trial->told = true;
        trial->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
    } else if (trial->input >= 0) {
        lseek(STDIN_FILENO, trial->input, SEEK_SET);
    }
    fflush(NULL);
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* who asks us to end asks the recording, too, whenever that is */
    bool goes_on = given_stopped() == 0;
    pid_t child = goes_on ? fork() : -1;
    if (child == 0)
        become(words, directory, input, &mask);
    given_pass_signals(child > 0 ? child : 0);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    free_words(words);
    if (child < 0 && goes_on)
        term_error("cannot start a process: %s", strerror(errno));
    if (child < 0)
        return NULL;
    int status = wait_for(child);
    if (given_stopped() != 0)
        return NULL;
    if (access(trial->path, R_OK) != 0) {
        term_error("the recording left no profile: it ended with %s %d; nothing of it is kept",
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        return NULL;
    }
    tp_profile *profile = tp_open(trial->path, &err);
    if (profile != NULL && trial->weights != NULL && tp_weigh(profile, trial->weights, &err) != 0) {
        tp_close(profile);
        profile = NULL;
    }
    if (profile == NULL)
        term_error("%s", err.message);
    return profile;
}

/* ------------------------------------------------------------------------------------------ comparing */

static double total(tp_profile *profile, const char *event)
{
    char *sql = term_text("SELECT %s FROM totals", event);
    double value = query_value(profile, sql, NAN);

    free(sql);
    return value;
}

/* What is saved, in percent of what there was. */
static double percent(double before, double after)
{
    return before > 0 ? 100 * (before - after) / before : 0;
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

/* Lines of data that are loaded into level 1, and from memory. */
static const char *const loaded[2] = {"D1mr + D1mw", "DLmr + DLmw"};

static bool compare(struct trial *trial, struct trial_item *item)
{
    if (query_value(item->with,
                    "SELECT count(*) FROM meta WHERE key GLOB 'unmatched.*' AND value GLOB '--remap=*'",
                    0) > 0) {
        term_error("this run of the program had no such data structure: was it built anew? Record it again");
        return false;
    }
    if (strcmp(trial->event, "Time") == 0 && !same_clock(trial->profile, item->with))
        trial->event = "CEst";
    item->before = total(trial->profile, trial->event);
    item->costs.after = total(item->with, trial->event);
    item->costs.cest = percent(total(trial->profile, "CEst"), total(item->with, "CEst"));
    double was = total(trial->profile, "Ir"), is = total(item->with, "Ir");
    item->costs.otherwise = fabs(is - was) > OTHERWISE * was ? 100 * (is / was - 1) : 0;
    for (size_t i = 0; i < 2; i++)
        item->costs.lines[i] = total(trial->profile, loaded[i]) - total(item->with, loaded[i]);
    return true;
}

/* Whether the same was tried before: then that is what it is. */
static bool was_tried(const struct trial *trial, struct trial_item *item)
{
    for (const struct trial_done *done = trial->done; item->rank > 0 && done < trial->done + trial->dones; done++) {
        if (strcmp(done->remap, item->what[0].remap) != 0)
            continue;
        item->before = total(trial->profile, trial->event);
        item->costs = done->costs;
        item->same = done->rank;
        return true;
    }
    return false;
}

static void note_tried(struct trial *trial, const struct trial_item *item)
{
    trial->done = term_have(realloc(trial->done, (trial->dones + 1) * sizeof *trial->done));
    trial->done[trial->dones++] =
        (struct trial_done){term_text("%s", item->what[0].remap), item->rank, item->costs};
}

bool trial_run(struct trial *trial, struct trial_item *item)
{
    if (item->whats == 0)
        return true;
    if (!was_tried(trial, item)) {
        item->with = record_with(trial, item);
        if (item->with == NULL || !compare(trial, item))
            return false;
        note_tried(trial, item);
        if (trial->out != NULL && tp_whole_rename(trial->path, trial->out) != 0) {
            term_error("cannot rename %s to %s: %s", trial->path, trial->out, strerror(errno));
            return false;
        }
        unlink(trial->path);
    }
    item->tried = true;
    if (tp_timed(trial->profile) && strcmp(trial->event, "CEst") == 0)
        item->promised = item->promised_cest;
    item->saved = percent(item->before, item->costs.after);
    return true;
}

bool trial_take(struct trial *trial, int64_t rank, struct trial_item *item)
{
    struct tp_error err = {0};
    struct query q;

    *item = (struct trial_item){.rank = rank};
    query_begin(&q, trial->profile, "SELECT title, share, data, cest_share FROM temp.advice WHERE id = %lld",
                (long long)rank);
    while (item->title == NULL && query_row(&q)) {
        item->title = term_text("%s%s%s", query_text(&q, 0), query_null(&q, 2) ? "" : ": ", query_text(&q, 2));
        item->promised = query_real(&q, 1);
        item->promised_cest = query_real(&q, 3);
    }
    if (!query_end(&q))
        return false;
    if (item->title == NULL) {
        term_error("try: %lld: there is no such piece of advice; `tenure report --advice` numbers them",
                   (long long)rank);
        return false;
    }
    if (tp_try_advice(trial->profile, rank, &item->what[0], &err) != 0) {
        term_error("%s", err.message);
        return false;
    }
    item->why = item->what[0].why;
    item->whats = item->what[0].remap != NULL;
    return true;
}

void trial_forget(struct trial_item *item)
{
    for (size_t i = 0; i < TRIAL_REMAPS; i++)
        tp_try_free(&item->what[i]);
    tp_close(item->with);
    free(item->title);
    *item = (struct trial_item){0};
}

void trial_print_command(const struct trial *trial, const struct trial_item *item)
{
    char **words = recording(trial, item), *folder = folder_of(trial);
    char *before = folder != NULL ? term_text("(cd %s && ", folder) : term_text("%s", "");

    print_words(stdout, before, words, folder != NULL ? ")" : "");
    free(before);
    free(folder);
    free_words(words);
}

/* ------------------------------------------------------------------------------------------ begin and end */

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
static bool make_folder(struct trial *trial)
{
    char *base = trial->out != NULL ? term_text("%s", trial->out) : NULL, real[PATH_MAX];
    const char *folder = getenv("TMPDIR");

    if (base != NULL) {
        char *slash = strrchr(base, '/');
        folder = slash == NULL ? "." : slash == base ? "/" : (*slash = '\0', base);
    }
    bool found = realpath(folder != NULL && *folder != '\0' ? folder : "/tmp", real) != NULL;
    snprintf(trial->folder, sizeof trial->folder, "%.4000s/.tenure.try.XXXXXX", found ? real : "");
    if (!found || mkdtemp(trial->folder) == NULL) {
        term_error("cannot make a folder in %s: %s", found ? real : folder, strerror(errno));
        *trial->folder = '\0';
    }
    free(base);
    snprintf(trial->path, sizeof trial->path, "%s/profile", trial->folder);
    return *trial->folder != '\0' && (trial->out == NULL || output_allowed(trial->out, &output_profile));
}

/* With whatever processes of the program have left there. */
static void remove_folder(const struct trial *trial)
{
    char *path;
    DIR *folder = opendir(trial->folder);

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL; free(path)) {
        path = term_text("%s/%s", trial->folder, entry->d_name);
        unlink(path); /* but for the folder itself and the one above */
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(trial->folder);
}

/* How the profile was recorded. */
bool trial_begin(struct trial *trial, bool words_only)
{
    trial->event = tp_timed(trial->profile) ? "Time" : "CEst";
    const char *options = tp_meta(trial->profile, "record.options"),
               *program = tp_meta(trial->profile, "record.program");
    const char *sample = tp_meta(trial->profile, "sample");

    if (options == NULL || program == NULL || (*program == '\0' && trial->given == NULL)) {
        term_error("%s does not say how it was recorded, so that it cannot be done again: `tenure try` needs a profile "
                   "that this `tenure record` has made, of one run",
                   given_name());
        return false;
    }
    if (sample != NULL && strcmp(sample, "1") != 0) {
        term_error(
            "%s was recorded with --sample=%s: data that lies elsewhere is in other sets than those that were "
            "sampled, so what it saves would be lost in the margins; record it without --sample",
            given_name(), sample);
        return false;
    }
    trial->options = words_read(options);
    trial->program = trial->given != NULL ? trial->given : words_read(program);
    for (char **option = trial->options; *option != NULL; option++) {
        if (!is_option(*option)) {
            term_error("%s does not say how it was recorded: \"%s\" is no option of a recording",
                       given_name(), *option);
            return false;
        }
    }
    if (words_only) {
        snprintf(trial->path, sizeof trial->path, "tried.profile");
        return true;
    }
    return make_folder(trial);
}

void trial_end(struct trial *trial)
{
    if (*trial->folder != '\0')
        remove_folder(trial);
    while (trial->dones > 0)
        free(trial->done[--trial->dones].remap);
    free(trial->done);
    free_words(trial->options);
    if (trial->given == NULL)
        free_words(trial->program);
}

/* ------------------------------------------------------------------------------------------ advice */

/* What came of it, for whoever shows the advice. */
static bool tell_tried(const struct trial *trial, const struct trial_item *item)
{
    char *words = term_text("%s", item->whats > 0 ? item->what[0].words : item->why);
    struct tp_error err = {0};

    if (item->costs.otherwise != 0) {
        free(words);
        words = term_text("%s (a run with %+.1f %% instructions: it did something else than the recorded one)",
                          item->what[0].words, item->costs.otherwise);
    }
    bool good = tp_advice_tried(trial->profile, item->rank,
                                &(struct tp_tried){.event = item->tried ? trial->event : NULL,
                                                   .words = words,
                                                   .saved = item->saved,
                                                   .cest = item->costs.cest,
                                                   .lines = {item->costs.lines[0], item->costs.lines[1]}},
                                &err) == 0;
    if (!good)
        term_error("%s", err.message);
    free(words);
    return good;
}

bool trial_advice(tp_profile *profile, const char *weights, uint64_t most)
{
    int64_t count = (int64_t)query_value(profile, "SELECT count(*) FROM temp.advice", 0);
    struct trial trial = {.profile = profile, .weights = weights};

    given_hold_signals();
    bool good = trial_begin(&trial, false);
    for (int64_t rank = 1; good && rank <= count && (uint64_t)rank <= most && given_stopped() == 0; rank++) {
        struct trial_item item;
        good = trial_take(&trial, rank, &item) && trial_run(&trial, &item) && tell_tried(&trial, &item);
        trial_forget(&item);
    }
    good = good && given_stopped() == 0;
    trial_end(&trial);
    given_release_signals();
    given_end_if_stopped();
    return good;
}
