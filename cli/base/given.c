/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * given.c: see given.h. The temporary profile lies in TMPDIR and is unlinked as soon as it is open: the open
 * database keeps it, and no way of ending leaves it behind.
 */
#include "cli/base/given.h"

#include "cli/base/machine.h"

#include "cli/base/output.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "profile/base/sound.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char shown[PATH_MAX];

const char *given_unsound(void)
{
    static struct tp_error err;

    return tp_sound(&err) == 0 ? NULL : err.message;
}

const char *given_name(void)
{
    return shown;
}

/* ------------------------------------------------------------------------------------------ import */

static volatile sig_atomic_t stopped;
static volatile sig_atomic_t passed_to; /* a process; 0: none */

static void stop(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    stopped = signal_number;
    if (passed_to > 0 && info->si_code <= 0)
        kill((pid_t)passed_to, signal_number);
}

static bool progress(void *user, const char *stage, uint64_t done, uint64_t total)
{
    (void)user;
    term_progress(stage, done, total);
    return stopped == 0;
}

int given_import(const char *const *files, size_t count, const char *out, const struct tp_import_options *options,
                 struct tp_import_result *result, struct tp_error *err)
{
    struct sigaction before[OUTPUT_SIGNALS];

    output_catch_signals(stop, before);
    struct tp_import_options own = *options;
    own.progress = progress;
    if (tp_kind(files[0], err) == TP_KIND_RAW) /* of which time is estimated */
        own.meta = machine_meta(options->meta);
    int failed = count == 1 ? tp_import(files[0], out, &own, result, err)
                            : tp_import_text(files, count, out, &own, result, err);
    term_progress_end();
    output_release_signals(before);
    return failed;
}

static struct sigaction held[OUTPUT_SIGNALS];

void given_hold_signals(void)
{
    output_catch_signals(stop, held);
}

void given_release_signals(void)
{
    output_release_signals(held);
}

void given_tell_machine(tp_profile *recorded, const char *name)
{
    char *path = term_text("%s.%s", tp_path(recorded), name), safe[PATH_MAX];
    struct tp_error err;
    tp_profile *profile = tp_open(path, &err);

    if (profile != NULL) {
        bool timed = tp_timed(profile);
        char *sql = term_text("SELECT %s FROM totals", timed ? "Time" : "CEst");
        term_escape(safe, sizeof safe, path);
        fprintf(stderr, "tenure: wrote %s: with the caches of %s, %.3g of %s\n", safe, name,
                query_value(profile, sql, NAN) / query_value(recorded, sql, NAN),
                timed ? "the estimated time" : "CEst");
        free(sql);
    }
    tp_close(profile);
    free(path);
}

/* Of the newest profiles, the recorded machine's is the newest: the kernel's own times of files are coarser. */
static void make_newest(const char *path)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};

    clock_gettime(CLOCK_REALTIME, &times[1]);
    utimensat(AT_FDCWD, path, times, 0);
}

bool given_import_machines(const char *raw, const char *out, const struct given_machines *how)
{
    struct tp_error err;
    bool good = true;

    if (how->found->machines == 0)
        return true;
    given_hold_signals();
    for (uint32_t i = 0; i < how->found->machines; i++) {
        struct tp_import_options options = *how->options;
        char *path = term_text("%s.%s", out, how->found->machine[i]);
        bool imported = given_stopped() == 0 && output_allowed(path, &output_profile);
        options.machine = i + 1;
        if (how->meta != NULL)
            options.meta = how->meta(how->user, options.machine);
        if (imported && given_import(&raw, 1, path, &options, &(struct tp_import_result){0}, &err) != 0) {
            term_error("%s", err.message);
            imported = false;
        }
        good &= imported;
        free(path);
    }
    make_newest(out);
    given_release_signals();
    return good;
}

void given_pass_signals(pid_t child)
{
    passed_to = child;
}

int given_stopped(void)
{
    return stopped;
}

void given_end_if_stopped(void)
{
    if (stopped == 0)
        return;
    signal(stopped, SIG_DFL);
    raise(stopped);
}

/* ------------------------------------------------------------------------------------------ open */

void given_tell(const char *raw, const struct tp_import_result *result)
{
    if (result->warnings > 1)
        fprintf(stderr, "tenure: %s (and %llu more like it)\n", result->warning,
                (unsigned long long)result->warnings - 1);
    else if (result->warnings)
        fprintf(stderr, "tenure: %s\n", result->warning);
    if (result->damaged)
        term_error("%s is damaged, what follows the last whole part is lost: %s", raw, result->damage);
}

void given_tell_missing(const struct tp_import_result *result)
{
    char safe[2048];

    term_escape(safe, sizeof safe, *result->absent != '\0' ? result->absent : result->split);
    if (*result->absent != '\0')
        fprintf(stderr, "tenure: %s: %s: its source files and lines are not known; `tenure import --sysroot=FOLDER` "
                        "says below what the files of another machine are\n",
                safe, result->absent_why);
    else if (*result->split != '\0')
        fprintf(stderr, "tenure: %s: its split debug information (.dwo, .dwp) is not there, or cannot be read: inlined "
                        "functions are missing\n", safe);
}

bool given_later(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
        return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static bool newest(char *out, size_t size)
{
    DIR *directory = opendir(".");
    struct stat best = {0}, status;
    struct tp_error ignored;
    struct dirent *entry;
    bool found = false;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, "tenure.out.", 11) != 0)
            continue;
        /* A profile, raw or not, of this version or not; temporary files of SQLite are not. */
        enum tp_kind kind = tp_kind(entry->d_name, &ignored);
        if (kind == TP_KIND_OTHER || kind == TP_KIND_UNREADABLE || stat(entry->d_name, &status) != 0 ||
            (found && !given_later(&status, &best)))
            continue;
        snprintf(out, size, "%s", entry->d_name);
        best = status;
        found = true;
    }
    if (directory != NULL)
        closedir(directory);
    return found;
}

/* `growing`: given_open_growing. */
static tp_profile *open_raw(const char *raw, bool growing, struct tp_error *err)
{
    const struct tp_import_options options = {.passing = true, .no_symbols = growing};
    const char *folder = getenv("TMPDIR");
    struct tp_import_result result;
    char path[PATH_MAX];
    struct sigaction before[OUTPUT_SIGNALS];
    tp_profile *profile = NULL;

    snprintf(path, sizeof path, "%s/tenure.XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
    output_catch_signals(stop, before); /* or one that comes now would leave the file */
    int file = mkstemp(path);
    if (file < 0) {
        output_release_signals(before);
        snprintf(err->message, sizeof err->message, "cannot make a temporary profile in %.500s: %s",
                 folder != NULL ? folder : "/tmp", strerror(errno));
        return NULL;
    }
    close(file);
    int failed = given_import(&raw, 1, path, &options, &result, err);
    if (growing)
        result.damaged = false; /* what is being written */
    if (!failed && result.damaged) {
        snprintf(err->message, sizeof err->message,
                 "%.500s; `tenure import` makes a profile of what is in front of that", result.damage);
        failed = -1;
    }
    if (!failed) {
        given_tell(raw, &result);
        profile = tp_open(path, err);
    }
    if (profile != NULL && tp_call(profile, raw, err) != 0) {
        tp_close(profile);
        profile = NULL;
    }
    unlink(path);
    output_release_signals(before);
    given_end_if_stopped();
    return profile;
}

tp_profile *given_open_growing(const char *raw)
{
    struct tp_error err = {0};
    tp_profile *profile = open_raw(raw, true, &err);

    if (profile == NULL)
        term_error("%s", err.message);
    return profile;
}

tp_profile *given_open(const char *path)
{
    struct tp_error err = {0};
    tp_profile *profile = NULL;

    if (path == NULL && !newest(shown, sizeof shown)) {
        term_error("there is no tenure.out.* here; name a profile, or make one with `tenure record PROGRAM`");
        return NULL;
    }
    if (path != NULL)
        snprintf(shown, sizeof shown, "%s", path);
    enum tp_kind kind = tp_kind(shown, &err);
    if (kind == TP_KIND_PROFILE)
        profile = tp_open(shown, &err);
    else if (kind == TP_KIND_RAW || kind == TP_KIND_CALLGRIND || kind == TP_KIND_CACHEGRIND)
        profile = open_raw(shown, false, &err);
    if (profile == NULL)
        term_error("%s", err.message);
    else if (tp_changed(profile))
        term_error("%s: " TP_CHANGED, shown);
    return profile;
}

const char *given_check_weights(void *unused, const char *name, const char *weights)
{
    static struct tp_error err;

    (void)unused;
    (void)name;
    return tp_weights_check(weights, &err) == 0 ? NULL : err.message;
}

/* Whether `list`, of meta `also`, has the machine. */
static bool has_machine(const char *list, const char *machine)
{
    size_t length = strlen(machine);

    while (list != NULL && *list != '\0') {
        list += strspn(list, "; ");
        if (strncmp(list, machine, length) == 0 && list[length] == ':')
            return true;
        list += strcspn(list, ";");
    }
    return false;
}

static bool same_meta(tp_profile *a, tp_profile *b, const char *key)
{
    const char *of_a = tp_meta(a, key), *of_b = tp_meta(b, key);

    return of_a != NULL && of_b != NULL && strcmp(of_a, of_b) == 0;
}

/* The profile of another machine of the same run is called as that of the recorded one, with its name behind. */
tp_profile *given_open_machine(const char *path, const char *weights, const char *machine)
{
    tp_profile *profile = given_open_weighed(path, weights), *other = NULL;
    const char *own = profile != NULL ? tp_meta(profile, "machine") : NULL;

    if (profile != NULL && own == NULL)
        own = tp_meta(profile, "cache.LL.source"); /* --machine */
    if (machine == NULL || profile == NULL || (own != NULL && strcmp(own, machine) == 0))
        return profile;
    char *name = term_text("%s.%s", given_name(), machine);
    if (!has_machine(tp_meta(profile, "also"), machine))
        term_error("%s knows nothing of a machine %s: `tenure record --also=%s` counts for it, too", given_name(),
                   machine, machine);
    else if (tp_kind_is_raw(tp_kind(given_name(), &(struct tp_error){0})))
        term_error("%s is a raw profile: `tenure import` makes one of each machine of it", given_name());
    else
        other = given_open_weighed(name, weights);
    if (other != NULL && (!same_meta(profile, other, "import.raw") || tp_meta(other, "machine") == NULL ||
                          strcmp(tp_meta(other, "machine"), machine) != 0)) {
        term_error("%s is of another run, or of another machine", name);
        given_close(other);
        other = NULL;
    }
    free(name);
    given_close(profile);
    return other;
}

tp_profile *given_open_weighed(const char *path, const char *weights)
{
    tp_profile *profile = given_open(path);
    struct tp_error err = {0};

    if (profile == NULL || weights == NULL || tp_weigh(profile, weights, &err) == 0)
        return profile;
    term_error("--weights: %s", err.message);
    tp_close(profile);
    return NULL;
}

void given_close(tp_profile *profile)
{
    tp_close(profile);
}
