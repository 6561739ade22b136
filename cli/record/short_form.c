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

static const struct {
    const char *word, *ours; /* the command that does what the word asks for, or NULL */
} elsewhere[] = {
    {"add", "merge"},
    {"am", NULL},
    {"analyse", "report"},
    {"analyze", "report"},
    {"apply", NULL},
    {"archive", NULL},
    {"attach", "control"},
    {"bench", NULL},
    {"bisect", NULL},
    {"blame", NULL},
    {"branch", NULL},
    {"browse", "open"},
    {"buildid-cache", NULL},
    {"buildid-list", NULL},
    {"bundle", NULL},
    {"c2c", "report --sharing"},
    {"calibrate", NULL},
    {"cat-file", NULL},
    {"check", NULL},
    {"checkout", NULL},
    {"cherry-pick", NULL},
    {"clean", NULL},
    {"clone", NULL},
    {"collect", "control"},
    {"command", "control"},
    {"commit", NULL},
    {"compare", "diff"},
    {"config", "info"},
    {"convert", "export"},
    {"daemon", NULL},
    {"data", "report --data"},
    {"describe", NULL},
    {"dump", "control"},
    {"events", "info"},
    {"evlist", "info"},
    {"exec", "record"},
    {"fetch", NULL},
    {"finalize", NULL},
    {"format-patch", NULL},
    {"fsck", NULL},
    {"ftrace", NULL},
    {"functions", "report"},
    {"gc", NULL},
    {"graph", "html"},
    {"header", "info"},
    {"init", NULL},
    {"inject", NULL},
    {"instrument", NULL},
    {"iostat", NULL},
    {"kallsyms", NULL},
    {"kill", NULL},
    {"kmem", NULL},
    {"kvm", NULL},
    {"kwork", NULL},
    {"launch", "record"},
    {"list", "report"},
    {"live", "top"},
    {"load", "import"},
    {"lock", NULL},
    {"log", "info"},
    {"ls-files", NULL},
    {"machines", NULL},
    {"mem", "report --data"},
    {"mv", NULL},
    {"notes", NULL},
    {"peek", "report"},
    {"print", "report"},
    {"probe", NULL},
    {"profile", "record"},
    {"prune", NULL},
    {"pull", NULL},
    {"push", NULL},
    {"query", "sql"},
    {"rebase", NULL},
    {"recv", NULL},
    {"reflog", NULL},
    {"remote", NULL},
    {"repack", NULL},
    {"replace", NULL},
    {"replay", NULL},
    {"reset", NULL},
    {"restore", NULL},
    {"rev-parse", NULL},
    {"revert", NULL},
    {"rm", NULL},
    {"run", "record"},
    {"sched", NULL},
    {"script", "export"},
    {"sessions", "control"},
    {"setup", NULL},
    {"shortlog", NULL},
    {"show", "report"},
    {"shutdown", NULL},
    {"source", "annotate"},
    {"start", "control"},
    {"stash", NULL},
    {"stat", "report"},
    {"stats", "report"},
    {"status", "control"},
    {"stop", "control"},
    {"submodule", NULL},
    {"summary", "report"},
    {"switch", NULL},
    {"tag", NULL},
    {"test", NULL},
    {"threads", "report --threads"},
    {"timechart", NULL},
    {"trace", "record"},
    {"try", NULL},
    {"tui", "top"},
    {"version", "--version"},
    {"view", "open"},
    {"web", "open"},
    {"whatchanged", NULL},
    {"worktree", NULL},
    {"zero", NULL},
};
enum { WORDS = sizeof elsewhere / sizeof elsewhere[0] };

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
    for (size_t i = 0; i < WORDS; i++) {
        if (strcmp(elsewhere[i].word, argv[0]) == 0)
            return refuse(argv, elsewhere[i].ours);
    }
    for (size_t i = 1; argv[i] != NULL; i++) {
        if (is_profile(argv[i]))
            return refuse(argv, short_form_nearest_command(argv[0]));
    }
    return false;
}
