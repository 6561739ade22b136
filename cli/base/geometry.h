/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.h: which caches to simulate when nobody says.
 *
 * The kernel's description first; the processor's own (CPUID) where a container or a virtual machine hides
 * that; a stated default last. The choice is handed to the engine and recorded in the profile with its
 * source.
 */
#ifndef TENURE_CLI_GEOMETRY_H
#define TENURE_CLI_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEOMETRY_I1, GEOMETRY_D1, GEOMETRY_L2, GEOMETRY_LL, GEOMETRY_COUNT };
extern const char *const geometry_name[GEOMETRY_COUNT]; /* "I1", "D1", "L2", "LL" */

struct geometry {
    uint64_t size;      /* bytes; 0: there is none (an L2 only) */
    uint64_t assoc;     /* ways per set */
    uint64_t line;      /* bytes */
    const char *source; /* "sysfs", "cpuid", "default" or "option" */
};

/* Fills in all; L2 is the machine's second level where that is not its last. `folder` is where the kernel
 * describes the first processor's caches; NULL: where it does. */
void geometry_detect(struct geometry out[GEOMETRY_COUNT], const char *folder);

/* "32K,8,64". NULL, or what is wrong. The source becomes "option". */
const char *geometry_parse(struct geometry *out, const char *text);

/* "32768,8,64" */
void geometry_text(const struct geometry *geometry, char *out, size_t size);
/* "32 KiB, 8-way, 64-byte lines" */
void geometry_words(const struct geometry *geometry, char *out, size_t size);

#endif
