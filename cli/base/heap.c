/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.c: no allocation of this program fails unnoticed.
 *
 * The linker leads every call of these functions here (--wrap in meson.build). Whoever called still gets NULL, and may
 * take it for the lack of a name, say; but what is made of profiles from now on is thrown away (profile/base/sound.h).
 */
#include <stddef.h>

#include "profile/base/sound.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

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
