/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_host.h: files and memory for the engine, and the core's hooks (core/host.h).
 */
#ifndef TENURE_VG_HOST_H
#define TENURE_VG_HOST_H

#include "vg_tool.h"

/* Memory in whole pages, backed as it is touched. Never NULL. */
void *vg_reserve(SizeT bytes);
/* A page of zeroes that a forked child has, too. Never NULL. */
void *vg_shared_page(void);
void vg_release(void *memory, SizeT bytes);

/* The beginning of a small file (sysfs, proc) as a zero-ended text without its last newline; false if it
 * cannot be read. */
bool vg_read_text(const char *path, char *text, size_t size);

/* Of Valgrind's core, not announced to tools. VG_(discard_translations) is to be called only at a client's request, or
 * between two blocks, where no translation runs. */
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord);
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

/* ------------------------------------------------------------------------------ memory for small things (vg_pool.c) */

enum {
    VG_POOL_MAX = 16384,   /* bytes of one thing */
    VG_POOL_IDS = 1 << 30, /* ids are from 1 to this; 0 is none */
};

/* Not cleared, aligned to 8 bytes. Who gives it back must know its size. */
UInt vg_pool_get(SizeT bytes);
void *vg_pool_at(UInt id);
void vg_pool_put(UInt id, SizeT bytes);

#endif
