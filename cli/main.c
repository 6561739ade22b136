/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c: finds the command and hands over.
 *
 * `tenure program args...` is `tenure record program args...`: a first word that is no command is a program, unless it
 * is most likely a mistake. A program that happens to have a command's name is reached with
 * `tenure record report`, `tenure -- report` or `tenure ./report`.
 */
#include "cli/base/given.h"
#include "cli/base/heap.h"
#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "cli/base/topic.h"
#include "cli/cli.h"
#include "profile/base/sound.h"
#include "profile/profile.h"
#include "tenure_config.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
    bool reads;
} commands[] = {
#define CLI_COMMAND(name, about, reads) {#name, cmd_##name, about, reads},
#include "cli/commands.inc"
#undef CLI_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *out)
{
    fputs("usage: tenure COMMAND [options] ...\n"
          "       tenure PROGRAM ARGS...     the same as `tenure record PROGRAM ARGS...`\n\n"
          "Tenure shows how a program uses the caches: what is loaded, how much of it is ever touched,\n"
          "and which line, function and call path it is owed to.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].about);
    fputs("\n`tenure COMMAND --help` lists a command's options. `tenure help TOPIC` prints a document:\n\nTopics:\n",
          out);
    for (const struct topic *topic = topics; topic->name != NULL; topic++)
        fprintf(out, "  %-14s %s\n", topic->name, topic->about);
}

static int wrong_option(const char *word)
{
    static const char *const names[] = {"help", "version"};
    const char *like = opt_nearest(word + strspn(word, "-"), names, 2);

    if (like != NULL)
        term_error("unknown option %s; did you mean --%s?", word, like);
    else
        term_error("unknown option %s; a command comes first, as in `tenure record %s ...`", word, word);
    return CLI_USAGE;
}

static bool is_command(const char *name)
{
    size_t i = 0;

    while (i < COMMANDS && strcmp(commands[i].name, name) != 0)
        i++;
    return i < COMMANDS;
}

/* argv[0] is a command's name. */
static int run_command(int argc, char **argv)
{
    size_t i = 0;

    while (strcmp(commands[i].name, argv[0]) != 0)
        i++;
    if (!commands[i].reads)
        return commands[i].run(argc, argv);
    term_hold(given_unsound);
    int status = commands[i].run(argc, argv);
    if (!term_release(status != CLI_ERROR))
        return CLI_ERROR;
    return term_finish(status);
}

/* ------------------------------------------------------------------------------------------ programs and mistakes */

/*
 * Whoever knows perf, Callgrind or git types `tenure script FILE`, and there is a program called script, which writes
 * over FILE. So the words that such tools have for commands start no program, nor does any word with a profile among
 * its arguments. Names of programs that people profile do not belong here. First the words for which there is a command
 * of ours.
 */
static const struct {
    const char *word, *ours;
} translated[] = {
    {"add", "merge"}, {"analyse", "report"}, {"analyze", "report"}, {"attach", "control"}, {"browse", "open"},
    {"c2c", "report --sharing"}, {"collect", "control"}, {"command", "control"}, {"compare", "diff"},
    {"config", "info"}, {"convert", "export"}, {"data", "report --data"}, {"dump", "control"}, {"events", "info"},
    {"evlist", "info"}, {"exec", "record"}, {"fsck", "check"}, {"functions", "report"}, {"graph", "html"},
    {"header", "info"}, {"launch", "record"}, {"list", "report"}, {"live", "top"}, {"load", "import"}, {"log", "info"},
    {"mem", "report --data"}, {"peek", "report"}, {"print", "report"}, {"profile", "record"}, {"query", "sql"},
    {"run", "record"}, {"script", "export"}, {"sessions", "control"}, {"show", "report"}, {"source", "annotate"},
    {"start", "control"}, {"stat", "report"}, {"stats", "report"}, {"status", "control"}, {"stop", "control"},
    {"summary", "report"}, {"threads", "report --threads"}, {"trace", "record"}, {"tui", "top"},
    {"version", "--version"}, {"view", "open"}, {"web", "open"},
};

/* And those for what Tenure has no command for. */
static const char *const untranslated[] = {
    "am", "apply", "archive", "bench", "bisect", "blame", "branch", "buildid-cache", "buildid-list", "bundle",
    "calibrate", "cat-file", "checkout", "cherry-pick", "clean", "clone", "commit", "daemon", "describe",
    "fetch", "finalize", "format-patch", "ftrace", "gc", "init", "inject", "instrument", "iostat",
    "kallsyms", "kill", "kmem", "kvm", "kwork", "lock", "ls-files", "mv", "notes", "probe", "prune",
    "pull", "push", "rebase", "recv", "reflog", "remote", "repack", "replace", "replay", "reset", "restore",
    "rev-parse", "revert", "rm", "sched", "setup", "shortlog", "shutdown", "stash", "submodule", "switch", "tag",
    "test", "timechart", "try", "whatchanged", "worktree", "zero",
};

/* Only files are opened: a pipe would wait for who writes to it, and what is read from it is gone. */
static bool is_profile(const char *path)
{
    struct tp_error ignored;
    struct stat status;
    enum tp_kind kind = TP_KIND_UNREADABLE;

    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        kind = tp_kind(path, &ignored);
    return tp_kind_is_profile(kind) || tp_kind_is_raw(kind);
}

static bool refuse(char *const *argv, const char *ours)
{
    const char *more = argv[1] != NULL ? " ..." : "";

    if (ours != NULL)
        term_error("there is no command %s, but `tenure %s`; to profile a program of that name: `tenure record %s%s`",
                   argv[0], ours, argv[0], more);
    else
        term_error("there is no command %s; to profile a program of that name: `tenure record %s%s`", argv[0], argv[0],
                   more);
    return true;
}

/* argv[0] is a word that is no command of ours, behind it are its arguments up to a NULL. True, with a line on stderr,
 * if it is not to be run as a program. A word with a slash is a path, and always one. */
static bool is_mistake(char *const *argv)
{
    if (strchr(argv[0], '/') != NULL)
        return false;
    for (size_t i = 0; i < sizeof translated / sizeof *translated; i++) {
        if (strcmp(translated[i].word, argv[0]) == 0)
            return refuse(argv, translated[i].ours);
    }
    for (size_t i = 0; i < sizeof untranslated / sizeof *untranslated; i++) {
        if (strcmp(untranslated[i], argv[0]) == 0)
            return refuse(argv, NULL);
    }
    for (size_t i = 1; argv[i] != NULL; i++) {
        if (is_profile(argv[i]))
            return refuse(argv, opt_nearest_command(argv[0]));
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ the command line */

/* tenure help [WORD]: what there is, a command's options, or a document. */
static int help(int argc, char **argv)
{
    static const struct opt_command self = {.name = "help", .synopsis = "[COMMAND | TOPIC]",
                                            .about = "Prints a command's options, or a document."};
    char option[] = "--help", *of_command[] = {NULL, option, NULL};
    const char *names[COMMANDS + 32], *word, *like;
    size_t count = 0;
    int at = opt_parse(&self, NULL, argc, argv);

    if (at < 0)
        return -1 - at;
    if (argc - at > 1)
        return opt_misused(&self, "one command or topic at a time, %s is one too many", argv[at + 1]);
    if (at == argc) {
        print_usage(stdout);
        return term_finish(CLI_GOOD);
    }
    word = of_command[0] = argv[at];
    if (is_command(word))
        return run_command(2, of_command);
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        if (strcmp(topic->name, word) == 0) {
            term_hold(given_unsound);
            fwrite(topic->text, 1, topic->size, stdout);
            return term_release(true) ? term_finish(CLI_GOOD) : CLI_ERROR;
        }
        names[count++] = topic->name;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        names[count++] = commands[i].name;
    like = opt_nearest(word, names, count);
    if (like != NULL)
        term_error("help: there is no command or topic %s; did you mean `tenure help %s`?", word, like);
    else
        term_error("help: there is no command or topic %s; `tenure help` lists them", word);
    return CLI_USAGE;
}

/*
 * Where we were started without one of the first three descriptors, a file that we open would get its number, and what
 * is meant for the terminal would be written into it. What is opened there instead can neither be read nor written
 * (O_PATH), and is closed in the programs that we run.
 */
static void fill_standard_descriptors(void)
{
    for (int at = STDIN_FILENO; at <= STDERR_FILENO; at++) {
        if (fcntl(at, F_GETFD) < 0)
            (void)open("/", O_PATH | O_CLOEXEC);
    }
}

static int main_here(int argc, char **argv)
{
    fill_standard_descriptors();
    heap_begin();
    setlocale(LC_CTYPE, "");
    tp_sound_begin();
    term_outlive_libraries();
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (is_command(argv[1]))
        return run_command(argc - 1, argv + 1);
    if (strcmp(argv[1], "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return term_finish(CLI_GOOD);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("tenure " TENURE_VERSION);
        return term_finish(CLI_GOOD);
    }
    if (argv[1][0] == '-' && strcmp(argv[1], "--") != 0)
        return wrong_option(argv[1]);
    if (strcmp(argv[1], "--") != 0 && is_mistake(argv + 1))
        return CLI_USAGE;
    return cmd_record(argc, argv);
}

static struct {
    int argc, status;
    char **argv;
} whole;

static void main_there(void)
{
    whole.status = main_here(whole.argc, whole.argv);
}

/* A recording that is read is larger than some stacks: where `ulimit -s` is small, we run on one of our own. */
int main(int argc, char **argv)
{
    enum { ENOUGH = 4 << 20 };
    struct rlimit limit;
    ucontext_t here, there;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= ENOUGH || getcontext(&there) != 0)
        return main_here(argc, argv);
    there.uc_stack.ss_size = ENOUGH;
    there.uc_stack.ss_sp = mmap(NULL, ENOUGH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    there.uc_link = &here;
    if (there.uc_stack.ss_sp == MAP_FAILED)
        return main_here(argc, argv);
    whole.argc = argc;
    whole.argv = argv;
    makecontext(&there, main_there, 0);
    return swapcontext(&here, &there) == 0 ? whole.status : CLI_ERROR;
}
