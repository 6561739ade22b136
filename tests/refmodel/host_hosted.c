/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_hosted.c: see host_hosted.h. */
#include "host_hosted.h"

#include "core/host.h"

#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 64 };

static size_t taken;

/* What was given back, by its number of pages, the last first: a test makes and ends thousands of cores, and a system
 * takes longer to map small pieces than it takes to clear them. */
static struct given {
    struct given *next;
} *given_back[PAGES + 1];
static char given_lock;

static struct given **given_of(size_t bytes)
{
    size_t pages = (bytes + PAGE - 1) / PAGE;

    return pages <= PAGES ? &given_back[pages] : NULL;
}

static void *take_given(size_t bytes)
{
    struct given **list = given_of(bytes), *first = NULL;

    if (list == NULL)
        return NULL;
    while (__atomic_test_and_set(&given_lock, __ATOMIC_ACQUIRE))
        sched_yield();
    first = *list;
    if (first != NULL) {
        ASAN_UNPOISON_MEMORY_REGION(first, bytes < sizeof *first ? sizeof *first : bytes);
        *list = first->next;
    }
    __atomic_clear(&given_lock, __ATOMIC_RELEASE);
    return first != NULL ? memset(first, 0, bytes) : NULL;
}

void *tn_host_alloc(size_t bytes)
{
    void *memory = take_given(bytes);

    if (memory == NULL)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "cannot reserve %zu bytes\n", bytes);
        abort();
    }
    __atomic_fetch_add(&taken, bytes, __ATOMIC_RELAXED);
    return memory;
}

void *tn_host_alloc_sparse(size_t bytes)
{
    return tn_host_alloc(bytes);
}

void tn_host_free(void *memory, size_t bytes)
{
    struct given **list = given_of(bytes), *given = memory;

    if (list == NULL) {
        munmap(memory, bytes);
    } else {
        while (__atomic_test_and_set(&given_lock, __ATOMIC_ACQUIRE))
            sched_yield();
        given->next = *list;
        *list = given;
        ASAN_POISON_MEMORY_REGION(memory, bytes < sizeof *given ? sizeof *given : bytes);
        __atomic_clear(&given_lock, __ATOMIC_RELEASE);
    }
    __atomic_fetch_sub(&taken, bytes, __ATOMIC_RELAXED);
}

int tn_host_write(void *stream, const void *data, size_t bytes)
{
    struct host_stream *s = stream;

    if (s->limit && s->size + bytes > s->limit)
        return HOST_DISK_FULL;
    if (s->size + bytes > s->room) {
        s->room = (s->size + bytes) * 2;
        s->data = realloc(s->data, s->room);
    }
    memcpy(s->data + s->size, data, bytes);
    s->size += bytes;
    return 0;
}

void tn_host_yield(uint32_t times)
{
    (void)times;
    sched_yield();
}

uint64_t tn_host_time(void) /* a clock that nobody waits for */
{
    static uint64_t time;

    return __atomic_add_fetch(&time, 1000, __ATOMIC_RELAXED);
}

void tn_host_panic(const char *what)
{
    fprintf(stderr, "panic: %s\n", what);
    abort();
}

size_t host_bytes(void)
{
    return taken;
}
