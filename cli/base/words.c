/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c: quotes of single words; see words.h.
 */
#include "cli/base/words.h"

#include "cli/base/term.h"

#include <stdlib.h>
#include <string.h>

static void put_word(FILE *to, const char *word)
{
    const char *quote = term_quote(word);

    fputs(quote, to);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? TERM_QUOTE : (char[]){*word, '\0'}, to);
    fputs(quote, to);
}

char *words_add(char *text, char *const *words, size_t count)
{
    char *more = NULL;
    size_t bytes;
    FILE *to = term_have(open_memstream(&more, &bytes));

    fputs(text, to);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 || *text != '\0')
            putc(' ', to);
        put_word(to, words[i]);
    }
    if (fclose(to) != 0)
        term_no_memory();
    free(text);
    return more;
}

char **words_read(const char *text)
{
    size_t room = strlen(text) / 2 + 2, count = 0;
    char **words = term_have(calloc(room, sizeof *words));

    while (*(text += strspn(text, " ")) != '\0') {
        char *word = term_have(malloc(strlen(text) + 1)), *to = word;
        for (bool quoted = false; *text != '\0' && (quoted || *text != ' '); text++) {
            if (*text == '\'')
                quoted = !quoted;
            else if (!quoted && *text == '\\' && text[1] != '\0')
                *to++ = *++text;
            else
                *to++ = *text;
        }
        *to = '\0';
        words[count++] = word;
    }
    return words;
}
