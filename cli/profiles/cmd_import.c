/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_import.c: raw profile to profile, also on another machine than the one that recorded it; and profiles of
 * Callgrind and Cachegrind, of which several files of one process may be given.
 *
 * The files stay where and what they are. --sysroot and --debug-path say where the recorded programs and their
 * debug information are here.
 */
#include "cli/base/given.h"
#include "cli/base/inputs.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct import {
    const char *out, *sysroot, *debug_path;
    bool embed_source, source_anywhere, keep_all, no_symbols, quiet;
};

#define AT(member) offsetof(struct import, member)
static const struct opt rows[] = {
    {OPT_TEXT, "out", 'o', "FILE", "the profile [FILE without .raw; FILE.profile]", AT(out)},
    {OPT_TEXT, "sysroot", 0, "FOLDER", "objects and sources are below FOLDER", AT(sysroot)},
    {OPT_TEXT, "debug-path", 0, "FOLDERS", "separate debug files, ':' between [/usr/lib/debug]", AT(debug_path)},
    {OPT_SWITCH, "embed-source", 0, NULL, "keep the source text in the profile [no]", AT(embed_source)},
    {OPT_FLAG, "source-anywhere", 0, NULL, SOURCE_ANYWHERE, AT(source_anywhere)},
    {OPT_FLAG, "keep-all", 0, NULL, KEEP_ALL, AT(keep_all)},
    {OPT_FLAG, "no-symbols", 0, NULL, "leave debug information alone: no files, no lines", AT(no_symbols)},
    {OPT_FLAG, "quiet", 'q', NULL, "say nothing if all is well", AT(quiet)},
};

static const struct opt_command command = {
    "import",
    "[options] FILE...",
    "Turns a raw profile, or a file of Callgrind or Cachegrind, into a profile. FILE is not changed. Several\n"
    "files of Callgrind are parts and threads of one process.",
    OPT_ROWS(rows),
};

/* FILE without .raw; with .profile behind if it has no such ending. Freed by the caller. */
static char *default_name(const char *raw)
{
    size_t length = strlen(raw);
    bool ends = length > 4 && strcmp(raw + length - 4, ".raw") == 0;

    return term_text("%.*s%s", (int)(ends ? length - 4 : length), raw, ends ? "" : ".profile");
}

/* Whether `out` is one of the files, or one of them needs no import. */
static bool refuses(const char *const *files, int count, const char *out)
{
    struct tp_error err = {0};
    char word[TERM_WORD];

    for (int i = 0; i < count; i++) {
        enum tp_kind kind = tp_kind(files[i], &err);
        if (kind == TP_KIND_UNREADABLE) { /* such as a pipe, where an import would wait for a writer */
            term_error("%s", err.message);
            return true;
        }
        if (kind == TP_KIND_PROFILE) {
            term_error("%s: a profile, which needs no import; `tenure report %s` reads it", files[i],
                       term_word(word, files[i]));
            return true;
        }
        if (inputs_same_file(files[i], out)) {
            term_error("%s: the profile cannot take the place of what it is made from; name another with --out", out);
            return true;
        }
    }
    return false;
}

static int import(const struct import *options, const char *const *files, int count, const char *out)
{
    struct tp_import_options how = {.sysroot = options->sysroot,
                                    .debug_path = options->debug_path,
                                    .embed_source = options->embed_source,
                                    .source_anywhere = options->source_anywhere,
                                    .keep_all = options->keep_all,
                                    .no_symbols = options->no_symbols};
    struct tp_import_result result = {0};
    struct tp_error err = {0};

    if (refuses(files, count, out) || !output_allowed(out, &output_profile))
        return CLI_ERROR;
    if (given_import(files, (size_t)count, out, &how, &result, &err) != 0) {
        given_end_if_stopped();
        term_error("%s", err.message);
        return CLI_ERROR;
    }
    bool all = given_import_machines(files[0], out, &(struct given_machines){&how, &result});
    given_end_if_stopped();
    given_tell(files[0], &result);
    if (!options->quiet) {
        given_tell_missing(&result);
        term_error("wrote %s: %u part%s, %llu functions, %llu instructions, %llu call paths", out, result.parts,
                   result.parts == 1 ? "" : "s", (unsigned long long)result.functions,
                   (unsigned long long)result.instructions, (unsigned long long)result.paths);
        tp_profile *recorded = result.machines > 0 ? tp_open(out, &err) : NULL;
        for (uint32_t i = 0; recorded != NULL && i < result.machines; i++)
            given_tell_machine(recorded, result.machine[i]);
        tp_close(recorded);
    }
    return result.damaged || !all ? CLI_ERROR : CLI_GOOD;
}

int cmd_import(int argc, char **argv)
{
    struct import options = {0};
    int first = opt_parse(&command, &options, argc, argv);
    char *name = NULL;

    if (first < 0)
        return term_finish(-1 - first);
    if (argc == first)
        return opt_misused(&command, "name a raw profile, or a file of Callgrind or Cachegrind");
    if (options.out != NULL && strcmp(options.out, "-") == 0)
        return opt_misused(&command, OPT_NO_STREAM);
    if (options.out == NULL)
        options.out = name = default_name(argv[first]);
    int status = import(&options, (const char *const *)(argv + first), argc - first, options.out);
    free(name);
    return status;
}
