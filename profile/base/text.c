/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c: bytes of unknown origin into clean UTF-8.
 *
 * Names and paths are bytes to the system, text to SQLite and JSON. What is UTF-8 stays as it is, control
 * characters included (a file's name may have them); every other byte, and NUL, becomes \xNN.
 */
#include "profile/raw/recording.h"

#include <string.h>

/* Bytes of the well-formed UTF-8 character at p, 0 if there is none (RFC 3629: shortest form, no surrogates). */
static size_t character(const uint8_t *p, size_t left)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

    if (n == 1)
        return p[0] != 0;
    if (n == 0 || n > left)
        return 0;
    uint32_t code = p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    return code < smallest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

const char *tp_clean_text(struct tp_arena *arena, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = bytes;
    size_t bad = 0, n;

    for (size_t i = 0; i < size; i += n) {
        n = p[i] - 1u < 0x7f ? 1 : character(p + i, size - i); /* ASCII, as most is */
        if (!n) {
            bad++;
            n = 1;
        }
    }
    if (!bad)
        return tp_arena_copy(arena, bytes, size);
    char *out = tp_arena_alloc(arena, size + 3 * bad + 1), *to = out;
    for (size_t i = 0; out && i < size; i += n) {
        n = character(p + i, size - i);
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
