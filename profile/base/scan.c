/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.c: see scan.h. The buffer holds some whole lines and the beginning of one; it grows when that is all of it. A
 * line has a largest length, so that a file without newlines does not take all memory.
 */
#include "profile/base/scan.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"

enum { FIRST_ROOM = 1 << 18, LONGEST_LINE = 1 << 24 };

int tp_scan_open(struct tp_scan *scan, const char *path, struct tp_error *err)
{
    struct stat st;

    *scan = (struct tp_scan){.path = path, .room = FIRST_ROOM, .err = err};
    scan->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    scan->buffer = malloc(scan->room + 1);
    if (!scan->buffer)
        return TP_NO_MEMORY(err);
    if (scan->file < 0 || fstat(scan->file, &st))
        return TP_FAIL(err, "%s: cannot open: %s", path, strerror(errno));
    scan->size = (uint64_t)st.st_size;
    return 0;
}

void tp_scan_close(struct tp_scan *scan)
{
    if (scan->file >= 0)
        close(scan->file);
    free(scan->buffer);
    scan->file = -1;
    scan->buffer = NULL;
}

/* Make room behind what is in the buffer. */
static int scan_make_room(struct tp_scan *scan)
{
    memmove(scan->buffer, scan->buffer + scan->begin, scan->end - scan->begin);
    scan->end -= scan->begin;
    scan->begin = 0;
    if (scan->end < scan->room)
        return 0;
    if (scan->room >= LONGEST_LINE)
        return TP_FAIL(scan->err, "%s:%llu: a line of more than %d bytes", scan->path,
                       (unsigned long long)scan->line + 1, LONGEST_LINE);
    char *larger = realloc(scan->buffer, 2 * scan->room + 1);
    if (!larger)
        return TP_NO_MEMORY(scan->err);
    scan->buffer = larger;
    scan->room *= 2;
    return 0;
}

int tp_scan_line(struct tp_scan *scan)
{
    size_t looked = 0;
    char *stop;

    while (!(stop = memchr(scan->buffer + scan->begin + looked, '\n', scan->end - scan->begin - looked))) {
        looked = scan->end - scan->begin;
        if (scan->ended && !looked)
            return 0;
        if (scan->ended) {
            stop = scan->buffer + scan->end;
            break;
        }
        if (scan_make_room(scan))
            return -1;
        ssize_t got;
        do
            got = read(scan->file, scan->buffer + scan->end, scan->room - scan->end);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return TP_FAIL(scan->err, "%s: cannot read: %s", scan->path, strerror(errno));
        scan->end += (size_t)got;
        scan->done += (size_t)got;
        scan->ended = got == 0;
    }
    scan->at = scan->buffer + scan->begin;
    scan->begin = (size_t)(stop - scan->buffer) + (stop < scan->buffer + scan->end);
    scan->line++;
    *stop = '\0';
    if (memchr(scan->at, '\0', (size_t)(stop - scan->at)))
        return TP_FAIL(scan->err, "%s:%llu: a NUL byte; text is expected", scan->path, (unsigned long long)scan->line);
    if (stop > scan->at && stop[-1] == '\r')
        stop[-1] = '\0';
    return 1;
}

int tp_scan_failed(struct tp_scan *scan, const char *format, ...)
{
    char text[800];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return TP_FAIL(scan->err, "%s:%llu: %s", scan->path, (unsigned long long)scan->line, text);
}

int tp_scan_refuse(struct tp_scan *scan, const char *expected)
{
    enum { SHOWN = 60 };
    size_t length = strlen(scan->at);

    if (!length)
        return tp_scan_failed(scan, "%s expected, the line ends", expected);
    return tp_scan_failed(scan, "%s expected, there is '%.*s%s'", expected, SHOWN, scan->at,
                          length > SHOWN ? "..." : "");
}

bool tp_scan_hexadecimal(struct tp_scan *scan, uint64_t *value)
{
    char *end;

    errno = 0;
    unsigned long long number = isxdigit((unsigned char)scan->at[2]) ? strtoull(scan->at + 2, &end, 16) : 0;
    if (!isxdigit((unsigned char)scan->at[2]) || errno)
        return false;
    scan->at = end;
    *value = number;
    return true;
}
