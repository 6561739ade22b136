/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.c: see page.h. The page's own program and looks are bundled from the folder page/ by esbuild when Tenure is
 * built; where that was not there, the commands say so and do nothing.
 */
#include "cli/base/page.h"

#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/advice/advice.h"
#include "tenure_config.h"

#include <limits.h>
#include <string.h>

#if TENURE_HAVE_PAGE
extern const struct tp_page_asset tp_page_asset;
static const struct tp_page_asset *const asset = &tp_page_asset;
#else
static const struct tp_page_asset *const asset = NULL;
#endif

const struct output_kind page_kind = {"a page of Tenure", NULL, TP_HTML_MARK};

bool page_is_there(void)
{
    if (asset == NULL)
        term_error("this tenure was built without the page; install esbuild and node-d3-hierarchy (Debian's names) and "
                   "build it again");
    return asset != NULL;
}

struct writing {
    tp_profile *profile;
    struct tp_html_options html;
    struct tp_html_result *result;
};

static int write_page(FILE *out, void *user, struct tp_error *err)
{
    struct writing *w = user;

    return tp_html_write(w->profile, out, &w->html, w->result, err);
}

int page_write(tp_profile *profile, const struct page_options *options, const char *path, unsigned mode,
               struct tp_html_result *result)
{
    const char *command = tp_meta(profile, "cmd");
    struct writing w = {
        profile,
        {asset, options->title, options->no_source, options->source_anywhere, options->sides, options->try,
         term_progress},
        result};

    if (w.html.title == NULL)
        w.html.title = command != NULL && *command != '\0' ? command : tp_path(profile);
    int status = output_write(path, mode, &page_kind, write_page, &w);
    term_progress_end();
    return status;
}

static bool try_advice(tp_profile *profile, const struct page_command *command, const struct page_options *options)
{
    struct tp_error err;
    bool advised = tp_advise(profile, NULL, &err) == 0;

    if (!advised)
        term_error("%s", err.message);
    return advised && command->try(profile, options->weights, UINT64_MAX);
}

int page_command(const struct page_command *command, int argc, char **argv)
{
    struct page_options options = {0};
    int first = opt_parse(command->options, &options, argc, argv), status = CLI_ERROR;
    struct tp_html_result result;
    char path[PATH_MAX] = "";

    if (first < 0)
        return term_finish(-1 - first);
    if (options.out != NULL && strcmp(options.out, "-") == 0 && !command->to_stdout)
        return opt_misused(command->options,
                           "a browser needs a file; `tenure html -o -` writes to standard output");
    if (!page_is_there())
        return CLI_ERROR;
    tp_profile *profile = given_open_weighed(first < argc ? argv[first] : NULL, options.weights);
    if (profile == NULL)
        return CLI_ERROR;
    if (options.out != NULL)
        snprintf(path, sizeof path, "%s", options.out);
    bool good = options.out != NULL || command->place(path, sizeof path);
    if (good && options.try)
        good = output_allowed(path, &page_kind) && try_advice(profile, command, &options);
    if (good)
        status = page_write(profile, &options, path, command->mode, &result);
    given_close(profile);
    return status == CLI_GOOD ? command->tell(path, &options, &result) : status;
}
