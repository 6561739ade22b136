/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_merge.c: many profiles into one.
 *
 * One profile is open at a time. What is not read and understood as a whole leaves nothing behind: the sum is written
 * when the last one has been added, under a temporary name.
 */
#include "cli/base/given.h"
#include "cli/base/inputs.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/sum/merge.h"

#include <stdio.h>
#include <string.h>

struct merge {
    const char *out;
    enum tp_keep keep;
    struct inputs inputs;
    bool quiet;
};

static const char *take_keep(void *keep, const char *name, const char *value)
{
    static const char *const kinds[] = {"none", "rank", "process", "thread"};
    size_t i = 0;

    (void)name;
    while (i < sizeof kinds / sizeof kinds[0] && strcmp(kinds[i], value) != 0)
        i++;
    if (i == sizeof kinds / sizeof kinds[0])
        return "must be rank, process, thread or none";
    *(enum tp_keep *)keep = (enum tp_keep)i;
    return NULL;
}

static const struct opt rows[] = {
    {OPT_TEXT, "out", 'o', "FILE", "the sum", offsetof(struct merge, out)},
    {OPT_TAKE, "keep", 0, "WHAT", "keep functions apart by rank, process or thread too, for\n"
     "`tenure report --balance` [none]", offsetof(struct merge, keep), take_keep},
    {OPT_TAKE, "from", 0, "LIST", "profiles are also those named in LIST, one a line; -: in\nstandard input",
     offsetof(struct merge, inputs), inputs_take_list},
    {OPT_FLAG, "quiet", 'q', NULL, "say nothing if all is well", offsetof(struct merge, quiet)},
};

static const struct opt_command command = {
    "merge",
    "-o FILE [options] PROFILE...",
    "Sums profiles of the same events and caches, whatever programs they are of. PROFILE is a profile or a raw\n"
    "profile; @LIST stands for those named in LIST.",
    OPT_ROWS(rows),
};

static bool add_all(const struct merge *options, tp_merge *merge)
{
    struct tp_error err = {0};
    bool good = true;

    for (size_t i = 0; good && i < options->inputs.count && given_stopped() == 0; i++) {
        tp_profile *profile = given_open(options->inputs.name[i]);

        good = profile != NULL;
        if (good && tp_merge_add(merge, profile, &err) != 0) {
            term_progress_end();
            term_error("%s", err.message);
            good = false;
        }
        given_close(profile);
        term_progress("merging", i + 1, options->inputs.count);
    }
    term_progress_end();
    return good && given_stopped() == 0;
}

static int merge(const struct merge *options)
{
    struct tp_error err = {0};
    tp_merge *sum = tp_merge_new(options->keep, &err);
    bool good = sum != NULL;

    if (!good)
        term_error("%s", err.message);
    given_hold_signals();
    good = good && add_all(options, sum);
    if (good && tp_merge_write(sum, options->out, &err) != 0) {
        term_error("%s", err.message);
        good = false;
    }
    tp_merge_free(sum);
    given_release_signals();
    given_end_if_stopped();
    if (good && !options->quiet)
        term_error("wrote %s: the sum of %zu profile%s", options->out, options->inputs.count,
                   options->inputs.count == 1 ? "" : "s");
    return good ? CLI_GOOD : CLI_ERROR;
}

int cmd_merge(int argc, char **argv)
{
    struct merge options = {0};
    int first = opt_parse(&command, &options, argc, argv), status = CLI_ERROR;

    if (first < 0) {
        inputs_free(&options.inputs);
        return term_finish(-1 - first);
    }
    for (; first < argc; first++)
        inputs_add(&options.inputs, argv[first]);
    if (options.inputs.failed)
        status = CLI_ERROR;
    else if (options.out == NULL)
        status = opt_misused(&command, "name the sum: -o FILE");
    else if (strcmp(options.out, "-") == 0)
        status = opt_misused(&command, OPT_NO_STREAM);
    else if (options.inputs.count == 0)
        status = opt_misused(&command, "name the profiles to sum");
    else if (output_allowed(options.out, &output_profile))
        status = merge(&options);
    inputs_free(&options.inputs);
    return status;
}
