/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c: what `tenure diff` reads from the command line, and the comparison of texts.
 *
 * The input is an expression or a limit, a newline, and a text. A limit that is taken can be judged; an expression
 * that is taken gives a text; lines of the text that were found in the first line's own text, or the other way round,
 * ascend. Repeated repetitions are left out: the C library's compiler takes as long for them as their product says, and
 * for `+` within `+` as much memory as all of them double.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/limit.h"
#include "profile/objects/linemap.h"
#include "profile/sum/rename.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 300, MOST_PLUS = 8 };
static volatile size_t seen;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void try_limit(const char *words)
{
    struct tp_limit limit;
    struct tp_error err = {0};

    if (tp_limit_read(&limit, words, &err) == 0)
        seen += tp_limit_broken(&limit, 1, 2, 3) + strlen(limit.where) + strlen(limit.event);
    else
        must(*err.message != '\0');
    tp_limit_free(&limit);
}

static bool is_small(const char *words)
{
    int plus = 0;

    for (const char *at = words; *at != '\0'; at++)
        plus += *at == '+';
    return plus <= MOST_PLUS && strchr(words, '{') == NULL;
}

static void try_rename(const char *words, const char *text)
{
    struct tp_error err = {0};
    struct tp_rename *rename = is_small(words) ? tp_rename_new(words, &err) : NULL;
    char *changed = rename != NULL ? tp_rename_text(rename, text) : NULL;

    must(rename == NULL || changed != NULL);
    seen += changed != NULL ? strlen(changed) : 0;
    free(changed);
    tp_rename_free(rename);
}

static void try_lines(const char *old, const char *new)
{
    struct tp_linemap map;
    uint32_t last = 0;

    must(tp_linemap_make(&map, old, new) == 0);
    for (size_t i = 1; i < map.count; i++) {
        must(map.to[i] == 0 || map.to[i] > last);
        last = map.to[i] ? map.to[i] : last;
    }
    tp_linemap_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = calloc(1, size + 2), *text;

    must(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    text = strchr(copy, '\n');
    if (text != NULL)
        *text++ = '\0';
    else
        text = copy + strlen(copy);
    if (strlen(copy) <= LONGEST && strlen(text) <= LONGEST) {
        try_limit(copy);
        try_rename(copy, text);
    }
    try_lines(copy, text);
    try_lines(text, copy);
    free(copy);
    return 0;
}
