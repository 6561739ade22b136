/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h: the core's only way out.
 *
 * The core is freestanding: besides memcpy, memmove and memset it calls nothing but the seven functions below.
 * Whoever links the core (an engine, a test) defines them. They are link-time hooks, so that a call costs what
 * a call costs. None of them may call back into the core.
 */
#ifndef TENURE_CORE_HOST_H
#define TENURE_CORE_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Reserve `bytes` of zeroed memory, aligned to a page. Pages that are not touched cost nothing; but the host may back
 * it by large pages, which are touched as a whole.
 * Never returns NULL: the host ends the run loudly if memory cannot be had. */
void *tn_host_alloc(size_t bytes);

/* The same for memory of which few pages are going to be touched: the host should not back it by large pages. */
void *tn_host_alloc_sparse(size_t bytes);

/* Give back exactly what one of these returned for `bytes`. */
void tn_host_free(void *memory, size_t bytes);

/* Append `bytes` to the raw profile `stream` stands for (the host's own handle). Returns 0, or a non-zero host
 * error number; after an error the core writes nothing more to this stream and reports it to its caller. */
int tn_host_write(void *stream, const void *data, size_t bytes);

/* Another thread has what this one needs, and may not be running: let others run. `times`: how often this was asked
 * before for the same. Serial engines are never asked. */
void tn_host_yield(uint32_t times);

/* Nanoseconds since some moment, the same one in the whole run. */
uint64_t tn_host_time(void);

/* A broken invariant: print `what` and end the run. Does not return. */
_Noreturn void tn_host_panic(const char *what);

#endif
