/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h: a file that a command writes, whole or not at all.
 *
 * It is written under a temporary name beside it and renamed when it is whole. A device or a pipe is written to
 * directly, and so is standard output. A profile is never written over.
 */
#ifndef TENURE_CLI_OUTPUT_H
#define TENURE_CLI_OUTPUT_H

#include <stdio.h>

#include "profile/profile.h"

typedef int output_writer(FILE *out, void *user, struct tp_error *err);

/* `path` NULL or "-": standard output. `mode`: 0666, or 0600 for a file that nobody else shall read. Returns the exit
 * status; one line on stderr says what went wrong. */
int output_write(const char *path, unsigned mode, output_writer *write, void *user);

#endif
