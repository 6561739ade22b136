/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_export.c: a profile in another tool's format, to a file or to standard output.
 *
 * The formats themselves are the profile library's, writing a file whole or not at all is output.h's; here is only
 * what concerns options.
 */
#include "cli/base/column.h"
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct export
{
    const char *format, *out, *weights;
    struct tp_export_options how;
};

/* The formats for the help, which completion reads: "|callgrind|...", and a line of each. */
#define VALUE(name, ...) "|" #name
#define LINE(name, reader, ...) "\n" #name ": " reader
static const char values[] = TP_FORMATS(VALUE), lines[] = "for what reads it:" TP_FORMATS(LINE);

#define AT(member) offsetof(struct export, member)
static const struct opt rows[] = {
    {OPT_TEXT, "format", 0, values + 1, lines, AT(format)},
    {OPT_TEXT, "out", 'o', "FILE", "where to [standard output]", AT(out)},
    {OPT_TEXT, "events", 0, "EVENTS", "',' between, or all; folded: one [the format's own choice]", AT(how.events)},
    GIVEN_WEIGHTS("", AT(weights)),
    {OPT_TEXT, "table", 0, "NAME", "csv: the table or view [functions]", AT(how.table)},
    {OPT_FLAG, "instructions", 0, NULL, "callgrind: a line per instruction", AT(how.instructions)},
    {OPT_FLAG, "mangled", 0, NULL, "names as in the symbol table; not of totals, json, csv", AT(how.mangled)},
    {OPT_FLAG, "threads", 0, NULL, "threads apart; folded: the thread is the first frame", AT(how.threads)},
    {OPT_NUMBER, "threshold", 0, "PERCENT", "of call paths: what has less of each event is part of its caller [0]",
     AT(how.threshold)},
};

static const struct opt_command command = {
    "export",
    "--format=FORMAT [options] [FILE]",
    "Writes a profile in another tool's format. FILE is a profile or a raw profile; without it, the newest\n"
    "tenure.out.* here.",
    OPT_ROWS(rows),
    .one_profile = true,
};

static const struct format {
    const char *name, *takes;
    tp_exporter *write;
    struct output_kind kind;
} formats[] = {
#define FORMAT(name, reader, takes, kind, mark) {#name, takes, tp_export_##name, {kind, NULL, mark}},
    TP_FORMATS(FORMAT)
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

struct writing {
    tp_profile *profile;
    tp_exporter *write;
    const struct tp_export_options *how;
};

static int write_export(FILE *out, void *user, struct tp_error *err)
{
    const struct writing *w = user;

    return w->write(w->profile, out, w->how, err);
}

static int export(const struct export *options, const struct format *format, const char *path)
{
    const struct tp_export_options *how = &options->how;
    bool estimate = how->events != NULL && (strstr(how->events, "CEst") != NULL || strstr(how->events, "all") != NULL);
    const struct {
        const char *name;
        bool given;
    } given[] = {{"table", how->table != NULL},
                 {"instructions", how->instructions},
                 {"mangled", how->mangled},
                 {"threads", how->threads},
                 {"weights", options->weights != NULL && !estimate},
                 {"threshold", how->threshold > 0}};

    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i].given && strstr(format->takes, given[i].name) == NULL)
            return opt_misused(&command, "--%s is not for --format=%s", given[i].name, format->name);
    }
    if (options->out == NULL && format->write == tp_export_pprof && isatty(STDOUT_FILENO))
        return opt_misused(&command, "pprof's format is binary, and standard output is a terminal: -o FILE");
    struct writing w = {given_open_weighed(path, options->weights), format->write, how};
    if (w.profile == NULL)
        return CLI_ERROR;
    int status = CLI_ERROR;
    if (column_leaves_some(w.profile, how->threshold, "the total"))
        status = output_write(options->out, 0666, &format->kind, write_export, &w);
    given_close(w.profile);
    return status;
}

int cmd_export(int argc, char **argv)
{
    struct export options = {0};
    int first = opt_parse(&command, &options, argc, argv);
    const char *names[FORMATS];

    if (first < 0)
        return term_finish(-1 - first);
    if (options.format == NULL)
        return opt_misused(&command, "name a format: --format=%s", values + 1);
    for (size_t i = 0; i < FORMATS; i++) {
        names[i] = formats[i].name;
        if (strcmp(names[i], options.format) == 0)
            return export(&options, &formats[i], first < argc ? argv[first] : NULL);
    }
    const char *like = opt_nearest(options.format, names, FORMATS);
    return opt_misused(&command, "--format=%s is not known; %s%s%sthere are %s", options.format,
                       like ? "did you mean " : "", like ? like : "", like ? "? " : "", values + 1);
}
