/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short_form.c: see short_form.h.
 *
 * Whoever knows perf, Callgrind or git types `tenure script FILE`, and there is a program called script, which writes
 * over FILE. So the words that such tools have for commands start no program, nor does any word in front of a profile.
 * A word with a slash is a path, and always a program. Names of programs that people profile do not belong here.
 */
#include "cli/short_form.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/term.h"
#include "profile/profile.h"

static const struct {
    const char *word, *ours; /* the command that does what the word asks for, or NULL */
} elsewhere[] = {
    {"add", "merge"},
    {"analyse", "report"},
    {"analyze", "report"},
    {"archive", NULL},
    {"attach", "control"},
    {"bench", NULL},
    {"branch", NULL},
    {"browse", "open"},
    {"buildid-cache", NULL},
    {"buildid-list", NULL},
    {"c2c", "report --sharing"},
    {"calibrate", NULL},
    {"check", NULL},
    {"checkout", NULL},
    {"clean", NULL},
    {"clone", NULL},
    {"collect", "control"},
    {"commit", NULL},
    {"compare", "diff"},
    {"config", "info"},
    {"convert", "export"},
    {"daemon", NULL},
    {"data", "report --data"},
    {"dump", "control"},
    {"events", "info"},
    {"evlist", "info"},
    {"exec", "record"},
    {"fetch", NULL},
    {"ftrace", NULL},
    {"functions", "report"},
    {"graph", "html"},
    {"header", "info"},
    {"init", NULL},
    {"inject", NULL},
    {"iostat", NULL},
    {"kallsyms", NULL},
    {"kill", NULL},
    {"kmem", NULL},
    {"kvm", NULL},
    {"kwork", NULL},
    {"list", "report"},
    {"load", "import"},
    {"lock", NULL},
    {"log", "info"},
    {"machines", NULL},
    {"mem", "report --data"},
    {"print", "report"},
    {"probe", NULL},
    {"profile", "record"},
    {"pull", NULL},
    {"push", NULL},
    {"query", "sql"},
    {"run", "record"},
    {"sched", NULL},
    {"script", "export"},
    {"show", "report"},
    {"source", "annotate"},
    {"start", "control"},
    {"stat", "report"},
    {"status", "control"},
    {"stop", "control"},
    {"summary", "report"},
    {"test", NULL},
    {"threads", "report --threads"},
    {"timechart", NULL},
    {"trace", "record"},
    {"try", NULL},
    {"version", "--version"},
    {"view", "open"},
};
enum { WORDS = sizeof elsewhere / sizeof elsewhere[0] };

static bool is_profile(const char *path)
{
    struct tp_error ignored;
    enum tp_kind kind = path != NULL ? tp_kind(path, &ignored) : TP_KIND_UNREADABLE;

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

bool short_form_is_mistake(char *const *argv)
{
    if (strchr(argv[0], '/') != NULL)
        return false;
    for (size_t i = 0; i < WORDS; i++) {
        if (strcmp(elsewhere[i].word, argv[0]) == 0)
            return refuse(argv, elsewhere[i].ours);
    }
    return is_profile(argv[1]) && refuse(argv, cli_nearest_command(argv[0]));
}
