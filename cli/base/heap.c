/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.c: no allocation of this program fails unnoticed.
 *
 * The linker leads every call of these functions here (--wrap in meson.build). Whoever called still gets NULL, and may
 * take it for the lack of a name, say; but what is made of profiles from now on is thrown away (profile/base/sound.h).
 * Streams, folders and printed texts are memory, too, which the C library allocates behind the linker's back. Unnoticed
 * it would be one error, and the next allocation that fails another one.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "profile/base/sound.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__real_fdopen(int descriptor, const char *mode);
FILE *__real_open_memstream(char **text, size_t *size);
DIR *__real_opendir(const char *path);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fdopen(int descriptor, const char *mode);
FILE *__wrap_open_memstream(char **text, size_t *size);
DIR *__wrap_opendir(const char *path);
__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...);

static void *noticed(void *memory)
{
    if (memory == NULL)
        tp_sound_no_memory();
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return noticed(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return noticed(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    return noticed(__real_realloc(old, size));
}

char *__wrap_strdup(const char *text)
{
    return noticed(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return noticed(__real_strndup(text, size));
}

static void *noticed_open(void *opened)
{
    if (opened == NULL && errno == ENOMEM)
        tp_sound_no_memory();
    return opened;
}

/* What stdio.h calls fopen where files may be large. */
FILE *__wrap_fopen64(const char *path, const char *mode)
{
    return noticed_open(__real_fopen64(path, mode));
}

FILE *__wrap_fdopen(int descriptor, const char *mode)
{
    return noticed_open(__real_fdopen(descriptor, mode));
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return noticed_open(__real_open_memstream(text, size));
}

DIR *__wrap_opendir(const char *path)
{
    return noticed_open(__real_opendir(path));
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    if (length < 0)
        tp_sound_no_memory();
    return length;
}
