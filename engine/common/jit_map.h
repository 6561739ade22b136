/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map.h: functions made at run time, from the files that JIT compilers write for perf.
 *
 *   /tmp/perf-<pid>.map   text, one function per line: "START SIZE NAME", numbers in hexadecimal, NAME to the end of
 *                         the line; lines are appended
 *   jit-<pid>.dump        jitdump, version 1 (Linux, tools/perf/Documentation/jitdump-specification.txt); the
 *                         compiler maps it executable, which is how one finds its path
 *
 * Memory is used again: a later entry takes the bytes it covers from earlier ones. Both files are untrusted and may
 * end in the middle of an entry, which is read when it is whole. A line or record that makes no sense is passed
 * over; a jitdump whose records cannot be followed any more is read no further.
 *
 * Freestanding; memory and files through fb_host. Here the host's `map` is called at each refresh and unmapped at
 * once: names are copied.
 */
#ifndef TENURE_ENGINE_JIT_MAP_H
#define TENURE_ENGINE_JIT_MAP_H

#include "engine/common/functions.h"

typedef struct fb_jit fb_jit;

/* Reads nothing yet. `path` is copied; the format is told by the file's first bytes, when it exists. NULL: no
 * memory. */
fb_jit *fb_jit_open(const struct fb_host *host, const char *path);
void fb_jit_close(fb_jit *jit);

/* Read what has been added since the last time. True if anything was: what has been looked up before may have
 * other bounds or another name now. A file that has become shorter is read anew from its start. */
bool fb_jit_refresh(fb_jit *jit);

/* The function at run-time `address`. `index` counts entries of the file from 0 and never changes its meaning; parent
 * is index; flags are 0, or FB_PIECE where an earlier entry lost its beginning to a later one. */
bool fb_jit_lookup(const fb_jit *jit, uint64_t address, struct fb_function *out);

#endif
