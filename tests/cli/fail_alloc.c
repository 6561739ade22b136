/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail_alloc.c: memory that runs out, for a program that it is preloaded into.
 *
 * FAIL_ALLOC=N: the Nth allocation fails. FAIL_ALLOC=N+: so do all behind it. FAIL_ALLOC_COUNT=FILE: how many there
 * were is written there. FAIL_ALLOC_PLACES=FILE: a line for each place that allocates, when it does so first: the
 * number of this allocation, and a hash of the addresses of the calls that led there, up to CALLS of them.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum { CALLS = 6, OWN = 3, PLACES = 1 << 20 }; /* OWN: of this file */

static atomic_ulong count;
static unsigned long first, last; /* 0: not known yet */
static FILE *places;
static uint64_t seen[PLACES]; /* hashes, each at the first room from hash % PLACES on */
static _Thread_local int inside;

static void begin(void)
{
    const char *text = getenv("FAIL_ALLOC"), *path = getenv("FAIL_ALLOC_PLACES");
    char *end;

    inside = 1;
    places = path ? fopen(path, "w") : NULL;
    inside = 0;
    first = last = (unsigned long)-1;
    if (text) {
        first = strtoul(text, &end, 10);
        last = *end == '+' ? (unsigned long)-1 : first;
    }
}

/* Of a program with one thread. */
static __attribute__((noinline)) void tell_place(unsigned long now)
{
    void *calls[OWN + CALLS];
    uint64_t hash = 0;

    inside = 1;
    int depth = backtrace(calls, OWN + CALLS);
    for (int i = OWN; i < depth; i++)
        hash = (hash ^ (uint64_t)calls[i]) * 0x9e3779b97f4a7c15;
    hash |= 1;
    uint64_t at = hash % PLACES;
    while (seen[at] && seen[at] != hash)
        at = (at + 1) % PLACES;
    if (!seen[at])
        fprintf(places, "%lu %llx\n", now, (unsigned long long)hash);
    seen[at] = hash;
    inside = 0;
}

static __attribute__((noinline)) int fails(void)
{
    if (inside)
        return 0;
    unsigned long now = atomic_fetch_add(&count, 1) + 1;

    if (first == 0)
        begin();
    if (places)
        tell_place(now);
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
    if (places)
        fclose(places);
    places = NULL;
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    char text[32];

    if (file < 0)
        return;
    if (write(file, text, (size_t)snprintf(text, sizeof text, "%lu", (unsigned long)count)) < 0)
        _exit(1);
    close(file);
}
