/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c: bytes of unknown origin into clean UTF-8.
 *
 * Names and paths are bytes to the system, text to SQLite and JSON. What is UTF-8 stays as it is, control
 * characters included (a file's name may have them); every other byte, and NUL, becomes \xNN.
 */
#include "profile/base/json.h"
#include "profile/raw/recording.h"

#include <string.h>

const char *tp_clean_text(struct tp_arena *arena, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = bytes;
    size_t bad = 0, n;

    for (size_t i = 0; i < size; i += n) {
        n = p[i] - 1u < 0x7f ? 1 : tp_utf8(p + i, size - i); /* ASCII, as most is */
        if (!n) {
            bad++;
            n = 1;
        }
    }
    if (!bad)
        return tp_arena_copy(arena, bytes, size);
    char *out = tp_arena_alloc(arena, size + 3 * bad + 1), *to = out;
    for (size_t i = 0; out && i < size; i += n) {
        n = tp_utf8(p + i, size - i);
        memcpy(to, p + i, n);
        to += n;
        if (n)
            continue;
        *to++ = '\\';
        *to++ = 'x';
        *to++ = digits[p[i] >> 4];
        *to++ = digits[p[i] & 15];
        n = 1;
    }
    return out;
}
