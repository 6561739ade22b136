/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.c: no allocation of this program fails unnoticed.
 *
 * The linker leads every call of these functions here (--wrap in meson.build). Whoever called still gets NULL, and may
 * take it for the lack of a name, say; but what is made of profiles from now on is thrown away (profile/base/sound.h).
 * Streams, folders and printed texts are memory, too, which the C library allocates behind the linker's back. Unnoticed
 * it would be one error, and the next allocation that fails another one. So are tables of an object file: where libelf
 * or libdw has no memory for one, they say no more than that there is none.
 *
 * And the heap lies in large pages: what is read from a profile fills it page by page, and most of the time of a short
 * import would go into the faults of small ones.
 */
#include "heap.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "profile/base/sound.h"

enum { LARGE_PAGE = 2 << 20, AHEAD = 1 << 30, OWN_MAPPING = 32 << 20 };
static const uintptr_t SMALL_PAGE = 4096;

static void *noticed(void *memory)
{
    if (memory == NULL)
        tp_sound_no_memory();
    return memory;
}

/* What is large is in large pages, too. All of its pages are named, to the end of what malloc has: a mapping of which
 * only a part is named cannot be moved when it grows. */
static void *noticed_large(void *memory)
{
    uintptr_t begin = (uintptr_t)memory & -SMALL_PAGE, bytes = memory ? malloc_usable_size(memory) : 0;
    uintptr_t end = ((uintptr_t)memory + bytes + SMALL_PAGE - 1) & -SMALL_PAGE;

    if (bytes >= LARGE_PAGE)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    return noticed(memory);
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
WRAP(noticed_large, void *, malloc, (size_t size), (size))
WRAP(noticed_large, void *, calloc, (size_t count, size_t size), (count, size))
WRAP(noticed_large, void *, realloc, (void *old, size_t size), (old, size))
WRAP(noticed, char *, strdup, (const char *text), (text))
WRAP(noticed, char *, strndup, (const char *text, size_t size), (text, size))
WRAP(noticed_open, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(noticed_open, FILE *, fdopen, (int descriptor, const char *mode), (descriptor, mode))
WRAP(noticed_open, DIR *, opendir, (const char *path), (path))

/* `none`: a condition on what was returned (`got`): nothing is there, or there was no memory for it. The pointers are
 * to types of libelf and libdw, which this file does not need. */
#define WRAP_ELF(none, type, name, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        errno = 0; \
        type got = __real_##name arguments; \
        if ((none) && errno == ENOMEM) \
            tp_sound_no_memory(); \
        return got; \
    }
WRAP_ELF(got == NULL, void *, elf_begin, (int file, int how, void *archive), (file, how, archive))
WRAP_ELF(got == NULL, void *, elf_getscn, (void *elf, size_t index), (elf, index))
WRAP_ELF(got == NULL, void *, elf_nextscn, (void *elf, void *section), (elf, section))
WRAP_ELF(got == NULL, void *, elf_getdata, (void *section, void *data), (section, data))
WRAP_ELF(got == NULL, void *, elf_rawdata, (void *section, void *data), (section, data))
WRAP_ELF(got == NULL, void *, elf_rawfile, (void *elf, size_t *size), (elf, size))
WRAP_ELF(got == NULL, void *, elf_strptr, (void *elf, size_t index, size_t at), (elf, index, at))
WRAP_ELF(got == NULL, void *, gelf_getshdr, (void *section, void *out), (section, out))
WRAP_ELF(got == NULL, void *, gelf_getphdr, (void *elf, int index, void *out), (elf, index, out))
WRAP_ELF(got == NULL, void *, dwarf_begin_elf, (void *elf, int how, void *group), (elf, how, group))
WRAP_ELF(got == NULL, void *, dwelf_elf_gnu_debuglink, (void *elf, void *crc), (elf, crc))
WRAP_ELF(got <= 0, ssize_t, dwelf_elf_gnu_build_id, (void *elf, void *id), (elf, id))
WRAP_ELF(got <= 0, ssize_t, dwelf_dwarf_gnu_debugaltlink, (void *dwarf, void *name, void *id), (dwarf, name, id))
WRAP_ELF(got != 0, int, elf_getphdrnum, (void *elf, size_t *count), (elf, count))
WRAP_ELF(got != 0, int, elf_getshdrstrndx, (void *elf, size_t *index), (elf, index))

/* ------------------------------------------------------------------------------------------ texts */

/* The C library's own open_memstream loses what there is no memory for, and nothing tells of it, not even ferror. */
struct text {
    char **bytes;
    size_t *size, room;
};

static ssize_t add_to_text(void *cookie, const char *bytes, size_t size)
{
    struct text *text = cookie;
    size_t needed = *text->size + size + 1;

    if (needed > text->room) {
        char *larger = __wrap_realloc(*text->bytes, 2 * needed);
        if (larger == NULL)
            return 0;
        *text->bytes = larger;
        text->room = 2 * needed;
    }
    memcpy(*text->bytes + *text->size, bytes, size);
    *text->size += size;
    (*text->bytes)[*text->size] = '\0';
    return (ssize_t)size;
}

static int end_text(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *__wrap_open_memstream(char **bytes, size_t *size);
FILE *__wrap_open_memstream(char **bytes, size_t *size)
{
    struct text *text = __wrap_calloc(1, sizeof *text);
    FILE *out = NULL;

    *bytes = __wrap_calloc(1, 1);
    *size = 0;
    if (text != NULL && *bytes != NULL) {
        *text = (struct text){bytes, size, 1};
        out = fopencookie(text, "w", (cookie_io_functions_t){.write = add_to_text, .close = end_text});
    }
    if (out == NULL) {
        tp_sound_no_memory();
        free(text);
        free(*bytes);
        *bytes = NULL;
    }
    return out;
}

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

/* The heap grows once, by addresses without memory. The rest of it up to the first large page is taken and left
 * untouched, so that all that follows is in large pages. Where the program's addresses are limited, nothing is done. */
void heap_begin(void)
{
    const uintptr_t header = 2 * sizeof(size_t);
    static void *volatile kept[2]; /* as long as we run */
    struct rlimit all, data;

    if (getrlimit(RLIMIT_AS, &all) != 0 || getrlimit(RLIMIT_DATA, &data) != 0 || all.rlim_cur != RLIM_INFINITY ||
        data.rlim_cur != RLIM_INFINITY)
        return;
    mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, AHEAD);
    kept[0] = __real_malloc(header);
    mallopt(M_TOP_PAD, LARGE_PAGE);
    uintptr_t next = (uintptr_t)kept[0] + 2 * header, begin = (next + LARGE_PAGE - 1) & -(uintptr_t)LARGE_PAGE;
    uintptr_t end = (uintptr_t)sbrk(0);
    if (kept[0] == NULL || begin >= end)
        return;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    kept[1] = __real_malloc(begin - next + header);
}
