/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a word is looked for in a long text, from its beginning to its end. */
#include "case.h"
#include <string.h>

APART size_t count(const char *text, const char *word)
{
    size_t found = 0;

    while ((text = strstr(text, word))) {
        found++;
        text++;
    }
    return found;
}

int main(int argc, char **argv)
{
    size_t n = 600000 * scale_of(argc, argv);
    char *text = malloc(n + 1);

    for (size_t i = 0; i < n; i++)
        text[i] = "etaoin shrdlu"[any() % 13];
    text[n] = 0;
    printf("%zu %zu\n", count(text, "tao"), count(text, "ladin"));
    free(text);
    return 0;
}
