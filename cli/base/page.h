/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h: what `tenure html`, `tenure open` and `tenure diff` share: a profile as a page in a file.
 */
#ifndef TENURE_CLI_PAGE_H
#define TENURE_CLI_PAGE_H

#include <stdbool.h>

#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "profile/html/html.h"

struct page_options {
    const char *out, *title, *weights;
    bool no_source, source_anywhere, try;
    bool sides; /* of a difference, open with both its sides (profile/sum/diff.h) */
};

/* Help of --try. */
#define PAGE_TRY \
    "record again with each remedy that is a layout (tenure try), and say\n" \
    "what it saves instead of the estimate"
/* Rows of both commands' tables (opt.h). */
#define PAGE_OPTIONS \
    {OPT_TEXT, "title", 0, "TEXT", "the page's title [the command profiled]", offsetof(struct page_options, title)}, \
    {OPT_FLAG, "no-source", 0, NULL, "leave the text of source files out", offsetof(struct page_options, no_source)}, \
    {OPT_FLAG, "source-anywhere", 0, NULL, SOURCE_ANYWHERE, offsetof(struct page_options, source_anywhere)}, \
    {OPT_FLAG, "try", 0, NULL, PAGE_TRY, offsetof(struct page_options, try)}, \
    GIVEN_WEIGHTS("", offsetof(struct page_options, weights))

/* False, with a line on stderr, if this Tenure was built without the page. */
bool page_is_there(void);

extern const struct output_kind page_kind;

/* Write the page of `profile` to `path` (output.h). Returns the exit status. */
int page_write(tp_profile *profile, const struct page_options *options, const char *path, unsigned mode,
               struct tp_html_result *result);

/* A command that does nothing but write a page. */
struct page_command {
    const struct opt_command *options;
    unsigned mode;
    bool to_stdout;                            /* may be where it is written to */
    bool (*place)(char *path, size_t size);    /* where it goes without --out; false with a line on stderr */
    /* trial_advice (trial.h), that this does not know. */
    bool (*try)(tp_profile *profile, const char *weights, uint64_t most);
    int (*tell)(const char *path, const struct page_options *options, const struct tp_html_result *result);
};
/* Returns the exit status: that of `tell`, once the page is written. */
int page_command(const struct page_command *command, int argc, char **argv);

#endif
