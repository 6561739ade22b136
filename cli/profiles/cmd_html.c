/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_html.c: a profile as one HTML file that any browser shows, from disk, without a network.
 *
 * Without --out the page lies beside the profile, so that it is found where the profile is looked for. What it holds,
 * and how, is profile/html/html.c's.
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/page.h"
#include "cli/base/term.h"
#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct opt rows[] = {
    {OPT_TEXT, "out", 'o', "FILE", "where to, or - for standard output [the profile's\nname with .html behind]",
     offsetof(struct page_options, out)},
    PAGE_OPTIONS,
};

static const struct opt_foreign foreign[] = {{"output", "it is called --out"}, {NULL, NULL}};

static const struct opt_command command = {
    "html",
    "[options] [FILE]",
    "Writes a profile as one page for the browser: totals, source, call tree, flame graph, callers and\n"
    "callees. It holds everything, source text too, and needs no network. FILE is a profile or a raw\n"
    "profile; without it, the newest tenure.out.* here.",
    OPT_ROWS(rows),
    .one_profile = true,
    .foreign = foreign,
};

/* "page.html: 1,234,567 bytes, with the text of 3 of 5 source files" */
static void tell(const char *path, const struct page_options *options, const struct tp_html_result *result)
{
    char size[32], found[32], files[32], name[PATH_MAX];
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    term_escape(name, sizeof name, path);
    printf("%s: %s bytes", name, term_number(size, (int64_t)status.st_size));
    if (!options->no_source)
        printf(", with the text of %s of %s source files", term_number(found, (int64_t)result->found),
               term_number(files, (int64_t)result->files));
    putchar('\n');
    if (result->refused > 0)
        fprintf(stderr, "tenure: the text of %s source file%s is not in it, since not everybody may read that; "
                        "--source-anywhere puts it there\n",
                term_number(files, (int64_t)result->refused), result->refused == 1 ? "" : "s");
}

static int html(const struct page_options *options, const char *given)
{
    tp_profile *profile = given_open_weighed(given, options->weights);
    struct tp_html_result result;
    char path[PATH_MAX];

    if (profile == NULL)
        return CLI_ERROR;
    snprintf(path, sizeof path, "%s", options->out ? options->out : "");
    if (options->out == NULL && snprintf(path, sizeof path, "%s.html", given_name()) >= (int)sizeof path)
        path[0] = '\0'; /* too long for a file */
    int status = page_write(profile, options, path, 0666, &result);
    given_close(profile);
    if (status == CLI_GOOD && strcmp(path, "-") != 0)
        tell(path, options, &result);
    return status == CLI_GOOD ? term_finish(CLI_GOOD) : status;
}

int cmd_html(int argc, char **argv)
{
    struct page_options options = {0};
    int first = opt_parse(&command, &options, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    if (!page_is_there())
        return CLI_ERROR;
    return html(&options, first < argc ? argv[first] : NULL);
}
