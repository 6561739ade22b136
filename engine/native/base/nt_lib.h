/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_lib.h: the few functions of a C library that the engine needs: bytes, strings, messages.
 *
 * memcpy, memmove, memset and memcmp have their usual names, since the compiler calls them. All of it is inner code.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LIB_H
#define TENURE_ENGINE_NATIVE_NT_LIB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NT_PAGE 4096UL
#define NT_DOWN(value, unit) ((value) & ~((unit) - 1))
#define NT_UP(value, unit) NT_DOWN((value) + (unit) - 1, unit)

bool nt_same(const char *a, const char *b);
/* What follows `head` in `string`, NULL if it does not begin so. */
const char *nt_after(const char *string, const char *head);

/* What is behind the last slash of `path`. */
const char *nt_last_part(const char *path);
/* The number at *at, which moves behind its digits; `base` is 10 or 16, with lower case letters. 0 if there is none. */
uint64_t nt_number(const char **at, unsigned base);

/* Format into `to`, which has room for `bytes`: %s, %c, %d (int), %u and %x (unsigned), %ld %lu %lx, %%; a width pads
 * to the right of a string and to the left of a number. Cut off where room ends; returns the length, without the final
 * NUL. */
size_t nt_format(char *to, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t nt_vformat(char *to, size_t bytes, const char *format, va_list arguments);

/* A line on standard error, as it was when the program began: "tenure: ...". */
void nt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, without the name in front. */
void nt_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and the end of the process with `status`. NT_REJECTED is 125, too: where the user has asked for something
 * that cannot be, and not what this engine cannot do. */
enum { NT_REJECTED = 1125 };
void nt_die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Called by nt_die first, which goes on if it returns (nt_refuse.c); NULL: nothing is called. */
extern void (*nt_before_dying)(int status, const char *line);

/* The descriptor that messages are written to. */
extern int nt_message_fd;

#endif
