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
#include "cli/record/trial.h"

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

/* Beside the profile; no name at all where it would be too long for a file. */
static bool place(char *path, size_t size)
{
    if (snprintf(path, size, "%s.html", given_name()) >= (int)size)
        *path = '\0';
    return true;
}

/* "page.html: 1,234,567 bytes, with the text of 3 of 5 source files" */
static int tell(const char *path, const struct page_options *options, const struct tp_html_result *result)
{
    char size[32], found[32], files[32], name[PATH_MAX];
    struct stat status;

    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return term_finish(CLI_GOOD);
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
    return term_finish(CLI_GOOD);
}

int cmd_html(int argc, char **argv)
{
    return page_command(&(struct page_command){&command, 0666, true, place, trial_advice, tell}, argc, argv);
}
