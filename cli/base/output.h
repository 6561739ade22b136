/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h: files that commands write.
 *
 * What is there already is replaced only if it is empty, or a file of the kind that is to be written. A symbolic link
 * stays, and the file that it leads to counts. A device or a pipe is written to directly, and so is standard output; a
 * file is written whole or not at all, under a temporary name beside it that is renamed when it is whole.
 */
#ifndef TENURE_CLI_OUTPUT_H
#define TENURE_CLI_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/* Calls `handler` for the signals that ask a command to end, but for those that are ignored, and gives them back.
 * `before` gets and has what was. */
enum { OUTPUT_SIGNALS = 6 };
void output_catch_signals(void (*handler)(int, siginfo_t *, void *), struct sigaction *before);
void output_release_signals(const struct sigaction *before);

/* How a file is known as one of a kind. */
struct output_kind {
    const char *name;                 /* "a profile of Tenure" */
    bool (*is)(enum tp_kind kind);    /* of profiles; else NULL */
    const char *mark;                 /* the bytes that it begins with; NULL: nothing tells it from others */
};
extern const struct output_kind output_profile, output_raw;

/* Whether a file may be written to `path`; if not, a line on stderr says why. */
bool output_allowed(const char *path, const struct output_kind *kind);

typedef int output_writer(FILE *out, void *user, struct tp_error *err);

/* Writes a file of the kind, if it may. `path` NULL or "-": standard output. `mode`: 0666, or 0600 for a file that
 * nobody else shall read. Returns the exit status; one line on stderr says what went wrong. */
int output_write(const char *path, unsigned mode, const struct output_kind *kind, output_writer *write, void *user);

/* Where what can be made again is kept: $XDG_CACHE_HOME, usually ~/.cache. It need not be there. False: no home is
 * known, or its name is too long. */
bool output_cache(char *out, size_t size);
/* The same of what users write: $XDG_CONFIG_HOME, usually ~/.config. */
bool output_config(char *out, size_t size);

#endif
