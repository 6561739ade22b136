/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail_alloc.c: memory that runs out, for a program that it is preloaded into.
 *
 * FAIL_ALLOC=N: the Nth allocation fails. FAIL_ALLOC=N+: so do all behind it. FAIL_ALLOC_COUNT=FILE: how many there
 * were is written there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong count;
static unsigned long first, last; /* 0: not known yet */

static void begin(void)
{
    const char *text = getenv("FAIL_ALLOC");
    char *end;

    first = last = (unsigned long)-1;
    if (text) {
        first = strtoul(text, &end, 10);
        last = *end == '+' ? (unsigned long)-1 : first;
    }
}

static int fails(void)
{
    unsigned long now = atomic_fetch_add(&count, 1) + 1;

    if (first == 0)
        begin();
    if (now < first || now > last)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_ALLOC_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    char text[32];

    if (file < 0)
        return;
    if (write(file, text, (size_t)snprintf(text, sizeof text, "%lu", (unsigned long)count)) < 0)
        _exit(1);
    close(file);
}
