/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.c: one-line messages that a terminal cannot be tricked with.
 */
#include "profile/base/error.h"

#include <stdarg.h>
#include <string.h>

/* Copy `from` to `to`, control characters as \xNN; cuts off what does not fit. Bytes above 0x7f stay: UTF-8. */
static void copy_printable(char *to, size_t size, const char *from)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;

    for (const unsigned char *p = (const unsigned char *)from; *p && n + 5 < size; p++) {
        if (*p >= 0x20 && *p != 0x7f) {
            to[n++] = (char)*p;
            continue;
        }
        to[n++] = '\\';
        to[n++] = 'x';
        to[n++] = digits[*p >> 4];
        to[n++] = digits[*p & 15];
    }
    to[n] = '\0';
}

int tp_error_set(struct tp_error *err, const char *source, int line, const char *format, ...)
{
    char text[sizeof err->message];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    copy_printable(err->message, sizeof err->message, text);
    err->source = source;
    err->line = line;
    return -1;
}
