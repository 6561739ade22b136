/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_record.c: run a program under an engine, then make its profile.
 *
 *   check    the program, the engine, where the profile goes: all refusals come before anything starts
 *   run      the engine writes a raw profile per process
 *   import   each raw profile becomes a profile; it is removed when that worked, kept and named when not
 *   tell     totals and the worst findings, on stderr
 *   end      with the program's exit status, or by the signal that killed it
 *
 * Options of the engines are handed through as they are: a row here for each row of their common table
 * (engine/common/options.c), none that they do not have.
 */
#include "cli/base/geometry.h"
#include "cli/base/given.h"
#include "cli/base/names.h"
#include "cli/base/nothing.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/passed.h"
#include "cli/base/query.h"
#include "cli/base/summary.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/control.h"
#include "cli/record/launch.h"
#include "cli/record/short_form.h"
#include "cli/record/target.h"
#include "profile/code/elements.h"
#include "profile/profile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_NATIVE = 32, MAX_SEPARATE = 100 /* callers, or levels */ };

struct record {
    const char *out, *engine_name;
    struct geometry geometry[GEOMETRY_COUNT];
    bool geometry_given[GEOMETRY_COUNT];
    struct passed passed;     /* options for the tool */
    char *native[MAX_NATIVE]; /* options for the native engine */
    size_t native_count;
    bool trace_children, control, embed_source, source_anywhere, raw, stats, quiet;
    char *elements; /* file with what the program's data is made of; NULL: none */
};

/* ------------------------------------------------------------------------------------------ options */

static char *text(const char *format, const char *a, const char *b)
{
    char *result;

    if (asprintf(&result, format, a, b) < 0)
        term_no_memory();
    return result;
}

static const char *take_geometry(void *into, const char *name, const char *value)
{
    struct record *r = into;
    int which = 0;

    while (strcmp(geometry_name[which], name) != 0)
        which++;
    r->geometry_given[which] = true;
    return geometry_parse(&r->geometry[which], value);
}

static const char *pass(void *into, const char *name, const char *value)
{
    struct record *r = into;

    return passed_add(&r->passed, name, value) ? NULL : "too many options for the engine";
}

static const char *pass_switch(void *into, const char *name, const char *value)
{
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return "the value must be yes or no";
    return pass(into, name, value);
}

static const char *native_option(void *into, const char *name, const char *value)
{
    struct record *r = into;

    if (r->native_count == MAX_NATIVE)
        return "too many options for the native engine";
    r->native[r->native_count++] = text("--%s=%s", name, value);
    return NULL;
}

static const char *native_switch(void *into, const char *name, const char *value)
{
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return "the value must be yes or no";
    return native_option(into, name, value);
}

static const char *native_cache(void *into, const char *name, const char *value)
{
    uint64_t number;

    if (!opt_number(value, NULL, &number) || number < 4 || number > 1024)
        return "the value must be a number of MiB from 4 to 1024";
    return native_option(into, name, value);
}

static const char *native_count(void *into, const char *name, const char *value)
{
    char number[32];
    uint64_t count;

    if (!opt_number(value, NULL, &count))
        return "the value must be a whole number";
    snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    return native_option(into, name, number);
}

static const char *pass_coherence(void *into, const char *name, const char *value)
{
    if (strcmp(value, "no") != 0 && strcmp(value, "mesi") != 0)
        return "the value must be no or mesi";
    return pass(into, name, value);
}

static const char *pass_prefetch(void *into, const char *name, const char *value)
{
    if (strcmp(value, "none") != 0 && strcmp(value, "stream") != 0)
        return "the value must be none or stream";
    return pass(into, name, value);
}

static const char *pass_count(void *into, const char *name, const char *value)
{
    char text[32];
    uint64_t number;

    if (!opt_number(value, NULL, &number))
        return "the value must be a whole number";
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return pass(into, name, text);
}

static const char *pass_text(void *into, const char *name, const char *value)
{
    return *value == '\0' ? "the value is empty" : pass(into, name, value);
}

static const char *pass_function(void *into, const char *name, const char *value)
{
    return *value == '\0' ? "name a function" : pass(into, name, value);
}

/* N or N=FUNCTION. */
static const char *pass_separate(void *into, const char *name, const char *value)
{
    bool levels = strcmp(name, "separate-recs") == 0;
    char *end = NULL;
    unsigned long number = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : ULONG_MAX;

    if (number > MAX_SEPARATE || (levels && number == 0) || (*end != '\0' && *end != '='))
        return levels ? "give a number of levels from 1 to 100, for all functions or as N=FUNCTION"
                      : "give a number of callers from 0 to 100, for all functions or as N=FUNCTION";
    return strcmp(end, "=") == 0 ? "name a function" : pass(into, name, value);
}

// clang-format off
#define HEAD(text) {OPT_HEADING, NULL, 0, NULL, text, 0, NULL, false}
#define SWITCH(name, help) {OPT_TAKE, name, 0, "yes|no", help, 0, pass_switch, true}
#define NATIVE(name, help) {OPT_TAKE, name, 0, "yes|no", help, 0, native_switch, true}
#define FUNCTIONS(name, help) {OPT_TAKE, name, 0, "FUNCTION", help, 0, pass_function, false}
#define SEPARATE(name, help) {OPT_TAKE_COUNTED, name, 0, "N[=FUNCTION]", help, 0, pass_separate, false}
#define CACHE(name, help) {OPT_TAKE, name, 0, "SIZE,ASSOC,LINE", help, 0, take_geometry, false}
// clang-format on

static const struct opt rows[] = {
    HEAD("Recording"),
    {OPT_TEXT, "out", 'o', "FILE",
     "the profile [tenure.out.%p]; %p process, %n number, %h host,\n"
     "%q{VAR} environment variable, %% percent sign",
     offsetof(struct record, out), NULL, false},
    {OPT_TEXT, "engine", 0, "valgrind|native", "what runs the program [native where it can]",
     offsetof(struct record, engine_name), NULL, false},
    {OPT_SWITCH, "trace-children", 0, NULL, "go on in programs that are executed [no]",
     offsetof(struct record, trace_children), NULL, false},
    {OPT_SWITCH, "control", 0, NULL, "let `tenure control` talk to the program while it runs [yes]",
     offsetof(struct record, control), NULL, false},
    SWITCH("fork-inherit", "a forked child goes on with its parent's costs [no]"),
    {OPT_SWITCH, "embed-source", 0, NULL, "keep the source text in the profile [no]",
     offsetof(struct record, embed_source), NULL, false},
    {OPT_FLAG, "source-anywhere", 0, NULL, SOURCE_ANYWHERE, offsetof(struct record, source_anywhere), NULL, false},
    {OPT_TAKE, "rank", 0, "N", "rank in its job, for merges [from MPI or Slurm]", 0, pass_count, false},
    {OPT_TAKE, "host", 0, "NAME", "this machine's name, for merges [gethostname]", 0, pass_text, false},
    {OPT_FLAG, "raw", 0, NULL, "keep the raw profile, import nothing", offsetof(struct record, raw), NULL,
     false},
    {OPT_SWITCH, "stats", 0, NULL, "print counters of the recording at the end [no]",
     offsetof(struct record, stats), NULL, false},
    {OPT_FLAG, "quiet", 'q', NULL, "no totals and findings at the end", offsetof(struct record, quiet), NULL,
     false},

    HEAD("Simulation"),
    CACHE("I1", "first-level instruction cache [this machine's]"),
    CACHE("D1", "first-level data cache [this machine's]"),
    CACHE("L2", "second-level cache, of code and data [none]"),
    CACHE("LL", "last-level cache [this machine's]; sizes may end in K, M, G"),
    SWITCH("cache-sim", "simulate caches [yes]"),
    SWITCH("branch-sim", "simulate branch prediction [no]"),
    SWITCH("cacheuse", "collect the use of cache lines [yes]"),
    SWITCH("write-back", "count lines written back, and the bytes changed in them [no]"),
    SWITCH("simulate-wb", "the same, as Callgrind calls it"),
    {OPT_TAKE, "prefetch", 0, "none|stream", "a stream prefetcher at the first level below level 1 [none]", 0,
     pass_prefetch, false},
    SWITCH("simulate-hwpref", "the same, as Callgrind calls it: yes is stream, no is none"),
    {OPT_TAKE, "coherence", 0, "no|mesi",
     "D1s of threads invalidate each other's lines: what is shared,\ntruly and falsely; threads take turns [no]", 0,
     pass_coherence, false},
    SWITCH("strides", "keep strides between the misses of an instruction in a data\nstructure [yes]"),
    SWITCH("patterns", "tell misses apart (cold, capacity, conflict), keep the sets that\nconflict [no]"),
    SWITCH("interdependence", "keep who throws out whose lines, and who loads them again;\nwith --patterns=yes [no]"),
    SWITCH("inclusive", "follow calls, for inclusive costs [yes]"),
    SWITCH("data", "charge data structures: heap blocks, globals, stacks, files [yes]"),
    {OPT_TAKE, "paths", 0, "N", "call paths kept apart; 0: none [250000]", 0, pass_count, false},
    SWITCH("shared-l1", "one I1 and D1 for all threads, as in Callgrind [no]"),
    NATIVE("parallel", "native engine: threads run at the same time [yes]"),
    NATIVE("deterministic", "native engine: threads take turns, in the same order in each run [no]"),
    {OPT_TAKE, "turn", 0, "N",
     "native engine: accesses that a thread's turn lasts, with\n"
     "--coherence=mesi [1000] or --deterministic=yes [0: many]",
     0, native_count, false},
    SWITCH("flush-at-exit", "charge the lines that are resident at the end [yes]"),
    SWITCH("aslr", "random addresses, others in each run [no]"),
    NATIVE("spare-core", "native engine: simulate the lower levels on another core, if one is idle [yes]"),

    HEAD("What is collected (* and ? match in FUNCTION; may be repeated)"),
    SWITCH("collect-atstart", "collect from the start [yes]"),
    SWITCH("instr-atstart", "simulate from the start [yes]"),
    SWITCH("instr-at-start", "the same, by Cachegrind's name"),
    {OPT_TAKE, "start", 0, "FUNCTION|N", "neither simulate nor collect before FUNCTION is first entered,\n"
     "or for N instructions", 0, pass_function, false},
    {OPT_TAKE, "warm", 0, "FUNCTION|N", "but simulate from there on, so that --start finds warm caches", 0,
     pass_function, false},
    FUNCTIONS("toggle-collect", "collect only inside FUNCTION"),
    FUNCTIONS("dump-before", "write a part whenever FUNCTION is entered"),
    FUNCTIONS("dump-after", "write a part whenever FUNCTION returns"),
    {OPT_TAKE, "dump-every", 0, "N", "write a part every N instructions; 0: do not [0]", 0, pass_count, false},
    FUNCTIONS("zero-before", "forget all costs whenever FUNCTION is entered"),
    {OPT_TAKE, "stop-after", 0, "N", "neither simulate nor collect N instructions after the start", 0,
     pass_count, false},
    FUNCTIONS("fn-skip", "costs of FUNCTION go to its caller"),
    {OPT_TAKE, "alloc-fn", 0, "FUNCTION[:N]", "FUNCTION allocates memory too; its argument N is the size [1]", 0,
     pass_function, false},
    {OPT_TAKE, "free-fn", 0, "FUNCTION[:N]", "and FUNCTION frees it; its argument N is the address [1]", 0,
     pass_function, false},
    SWITCH("skip-plt", "the same for procedure linkage tables [yes]"),
    SEPARATE("separate-callers", "keep functions apart by their last N callers [0]"),
    SEPARATE("separate-recs",
             "and by N levels of recursion [1]; with FUNCTION that one\nalone, also written --separate-recsN=FUNCTION"),

    HEAD("Finding faults in the native engine (they change the speed, and nothing else)"),
    NATIVE("join", "blocks of code go on behind conditional branches [yes]"),
    NATIVE("link", "blocks jump to one another, not by way of the engine [yes]"),
    NATIVE("lookup", "indirect jumps find their target's block themselves [yes]"),
    NATIVE("returns", "returns go where their calls have noted [yes]"),
    NATIVE("self-check", "compare the code that is made with the program's [no]"),
    {OPT_TAKE, "code-cache", 0, "MIB", "memory for translated code [512]", 0, native_cache, false},
};

/* What users of Callgrind and Cachegrind may try. */
static const struct opt_foreign foreign[] = {
    {"callgrind-out-file", "the profile is named by --out"},
    {"cachegrind-out-file", "the profile is named by --out"},
    {"dump-line", "lines are always kept; choose what to show in `tenure report`"},
    {"dump-instr", "instructions are always kept; `tenure export --format=callgrind` can write them"},
    {"compress-strings", "it belongs to Callgrind's format: see `tenure export --format=callgrind`"},
    {"compress-pos", "it belongs to Callgrind's format: see `tenure export --format=callgrind`"},
    {"combine-dumps", "all parts of a run are in one profile"},
    {"dump-every-bb", "parts are made at functions or requests: --dump-before, --dump-after, tenure.h"},
    {"collect-jumps", "jumps inside functions are not recorded; calls and tail calls always are"},
    {"collect-bus", "there are no bus events: --coherence=mesi counts what threads share"},
    {"collect-systime", "costs are simulated, time in the kernel is not among them: use `perf trace`"},
    {"separate-threads", "threads are always kept apart: `tenure report --threads`"},
    {"skip-direct-rec", "recursion never counts an event twice; its levels are kept apart by --separate-recs"},
    {NULL, NULL},
};

static const struct opt_command command = {
    "record",
    "[options] [--] PROGRAM ARGS...",
    "Runs PROGRAM and writes its profile. Ends with the program's exit status; 125: Tenure failed,\n"
    "126: PROGRAM cannot be executed, 127: PROGRAM was not found.",
    rows,
    sizeof rows / sizeof rows[0],
    true,
    CLI_OWN_FAILURE,
    foreign,
};

/* ------------------------------------------------------------------------------ the engine's command line */

static void choose_caches(struct record *r)
{
    struct geometry found[GEOMETRY_COUNT];
    int i;

    geometry_detect(found, NULL);
    found[GEOMETRY_L2] = (struct geometry){0}; /* only if it was asked for */
    for (i = 0; i < GEOMETRY_COUNT; i++) {
        if (!r->geometry_given[i])
            r->geometry[i] = found[i];
    }
}

/* The cache below this one; GEOMETRY_COUNT: none. */
static int next_cache(const struct record *r, int i)
{
    do
        i++;
    while (i < GEOMETRY_COUNT && r->geometry[i].size == 0);
    return i;
}

/* What one cache asks of the next; the engine checks each by itself. */
static bool fits(const struct record *r)
{
    int i, next;

    for (i = 0; i < GEOMETRY_COUNT; i++) {
        next = i == GEOMETRY_I1 ? next_cache(r, GEOMETRY_D1) : next_cache(r, i);
        if (next < GEOMETRY_COUNT && r->geometry[i].line > r->geometry[next].line) {
            term_error("record: --%s: its lines of %llu bytes are shorter than %s's of %llu", geometry_name[next],
                       (unsigned long long)r->geometry[next].line, geometry_name[i],
                       (unsigned long long)r->geometry[i].line);
            return false;
        }
    }
    return true;
}

/* Valgrind stops the main stack at 16 MiB, whatever the limit is; NULL where the limit is no higher. */
static char *stack_size(void)
{
    const rlim_t usual = 16 << 20, most = 1 << 30; /* address space that is only kept free */
    struct rlimit limit;
    char *text;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= usual))
        return NULL;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most)
        limit.rlim_cur = most;
    if (asprintf(&text, "--main-stacksize=%llu", (unsigned long long)limit.rlim_cur) < 0)
        term_no_memory();
    return text;
}

/* What Valgrind itself is to do; returns how many options were put at `argv`. */
static size_t valgrind_options(const struct record *r, char **argv)
{
    static const char *const always[] = {
        "--command-line-only=yes", /* neither ~/.valgrindrc nor VALGRIND_OPTS */
        "--tool=tenure",
        "-q",
        "--vgdb=no", /* its descriptors would be the program's to see */
        "--run-libc-freeres=no",
        "--run-cxx-freeres=no",
    };
    size_t at = 0, i;

    for (i = 0; i < sizeof always / sizeof always[0]; i++)
        argv[at++] = strdup(always[i]);
    if (r->trace_children)
        argv[at++] = strdup("--trace-children=yes");
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) /* or Valgrind takes the first file that the program opens for its own */
        argv[at++] = strdup("--log-file=/dev/null");
    argv[at] = stack_size();
    return at + (argv[at] != NULL);
}

/* Which process of which job this is: what the launchers of Open MPI, MPICH and Slurm say. */
static size_t whereabouts(const struct record *r, char **argv)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *rank = NULL;
    char host[HOST_NAME_MAX + 1] = "";
    size_t at = 0, i;

    for (i = 0; rank == NULL && i < sizeof ranks / sizeof ranks[0]; i++) {
        rank = getenv(ranks[i]);
        if (rank != NULL && !opt_number(rank, NULL, &(uint64_t){0}))
            rank = NULL;
    }
    if (rank != NULL && passed_value(&r->passed, "rank") == NULL)
        argv[at++] = text("--rank=%s%s", rank, "");
    if (passed_value(&r->passed, "host") == NULL && gethostname(host, HOST_NAME_MAX) == 0 && *host != '\0')
        argv[at++] = text("--host=%s%s", host, "");
    return at;
}

/* A NULL-ended argv for the engine; freed by nobody, it lives as long as the recording. */
static char **engine_argv(const struct record *r, const struct engine *engine, const struct refusals *refusals,
                          char *raw_pattern, char **program)
{
    size_t operands = 0, at = 0, i;
    char **argv, geometry[96], folder[PATH_MAX], why[PATH_MAX + 128];

    while (program[operands] != NULL)
        operands++;
    argv = calloc(operands + r->passed.count + r->native_count + GEOMETRY_COUNT + 16, sizeof *argv);
    if (argv == NULL)
        term_no_memory();
    argv[at++] = engine->program;
    if (engine->native) {
        argv[at++] = strdup("--profile=yes");
        if (r->trace_children)
            argv[at++] = strdup("--trace-children=yes");
        if (r->stats)
            argv[at++] = strdup("--stats=yes");
        if (refusals->to >= 0 && asprintf(&argv[at++], "--refusals-to=%d", refusals->to) < 0)
            term_no_memory();
        for (i = 0; i < r->native_count; i++)
            argv[at++] = r->native[i];
    } else {
        at += valgrind_options(r, argv + at);
    }
    argv[at++] = text("--tenure-out-file=%s%s", raw_pattern, "");
    if (r->elements != NULL)
        argv[at++] = text("--elements=%s%s", r->elements, "");
    if (r->control && control_folder(folder, sizeof folder, why, sizeof why))
        argv[at++] = text("--control-dir=%s%s", folder, "");
    for (i = 0; i < GEOMETRY_COUNT; i++) {
        if (r->geometry[i].size == 0)
            continue;
        geometry_text(&r->geometry[i], geometry, sizeof geometry);
        argv[at++] = text("--%s=%s", geometry_name[i], geometry);
    }
    for (i = 0; i < r->passed.count; i++)
        argv[at++] = r->passed.at[i];
    at += whereabouts(r, argv + at);
    argv[at++] = strdup("--");
    memcpy(argv + at, program, operands * sizeof *argv);
    return argv;
}

/* ------------------------------------------------------------------------------------------ afterwards */

/* key, value, ..., NULL for the profile: where the geometry came from. */
static const char *const *extra_meta(const struct record *r)
{
    static const char *const keys[] = {"cache.I1.source", "cache.D1.source", "cache.L2.source", "cache.LL.source"};
    static const char *list[2 * GEOMETRY_COUNT + 1];
    int i, n = 0;

    for (i = 0; i < GEOMETRY_COUNT; i++) {
        if (r->geometry[i].size == 0)
            continue;
        list[n++] = keys[i];
        list[n++] = r->geometry[i].source;
    }
    return list;
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
    char name[PATH_MAX], real[PATH_MAX];

    snprintf(name, sizeof name, "%s%s", profile, r->out == NULL ? ".raw" : "");
    if (!may_write(raw, name, &output_raw))
        return false;
    if (rename(raw, realpath(name, real) != NULL ? real : name) != 0) {
        term_error("cannot rename %s to %s: %s; the raw profile is kept", raw, name, strerror(errno));
        return false;
    }
    if (!r->quiet)
        fprintf(stderr, "tenure: wrote %s; `tenure import %s` makes the profile\n", name, name);
    return true;
}

static bool import(const struct record *r, const char *raw, const char *profile)
{
    struct tp_import_options options = {
        .embed_source = r->embed_source, .source_anywhere = r->source_anywhere, .meta = extra_meta(r)};
    struct tp_import_result result = {0};
    struct tp_error err = {0};

    if (!may_write(raw, profile, &output_profile))
        return false;
    if (given_import(&raw, 1, profile, &options, &result, &err) != 0) {
        term_error("%s", err.message);
        term_error("the raw profile is kept: %s; `tenure import %s -o FILE` tries again", raw, raw);
        return false;
    }
    given_tell(raw, &result);
    if (!r->quiet)
        given_tell_missing(&result);
    if (result.damaged)
        term_error("the raw profile is kept: %s", raw);
    else
        unlink(raw);
    return true;
}

static void tell_stats(tp_profile *profile)
{
    char number[32], name[128];
    struct query q;

    fputs("\nRecording:\n", stderr);
    query_begin(&q, profile, "SELECT name, value FROM stats ORDER BY rowid");
    while (query_row(&q)) {
        term_escape(name, sizeof name, query_text(&q, 0));
        fprintf(stderr, "  %-28s %18s\n", name, term_number(number, query_int(&q, 1)));
    }
    query_end(&q);
}

/* Which caches, and who said so: once for neighbours that are from one source. */
static void tell_caches(const struct record *r)
{
    char words[96];
    int i, next;

    for (i = 0; i < GEOMETRY_COUNT; i = next) {
        next = next_cache(r, i);
        geometry_words(&r->geometry[i], words, sizeof words);
        fprintf(stderr, "%s %s %s", i ? ";" : "tenure:", geometry_name[i], words);
        if (next == GEOMETRY_COUNT || strcmp(r->geometry[i].source, r->geometry[next].source) != 0)
            fprintf(stderr, " (%s)", r->geometry[i].source);
    }
    fputc('\n', stderr);
}

struct told {
    bool faulted; /* Valgrind has ended the program at an instruction */
    bool nothing; /* was recorded, by mistake */
};

static struct told tell(const struct record *r, const char *path)
{
    struct tp_error err = {0};
    tp_profile *profile = tp_open(path, &err);
    char safe[PATH_MAX];
    struct told told = {false, false};

    if (profile == NULL) {
        term_error("%s", err.message);
        return told;
    }
    if (!r->quiet) {
        fputc('\n', stderr);
        if (!query_was_off(profile, "cache-sim"))
            tell_caches(r);
        summary_totals(profile, stderr, "  ");
        summary_findings(profile, stderr, "  ");
        term_escape(safe, sizeof safe, path);
        fprintf(stderr, "tenure: `tenure report --advice %s` says what to change, `tenure open %s` shows the rest\n",
                safe, safe);
    }
    if (r->stats)
        tell_stats(profile);
    told.nothing = nothing_recorded(profile, &r->passed);
    told.faulted = tp_meta(profile, "fault") != NULL;
    tp_close(profile);
    return told;
}

static bool is_empty(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && status.st_size == 0;
}

/* Whether a process is there and has not ended; one that nobody has waited for has. */
static bool lives(pid_t pid)
{
    char path[64], text[512];
    const char *state;
    size_t length;
    FILE *stream;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    stream = fopen(path, "re");
    if (stream == NULL)
        return false;
    length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[length] = '\0';
    state = strrchr(text, ')'); /* the name before it may hold anything */
    return state != NULL && strncmp(state, ") Z", 3) != 0 && strncmp(state, ") X", 3) != 0;
}

enum outcome { NO_PROFILE, LOST, GOOD };

/* What became of the program's own raw file; its children's are treated the same, but for those that have outlived it:
 * they will write once more. */
static enum outcome collect(const struct record *r, const struct names *names, const struct ending *ending,
                            struct told *told)
{
    struct names_raw *list;
    size_t count = names_list(names, &list), i;
    enum outcome outcome = NO_PROFILE;

    for (i = 0; i < count; i++) {
        char *profile;
        bool good;

        if (list[i].pid != ending->pid && lives(list[i].pid)) {
            if (!r->quiet)
                fprintf(stderr, "tenure: process %ld still runs; when it has ended: `tenure import %s`\n",
                        (long)list[i].pid, list[i].path);
            continue;
        }
        profile = names_profile(names, &list[i], ending->pid);
        if (is_empty(list[i].path)) {
            unlink(list[i].path); /* the engine refused, or was killed before it wrote */
            free(profile);
            continue;
        }
        if (r->raw && list[i].pid == ending->pid)
            told->nothing = nothing_in_raw(list[i].path, &r->passed);
        good = r->raw ? keep_raw(r, list[i].path, profile) : import(r, list[i].path, profile);
        if (good && !r->raw && list[i].pid == ending->pid)
            *told = tell(r, profile);
        else if (good && !r->raw && !r->quiet)
            fprintf(stderr, "tenure: process %ld: `tenure report %s`\n", (long)list[i].pid, profile);
        if (list[i].pid == ending->pid && outcome != LOST)
            outcome = good ? GOOD : LOST;
        free(profile);
    }
    told->nothing &= count == 1; /* other processes may have recorded what was meant */
    names_list_free(list, count);
    return outcome;
}

/* No profile: say why, unless the engine has. */
static int without_profile(int status)
{
    if (WIFSIGNALED(status)) {
        term_error("killed by signal %d (%s) before a profile could be written", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
        end_like(status);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != CLI_OWN_FAILURE)
        term_error("the engine ended without a profile");
    return CLI_OWN_FAILURE;
}

/* ------------------------------------------------------------------------------------------ the command */

/* Where the profile goes: better to hear it now than after an hour's run. */
static bool check_names(const struct record *r, struct names *names)
{
    const char *wrong = names_make(names, r->out != NULL ? r->out : "tenure.out.%p");
    char *own;
    bool good;

    if (wrong != NULL) {
        term_error("record: --out: %s", wrong);
        return false;
    }
    own = names_own(names);
    good = own == NULL || output_allowed(own, r->raw ? &output_raw : &output_profile);
    free(own);
    return good;
}

static int check(struct record *r, char **program, struct names *names, struct engine *engine)
{
    char why[2048];
    int status;

    if (r->engine_name == NULL && r->native_count > 0)
        r->engine_name = "native";
    if (r->engine_name != NULL && strcmp(r->engine_name, "valgrind") != 0 && strcmp(r->engine_name, "native") != 0) {
        term_error("record: --engine=%s: there are the engines valgrind and native", r->engine_name);
        return CLI_OWN_FAILURE;
    }
    if (r->native_count > 0 && strcmp(r->engine_name, "valgrind") == 0) {
        term_error("record: %s: the Valgrind engine has no such option", r->native[0]);
        return CLI_OWN_FAILURE;
    }
    status = target_check(program[0], why, sizeof why);
    if (status != 0) {
        const char *like = strchr(program[0], '/') == NULL ? short_form_nearest_command(program[0]) : NULL;

        if (status == CLI_NOT_FOUND && like != NULL)
            term_error("%s; did you mean `tenure %s`?", why, like);
        else
            term_error("%s", why);
        return status;
    }
    if (!engine_find(engine, r->engine_name, why, sizeof why)) {
        term_error("%s", why);
        return CLI_OWN_FAILURE;
    }
    if (!check_names(r, names))
        return CLI_OWN_FAILURE;
    if (r->trace_children && !engine->native && !launch_has_scratch()) {
        term_error("record: --trace-children: Valgrind makes a temporary file for each child, and none can be made in "
                   "%s; set TMPDIR to another folder", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
        return CLI_OWN_FAILURE;
    }
    return 0;
}

/* The native engine was our choice, and the program turned out not to be one for it: then Valgrind's. */
static bool fall_back(struct engine *engine, const char *refused)
{
    char why[2048];

    engine_free(engine);
    if (!engine_find(engine, "valgrind", why, sizeof why)) {
        term_error("the native engine cannot run this program: %s; and %s", refused, why);
        return false;
    }
    term_error("the native engine cannot run this program: %s; it runs under Valgrind", refused);
    return true;
}

static struct ending run(const struct record *r, struct engine *engine, const struct names *names, char **program)
{
    struct refusals refusals = {-1, -1}, none = {-1, -1};
    char *raw_pattern = names_raw_pattern(names);
    struct ending ending;

    if (r->engine_name == NULL && engine->native && !refusals_open(&refusals))
        refusals = none;
    ending = launch(engine, engine_argv(r, engine, &refusals, raw_pattern, program), names->directory, &refusals);
    if (ending.refused[0] != '\0') {
        ending.failed = !fall_back(engine, ending.refused);
        if (!ending.failed)
            ending = launch(engine, engine_argv(r, engine, &none, raw_pattern, program), names->directory, &none);
    }
    free(raw_pattern);
    return ending;
}

static bool records_data(const struct record *r)
{
    return !passed_is(&r->passed, "data", "no") && !passed_is(&r->passed, "cache-sim", "no") &&
           !passed_is(&r->passed, "inclusive", "no");
}

/* What debug information says of the program's data is put into a file beside the profile, for as long as it runs. */
static void find_elements(struct record *r, const struct names *names, const char *program)
{
    struct tp_error err;
    char path[PATH_MAX];

    if (!records_data(r) || target_find(program, path, sizeof path) != 0)
        return;
    if (asprintf(&r->elements, "%s/.tenure.%s.elements", names->directory, names->token) < 0)
        term_no_memory();
    if (tp_elements_write(path, r->elements, &err) > 0)
        return;
    free(r->elements);
    r->elements = NULL;
}

static void forget_elements(struct record *r)
{
    if (r->elements != NULL)
        unlink(r->elements);
    free(r->elements);
}

static int record(struct record *r, char **program)
{
    struct names names;
    struct engine engine;
    struct ending ending;
    enum outcome outcome;
    struct told told = {false, false};
    int status = check(r, program, &names, &engine);

    if (status != 0)
        return status;
    choose_caches(r);
    if (!fits(r))
        return CLI_OWN_FAILURE;
    find_elements(r, &names, program[0]);
    ending = run(r, &engine, &names, program);
    forget_elements(r);
    engine_free(&engine);
    if (ending.failed)
        return CLI_OWN_FAILURE;
    outcome = collect(r, &names, &ending, &told);
    names_free(&names);
    if (outcome == NO_PROFILE)
        return without_profile(ending.status);
    if (outcome == LOST)
        return CLI_OWN_FAILURE;
    if (told.nothing && WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 0)
        return CLI_OWN_FAILURE;
    if (told.faulted && WIFSIGNALED(ending.status) && WTERMSIG(ending.status) == SIGILL)
        term_error("the program met an illegal instruction; if it runs without Tenure, Valgrind does not know the "
                   "instruction (of AVX-512, for example)");
    end_like(ending.status);
}

int cmd_record(int argc, char **argv)
{
    struct record r = {.control = true};
    int first;

    term_own_failure(CLI_OWN_FAILURE);
    first = opt_parse(&command, &r, argc, argv);
    if (first < 0)
        return term_finish(-1 - first);
    if (first >= argc)
        return opt_misused(&command, "name a program to run, as in `tenure record ls -l`");
    return record(&r, argv + first);
}
