/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_lib.c: see nt_lib.h. */
#include "nt_lib.h"

#include "nt_sys.h"

int nt_message_fd = 2;
void (*nt_before_dying)(int status, const char *line);
void (*nt_while_waiting)(uint64_t *began);

/* `rep movsb` and `rep stosb` are what a CPU of the last ten years is good at, and need no vector register; but they
 * take long to begin. What is short, which is most, goes word by word; the last two may overlap. */
enum { SHORT = 128 };

static void move_upwards(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    char *a = to;
    const char *b = from;

    if (bytes > SHORT) {
        move_upwards(to, from, bytes);
    } else if (bytes >= 8) {
        for (size_t i = 0; i < bytes - 8; i += 8)
            __builtin_memcpy(a + i, b + i, 8);
        __builtin_memcpy(a + bytes - 8, b + bytes - 8, 8);
    } else if (bytes >= 4) {
        __builtin_memcpy(a, b, 4);
        __builtin_memcpy(a + bytes - 4, b + bytes - 4, 4);
    } else {
        for (size_t i = 0; i < bytes; i++)
            a[i] = b[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    char *a = to;
    const char *b = from;

    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        move_upwards(to, from, bytes);
    } else {
        while (bytes-- > 0)
            a[bytes] = b[bytes];
    }
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint64_t word = (uint8_t)value * 0x0101010101010101UL;
    char *at = to;

    if (bytes > SHORT) {
        __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
    } else if (bytes >= 8) {
        for (size_t i = 0; i < bytes - 8; i += 8)
            __builtin_memcpy(at + i, &word, 8);
        __builtin_memcpy(at + bytes - 8, &word, 8);
    } else {
        for (size_t i = 0; i < bytes; i++)
            at[i] = (char)value;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *x = a, *y = b;

    for (; bytes > 0; bytes--, x++, y++) {
        if (*x != *y)
            return *x - *y;
    }
    return 0;
}

size_t strlen(const char *string)
{
    const char *end = string;

    while (*end != '\0')
        end++;
    return (size_t)(end - string);
}

bool nt_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *nt_after(const char *string, const char *head)
{
    size_t length = strlen(head);

    for (size_t i = 0; i < length; i++) {
        if (string[i] != head[i])
            return NULL;
    }
    return string + length;
}

const char *nt_last_part(const char *path)
{
    const char *part = path;

    for (; *path != '\0'; path++) {
        if (*path == '/')
            part = path + 1;
    }
    return part;
}

uint64_t nt_number(const char **at, unsigned base)
{
    uint64_t number = 0;

    for (;; ++*at) {
        char c = **at;

        if (c >= '0' && c <= '9')
            number = number * base + (uint64_t)(c - '0');
        else if (base == 16 && c >= 'a' && c <= 'f')
            number = number * base + (uint64_t)(c - 'a' + 10);
        else
            return number;
    }
}

/* -------------------------------------------------------------------------------------------- messages */

struct text {
    char *at, *end; /* `end` is kept for the final NUL */
};

static void text_put(struct text *text, char c)
{
    if (text->at < text->end)
        *text->at++ = c;
}

static void put_number(struct text *text, uint64_t value, unsigned base, bool negative, size_t width, char pad)
{
    char digits[24];
    size_t count = 0;

    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (negative)
        digits[count++] = '-';
    for (; width > count; width--)
        text_put(text, pad);
    while (count > 0)
        text_put(text, digits[--count]);
}

/* One conversion; `format` points behind the %. Returns what follows it. */
static const char *text_convert(struct text *text, const char *format, va_list *arguments)
{
    char pad = *format == '0' ? '0' : ' ';
    size_t width = 0;

    for (; *format >= '0' && *format <= '9'; format++)
        width = width * 10 + (size_t)(*format - '0');
    bool is_long = *format == 'l';
    format += is_long;
    if (*format == 's') {
        size_t length = 0;
        for (const char *string = va_arg(*arguments, const char *); *string != '\0'; string++, length++)
            text_put(text, *string);
        for (; length < width; length++)
            text_put(text, ' ');
    } else if (*format == 'c') {
        text_put(text, (char)va_arg(*arguments, int));
    } else if (*format == 'd') {
        int64_t value = is_long ? va_arg(*arguments, long) : va_arg(*arguments, int);

        put_number(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, value < 0, width, pad);
    } else if (*format == 'u' || *format == 'x') {
        uint64_t value = is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);

        put_number(text, value, *format == 'u' ? 10 : 16, false, width, pad);
    } else {
        text_put(text, *format);
    }
    return format + 1;
}

size_t nt_vformat(char *to, size_t bytes, const char *format, va_list arguments)
{
    struct text text = {to, to + bytes - 1};
    va_list rest;

    va_copy(rest, arguments);
    while (*format != '\0') {
        if (*format == '%')
            format = text_convert(&text, format + 1, &rest);
        else
            text_put(&text, *format++);
    }
    va_end(rest);
    *text.at = '\0';
    return (size_t)(text.at - to);
}

size_t nt_format(char *to, size_t bytes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    size_t length = nt_vformat(to, bytes, format, arguments);
    va_end(arguments);
    return length;
}

/* One write for the whole line, so that lines of several processes stay whole. */
static void print(const char *head, const char *format, va_list arguments)
{
    char line[1024];
    size_t length = nt_format(line, sizeof line, "%s", head);

    length += nt_vformat(line + length, sizeof line - length, format, arguments);
    nt_sys3(__NR_write, nt_message_fd, (long)line, (long)length);
}

void nt_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print("tenure: ", format, arguments);
    va_end(arguments);
}

void nt_print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print("", format, arguments);
    va_end(arguments);
}

void nt_die(int status, const char *format, ...)
{
    va_list arguments;

    if (nt_before_dying != NULL) {
        static char line[1024];

        va_start(arguments, format);
        nt_vformat(line, sizeof line, format, arguments);
        va_end(arguments);
        nt_before_dying(status, line);
    }
    va_start(arguments, format);
    print("tenure: ", format, arguments);
    va_end(arguments);
    nt_sys3(__NR_exit_group, status == NT_REJECTED ? 125 : status, 0, 0);
    __builtin_unreachable();
}
