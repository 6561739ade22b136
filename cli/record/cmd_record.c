/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_record.c: run a program under an engine, then make its profile.
 *
 *   check    the program, the engine, where the profile goes: all refusals come before anything starts
 *   run      the engine writes a raw profile per process
 *   import   each raw profile becomes a profile; it is removed when that worked, kept and named when not
 *   sum      with --runs=K the profiles of K runs become one
 *   tell     totals and the worst findings, on stderr
 *   end      with the program's exit status, or by the signal that killed it; of several runs, as the first that failed
 *
 * Options are those of engine/common/options.inc; a machine stands for some of them. The engine gets those that were
 * given, in that order, since some are lists, and all caches: written from the values that were read and checked here.
 */
#include "cli/base/caches.h"
#include "cli/base/column.h"
#include "cli/base/given.h"
#include "cli/base/names.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/query.h"
#include "cli/base/summary.h"
#include "cli/base/term.h"
#include "cli/base/words.h"
#include "cli/cli.h"
#include "cli/record/control.h"
#include "cli/record/hint.h"
#include "cli/base/machine.h"
#include "cli/record/launch.h"
#include "cli/record/again.h"
#include "cli/record/machines.h"
#include "cli/record/named.h"
#include "cli/record/target.h"
#include "engine/common/options.h"
#include "profile/base/whole.h"
#include "profile/code/code.h"
#include "profile/profile.h"
#include "profile/raw/raw_read.h"
#include "profile/sum/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
    const char *out, *engine_name, *machine;
    struct engine_options options;
    enum engine_kind engine_kind;
    char **program;   /* and its arguments */
    char **arguments; /* for the engine: options that were given, with room for all */
    size_t argument_count;
    const char *native_only; /* the first option that Valgrind's engine does not have; NULL: none */
    bool incomplete; /* a further machine's profile could not be written */
    bool control, embed_source, source_anywhere, keep_all, raw, quiet;
    char *elements; /* file with what the program's data is made of; NULL: none */
    char control_dir[PATH_MAX]; /* of the pages for `tenure control`; "": none */
    uint64_t runs, run; /* run: from 0, the one that goes on */
    tp_merge *sum;      /* with several runs: of those that have ended, `summed` of them; else NULL */
    uint64_t summed;
    char *sum_name;     /* where it goes: what the first run's profile would be called */
};

/* ------------------------------------------------------------------------------------------ what is left */

/* How a recording ends that cannot go on, as where memory runs out: what it has is named, and the rest removed. The
 * room for that is here from the beginning. */
static struct {
    pid_t process;          /* whose it is: not that of a child on its way to the engine */
    const char *elements;   /* a file for as long as the program runs; NULL: none */
    char raw[PATH_MAX];     /* the program's raw profile, if there is one that nobody has looked at; "": none */
    struct names names;     /* of the recording, whose other raw profiles are then left, too */
    char runs[PATH_MAX];    /* profiles of single runs, which are called so and a number */
    uint64_t run_count;     /* of them, from 1 */
} left;

static void tell_raw(const char *raw)
{
    char word[TERM_WORD];
    struct stat status;

    if (stat(raw, &status) == 0 && status.st_size > 0)
        term_error("the raw profile is kept: %s; `tenure import %s -o FILE` makes the profile", raw,
                   term_word(word, raw));
}

static void tell_other_raw(void *unused, const struct names_raw *raw)
{
    (void)unused;
    if (strcmp(raw->path, left.raw) != 0)
        tell_raw(raw->path);
}

static void tell_left(void)
{
    char word[TERM_WORD];

    if (getpid() != left.process)
        return;
    if (left.elements != NULL)
        unlink(left.elements);
    if (left.raw[0] != '\0') {
        tell_raw(left.raw); /* also where the folder cannot be read */
        names_each(&left.names, tell_other_raw, NULL);
    }
    if (left.run_count > 0)
        term_error("the profiles of runs are kept, %s1 to %" PRIu64 "; `tenure merge %s* -o FILE` makes their sum",
                   left.runs, left.run_count, term_word(word, left.runs));
}

/* ------------------------------------------------------------------------------------------ options */

static void *allocate(size_t bytes)
{
    return term_have(malloc(bytes));
}

static const char *take(void *into, const char *name, const char *value)
{
    struct record *r = into;
    const char *wrong = NULL;
    if (strcmp(name, "also") == 0 && (value = machines_also(value, &wrong)) == NULL)
        return wrong;
    char *argument = term_text("--%s=%s", name, value), room[GEOMETRY_TEXT];
    const struct recording_option *option = options_take(&r->options, argument, &wrong);

    if (wrong != NULL)
        return wrong;
    if (option->engines == OPTIONS_NATIVE && r->native_only == NULL)
        r->native_only = argument;
    if (option->engines == OPTIONS_HANDLED || option->kind == OPTIONS_GEOMETRY)
        return NULL; /* engine_argv sees to it */
    const char *written = option->kind != OPTIONS_ALSO ? options_text(&r->options, option, room) : NULL;
    r->arguments[r->argument_count++] = written != NULL ? term_text("--%s=%s", name, written) : argument;
    return NULL;
}

static const struct opt rows[] = {
#define HEADING(text) {OPT_HEADING, NULL, 0, NULL, text, 0},
#define OF_RECORD(kind, name, letter, value, help, member) \
    {kind, name, letter, value, help, offsetof(struct record, member)},
#define OPTION(name, value, kind, member, detail, usual, key, engines, help) \
    {OPTIONS_##kind == OPTIONS_SEPARATE ? OPT_TAKE_COUNTED : OPT_TAKE, name, 0, value, help, 0, take, \
     OPTIONS_##kind == OPTIONS_SWITCH},
#include "engine/common/options.inc"
};

static const struct opt_foreign foreign[] = {
#define FOREIGN(name, reason) {name, reason},
#include "engine/common/options.inc"
    {NULL, NULL},
};

static const struct opt_command command = {
    "record",
    "[options] [--] PROGRAM ARGS...",
    "Runs PROGRAM and writes its profile. Ends with the program's exit status; 125: Tenure failed,\n"
    "126: PROGRAM cannot be executed, 127: PROGRAM was not found.",
    OPT_ROWS(rows),
    .foreign = foreign,
    .runs_program = true,
};

/* ------------------------------------------------------------------------------ the engine's command line */

/* Valgrind stops the main stack at 16 MiB, whatever the limit is; NULL where the limit is no higher. */
static char *stack_size(void)
{
    const rlim_t usual = 16 << 20, most = 1 << 30; /* address space that is only kept free */
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= usual))
        return NULL;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most)
        limit.rlim_cur = most;
    return term_text("--main-stacksize=%llu", (unsigned long long)limit.rlim_cur);
}

/* What Valgrind itself is to do; returns how many options were put at `argv`. */
static size_t valgrind_options(char **argv)
{
    static const char *const always[] = {
        "--command-line-only=yes", /* neither ~/.valgrindrc nor VALGRIND_OPTS */
        "--tool=tenure",
        "-q",
        "--vgdb=no", /* its descriptors would be the program's to see */
        "--run-libc-freeres=no",
        "--run-cxx-freeres=no",
    };
    size_t at = 0;

    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        argv[at++] = term_text("%s", always[i]);
    if (fcntl(STDERR_FILENO, F_GETFD) != 0) /* closed in Valgrind, whose messages would go to the first file opened */
        argv[at++] = term_text("--log-file=/dev/null");
    argv[at] = stack_size();
    return at + (argv[at] != NULL);
}

/* Which process of which job this is: what the launchers of Open MPI, MPICH and Slurm say. */
static size_t whereabouts(const struct record *r, char **argv)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *rank = NULL;
    char host[HOST_NAME_MAX + 1] = "";
    size_t at = 0;

    for (size_t i = 0; rank == NULL && i < sizeof ranks / sizeof ranks[0]; i++) {
        rank = getenv(ranks[i]);
        if (rank != NULL && !opt_number(rank, NULL, &(uint64_t){0}))
            rank = NULL;
    }
    if (rank != NULL && !options_given(&r->options, "rank"))
        argv[at++] = term_text("--rank=%s", rank);
    if (r->options.host == NULL && gethostname(host, HOST_NAME_MAX) == 0 && *host != '\0')
        argv[at++] = term_text("--host=%s", host);
    return at;
}

/* A NULL-ended argv for the engine; freed by nobody, it lives as long as the recording. */
static char **engine_argv(struct record *r, const struct engine *engine, const struct refusals *refusals,
                          char *raw_pattern, char **program)
{
    size_t operands = 0, at = 0;
    char geometry[GEOMETRY_TEXT];

    while (program[operands] != NULL)
        operands++;
    char **argv = term_have(calloc(operands + r->argument_count + GEOMETRY_LEVELS + 24, sizeof *argv));
    argv[at++] = engine->program;
    if (engine->native) {
        argv[at++] = term_text("--profile=yes");
        if (r->options.stats)
            argv[at++] = term_text("--stats=yes");
        if (refusals->to >= 0)
            argv[at++] = term_text("--refusals-to=%d", refusals->to);
    } else {
        at += valgrind_options(argv + at);
    }
    if (r->options.trace_children)
        argv[at++] = term_text("--trace-children=yes");
    argv[at++] = term_text("--tenure-out-file=%s", raw_pattern);
    if (r->elements != NULL)
        argv[at++] = term_text("--elements=%s", r->elements);
    if (*r->control_dir != '\0')
        argv[at++] = term_text("--control-dir=%s", r->control_dir);
    for (size_t i = 0; i < GEOMETRY_LEVELS; i++) {
        const struct tn_geometry *cache = geometry_of(&r->options.config, i);

        geometry_put(geometry, cache);
        argv[at++] = term_text("--%s=%s", geometry_name[i], cache->size > 0 ? geometry : "none");
    }
    memcpy(argv + at, r->arguments, r->argument_count * sizeof *argv);
    at += r->argument_count;
    if (r->options.config.sample > 1 && r->run > 0)
        argv[at++] = term_text("--sample-seed=%" PRIu64, r->options.config.sample_seed + r->run);
    at += whereabouts(r, argv + at);
    argv[at++] = term_text("--");
    memcpy(argv + at, program, operands * sizeof *argv);
    return argv;
}

/* ------------------------------------------------------------------------------------------ afterwards */

/* What `record` adds to the meta data (again.h). */
static const char *const *extra_meta(void *record, uint32_t machine)
{
    struct record *r = record;

    return again_meta(&(struct again){&r->options, r->program, r->arguments, r->argument_count}, machine);
}

/* Of a name that was not known before the program ran. */
static bool may_write(const char *raw, const char *name, const struct output_kind *kind)
{
    if (output_allowed(name, kind))
        return true;
    term_error("the raw profile is kept: %s", raw);
    return false;
}

/* --raw: the raw profile under the profile's name, with .raw behind unless a name was given. */
static bool keep_raw(const struct record *r, const char *raw, const char *profile)
{
    char name[PATH_MAX], real[PATH_MAX], word[TERM_WORD];

    snprintf(name, sizeof name, "%s%s", profile, r->out == NULL ? ".raw" : "");
    if (!may_write(raw, name, &output_raw))
        return false;
    if (tp_whole_rename(raw, realpath(name, real) != NULL ? real : name) != 0) {
        term_error("cannot rename %s to %s: %s; the raw profile is kept", raw, name, strerror(errno));
        return false;
    }
    if (!r->quiet)
        term_error("wrote %s; `tenure import %s` makes the profile", name, term_word(word, name));
    return true;
}

static bool import(struct record *r, const char *raw, const char *profile)
{
    struct tp_import_options options = {
        .embed_source = r->embed_source, .source_anywhere = r->source_anywhere, .keep_all = r->keep_all,
        .meta = extra_meta(r, 0)};
    struct tp_import_result result = {0};
    struct tp_error err = {0};
    char word[TERM_WORD];

    if (!may_write(raw, profile, &output_profile))
        return false;
    if (given_import(&raw, 1, profile, &options, &result, &err) != 0) {
        term_error("%s", err.message);
        term_error("the raw profile is kept: %s; `tenure import %s -o FILE` tries again", raw,
                   term_word(word, raw));
        return false;
    }
    struct given_machines machines = {&options, &result, extra_meta, r};
    r->incomplete |= !given_import_machines(raw, profile, &machines);
    given_tell(raw, &result);
    if (!r->quiet && r->run == 0)
        given_tell_missing(&result);
    if (result.damaged || r->incomplete)
        term_error("the raw profile is kept: %s", raw);
    else
        unlink(raw);
    return true;
}

/* The profile of one run, from 0; freed by the caller. */
static char *run_path(uint64_t run)
{
    return term_text("%s%" PRIu64, left.runs, run + 1);
}

/* Of several runs: one more, whose raw profile this is, and whose profile would have this name. */
static bool add_run(struct record *r, const struct names *names, const char *raw, const char *name)
{
    struct tp_error err = {0};

    if (r->sum_name == NULL)
        r->sum_name = term_text("%s", name);
    snprintf(left.runs, sizeof left.runs, "%s/.tenure.%s.run", names->directory, names->token);
    char *path = run_path(r->run);
    bool imported = import(r, raw, path);
    if (imported)
        left.run_count = r->run + 1;
    tp_profile *profile = imported ? tp_open(path, &err) : NULL;
    free(path);
    bool good = profile != NULL && (r->sum != NULL || (r->sum = tp_merge_new(TP_KEEP_NONE, &err)) != NULL) &&
                tp_merge_add(r->sum, profile, &err) == 0;
    tp_close(profile);
    r->summed += good;
    if (imported && !good) { /* the sum is of no use any more */
        term_error("%s", err.message);
        tp_merge_free(r->sum);
        r->sum = NULL;
        r->summed = 0;
    }
    return good;
}

/* The sum of all runs, as a profile. */
static bool write_sum(struct record *r)
{
    char *seeds = term_text("%" PRIu64, r->options.config.sample_seed);
    struct tp_error err = {0};

    for (uint64_t i = 1; i < r->summed; i++) {
        char *more = term_text("%s %" PRIu64, seeds, r->options.config.sample_seed + i);
        free(seeds);
        seeds = more;
    }
    bool good = output_allowed(r->sum_name, &output_profile) &&
                (r->options.config.sample == 1 || tp_merge_meta(r->sum, "sample-seed", seeds, &err) == 0) &&
                tp_merge_write(r->sum, r->sum_name, &err) == 0;
    if (!good && *err.message != '\0')
        term_error("%s", err.message);
    for (uint64_t i = 0; good && i < left.run_count; i++) {
        char *path = run_path(i);
        unlink(path);
        free(path);
    }
    if (good)
        left.run_count = 0;
    if (good && r->summed < r->runs)
        term_error("%s is the sum of %" PRIu64 " of %" PRIu64 " runs", r->sum_name, r->summed, r->runs);
    free(seeds);
    return good;
}

/* Programs that were executed and not profiled, or it looks as if the program had done nothing. */
static void tell_unfollowed(tp_profile *profile)
{
    const char *count = tp_meta(profile, "unfollowed"), *first = tp_meta(profile, "unfollowed.first");
    char safe[256];

    if (count == NULL)
        return;
    term_escape(safe, sizeof safe, first != NULL ? first : "");
    if (strcmp(count, "1") == 0)
        fprintf(stderr, "tenure: 1 program was started and not profiled: %s; --trace-children=yes does that\n", safe);
    else
        fprintf(stderr, "tenure: %s programs were started and not profiled, %s the first; --trace-children=yes does "
                "that\n", count, safe);
}

/* After a long recording: what would be quicker. */
static void tell_sampling(const struct record *r, tp_profile *profile)
{
    struct rusage used; /* of the program and all its children */
    char text[160];

    if (!r->options.config.cache_sim || r->options.config.sample > 1 || getrusage(RUSAGE_CHILDREN, &used) != 0)
        return;
    double accesses = query_value(profile, "SELECT Dr + Dw FROM totals", 0);
    double misses = query_value(profile, "SELECT I1mr + D1mr + D1mw FROM totals", 0);
    const char *hint = hint_sampling((double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec), accesses, misses, text,
                                     sizeof text);
    if (hint != NULL)
        fprintf(stderr, "tenure: %s\n", hint);
}

struct told {
    bool faulted; /* Valgrind has ended the program at an instruction */
    bool nothing; /* was recorded, by mistake */
    bool unread;  /* the profile, which was written, could not be read again */
};

/* `alone`: no other process has recorded anything. */
static struct told tell(struct record *r, const char *path, bool alone)
{
    struct tp_error err = {0};
    tp_profile *profile = tp_open(path, &err);
    char safe[PATH_MAX], number[32], line[1024];
    struct tn_geometry geometry[GEOMETRY_LEVELS];
    struct told told = {0};
    struct query q;

    if (profile == NULL) {
        term_error("%s", err.message);
        told.unread = true;
        return told;
    }
    if (!r->quiet) {
        term_escape(safe, sizeof safe, path);
        fprintf(stderr, "\ntenure: wrote %s\n", safe);
        for (uint32_t i = 0; i < r->options.config.also_count; i++)
            given_tell_machine(profile, r->options.also_name[i]);
        if (tp_startup(profile, true, &err) != 0)
            term_error("%s", err.message);
        else
            summary_verdict(profile, stderr, "  ", path);
        fputc('\n', stderr);
        for (int i = 0; i < GEOMETRY_LEVELS; i++)
            geometry[i] = *geometry_of(&r->options.config, i);
        caches_text(geometry, r->options.geometry_source, line, sizeof line);
        if (r->options.config.cache_sim)
            fprintf(stderr, "tenure: %s\n", line);
        if (column_sampled(profile, line, sizeof line) != NULL)
            fprintf(stderr, "tenure: %s\n", line);
        if (r->summed > 0)
            fprintf(stderr, "tenure: sums of %" PRIu64 " runs%s\n", r->summed,
                    r->options.config.sample > 1 ? ", each of other sets" : "");
        summary_totals(profile, stderr, "  ");
        summary_lineless(profile, stderr, "  ");
        tell_unfollowed(profile);
        tell_sampling(r, profile);
    }
    if (r->options.stats) {
        fputs("\nRecording:\n", stderr);
        query_begin(&q, profile, "SELECT name, value FROM stats ORDER BY rowid");
        while (query_row(&q)) {
            term_escape(safe, sizeof safe, query_text(&q, 0));
            fprintf(stderr, "  %-28s %18s\n", safe, term_number(number, query_int(&q, 1)));
        }
        query_end(&q);
    }
    told.nothing = named_nothing(profile, &r->options);
    if (!told.nothing && alone)
        named_unmatched(profile);
    told.faulted = tp_meta(profile, "fault") != NULL;
    tp_close(profile);
    told.unread = given_unsound() != NULL;
    if (told.unread)
        term_error("%s", given_unsound());
    return told;
}

enum outcome { NO_PROFILE, LOST, GOOD };

/* Children that were ended before they wrote anything, as by SIGKILL. */
struct killed {
    size_t count;
    pid_t first;
};

static void tell_killed(const struct killed *killed)
{
    fprintf(stderr, "tenure: process %ld", (long)killed->first);
    if (killed->count > 1)
        fprintf(stderr, " and %zu more", killed->count - 1);
    fputs(" ended before a profile could be written, as by SIGKILL; what was counted there is lost\n", stderr);
}

/* What became of the program's own raw file; its children's are treated the same, but for those that have outlived it:
 * they will write once more. */
static enum outcome collect(struct record *r, const struct names *names, const struct ending *ending,
                            struct told *told)
{
    struct names_raw *list;
    size_t count;
    enum outcome outcome = NO_PROFILE;
    struct killed killed = {0, 0};
    char word[TERM_WORD];

    if (!names_list(names, &list, &count)) {
        term_error("%s: cannot be read: %s", names->directory, strerror(errno));
        return LOST;
    }
    for (size_t i = 0; i < count; i++) {
        struct stat status;

        if (list[i].pid != ending->pid && control_lives(list[i].pid)) {
            if (!r->quiet)
                term_error("process %ld still runs; when it has ended: `tenure import %s`", (long)list[i].pid,
                           term_word(word, list[i].path));
            continue;
        }
        if (stat(list[i].path, &status) == 0 && status.st_size == 0) {
            unlink(list[i].path); /* the engine refused, or was killed before it wrote */
            if (list[i].pid != ending->pid && killed.count++ == 0)
                killed.first = list[i].pid;
            continue;
        }
        char *profile = names_profile(names, &list[i], ending->pid);
        bool own = list[i].pid == ending->pid, summed = own && r->runs > 1;
        if (r->raw && own)
            told->nothing = named_nothing_in_raw(list[i].path, &r->options);
        bool good = r->raw    ? keep_raw(r, list[i].path, profile)
                    : summed ? add_run(r, names, list[i].path, profile)
                             : import(r, list[i].path, profile);
        if (good && !r->raw && own && !summed)
            *told = tell(r, profile, count == 1);
        else if (good && !r->raw && !own && !r->quiet)
            term_error("process %ld: `tenure report %s`", (long)list[i].pid, term_word(word, profile));
        if (own && outcome != LOST)
            outcome = good ? GOOD : LOST;
        free(profile);
    }
    if (killed.count > 0 && !r->quiet)
        tell_killed(&killed);
    left.raw[0] = '\0'; /* what is not good was told */
    told->nothing &= count == 1; /* other processes may have recorded what was meant */
    names_list_free(list, count);
    return outcome;
}

/* No profile: say why, unless the engine has. The program that it refuses is one that the kernel would not run. */
static int without_profile(int status)
{
    if (WIFSIGNALED(status)) {
        term_error("killed by signal %d (%s) before a profile could be written", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
        end_like(status);
    }
    if (WEXITSTATUS(status) == CLI_NOT_EXECUTABLE || WEXITSTATUS(status) == CLI_NOT_FOUND)
        return WEXITSTATUS(status);
    if (WEXITSTATUS(status) != CLI_OWN_FAILURE)
        term_error("the engine ended without a profile");
    return CLI_OWN_FAILURE;
}

/* ------------------------------------------------------------------------------------------ the command */

/* Where the profile goes: better to hear it now than after an hour's run. */
static bool check_names(const struct record *r, struct names *names)
{
    bool stream = r->out != NULL && strcmp(r->out, "-") == 0;
    const char *wrong = stream ? OPT_NO_STREAM : names_make(names, r->out != NULL ? r->out : "tenure.out.%p");

    if (wrong != NULL) {
        term_error("record: --out: %s", wrong);
        return false;
    }
    char *own = names_own(names);
    bool good = own == NULL || output_allowed(own, r->raw ? &output_raw : &output_profile);
    for (uint32_t i = 0; own != NULL && good && !r->raw && i < r->options.config.also_count; i++) {
        char *of_machine = term_text("%s.%s", own, r->options.also_name[i]);
        good = output_allowed(of_machine, &output_profile);
        free(of_machine);
    }
    free(own);
    return good;
}

/* Where it was measured that others leave less of the last level to a program, it has that: of as many ways as
 * usual, since processors spread addresses over all sets. */
static void choose_last_level(struct engine_options *options)
{
    const uint32_t ways = 16;
    struct tn_geometry *last = &options->config.ll;
    struct machine machine;

    machine_read(&machine);
    uint64_t reach = (uint64_t)(*machine_value(&machine, "time.LL.reach") * (1 << 20)), sets = 1;
    if (!machine.measured || options_given(options, geometry_name[GEOMETRY_LL]) || reach >= last->size)
        return;
    while (sets * ways * last->line < reach)
        sets *= 2;
    uint64_t fits = reach / (sets * last->line);
    struct tn_geometry less = {sets * last->line * fits, (uint32_t)fits, last->line};
    if (less.assoc == 0 || less.size <= options->config.l2.size || tn_geometry_check(&less) != NULL)
        return;
    *last = less;
    options->geometry_source[GEOMETRY_LL] = "calibrate";
}

/* A machine's caches and, if any are simulated, TLBs, unless options say others. False: a line on stderr says why. */
static bool take_machine(struct record *r, struct described *machine)
{
    struct engine_options *own = &r->options;
    bool tlbs = own->tlb || options_given(own, "itlb") || options_given(own, "dtlb");
    char room[GEOMETRY_TEXT];
    struct tp_error err;

    if (machines_read(machine, r->machine, &err) != 0) {
        term_error("record: --machine: %s", err.message);
        return false;
    }
    for (size_t i = 0; i < options_count; i++) {
        const struct recording_option *option = &options_table[i];
        if (!machines_describe(option) || own->given[i] || (option->kind == OPTIONS_TLB && !tlbs))
            continue;
        if (option->kind == OPTIONS_TLB && !machine->options.given[i]) {
            term_error("record: --machine=%s: nothing is said of its TLBs; --itlb and --dtlb do", r->machine);
            return false;
        }
        const char *value = options_text(&machine->options, option, room);
        take(r, option->name, value != NULL ? value : "none");
        if (option->kind == OPTIONS_GEOMETRY)
            own->geometry_source[option->detail] = machine->name;
    }
    return true;
}

/* What is wrong with an option that would have no effect beside others; NULL: nothing. */
static const char *without_effect(const struct engine_options *options)
{
    const struct {
        bool is_so;
        const char *words;
    } wrong[] = {
        {options_given(options, "sample-seed") && options->config.sample == 1,
         "--sample-seed chooses the sets that --sample=N simulates: give that, too"},
        {options_given(options, "parallel") && options->parallel && options->config.coherence,
         "--parallel=yes: with --coherence=mesi threads take turns"},
        {options_given(options, "parallel") && options->parallel && options->deterministic,
         "--parallel=yes: with --deterministic=yes threads take turns"},
        {options_given(options, "paths") && options->config.paths > 0 && !options->config.inclusive,
         "--paths: there are call paths only where calls are followed, not with --inclusive=no"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (wrong[i].is_so)
            return wrong[i].words;
    }
    return NULL;
}

static int check(struct record *r, char **program, struct names *names, struct engine *engine)
{
    static struct described machine; /* its name is where geometry came from */
    char why[2048];

    if (r->engine_name == NULL) {
        r->engine_kind = r->native_only != NULL ? ENGINE_NATIVE : ENGINE_ANY;
    } else if (strcmp(r->engine_name, "valgrind") == 0 || strcmp(r->engine_name, "native") == 0) {
        r->engine_kind = *r->engine_name == 'v' ? ENGINE_VALGRIND : ENGINE_NATIVE;
    } else {
        term_error("record: --engine=%s: there are the engines valgrind and native", r->engine_name);
        return CLI_OWN_FAILURE;
    }
    if (r->native_only != NULL && r->engine_kind == ENGINE_VALGRIND) {
        term_error("record: %s: the Valgrind engine has no such option", r->native_only);
        return CLI_OWN_FAILURE;
    }
    const char *wrong = without_effect(&r->options);
    if (wrong != NULL) {
        term_error("record: %s", wrong);
        return CLI_OWN_FAILURE;
    }
    int status = target_check(program[0], why, sizeof why);
    if (status != 0) {
        const char *like = strchr(program[0], '/') == NULL ? opt_nearest_command(program[0]) : NULL;

        if (status == CLI_NOT_FOUND && like != NULL)
            term_error("%s; did you mean `tenure %s`?", why, like);
        else
            term_error("%s", why);
        return status;
    }
    if (!engine_find(engine, r->engine_kind, why, sizeof why)) {
        term_error("%s", why);
        return CLI_OWN_FAILURE;
    }
    if (!check_names(r, names))
        return CLI_OWN_FAILURE;
    if (r->options.trace_children && !engine->native && !launch_has_scratch()) {
        term_error("record: --trace-children: Valgrind makes a temporary file for each child, and none can be made in "
                   "%s; set TMPDIR to another folder", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
        return CLI_OWN_FAILURE;
    }
    if (r->runs == 0) {
        term_error("record: --runs=0: the program must run once at least");
        return CLI_OWN_FAILURE;
    }
    if (r->runs > 1 && (r->raw || r->options.trace_children || r->options.config.also_count > 0)) {
        term_error("record: --runs leaves one profile of one program: it does not go with --raw, --trace-children or "
                   "--also");
        return CLI_OWN_FAILURE;
    }
    if (r->machine != NULL && !take_machine(r, &machine))
        return CLI_OWN_FAILURE;
    wrong = options_check(&r->options);
    if (wrong != NULL) {
        term_error("record: %s", wrong);
        return CLI_OWN_FAILURE;
    }
    choose_last_level(&r->options);
    return 0;
}

static struct ending run(struct record *r, struct engine *engine, const struct names *names, char **program)
{
    struct refusals refusals = {-1, -1}, none = {-1, -1};
    char *raw_pattern = names_raw_pattern(names), why[2048];
    const char *progress = r->quiet ? NULL : r->control_dir;

    if (!r->control || !control_folder(NULL, r->control_dir, sizeof r->control_dir))
        *r->control_dir = '\0';

    if (r->engine_kind == ENGINE_ANY && engine->native && !refusals_open(&refusals))
        refusals = none;
    char **argv = engine_argv(r, engine, &refusals, raw_pattern, program);
    control_leave_tick();
    struct ending ending = launch(engine, argv, names->directory, &refusals, progress);
    names_raw(names, ending.pid, left.raw);
    if (ending.refused[0] != '\0') {
        /* The native engine was our choice, and the program turned out not to be one for it: then Valgrind's. */
        engine_free(engine);
        ending.failed = !engine_find(engine, ENGINE_VALGRIND, why, sizeof why);
        if (ending.failed) {
            term_error("the native engine cannot run this program: %s; and %s", ending.refused, why);
        } else {
            term_error("the native engine cannot run this program: %s; it runs under Valgrind", ending.refused);
            argv = engine_argv(r, engine, &none, raw_pattern, program);
            ending = launch(engine, argv, names->directory, &none, progress);
            names_raw(names, ending.pid, left.raw);
        }
    }
    free(raw_pattern);
    return ending;
}

/* What debug information says of the program's data, and which functions the options mean, is put into a file beside
 * the profile, for as long as it runs. */
static bool find_elements(struct record *r, const struct names *names, const char *program)
{
    struct tp_asked asked = {.data = r->options.config.data, .matches = options_matches};
    struct tp_error err;
    char path[PATH_MAX];

    for (const struct options_pattern *at = r->options.patterns; at != NULL; at = at->next)
        asked.count++;
    if ((!asked.data && asked.count == 0) || target_find(program, path, sizeof path) != 0)
        return true;
    const char **patterns = term_have(calloc(asked.count + 1, sizeof *patterns));
    asked.patterns = patterns;
    for (const struct options_pattern *at = r->options.patterns; at != NULL; at = at->next)
        *patterns++ = at->text;
    r->elements = term_text("%s/.tenure.%s.elements", names->directory, names->token);
    left.elements = r->elements;
    int64_t count = tp_elements_write(path, &asked, r->elements, &err);
    free((void *)asked.patterns);
    if (count > 0)
        return true;
    left.elements = NULL;
    free(r->elements);
    r->elements = NULL;
    if (count < 0)
        term_error("%s", err.message);
    return count == 0;
}

/* All runs, until one fails to leave a profile, or a signal ends one or comes between two. `status`: of the first that
 * did not end well, else 0. What standard input had for the first run, a file has for all. */
static enum outcome run_all(struct record *r, struct engine *engine, const struct names *names, char **program,
                            struct told *told, int *status)
{
    off_t input = r->runs > 1 ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
    enum outcome outcome = GOOD;
    bool go_on = true;

    for (*status = 0; go_on && r->run < r->runs; r->run++) {
        if (r->run > 0 && input >= 0)
            lseek(STDIN_FILENO, input, SEEK_SET);
        struct ending ending = run(r, engine, names, program);
        if (r->runs > 1 && launch_late_signal() != 0)
            raise(launch_late_signal()); /* it was for us, and is held */
        outcome = ending.failed ? LOST : collect(r, names, &ending, told);
        if (*status == 0)
            *status = ending.status;
        go_on = outcome == GOOD && !WIFSIGNALED(ending.status) && !launch_was_interrupted() &&
                given_stopped() == 0;
    }
    return outcome;
}

static int record(struct record *r, char **program)
{
    struct names *names = &left.names;
    struct engine engine;
    struct told told = {0};
    int status = check(r, program, names, &engine);

    if (status != 0)
        return status;
    left.process = getpid();
    if (atexit(tell_left) != 0)
        term_no_memory();
    if (!find_elements(r, names, program[0]))
        return CLI_OWN_FAILURE;
    if (r->runs > 1)
        given_hold_signals(); /* the sum of what has been is wanted whatever comes */
    enum outcome outcome = run_all(r, &engine, names, program, &told, &status);
    if (r->elements != NULL)
        unlink(r->elements);
    left.elements = NULL;
    free(r->elements);
    engine_free(&engine);
    if (left.raw[0] == '\0') /* else they are asked for at the end */
        names_free(names);
    if (r->summed > 0 && write_sum(r))
        told = tell(r, r->sum_name, true);
    else if (r->summed > 0)
        outcome = LOST;
    tp_merge_free(r->sum);
    free(r->sum_name);
    if (r->runs > 1) {
        given_release_signals();
        if (given_stopped() != 0)
            tell_left(); /* a signal's end asks nobody */
        given_end_if_stopped();
    }
    if (outcome == NO_PROFILE)
        return without_profile(status);
    bool cut_off = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; /* as it wrote its profile, perhaps */
    if ((outcome == LOST && !cut_off) || told.unread || r->incomplete)
        return CLI_OWN_FAILURE;
    if (told.nothing && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CLI_OWN_FAILURE;
    if (told.faulted && WIFSIGNALED(status) && WTERMSIG(status) == SIGILL)
        term_error("the program met an illegal instruction; if it runs without Tenure, Valgrind does not know the "
                   "instruction (of AVX-512, for example)");
    end_like(status);
}

int cmd_record(int argc, char **argv)
{
    struct record r = {.control = true, .runs = 1};

    term_own_failure(CLI_OWN_FAILURE);
    r.options.is_native = true; /* until it is known which engine it is, the options of both are taken */
    r.options.allocate = allocate;
    r.options.read_text = caches_read_text;
    options_default(&r.options);
    r.arguments = term_have(malloc(((size_t)argc + options_count) * sizeof *r.arguments)); /* a machine has some */
    int first = opt_parse(&command, &r, argc, argv);
    int status = first < 0       ? term_finish(-1 - first)
                 : first >= argc ? opt_misused(&command, "name a program to run, as in `tenure record ls -l`")
                                 : record(&r, r.program = argv + first);
    free(r.arguments);
    return status;
}
