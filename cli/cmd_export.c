/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_export.c: a profile in another tool's format, to a file or to standard output.
 *
 * A file is written under a temporary name beside it and renamed when it is whole. The formats themselves are the
 * profile library's; here is only what concerns files and options.
 */
#include "cli/cli.h"
#include "cli/given.h"
#include "cli/opt.h"
#include "cli/term.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct export
{
    const char *format, *out, *weights;
    struct tp_export_options how;
};

static const struct opt rows[] = {
    {OPT_TEXT, "format", 0, "FORMAT",
     "callgrind (KCachegrind, callgrind_annotate), cachegrind\n"
     "(cg_annotate), folded (flame graphs), json or csv",
     offsetof(struct export, format), NULL, false},
    {OPT_TEXT, "out", 'o', "FILE", "where to [standard output]", offsetof(struct export, out), NULL, false},
    {OPT_TEXT, "events", 0, "EVENTS", "',' between, or all; folded: one [the format's own choice]",
     offsetof(struct export, how.events), NULL, false},
    {OPT_TEXT, "weights", 0, "EVENT=N,...", "other weights in CEst, as in L1m=12,LLm=180",
     offsetof(struct export, weights), NULL, false},
    {OPT_TEXT, "table", 0, "NAME", "csv: the table or view [functions]", offsetof(struct export, how.table),
     NULL, false},
    {OPT_FLAG, "instructions", 0, NULL, "callgrind: a line per instruction",
     offsetof(struct export, how.instructions), NULL, false},
    {OPT_FLAG, "mangled", 0, NULL, "callgrind, cachegrind, folded: names as in the symbol table",
     offsetof(struct export, how.mangled), NULL, false},
    {OPT_FLAG, "threads", 0, NULL, "folded: the thread is the first frame",
     offsetof(struct export, how.threads), NULL, false},
};

static const struct opt_command command = {
    "export",
    "--format=FORMAT [options] [FILE]",
    "Writes a profile in another tool's format. FILE is a profile or a raw profile; without it, the newest\n"
    "tenure.out.* here.",
    rows,
    sizeof rows / sizeof rows[0],
    false,
    CLI_USAGE,
};

typedef int exporter(tp_profile *, FILE *, const struct tp_export_options *, struct tp_error *);

static const struct {
    const char *name;
    exporter *write;
} formats[] = {
    {"callgrind", tp_export_callgrind},
    {"cachegrind", tp_export_cachegrind},
    {"folded", tp_export_folded},
    {"json", tp_export_json},
    {"csv", tp_export_csv},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static exporter *find(const char *name)
{
    size_t i;

    for (i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].write;
    }
    return NULL;
}

static int cannot_write(const char *path)
{
    term_error("cannot write %s: %s", path, strerror(errno));
    return CLI_ERROR;
}

static int to_stdout(tp_profile *profile, exporter *write, const struct export *options)
{
    struct tp_error err = {0};

    if (write(profile, stdout, &options->how, &err) == 0)
        return term_finish(CLI_GOOD);
    if (!ferror(stdout) || errno != EPIPE)
        term_error("%s", err.message);
    return CLI_ERROR;
}

static int to_file(tp_profile *profile, exporter *write, const struct export *options)
{
    struct tp_error err = {0};
    char temporary[PATH_MAX];
    mode_t mask = umask(0);
    FILE *file;
    int descriptor;

    umask(mask);
    if (strlen(options->out) + 8 > sizeof temporary) {
        errno = ENAMETOOLONG;
        return cannot_write(options->out);
    }
    snprintf(temporary, sizeof temporary, "%.*s.XXXXXX", (int)(sizeof temporary - 8), options->out);
    descriptor = mkostemp(temporary, O_CLOEXEC);
    file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL)
        return cannot_write(options->out);
    fchmod(descriptor, 0666 & ~mask);
    if (write(profile, file, &options->how, &err) != 0) {
        term_error("%s", err.message);
        fclose(file);
        unlink(temporary);
        return CLI_ERROR;
    }
    if (fclose(file) != 0 || rename(temporary, options->out) != 0) {
        cannot_write(options->out);
        unlink(temporary);
        return CLI_ERROR;
    }
    return CLI_GOOD;
}

/* A device or a pipe is written to directly. */
static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static int export(const struct export *options, exporter *write, const char *path)
{
    tp_profile *profile = given_open_weighed(path, options->weights);
    int status;

    if (profile == NULL)
        return CLI_ERROR;
    if (options->out == NULL || strcmp(options->out, "-") == 0)
        status = to_stdout(profile, write, options);
    else if (is_special(options->out))
        status = freopen(options->out, "w", stdout) ? to_stdout(profile, write, options)
                                                    : cannot_write(options->out);
    else
        status = to_file(profile, write, options);
    given_close(profile);
    return status;
}

int cmd_export(int argc, char **argv)
{
    struct export options = {0};
    int first = opt_parse(&command, &options, argc, argv);
    const char *names[FORMATS], *like;
    exporter *write;
    size_t i;

    if (first < 0)
        return term_finish(-1 - first);
    if (options.format == NULL)
        return opt_misused(&command, "name a format: --format=callgrind, cachegrind, folded, json or csv");
    if (argc - first > 1)
        return opt_misused(&command, "one profile at a time, %s is one too many", argv[first + 1]);
    write = find(options.format);
    if (write != NULL)
        return export(&options, write, first < argc ? argv[first] : NULL);
    for (i = 0; i < FORMATS; i++)
        names[i] = formats[i].name;
    like = opt_nearest(options.format, names, FORMATS);
    return opt_misused(&command,
                       "--format=%s is not known; %s%s%sthere are callgrind, cachegrind, folded, json and csv",
                       options.format, like ? "did you mean " : "", like ? like : "", like ? "? " : "");
}
