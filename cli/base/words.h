/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h: a command line in one text, as a shell takes it, and back.
 *
 * Words of letters, digits and what no shell looks at stand as they are, all others between single quotes.
 */
#ifndef TENURE_CLI_WORDS_H
#define TENURE_CLI_WORDS_H

#include <stddef.h>

/* `text`, which is freed, with the words behind it; freed by the caller. Never NULL. */
char *words_add(char *text, char *const *words, size_t count);

/* The words of such a text, NULL behind them; freed by the caller, each and all. */
char **words_read(const char *text);

#endif
