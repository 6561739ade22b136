/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of pointers to short strings, each in a heap block of its own. REPAIRED: all strings in one pool, and offsets
 * into it. */
#include "case.h"
#include <string.h>

#ifdef REPAIRED
typedef uint32_t word;
#else
typedef char *word;
#endif

static char *pool;

APART void make_words(word *words, size_t n)
{
    char text[16];
    size_t used = 0;

    (void)used;
#ifdef REPAIRED
    pool = malloc(n * sizeof text);
#endif
    for (size_t i = 0; i < n; i++) {
        int length = snprintf(text, sizeof text, "w%u", any() % 9999) + 1;
#ifdef REPAIRED
        words[i] = (uint32_t)used;
        memcpy(pool + used, text, (size_t)length);
        used += (size_t)length;
#else
        words[i] = malloc((size_t)length);
        memcpy(words[i], text, (size_t)length);
#endif
    }
}

APART size_t count(const word *words, size_t n, char wanted)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
#ifdef REPAIRED
        const char *text = pool + words[i];
#else
        const char *text = words[i];
#endif
        found += text[1] == wanted; /* problem */
    }
    return found;
}

int main(int argc, char **argv)
{
    size_t n = 20000 * scale_of(argc, argv), sum = 0;
    word *words = malloc(n * sizeof *words);

    make_words(words, n);
    for (int round = 0; round < 80; round++)
        sum += count(words, n, (char)('0' + round % 10)) * (size_t)(round + 1);
    printf("%zu\n", sum);
    return 0;
}
