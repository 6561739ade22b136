/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_import.c: raw profile to profile, also on another machine than the one that recorded it.
 *
 * The raw profile stays where and what it is. --sysroot and --debug-path say where the recorded programs and their
 * debug information are here.
 */
#include "cli/cli.h"
#include "cli/given.h"
#include "cli/opt.h"
#include "cli/term.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct import {
    const char *out, *sysroot, *debug_path;
    bool embed_source, no_symbols, quiet;
};

static const struct opt rows[] = {
    {OPT_TEXT, "out", 'o', "FILE", "the profile [RAW without .raw]", offsetof(struct import, out), NULL,
     false},
    {OPT_TEXT, "sysroot", 0, "FOLDER", "objects and sources are below FOLDER",
     offsetof(struct import, sysroot), NULL, false},
    {OPT_TEXT, "debug-path", 0, "FOLDERS", "separate debug files, ':' between [/usr/lib/debug]",
     offsetof(struct import, debug_path), NULL, false},
    {OPT_SWITCH, "embed-source", 0, NULL, "keep the source text in the profile [no]",
     offsetof(struct import, embed_source), NULL, false},
    {OPT_FLAG, "no-symbols", 0, NULL, "leave debug information alone: no files, no lines",
     offsetof(struct import, no_symbols), NULL, false},
    {OPT_FLAG, "quiet", 'q', NULL, "say nothing if all is well", offsetof(struct import, quiet), NULL, false},
};

static const struct opt_command command = {
    "import",
    "[options] RAW",
    "Turns a raw profile into a profile. RAW is not changed.",
    rows,
    sizeof rows / sizeof rows[0],
    false,
    CLI_USAGE,
};

/* RAW without .raw; with .profile behind if it has no such ending. Freed by the caller. */
static char *default_name(const char *raw)
{
    size_t length = strlen(raw);
    bool ends = length > 4 && strcmp(raw + length - 4, ".raw") == 0;
    char *name;

    if (asprintf(&name, ends ? "%.*s" : "%.*s.profile", (int)(ends ? length - 4 : length), raw) < 0)
        abort();
    return name;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int import(const struct import *options, const char *raw, const char *out)
{
    struct tp_import_options how = {.sysroot = options->sysroot,
                                    .debug_path = options->debug_path,
                                    .embed_source = options->embed_source,
                                    .no_symbols = options->no_symbols};
    struct tp_import_result result = {0};
    struct tp_error err = {0};

    if (tp_kind(raw, &err) == TP_KIND_PROFILE) {
        term_error("%s: a profile, which needs no import; `tenure report %s` reads it", raw, raw);
        return CLI_ERROR;
    }
    if (same_file(raw, out)) {
        term_error("%s: the profile cannot take the raw profile's place; name another with --out", out);
        return CLI_ERROR;
    }
    if (given_import(raw, out, &how, &result, &err) != 0) {
        given_end_if_stopped();
        term_error("%s", err.message);
        return CLI_ERROR;
    }
    given_tell(raw, &result);
    if (!options->quiet)
        given_tell_missing(&result);
    if (!options->quiet)
        fprintf(stderr, "tenure: wrote %s: %u parts, %llu functions, %llu instructions, %llu call paths\n",
                out, result.parts, (unsigned long long)result.functions,
                (unsigned long long)result.instructions, (unsigned long long)result.paths);
    return CLI_GOOD;
}

int cmd_import(int argc, char **argv)
{
    struct import options = {0};
    int first = opt_parse(&command, &options, argc, argv), status;
    char *name = NULL;

    if (first < 0)
        return term_finish(-1 - first);
    if (argc - first != 1)
        return opt_misused(&command, argc == first ? "name a raw profile" : "one raw profile at a time");
    if (options.out == NULL)
        options.out = name = default_name(argv[first]);
    status = import(&options, argv[first], options.out);
    free(name);
    return status;
}
