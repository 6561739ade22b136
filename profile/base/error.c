/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.c: one-line messages that a terminal cannot be tricked with.
 */
#include "profile/base/error.h"

#include <stdarg.h>
#include <string.h>

int tp_error_set(struct tp_error *err, const char *source, int line, const char *format, ...)
{
    static const char digits[] = "0123456789abcdef";
    char text[sizeof err->message];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Control characters as \xNN; what does not fit is cut off. Bytes above 0x7f stay: UTF-8. */
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p && n + 5 < sizeof err->message; p++) {
        if (*p >= 0x20 && *p != 0x7f) {
            err->message[n++] = (char)*p;
            continue;
        }
        err->message[n++] = '\\';
        err->message[n++] = 'x';
        err->message[n++] = digits[*p >> 4];
        err->message[n++] = digits[*p & 15];
    }
    err->message[n] = '\0';
    err->source = source;
    err->line = line;
    return -1;
}
