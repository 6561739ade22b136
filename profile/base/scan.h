/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h: a text file, line by line, and the numbers in it.
 *
 * What the readers of other tools' text formats share. A file of any size takes the memory of its longest line. The
 * line at hand ends with a NUL in place of its newline (and of a carriage return before it); a reader moves `at` along
 * it. A line that is not what it should be is refused with the file, the line's number, what was expected and what is
 * there instead.
 */
#ifndef TENURE_PROFILE_SCAN_H
#define TENURE_PROFILE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profile/profile.h"

struct tp_scan {
    const char *path;
    int file;
    char *buffer;
    size_t room, begin, end; /* of the buffer: what is read and has not been a line yet */
    bool ended;              /* nothing more to read from the file */
    char *at;                /* what is left of the line at hand */
    uint64_t line;           /* its number, from 1 */
    uint64_t done, size;     /* bytes */
    struct tp_error *err;
};

/* Close in any case. `path` must live as long. */
int tp_scan_open(struct tp_scan *scan, const char *path, struct tp_error *err);
void tp_scan_close(struct tp_scan *scan);

/* 1: a line, 0: the end, -1: failed. */
int tp_scan_line(struct tp_scan *scan);

/* Refuse the line at hand: "file:line: `expected` expected, there is '...'". Always -1. */
int tp_scan_refuse(struct tp_scan *scan, const char *expected);
/* The same in other words. */
__attribute__((format(printf, 2, 3))) int tp_scan_failed(struct tp_scan *scan, const char *format, ...);

/* Move past `word` if the line goes on with it. */
static inline bool tp_scan_word(struct tp_scan *scan, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

static inline void tp_scan_blanks(struct tp_scan *scan)
{
    while (*scan->at == ' ' || *scan->at == '\t')
        scan->at++;
}

/* Whether only blanks are left. */
static inline bool tp_scan_done(struct tp_scan *scan)
{
    tp_scan_blanks(scan);
    return *scan->at == '\0';
}

/* Whether a word ends here. */
static inline bool tp_scan_ends(const struct tp_scan *scan)
{
    return *scan->at == ' ' || *scan->at == '\t' || *scan->at == '\0';
}

/* A number: digits, or 0x and hexadecimal digits. False: there is none, or it is larger than 2^64 - 1. */
bool tp_scan_hexadecimal(struct tp_scan *scan, uint64_t *value);
static inline bool tp_scan_number(struct tp_scan *scan, uint64_t *value)
{
    const char *first = scan->at;
    uint64_t number = 0;

    if (first[0] == '0' && (first[1] == 'x' || first[1] == 'X'))
        return tp_scan_hexadecimal(scan, value);
    for (; *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*scan->at - '0'), &number)) {
            scan->at = (char *)first;
            return false;
        }
    }
    *value = number;
    return scan->at != first;
}

#endif
