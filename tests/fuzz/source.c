/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.c: source texts, which may be anything, into statements.
 *
 * The first byte says which language. Every line belongs to one statement: its first and last line have the same ones.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/raw/continuation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 }; /* lines that are checked */

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_continuation found = {0};
    char *text = calloc(1, size + 1);
    uint32_t lines = 1;

    must(text != NULL);
    if (size > 1)
        memcpy(text, data + 1, size - 1);
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    must(tp_continuation_make(&found, text, (enum tp_language)(size ? data[0] % 6 : 0)) == 0);
    must(found.line.count <= lines + 1);
    for (uint32_t line = 1; line <= lines && line <= MOST; line++) {
        uint32_t first = tp_statement_first(&found, line), last = tp_statement_last(&found, line);
        must(first >= 1 && first <= line && line <= last && last <= lines);
        must(tp_statement_last(&found, first) == last && tp_statement_first(&found, last) == first);
    }
    tp_continuation_free(&found);
    free(text);
    return 0;
}
