/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.h: this machine's caches, as the kernel tells them, and caches as options write them. Freestanding.
 */
#ifndef TENURE_ENGINE_GEOMETRY_H
#define TENURE_ENGINE_GEOMETRY_H

#include "core/tenure_core.h"

enum geometry_level { GEOMETRY_I1, GEOMETRY_D1, GEOMETRY_L2, GEOMETRY_LL, GEOMETRY_LEVELS };

/* The beginning of a small file (of sysfs) as a zero-ended text without its last newline; false if it cannot be
 * read. */
typedef bool geometry_read_text(const char *path, char *text, size_t size);

/* Fills in I1, D1 and LL (the highest level that holds data) where sysfs knows them. source[level]: "sysfs" or
 * "default". L2 is simulated only when asked for. */
void geometry_detect(geometry_read_text *read_text, struct tn_config *config, const char *source[GEOMETRY_LEVELS]);

/* "size,associativity,line" in bytes; false if `text` is anything else. */
bool geometry_parse(const char *text, struct tn_geometry *out);

#endif
