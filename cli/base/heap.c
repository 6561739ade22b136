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

static void *noticed(void *memory)
{
    if (memory == NULL)
        tp_sound_no_memory();
    return memory;
}

static void *noticed_open(void *opened)
{
    if (opened == NULL && errno == ENOMEM)
        tp_sound_no_memory();
    return opened;
}

/* fopen64 is what stdio.h calls fopen where files may be large. */
#define WRAP(notice, type, name, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        return notice(__real_##name arguments); \
    }
WRAP(noticed, void *, malloc, (size_t size), (size))
WRAP(noticed, void *, calloc, (size_t count, size_t size), (count, size))
WRAP(noticed, void *, realloc, (void *old, size_t size), (old, size))
WRAP(noticed, char *, strdup, (const char *text), (text))
WRAP(noticed, char *, strndup, (const char *text, size_t size), (text, size))
WRAP(noticed_open, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(noticed_open, FILE *, fdopen, (int descriptor, const char *mode), (descriptor, mode))
WRAP(noticed_open, FILE *, open_memstream, (char **text, size_t *size), (text, size))
WRAP(noticed_open, DIR *, opendir, (const char *path), (path))

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...);
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
