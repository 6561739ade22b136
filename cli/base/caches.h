/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caches.h: caches in words.
 *
 * What a cache is, how options write it, and how the caches of this machine are found is in engine/common/geometry.h;
 * files that tell of the machine's caches are read here, with the C library.
 */
#ifndef TENURE_CLI_CACHES_H
#define TENURE_CLI_CACHES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/common/geometry.h"

/* "32 KiB, 8-way, 64-byte lines"; behind it ", plru" if that is the policy; LRU, which is usual, is not said */
void caches_words(const struct tn_geometry *geometry, char *out, size_t size);

/* As options write it: "32K,8,64". */
void caches_option(const struct tn_geometry *geometry, char out[GEOMETRY_TEXT]);

/* "I1 ...; D1 ...; LL ... (sysfs)": those that are there, the source once for neighbours that have the same, up to 60
 * bytes of it; NULL: not known. There is always enough room in 1024 bytes. */
void caches_text(const struct tn_geometry geometry[GEOMETRY_LEVELS], const char *const source[GEOMETRY_LEVELS],
                 char *out, size_t size);

/* A geometry_read_text. */
bool caches_read_text(const char *path, char *text, size_t size);

#endif
