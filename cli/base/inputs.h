/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inputs.h: the profiles that a command is given many of: words, and lists of names in files.
 *
 * A word @FILE stands for the names in FILE, one a line, `-` for standard input; ./@name is a file of that name.
 */
#ifndef TENURE_CLI_INPUTS_H
#define TENURE_CLI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

struct inputs {
    char **name;
    size_t count;
    bool failed; /* a list could not be read, which a line on stderr has said; nothing is added any more */
};

/* Adds a word, or all names of a list. */
void inputs_add(struct inputs *inputs, const char *word);
/* For rows of options (opt_take): the value is such a word, or the name of a list. */
const char *inputs_take(void *inputs, const char *name, const char *word);
const char *inputs_take_list(void *inputs, const char *name, const char *file);
/* By whatever names. */
bool inputs_same_file(const char *a, const char *b);
/* Whether one of them is this file. */
bool inputs_have(const struct inputs *inputs, const char *path);
void inputs_free(struct inputs *inputs);

#endif
