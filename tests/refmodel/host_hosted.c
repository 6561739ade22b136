/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_hosted.c: see host_hosted.h. */
#include "host_hosted.h"

#include "core/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t taken;

void *tn_host_alloc(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "cannot reserve %zu bytes\n", bytes);
        abort();
    }
    __atomic_fetch_add(&taken, bytes, __ATOMIC_RELAXED);
    return memory;
}

void tn_host_free(void *memory, size_t bytes)
{
    munmap(memory, bytes);
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

void tn_host_yield(void)
{
    sched_yield();
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
