/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c: see host.h. */
#include "host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void *tn_host_alloc(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "core_micro: cannot reserve %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

void *tn_host_alloc_sparse(size_t bytes)
{
    return tn_host_alloc(bytes);
}

void tn_host_free(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

int tn_host_write(void *stream, const void *data, size_t bytes)
{
    (void)stream, (void)data, (void)bytes;
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
    fprintf(stderr, "core_micro: panic: %s\n", what);
    abort();
}
