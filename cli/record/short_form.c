/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short_form.c: see short_form.h.
 *
 * Whoever knows perf, Callgrind or git types `tenure script FILE`, and there is a program called script, which writes
 * over FILE. So the words that such tools have for commands start no program, nor does any word with a profile among
 * its arguments. A word with a slash is a path, and always a program. Names of programs that people profile do not
 * belong here.
 */
#include "cli/record/short_form.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/profile.h"

/* Their words for which there is a command here. */
static const struct {
    const char *word, *ours;
} translated[] = {
    {"add", "merge"}, {"analyse", "report"}, {"analyze", "report"}, {"attach", "control"}, {"browse", "open"},
    {"c2c", "report --sharing"}, {"collect", "control"}, {"command", "control"}, {"compare", "diff"},
    {"config", "info"}, {"convert", "export"}, {"data", "report --data"}, {"dump", "control"}, {"events", "info"},
    {"evlist", "info"}, {"exec", "record"}, {"functions", "report"}, {"graph", "html"}, {"header", "info"},
    {"launch", "record"}, {"list", "report"}, {"live", "top"}, {"load", "import"}, {"log", "info"},
    {"mem", "report --data"}, {"peek", "report"}, {"print", "report"}, {"profile", "record"}, {"query", "sql"},
    {"run", "record"}, {"script", "export"}, {"sessions", "control"}, {"show", "report"}, {"source", "annotate"},
    {"start", "control"}, {"stat", "report"}, {"stats", "report"}, {"status", "control"}, {"stop", "control"},
    {"summary", "report"}, {"threads", "report --threads"}, {"trace", "record"}, {"tui", "top"},
    {"version", "--version"}, {"view", "open"}, {"web", "open"},
};

/* Their words for what Tenure has no command for. */
static const char *const untranslated[] = {
    "am", "apply", "archive", "bench", "bisect", "blame", "branch", "buildid-cache", "buildid-list", "bundle",
    "calibrate", "cat-file", "check", "checkout", "cherry-pick", "clean", "clone", "commit", "daemon", "describe",
    "fetch", "finalize", "format-patch", "fsck", "ftrace", "gc", "init", "inject", "instrument", "iostat",
    "kallsyms", "kill", "kmem", "kvm", "kwork", "lock", "ls-files", "machines", "mv", "notes", "probe", "prune",
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

const char *short_form_nearest_command(const char *word)
{
    static const char *const names[] = {
#define CLI_COMMAND(name, about, reads) #name,
#include "cli/commands.inc"
#undef CLI_COMMAND
    };

    return opt_nearest(word, names, sizeof names / sizeof *names);
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

bool short_form_is_mistake(char *const *argv)
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
            return refuse(argv, short_form_nearest_command(argv[0]));
    }
    return false;
}
