/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h: can this program be run and recorded?
 *
 * Decides before anything starts, as the kernel and the engine would, so that the answer is one line that
 * names the file and the remedy: 127 not found; 126 found, but a directory, not executable, not readable,
 * setuid, setgid or with capabilities, of another architecture, neither ELF nor a script whose interpreter is
 * all right.
 */
#ifndef TENURE_CLI_TARGET_H
#define TENURE_CLI_TARGET_H

#include <stddef.h>

/* 0, CLI_NOT_EXECUTABLE or CLI_NOT_FOUND, with a line in `why`. */
int target_check(const char *program, char *why, size_t size);

/* Finds `program` as execvp does. Returns 0 and the path, or one of the statuses above. */
int target_find(const char *program, char *path, size_t size);

#endif
