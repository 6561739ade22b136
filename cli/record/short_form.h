/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short_form.h: `tenure PROGRAM ARGS...`, and what looks like it by mistake.
 */
#ifndef TENURE_CLI_SHORT_FORM_H
#define TENURE_CLI_SHORT_FORM_H

#include <stdbool.h>

/* argv[0] is a word that is no command of ours, behind it are its arguments up to a NULL. True, with a line on stderr,
 * if it is not to be run as a program. */
bool short_form_is_mistake(char *const *argv);

/* The command whose name is most like `word`, or NULL. */
const char *short_form_nearest_command(const char *word);

#endif
